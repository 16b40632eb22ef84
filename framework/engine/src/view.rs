//! A stored deployment as an operator may see it: all of it but the secrets.

use crate::Generation;
use crate::deployment::{Deployment, InFlight, Phase, Resource, Stage, StoredGoal, name_of};
use crate::mask::{MASK, Mask, put_at};
use crate::model::Model;
use crate::outcome::{Action, Failure};
use crate::ports::Operation;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;

/// An instance. No input of its order is in it, and secrets are `*****`.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceView {
    /// The instance's name.
    pub instance: String,
    /// How often it was written.
    pub serial: u64,
    /// The order being, or last, carried out; 0 if there was none.
    pub generation: Generation,
    /// What caused it.
    pub cause: String,
    /// How far it is.
    pub phase: Phase,
    /// What is to be reached: `deploy`, `destroy` or `retain`.
    pub goal: &'static str,
    /// When the outcome is, or was, due.
    pub deadline: Timestamp,
    /// Whether the goal was reached, once that is known.
    pub succeeded: Option<bool>,
    /// The role the cloud uses.
    pub role_arn: Option<String>,
    /// What went wrong.
    pub failures: Vec<Failure>,
    /// Resources, then leftovers.
    pub resources: Vec<ResourceView>,
}

/// A resource, or a leftover of one.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceView {
    /// What it goes by in the state: its name, for leftovers with a number (`queue#3`).
    pub lane: String,
    /// Name in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// The primary identifier, if one is known.
    pub identifier: Option<String>,
    /// True for what was replaced or abandoned and waits to be deleted.
    pub leftover: bool,
    /// What the order does, or did last, with it.
    pub action: Action,
    /// How far that is.
    pub stage: Stage,
    /// Names of the resources it was built upon.
    pub depends_on: Vec<String>,
    /// What was applied last.
    pub applied: Option<Value>,
    /// Its properties as read last; not kept once the order is settled.
    pub live: Option<Value>,
    /// JSON Pointers of what is not shown of them.
    pub hidden: Vec<String>,
    /// The operation under way.
    pub operation: Option<OperationView>,
    /// What the order waits for before it goes on with it; `None` if it is done with it.
    pub waits: Option<Wait>,
}

/// An operation whose end is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationView {
    /// Create, update or delete.
    pub operation: Operation,
    /// The order that began it.
    pub generation: Generation,
    /// When it began.
    pub started: Timestamp,
    /// Recognises a repeated call.
    pub client_token: String,
    /// What the cloud knows it by, once it has answered.
    pub request_token: Option<String>,
    /// What it works on.
    pub identifier: Option<String>,
}

/// What a resource waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// The cloud has the operation, and has not ended it.
    Operation,
    /// The operation is about to begin, or the answer to its beginning is missing.
    Answer,
    /// It is being read.
    Read,
    /// Other resources, by name.
    Resources(Vec<String>),
    /// Its next attempt.
    Until(Timestamp),
    /// A free place among those worked on.
    Turn,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wait::Operation => f.write_str("the end of the operation"),
            Wait::Answer => f.write_str("an answer to the call that begins the operation"),
            Wait::Read => f.write_str("a read of the resource"),
            Wait::Resources(names) => f.write_str(&names.join(", ")),
            Wait::Until(time) => write!(f, "its next attempt at {time:.0}"),
            Wait::Turn => f.write_str("its turn"),
        }
    }
}

impl InstanceView {
    /// Resources that have an operation under way, or that the running order is not done with.
    pub fn pending(&self) -> impl Iterator<Item = &ResourceView> {
        self.resources
            .iter()
            .filter(|resource| resource.operation.is_some() || resource.waits.is_some())
    }
}

/// Shows a deployment. `mask` knows the secrets of its inputs, `model` what depends on what.
pub(crate) fn of(deployment: &Deployment, mask: &Mask, model: Option<&Model>) -> InstanceView {
    let resources = deployment.lanes().map(|(lane, resource)| {
        let applied = resource.remembered.as_ref();
        let hidden = hidden(resource);
        ResourceView {
            lane: lane.to_owned(),
            name: name_of(lane).to_owned(),
            type_name: resource.type_name.clone(),
            identifier: resource.identifier.as_deref().map(|text| mask.text(text)),
            leftover: deployment.retired.contains_key(lane),
            action: resource.work.action,
            stage: resource.work.stage,
            depends_on: resource.depends_on.clone(),
            applied: applied.map(|memory| {
                let mut shown = memory.shown.clone();
                for pointer in memory.hidden.keys() {
                    put_at(&mut shown, pointer, MASK.into());
                }
                mask.cover(&mut shown);
                shown
            }),
            // Once settled, what was applied stands for it.
            live: resource
                .live
                .as_ref()
                .filter(|_| deployment.phase != Phase::Settled)
                .map(|live| {
                    let mut live = live.clone();
                    for pointer in &hidden {
                        if let Some(place) = live.pointer_mut(pointer) {
                            *place = Value::from(MASK);
                        }
                    }
                    mask.cover(&mut live);
                    live
                }),
            hidden: hidden.into_iter().map(str::to_owned).collect(),
            operation: resource
                .operation
                .as_ref()
                .map(|operation| under_way(operation, mask)),
            waits: wait(deployment, model, lane, resource),
        }
    });
    InstanceView {
        instance: deployment.instance.clone(),
        serial: deployment.serial,
        generation: deployment.generation,
        cause: deployment.cause.clone(),
        phase: deployment.phase,
        goal: match deployment.goal {
            StoredGoal::Deploy(_) => "deploy",
            StoredGoal::Destroy { retain: false } => "destroy",
            StoredGoal::Destroy { retain: true } => "retain",
        },
        deadline: deployment.deadline,
        succeeded: deployment.result.as_ref().map(|result| result.succeeded),
        role_arn: deployment.role_arn.clone(),
        failures: deployment.failures.clone(),
        resources: resources.collect(),
    }
}

fn under_way(operation: &InFlight, mask: &Mask) -> OperationView {
    OperationView {
        operation: operation.operation,
        generation: operation.generation,
        started: operation.started,
        client_token: operation.client_token.clone(),
        request_token: operation.request_token.clone(),
        identifier: operation.identifier.as_deref().map(|text| mask.text(text)),
    }
}

/// Where secrets are, may be soon, or may still be.
fn hidden(resource: &Resource) -> BTreeSet<&str> {
    let memories = [
        resource.remembered.as_ref(),
        resource.attempted.as_ref(),
        resource.work.intended.as_ref(),
        resource
            .operation
            .as_ref()
            .and_then(|operation| operation.remembered.as_ref()),
    ];
    let pointers = memories
        .into_iter()
        .flatten()
        .flat_map(|memory| memory.hidden.keys());
    pointers.map(String::as_str).collect()
}

fn wait(deployment: &Deployment, model: Option<&Model>, lane: &str, resource: &Resource) -> Option<Wait> {
    if let Some(operation) = &resource.operation {
        return Some(match operation.request_token {
            Some(_) => Wait::Operation,
            None => Wait::Answer,
        });
    }
    let work = &resource.work;
    if deployment.phase != Phase::Running || work.stage.is_over() {
        return None;
    }
    if let Some(time) = work.not_before {
        return Some(Wait::Until(time));
    }
    if work.stage != Stage::Pending {
        return Some(Wait::Read);
    }
    let is_open = |name: &str| {
        deployment
            .lane(name)
            .is_some_and(|other| !other.work.stage.is_over())
    };
    let others: Vec<String> = match work.action {
        Action::Delete | Action::Retain => {
            let name = name_of(lane);
            let dependents = deployment.lanes().filter(|(other, known)| {
                *other != lane && known.depends_on.iter().any(|needed| needed == name)
            });
            dependents
                .filter(|(other, _)| is_open(other))
                .map(|(other, _)| other.to_owned())
                .collect()
        }
        _ => {
            let node = model.and_then(|model| model.nodes.get(lane));
            let needed = node.map_or(&resource.depends_on, |node| &node.depends_on);
            needed.iter().filter(|name| is_open(name)).cloned().collect()
        }
    };
    Some(match others.is_empty() {
        true => Wait::Turn,
        false => Wait::Resources(others),
    })
}
