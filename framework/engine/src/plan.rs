//! What a deploy would do.

use crate::deployment::Deployment;
use crate::desired::desired;
use crate::engine::Adapters;
use crate::model::Model;
use crate::outcome::Action;
use crate::ports::CloudError;
use crate::scope::{Known, Scope};
use formwork_schema::{Decision, Reason};
use indexmap::IndexMap;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a deploy would do, resource by resource: those of the blueprint first, then those to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// Every resource.
    pub changes: Vec<Change>,
}

/// What would be done with one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Name in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// Its identifier if it exists.
    pub identifier: Option<String>,
    /// What would be done.
    pub action: Action,
    /// JSON Pointers of the properties that would be changed. No values: some may be secret.
    pub properties: Vec<String>,
    /// Why it is replaced, or may have to be.
    pub reasons: Vec<Reason>,
    /// JSON Pointers of values that are known only once something else is deployed.
    pub known_after_deploy: Vec<String>,
    /// What kept it from being looked at; then the change is a guess.
    pub unread: Option<String>,
}

impl Plan {
    /// True if a deploy would change nothing.
    pub fn is_empty(&self) -> bool {
        self.changes
            .iter()
            .all(|change| change.action == Action::Unchanged)
    }
}

/// What is known of a resource that stays as it is, or is changed in place.
struct Standing {
    identifier: String,
    live: serde_json::Value,
    hidden: Vec<String>,
}

pub(crate) async fn plan(model: &Model, deployment: Option<&Deployment>, adapters: &Adapters) -> Plan {
    let mut standing: HashMap<String, Standing> = HashMap::new();
    let mut changes: IndexMap<&str, Change> = IndexMap::new();
    let lives = read_all(model, deployment, adapters).await;
    for name in in_order(model) {
        let Some(node) = model.nodes.get(name) else {
            continue;
        };
        let known = deployment
            .and_then(|deployment| deployment.resources.get(name))
            .filter(|known| known.type_name == node.schema.type_name());
        let mut change = Change {
            name: name.to_owned(),
            type_name: node.schema.type_name().to_owned(),
            identifier: known.and_then(|known| known.identifier.clone()),
            action: Action::Create,
            properties: Vec::new(),
            reasons: Vec::new(),
            known_after_deploy: Vec::new(),
            unread: None,
        };
        let look = |name: &str| {
            let standing = standing.get(name)?;
            let hidden = standing.hidden.iter().map(String::as_str).collect();
            Some(Known {
                identifier: Some(&standing.identifier),
                live: Some(Cow::Borrowed(&standing.live)),
                hidden,
            })
        };
        let salt = deployment
            .map(|deployment| deployment.salt.as_str())
            .unwrap_or_default();
        let wanted = {
            let scope = Scope::new(model, Box::new(look));
            desired(model, name, &scope, salt)
        };
        match wanted {
            Err(failure) => change.unread = Some(failure.to_string()),
            Ok(wanted) => {
                change.known_after_deploy = wanted.unknown.iter().cloned().collect();
                if let (Some(known), Some(identifier), Some(live)) =
                    (known, change.identifier.clone(), lives.get(name))
                {
                    match live {
                        Err(error) if crate::classify::is_missing(&error.code, &error.message) => {
                            change.identifier = None
                        }
                        Err(error) => {
                            change.action = Action::Update;
                            change.unread = Some(error.to_string());
                        }
                        Ok(live) => {
                            let applied = known.remembered.as_ref();
                            let mut value = wanted.value;
                            take_live(&mut value, live, &wanted.unknown);
                            judge(
                                &mut change,
                                formwork_schema::decide(&node.schema, applied, live, &value),
                            );
                            if change.action != Action::Replace {
                                let hidden = applied
                                    .map(|memory| memory.hidden.keys().cloned().collect())
                                    .unwrap_or_default();
                                standing.insert(
                                    name.to_owned(),
                                    Standing {
                                        identifier,
                                        live: live.clone(),
                                        hidden,
                                    },
                                );
                            }
                        }
                    }
                }
            }
        }
        changes.insert(name, change);
    }
    let mut sorted: Vec<Change> = model
        .nodes
        .keys()
        .filter_map(|name| changes.shift_remove(name.as_str()))
        .collect();
    sorted.extend(deletions(model, deployment));
    Plan { changes: sorted }
}

fn judge(change: &mut Change, decision: Decision) {
    let pointers = |patch: json_patch::Patch| {
        patch
            .0
            .iter()
            .map(|operation| operation.path().to_string())
            .collect()
    };
    match decision {
        // What is not known yet may turn out to be a change.
        Decision::None if change.known_after_deploy.is_empty() => change.action = Action::Unchanged,
        Decision::None => change.action = Action::Update,
        Decision::Update { patch } => {
            change.action = Action::Update;
            change.properties = pointers(patch);
        }
        Decision::ReplaceIfRefused { patch, reasons } => {
            change.action = Action::Update;
            change.properties = pointers(patch);
            change.reasons = reasons;
        }
        Decision::Replace { reasons } => {
            change.action = Action::Replace;
            change.properties = reasons.iter().map(|reason| reason.pointer.clone()).collect();
            change.reasons = reasons;
        }
    }
}

/// Puts the live value in place of one that is not known yet, so that it is no difference.
fn take_live(
    value: &mut serde_json::Value,
    live: &serde_json::Value,
    unknown: &std::collections::BTreeSet<String>,
) {
    for pointer in unknown {
        if let (Some(place), Some(live)) = (value.pointer_mut(pointer), live.pointer(pointer)) {
            *place = live.clone();
        }
    }
}

type Lives = HashMap<String, Result<serde_json::Value, CloudError>>;

async fn read_all(model: &Model, deployment: Option<&Deployment>, adapters: &Adapters) -> Lives {
    use futures_util::StreamExt;
    let Some(deployment) = deployment else {
        return Lives::new();
    };
    let reads = deployment.resources.iter().filter_map(|(name, known)| {
        let node = model.nodes.get(name)?;
        let identifier = known.identifier.clone()?;
        Some(async move {
            let live = if node.schema.handlers().read {
                adapters
                    .cloud
                    .read(&known.type_name, &identifier, deployment.role_arn.as_deref())
                    .await
            } else {
                Ok(known
                    .remembered
                    .as_ref()
                    .map(|memory| memory.shown.clone())
                    .unwrap_or_default())
            };
            (name.clone(), live)
        })
    });
    let reads: Vec<_> = reads.collect();
    futures_util::stream::iter(reads)
        .buffer_unordered(10)
        .collect()
        .await
}

/// Resources after those they depend on.
fn in_order(model: &Model) -> Vec<&str> {
    let mut order: Vec<(&str, u32)> = model
        .nodes
        .iter()
        .map(|(name, node)| (name.as_str(), node.weight))
        .collect();
    order.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    order.into_iter().map(|(name, _)| name).collect()
}

fn deletions(model: &Model, deployment: Option<&Deployment>) -> Vec<Change> {
    let Some(deployment) = deployment else {
        return Vec::new();
    };
    deployment
        .lanes()
        .filter(|(lane, known)| {
            let stays = model
                .nodes
                .get(*lane)
                .is_some_and(|node| node.schema.type_name() == known.type_name);
            !stays && known.identifier.is_some()
        })
        .map(|(lane, known)| Change {
            name: crate::deployment::name_of(lane).to_owned(),
            type_name: known.type_name.clone(),
            identifier: known.identifier.clone(),
            action: Action::Delete,
            properties: Vec::new(),
            reasons: Vec::new(),
            known_after_deploy: Vec::new(),
            unread: None,
        })
        .collect()
}
