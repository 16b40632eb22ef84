//! One plan with something of everything, as people and as scripts see it.

use super::{Detail, json, text};
use formwork_engine::{Action, Change, Note, Plan, PropertyChange, Sequence, Shown};
use formwork_schema::Reason;
use serde_json::{Value, json as value};

fn change(name: &str, type_name: &str, action: Action) -> Change {
    Change {
        name: name.into(),
        type_name: type_name.into(),
        identifier: None,
        action,
        certain: true,
        sequence: None,
        replaces_if_refused: false,
        reasons: Vec::new(),
        properties: Vec::new(),
        after: Vec::new(),
        notes: Vec::new(),
        problem: None,
    }
}

fn property(pointer: &str, before: Option<Shown>, after: Option<Shown>) -> PropertyChange {
    PropertyChange {
        pointer: pointer.into(),
        before,
        after,
        replaces: false,
        drifted: false,
    }
}

fn known(json: Value) -> Option<Shown> {
    Some(Shown::Value(json))
}

fn reason(pointer: &str, message: &str) -> Reason {
    Reason {
        pointer: pointer.into(),
        message: message.into(),
    }
}

fn everything() -> Plan {
    let queue = Change {
        properties: vec![
            property("/QueueName", None, known(value!("orders"))),
            property(
                "/RedrivePolicy/deadLetterTargetArn",
                None,
                Some(Shown::AfterDeploy),
            ),
            property("/Tags/0/Value", None, Some(Shown::Secret)),
        ],
        after: vec!["dead".into()],
        ..change("queue", "AWS::SQS::Queue", Action::Create)
    };
    let long = "x".repeat(80);
    let function = Change {
        identifier: Some("save".into()),
        properties: vec![
            property("/Timeout", known(value!(30)), known(value!(45))),
            property("/Code/ZipFile", Some(Shown::Hidden), Some(Shown::Hidden)),
            property(
                "/Environment/Variables/a.b",
                Some(Shown::Secret),
                Some(Shown::Secret),
            ),
            property("/Description", known(value!("gone")), None),
            property("/Handler", known(value!("a")), known(Value::from(long))),
            PropertyChange {
                drifted: true,
                ..property("/MemorySize", known(value!(128)), known(value!(256)))
            },
        ],
        ..change("function", "AWS::Lambda::Function", Action::Update)
    };
    let logs = Change {
        identifier: Some("/a".into()),
        sequence: Some(Sequence::CreateFirst),
        reasons: vec![reason("/LogGroupName", "create-only property changed")],
        properties: vec![PropertyChange {
            replaces: true,
            ..property("/LogGroupName", known(value!("/a")), known(value!("/b")))
        }],
        ..change("logs", "AWS::Logs::LogGroup", Action::Replace)
    };
    let table = Change {
        identifier: Some("orders".into()),
        certain: false,
        sequence: Some(Sequence::DeleteFirst),
        reasons: vec![reason("", "this type cannot be updated in place")],
        properties: vec![property("/Ref", known(value!("x")), Some(Shown::AfterDeploy))],
        ..change("table", "Example::Test::Table", Action::Replace)
    };
    let cache = Change {
        identifier: Some("c".into()),
        sequence: Some(Sequence::CreateFirst),
        replaces_if_refused: true,
        reasons: vec![reason(
            "/Mode",
            "the service may refuse to change this property in place",
        )],
        properties: vec![PropertyChange {
            replaces: true,
            ..property("/Mode", known(value!("a")), known(value!("b")))
        }],
        ..change("cache", "Example::Test::Cache", Action::Update)
    };
    let broken = Change {
        identifier: Some("b".into()),
        certain: false,
        problem: Some("it cannot be read: AccessDenied: no".into()),
        ..change("broken", "Example::Test::Cache", Action::Update)
    };
    let old = Change {
        identifier: Some("old".into()),
        notes: vec![Note::Leftover],
        ..change("old", "AWS::SQS::Queue", Action::Delete)
    };
    let same = Change {
        identifier: Some("same".into()),
        ..change("same", "AWS::SQS::Queue", Action::Unchanged)
    };
    Plan {
        changes: vec![queue, function, logs, table, cache, broken, same, old],
    }
}

const WHOLE: &str = r#"
  + create       queue     AWS::SQS::Queue
      + QueueName                          "orders"
      + RedrivePolicy.deadLetterTargetArn  (known after deploy)
      + Tags[0].Value                      (secret)
  ~ update       function  AWS::Lambda::Function  save
      ~ Timeout                       30 -> 45
      ~ Code.ZipFile                  (hidden, changed)
      ~ Environment.Variables["a.b"]  (secret, changed)
      - Description                   "gone"
      ~ Handler                       "a" -> "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (18 more)
      ~ MemorySize                    128 -> 256  # changed outside of the blueprint; set back
+/- replace      logs      AWS::Logs::LogGroup    /a
      ~ LogGroupName  "/a" -> "/b"  # create-only property changed
-/+ may replace  table     Example::Test::Table   orders
      ~ Ref  "x" -> (known after deploy)
      # this type cannot be updated in place
  ~ update       cache     Example::Test::Cache   c
      ~ Mode  "a" -> "b"  # the service may refuse to change this property in place; then the resource is replaced
  ~ may update   broken    Example::Test::Cache   b
      # it cannot be read: AccessDenied: no
  - delete       old       AWS::SQS::Queue        old
      # left over from an earlier deployment

plan: 1 to create, 3 to update, 2 to replace, 1 to delete, 1 unchanged (2 depend on what is known only after deploy)
+/- makes the new one, re-points what refers to it, then deletes the old one; -/+ deletes first"#;

#[test]
fn a_plan_for_people() {
    let shown = text(&everything(), Detail::Whole, false);
    assert_eq!(shown, WHOLE.trim_start_matches('\n'), "\n{shown}");
}

#[test]
fn before_the_work_a_new_resource_is_one_line_and_on_request_nothing_is_left_out() {
    let compact = text(&everything(), Detail::Compact, false);
    assert!(
        compact.contains("queue  ") && !compact.contains("QueueName"),
        "{compact}"
    );
    assert!(compact.contains("Timeout"), "{compact}");
    let all = text(&everything(), Detail::All, false);
    assert!(all.contains("  = unchanged    same"), "{all}");
}

#[test]
fn a_plan_with_nothing_to_do_says_so() {
    let same = |count: usize| Plan {
        changes: vec![change("q", "A::B::C", Action::Unchanged); count],
    };
    for (count, said) in [
        (0, "nothing to do: there are no resources"),
        (1, "nothing to do: the resource is as the blueprint wants it"),
        (
            3,
            "nothing to do: all 3 resources are as the blueprint wants them",
        ),
    ] {
        assert_eq!(text(&same(count), Detail::Whole, false), said);
    }
}

#[test]
fn colours_come_only_when_asked_for() {
    assert!(text(&everything(), Detail::All, true).contains('\u{1b}'));
    assert!(!text(&everything(), Detail::All, false).contains('\u{1b}'));
}

#[test]
fn a_plan_for_scripts_marks_what_is_no_value() {
    let plan = json("orders", &everything());
    assert_eq!(plan["instance"], "orders");
    assert_eq!(
        plan["summary"],
        value!({"create": 1, "update": 3, "replace": 2, "delete": 1, "retain": 0, "unchanged": 1, "uncertain": 2})
    );
    let queue = &plan["resources"][0];
    assert_eq!(
        (
            &queue["action"],
            &queue["certain"],
            &queue["identifier"],
            &queue["after"]
        ),
        (&value!("create"), &value!(true), &Value::Null, &value!(["dead"]))
    );
    let afters: Vec<&Value> = queue["properties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["after"])
        .collect();
    assert_eq!(
        afters,
        [
            &value!({"value": "orders"}),
            &value!({"knownAfterDeploy": true}),
            &value!({"secret": true})
        ]
    );
    assert_eq!(plan["resources"][2]["sequence"], "create-first");
    assert_eq!(plan["resources"][2]["reasons"][0]["pointer"], "/LogGroupName");
    assert_eq!(plan["resources"][4]["replacesIfRefused"], true);
    assert_eq!(plan["resources"][7]["notes"][0]["code"], "leftover");
}
