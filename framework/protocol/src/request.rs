//! What CloudFormation asks for.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::time::Duration;

/// How long CloudFormation waits for an answer when the template does not say.
pub const DEFAULT_SERVICE_TIMEOUT: Duration = Duration::from_secs(3600);

/// A request, its properties still untyped.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What to do.
    pub operation: Operation,
    /// `Custom::...` or `AWS::CloudFormation::CustomResource`.
    pub resource_type: String,
    /// The resource's properties without ServiceToken and ServiceTimeout. Its scalars are texts, mostly.
    pub properties: Map<String, Value>,
    /// How long CloudFormation waits for an answer: 1 to 3,600 seconds.
    pub service_timeout: Duration,
}

/// What to do, with what only that operation has.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Make the resource.
    Create,
    /// Change it.
    Update {
        /// The id it has now.
        physical_resource_id: String,
        /// The properties it had, without ServiceToken and ServiceTimeout; empty when they were not sent.
        old_properties: Map<String, Value>,
    },
    /// Remove it.
    Delete {
        /// The id it has.
        physical_resource_id: String,
    },
}

/// The three operations by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RequestType {
    /// Make the resource.
    Create,
    /// Change it.
    Update,
    /// Remove it.
    Delete,
}

impl RequestType {
    /// The name CloudFormation uses.
    pub fn as_str(self) -> &'static str {
        match self {
            RequestType::Create => "Create",
            RequestType::Update => "Update",
            RequestType::Delete => "Delete",
        }
    }

    /// Finds the operation of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        [RequestType::Create, RequestType::Update, RequestType::Delete]
            .into_iter()
            .find(|one| one.as_str() == name)
    }
}

impl fmt::Display for RequestType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Operation {
    /// Its name.
    pub fn request_type(&self) -> RequestType {
        match self {
            Operation::Create => RequestType::Create,
            Operation::Update { .. } => RequestType::Update,
            Operation::Delete { .. } => RequestType::Delete,
        }
    }

    /// The id the resource had before the request.
    pub fn physical_resource_id(&self) -> Option<&str> {
        match self {
            Operation::Create => None,
            Operation::Update {
                physical_resource_id, ..
            }
            | Operation::Delete { physical_resource_id } => Some(physical_resource_id),
        }
    }
}

/// A request that cannot be understood: every field at fault, never its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the request cannot be read: {}", sentences(.problems))]
pub struct RequestError {
    /// At least one.
    pub problems: Vec<Problem>,
}

/// One field at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it: `is missing`.
    pub problem: &'static str,
}

fn sentences(problems: &[Problem]) -> String {
    let sentences: Vec<String> = problems
        .iter()
        .map(|one| format!("{} {}", one.field, one.problem))
        .collect();
    sentences.join("; ")
}

impl Request {
    /// Reads a request.
    ///
    /// It is CloudFormation that sends it, so it is read leniently: missing properties are empty, a nonsensical
    /// ServiceTimeout is the default one, and a Delete is not held up by properties it need not look at.
    ///
    /// # Errors
    /// When RequestType, ResourceType, an Update's or Delete's PhysicalResourceId, or ResourceProperties
    /// cannot be used: all of them at once.
    pub fn parse(event: &Value) -> Result<Self, RequestError> {
        let mut problems = Vec::new();
        let request_type = request_type(event, &mut problems);
        let resource_type = text(event, "ResourceType", &mut problems);
        let physical_resource_id = match request_type {
            Some(RequestType::Update | RequestType::Delete) => {
                text(event, "PhysicalResourceId", &mut problems)
            }
            Some(RequestType::Create) | None => String::new(),
        };
        let properties = match event.get("ResourceProperties") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(properties)) => without_service_fields(properties),
            Some(_) if request_type == Some(RequestType::Delete) => Map::new(),
            Some(_) => {
                problems.push(Problem {
                    field: "ResourceProperties",
                    problem: "is not an object",
                });
                Map::new()
            }
        };
        let Some(request_type) = request_type.filter(|_| problems.is_empty()) else {
            return Err(RequestError { problems });
        };
        let operation = match request_type {
            RequestType::Create => Operation::Create,
            RequestType::Update => Operation::Update {
                physical_resource_id,
                old_properties: event
                    .get("OldResourceProperties")
                    .and_then(Value::as_object)
                    .map(without_service_fields)
                    .unwrap_or_default(),
            },
            RequestType::Delete => Operation::Delete { physical_resource_id },
        };
        Ok(Request {
            operation,
            resource_type,
            properties,
            service_timeout: Self::service_timeout_of(event),
        })
    }

    /// Reads how long CloudFormation waits for an answer, from an event that need not be readable otherwise.
    pub fn service_timeout_of(event: &Value) -> Duration {
        let inside = event
            .get("ResourceProperties")
            .and_then(|properties| properties.get("ServiceTimeout"));
        [event.get("ServiceTimeout"), inside]
            .into_iter()
            .flatten()
            .find_map(seconds)
            .map_or(DEFAULT_SERVICE_TIMEOUT, Duration::from_secs)
    }
}

fn request_type(event: &Value, problems: &mut Vec<Problem>) -> Option<RequestType> {
    let problem = match event.get("RequestType") {
        None | Some(Value::Null) => "is missing",
        Some(Value::String(name)) => match RequestType::of_name(name) {
            Some(request_type) => return Some(request_type),
            None => "is none of `Create`, `Update` and `Delete`",
        },
        Some(_) => "is not a string",
    };
    problems.push(Problem {
        field: "RequestType",
        problem,
    });
    None
}

fn text(event: &Value, field: &'static str, problems: &mut Vec<Problem>) -> String {
    let problem = match event.get(field) {
        None | Some(Value::Null) => "is missing",
        Some(Value::String(text)) if text.is_empty() => "is empty",
        Some(Value::String(text)) => return text.clone(),
        // CDK's framework lets numbers through as ids.
        Some(Value::Number(number)) => return number.to_string(),
        Some(_) => "is not a string",
    };
    problems.push(Problem { field, problem });
    String::new()
}

fn without_service_fields(properties: &Map<String, Value>) -> Map<String, Value> {
    properties
        .iter()
        .filter(|(name, _)| *name != "ServiceToken" && *name != "ServiceTimeout")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn seconds(value: &Value) -> Option<u64> {
    let seconds = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_u64()?,
    };
    (1..=DEFAULT_SERVICE_TIMEOUT.as_secs())
        .contains(&seconds)
        .then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn update_carries_id_and_both_property_sets_without_service_fields() {
        let request = Request::parse(&json!({
            "RequestType": "Update", "ResourceType": "Custom::X", "PhysicalResourceId": "id",
            "ResourceProperties": { "ServiceToken": "t", "ServiceTimeout": "60", "B": "2", "A": "1" },
            "OldResourceProperties": { "ServiceToken": "t", "A": "0" },
        }))
        .unwrap();
        assert_eq!(request.properties.keys().collect::<Vec<_>>(), ["B", "A"]);
        assert_eq!(request.service_timeout, Duration::from_secs(60));
        assert_eq!(request.operation.physical_resource_id(), Some("id"));
        let Operation::Update { old_properties, .. } = request.operation else {
            panic!("not an update")
        };
        assert_eq!(Value::Object(old_properties), json!({ "A": "0" }));
    }

    #[test]
    fn missing_properties_are_empty() {
        let request =
            Request::parse(&json!({ "RequestType": "Update", "ResourceType": "X", "PhysicalResourceId": 7 }));
        let request = request.unwrap();
        assert!(request.properties.is_empty());
        assert_eq!(request.operation.physical_resource_id(), Some("7"));
    }

    #[test]
    fn every_problem_is_named_at_once_and_no_value() {
        for (event, message) in [
            (
                json!({ "RequestType": "Update", "PhysicalResourceId": "", "ResourceProperties": ["secret"] }),
                "ResourceType is missing; PhysicalResourceId is empty; ResourceProperties is not an object",
            ),
            (
                json!({ "RequestType": "secret", "ResourceType": { "secret": 1 }, "ResponseURL": "secret" }),
                "RequestType is none of `Create`, `Update` and `Delete`; ResourceType is not a string",
            ),
            (json!([]), "RequestType is missing; ResourceType is missing"),
            (
                json!({ "RequestType": 1, "ResourceType": "X" }),
                "RequestType is not a string",
            ),
            (
                json!({ "RequestType": "Delete", "ResourceType": "X" }),
                "PhysicalResourceId is missing",
            ),
        ] {
            let error = Request::parse(&event).unwrap_err().to_string();
            assert_eq!(error, format!("the request cannot be read: {message}"));
        }
    }

    #[test]
    fn delete_is_not_held_up_by_its_properties() {
        let event = json!({
            "RequestType": "Delete", "ResourceType": "X", "PhysicalResourceId": "id", "ResourceProperties": "odd",
            "ServiceTimeout": "soon",
        });
        assert_eq!(
            Request::parse(&event).unwrap().service_timeout,
            DEFAULT_SERVICE_TIMEOUT
        );
    }

    #[test]
    fn service_timeout_is_read_from_either_place_and_falls_back() {
        for (event, expected) in [
            (json!({ "ServiceTimeout": "90" }), 90),
            (json!({ "ServiceTimeout": 1 }), 1),
            (
                json!({ "ServiceTimeout": "x", "ResourceProperties": { "ServiceTimeout": " 20 " } }),
                20,
            ),
            (json!({ "ServiceTimeout": 0 }), 3600),
            (json!({ "ServiceTimeout": 3601 }), 3600),
            (json!({ "ServiceTimeout": 1.5 }), 3600),
            (json!({ "ServiceTimeout": -4 }), 3600),
            (json!({ "ServiceTimeout": [1] }), 3600),
            (json!({ "ResourceProperties": [] }), 3600),
        ] {
            assert_eq!(
                Request::service_timeout_of(&event),
                Duration::from_secs(expected),
                "{event}"
            );
        }
    }
}
