//! Beginning work: who may start, and what is to be done with a resource.

use super::Tick;
use crate::bonds::Bonds;
use crate::classify::{Class, Retry, after, classify};
use crate::deployment::{Resource, Stage, name_of};
use crate::desired::{Desired, desired};
use crate::outcome::{Action, Failure, why};
use crate::ports::Operation;
use crate::replacement::{Sequence, sequence};
use crate::scope::Scope;
use formwork_schema::{Decision, Remembered, ResourceSchema};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// Whether a lane may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Wait,
    /// What it waits for will never come.
    Shut,
}

impl Tick<'_> {
    /// Begins as many lanes as may and have a place, those with the longest way ahead first.
    pub(super) fn begin_work(&mut self) {
        // Most steps only look at operations, and change nothing that a lane could wait for.
        let known = self.deployment.begun;
        if known.is_some_and(|(touched, until)| touched == self.deployment.touched && self.now < until) {
            return;
        }
        self.begin_all();
        let due = self
            .deployment
            .lanes()
            .filter(|(_, resource)| resource.work.stage == Stage::Pending)
            .filter_map(|(_, resource)| resource.work.not_before)
            .filter(|time| *time > self.now);
        let until = due.min().unwrap_or(Timestamp::MAX).min(self.deployment.deadline);
        let until = if self.is_late() { Timestamp::MAX } else { until };
        self.deployment.begun = Some((self.deployment.touched, until));
    }

    fn begin_all(&mut self) {
        loop {
            let pending: Vec<String> = self
                .deployment
                .lanes()
                .filter(|(_, resource)| resource.work.stage == Stage::Pending && resource.operation.is_none())
                .map(|(lane, _)| lane.to_owned())
                .collect();
            if self.is_stopping() {
                for lane in pending {
                    self.give_up(&lane);
                }
                return;
            }
            let mut gates = self.gates(&pending);
            if self.deletes_wait_for_each_other(&pending, &gates) {
                gates.fill(Gate::Open);
            }
            let mut open = Vec::new();
            let mut moved = false;
            for (lane, gate) in pending.into_iter().zip(gates) {
                match gate {
                    Gate::Shut => {
                        self.end(&lane, Stage::Skipped);
                        moved = true;
                    }
                    Gate::Open => open.push(lane),
                    Gate::Wait => {}
                }
            }
            open.sort_by_key(|lane| std::cmp::Reverse(self.context.paths.from(lane)));
            let mut places = self.context.max_concurrency.max(1).saturating_sub(self.busy());
            for lane in open {
                if places == 0 || self.is_stopping() {
                    break;
                }
                self.begin(&lane);
                moved = true;
                // A lane that ended at once leaves its place to the next.
                if self
                    .deployment
                    .lane(&lane)
                    .is_some_and(|resource| !resource.work.stage.is_over())
                {
                    places -= 1;
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// True if nothing but deletions is left and each waits for another. A name can stand for resources of several
    /// generations, whose dependencies together may go round in a circle. Then the services say what is still used.
    fn deletes_wait_for_each_other(&self, pending: &[String], gates: &[Gate]) -> bool {
        !pending.is_empty()
            && self.busy() == 0
            && self.built() == Gate::Open
            && gates.iter().all(|gate| *gate == Gate::Wait)
            && pending.iter().all(|lane| {
                self.deployment.lane(lane).is_some_and(|resource| {
                    resource.work.action == Action::Delete
                        && resource.work.not_before.is_none_or(|time| time <= self.now)
                })
            })
    }

    /// A lane that may not go on: with the failure it was to retry after, or left out.
    fn give_up(&mut self, lane: &str) {
        match self.work_mut(lane).and_then(|work| work.failure.take()) {
            Some(failure) => self.fail(lane, failure),
            None => self.end(lane, Stage::Skipped),
        }
    }

    fn busy(&self) -> usize {
        self.deployment
            .lanes()
            .filter(|(_, resource)| match resource.work.stage {
                Stage::Read | Stage::Call | Stage::Confirm | Stage::Verify => true,
                Stage::Pending => resource.operation.is_some(),
                _ => false,
            })
            .count()
    }

    fn gates(&self, pending: &[String]) -> Vec<Gate> {
        let built = self.built();
        let mut needed_by: HashMap<&str, Vec<(&str, Stage)>> = HashMap::new();
        for (lane, resource) in self.deployment.lanes() {
            if resource.work.action == Action::Delete
                && resource.work.stage != Stage::Done
                && !is_still_used(resource)
            {
                for dependency in resource.depends_on.iter().chain(resource.bound.keys()) {
                    needed_by
                        .entry(dependency)
                        .or_default()
                        .push((name_of(lane), resource.work.stage));
                }
            }
        }
        pending
            .iter()
            .map(|lane| match self.deployment.lane(lane) {
                Some(resource) if resource.work.not_before.is_some_and(|time| time > self.now) => Gate::Wait,
                Some(resource) if resource.work.action == Action::Delete => match built {
                    Gate::Open => after_dependents(name_of(lane), needed_by.get(name_of(lane))),
                    gate => gate,
                },
                Some(_) => self.after_dependencies(lane),
                None => Gate::Wait,
            })
            .collect()
    }

    /// Deletions wait until everything the blueprint wants is there.
    fn built(&self) -> Gate {
        let Some(model) = self.context.model else {
            return Gate::Open;
        };
        self.all_done(model.nodes.keys().map(String::as_str))
    }

    fn after_dependencies(&self, lane: &str) -> Gate {
        match self.context.model.and_then(|model| model.nodes.get(lane)) {
            Some(node) => self.all_done(node.depends_on.iter().map(String::as_str)),
            None => Gate::Open,
        }
    }

    fn all_done<'a>(&self, names: impl Iterator<Item = &'a str>) -> Gate {
        let mut gate = Gate::Open;
        for name in names {
            match self
                .deployment
                .resources
                .get(name)
                .map(|resource| resource.work.stage)
            {
                Some(Stage::Done) => {}
                Some(Stage::Failed | Stage::Skipped) => return Gate::Shut,
                _ => gate = Gate::Wait,
            }
        }
        gate
    }

    fn begin(&mut self, lane: &str) {
        let Some(resource) = self.deployment.lane(lane) else {
            return;
        };
        let exists = resource.identifier.is_some();
        if let Some(settled) = resource.unsettled_until.filter(|until| *until > self.now)
            && !matches!(resource.work.action, Action::Delete | Action::Retain)
        {
            if let Some(work) = self.work_mut(lane) {
                work.not_before = Some(settled);
                work.fresh = false;
            }
            return;
        }
        if !exists && self.has_no_room(resource) {
            let again = after(self.now, SignedDuration::from_secs(2));
            if let Some(work) = self.work_mut(lane) {
                work.not_before = Some(again);
            }
            return;
        }
        match resource.work.action {
            Action::Retain => self.end(lane, Stage::Done),
            Action::Delete if exists => self.intend_delete(lane, Action::Delete),
            Action::Delete => self.end(lane, Stage::Done),
            _ if exists && resource.work.fresh => self.decide_by_glance(lane),
            _ if exists && self.can_read(lane) => self.set_stage(lane, Stage::Read),
            _ if exists => self.decide_without_reading(lane),
            Action::Replace => self.intend_create(lane, Action::Replace),
            _ => self.begin_create(lane),
        }
    }

    pub(super) fn can_read(&self, lane: &str) -> bool {
        self.context
            .model
            .and_then(|model| model.nodes.get(lane))
            .is_none_or(|node| node.schema.handlers().read)
    }

    /// The desired state of a lane's resource.
    pub(super) fn desired(&self, lane: &str) -> Result<Desired, Box<Failure>> {
        let Some(model) = self.context.model else {
            return Err(Box::new(Failure {
                resource: Some(name_of(lane).to_owned()),
                type_name: String::new(),
                operation: "evaluate".into(),
                code: "UnknownResource".into(),
                message: "it is not in the blueprint".into(),
                property: None,
                location: None,
                leftover: false,
            }));
        };
        let scope = Scope::during(model, &self.deployment);
        desired(model, name_of(lane), &scope, &self.deployment.salt)
    }

    /// Decides by the live properties what to do with a resource that exists.
    pub(super) fn decide(&mut self, lane: &str, live: &serde_json::Value) {
        let desired = match self.desired(lane) {
            Ok(desired) => desired,
            Err(failure) => return self.fail(lane, *failure),
        };
        let Some(node) = self.context.model.and_then(|model| model.nodes.get(lane)) else {
            return;
        };
        let applied = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.applied(&node.schema));
        let mut decision = formwork_schema::decide(&node.schema, applied.as_deref(), live, &desired.value);
        let bonds = Bonds::of(name_of(lane), node, &self.deployment, &desired.value);
        if let Some(model) = self.context.model {
            decision = bonds.judge(decision, name_of(lane), model, &self.deployment);
        }
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.bound = bonds.into_names();
        }
        if decision != Decision::None && self.is_stopping() {
            return self.give_up(lane);
        }
        match decision {
            Decision::None => {
                // A retry that finds everything in place has done what it set out to do.
                if self
                    .deployment
                    .lane(lane)
                    .is_some_and(|resource| resource.work.attempt == 0)
                {
                    self.set_action(lane, Action::Unchanged);
                }
                self.remember(lane, desired.remembered);
                self.end(lane, Stage::Done);
            }
            Decision::Update { patch } => self.intend_update(lane, &patch, desired, false),
            Decision::ReplaceIfRefused { .. } if self.was_refused(lane) => self.replace(lane, &desired),
            Decision::ReplaceIfRefused { patch, .. } => self.intend_update(lane, &patch, desired, true),
            Decision::Replace { .. } => self.replace(lane, &desired),
            Decision::Impossible { reasons } => {
                let message = why(&reasons);
                let failure = self.failure(lane, "update", "Impossible", &message);
                self.fail(lane, failure);
            }
        }
    }

    /// True if the service has refused the update in this generation: it is not asked again.
    fn was_refused(&self, lane: &str) -> bool {
        self.deployment
            .lane(lane)
            .is_some_and(|resource| resource.work.refused)
    }

    /// Resources are read while they wait for others. That spares a read on every step of a long way.
    fn decide_by_glance(&mut self, lane: &str) {
        let live = self.deployment.lane_mut(lane).and_then(|resource| {
            // Another look next time, should this one end in another attempt.
            resource.work.fresh = false;
            resource.live.clone()
        });
        self.decide(lane, &live.unwrap_or_default());
    }

    /// What cannot be read is what it was made as. If that is not known, or whether it is there, another one is made.
    fn decide_without_reading(&mut self, lane: &str) {
        let desired = match self.desired(lane) {
            Ok(desired) => desired,
            Err(failure) => return self.fail(lane, *failure),
        };
        let remembered = self
            .deployment
            .lane(lane)
            .filter(|resource| !resource.may_be_gone)
            .and_then(|resource| resource.remembered.as_ref());
        match remembered.map(|memory| memory.recall(&desired.value)) {
            Some(live) => self.decide(lane, &live),
            None => self.replace(lane, &desired),
        }
    }

    /// Notes what was applied, and what it was built upon.
    pub(super) fn remember(&mut self, lane: &str, remembered: Remembered) {
        let depends_on = self
            .context
            .model
            .and_then(|model| model.nodes.get(lane))
            .map(|node| node.depends_on.clone());
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.remembered = Some(remembered);
            resource.attempted = None;
            if let Some(depends_on) = depends_on {
                resource.depends_on = depends_on;
            }
        }
    }

    /// A new resource takes the place of the old one, which is deleted first only where both cannot be.
    pub(super) fn replace(&mut self, lane: &str, desired: &Desired) {
        if self.revive(lane, desired) {
            return;
        }
        let Some(node) = self.context.model.and_then(|model| model.nodes.get(lane)) else {
            return;
        };
        match self.sequence(lane, &node.schema, desired) {
            Sequence::DeleteFirst => self.intend_delete(lane, Action::Replace),
            Sequence::CreateFirst => self.intend_create(lane, Action::Replace),
        }
    }

    pub(super) fn sequence(&self, lane: &str, schema: &ResourceSchema, desired: &Desired) -> Sequence {
        let current = self.deployment.lane(lane);
        let live = current.and_then(|current| {
            let shown = current.remembered.as_ref().map(|memory| &memory.shown);
            current.live.as_ref().or(shown)
        });
        let identifier = current.and_then(|current| current.identifier.as_deref());
        let live = live.unwrap_or(&serde_json::Value::Null);
        sequence(schema, identifier, live, &desired.value)
    }
}

/// True if the service has refused to delete it because of others: those need not wait for it.
fn is_still_used(resource: &Resource) -> bool {
    resource.work.failure.as_ref().is_some_and(|failure| {
        classify(Operation::Delete, &failure.code, &failure.message) == Class::Retry(Retry::Dependents)
    })
}

fn after_dependents(name: &str, dependents: Option<&Vec<(&str, Stage)>>) -> Gate {
    let mut gate = Gate::Open;
    for (dependent, stage) in dependents.into_iter().flatten() {
        match stage {
            _ if *dependent == name => {}
            Stage::Failed | Stage::Skipped => return Gate::Shut,
            _ => gate = Gate::Wait,
        }
    }
    gate
}
