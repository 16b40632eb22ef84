//! What earlier orders left: taken back where it is what is wanted, or cleared out of the way.

use super::Tick;
use crate::classify::{Class, Retry, classify};
use crate::deployment::{Resource, Stage, name_of};
use crate::desired::Desired;
use crate::outcome::{Action, Failure};
use crate::ports::Operation;
use formwork_schema::Decision;

impl Tick<'_> {
    /// A creation, unless a resource that was put aside is what is wanted: a rollback to an earlier type.
    pub(super) fn begin_create(&mut self, lane: &str) {
        let put_aside = self.deployment.retired.keys().any(|other| name_of(other) == lane);
        if put_aside
            && let Ok(desired) = self.desired(lane)
            && self.revive(lane, &desired)
        {
            return;
        }
        self.intend_create(lane, Action::Create);
    }

    /// A rollback wants what the replaced one still is: takes it back instead of making a third.
    pub(super) fn revive(&mut self, lane: &str, desired: &Desired) -> bool {
        let Some(node) = self.context.model.and_then(|model| model.nodes.get(lane)) else {
            return false;
        };
        let Some(resource) = self.deployment.lane(lane) else {
            return false;
        };
        // Whether its deletion has failed before or after it was done can only be read.
        if resource.work.revived || !node.schema.handlers().read {
            return false;
        }
        let fits = |old: &Resource| {
            old.operation.is_none()
                && old.identifier.is_some()
                && old.type_name == resource.type_name
                && old.live.as_ref().is_some_and(|live| {
                    let applied = old.applied(&node.schema);
                    let decision =
                        formwork_schema::decide(&node.schema, applied.as_deref(), live, &desired.value);
                    matches!(decision, Decision::None | Decision::Update { .. })
                })
        };
        let Some(found) = self
            .deployment
            .retired
            .iter()
            .find(|(other, old)| name_of(other) == lane && fits(old))
            .map(|(other, _)| other.clone())
        else {
            return false;
        };
        let Some(old) = self.deployment.retired.shift_remove(&found) else {
            return false;
        };
        let Some(current) = self.deployment.resources.get_mut(lane) else {
            return false;
        };
        let work = current.work.clone();
        let replaced = std::mem::replace(current, old);
        current.work = work;
        current.work.revived = true;
        current.work.action = Action::Replace;
        if replaced.identifier.is_some() {
            self.deployment.retire(lane, replaced);
        }
        self.set_stage(lane, Stage::Read);
        true
    }

    /// The lane of a leftover of ours.
    pub(super) fn leftover(&self, lane: &str, identifier: Option<&str>) -> Option<String> {
        let type_name = &self.deployment.lane(lane)?.type_name;
        let mut leftovers = self.deployment.retired.iter();
        let (leftover, _) = leftovers.find(|(_, old)| {
            old.type_name == *type_name && old.identifier.is_some() && old.identifier.as_deref() == identifier
        })?;
        Some(leftover.clone())
    }

    /// What there can be only once is had by a leftover: once that is deleted there is another attempt.
    pub(super) fn make_room(&mut self, lane: &str, leftover: &str, mut failure: Failure) {
        let Some(old) = self.deployment.lane(leftover) else {
            return self.fail(lane, failure);
        };
        let is_deleted = old.operation.is_some();
        if !is_deleted && old.work.stage != Stage::Pending {
            let why = old.work.failure.as_ref().map(|failure| failure.code.clone());
            failure.message = format!(
                "{} (by what this deployment has left, which could not be deleted: {})",
                failure.message.trim_end_matches('.'),
                why.unwrap_or_else(|| "it was not tried".to_owned())
            );
            return self.fail(lane, failure);
        }
        if !is_deleted && !self.is_stopping() {
            self.intend_delete(leftover, Action::Delete);
        }
        self.retry_or_fail(lane, Class::Retry(Retry::Busy), failure);
    }

    /// True while a leftover is being deleted that had what there can be only once when this was to be created.
    pub(super) fn has_no_room(&self, resource: &Resource) -> bool {
        let is_taken = resource.work.failure.as_ref().is_some_and(|failure| {
            classify(Operation::Create, &failure.code, &failure.message) == Class::Exists
        });
        is_taken
            && self
                .deployment
                .retired
                .values()
                .any(|old| old.type_name == resource.type_name && old.operation.is_some())
    }
}
