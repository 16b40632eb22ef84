//! Taking in what calls have answered.

use super::{Answer, Observation, Tick};
use crate::classify::{self, Class, Retry};
use crate::deployment::{Resource, Stage};
use crate::observer::EventKind;
use crate::outcome::Action;
use crate::ports::{CloudError, Operation, OperationStatus, ProgressEvent};
use jiff::SignedDuration;

/// Polls that fail in a row for reasons that waiting does not cure, before the lane is given up.
const PATIENCE: u32 = 12;
/// How long a call that had no answer may be under way before the service sees it.
const LATEST_ARRIVAL: SignedDuration = SignedDuration::from_secs(35);

impl Tick<'_> {
    /// An answer to a call that is not wanted any more changes nothing.
    pub(super) fn observe(&mut self, observation: Observation) {
        let observation = match observation {
            Observation {
                answer: Answer::Listed { asked, result },
                ..
            } => return self.listed(asked, result),
            other => other,
        };
        let lane = observation.lane.as_str();
        let Some(resource) = self
            .deployment
            .lane(lane)
            .filter(|resource| !resource.work.stage.is_over())
        else {
            return;
        };
        match observation.answer {
            Answer::Mutated { client_token, result } => {
                let awaited = resource
                    .operation
                    .as_ref()
                    .is_some_and(|op| op.client_token == client_token && op.request_token.is_none());
                match result {
                    _ if !awaited => {}
                    Ok(event) => {
                        let told_to_wait = event.retry_after.is_some();
                        self.accept(lane, event.request_token.clone());
                        self.progress(lane, event);
                        if !told_to_wait {
                            self.look_early(lane);
                        }
                    }
                    Err(error) => self.refused(lane, &error),
                }
            }
            Answer::Polled {
                request_token,
                result,
            } if is_about(resource, &request_token) => {
                if resource
                    .operation
                    .as_ref()
                    .is_some_and(|operation| !operation.unlisted)
                {
                    self.pay(1);
                }
                match result {
                    Ok(event) => self.progress(lane, event),
                    Err(error) => self.stumbled(lane, &error),
                }
            }
            Answer::Cancelled {
                request_token,
                result,
            } if is_about(resource, &request_token) => {
                if let Some(operation) = self
                    .deployment
                    .lane_mut(lane)
                    .and_then(|resource| resource.operation.as_mut())
                {
                    operation.cancelled = true;
                    operation.next = None;
                }
                if let Ok(event) = result {
                    self.progress(lane, event);
                }
            }
            Answer::Read { identifier, result } if reads(resource, &identifier) => self.read(lane, result),
            _ => {}
        }
    }

    /// The service knows of the operation: from now on it is asked about by its request token.
    fn accept(&mut self, lane: &str, request_token: String) {
        let now = self.now;
        if let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
        {
            operation.request_token = Some(request_token);
            operation.payload = None;
            operation.stumbles = 0;
            operation.next = None;
            operation.accepted = Some(now);
            // Of one that an earlier call has begun it is not known when.
            if !operation.resent {
                operation.started = now;
            }
        }
        self.deployment.touch();
    }

    pub(super) fn progress(&mut self, lane: &str, event: ProgressEvent) {
        let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
        else {
            return;
        };
        operation.stumbles = 0;
        operation.unlisted = false;
        let learned = event.identifier.is_some() && operation.identifier != event.identifier;
        if operation.operation == Operation::Create && learned {
            operation.identifier.clone_from(&event.identifier);
        }
        match event.status {
            OperationStatus::Success => self.succeeded(lane),
            OperationStatus::Failed => {
                let code = event.error_code.as_deref().unwrap_or("GeneralServiceException");
                self.failed(
                    lane,
                    code,
                    event.message.as_deref().unwrap_or("the service gave no reason"),
                );
            }
            OperationStatus::CancelComplete => {
                let message = event
                    .message
                    .unwrap_or_else(|| "the operation was cancelled".into());
                self.failed(lane, "Cancelled", &message);
            }
            OperationStatus::Pending | OperationStatus::InProgress | OperationStatus::CancelInProgress => {
                self.look_again(lane, event.retry_after);
                if learned {
                    self.deployment.touch();
                }
                if let Some(message) = event.message.filter(|message| !message.is_empty()) {
                    let message = self.masked(lane, &message);
                    self.tell(lane, EventKind::Progress, Some(message));
                }
            }
        }
    }

    /// The service has refused the call itself, or no answer came.
    fn refused(&mut self, lane: &str, error: &CloudError) {
        let now = self.now;
        let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
        else {
            return;
        };
        let class = classify::classify(operation.operation, &error.code, &error.message);
        match class {
            // Nothing was begun, or it is not known: the very same call again finds out.
            Class::Lost | Class::Retry(Retry::Throttled | Retry::Service | Retry::Busy) => {
                let (stumbles, seed) = (operation.stumbles, operation.client_token.clone());
                operation.stumbles += 1;
                operation.turn += 1;
                let may_have_begun = matches!(class, Class::Lost | Class::Retry(Retry::Service));
                operation.resent |= may_have_begun;
                let spent = match class {
                    Class::Retry(retry) => {
                        operation.next = Some(retry.again(now, stumbles, &seed));
                        stumbles >= retry.limit()
                    }
                    _ => {
                        operation.next = Some(classify::stumble(now, stumbles, &seed));
                        false
                    }
                };
                if spent {
                    return self.refused_for_good(lane, error);
                }
                self.deployment.touch();
                self.tell_retry(lane, class, &error.code);
            }
            Class::TokenConflict => match classify::conflicting_request(&error.message) {
                Some(request_token) => {
                    operation.resent = true;
                    self.accept(lane, request_token);
                }
                None => self.failed(lane, &error.code, &error.message),
            },
            _ => self.refused_for_good(lane, error),
        }
    }

    fn operation_verb(&self, lane: &str) -> &'static str {
        let operation = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.operation.as_ref());
        operation.map_or("deploy", |operation| operation.operation.verb())
    }

    /// A later generation asks a few times what became of the call, and then believes that nothing came of it: where
    /// the service has only said that it does not know the call, not before every call has arrived.
    fn ask_again(&mut self, lane: &str, is_unknown: bool) -> bool {
        let (now, generation) = (self.now, self.deployment.generation);
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return false;
        };
        let tries = resource.work.retries;
        let since = *resource.work.since.get_or_insert(now);
        let is_early = if is_unknown {
            now.duration_since(since) < LATEST_ARRIVAL
        } else {
            tries < Retry::Service.limit()
        };
        let Some(operation) = resource
            .operation
            .as_mut()
            .filter(|operation| operation.generation != generation && is_early)
        else {
            return false;
        };
        resource.work.retries += 1;
        operation.turn += 1;
        operation.next = Some(Retry::Service.again(now, tries, &operation.client_token));
        self.deployment.touch();
        true
    }

    /// The call is not made again in this generation. What an earlier call may have begun is only
    /// over if the refusal is about the document, which was the same then.
    ///
    /// INVARIANT (kept in sight): else the operation stays, a later generation asks again.
    fn refused_for_good(&mut self, lane: &str, error: &CloudError) {
        let may_exist = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.operation.as_ref())
            .is_some_and(|operation| operation.resent);
        let is_ours = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.operation.as_ref())
            .is_some_and(|operation| operation.generation == self.deployment.generation);
        let is_about_the_document = classify::is_about_the_document(&error.code);
        if may_exist {
            if self.ask_again(lane, is_about_the_document) {
                return;
            }
            if is_ours && !is_about_the_document {
                let verb = self.operation_verb(lane);
                let failure = self.failure(lane, verb, &error.code, &error.message);
                return self.fail(lane, failure);
            }
        }
        self.failed(lane, &error.code, &error.message);
    }

    /// A poll had no answer. The operation is not forgotten for that.
    fn stumbled(&mut self, lane: &str, error: &CloudError) {
        let now = self.now;
        let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
        else {
            return;
        };
        let verb = operation.operation.verb();
        let stumbles = operation.stumbles;
        operation.stumbles += 1;
        operation.next = Some(classify::stumble(now, stumbles, &operation.client_token));
        match classify::classify(operation.operation, &error.code, &error.message) {
            class @ (Class::Lost | Class::Retry(_)) => self.tell_retry(lane, class, &error.code),
            Class::TokenUnknown => self.failed(lane, &error.code, &error.message),
            _ if stumbles < PATIENCE => {}
            // INVARIANT (kept in sight): the operation stays, a later generation asks again.
            _ => {
                let failure = self.failure(lane, verb, &error.code, &error.message);
                self.fail(lane, failure);
            }
        }
    }

    /// Reads may not show yet what an operation did.
    pub(super) fn doubt_reads(&mut self, lane: &str) {
        let until = classify::after(self.now, super::failed::CATCHING_UP);
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.unsettled_until = Some(until);
        }
    }

    fn succeeded(&mut self, lane: &str) {
        let (generation, now) = (self.deployment.generation, self.now);
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        let Some(operation) = resource.operation.take() else {
            return;
        };
        let type_name = resource.type_name.clone();
        let ours = operation.generation == generation;
        if !operation.resent {
            let took = now.duration_since(operation.started);
            let durations = self.deployment.durations.entry(type_name).or_default();
            durations.learn(operation.operation, took);
        }
        self.tell_end(lane, &operation, true);
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        match operation.operation {
            Operation::Create => {
                let Some(identifier) = operation.identifier.or(operation.implied) else {
                    let failure = self.failure(
                        lane,
                        "create",
                        "NoIdentifier",
                        "it was created, but the service did not say as what",
                    );
                    return self.fail(lane, failure);
                };
                if operation.blurred {
                    // Without its secrets it may have been taken for a new one, which is not what was wanted.
                    self.take_over_half_made(lane, identifier, operation.remembered);
                } else {
                    self.take_over(lane, identifier, operation.remembered);
                }
            }
            Operation::Update => {
                // A read that still shows what was removed is told by who owned it.
                let attempted = resource.attempted.take();
                let before = std::mem::replace(&mut resource.remembered, operation.remembered).or(attempted);
                resource.work.intended = resource
                    .remembered
                    .as_ref()
                    .zip(before.as_ref())
                    .map(|(now, before)| now.owning(before));
                resource.live = None;
            }
            Operation::Delete => {
                resource.forget();
            }
        }
        match operation.operation {
            _ if !ours => {
                self.doubt_reads(lane);
                self.set_stage(lane, Stage::Pending);
            }
            Operation::Delete
                if self
                    .deployment
                    .lane(lane)
                    .is_some_and(|resource| resource.work.action == Action::Delete) =>
            {
                self.end(lane, Stage::Done);
            }
            Operation::Delete => self.set_stage(lane, Stage::Pending),
            Operation::Create => self.confirm(lane),
            Operation::Update => {
                // Should another order come before it has shown.
                self.doubt_reads(lane);
                self.confirm(lane);
            }
        }
    }
}

fn is_about(resource: &Resource, request_token: &str) -> bool {
    resource
        .operation
        .as_ref()
        .is_some_and(|operation| operation.request_token.as_deref() == Some(request_token))
}

fn reads(resource: &Resource, identifier: &str) -> bool {
    let wanted = match resource.work.stage {
        Stage::Pending if resource.may_be_glanced_at() => resource.identifier.as_deref(),
        Stage::Read | Stage::Confirm => resource.identifier.as_deref(),
        Stage::Verify => resource.work.candidate.as_deref(),
        _ => None,
    };
    resource.operation.is_none() && wanted == Some(identifier)
}
