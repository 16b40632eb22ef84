//! What of an event may reach a log.

use serde_json::{Map, Value};

const MASK: &str = "*****";

/// Fields of an event that hold ids only.
const CLEAR: [&str; 8] = [
    "RequestType",
    "RequestId",
    "StackId",
    "LogicalResourceId",
    "PhysicalResourceId",
    "ResourceType",
    "ServiceToken",
    "ServiceTimeout",
];

/// Copies an event for a log line.
///
/// ResponseURL becomes `...`. Ids stay. Of everything else, the properties first, the keys stay and every value
/// becomes `*****`: a secret is not told from another value by its name.
///
/// ```
/// let event = serde_json::json!({
///     "RequestType": "Create",
///     "ResponseURL": "https://...signature",
///     "ResourceProperties": { "Password": "hunter2", "Tags": [{ "Key": "a" }] },
/// });
/// assert_eq!(formwork_protocol::redact(&event), serde_json::json!({
///     "RequestType": "Create",
///     "ResponseURL": "...",
///     "ResourceProperties": { "Password": "*****", "Tags": [{ "Key": "*****" }] },
/// }));
/// ```
pub fn redact(event: &Value) -> Value {
    let Value::Object(fields) = event else {
        return mask(event);
    };
    let redacted = fields.iter().map(|(name, value)| {
        let value = if name == "ResponseURL" {
            Value::from("...")
        } else if CLEAR.contains(&name.as_str()) && !value.is_object() && !value.is_array() {
            value.clone()
        } else {
            mask(value)
        };
        (name.clone(), value)
    });
    Value::Object(redacted.collect::<Map<_, _>>())
}

fn mask(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), mask(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(mask).collect()),
        _ => Value::from(MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_value_of_an_unknown_field_survives() {
        let event = json!({
            "RequestId": "r", "Extra": { "ResponseURL": "secret" }, "OldResourceProperties": { "A": [1, true, null] },
            "PhysicalResourceId": { "odd": "secret" },
        });
        let redacted = redact(&event);
        assert!(!redacted.to_string().contains("secret"));
        assert_eq!(
            redacted["OldResourceProperties"],
            json!({ "A": ["*****", "*****", "*****"] })
        );
        assert_eq!(redacted["RequestId"], "r");
        assert_eq!(redact(&json!("secret")), json!("*****"));
    }
}
