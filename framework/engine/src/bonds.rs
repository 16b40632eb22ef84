//! What a resource goes on referring to although its author has dropped that.
//!
//! A create-only property stays as the resource was made with it: dropping it changes nothing. Should what it refers to come to
//! refer back, neither of the two could be deleted any more, so then it is replaced.

use crate::deployment::Deployment;
use crate::model::{Model, Node};
use crate::outcome::Action;
use formwork_schema::{Decision, Reason, Remembered, expand, matches};
use indexmap::IndexMap;
use serde_json::Value;

/// The bonds of one resource: identifiers of others by their names.
pub(crate) struct Bonds(IndexMap<String, String>);

impl Bonds {
    /// Those it has, and those that come of what its author drops now.
    pub(crate) fn of(name: &str, node: &Node, deployment: &Deployment, desired: &Value) -> Self {
        let Some(resource) = deployment.resources.get(name) else {
            return Bonds(IndexMap::new());
        };
        let mut bonds = resource.bound.clone();
        let mut dropped = resource
            .depends_on
            .iter()
            .filter(|other| !node.depends_on.contains(other))
            .peekable();
        if dropped.peek().is_some()
            && resource
                .applied(&node.schema)
                .is_some_and(|applied| drops_create_only(node, &applied, desired))
        {
            for other in dropped {
                let there = deployment.resources.get(other);
                // What it refers to has been replaced: that goes, and cannot come to refer to anything.
                let there = there.filter(|there| there.work.action != Action::Replace);
                if let Some(identifier) = there.and_then(|there| there.identifier.clone()) {
                    bonds.insert(other.clone(), identifier);
                }
            }
        }
        Bonds(bonds)
    }

    /// The decision, or a replacement if one of those is to refer to the resource.
    pub(crate) fn judge(
        &self,
        decision: Decision,
        name: &str,
        model: &Model,
        deployment: &Deployment,
    ) -> Decision {
        let decided = !matches!(
            decision,
            Decision::None | Decision::Update { .. } | Decision::ReplaceIfRefused { .. }
        );
        let is_there = |other: &str, identifier: &str| {
            let there = deployment.resources.get(other);
            there.is_some_and(|there| there.identifier.as_deref() == Some(identifier))
        };
        let mut others = self
            .0
            .iter()
            .filter(|(other, identifier)| is_there(other, identifier) && depends_on(model, other, name));
        match others.next() {
            Some((other, _)) if !decided => Decision::Replace {
                reasons: vec![Reason {
                    pointer: String::new(),
                    message: format!(
                        "create-only property still refers to `{other}`, which now refers to this resource"
                    ),
                }],
            },
            _ => decision,
        }
    }

    pub(crate) fn into_names(self) -> IndexMap<String, String> {
        self.0
    }
}

fn drops_create_only(node: &Node, applied: &Remembered, desired: &Value) -> bool {
    node.schema.create_only().iter().any(|pointer| {
        let shown = expand(pointer, &applied.shown);
        let hidden = applied.hidden.keys().filter(|at| matches(pointer, at));
        let mut places = shown.iter().chain(hidden);
        places.any(|at| desired.pointer(at).is_none())
    })
}

fn depends_on(model: &Model, name: &str, on: &str) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        if name == on {
            return true;
        }
        if seen.insert(name)
            && let Some(node) = model.nodes.get(name)
        {
            open.extend(node.depends_on.iter().map(String::as_str));
        }
    }
    false
}
