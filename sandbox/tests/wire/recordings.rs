//! The recorded conversations with the real service, held with the sandbox.

use crate::client::{Answer, Cloud};
use formwork_sandbox::{Latency, Options};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const BUCKET: &str = "AWS::S3::Bucket";
const NOWHERE: &str = "AWS::LocalStack::DoesNotExist";

/// One recording, and what its placeholders turned out to stand for.
struct Recording {
    content: Value,
    known: BTreeMap<String, String>,
}

impl Recording {
    fn read(name: &str) -> Self {
        let all: Value = serde_json::from_str(include_str!("../data/cloud-control-recordings.json")).unwrap();
        let found = all
            .as_object()
            .unwrap()
            .iter()
            .find(|(key, _)| key.ends_with(&format!("::{name}")));
        Recording {
            content: found.unwrap().1["recorded-content"].clone(),
            known: BTreeMap::new(),
        }
    }

    /// Compares an answer with the recorded one: exactly these fields, these codes, these texts.
    fn check(&mut self, step: &str, answer: &Answer) {
        let mut expected = self.content[step].clone();
        assert!(expected.is_object(), "no recorded step `{step}`");
        if let Some(error) = expected.get("Error") {
            let status = expected["ResponseMetadata"]["HTTPStatusCode"].as_u64().unwrap();
            assert_eq!(u64::from(answer.status), status, "{step}: {answer:?}");
            assert_eq!(
                answer.code(),
                error["Code"].as_str().unwrap(),
                "{step}: {answer:?}"
            );
            self.same(step, &json!(answer.message()), &error["Message"].clone());
            return;
        }
        assert_eq!(answer.status, 200, "{step}: {answer:?}");
        expected.as_object_mut().unwrap().remove("ResponseMetadata");
        let mut found = answer.body.clone();
        // Properties are JSON in a string on the wire; the recording shows them read.
        unpack(&mut found);
        // Not recorded, as the recording client drops what is empty.
        found.as_object_mut().unwrap().remove("HooksProgressEvent");
        self.same(step, &found, &expected);
    }

    fn same(&mut self, at: &str, found: &Value, expected: &Value) {
        match (found, expected) {
            (Value::Object(left), Value::Object(right)) => {
                let keys = |map: &serde_json::Map<String, Value>| {
                    let mut keys: Vec<String> = map.keys().cloned().collect();
                    keys.sort();
                    keys
                };
                assert_eq!(keys(left), keys(right), "{at}");
                for (key, value) in right {
                    self.same(&format!("{at}.{key}"), &left[key], value);
                }
            }
            (Value::Array(left), Value::Array(right)) => {
                assert_eq!(left.len(), right.len(), "{at}");
                for (left, right) in left.iter().zip(right) {
                    self.same(at, left, right);
                }
            }
            (Value::Number(number), Value::String(text)) if text == "datetime" => {
                assert!(
                    number.as_f64().is_some_and(|seconds| seconds > 1.0e9),
                    "{at}: {number}"
                );
            }
            (Value::String(found), Value::String(expected)) => self.same_text(at, found, expected),
            _ => assert_eq!(found, expected, "{at}"),
        }
    }

    /// Text with placeholders. The same placeholder stands for the same text throughout a recording.
    fn same_text(&mut self, at: &str, found: &str, expected: &str) {
        let mut expected = expected
            .replace("<region>", "eu-west-1")
            .replace("<partition>", "aws")
            // As recorded: the snapshot's own replacement swallowed the bracket.
            .replace("<client-token is", "<client-token> is");
        for (placeholder, value) in &self.known {
            expected = expected.replace(placeholder.as_str(), value);
        }
        if expected.starts_with('<') && expected.ends_with('>') && !expected[1..].contains('<') {
            self.known.insert(expected, found.to_owned());
            return;
        }
        if let Some((head, tail)) = expected.split_once("RequestToken: uuid") {
            let rest = found.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail));
            assert!(
                rest.is_some_and(|rest| rest.len() == "RequestToken: ".len() + 36),
                "{at}: {found}"
            );
            return;
        }
        assert_eq!(found, expected, "{at}");
    }
}

fn unpack(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if let (true, Some(text)) = (key == "Properties", member.as_str()) {
                    *member = serde_json::from_str(text).unwrap();
                }
                unpack(member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unpack),
        _ => {}
    }
}

async fn slow_cloud() -> Cloud {
    Cloud::start(Options {
        latency: Latency::fixed(Duration::from_secs(10)),
        ..Options::default()
    })
    .await
}

fn named(name: &str) -> Value {
    json!({"BucketName": name})
}

#[tokio::test]
async fn lifecycle() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_lifecycle");
    let created = cloud.create(BUCKET, named("a-bucket")).await;
    recording.check("create_response", &created);
    cloud.clock.advance(10_000);
    recording.check("get_status_response", &cloud.status(&created.token()).await);
    recording.check("get_response", &cloud.get(BUCKET, "a-bucket").await);
    let deleted = cloud.delete(BUCKET, "a-bucket").await;
    recording.check("delete_response", &deleted);
    cloud.clock.advance(10_000);
    recording.check(
        "get_request_status_response_postdelete",
        &cloud.status(&deleted.token()).await,
    );
    recording.check("res_not_found_exc", &cloud.get(BUCKET, "a-bucket").await);
}

#[tokio::test]
async fn unknown_types_and_missing_resources() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_api_exceptions");
    recording.check("create_nonexistingtype", &cloud.create(NOWHERE, json!({})).await);
    recording.check("delete_nonexistingtype", &cloud.delete(NOWHERE, "x").await);
    recording.check(
        "delete_nonexistingresource",
        &cloud.delete(BUCKET, "nothing").await,
    );
    recording.check("get_nonexistingtype", &cloud.get(NOWHERE, "x").await);
    recording.check(
        "update_nonexistingtype",
        &cloud.update(NOWHERE, "x", json!([])).await,
    );
    let unreadable = json!({"TypeName": NOWHERE, "Identifier": "x", "PatchDocument": "[{}]"});
    recording.check(
        "update_invalidpatchdocument",
        &cloud.call("UpdateResource", unreadable).await,
    );
    recording.check(
        "list_nonexistingtype",
        &cloud.call("ListResources", json!({"TypeName": NOWHERE})).await,
    );
}

#[tokio::test]
async fn lists_show_identifiers() {
    let cloud = Cloud::start(Options::default()).await;
    let mut recording = Recording::read("test_list_resources");
    cloud.created(BUCKET, named("bucket-a")).await;
    cloud.created(BUCKET, named("bucket-b")).await;
    recording.check(
        "list_paginated_all_filtered",
        &cloud.call("ListResources", json!({"TypeName": BUCKET})).await,
    );
    let nowhere = json!({"TypeName": "AWS::DoesNot::Exist"});
    recording.check(
        "list_typenotfound_exc",
        &cloud.call("ListResources", nowhere).await,
    );
}

#[tokio::test]
async fn a_client_token_twice() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_double_create_with_client_token");
    recording.known.insert("<client-token>".into(), "token-1".into());
    let input = |name: &str| json!({"TypeName": BUCKET, "DesiredState": named(name).to_string(), "ClientToken": "token-1"});
    recording.check(
        "create_response",
        &cloud.call("CreateResource", input("bucket-a")).await,
    );
    recording.check(
        "create_response_duplicate_exc",
        &cloud.call("CreateResource", input("bucket-b")).await,
    );
}

#[tokio::test]
async fn creates_that_fail() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_create_exceptions");
    recording.check("create_response", &cloud.create(BUCKET, named("bucket-a")).await);
    cloud.clock.advance(10_000);
    let duplicate = cloud.create(BUCKET, named("bucket-a")).await;
    recording.check("create_duplicate_response", &duplicate);
    cloud.clock.advance(10_000);
    recording.check(
        "duplicate_post_wait_response",
        &cloud.status(&duplicate.token()).await,
    );
    let nameless = cloud.create(BUCKET, json!({})).await;
    recording.check("create_missingproperty_response", &nameless);
    cloud.clock.advance(10_000);
    recording.check(
        "missing_post_wait_response",
        &cloud.status(&nameless.token()).await,
    );
    let extra = json!({"BucketName": "bucket-c", "BucketSomething": "hello"});
    recording.check("create_extra_property_exc", &cloud.create(BUCKET, extra).await);
}

#[tokio::test]
async fn desired_states_that_do_not_fit() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_create_invalid_desiredstate");
    let unknown = cloud.create(BUCKET, json!({"DOESNOTEXIST": "x"})).await;
    recording.check("create_invalid_state_exc_invalid_field", &unknown);
    let mistyped = cloud.create(BUCKET, json!({"BucketName": true})).await;
    recording.check("create_invalid_state_exc_invalid_type", &mistyped);
}

#[tokio::test]
async fn create_only_properties_cannot_be_updated() {
    let cloud = Cloud::start(Options::default()).await;
    cloud.created(BUCKET, named("bucket-a")).await;
    let patch = json!([{"op": "replace", "path": "/BucketName", "value": "bucket-b"}]);
    let answer = cloud.update(BUCKET, "bucket-a", patch).await;
    Recording::read("test_update").check("update_createonlyproperty_exc", &answer);
}

#[tokio::test]
async fn cancelling() {
    let cloud = slow_cloud().await;
    let cancel = |token: String| cloud.call("CancelResourceRequest", json!({"RequestToken": token}));
    let mut recording = Recording::read("test_cancel_request");
    let created = cloud.create(BUCKET, named("bucket-a")).await;
    recording.check("create_response", &created);
    recording.check("cancel_request_status", &cancel(created.token()).await);
    recording.check("cancel_again_response", &cancel(created.token()).await);

    let mut recording = Recording::read("test_cancel_edge_cases[SUCCESS]");
    let created = cloud.create(BUCKET, named("bucket-b")).await;
    recording.check("create_response", &created);
    cloud.clock.advance(10_000);
    recording.check("cancel_in_success_exc", &cancel(created.token()).await);

    let mut recording = Recording::read("test_cancel_edge_cases[FAIL]");
    let created = cloud.create(BUCKET, json!({})).await;
    recording.check("create_response", &created);
    cloud.clock.advance(10_000);
    recording.check("cancel_in_success_exc", &cancel(created.token()).await);
}

#[tokio::test]
async fn lists_of_requests() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_list_request_status");
    recording.check(
        "create_bucket_resource",
        &cloud.create(BUCKET, named("bucket-a")).await,
    );
    let filter = |operation: &str| {
        json!({"ResourceRequestStatusFilter": {
            "Operations": [operation], "OperationStatuses": ["IN_PROGRESS"]}})
    };
    let created = cloud.call("ListResourceRequests", filter("CREATE")).await;
    recording.check("list_requests_response_filtered", &created);
    let updated = cloud.call("ListResourceRequests", filter("UPDATE")).await;
    recording.check("list_requests_response_filtered_update", &updated);
}

#[tokio::test]
async fn unknown_request_tokens() {
    let cloud = slow_cloud().await;
    let mut recording = Recording::read("test_invalid_request_token_exc");
    let input = json!({"RequestToken": "DOESNOTEXIST"});
    recording.check(
        "get_token_not_found",
        &cloud.call("GetResourceRequestStatus", input.clone()).await,
    );
    recording.check(
        "cancel_token_not_found",
        &cloud.call("CancelResourceRequest", input).await,
    );
}
