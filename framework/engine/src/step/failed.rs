//! Operations that failed: try again, look at what they left, replace instead, or fail.

use super::Tick;
use crate::classify::{self, Class, Retry};
use crate::deployment::{InFlight, Resource, Stage, name_of};
use crate::observer::EventKind;
use crate::outcome::{Action, Failure};
use crate::ports::Operation;
use crate::replacement::Sequence;
use formwork_schema::Remembered;
use jiff::SignedDuration;

/// How long reads may show what was before an update.
pub(super) const CATCHING_UP: SignedDuration = SignedDuration::from_secs(20);

impl Tick<'_> {
    /// The operation of a lane has ended without success.
    pub(super) fn failed(&mut self, lane: &str, code: &str, message: &str) {
        let generation = self.deployment.generation;
        let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.take())
        else {
            return;
        };
        let class = classify::classify(operation.operation, code, message);
        self.tell_end(lane, &operation, false);
        if operation.generation != generation {
            return self.note_older(lane, operation, code, class);
        }
        let failure = self.failure(lane, operation.operation.verb(), code, message);
        match operation.operation {
            Operation::Create => self.create_failed(lane, operation, class, failure),
            Operation::Update => self.update_failed(lane, &operation, class, failure),
            Operation::Delete => self.delete_failed(lane, class, failure),
        }
    }

    /// What an older generation began has failed; only what it left behind matters now.
    fn note_older(&mut self, lane: &str, operation: InFlight, code: &str, class: Class) {
        if let Some(resource) = self.deployment.lane_mut(lane) {
            match operation.operation {
                Operation::Delete if class == Class::Missing && !operation.blurred => resource.forget(),
                Operation::Delete => self.doubt_deletion(lane, code),
                Operation::Update => {
                    resource.doubt(operation.remembered.as_ref());
                    resource.unsettled_until = Some(classify::after(self.now, CATCHING_UP));
                }
                Operation::Create => {
                    // A name that the author chose may belong to somebody else when the service refused it.
                    let foreign = classify::is_refusal(code) && operation.identifier == operation.implied;
                    if let Some(identifier) = operation.identifier.filter(|_| !foreign) {
                        self.keep(lane, identifier, operation.remembered);
                    }
                }
            }
        }
        self.set_stage(lane, Stage::Pending);
    }

    fn doubt_deletion(&mut self, lane: &str, code: &str) {
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.may_be_gone |= !classify::is_refusal(code);
        }
    }

    fn create_failed(&mut self, lane: &str, operation: InFlight, class: Class, failure: Failure) {
        let earlier = operation.resent
            || self
                .deployment
                .lane(lane)
                .is_some_and(|resource| resource.work.retries > 0);
        let unknown_end = class == Class::TokenUnknown || (class == Class::Exists && earlier);
        let candidate = if unknown_end {
            operation.identifier.or(operation.implied)
        } else {
            operation.identifier
        };
        let current = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.identifier.as_ref());
        let in_its_own_way = class == Class::Exists && candidate.is_some() && candidate.as_ref() == current;
        if class == Class::Exists
            && let Some(leftover) = self.leftover(lane, candidate.as_deref())
        {
            return self.make_room(lane, &leftover, failure);
        }
        match candidate {
            // The one to be replaced has what there can be only once.
            Some(_) if in_its_own_way && !self.is_stopping() => self.intend_delete(lane, Action::Replace),
            Some(_) if class == Class::Exists && (!earlier || in_its_own_way) => {
                self.fail(lane, exists(failure));
            }
            Some(candidate) if self.can_read(lane) => {
                self.set_stage(lane, Stage::Verify);
                if let Some(work) = self.work_mut(lane) {
                    work.candidate = Some(candidate);
                    work.failure = Some(failure);
                    work.intended = operation.remembered;
                }
            }
            Some(candidate) => {
                if !classify::is_refusal(&failure.code) {
                    self.keep(lane, candidate, operation.remembered);
                }
                self.fail(lane, failure);
            }
            None if class == Class::Exists => self.fail(lane, exists(failure)),
            None => self.retry_or_fail(lane, class, failure),
        }
    }

    fn update_failed(&mut self, lane: &str, operation: &InFlight, class: Class, failure: Failure) {
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.doubt(operation.remembered.as_ref());
            resource.unsettled_until = Some(classify::after(self.now, CATCHING_UP));
        }
        let or_replace = self
            .deployment
            .lane(lane)
            .is_some_and(|resource| resource.work.or_replace);
        match class {
            Class::Missing => {
                if let Some(resource) = self.deployment.lane_mut(lane) {
                    resource.forget();
                }
                self.retry_or_fail(lane, Class::Retry(Retry::Service), failure);
            }
            Class::NotUpdatable | Class::Terminal if or_replace && may_mean_replace(&failure.code) => {
                self.replace_refused(lane, failure);
            }
            Class::TokenUnknown => self.retry_or_fail(lane, Class::Retry(Retry::Service), failure),
            _ => self.retry_or_fail(lane, class, failure),
        }
    }

    /// The service does not change the resource in place. Only a plain refusal is reason enough to delete it
    /// before its successor is there: a general one may be about a wrong value, which would be wrong in the
    /// successor too.
    fn replace_refused(&mut self, lane: &str, mut failure: Failure) {
        if self.is_stopping() {
            return self.fail(lane, failure);
        }
        let desired = match self.desired(lane) {
            Ok(desired) => desired,
            Err(failure) => return self.fail(lane, *failure),
        };
        let sequence = self
            .context
            .model
            .and_then(|model| model.nodes.get(lane))
            .map(|node| self.sequence(lane, &node.schema, &desired));
        if sequence == Some(Sequence::DeleteFirst) && failure.code != "NotUpdatable" {
            failure.message = format!(
                "{} (if it cannot be changed in place: it would have to be deleted before its successor is made, \
                 which is not done on this error; give it another name to have it replaced)",
                failure.message.trim_end_matches('.')
            );
            return self.fail(lane, failure);
        }
        if let Some(work) = self.work_mut(lane) {
            work.refused = true;
        }
        self.replace(lane, &desired);
    }

    fn delete_failed(&mut self, lane: &str, class: Class, failure: Failure) {
        self.doubt_deletion(lane, &failure.code);
        match class {
            Class::Missing => {
                if let Some(resource) = self.deployment.lane_mut(lane) {
                    resource.forget();
                }
                if self
                    .deployment
                    .lane(lane)
                    .is_some_and(|resource| resource.work.action == Action::Delete)
                {
                    self.end(lane, Stage::Done);
                } else {
                    self.set_stage(lane, Stage::Pending);
                }
            }
            Class::TokenUnknown => self.retry_or_fail(lane, Class::Retry(Retry::Service), failure),
            _ => self.retry_or_fail(lane, class, failure),
        }
    }

    /// Another attempt after a while, where that may help and is still wanted.
    pub(super) fn retry_or_fail(&mut self, lane: &str, class: Class, failure: Failure) {
        let Some(retry) = retry_of(class).filter(|_| self.may_retry(lane, class)) else {
            return self.fail(lane, failure);
        };
        let tries = self.tries(lane);
        let seed = format!("{}/{lane}/{}", self.deployment.salt, self.deployment.generation);
        let not_before = retry.again(self.now, tries, &seed);
        let message = format!("{}: {}, trying again", failure.code, failure.message);
        let throttled = retry == Retry::Throttled;
        self.set_stage(lane, Stage::Pending);
        if let Some(work) = self.work_mut(lane) {
            work.retries = tries + 1;
            work.not_before = Some(not_before);
            work.failure = Some(failure);
            work.candidate = None;
        }
        self.tell(lane, EventKind::Retried { throttled }, Some(message));
    }

    /// Whether another attempt would follow.
    pub(super) fn may_retry(&self, lane: &str, class: Class) -> bool {
        !self.is_stopping() && retry_of(class).is_some_and(|retry| self.tries(lane) < retry.limit())
    }

    fn tries(&self, lane: &str) -> u32 {
        self.deployment
            .lane(lane)
            .map_or(0, |resource| resource.work.retries)
    }

    /// What was created is from now on the resource; the one it replaces is put aside.
    pub(super) fn take_over(&mut self, lane: &str, identifier: String, remembered: Option<Remembered>) {
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        let replaced = Resource {
            attempted: resource.attempted.take(),
            type_name: resource.type_name.clone(),
            identifier: resource.identifier.replace(identifier.clone()),
            depends_on: resource.depends_on.clone(),
            bound: std::mem::take(&mut resource.bound),
            remembered: std::mem::replace(&mut resource.remembered, remembered),
            live: resource.live.take(),
            ..Resource::default()
        };
        resource.work.unseen = None;
        resource.may_be_gone = false;
        let type_name = replaced.type_name.clone();
        if replaced.identifier.as_ref().is_some_and(|old| *old != identifier) {
            self.deployment.retire(name_of(lane), replaced);
        }
        // What an earlier attempt left under this identifier is no leftover any more.
        let current = |old: &Resource| {
            old.type_name == type_name && old.identifier.as_deref() == Some(identifier.as_str())
        };
        self.deployment
            .retired
            .retain(|other, old| other == lane || !current(old));
        self.deployment.touch();
    }

    /// The same of something of which it is not known whether it is what was wanted.
    pub(super) fn take_over_half_made(
        &mut self,
        lane: &str,
        identifier: String,
        attempted: Option<Remembered>,
    ) {
        self.take_over(lane, identifier, None);
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.attempted = attempted;
        }
    }

    /// A creation that failed has left something: it is ours to use or to delete.
    pub(super) fn keep(&mut self, lane: &str, identifier: String, attempted: Option<Remembered>) {
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        if resource.identifier.as_deref() == Some(identifier.as_str()) {
            return;
        }
        if resource.identifier.is_some() {
            let left = Resource {
                type_name: resource.type_name.clone(),
                identifier: Some(identifier),
                depends_on: resource.depends_on.clone(),
                ..Resource::default()
            };
            self.deployment.retire(name_of(lane), left);
            return;
        }
        resource.keep(identifier, attempted);
        self.deployment.touch();
    }
}

fn retry_of(class: Class) -> Option<Retry> {
    match class {
        Class::Retry(retry) => Some(retry),
        // A handler that lost its own way to the service.
        Class::Lost => Some(Retry::Service),
        _ => None,
    }
}

/// Codes that services answer with when they cannot change something in place.
fn may_mean_replace(code: &str) -> bool {
    matches!(code, "NotUpdatable" | "InvalidRequest" | "Validation")
}

/// An existing resource that is not ours.
pub(super) fn exists(mut failure: Failure) -> Failure {
    failure.message = format!(
        "{} (a resource of this name exists and does not belong to this deployment: choose another name, delete it, or import it)",
        failure.message.trim_end_matches('.')
    );
    failure
}
