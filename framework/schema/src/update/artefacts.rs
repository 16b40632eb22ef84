//! What a read shows and a write refuses.
//!
//! Cloud Control applies a patch to the model it reads and validates, and sends, the whole of it. So a value
//! that only the service's own read put there can make every update fail. When a patch is sent at all, it takes
//! such values out: empty ones that the schema refuses, for any type, and those of a few services by name.

use super::changes::{Draft, remove};
use super::diff::FIXED;
use super::same::IGNORED;
use crate::ResourceSchema;
use crate::check::{Fault, check};
use crate::pointer::{join, split};
use crate::view::View;
use serde_json::Value;
use std::collections::BTreeSet;

/// Taking one value out may lay another one bare: the list that held it, then what held the list.
const ROUNDS_LIMIT: usize = 4;

/// A habit of one service's read.
enum Habit {
    /// Of two members that say the same, both are shown where one may be written, or both have to agree. `keep`
    /// is kept, unless `drop` is what the author writes there.
    Twins { keep: &'static str, drop: &'static str },
    /// At `at`, the service shows `drop` beside `beside`, which rules them out.
    Derived {
        at: &'static [&'static str],
        beside: &'static str,
        drop: &'static [&'static str],
    },
    /// At `at`, the service shows members that it no longer takes.
    Legacy {
        at: &'static [&'static str],
        drop: &'static [&'static str],
    },
    /// The object at `at` is shown with this flag where nobody wrote it, and refused.
    Implied {
        at: &'static [&'static str],
        flag: &'static str,
    },
}

const SEARCH_STRINGS: Habit = Habit::Twins {
    keep: "SearchString",
    drop: "SearchStringBase64",
};

/// A target group by itself, and the same one as a list of one.
const TARGET_GROUPS: Habit = Habit::Twins {
    keep: "TargetGroupArn",
    drop: "ForwardConfig",
};

/// The services that are known for it, by type.
const HABITS: &[(&str, Habit)] = &[
    ("AWS::WAFv2::WebACL", SEARCH_STRINGS),
    ("AWS::WAFv2::RuleGroup", SEARCH_STRINGS),
    ("AWS::ElasticLoadBalancingV2::Listener", TARGET_GROUPS),
    ("AWS::ElasticLoadBalancingV2::ListenerRule", TARGET_GROUPS),
    (
        "AWS::CloudFront::Distribution",
        Habit::Implied {
            at: &["DistributionConfig", "ViewerCertificate"],
            flag: "CloudFrontDefaultCertificate",
        },
    ),
    (
        "AWS::CloudFront::Distribution",
        Habit::Derived {
            at: &["DistributionConfig", "ViewerCertificate"],
            beside: "CloudFrontDefaultCertificate",
            drop: &[
                "AcmCertificateArn",
                "IamCertificateId",
                "MinimumProtocolVersion",
                "SslSupportMethod",
            ],
        },
    ),
    (
        "AWS::Glue::Job",
        Habit::Derived {
            at: &[],
            beside: "WorkerType",
            drop: &["MaxCapacity", "AllocatedCapacity"],
        },
    ),
    (
        "AWS::OpenSearchService::Domain",
        Habit::Legacy {
            at: &["AdvancedOptions"],
            drop: &["override_main_response_version"],
        },
    ),
];

/// Takes what would be refused out of the model that the patch makes, as far as the author did not write it.
pub(super) fn prune(schema: &ResourceSchema, desired: &Value, draft: &mut Draft) {
    for (_, habit) in HABITS.iter().filter(|(name, _)| *name == schema.type_name()) {
        for path in shown_by(habit, desired, &draft.model) {
            draft.push_all(remove(&path));
        }
    }
    for _ in 0..ROUNDS_LIMIT {
        // To validate costs more than all the rest, and what has no such value needs it not.
        if !holds_foreign_empty(&draft.model, desired, &mut Vec::new()) {
            return;
        }
        let misfits = check(schema, &draft.model, &BTreeSet::new());
        let refused: BTreeSet<Vec<String>> = misfits
            .into_iter()
            .filter(|misfit| !matches!(misfit.fault, Fault::Extraneous { .. }))
            .filter_map(|misfit| removable(schema, desired, &draft.model, split(&misfit.pointer)))
            .collect();
        if refused.is_empty() {
            return;
        }
        // From the end, so that what lies inside of another goes first.
        for path in refused.into_iter().rev() {
            draft.push_all(remove(&path));
        }
    }
}

fn shown_by(habit: &Habit, desired: &Value, model: &Value) -> Vec<Vec<String>> {
    let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let members = |at: &[&str], drop: &[&str]| -> Vec<Vec<String>> {
        let paths = drop.iter().map(|name| {
            let mut path = owned(at);
            path.push((*name).to_owned());
            path
        });
        paths
            .filter(|path| model.pointer(&join(path)).is_some() && !mentions(desired, path))
            .collect()
    };
    let object = |at: &[&str]| model.pointer(&join(at)).and_then(Value::as_object);
    match habit {
        Habit::Legacy { at, drop } => members(at, drop),
        Habit::Derived { at, beside, drop } => {
            let rules = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
            if object(at)
                .and_then(|object| object.get(*beside))
                .is_some_and(rules)
            {
                members(at, drop)
            } else {
                Vec::new()
            }
        }
        Habit::Implied { at, flag } => {
            let implied = object(at).is_some_and(|object| object.get(*flag) == Some(&Value::Bool(true)));
            let path = owned(at);
            if implied && !mentions(desired, &path) {
                vec![path]
            } else {
                Vec::new()
            }
        }
        Habit::Twins { keep, drop } => {
            let mut places = Vec::new();
            twins(model, keep, drop, &mut Vec::new(), &mut places);
            let path = |mut at: Vec<String>, name: &str| {
                at.push(name.to_owned());
                at
            };
            places
                .into_iter()
                .filter_map(|at| {
                    let (keep, drop) = (path(at.clone(), keep), path(at, drop));
                    match (mentions(desired, &keep), mentions(desired, &drop)) {
                        (true, true) => None,
                        (false, true) => Some(keep),
                        _ => Some(drop),
                    }
                })
                .collect()
        }
    }
}

/// Finds the objects that have both members.
fn twins(value: &Value, keep: &str, drop: &str, at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let mut inside = |segment: String, value: &Value| {
        at.push(segment);
        twins(value, keep, drop, at, places);
        at.pop();
    };
    match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(key, member)| inside(key.clone(), member));
            if members.contains_key(keep) && members.contains_key(drop) {
                places.push(at.clone());
            }
        }
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .for_each(|(index, element)| inside(index.to_string(), element)),
        _ => {}
    }
}

/// What to remove so that a refused value is gone: the value or what holds it, if that is empty, optional, and
/// not the author's.
fn removable(
    schema: &ResourceSchema,
    desired: &Value,
    model: &Value,
    mut path: Vec<String>,
) -> Option<Vec<String>> {
    loop {
        let value = model.pointer(&join(&path))?;
        if path.is_empty() || !is_empty(value) || mentions(desired, &path) {
            return None;
        }
        let (last, outer) = path.split_last()?;
        let holder = model.pointer(&join(outer))?;
        let ruled = path
            .iter()
            .fold(schema.rules().root(), |rule, segment| rule.member(segment));
        if ruled.is(FIXED.or(IGNORED)) {
            return None;
        }
        if holder.is_object() && !is_required(&schema.view().at(outer), last) {
            return Some(path);
        }
        path.pop();
    }
}

fn is_required(view: &View<'_>, name: &str) -> bool {
    let required = view.keyword("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|one| one == name))
}

/// True if the desired document has something there; in an array, in any of its elements.
fn mentions(desired: &Value, path: &[String]) -> bool {
    let Some((segment, rest)) = path.split_first() else {
        return true;
    };
    match desired {
        Value::Object(members) => members.get(segment).is_some_and(|member| mentions(member, rest)),
        Value::Array(elements) => {
            // Most often it is the element at the same place.
            let same = segment.parse().ok().and_then(|index: usize| elements.get(index));
            same.is_some_and(|element| mentions(element, rest))
                || elements.iter().any(|element| mentions(element, rest))
        }
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.iter().all(is_empty),
        Value::Object(members) => members.values().all(is_empty),
        _ => false,
    }
}

/// True if there is an empty value that the author did not write.
fn holds_foreign_empty(value: &Value, desired: &Value, at: &mut Vec<String>) -> bool {
    let mut inside = |segment: String, value: &Value| {
        at.push(segment);
        let found = holds_foreign_empty(value, desired, at);
        at.pop();
        found
    };
    match value {
        Value::Array(elements) if !elements.is_empty() => elements
            .iter()
            .enumerate()
            .any(|(index, element)| inside(index.to_string(), element)),
        Value::Object(members) if !members.is_empty() => {
            members.iter().any(|(key, member)| inside(key.clone(), member))
        }
        other => is_empty(other) && !mentions(desired, at),
    }
}
