use super::*;
use crate::ResponseUrl;
use proptest::prelude::*;
use serde_json::json;

fn envelope() -> Envelope {
    Envelope {
        response_url: ResponseUrl::new("https://x"),
        stack_id: "arn:stack/s/1".into(),
        request_id: "r-1".into(),
        logical_resource_id: "Logical".into(),
        request_type: None,
        resource_type: None,
        physical_resource_id: None,
    }
}

fn text(response: &Response) -> String {
    String::from_utf8(response.encode().unwrap().as_bytes().to_vec()).unwrap()
}

fn field(response: &Response, name: &str) -> String {
    serde_json::from_str::<Value>(&text(response)).unwrap()[name]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn success_is_written_in_the_documented_order() {
    let response = Response::success(&envelope(), "id")
        .with_no_echo(true)
        .with_data_value("B", 1)
        .with_data_value("A", "x");
    assert_eq!(
        text(&response),
        r#"{"Status":"SUCCESS","Reason":"SUCCESS","StackId":"arn:stack/s/1","RequestId":"r-1","PhysicalResourceId":"id","LogicalResourceId":"Logical","NoEcho":true,"Data":{"B":1,"A":"x"}}"#
    );
}

#[test]
fn failure_without_data_and_no_echo_has_neither_field() {
    let response =
        Response::failed(&envelope(), "id", "no\nsuch \u{1b}[31mqueue").with_reason_end("(log stream: a)");
    assert_eq!(
        text(&response),
        r#"{"Status":"FAILED","Reason":"no; such queue (log stream: a)","StackId":"arn:stack/s/1","RequestId":"r-1","PhysicalResourceId":"id","LogicalResourceId":"Logical"}"#
    );
}

#[test]
fn failure_without_a_reason_gets_one() {
    for reason in ["", "\u{1b}\n"] {
        assert_eq!(
            field(&Response::failed(&envelope(), "id", reason), "Reason"),
            "the operation failed"
        );
    }
}

#[test]
fn limit_is_in_bytes_and_inclusive() {
    let room = BODY_LIMIT_BYTES - text(&Response::success(&envelope(), "id").with_data_value("K", "")).len();
    let just = Response::success(&envelope(), "id").with_data_value("K", "x".repeat(room));
    let body = just.encode().unwrap();
    assert_eq!(
        (body.as_bytes().len(), body.status()),
        (BODY_LIMIT_BYTES, Status::Success)
    );
    let over = Response::success(&envelope(), "id").with_data_value("K", "x".repeat(room + 1));
    assert_eq!(
        field(&over, "Reason"),
        format!(
            "the response has 4097 bytes, more than the 4096 allowed; the largest Data keys are `K` ({} bytes)",
            room + 3
        )
    );
    let wide = Response::success(&envelope(), "id").with_data_value("K", "é".repeat(room / 2 + 1));
    assert_eq!(wide.encode().unwrap().status(), Status::Failed);
}

#[test]
fn too_large_success_names_the_largest_keys_and_keeps_the_id() {
    let response = Response::success(&envelope(), "id")
        .with_data_value("Small", 1)
        .with_data_value("Big", "b".repeat(3000))
        .with_data_value("Bigger", json!({ "x": "c".repeat(3500) }))
        .with_data_value("Other", "d".repeat(10));
    let reason = field(&response, "Reason");
    assert!(
        reason.ends_with(
            "the largest Data keys are `Bigger` (3508 bytes), `Big` (3002 bytes), `Other` (12 bytes)"
        ),
        "{reason}"
    );
    assert_eq!(response.encode().unwrap().physical_resource_id(), "id");
}

#[test]
fn long_reason_is_cut_and_its_end_survives() {
    let response =
        Response::failed(&envelope(), "id", "é\"".repeat(10_000)).with_reason_end("(log stream: l)");
    assert!(text(&response).len() > BODY_LIMIT_BYTES - 5);
    let reason = field(&response, "Reason");
    assert!(reason.starts_with("é\"é") && reason.ends_with("… (log stream: l)"));
}

#[test]
fn failure_drops_data_before_it_cuts_the_reason() {
    let reason = "r".repeat(3000);
    let response =
        Response::failed(&envelope(), "id", reason.as_str()).with_data_value("K", "v".repeat(2000));
    assert_eq!(field(&response, "Reason"), reason);
    assert!(!text(&response).contains("Data"));
}

#[test]
fn unfit_physical_ids_fail_with_the_fallback() {
    let long = Response::success(&envelope(), "x".repeat(1025)).with_fallback_id("mine");
    assert_eq!(
        field(&long, "Reason"),
        "the physical resource id has 1025 bytes, more than the 1024 allowed"
    );
    assert_eq!(field(&long, "PhysicalResourceId"), "mine");
    let empty = Response::success(&envelope(), "").with_fallback_id("");
    assert_eq!(field(&empty, "Reason"), "the physical resource id is empty");
    assert_eq!(field(&empty, "PhysicalResourceId"), "r-1");
    // 1,024 bytes in memory, 6,144 in JSON: kept by no answer.
    let escapes = Response::success(&envelope(), "\u{1}".repeat(1024));
    assert_eq!(field(&escapes, "PhysicalResourceId"), "r-1");
}

#[test]
fn absurd_echoed_fields_are_a_clear_error() {
    let mut envelope = envelope();
    envelope.request_id = "r".repeat(5000);
    let error = Response::failed(&envelope, "id", "why").encode().unwrap_err();
    assert!(error.bytes > 5000 && error.to_string().contains("more than the 4096 allowed"));
}

#[test]
fn body_is_taken_back_from_its_bytes_and_masked_in_debug() {
    let body = Response::success(&envelope(), "id")
        .with_data_value("K", "secret")
        .encode()
        .unwrap();
    assert_eq!(ResponseBody::read(body.as_bytes().to_vec()), Some(body.clone()));
    assert!(!format!("{body:?}").contains("secret"));
    assert_eq!(ResponseBody::read(b"{}".to_vec()), None);
    assert_eq!(ResponseBody::read(vec![b' '; 5000]), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_body_keeps_the_limit_and_echoes_verbatim(
        stack in ".{0,200}", request in ".{0,100}", logical in ".{0,255}", id in "(?s).{0,1100}",
        reason in "(?s).{0,6000}", end in ".{0,200}", key in ".{0,60}", value in "(?s).{0,5000}", failed in any::<bool>(),
    ) {
        let envelope = Envelope { stack_id: stack.clone(), request_id: request.clone(), logical_resource_id: logical.clone(), ..envelope() };
        let mut response = Response::failed(&envelope, id, reason).with_data_value(key, value).with_reason_end(end);
        if !failed {
            response.status = Status::Success;
        }
        match response.encode() {
            Ok(body) => {
                prop_assert!(body.as_bytes().len() <= BODY_LIMIT_BYTES);
                let document: Value = serde_json::from_slice(body.as_bytes()).unwrap();
                prop_assert_eq!(document["StackId"].as_str(), Some(stack.as_str()));
                prop_assert_eq!(document["RequestId"].as_str(), Some(request.as_str()));
                prop_assert_eq!(document["LogicalResourceId"].as_str(), Some(logical.as_str()));
                prop_assert!(!document["Reason"].as_str().unwrap().is_empty());
                let id = document["PhysicalResourceId"].as_str().unwrap();
                prop_assert!((1..=1024).contains(&id.len()));
            }
            // Up to 555 characters of four bytes or an escape of six each: only that many can be too long.
            Err(error) => prop_assert!(error.bytes + SHORTEST_REASON_BYTES > BODY_LIMIT_BYTES),
        }
    }
}
