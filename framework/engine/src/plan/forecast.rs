//! Working out the plan: a pure function of what is wanted, what is remembered and what was read.

use super::outlook::Outlook;
use super::properties::Comparison;
use super::reads::Reads;
use super::{Change, Note, Plan};
use crate::bonds::Bonds;
use crate::classify::is_missing;
use crate::deployment::{Deployment, Resource, name_of};
use crate::desired::{Desired, desired};
use crate::model::{Model, Node, weights};
use crate::outcome::{Action, why};
use crate::replacement::sequence;
use crate::scope::Scope;
use formwork_schema::{Decision, Reason, ResourceSchema, decide, matches, strip};
use indexmap::IndexMap;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

/// What a deploy of the model would do to a deployment.
pub(crate) fn forecast(model: &Model, deployment: Option<&Deployment>, reads: &Reads) -> Plan {
    let outlooks: HashMap<&str, OnceCell<Outlook<'_>>> = model
        .nodes
        .keys()
        .map(|name| (name.as_str(), OnceCell::new()))
        .collect();
    let look = |name: &str| outlooks.get(name)?.get().map(Outlook::known);
    let scope = Scope::new(model, Box::new(look));
    let salt = deployment.map_or("", |deployment| deployment.salt.as_str());

    let mut planned: IndexMap<&str, (usize, Change)> = IndexMap::with_capacity(model.nodes.len());
    for (name, node) in dependencies_first(model) {
        let known = deployment
            .and_then(|deployment| deployment.resources.get(name))
            .filter(|known| known.type_name == node.schema.type_name());
        let one = One {
            name,
            node,
            model,
            deployment,
            schema: &node.schema,
            known,
            read: reads.get(name),
        };
        let (mut change, outlook) = one.forecast(desired(model, name, &scope, salt));
        if let (Some(outlook), Some(place)) = (outlook, outlooks.get(name)) {
            // The place is empty: every name comes once.
            let _ = place.set(outlook);
        }
        let mut step = 0;
        for dependency in &node.depends_on {
            if let Some((earlier, before)) = planned.get(dependency.as_str()) {
                step = step.max(earlier + usize::from(before.is_work()));
                if change.is_work() && before.is_work() {
                    change.after.push(dependency.clone());
                }
            }
        }
        planned.insert(name, (step, change));
    }

    let mut ordered: Vec<(usize, Change)> = model
        .nodes
        .keys()
        .filter_map(|name| planned.swap_remove(name.as_str()))
        .collect();
    ordered.sort_by_key(|(step, _)| *step);
    let mut changes: Vec<Change> = ordered.into_iter().map(|(_, change)| change).collect();
    changes.extend(
        deployment
            .map(|deployment| deletions(Some(model), deployment, Action::Delete))
            .unwrap_or_default(),
    );
    Plan { changes }
}

/// What a destroy would do to a deployment.
pub(crate) fn forecast_destroy(deployment: &Deployment, retain: bool) -> Plan {
    let action = if retain { Action::Retain } else { Action::Delete };
    Plan {
        changes: deletions(None, deployment, action),
    }
}

/// Resources after those they depend on.
fn dependencies_first(model: &Model) -> Vec<(&str, &Node)> {
    let mut order: Vec<(&str, &Node)> = model
        .nodes
        .iter()
        .map(|(name, node)| (name.as_str(), node))
        .collect();
    order.sort_by_key(|(_, node)| std::cmp::Reverse(node.weight));
    order
}

/// One resource of the blueprint, and what stands of it.
struct One<'a> {
    name: &'a str,
    node: &'a Node,
    model: &'a Model,
    deployment: Option<&'a Deployment>,
    schema: &'a ResourceSchema,
    known: Option<&'a Resource>,
    read: Option<&'a Result<Value, crate::ports::CloudError>>,
}

impl<'a> One<'a> {
    fn forecast(&self, wanted: Result<Desired, Box<crate::Failure>>) -> (Change, Option<Outlook<'a>>) {
        let mut change = Change::new(self.name, self.schema.type_name(), Action::Create);
        let standing = self
            .known
            .and_then(|known| Some((known, known.identifier.as_deref()?)));
        if self.known.is_some_and(|known| known.operation.is_some()) {
            change.notes.push(Note::InFlight);
        }
        let wanted = match wanted {
            Ok(wanted) => wanted,
            Err(failure) => {
                if let Some((_, identifier)) = standing {
                    change.identifier = Some(identifier.to_owned());
                    change.action = Action::Update;
                }
                return (guess(change, failure.to_string()), None);
            }
        };
        let Some((known, identifier)) = standing else {
            return self.create(change, &wanted);
        };
        let remembered = known.remembered.as_ref();
        let live = match self.read {
            Some(Ok(live)) => live,
            Some(Err(error)) if is_missing(&error.code, &error.message) => {
                change.notes.push(Note::Gone);
                return self.create(change, &wanted);
            }
            Some(Err(error)) => {
                change.identifier = Some(identifier.to_owned());
                change.action = Action::Update;
                let problem = wanted.mask.text(&format!("it cannot be read: {error}"));
                return (guess(change, problem), None);
            }
            None => {
                change.notes.push(Note::Unreadable);
                remembered.map_or(&Value::Null, |memory| &memory.shown)
            }
        };
        change.identifier = Some(identifier.to_owned());
        if remembered.is_none() {
            change.notes.push(Note::HalfMade);
        }
        self.judge(change, known, identifier, live, &wanted)
    }

    fn create(&self, mut change: Change, wanted: &Desired) -> (Change, Option<Outlook<'a>>) {
        change.properties = Comparison::new(self.schema, wanted, None).created();
        (change, Some(self.made(wanted)))
    }

    fn judge(
        &self,
        mut change: Change,
        known: &Resource,
        identifier: &str,
        live: &'a Value,
        wanted: &Desired,
    ) -> (Change, Option<Outlook<'a>>) {
        let applied = known.applied(self.schema);
        let applied = applied.as_deref();
        let value = with_live(&wanted.value, live, &wanted.unknown);
        let mut decision = decide(self.schema, applied, live, &value);
        if let Some(deployment) = self.deployment {
            let bonds = Bonds::of(self.name, self.node, deployment, &wanted.value);
            decision = bonds.judge(decision, self.name, self.model, deployment);
        }
        let is_open = !wanted.unknown.is_empty();
        if decision == Decision::None && !is_open {
            change.action = Action::Unchanged;
            let outlook = Outlook::unchanged(identifier, live, hidden(known, wanted));
            return (change, Some(outlook));
        }
        let open = self.open_create_only(wanted);
        let comparison = Comparison::new(self.schema, wanted, applied);
        let (patch, reasons) = match decision {
            Decision::Replace { mut reasons } => {
                reasons.extend(open);
                return self.replace(change, identifier, live, wanted, comparison, reasons);
            }
            _ if !open.is_empty() => {
                change.certain = false;
                return self.replace(change, identifier, live, wanted, comparison, open);
            }
            Decision::Impossible { reasons } => {
                change.action = Action::Update;
                return (guess(change, why(&reasons)), None);
            }
            Decision::None => {
                change.certain = false;
                (None, Vec::new())
            }
            Decision::Update { patch } => (Some(patch), Vec::new()),
            Decision::ReplaceIfRefused { patch, reasons } => (Some(patch), reasons),
        };
        change.action = Action::Update;
        if !reasons.is_empty() {
            change.replaces_if_refused = true;
            change.sequence = Some(sequence(self.schema, Some(identifier), live, &wanted.value));
        }
        let mut patched = strip(live, self.schema.write_only());
        let applies = patch
            .as_ref()
            .is_some_and(|patch| json_patch::patch(&mut patched, patch).is_ok());
        change.properties = comparison.updated(live, applies.then_some(&patched), &reasons);
        change.reasons = reasons;
        let unknown = wanted.unknown.iter().cloned().collect();
        let outlook = Outlook::updated(self.schema, identifier, patched, hidden(known, wanted), unknown);
        (change, Some(outlook))
    }

    fn replace(
        &self,
        mut change: Change,
        identifier: &str,
        live: &Value,
        wanted: &Desired,
        comparison: Comparison<'_>,
        reasons: Vec<Reason>,
    ) -> (Change, Option<Outlook<'a>>) {
        change.action = Action::Replace;
        change.sequence = Some(sequence(self.schema, Some(identifier), live, &wanted.value));
        change.properties = comparison.replaced(live, &reasons);
        change.reasons = reasons;
        (change, Some(self.made(wanted)))
    }

    fn made(&self, wanted: &Desired) -> Outlook<'a> {
        let hidden = wanted.remembered.hidden.keys().cloned().collect();
        let unknown = wanted.unknown.iter().cloned().collect();
        Outlook::made(self.schema, &wanted.value, hidden, unknown)
    }

    /// Create-only values that are not known yet: should they come out differently, the resource is replaced.
    fn open_create_only(&self, wanted: &Desired) -> Vec<Reason> {
        let is_create_only = |at: &str| {
            let mut places = std::iter::successors(Some(at), |at| Some(at.rsplit_once('/')?.0));
            places.any(|at| {
                !at.is_empty()
                    && self
                        .schema
                        .create_only()
                        .iter()
                        .any(|pointer| matches(pointer, at))
            })
        };
        let open = wanted.unknown.iter().filter(|at| is_create_only(at));
        open.map(|at| Reason {
            pointer: at.clone(),
            message: "create-only property, its value is known only after deploy".to_owned(),
        })
        .collect()
    }
}

fn guess(mut change: Change, problem: String) -> Change {
    change.certain = false;
    change.problem = Some(problem);
    change
}

/// Where secrets are, or have been.
fn hidden(known: &Resource, wanted: &Desired) -> Vec<String> {
    let pointers: BTreeSet<&String> = known.hidden().chain(wanted.remembered.hidden.keys()).collect();
    pointers.into_iter().cloned().collect()
}

/// The desired value with the live one in place of what is not known yet, so that it is no difference.
fn with_live<'v>(desired: &'v Value, live: &Value, unknown: &BTreeSet<String>) -> Cow<'v, Value> {
    if unknown.is_empty() {
        return Cow::Borrowed(desired);
    }
    let mut value = desired.clone();
    for pointer in unknown {
        if let (Some(place), Some(live)) = (value.pointer_mut(pointer), live.pointer(pointer)) {
            *place = live.clone();
        }
    }
    Cow::Owned(value)
}

/// What is to go, dependents before what they depend on: all of it without a model.
fn deletions(model: Option<&Model>, deployment: &Deployment, action: Action) -> Vec<Change> {
    let stays = |lane: &str, known: &Resource| {
        let node = model.and_then(|model| model.nodes.get(lane));
        node.is_some_and(|node| node.schema.type_name() == known.type_name)
    };
    let going: IndexMap<String, &Resource> = deployment
        .lanes()
        .filter(|(lane, known)| {
            !stays(lane, known) && (known.identifier.is_some() || known.operation.is_some())
        })
        .map(|(lane, known)| (lane.to_owned(), known))
        .collect();
    let needs: IndexMap<String, Vec<String>> = going
        .iter()
        .map(|(lane, known)| (lane.clone(), known.depends_on.clone()))
        .collect();
    let weights = weights(&needs);
    let mut needed_by: HashMap<&str, Vec<&str>> = HashMap::new();
    for (lane, known) in &going {
        for dependency in &known.depends_on {
            needed_by.entry(dependency).or_default().push(name_of(lane));
        }
    }
    let mut changes: Vec<(u32, Change)> = going
        .iter()
        .map(|(lane, known)| {
            let name = name_of(lane);
            let mut change = Change::new(name, &known.type_name, action);
            change.identifier.clone_from(&known.identifier);
            if deployment.retired.contains_key(lane) {
                change.notes.push(Note::Leftover);
            } else if model.is_some_and(|model| model.nodes.contains_key(name)) {
                change.notes.push(Note::OtherType);
            }
            if known.operation.is_some() {
                change.notes.push(Note::InFlight);
            }
            let dependents = needed_by.get(name).into_iter().flatten();
            let after: BTreeSet<&str> = dependents.filter(|other| **other != name).copied().collect();
            change.after = after.into_iter().map(str::to_owned).collect();
            (weights.get(lane).copied().unwrap_or(1), change)
        })
        .collect();
    changes.sort_by_key(|(weight, _)| *weight);
    changes.into_iter().map(|(_, change)| change).collect()
}
