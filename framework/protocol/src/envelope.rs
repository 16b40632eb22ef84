//! What must be readable so that a request can be answered at all.

use crate::key::{RequestKey, digest_hex};
use jiff::Timestamp;
use serde_json::Value;

/// The longest folder segment that is kept as it is; longer ones end in a hash instead.
const SEGMENT_LIMIT: usize = 200;

/// The presigned URL that takes the response. Its `Debug` masks it; it has no `Display` and is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseUrl(String);

impl std::fmt::Debug for ResponseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ResponseUrl(***)")
    }
}

impl ResponseUrl {
    /// Takes the text as it is; the sender judges host and scheme.
    pub fn new(text: impl Into<String>) -> Self {
        ResponseUrl(text.into())
    }

    /// When the URL was signed, which is when the request was made: to the second, from `X-Amz-Date`. `None` for
    /// a URL that does not say so.
    ///
    /// ```
    /// use formwork_protocol::ResponseUrl;
    ///
    /// let url = ResponseUrl::new("https://bucket.s3.amazonaws.com/key?X-Amz-Date=20260102T030405Z&X-Amz-Expires=7200");
    /// assert_eq!(url.signed_at().unwrap().to_string(), "2026-01-02T03:04:05Z");
    /// assert_eq!(ResponseUrl::new("http://127.0.0.1/answer").signed_at(), None);
    /// ```
    pub fn signed_at(&self) -> Option<Timestamp> {
        let (_, query) = self.0.split_once('?')?;
        let date = query
            .split('&')
            .find_map(|part| part.strip_prefix("X-Amz-Date="))?;
        date.parse().ok()
    }

    /// The text in clear: only for the PUT and the encrypted store.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The part of an event that is read first and leniently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Where the answer goes.
    pub response_url: ResponseUrl,
    /// ARN of the stack.
    pub stack_id: String,
    /// Id of the request; can be reused when a deployment is retried.
    pub request_id: String,
    /// Logical id of the custom resource.
    pub logical_resource_id: String,
    /// `Create`, `Update`, `Delete`, or whatever stood there.
    pub request_type: Option<String>,
    /// `Custom::...`
    pub resource_type: Option<String>,
    /// Present on Update and Delete.
    pub physical_resource_id: Option<String>,
}

/// An event that cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event cannot be answered: {field} is {problem}")]
pub struct EnvelopeError {
    /// The field.
    pub field: &'static str,
    /// `missing`, `empty` or `not a string`.
    pub problem: &'static str,
}

impl Envelope {
    /// Reads the envelope of an event. Nothing but the four fields an answer needs can make it fail.
    ///
    /// # Errors
    /// When ResponseURL, StackId, RequestId or LogicalResourceId is missing, empty or not a string.
    pub fn read(event: &Value) -> Result<Self, EnvelopeError> {
        Ok(Envelope {
            response_url: ResponseUrl(needed(event, "ResponseURL")?),
            stack_id: needed(event, "StackId")?,
            request_id: needed(event, "RequestId")?,
            logical_resource_id: needed(event, "LogicalResourceId")?,
            request_type: optional(event, "RequestType"),
            resource_type: optional(event, "ResourceType"),
            physical_resource_id: optional(event, "PhysicalResourceId"),
        })
    }

    /// Identifies the request among all others, a retried deployment's reuse of the RequestId included.
    pub fn request_key(&self) -> RequestKey {
        RequestKey::of(self)
    }

    /// The stack's name, or what comes closest to it when StackId is not a stack's ARN.
    pub fn stack_name(&self) -> &str {
        let mut segments = self.stack_id.split('/');
        match (segments.next(), segments.next()) {
            (Some(_), Some(name)) if !name.is_empty() => name,
            _ => &self.stack_id,
        }
    }

    /// `<stack uuid>/<logical id>`, each part safe in an object key and in a file name.
    ///
    /// What is outside `A-Z a-z 0-9 . _ -` is percent-encoded, so that two resources never share a folder.
    /// No part is ever empty, `.` or `..`; a very long one is cut and ends in its hash.
    pub fn instance_folder(&self) -> String {
        let stack = self
            .stack_id
            .rsplit('/')
            .next()
            .filter(|uuid| !uuid.is_empty())
            .unwrap_or(&self.stack_id);
        format!("{}/{}", segment(stack), segment(&self.logical_resource_id))
    }
}

fn needed(event: &Value, field: &'static str) -> Result<String, EnvelopeError> {
    match event.get(field) {
        None | Some(Value::Null) => Err(EnvelopeError {
            field,
            problem: "missing",
        }),
        Some(Value::String(text)) if text.is_empty() => Err(EnvelopeError {
            field,
            problem: "empty",
        }),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(EnvelopeError {
            field,
            problem: "not a string",
        }),
    }
}

fn optional(event: &Value, field: &str) -> Option<String> {
    match event.get(field)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        // CDK's framework passes a numeric id through unquoted; what it made must stay deletable.
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => encoded.push(char::from(byte)),
            b'.' if text != "." && text != ".." => encoded.push('.'),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    if encoded.is_empty() {
        // Encoding yields no lone percent sign, so nothing else has this name.
        encoded.push('%');
    } else if encoded.len() > SEGMENT_LIMIT {
        let hash = digest_hex([text.as_bytes()]);
        encoded.truncate(SEGMENT_LIMIT - hash.len() - 1);
        encoded = format!("{encoded}-{hash}");
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const STACK: &str = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/5b918d10-cd98";

    fn event() -> Value {
        json!({
            "RequestType": "Create", "ResponseURL": "https://x/y?secret", "StackId": STACK,
            "RequestId": "r1", "LogicalResourceId": "Orders",
        })
    }

    #[test]
    fn envelope_is_read_when_nothing_else_is_right() {
        let mut event = event();
        event["RequestType"] = json!(17);
        event["ResourceProperties"] = json!([1]);
        event["PhysicalResourceId"] = json!(42);
        let envelope = Envelope::read(&event).unwrap();
        assert_eq!(envelope.stack_id, STACK);
        assert_eq!(envelope.request_type.as_deref(), Some("17"));
        assert_eq!(envelope.physical_resource_id.as_deref(), Some("42"));
        assert_eq!(envelope.resource_type, None);
    }

    #[test]
    fn each_field_an_answer_needs_is_named_when_it_cannot_be_read() {
        for field in ["ResponseURL", "StackId", "RequestId", "LogicalResourceId"] {
            for (value, problem) in [
                (json!(null), "missing"),
                (json!(""), "empty"),
                (json!(["secret"]), "not a string"),
            ] {
                let mut event = event();
                event[field] = value;
                let error = Envelope::read(&event).unwrap_err();
                assert_eq!((error.field, error.problem), (field, problem));
                assert_eq!(
                    error.to_string(),
                    format!("the event cannot be answered: {field} is {problem}")
                );
            }
        }
        assert_eq!(Envelope::read(&json!("text")).unwrap_err().problem, "missing");
    }

    #[test]
    fn stack_name_and_folder_come_from_the_arn() {
        let envelope = Envelope::read(&event()).unwrap();
        assert_eq!(envelope.stack_name(), "shop");
        assert_eq!(envelope.instance_folder(), "5b918d10-cd98/Orders");
    }

    #[test]
    fn folder_parts_are_safe_and_distinct() {
        for (stack, logical, folder) in [
            ("no-arn", "A b", "no-arn/A%20b"),
            ("a/b/", "..", "a%2Fb%2F/%2E%2E"),
            ("a/b/..", ".", "%2E%2E/%2E"),
            ("a/b/..x", "x/../y", "..x/x%2F..%2Fy"),
            ("a/b/%2E", "é", "%252E/%C3%A9"),
        ] {
            let mut event = event();
            event["StackId"] = json!(stack);
            event["LogicalResourceId"] = json!(logical);
            assert_eq!(Envelope::read(&event).unwrap().instance_folder(), folder);
        }
        let long = segment(&"x".repeat(5000));
        assert!(long.len() <= SEGMENT_LIMIT);
        assert_ne!(long, segment(&"x".repeat(5001)));
        assert_eq!(segment(""), "%");
    }

    #[test]
    fn response_url_is_masked_in_debug() {
        let envelope = Envelope::read(&event()).unwrap();
        assert!(!format!("{envelope:?}").contains("secret"));
    }
}
