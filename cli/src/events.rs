//! CloudFormation events from files.

use crate::files;
use crate::terminal::Failure;
use serde_json::Value;
use std::path::Path;

/// Stands for the sandbox's response URL.
const RESPONSE_URL_PLACEHOLDER: &str = "{{ResponseURL}}";

/// Reads an event.
pub fn read(path: &Path) -> Result<Value, Failure> {
    files::json(
        path,
        "the document that CloudFormation sends to a custom resource provider",
    )
}

/// Puts the sandbox's `url` into the event; the URL that it had of its own, if any.
///
/// No event is answered at its own URL from here: the sandbox's answer is no answer for CloudFormation.
pub fn take_response_url(event: &mut Value, url: &str) -> Result<Option<String>, Failure> {
    let Some(field) = event.get_mut("ResponseURL").filter(|field| field.is_string()) else {
        return Err(Failure::usage_with_hint(
            "the event has no ResponseURL",
            "write \"ResponseURL\": \"{{ResponseURL}}\" to have the response delivered to the sandbox",
        ));
    };
    let own = std::mem::replace(field, Value::from(url));
    Ok(own
        .as_str()
        .filter(|own| *own != RESPONSE_URL_PLACEHOLDER)
        .map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_gets_the_sandbox_s_url_and_gives_its_own() {
        let mut event = json!({"ResponseURL": "{{ResponseURL}}"});
        assert!(matches!(take_response_url(&mut event, "http://s/1"), Ok(None)));
        assert_eq!(event["ResponseURL"], "http://s/1");
        let mut event = json!({"ResponseURL": "http://sink/x"});
        assert!(
            matches!(take_response_url(&mut event, "http://s/1"), Ok(Some(own)) if own == "http://sink/x")
        );
        assert!(take_response_url(&mut json!({}), "http://s/1").is_err());
    }
}
