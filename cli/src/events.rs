//! CloudFormation events from files.

use crate::terminal::Failure;
use serde_json::Value;
use std::path::Path;

/// Stands for the sandbox's response URL.
const RESPONSE_URL_PLACEHOLDER: &str = "{{ResponseURL}}";

/// Reads an event.
pub fn read(path: &Path) -> Result<Value, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("the event `{}` cannot be read: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage_with_hint(
            format!(
                "{}:{}:{}: not JSON: {error}",
                path.display(),
                error.line(),
                error.column()
            ),
            "an event is the JSON document that CloudFormation sends to a custom resource provider",
        )
    })
}

/// Puts `url` where the event has the placeholder; the URL that the event then has, if any.
pub fn set_response_url(event: &mut Value, url: &str) -> Option<String> {
    let field = event.get_mut("ResponseURL")?;
    if field.as_str() == Some(RESPONSE_URL_PLACEHOLDER) {
        *field = Value::from(url);
    }
    field.as_str().map(str::to_owned)
}
