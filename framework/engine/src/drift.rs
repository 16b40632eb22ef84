//! What is live compared with what was deployed, with no blueprint at hand.
//!
//! # Flow
//! ```text
//! what was applied  -- hidden values that live has, by their hashes -->  desired
//! decide(schema, applied, live, desired)  -->  in sync | what an update would set back
//! ```
//! The update strategy itself says what differs, so that whatever it takes for the same (order of sets and tags, values
//! that a service fills in or shows in its own way) is no drift.
//!
//! # Caveats
//! - Only what was applied is compared: what a blueprint never said is the service's.
//! - Write-only values are never shown, so nobody can tell whether they have changed.
//! - A secret is known by its hash alone. One that a service shows in another form counts as changed.

mod report;

pub use report::{Difference, DriftReport, DriftStatus, ResourceDrift};

use crate::classify::is_missing;
use crate::deployment::{Deployment, Resource};
use crate::desired::Desired;
use crate::mask::{Mask, put_at};
use crate::outcome::why;
use crate::plan::{Comparison, PropertyChange, Reads, Shown, is_within};
use crate::ports::CloudError;
use formwork_blueprint::Value as Text;
use formwork_schema::{Decision, Reason, Remembered, ResourceSchema, decide, matches, strip};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Resource types by name; `None` for one that does not exist any more.
pub(crate) type Schemas = HashMap<String, Option<Arc<ResourceSchema>>>;

/// Compares every resource of a deployment with what was read of it.
pub(crate) fn compare(deployment: &Deployment, schemas: &Schemas, reads: &Reads) -> DriftReport {
    let resources = deployment.resources.iter().filter_map(|(name, known)| {
        let identifier = known.identifier.as_deref()?;
        let (status, properties, problem) = match look(known, schemas, reads.get(name)) {
            Ok((status, properties)) => (status, properties, None),
            Err(problem) => (DriftStatus::Unknown, Vec::new(), Some(problem)),
        };
        Some(ResourceDrift {
            name: name.clone(),
            type_name: known.type_name.clone(),
            identifier: identifier.to_owned(),
            status,
            properties,
            in_flight: known.operation.is_some(),
            problem,
        })
    });
    DriftReport {
        instance: deployment.instance.clone(),
        resources: resources.collect(),
    }
}

type Seen = (DriftStatus, Vec<Difference>);

fn look(
    known: &Resource,
    schemas: &Schemas,
    read: Option<&Result<Value, CloudError>>,
) -> Result<Seen, String> {
    let schema = schemas.get(&known.type_name).and_then(Option::as_ref);
    let schema = schema.ok_or("there is no such resource type any more")?;
    let live = match read {
        Some(Ok(live)) => live,
        Some(Err(error)) if is_missing(&error.code, &error.message) => {
            return Ok((DriftStatus::Deleted, Vec::new()));
        }
        Some(Err(error)) => return Err(format!("it cannot be read: {error}")),
        None => return Err("its type cannot be read".to_owned()),
    };
    let applied = known.remembered.as_ref();
    let applied = applied.ok_or("its creation had failed half-way, so nothing says how it should be")?;
    let properties = differences(schema, applied, live)?;
    let status = match properties.is_empty() {
        true => DriftStatus::InSync,
        false => DriftStatus::Changed,
    };
    Ok((status, properties))
}

/// What an update to what was applied would set back.
fn differences(
    schema: &ResourceSchema,
    applied: &Remembered,
    live: &Value,
) -> Result<Vec<Difference>, String> {
    let recalled = recall(schema, applied, live);
    let desired = Desired {
        value: recalled.desired,
        remembered: applied.clone(),
        unknown: BTreeSet::new(),
        mask: Mask::of(&recalled.secrets),
    };
    let comparison = Comparison::new(schema, &desired, Some(applied));
    let visible = strip(live, schema.write_only());
    let found = match decide(schema, Some(applied), live, &desired.value) {
        Decision::None => Vec::new(),
        Decision::Update { patch } | Decision::ReplaceIfRefused { patch, .. } => {
            let mut patched = visible.clone();
            json_patch::patch(&mut patched, &patch).map_err(|error| error.to_string())?;
            comparison.updated(live, Some(&patched), &[])
        }
        Decision::Replace { reasons } if names_places(&reasons) => comparison.replaced(live, &reasons),
        Decision::Replace { .. } => comparison.updated(live, Some(&overlaid(&visible, &desired.value)), &[]),
        Decision::Impossible { reasons } => return Err(why(&reasons)),
    };
    let mut differences: Vec<Difference> = found
        .into_iter()
        .map(|change| difference(change, applied))
        .collect();
    for (pointer, live) in recalled.changed {
        let told =
            |known: &Difference| is_within(&known.pointer, &pointer) || is_within(&pointer, &known.pointer);
        if !differences.iter().any(told) {
            differences.push(Difference {
                pointer,
                applied: Some(Shown::Secret),
                live: live.then_some(Shown::Secret),
            });
        }
    }
    Ok(differences)
}

/// What would be set back is what was applied.
fn difference(change: PropertyChange, applied: &Remembered) -> Difference {
    let was_secret = applied.hidden.contains_key(&change.pointer);
    Difference {
        applied: change.after.or_else(|| was_secret.then_some(Shown::Secret)),
        pointer: change.pointer,
        live: change.before,
    }
}

/// What was applied, as far as it can be told.
struct Recalled {
    desired: Value,
    /// The secrets found again in the live properties.
    secrets: Vec<Text>,
    /// Where a secret was applied that live has not, and whether it has another value there.
    changed: Vec<(String, bool)>,
}

/// Finds what was applied and is kept only as a hash among what is live.
fn recall(schema: &ResourceSchema, applied: &Remembered, live: &Value) -> Recalled {
    let mut recalled = Recalled {
        desired: applied.shown.clone(),
        secrets: Vec::new(),
        changed: Vec::new(),
    };
    for pointer in applied.hidden.keys() {
        let is_part = applied
            .hidden
            .keys()
            .any(|other| other != pointer && is_within(pointer, other));
        let is_write_only = schema.write_only().iter().any(|place| matches(place, pointer));
        if is_part || is_write_only {
            continue;
        }
        // Elements of a list may have moved.
        let found = places(live, pointer)
            .into_iter()
            .filter_map(|at| live.pointer(&at))
            .find(|value| applied.is_hidden_value(pointer, value));
        match found {
            Some(value) => {
                put_at(&mut recalled.desired, pointer, value.clone());
                recalled.secrets.push(Text {
                    secret: true,
                    ..Text::from_json(value)
                });
            }
            None => recalled
                .changed
                .push((pointer.clone(), live.pointer(pointer).is_some())),
        }
    }
    recalled
}

/// Every place of a document that differs from a pointer in nothing but indices, that of the pointer itself first.
fn places(document: &Value, pointer: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for segment in pointer.split('/').skip(1) {
        let is_index = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        let step = |at: &String| -> Vec<String> {
            match document.pointer(at) {
                Some(Value::Array(elements)) if is_index => {
                    (0..elements.len()).map(|index| format!("{at}/{index}")).collect()
                }
                _ => vec![format!("{at}/{segment}")],
            }
        };
        found = found.iter().flat_map(step).collect();
    }
    found.sort_by_key(|at| at != pointer);
    found
}

/// True if the reasons are about properties, and not about the resource as a whole.
fn names_places(reasons: &[Reason]) -> bool {
    reasons.iter().any(|reason| !reason.pointer.is_empty())
}

/// A document with the members of another one over its own.
fn overlaid<'v>(below: &'v Value, above: &'v Value) -> Value {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            let mut members = below.clone();
            for (name, value) in above {
                let value = match below.get(name) {
                    Some(known) => overlaid(known, value),
                    None => value.clone(),
                };
                members.insert(name.clone(), value);
            }
            Value::Object(members)
        }
        (_, above) => above.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_schema::{load, remember};
    use serde_json::json;

    fn drifted(live: Value) -> Vec<Difference> {
        let schema = load("AWS::SNS::Topic").unwrap().unwrap();
        let desired = json!({
            "TopicName": "t",
            "Tags": [{"Key": "token", "Value": "s3cret"}, {"Key": "stage", "Value": "prod"}],
        });
        let secret = BTreeSet::from(["/Tags/0/Value".to_owned()]);
        let applied = remember(&schema, &desired, &secret, "5a17");
        differences(&schema, &applied, &live).unwrap()
    }

    #[test]
    fn a_secret_is_found_again_where_a_service_has_moved_it() {
        let found = drifted(json!({
            "TopicName": "t",
            "TopicArn": "arn:aws:sns:eu-west-1:123456789012:t",
            "Tags": [
                {"Key": "aws:cloudformation:stack-name", "Value": "shop"},
                {"Key": "stage", "Value": "prod"},
                {"Key": "token", "Value": "s3cret"},
            ],
        }));
        assert_eq!(found, []);
    }

    #[test]
    fn a_changed_secret_in_a_list_is_told_without_its_value() {
        let found = drifted(json!({
            "TopicName": "t",
            "Tags": [{"Key": "stage", "Value": "prod"}, {"Key": "token", "Value": "0ther"}],
        }));
        assert!(!found.is_empty());
        let text = format!("{found:?}");
        assert!(!text.contains("0ther") && !text.contains("s3cret"), "{text}");
    }

    #[test]
    fn another_value_beside_a_secret_is_told_with_its_place() {
        let found = drifted(json!({
            "TopicName": "t",
            "Tags": [{"Key": "token", "Value": "s3cret"}, {"Key": "stage", "Value": "test"}],
        }));
        let text = format!("{found:?}");
        assert!(!found.is_empty() && !text.contains("s3cret"), "{text}");
        assert!(
            found.iter().all(|one| one.pointer.starts_with("/Tags/")),
            "{text}"
        );
    }
}
