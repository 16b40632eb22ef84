//! Primary and secondary identifiers, as strings and as JSON.

use super::model::{scalar, select};
use formwork_schema::ResourceSchema;
use serde_json::{Map, Value};

/// The identifier of a model: the values joined by `|`, if all are there.
pub(crate) fn of(schema: &ResourceSchema, model: &Value) -> Option<String> {
    let parts: Option<Vec<String>> = schema
        .primary_identifier()
        .iter()
        .map(|pointer| select(model, pointer).first().and_then(|value| scalar(value)))
        .collect();
    parts
        .filter(|parts| !parts.is_empty())
        .map(|parts| parts.join("|"))
}

/// An identifier as given in a call.
#[derive(Debug, PartialEq)]
pub(crate) enum Given {
    /// In the form resources are kept by.
    Primary(String),
    /// Properties that identify a resource otherwise (one of the schema's additional identifiers).
    Secondary(Map<String, Value>),
}

/// Reads an identifier: plain, joined by `|`, or a JSON object with its keys in any order.
pub(crate) fn read(schema: &ResourceSchema, text: &str) -> Given {
    let Some(members) = text
        .trim_start()
        .starts_with('{')
        .then(|| serde_json::from_str::<Map<String, Value>>(text).ok())
        .flatten()
    else {
        return Given::Primary(text.into());
    };
    let members: Map<String, Value> = members
        .into_iter()
        .map(|(key, value)| (key.trim_start_matches("/properties/").to_owned(), value))
        .collect();
    let parts: Option<Vec<String>> = schema
        .primary_identifier()
        .iter()
        .map(|pointer| members.get(&pointer.segments().join("/")).and_then(scalar))
        .collect();
    match parts {
        Some(parts) if !parts.is_empty() => Given::Primary(parts.join("|")),
        _ => Given::Secondary(members),
    }
}

/// Whether a model has all of these properties.
pub(crate) fn matches(model: &Value, members: &Map<String, Value>) -> bool {
    !members.is_empty()
        && members.iter().all(|(key, value)| {
            model
                .pointer(&format!("/{key}"))
                .is_some_and(|found| scalar(found) == scalar(value))
        })
}
