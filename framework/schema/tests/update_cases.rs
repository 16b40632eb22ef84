//! Update decisions, case by case.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

use formwork_schema::{Decision, ResourceSchema, decide, remember};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A type with one property of every sort.
fn sample() -> ResourceSchema {
    let text = json!({"type": "string"});
    let document = json!({
        "typeName": "Sample::Update::Thing",
        "properties": {
            "Name": text, "Arn": text, "Note": text, "Count": {"type": "integer"}, "Either": {"type": ["integer", "string"]},
            "Password": text, "Seed": text, "Version": text,
            "Policy": {"type": ["object", "string"]},
            "Settings": {"$ref": "#/definitions/Settings"},
            "Endpoint": {"type": "object", "properties": {"Address": text, "Alias": text}},
            "List": {"type": "array", "items": text},
            "Set": {"type": "array", "insertionOrder": false, "items": text},
            "Rules": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {"Id": text, "Port": {"type": "integer"}}}},
            "Targets": {"type": "array", "items": {"type": "object", "properties": {"Host": text, "State": text, "Key": text, "Secret": text}}},
            "Map": {"type": "object", "patternProperties": {".*": text}},
            "Pipe": {"type": "object", "properties": {"Source": text, "Batch": {"type": "integer"}}},
            "Tags": {"type": "array", "insertionOrder": false, "items": {"type": "object", "properties": {"Key": text, "Value": text}}},
        },
        "definitions": {"Settings": {
            "type": "object", "required": ["Mode"],
            "properties": {"Mode": text, "Level": text, "Fixed": text, "Empty": {"type": "object", "properties": {"X": text}}},
        }},
        "readOnlyProperties": ["/properties/Arn", "/properties/Endpoint/Address", "/properties/Targets/*/State"],
        "createOnlyProperties": ["/properties/Name", "/properties/Seed", "/properties/Settings/Fixed", "/properties/Targets/*/Key", "/properties/Pipe/Source"],
        "writeOnlyProperties": ["/properties/Password", "/properties/Seed", "/properties/Targets/*/Secret", "/properties/Pipe"],
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
    }
}

fn check(name: &str, applied: Value, live: Value, desired: Value, expected: &str) {
    assert_eq!(
        decided(&sample(), Some(&applied), &live, &desired),
        expected,
        "{name}"
    );
}

#[test]
fn scalars_are_set_one_by_one() {
    let a = || json!({"Note": "a"});
    check("same", a(), a(), a(), "none");
    check("changed", a(), a(), json!({"Note": "b"}), r#"add /Note "b""#);
    check("added", json!({}), json!({}), a(), r#"add /Note "a""#);
    check(
        "drift is repaired",
        a(),
        json!({"Note": "x"}),
        a(),
        r#"add /Note "a""#,
    );
    check("lost is repaired", a(), json!({}), a(), r#"add /Note "a""#);
    check(
        "numbers by value",
        json!({"Count": 1}),
        json!({"Count": 1.0}),
        json!({"Count": 1}),
        "none",
    );
    let big = |text: &str| -> Value { serde_json::from_str(&format!("{{\"Count\": {text}}}")).unwrap() };
    check(
        "numbers exactly",
        json!({}),
        big("9007199254740992"),
        big("9007199254740993"),
        "add /Count 9007199254740993",
    );
    check(
        "text for number where both may be",
        json!({}),
        json!({"Either": 1}),
        json!({"Either": "1"}),
        "none",
    );
    check(
        "text is no number elsewhere",
        json!({}),
        json!({"Note": 1}),
        json!({"Note": "1"}),
        r#"add /Note "1""#,
    );
}

#[test]
fn only_what_was_ours_is_removed() {
    let a = || json!({"Note": "a"});
    check("dropped", a(), a(), json!({}), "remove /Note");
    check("dropped and gone already", a(), json!({}), json!({}), "none");
    check("never ours", json!({}), a(), json!({}), "none");
    check(
        "null removes what never was ours",
        json!({}),
        a(),
        json!({"Note": null}),
        "remove /Note",
    );
    check(
        "null and nothing there",
        json!({}),
        json!({}),
        json!({"Note": null}),
        "none",
    );
    check(
        "a container goes when all of it was ours",
        json!({"Settings": {"Mode": "m"}}),
        json!({"Settings": {"Mode": "m"}}),
        json!({}),
        "remove /Settings",
    );
    check(
        "the service's part stays",
        json!({"Endpoint": {"Alias": "a"}}),
        json!({"Endpoint": {"Alias": "a", "Address": "x"}}),
        json!({}),
        "remove /Endpoint/Alias",
    );
    check(
        "a container without its required part goes as a whole",
        json!({"Settings": {"Mode": "m"}}),
        json!({"Settings": {"Mode": "m", "Level": "default"}}),
        json!({}),
        "remove /Settings",
    );
    check(
        "but not when something create-only lives in it",
        json!({"Settings": {"Level": "l"}}),
        json!({"Settings": {"Level": "l", "Mode": "m", "Fixed": "f"}}),
        json!({}),
        "remove /Settings/Level",
    );
    assert_eq!(
        decided(&sample(), None, &a(), &json!({})),
        "none",
        "nothing is known to be ours"
    );
}

#[test]
fn objects_are_changed_leaf_by_leaf() {
    check(
        "a sibling that is create-only is left alone",
        json!({"Settings": {"Mode": "a", "Fixed": "f"}}),
        json!({"Settings": {"Mode": "a", "Fixed": "f", "Level": "default"}}),
        json!({"Settings": {"Mode": "b", "Fixed": "f"}}),
        r#"add /Settings/Mode "b""#,
    );
    check(
        "a container that is not there is added whole",
        json!({}),
        json!({}),
        json!({"Settings": {"Mode": "a", "Level": "b"}}),
        r#"add /Settings {"Mode":"a","Level":"b"}"#,
    );
    check(
        "an empty object is a setting",
        json!({"Settings": {"Mode": "a"}}),
        json!({"Settings": {"Mode": "a"}}),
        json!({"Settings": {"Mode": "a", "Empty": {}}}),
        "add /Settings/Empty {}",
    );
    check(
        "one that the service forgets is not set again",
        json!({"Endpoint": {}}),
        json!({}),
        json!({"Endpoint": {}}),
        "none",
    );
    check(
        "an empty list is like none",
        json!({}),
        json!({}),
        json!({"List": []}),
        "none",
    );
    check(
        "a list is emptied",
        json!({"List": ["a"]}),
        json!({"List": ["a"]}),
        json!({"List": []}),
        "add /List []",
    );
    check(
        "keys of maps are escaped",
        json!({"Map": {"a/b": "1", "c~d": "1"}}),
        json!({"Map": {"a/b": "1", "c~d": "1", "own": "1"}}),
        json!({"Map": {"a/b": "2"}}),
        r#"add /Map/a~1b "2"; remove /Map/c~0d"#,
    );
    check(
        "read-only values are nobody's business",
        json!({}),
        json!({"Arn": "x", "Endpoint": {"Address": "y"}}),
        json!({"Arn": "z", "Endpoint": {"Address": "z"}}),
        "none",
    );
}

#[test]
fn documents_compare_parsed() {
    let policy = json!({"Version": "1", "Statement": [{"Effect": "Allow"}]});
    let live = json!({"Policy": r#"{"Statement":[{"Effect":"Allow"}], "Version":"1"}"#});
    check(
        "text against structure",
        json!({}),
        live.clone(),
        json!({"Policy": policy}),
        "none",
    );
    check(
        "text against text",
        json!({}),
        live,
        json!({"Policy": policy.to_string()}),
        "none",
    );
    check(
        "set as a whole",
        json!({}),
        json!({"Policy": {"A": 1, "B": null}}),
        json!({"Policy": {"A": 1, "C": null}}),
        r#"add /Policy {"A":1,"C":null}"#,
    );
}

#[test]
fn arrays_are_set_whole_when_they_differ() {
    check(
        "order counts",
        json!({}),
        json!({"List": ["a", "b"]}),
        json!({"List": ["b", "a"]}),
        r#"add /List ["b","a"]"#,
    );
    check(
        "order does not count in a set",
        json!({}),
        json!({"Set": ["a", "b", "b"]}),
        json!({"Set": ["b", "a", "b"]}),
        "none",
    );
    check(
        "number counts in a set",
        json!({}),
        json!({"Set": ["a", "b"]}),
        json!({"Set": ["b", "a", "b"]}),
        r#"add /Set ["b","a","b"]"#,
    );
    let applied = json!({"Rules": [{"Id": "a"}, {"Id": "b"}]});
    let live = json!({"Rules": [{"Id": "b", "Port": 80}, {"Id": "a", "Port": 80}]});
    check(
        "defaults in elements are the service's",
        applied.clone(),
        live.clone(),
        applied.clone(),
        "none",
    );
    check(
        "a dropped member of an element is removed",
        json!({"Rules": [{"Id": "b", "Port": 80}, {"Id": "a"}]}),
        live,
        applied,
        r#"add /Rules [{"Id":"a"},{"Id":"b"}]"#,
    );
}

#[test]
fn elements_with_values_of_their_own_rules_are_changed_one_by_one() {
    let live = json!({"Targets": [{"Host": "a", "State": "up"}, {"Host": "b", "State": "up"}]});
    let applied = json!({"Targets": [{"Host": "a", "Secret": "s"}, {"Host": "b"}]});
    check("same", applied.clone(), live.clone(), applied.clone(), "none");
    check(
        "changed, with the write-only value at its element",
        applied.clone(),
        live.clone(),
        json!({"Targets": [{"Host": "a", "Secret": "s"}, {"Host": "c"}]}),
        r#"add /Targets/1/Host "c"; add /Targets/0/Secret "s""#,
    );
    check(
        "longer",
        applied.clone(),
        live.clone(),
        json!({"Targets": [{"Host": "a", "Secret": "s"}, {"Host": "b"}, {"Host": "c"}]}),
        r#"add /Targets/0/Secret "s"; add /Targets/- {"Host":"c"}"#,
    );
    check(
        "shorter",
        applied.clone(),
        live.clone(),
        json!({"Targets": [{"Host": "a", "Secret": "s"}]}),
        r#"add /Targets/0/Secret "s"; remove /Targets/1"#,
    );
    check(
        "create-only inside",
        json!({}),
        json!({"Targets": [{"Host": "a", "Key": "k"}]}),
        json!({"Targets": [{"Host": "a", "Key": "l"}]}),
        "replace /Targets/0/Key",
    );
}

#[test]
fn tags_are_merged_by_key() {
    let tag = |key: &str, value: &str| json!({"Key": key, "Value": value});
    let live = json!({"Tags": [tag("aws:stack", "s"), tag("b", "1"), tag("a", "1")]});
    let ours = json!({"Tags": [tag("a", "1"), tag("b", "1")]});
    check("same", ours.clone(), live.clone(), ours.clone(), "none");
    check(
        "changed",
        ours.clone(),
        live.clone(),
        json!({"Tags": [tag("a", "2")]}),
        r#"add /Tags [{"Key":"aws:stack","Value":"s"},{"Key":"a","Value":"2"}]"#,
    );
    check(
        "dropped",
        ours.clone(),
        live.clone(),
        json!({}),
        r#"add /Tags [{"Key":"aws:stack","Value":"s"}]"#,
    );
    check(
        "erased",
        ours.clone(),
        live.clone(),
        json!({"Tags": null}),
        r#"add /Tags [{"Key":"aws:stack","Value":"s"}]"#,
    );
    check(
        "others' tags stay",
        json!({}),
        live,
        json!({"Tags": [tag("b", "1")]}),
        "none",
    );
    check("all were ours", ours.clone(), ours, json!({}), "remove /Tags");
}

#[test]
fn write_only_values_ride_along_with_every_patch() {
    let applied = json!({"Password": "p", "Note": "a"});
    let live = json!({"Note": "a"});
    check(
        "unchanged",
        applied.clone(),
        live.clone(),
        applied.clone(),
        "none",
    );
    check(
        "changed",
        applied.clone(),
        live.clone(),
        json!({"Password": "q", "Note": "a"}),
        r#"add /Password "q""#,
    );
    check(
        "sent again",
        applied.clone(),
        live.clone(),
        json!({"Password": "p", "Note": "b"}),
        r#"add /Note "b"; add /Password "p""#,
    );
    check(
        "dropped",
        applied.clone(),
        live.clone(),
        json!({"Note": "a"}),
        "none",
    );
    check(
        "shown by a read against the rules",
        applied.clone(),
        json!({"Note": "a", "Password": "***"}),
        applied.clone(),
        "none",
    );
    check(
        "one that is create-only never is",
        json!({"Seed": "s"}),
        json!({}),
        json!({"Seed": "s", "Note": "a"}),
        r#"add /Note "a""#,
    );
    check(
        "its change replaces",
        json!({"Seed": "s"}),
        json!({}),
        json!({"Seed": "t"}),
        "replace /Seed",
    );
    check(
        "its parent goes without its create-only child",
        json!({"Pipe": {"Source": "s", "Batch": 1}}),
        json!({}),
        json!({"Pipe": {"Source": "s", "Batch": 2}}),
        r#"add /Pipe {"Batch":2}"#,
    );
    check(
        "a create-only child of a write-only parent",
        json!({"Pipe": {"Source": "s"}}),
        json!({}),
        json!({"Pipe": {"Source": "t"}}),
        "replace /Pipe/Source",
    );
    let unknown = decided(
        &sample(),
        None,
        &json!({}),
        &json!({"Password": "p", "Seed": "s"}),
    );
    assert_eq!(
        unknown, r#"add /Password "p""#,
        "without a memory it may have changed"
    );
}

#[test]
fn create_only_changes_replace() {
    let live = || json!({"Name": "a", "Settings": {"Mode": "m", "Fixed": "f"}});
    check("same", live(), live(), live(), "none");
    check("changed", live(), live(), json!({"Name": "b"}), "replace /Name");
    check(
        "dropped stays",
        live(),
        live(),
        json!({"Settings": {"Mode": "m"}}),
        "none",
    );
    check(
        "nested",
        live(),
        live(),
        json!({"Name": "a", "Settings": {"Mode": "m", "Fixed": "g"}}),
        "replace /Settings/Fixed",
    );
    check(
        "not shown by a read",
        json!({"Name": "a"}),
        json!({}),
        json!({"Name": "a"}),
        "none",
    );
    check(
        "set later",
        json!({}),
        json!({}),
        json!({"Name": "a"}),
        "replace /Name",
    );
    check(
        "conditional",
        json!({"Version": "1"}),
        json!({"Version": "1"}),
        json!({"Version": "2"}),
        r#"add /Version "2" or replace /Version"#,
    );
    check(
        "conditional, but untouched",
        json!({"Version": "1"}),
        json!({"Version": "1"}),
        json!({"Version": "1", "Note": "n"}),
        r#"add /Note "n""#,
    );
}

#[test]
fn a_type_without_update_handler_is_replaced() {
    let mut document = sample().document().clone();
    document["handlers"].as_object_mut().unwrap().remove("update");
    let fixed = ResourceSchema::parse(&document.to_string()).unwrap();
    let note = |text: &str| json!({"Note": text});
    assert_eq!(decided(&fixed, Some(&note("a")), &note("a"), &note("a")), "none");
    assert_eq!(
        decided(&fixed, Some(&note("a")), &note("a"), &note("b")),
        "replace "
    );
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
fn the_decision_record_of_radius_holds() {
    let cluster = formwork_schema::load("AWS::MemoryDB::Cluster").unwrap().unwrap();
    let live = json!({"ClusterName": "c", "ARN": "arn:x", "ClusterEndpoint": {"Address": "test-address", "Port": 3000}, "NumShards": 1, "ACLName": "a", "NodeType": "n"});
    let applied = json!({"ClusterName": "c", "NumShards": 1, "ACLName": "a", "NodeType": "n"});
    let desired = json!({"ClusterName": "c", "NumShards": 2, "ACLName": "a", "NodeType": "n"});
    assert_eq!(
        decided(&cluster, Some(&applied), &live, &desired),
        "add /NumShards 2"
    );
    assert_eq!(
        decided(&cluster, None, &live, &json!({"NumShards": 2})),
        "add /NumShards 2"
    );
}
