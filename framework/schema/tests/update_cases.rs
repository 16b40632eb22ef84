//! Update decisions, case by case: the table in `updates.txt`, and what does not fit into a table.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

use formwork_schema::{Decision, Options, ResourceSchema, decide, decide_with, preflight, remember};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A type with one property of every sort.
fn sample() -> ResourceSchema {
    let text = json!({"type": "string"});
    let document = json!({
        "typeName": "Sample::Update::Thing",
        "properties": {
            "Name": text, "Arn": text, "Note": text, "Count": {"type": "integer"}, "Either": {"type": ["integer", "string"]},
            "Password": text, "Seed": text, "Version": text, "Size": {"type": "integer", "default": 8},
            "Slug": {"type": "string", "pattern": "^[a-z-]+$"},
            "Zones": {"type": "array", "minItems": 1, "items": text},
            "Policy": {"type": ["object", "string"]},
            "Settings": {"$ref": "#/definitions/Settings"},
            "Login": {"type": "object", "properties": {"User": text, "Token": text}},
            "Endpoint": {"type": "object", "properties": {"Address": text, "Alias": text}},
            "List": {"type": "array", "items": text},
            "Set": {"type": "array", "insertionOrder": false, "items": text},
            "Rules": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {"Id": text, "Port": {"type": "integer"}}}},
            "Hosts": {"type": "array", "items": {"type": "object", "properties": {"Name": text, "Id": text}}},
            "Targets": {"type": "array", "items": {"type": "object", "properties": {"Host": text, "State": text, "Key": text, "Secret": text}}},
            "Pairs": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {"Host": text, "Key": text, "Weight": {"type": "integer"}}}},
            "Map": {"type": "object", "patternProperties": {".*": text}},
            "Pipe": {"type": "object", "properties": {"Source": text, "Batch": {"type": "integer"}}},
            "Tags": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {"Key": text, "Value": text}}},
        },
        "required": ["Name", "Arn"],
        "definitions": {"Settings": {
            "type": "object", "required": ["Mode"],
            "properties": {"Mode": text, "Level": text, "Fixed": text, "Empty": {"type": "object", "properties": {"X": text}}},
        }},
        "readOnlyProperties": ["/properties/Arn", "/properties/Endpoint/Address", "/properties/Targets/*/State", "/properties/Hosts/Id"],
        "createOnlyProperties": ["/properties/Name", "/properties/Seed", "/properties/Settings/Fixed", "/properties/Targets/*/Key", "/properties/Pairs/*/Key", "/properties/Pipe/Source"],
        "writeOnlyProperties": ["/properties/Password", "/properties/Seed", "/properties/Targets/*/Secret", "/properties/Login/Token", "/properties/Pipe"],
        "conditionalCreateOnlyProperties": ["/properties/Version"],
        "handlers": {"create": {}, "read": {}, "update": {}, "delete": {}},
    });
    ResourceSchema::parse(&document.to_string()).unwrap()
}

/// The decision in one text: the patch, or the pointers of the reasons.
fn decided(schema: &ResourceSchema, applied: Option<&Value>, live: &Value, desired: &Value) -> String {
    let memory = applied.map(|applied| remember(schema, applied, &BTreeSet::new(), "salt"));
    let pointers = |reasons: Vec<formwork_schema::Reason>| {
        reasons
            .into_iter()
            .map(|reason| reason.pointer)
            .collect::<Vec<_>>()
            .join(",")
    };
    let lines = |patch: json_patch::Patch| {
        let mut model = live.clone();
        json_patch::patch(&mut model, &patch).expect("the patch applies");
        let lines = patch.0.iter().map(|operation| {
            let operation = serde_json::to_value(operation).unwrap();
            let value = operation
                .get("value")
                .map_or_else(String::new, |value| format!(" {value}"));
            format!(
                "{} {}{value}",
                operation["op"].as_str().unwrap(),
                operation["path"].as_str().unwrap()
            )
        });
        lines.collect::<Vec<_>>().join("; ")
    };
    match decide(schema, memory.as_ref(), live, desired) {
        Decision::None => "none".to_owned(),
        Decision::Update { patch } => lines(patch),
        Decision::Replace { reasons } => format!("replace {}", pointers(reasons)),
        Decision::ReplaceIfRefused { patch, reasons } => {
            format!("{} or replace {}", lines(patch), pointers(reasons))
        }
        Decision::Impossible { reasons } => format!("impossible {}", pointers(reasons)),
    }
}

/// One case of the table.
#[derive(Default)]
struct Case {
    name: String,
    type_name: Option<String>,
    applied: Option<Value>,
    live: Value,
    desired: Value,
    expected: String,
}

/// The sorts of properties with their cases.
fn table() -> Vec<(String, Vec<Case>)> {
    let mut rows: Vec<(String, Vec<Case>)> = Vec::new();
    for line in include_str!("updates.txt").lines() {
        if let Some(name) = line.strip_prefix("## ") {
            rows.push((name.to_owned(), Vec::new()));
            continue;
        }
        // What stands before the first heading says how to read it.
        let Some((_, cases)) = rows.last_mut() else {
            continue;
        };
        if let Some(name) = line.strip_prefix("# ") {
            cases.push(Case {
                name: name.to_owned(),
                ..Case::default()
            });
            continue;
        }
        let Some((word, rest)) = line.split_once(' ') else {
            assert!(line.is_empty(), "{line}");
            continue;
        };
        let case = cases.last_mut().expect("a case has a name");
        let document = || serde_json::from_str(rest.trim()).unwrap_or_else(|error| panic!("{error}: {line}"));
        match word {
            "type" => case.type_name = Some(rest.trim().to_owned()),
            "applied" => case.applied = Some(document()),
            "live" => case.live = document(),
            "desired" => case.desired = document(),
            "=" => case.expected = rest.to_owned(),
            _ => panic!("{line}"),
        }
    }
    rows
}

#[test]
fn every_case_of_the_table_is_decided_as_it_says() {
    let mut names = BTreeSet::new();
    let mut wrong = String::new();
    for (row, cases) in table() {
        assert!(!cases.is_empty(), "{row} has no case");
        for case in cases {
            let schema = match &case.type_name {
                Some(name) => formwork_schema::load(name).unwrap().expect("a bundled type"),
                None => sample(),
            };
            let found = decided(&schema, case.applied.as_ref(), &case.live, &case.desired);
            if found != case.expected {
                writeln!(
                    wrong,
                    "{row}: {}\n  expected {}\n  found    {found}",
                    case.name, case.expected
                )
                .unwrap();
            }
            assert!(
                names.insert(format!("{row}: {}", case.name)),
                "{} comes twice",
                case.name
            );
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(names.len() >= 100, "{}", names.len());
}

#[test]
fn secrets_are_compared_without_being_remembered() {
    let schema = sample();
    let desired = json!({"Map": {"token": "t", "plain": "p"}});
    let memory = remember(
        &schema,
        &desired,
        &BTreeSet::from(["/Map/token".to_owned()]),
        "salt",
    );
    assert_eq!(memory.shown, json!({"Map": {"plain": "p"}}));
    assert_eq!(decide(&schema, Some(&memory), &desired, &desired), Decision::None);
    let Decision::Update { patch } =
        decide(&schema, Some(&memory), &desired, &json!({"Map": {"plain": "p"}}))
    else {
        panic!("expected an update")
    };
    assert_eq!(patch.to_string(), r#"[{"op":"remove","path":"/Map/token"}]"#);
}

#[test]
fn a_guarded_patch_tests_what_it_replaces_and_removes() {
    let schema = sample();
    let applied = json!({"Note": "a", "Count": 1, "Set": ["a", "b"], "List": ["a"]});
    let desired = json!({"Note": "b", "Set": ["a", "c"], "List": ["b"], "Size": 9});
    let memory = remember(&schema, &applied, &BTreeSet::new(), "salt");
    let decision = decide_with(
        &schema,
        Some(&memory),
        &applied,
        &desired,
        Options { guard: true },
    );
    let Decision::Update { patch } = decision else {
        panic!("{decision:?}")
    };
    // The set may be shown in another order by the next read, and the size was not there.
    let expected = json!([
        {"op": "test", "path": "/Note", "value": "a"},
        {"op": "test", "path": "/List", "value": ["a"]},
        {"op": "test", "path": "/Count", "value": 1},
        {"op": "add", "path": "/Note", "value": "b"},
        {"op": "add", "path": "/Set", "value": ["a", "c"]},
        {"op": "add", "path": "/List", "value": ["b"]},
        {"op": "add", "path": "/Size", "value": 9},
        {"op": "remove", "path": "/Count"},
    ]);
    assert_eq!(serde_json::to_value(&patch).unwrap(), expected);
    let mut moved = applied;
    moved["Note"] = json!("by somebody else");
    assert!(json_patch::patch(&mut moved, &patch).is_err());
}

#[test]
fn a_patch_that_is_too_long_is_refused_with_its_length() {
    let schema = sample();
    let fits = |length: usize| {
        let desired = json!({"Note": "é".repeat(length)});
        decide(&schema, None, &json!({}), &desired)
    };
    let frame = r#"[{"op":"add","path":"/Note","value":""}]"#.len();
    assert!(matches!(fits(262_144 - frame), Decision::Update { .. }));
    let Decision::Impossible { reasons } = fits(262_145 - frame) else {
        panic!("expected a refusal")
    };
    assert_eq!(
        reasons[0].to_string(),
        "the patch has 262145 characters, and Cloud Control takes 262144: make the values smaller or keep them elsewhere"
    );
}

#[test]
fn a_preflight_says_what_cloud_control_would_refuse() {
    let schema = sample();
    let live = json!({"Name": "a", "Note": "n", "Endpoint": {"Address": "x", "Alias": "y"}, "Password": "p"});
    for (patch, expected) in [
        (json!([{"op": "add", "path": "/Note", "value": "m"}]), vec![]),
        (
            json!([{"op": "add", "path": "/Name", "value": "b"}]),
            vec!["/Name: the patch would change a create-only property"],
        ),
        (
            json!([{"op": "add", "path": "/Endpoint", "value": {"Alias": "z"}}]),
            vec!["/Endpoint/Address: the patch would change a read-only property"],
        ),
        (
            json!([{"op": "replace", "path": "/Count", "value": 1}]),
            vec!["/Count: the operation does not apply to the live model: path is invalid"],
        ),
        (
            json!([{"op": "add", "path": "/Count", "value": "many"}]),
            vec!["/Count: Cloud Control would refuse the result: expected type: Integer, found: String"],
        ),
        // A read shows no write-only values, so there is nothing to remove.
        (
            json!([{"op": "remove", "path": "/Password"}]),
            vec!["/Password: the operation does not apply to the live model: path is invalid"],
        ),
    ] {
        let read: json_patch::Patch = serde_json::from_value(patch.clone()).unwrap();
        let found: Vec<String> = preflight(&schema, &live, &read)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, expected, "{patch}");
    }
}
