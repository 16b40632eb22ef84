//! What reading a resource has shown: before deciding, after an operation, and after a failed creation.

use super::Tick;
use super::failed::exists;
use crate::classify::{self, Class, Retry, after};
use crate::deployment::{Resource, Stage, name_of};
use crate::outcome::{Action, Failure};
use crate::ports::{CloudError, Operation};
use formwork_schema::{Decision, Remembered};
use jiff::SignedDuration;
use serde_json::Value;

/// How long a resource may stay unreadable after its operation has succeeded.
const SETTLING: SignedDuration = SignedDuration::from_secs(60);
/// Reads that fail for other reasons before the lane is given up.
const PATIENCE: u32 = 10;

impl Tick<'_> {
    /// Reads back what an operation made; where that is impossible, what was sent has to do.
    pub(super) fn confirm(&mut self, lane: &str) {
        if !self.can_read(lane) {
            return self.confirmed(lane, None);
        }
        self.set_stage(lane, Stage::Confirm);
        let now = self.now;
        if let Some(work) = self.work_mut(lane) {
            work.since = Some(now);
        }
    }

    fn confirmed(&mut self, lane: &str, live: Option<Value>) {
        let is_shown = live.as_ref().is_none_or(|live| self.shows(lane, live));
        if !is_shown {
            self.doubt_reads(lane);
        }
        let depends_on = self
            .context
            .model
            .and_then(|model| model.nodes.get(lane))
            .map(|node| node.depends_on.clone());
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.live = live.or_else(|| Some(resource.remembered.as_ref()?.shown.clone()));
            resource.work.failure = None;
            resource.work.intended = None;
            resource.may_be_gone = false;
            resource.unsettled_until = resource.unsettled_until.filter(|_| !is_shown);
            if let Some(depends_on) = depends_on {
                resource.depends_on = depends_on;
            }
        }
        self.end(lane, Stage::Done);
    }

    /// Whether a read shows what was wanted.
    fn shows(&self, lane: &str, live: &Value) -> bool {
        let Some(node) = self.context.model.and_then(|model| model.nodes.get(lane)) else {
            return true;
        };
        let Ok(desired) = self.desired(lane) else {
            return true;
        };
        let applied = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.work.intended.as_ref().or(resource.remembered.as_ref()));
        formwork_schema::decide(&node.schema, applied, live, &desired.value) == Decision::None
    }

    pub(super) fn read(&mut self, lane: &str, result: Result<Value, CloudError>) {
        let Some(stage) = self.deployment.lane(lane).map(|resource| resource.work.stage) else {
            return;
        };
        let missing = matches!(&result, Err(error) if classify::is_missing(&error.code, &error.message));
        match (stage, result) {
            (Stage::Pending, result) => self.glanced(lane, result.ok()),
            (Stage::Read, Ok(live)) => {
                if let Some(resource) = self.deployment.lane_mut(lane) {
                    resource.live = Some(live.clone());
                }
                self.decide(lane, &live);
            }
            (Stage::Confirm, Ok(live)) => self.confirmed(lane, Some(live)),
            (Stage::Verify, Ok(live)) => self.verified(lane, Some(live)),
            (Stage::Read, Err(_)) if missing => self.missed(lane),
            (Stage::Confirm, Err(error)) if missing => self.not_yet(lane, &error),
            (Stage::Verify, Err(_)) if missing && self.must_show(lane) => {}
            (Stage::Verify, Err(_)) if missing => self.verified(lane, None),
            (Stage::Confirm, Err(error)) if classify::short(&error.code) == "UnsupportedAction" => {
                self.confirmed(lane, None)
            }
            (_, Err(error)) => self.unreadable(lane, stage, &error),
            (_, Ok(_)) => {}
        }
    }

    /// Read before its turn. What went wrong with that is met again when its turn has come.
    fn glanced(&mut self, lane: &str, live: Option<Value>) {
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        resource.work.glanced = true;
        if live.is_some() {
            resource.work.fresh = true;
            resource.live = live;
        }
    }

    /// Gone behind our back, if a second look says so too: it is made anew. What was never seen since its
    /// last operation may only be late.
    fn missed(&mut self, lane: &str) {
        let now = self.now;
        let Some(resource) = self.deployment.lane_mut(lane) else {
            return;
        };
        let was_seen = resource.live.is_some();
        let since = *resource.work.since.get_or_insert(now);
        let patience = if was_seen {
            SignedDuration::from_secs(1)
        } else {
            SETTLING
        };
        if now.duration_since(since) < patience {
            resource.work.not_before = Some(after(now, SignedDuration::from_secs(1)));
            return;
        }
        resource.forget();
        resource.work.action = Action::Create;
        self.set_stage(lane, Stage::Pending);
    }

    /// What the service says exists is read again for a while, until it shows.
    fn must_show(&mut self, lane: &str) -> bool {
        let now = self.now;
        let Some(work) = self.work_mut(lane) else {
            return false;
        };
        let exists = work.failure.as_ref().is_some_and(|failure| {
            classify::classify(Operation::Create, &failure.code, &failure.message) == Class::Exists
        });
        let since = *work.since.get_or_insert(now);
        if !exists || now.duration_since(since) >= SETTLING {
            return false;
        }
        let pause = 250_i64.saturating_mul(1 << work.misses.min(5)).min(5_000);
        work.misses += 1;
        work.not_before = Some(after(now, SignedDuration::from_millis(pause)));
        true
    }

    /// Reads lag behind operations for a moment.
    fn not_yet(&mut self, lane: &str, error: &CloudError) {
        let now = self.now;
        let Some(work) = self.work_mut(lane) else { return };
        let since = work.since.unwrap_or(now);
        if now.duration_since(since) < SETTLING {
            let pause = 250_i64.saturating_mul(1 << work.misses.min(5)).min(5_000);
            work.misses += 1;
            work.since = Some(since);
            work.not_before = Some(after(now, SignedDuration::from_millis(pause)));
            return;
        }
        let failure = self.failure(
            lane,
            "read",
            &error.code,
            "the operation succeeded, but the resource cannot be found",
        );
        self.fail(lane, failure);
    }

    fn unreadable(&mut self, lane: &str, stage: Stage, error: &CloudError) {
        let seed = format!("{}/{lane}", self.deployment.salt);
        let now = self.now;
        let retryable = matches!(
            classify::classify(Operation::Update, &error.code, &error.message),
            Class::Lost | Class::Retry(_)
        );
        let Some(work) = self.work_mut(lane) else { return };
        if retryable && work.misses < PATIENCE {
            work.not_before = Some(Retry::Service.again(now, work.misses, &seed));
            work.misses += 1;
            return;
        }
        let failure = match stage {
            // What may exist is kept, and the failure that led here is the one to tell.
            Stage::Verify => {
                let (candidate, failure) = (work.candidate.take(), work.failure.take());
                let intended = work.intended.take();
                if let (Some(candidate), Some(failure)) = (candidate, &failure)
                    && !classify::is_refusal(&failure.code)
                {
                    self.keep(lane, candidate, intended);
                }
                failure.unwrap_or_else(|| self.failure(lane, "read", &error.code, &error.message))
            }
            _ => self.failure(lane, "read", &error.code, &error.message),
        };
        self.fail(lane, failure);
    }

    /// Reads lag behind operations: what a failed creation has named may be there although it cannot be seen. To
    /// delete what is not there does no harm.
    fn keep_unseen(
        &mut self,
        lane: &str,
        candidate: String,
        intended: Option<Remembered>,
        class: Class,
        failure: &Failure,
    ) {
        if classify::is_refusal(&failure.code) {
            return;
        }
        match class {
            // Under a name that its author chose the next attempt meets it. Without one it is kept.
            Class::Retry(_) | Class::Lost if self.is_named_by_author(lane, &candidate) => {
                if let Some(work) = self.work_mut(lane) {
                    (work.unseen, work.intended) = (Some(candidate), intended);
                }
            }
            Class::Retry(_) | Class::Lost => {
                if let Some(resource) = self.deployment.lane(lane) {
                    let left = Resource {
                        type_name: resource.type_name.clone(),
                        identifier: Some(candidate),
                        depends_on: resource.depends_on.clone(),
                        ..Resource::default()
                    };
                    self.deployment.retire(name_of(lane), left);
                }
            }
            Class::Exists | Class::TokenUnknown => {}
            _ => self.keep(lane, candidate, intended),
        }
    }

    fn is_named_by_author(&self, lane: &str, candidate: &str) -> bool {
        let node = self.context.model.and_then(|model| model.nodes.get(lane));
        node.zip(self.desired(lane).ok())
            .and_then(|(node, desired)| node.schema.identifier(&desired.value))
            .is_some_and(|implied| implied == candidate)
    }

    /// A failed creation has left `live`, or nothing.
    fn verified(&mut self, lane: &str, live: Option<Value>) {
        let Some(work) = self.work_mut(lane) else { return };
        let (candidate, intended) = (work.candidate.take(), work.intended.take());
        let failure = work.failure.take();
        let failure =
            failure.unwrap_or_else(|| self.failure(lane, "create", "NotStabilized", "the creation failed"));
        let class = classify::classify(Operation::Create, &failure.code, &failure.message);
        let (Some(live), Some(candidate)) = (live, candidate.clone()) else {
            if let Some(candidate) = candidate {
                self.keep_unseen(lane, candidate, intended, class, &failure);
            }
            let class = if class == Class::TokenUnknown {
                Class::Retry(Retry::Service)
            } else {
                class
            };
            return self.retry_or_fail(lane, class, failure);
        };
        let judged = match (
            self.desired(lane),
            self.context.model.and_then(|model| model.nodes.get(lane)),
        ) {
            (Ok(desired), Some(node)) => {
                let implied = node.schema.identifier(&desired.value);
                let decision =
                    formwork_schema::decide(&node.schema, intended.as_ref(), &live, &desired.value);
                Some((decision, implied.as_deref() == Some(candidate.as_str())))
            }
            _ => None,
        };
        let Some((decision, known_before)) = judged else {
            if !classify::is_refusal(&failure.code) {
                self.keep(lane, candidate, intended);
            }
            return self.fail(lane, failure);
        };
        if let Some(work) = self.work_mut(lane) {
            work.unseen = None;
        }
        if class == Class::Exists && decision != Decision::None {
            return self.fail(lane, exists(failure));
        }
        if !is_ours(&failure, &decision, known_before) {
            return self.retry_or_fail(lane, class, failure);
        }
        match class {
            // An earlier attempt of ours has made it after all.
            Class::Exists | Class::TokenUnknown if decision == Decision::None => {
                self.take_over(lane, candidate, intended);
                self.confirmed(lane, Some(live));
            }
            Class::Exists | Class::TokenUnknown => {
                self.take_over_half_made(lane, candidate, intended);
                self.set_stage(lane, Stage::Pending);
            }
            Class::Retry(_) | Class::Lost => {
                self.take_over_half_made(lane, candidate, intended);
                self.retry_or_fail(lane, class, failure);
            }
            _ => {
                self.keep(lane, candidate, intended);
                self.fail(lane, failure);
            }
        }
    }
}

/// Whether a resource found after a failed creation is what that creation made. One whose identifier the
/// service made up is; one whose name the author chose may have been there before.
fn is_ours(failure: &Failure, decision: &Decision, known_before: bool) -> bool {
    match decision {
        _ if !known_before => true,
        Decision::None => true,
        Decision::Replace { .. } | Decision::Impossible { .. } => false,
        Decision::Update { .. } | Decision::ReplaceIfRefused { .. } => !classify::is_refusal(&failure.code),
    }
}
