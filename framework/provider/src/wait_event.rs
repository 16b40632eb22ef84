//! What is_complete is invoked with.

use crate::flow_error::FlowError;
use serde_json::Value;

const LONGEST_CAUSE: usize = 300;

/// The four inputs, as the three things they ask for.
#[derive(Debug, PartialEq)]
pub(crate) enum WaitEvent {
    /// From the waiter: look again.
    Poll { instance: String, request: String },
    /// From the waiter after a failed step, or about a waiter that ended: answer FAILED.
    GivenUp {
        instance: String,
        request: String,
        reason: String,
        /// The name of the waiter's execution, if it has ended.
        ended: Option<String>,
    },
    /// From Lambda about an on_event that failed for good: answer FAILED for its event.
    NotBegun { event: Value, reason: String },
}

pub(crate) fn read(event: Value) -> Result<WaitEvent, FlowError> {
    if event.get("requestPayload").is_some() {
        return on_failure(event);
    }
    if let Some(detail) = event.get("detail") {
        return execution_ended(detail);
    }
    let (instance, request) = reference(&event)?;
    Ok(match event.get("Error") {
        None | Some(Value::Null) => WaitEvent::Poll { instance, request },
        Some(error) => {
            let reason = format!(
                "waiting for the operation failed: {}",
                described(error, "Error", "Cause")
            );
            WaitEvent::GivenUp {
                instance,
                request,
                reason,
                ended: None,
            }
        }
    })
}

/// Lambda's on-failure record of an asynchronous invocation.
fn on_failure(mut record: Value) -> Result<WaitEvent, FlowError> {
    let condition = record
        .pointer("/requestContext/condition")
        .and_then(Value::as_str)
        .unwrap_or("unknown")
        .to_owned();
    let told = record
        .get("responsePayload")
        .map(|payload| described(payload, "errorType", "errorMessage"));
    let reason = match told.filter(|told| told != UNKNOWN) {
        Some(told) => format!("the function failed ({}): {told}", short(&condition)),
        None => format!("the function failed ({})", short(&condition)),
    };
    let event = record
        .get_mut("requestPayload")
        .map(Value::take)
        .unwrap_or_default();
    Ok(WaitEvent::NotBegun { event, reason })
}

/// EventBridge's `Step Functions Execution Status Change`.
fn execution_ended(detail: &Value) -> Result<WaitEvent, FlowError> {
    let status = detail.get("status").and_then(Value::as_str).unwrap_or_default();
    if !["FAILED", "TIMED_OUT", "ABORTED"].contains(&status) {
        return Err(FlowError::Input("an execution that did not end in failure"));
    }
    let input = detail
        .get("input")
        .and_then(Value::as_str)
        .ok_or(FlowError::Input("an execution without its input"))?;
    let input: Value =
        serde_json::from_str(input).map_err(|_| FlowError::Input("an execution whose input is not JSON"))?;
    let (instance, request) = reference(&input)?;
    let cause = detail
        .get("error")
        .and_then(Value::as_str)
        .map(|error| format!(": {}", short(error)));
    let reason = format!("the waiter ended with {status}{}", cause.unwrap_or_default());
    Ok(WaitEvent::GivenUp {
        instance,
        request,
        reason,
        ended: detail.get("name").and_then(Value::as_str).map(str::to_owned),
    })
}

fn reference(input: &Value) -> Result<(String, String), FlowError> {
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    text("Instance")
        .zip(text("Request"))
        .ok_or(FlowError::Input("it names no `Instance` and `Request`"))
}

const UNKNOWN: &str = "unknown error";

/// The name of an error and the beginning of its text.
fn described(error: &Value, name: &str, text: &str) -> String {
    let name = error.get(name).and_then(Value::as_str).map(short);
    let text = error.get(text).and_then(Value::as_str).map(|text| {
        // A failed function's cause is its error as JSON, with a trace nobody needs here.
        let inner: Option<Value> = serde_json::from_str(text).ok();
        let message = inner
            .as_ref()
            .and_then(|inner| inner.get("errorMessage"))
            .and_then(Value::as_str);
        short(message.unwrap_or(text))
    });
    match (name, text) {
        (Some(name), Some(text)) => format!("{name}: {text}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => UNKNOWN.to_owned(),
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST_CAUSE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given_up(reason: &str, ended: Option<&str>) -> WaitEvent {
        WaitEvent::GivenUp {
            instance: "s/L".into(),
            request: "k".into(),
            reason: reason.into(),
            ended: ended.map(str::to_owned),
        }
    }

    #[test]
    fn each_input_is_understood() {
        let input = json!({ "Instance": "s/L", "Request": "k", "Deadline": "2026-01-01T00:00:00Z" });
        let mut polled = input.clone();
        polled["Poll"] = json!({ "IsComplete": false });
        assert_eq!(
            read(polled).unwrap(),
            WaitEvent::Poll {
                instance: "s/L".into(),
                request: "k".into()
            }
        );
        let mut failed = input.clone();
        failed["Error"] =
            json!({ "Error": "Lambda.Unknown", "Cause": "{\"errorMessage\":\"no memory\",\"trace\":[1]}" });
        assert_eq!(
            read(failed).unwrap(),
            given_up(
                "waiting for the operation failed: Lambda.Unknown: no memory",
                None
            )
        );
        for (status, reason) in [
            ("FAILED", "FAILED: E"),
            ("TIMED_OUT", "TIMED_OUT: E"),
            ("ABORTED", "ABORTED: E"),
        ] {
            let event = json!({
                "detail-type": "Step Functions Execution Status Change",
                "detail": { "name": "k-1", "status": status, "input": input.to_string(), "error": "E", "cause": "secret" },
            });
            assert_eq!(
                read(event).unwrap(),
                given_up(&format!("the waiter ended with {reason}"), Some("k-1"))
            );
        }
        let record = json!({
            "requestContext": { "condition": "RetriesExhausted" },
            "requestPayload": { "RequestId": "r" },
            "responsePayload": { "errorType": "Runtime.ExitError", "errorMessage": "x".repeat(1000) },
        });
        let WaitEvent::NotBegun { event, reason } = read(record).unwrap() else {
            panic!("another")
        };
        assert_eq!(event, json!({ "RequestId": "r" }));
        assert_eq!(
            reason,
            format!(
                "the function failed (RetriesExhausted): Runtime.ExitError: {}",
                "x".repeat(300)
            )
        );
    }

    #[test]
    fn anything_else_is_refused_without_its_content() {
        for event in [
            json!("secret"),
            json!({ "Instance": "secret" }),
            json!({ "detail": { "status": "SUCCEEDED", "input": "secret" } }),
            json!({ "detail": { "status": "FAILED" } }),
            json!({ "detail": { "status": "FAILED", "input": "secret" } }),
        ] {
            let error = read(event).unwrap_err().to_string();
            assert!(
                error.starts_with("the input is none that is_complete takes") && !error.contains("secret")
            );
        }
    }
}
