//! The files that are not Rust: the waiter's definition, and the events with their responses.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use aws_lambda_events::cloudformation::CloudFormationCustomResourceRequest;
use formwork_tests::{SECRET_VARIABLE, binaries::workspace, events};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn waiter_has_its_one_substitution_and_no_other() {
    let text = std::fs::read_to_string(workspace().join("handlers/waiter.asl.json")).unwrap();
    let substitutions: BTreeSet<&str> = text
        .split("${")
        .skip(1)
        .map(|rest| rest.split('}').next().unwrap())
        .collect();
    assert_eq!(substitutions, BTreeSet::from(["IsCompleteFunctionArn"]));
    let definition: Value = serde_json::from_str(&text).unwrap();
    for (name, state) in definition["States"].as_object().unwrap() {
        if state["Type"] == "Task" {
            assert_eq!(state["Resource"], "${IsCompleteFunctionArn}", "{name}");
        }
    }
}

#[test]
fn every_event_can_be_answered_and_has_its_expected_answer() {
    let readme = std::fs::read_to_string(events::folder().join("README.md")).unwrap();
    let names = names();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let event = events::load(&format!("{name}.json"));
        let expected = events::load(&format!("{name}.expected.json"));
        assert_eq!(event["ResponseURL"], "{{ResponseURL}}", "{name}");
        for key in ["StackId", "RequestId", "LogicalResourceId"] {
            assert!(
                event[key].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {key}"
            );
            assert_eq!(event[key], expected[key], "{name}: {key} is echoed");
        }
        assert!(
            ["SUCCESS", "FAILED"]
                .map(Value::from)
                .contains(&expected["Status"]),
            "{name}"
        );
        assert!(
            readme.contains(&format!("`{name}.json`")),
            "events/README.md does not tell of {name}.json"
        );
    }
}

#[test]
fn scalars_in_properties_are_texts_as_cloudformation_sends_them() {
    for name in names() {
        let event = events::load(&format!("{name}.json"));
        for key in ["ResourceProperties", "OldResourceProperties"] {
            assert_eq!(not_texts(&event[key]), Vec::<&Value>::new(), "{name}: {key}");
        }
    }
}

#[test]
fn the_events_have_the_secret_that_scenarios_look_for() {
    for name in [
        "create",
        "create-body",
        "update",
        "update-rollback",
        "delete",
        "delete-cancelled",
    ] {
        let event = events::load(&format!("{name}.json"));
        assert_eq!(
            event["ResourceProperties"]["Variables"]["paymentKey"], SECRET_VARIABLE,
            "{name}"
        );
    }
}

/// The published type of such events reads ours as well: they are what CloudFormation sends.
#[test]
fn the_events_read_as_custom_resource_requests() {
    for name in names().iter().filter(|name| *name != "malformed") {
        let event = events::load(&format!("{name}.json"));
        let request: CloudFormationCustomResourceRequest =
            serde_json::from_value(event).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_create = matches!(request, CloudFormationCustomResourceRequest::Create(_));
        assert_eq!(is_create, name.starts_with("create"), "{name}");
    }
}

fn not_texts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(map) => map.values().flat_map(not_texts).collect(),
        Value::Array(list) => list.iter().flat_map(not_texts).collect(),
        Value::Number(_) | Value::Bool(_) => vec![value],
        Value::String(_) | Value::Null => Vec::new(),
    }
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(events::folder()).unwrap();
    let names = files.filter_map(|file| {
        file.unwrap()
            .file_name()
            .into_string()
            .unwrap()
            .strip_suffix(".json")
            .map(str::to_owned)
    });
    let mut names: Vec<_> = names.filter(|name| !name.ends_with(".expected")).collect();
    names.sort();
    names
}

#[test]
fn every_test_that_documents_name_is_there() {
    let is_test = |word: &&str| {
        word.split('_').count() > 2
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let mut sources = String::new();
    read_sources(workspace(), &mut sources);
    for (document, at_least) in [("docs/guarantees.md", 40), ("docs/simulation.md", 10)] {
        let text = std::fs::read_to_string(workspace().join(document)).unwrap();
        let named: BTreeSet<&str> = text.split('`').skip(1).step_by(2).filter(is_test).collect();
        assert!(named.len() > at_least, "{document}: {named:?}");
        let missing: Vec<&&str> = named
            .iter()
            .filter(|name| !sources.contains(&format!("fn {name}()")))
            .collect();
        assert!(
            missing.is_empty(),
            "{document} names tests that are not there: {missing:?}"
        );
    }
}

fn read_sources(folder: &std::path::Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            read_sources(&path, sources);
        } else if name.ends_with(".rs") {
            sources.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
