//! The properties of a `Custom::Blueprint`.

use formwork_protocol::properties::decode;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where the blueprint stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// `Blueprint`: an inline object, its scalars stringified by CloudFormation.
    Inline(Value),
    /// `BlueprintBody`: YAML or JSON text.
    Body(String),
    /// `BlueprintLocation`: `s3://bucket/key`.
    Location(String),
}

/// What a Delete does to the blueprint's resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum DeletionPolicy {
    /// Deletes them.
    #[default]
    Delete,
    /// Leaves them and forgets them.
    Retain,
}

/// The properties, read and checked.
#[derive(Clone, PartialEq)]
pub struct Properties {
    /// The blueprint.
    pub document: Document,
    /// Values for its variables.
    pub variables: Map<String, Value>,
    /// Which exports to return; all if `None`.
    pub exports: Option<Vec<String>>,
    /// Role that Cloud Control uses.
    pub role_arn: Option<String>,
    /// Tags for every taggable resource.
    pub tags: BTreeMap<String, String>,
    /// How long the deployment may take.
    pub timeout: Option<Duration>,
    /// How many resources are worked on at once.
    pub max_concurrency: Option<usize>,
    /// What a Delete does.
    pub deletion_policy: DeletionPolicy,
}

impl std::fmt::Debug for Properties {
    /// Shows neither the blueprint nor the variables: both may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Properties")
            .field("deletion_policy", &self.deletion_policy)
            .finish_non_exhaustive()
    }
}

/// Everything wrong with the properties. Texts name paths, never values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct PropertiesError(pub Vec<String>);

const NAMES: [&str; 10] = [
    "Blueprint",
    "BlueprintBody",
    "BlueprintLocation",
    "Variables",
    "Exports",
    "RoleArn",
    "Tags",
    "Timeout",
    "MaxConcurrency",
    "DeletionPolicy",
];

/// CloudFormation waits an hour at most.
const LONGEST_TIMEOUT_SECONDS: u64 = 3600;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Decoded {
    blueprint: Option<Value>,
    blueprint_body: Option<String>,
    blueprint_location: Option<String>,
    #[serde(default)]
    variables: Map<String, Value>,
    exports: Option<Vec<String>>,
    role_arn: Option<String>,
    tags: Option<Value>,
    timeout: Option<u64>,
    max_concurrency: Option<usize>,
    #[serde(default)]
    deletion_policy: DeletionPolicy,
}

impl Properties {
    /// Reads `ResourceProperties` (without ServiceToken and ServiceTimeout).
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn read(given: &Map<String, Value>) -> Result<Self, PropertiesError> {
        let mut problems: Vec<String> = given
            .keys()
            .filter(|name| !NAMES.contains(&name.as_str()))
            .map(|name| unknown_property(name))
            .collect();
        let known: Map<String, Value> = given
            .iter()
            .filter(|(name, _)| NAMES.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let decoded: Decoded = match decode(&known) {
            Ok(decoded) => decoded,
            Err(errors) => {
                problems.push(errors.to_string());
                return Err(PropertiesError(problems));
            }
        };
        let document = match (
            decoded.blueprint,
            decoded.blueprint_body,
            decoded.blueprint_location,
        ) {
            (Some(object @ Value::Object(_)), None, None) => Some(Document::Inline(object)),
            (Some(_), None, None) => {
                problems
                    .push("`Blueprint` is not an object (put YAML or JSON text in `BlueprintBody`)".into());
                None
            }
            (None, Some(text), None) => Some(Document::Body(text)),
            (None, None, Some(location)) => Some(Document::Location(location)),
            (None, None, None) => {
                problems
                    .push("one of `Blueprint`, `BlueprintBody` and `BlueprintLocation` is required".into());
                None
            }
            _ => {
                problems.push(
                    "only one of `Blueprint`, `BlueprintBody` and `BlueprintLocation` may be set".into(),
                );
                None
            }
        };
        let tags = decoded
            .tags
            .map_or_else(BTreeMap::new, |tags| read_tags(&tags, &mut problems));
        if decoded
            .timeout
            .is_some_and(|seconds| !(1..=LONGEST_TIMEOUT_SECONDS).contains(&seconds))
        {
            problems.push(format!(
                "`Timeout` is out of range, expected 1 to {LONGEST_TIMEOUT_SECONDS} seconds"
            ));
        }
        if decoded.max_concurrency == Some(0) {
            problems.push("`MaxConcurrency` is 0, expected at least 1".into());
        }
        match document {
            Some(document) if problems.is_empty() => Ok(Properties {
                document,
                variables: decoded.variables,
                exports: decoded.exports,
                role_arn: decoded.role_arn,
                tags,
                timeout: decoded.timeout.map(Duration::from_secs),
                max_concurrency: decoded.max_concurrency,
                deletion_policy: decoded.deletion_policy,
            }),
            _ => Err(PropertiesError(problems)),
        }
    }

    /// The deletion policy alone, from properties that may be of an older shape: a Delete must find it
    /// even where the rest cannot be read any more.
    pub fn deletion_policy_of(given: &Map<String, Value>) -> DeletionPolicy {
        match given.get("DeletionPolicy").and_then(Value::as_str) {
            Some("Retain") => DeletionPolicy::Retain,
            _ => DeletionPolicy::Delete,
        }
    }
}

/// A map, or CloudFormation's usual list of `Key` and `Value`.
fn read_tags(tags: &Value, problems: &mut Vec<String>) -> BTreeMap<String, String> {
    fn scalar(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }
    let pairs: Option<BTreeMap<String, String>> = match tags {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| Some((key.clone(), scalar(value)?)))
            .collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| Some((scalar(item.get("Key")?)?, scalar(item.get("Value")?)?)))
            .collect(),
        _ => None,
    };
    pairs.unwrap_or_else(|| {
        problems.push("`Tags` is neither a map of strings nor a list of `Key` and `Value`".into());
        BTreeMap::new()
    })
}

fn unknown_property(name: &str) -> String {
    let nearest = NAMES
        .iter()
        .map(|known| {
            (
                strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match nearest {
        Some((_, known)) => format!("unknown property `{name}`, did you mean `{known}`?"),
        None => format!("unknown property `{name}`, expected one of {}", NAMES.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(properties: Value) -> Result<Properties, String> {
        let Value::Object(map) = properties else {
            panic!("not an object")
        };
        Properties::read(&map).map_err(|error| error.to_string())
    }

    #[test]
    fn stringified_numbers_are_read() {
        let read = read(
            json!({"BlueprintBody": "x", "Timeout": "120", "MaxConcurrency": "4", "Tags": {"cost": "1"}}),
        )
        .unwrap();
        assert_eq!(read.timeout, Some(Duration::from_secs(120)));
        assert_eq!(read.max_concurrency, Some(4));
        assert_eq!(read.tags, BTreeMap::from([("cost".to_owned(), "1".to_owned())]));
    }

    #[test]
    fn tags_are_a_map_or_a_list() {
        let read = read(json!({"BlueprintBody": "x", "Tags": [{"Key": "a", "Value": "b"}]})).unwrap();
        assert_eq!(read.tags, BTreeMap::from([("a".to_owned(), "b".to_owned())]));
    }

    #[test]
    fn what_is_wrong_is_said_all_at_once() {
        let error =
            read(json!({"Blueprin": {}, "BluprintBody": "x", "Colour": "red", "Tags": "x"})).unwrap_err();
        for part in [
            "unknown property `Blueprin`, did you mean `Blueprint`?",
            "unknown property `BluprintBody`, did you mean `BlueprintBody`?",
            "unknown property `Colour`, expected one of",
            "one of `Blueprint`, `BlueprintBody` and `BlueprintLocation` is required",
            "`Tags` is neither",
        ] {
            assert!(error.contains(part), "`{part}` is missing in: {error}");
        }
    }

    #[test]
    fn exactly_one_document_is_taken() {
        assert!(
            read(json!({"BlueprintBody": "x", "BlueprintLocation": "s3://b/k"}))
                .unwrap_err()
                .contains("only one of")
        );
        assert!(
            read(json!({"Blueprint": "version: 2023-04-20"}))
                .unwrap_err()
                .contains("not an object")
        );
    }

    #[test]
    fn an_unreadable_number_is_named_without_its_value() {
        let error = read(json!({"BlueprintBody": "x", "Timeout": "soon-secret"})).unwrap_err();
        assert!(
            error.contains("Timeout") && !error.contains("soon-secret"),
            "{error}"
        );
    }

    #[test]
    fn retain_is_found_in_properties_of_another_shape() {
        let Value::Object(old) = json!({"DeletionPolicy": "Retain", "Gone": {}}) else {
            panic!()
        };
        assert_eq!(Properties::deletion_policy_of(&old), DeletionPolicy::Retain);
    }
}
