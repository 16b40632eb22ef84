//! References between resources: judged by their types before a deployment, and by their values in it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod world;

use formwork_blueprint::Source;
use formwork_engine::{EngineError, Goal, Target};
use std::fmt::Write as _;
use world::{World, target};

async fn problems(text: &str) -> Vec<String> {
    match World::new().engine().check(&target(text)).await {
        Ok(_) => Vec::new(),
        Err(EngineError::Invalid { problems }) => problems
            .iter()
            .map(|problem| {
                let help = problem.help.as_deref().unwrap_or_default();
                format!("{}: {} ({help})", problem.code, problem.message)
            })
            .collect(),
        Err(other) => panic!("{other}"),
    }
}

/// A blueprint with a resource to refer to, and one that refers to it.
fn referring(expression: &str) -> String {
    format!(
        r#"
version: 2023-04-20
variables: {{json: {{type: string, default: "{{}}"}}}}
resources:
  first:
    type: "Test::Fake::Thing"
    metadata: {{labels: {{app: orders}}}}
    spec: {{name: first, refs: [a, b], kind: "${{variables.json}}"}}
  second:
    type: "Test::Fake::Thing"
    metadata: {{custom: {{found: "{expression}"}}}}
    spec: {{name: second}}
"#
    )
}

#[tokio::test(start_paused = true)]
async fn references_are_judged_by_the_types_of_resources() {
    for (expression, expected) in [
        ("${first.state.arn}", ""),
        ("${first.state.Arn}", ""),
        ("${first.state.thingName}", ""),
        ("${first.state.id}", ""),
        ("${first.spec.Name}", ""),
        ("${first.spec.count}", ""),
        ("${first.state.refs[3]}", ""),
        ("${len(first.state.refs)}", ""),
        (
            "${first.state.arm}",
            "unknown-attribute: `first` (Test::Fake::Thing) has no attribute `arm` (did you mean `arn`?)",
        ),
        (
            "${first.state.arn.region}",
            "unknown-attribute: `resources.first.state.arn` is a string: it has no fields ()",
        ),
        (
            "${first.state.arn[0]}",
            "unknown-attribute: `resources.first.state.arn` is a string: it has no items ()",
        ),
        (
            "${first.state.refs.x}",
            "unknown-attribute: `resources.first.state.refs` is a list: it has no field `x` (pick one of its items: `resources.first.state.refs[0].x`)",
        ),
        (
            "${first.state.secret}",
            "unknown-attribute: `first` (Test::Fake::Thing) never tells its `secret`: it is write-only (refer to what is given to it: `resources.first.spec.secret`)",
        ),
        (
            "${first.spec.cuont}",
            "unknown-property: `first` (Test::Fake::Thing) has no property `cuont` (did you mean `count`?)",
        ),
        (
            "${first.spec.nmae}",
            "unknown-property: `first` (Test::Fake::Thing) has no property `nmae` (did you mean `name`?)",
        ),
        (
            "${first.spec.refs[2]}",
            "unknown-field: `resources.first.spec.refs` has no item 2: it has 2 items, numbered from 0 ()",
        ),
        (
            "${first.metadata.labels.ap}",
            "unknown-field: `resources.first.metadata.labels` has no field `ap` (did you mean `app`?)",
        ),
        (
            "x-${first.state.refs}",
            "complex-interpolation: `resources.first.state.refs` is a list, which cannot become part of a text (make the substitution the whole value, or pick one field of it)",
        ),
        (
            "${trim(first.state.count)}",
            "argument-type: `text` of `trim` must be a string, found an integer (it is called as `trim(text)`)",
        ),
    ] {
        let found = problems(&referring(expression)).await;
        assert_eq!(found.join("\n"), expected, "{expression}");
    }
}

#[tokio::test(start_paused = true)]
async fn exports_are_judged_by_the_types_of_resources() {
    let text = referring("") + "exports: {n: {type: string, field: first.state.count}}\n";
    assert_eq!(
        problems(&text).await,
        [
            "export-type-mismatch: the export is declared as `string`, but `resources.first.state.count` is an integer (declare it as `integer`)"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_language_and_of_types_are_told_at_once() {
    let text =
        referring("${first.state.arm} ${variables.jsn}") + "  third: {type: \"Test::Fake::Nothing\"}\n";
    assert_eq!(
        problems(&text).await,
        [
            "unknown-attribute: `first` (Test::Fake::Thing) has no attribute `arm` (did you mean `arn`?)",
            "unknown-variable: there is no variable `jsn` (did you mean `json`?)",
            "unknown-type: there is no resource type `Test::Fake::Nothing` ()",
        ]
    );
}

/// Deploys a resource with a value from JSON, and exports that.
async fn exported(kind: &str, json: &str, secret: bool) -> Result<String, String> {
    let mut target = target(&format!(
        r#"
version: 2023-04-20
variables: {{json: {{type: string, secret: {secret}}}}}
resources:
  thing:
    type: "Test::Fake::Thing"
    metadata: {{custom: {{value: "${{fromjson(variables.json, \"/a\")}}"}}}}
    spec: {{name: thing}}
exports: {{value: {{type: {kind}, field: thing.metadata.custom.value}}}}
"#
    ));
    target.variables.insert("json".into(), json.into());
    let outcome = World::new().carry_out("create", Goal::Deploy(target)).await;
    match outcome.failures.first() {
        None => Ok(outcome.exports["value"].to_json().to_string()),
        Some(failure) => {
            assert!(!outcome.succeeded);
            Err(failure.to_string())
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_export_of_another_type_fails_the_deployment_and_shows_no_secret() {
    assert_eq!(exported("integer", r#"{"a": 5}"#, false).await.unwrap(), "5");
    assert_eq!(exported("float", r#"{"a": 5}"#, false).await.unwrap(), "5");
    assert_eq!(exported("array", r#"{"a": [5]}"#, false).await.unwrap(), "[5]");
    let wrong = exported("integer", r#"{"a": "five"}"#, false).await.unwrap_err();
    assert!(
        wrong.contains("export `value` failed")
            && wrong.contains("export-type-mismatch: the export is declared as `integer`, but `resources.thing.metadata.custom.value` is the string `five`"),
        "{wrong}"
    );
    let secret = exported("integer", r#"{"a": "hunter2"}"#, true)
        .await
        .unwrap_err();
    assert!(
        secret.contains("is a string") && !secret.contains("hunter2"),
        "{secret}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_inline_blueprint_exports_the_type_that_it_declares() {
    let blueprint = serde_json::json!({
        "version": "2023-04-20",
        "resources": {"thing": {"type": "Test::Fake::Thing", "spec": {"name": "thing", "count": "120"}}},
        "exports": {"count": {"type": "integer", "field": "thing.spec.count"}},
    });
    let target = Target::new(Source::inline("Blueprint", &blueprint));
    let outcome = World::new().carry_out("create", Goal::Deploy(target)).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(outcome.exports["count"].to_json(), serde_json::json!(120));
}

#[tokio::test(start_paused = true)]
async fn long_chains_of_references_are_no_deep_recursion() {
    let mut text = "version: 2023-04-20\nresources:\n".to_owned();
    // The last of the chain is the first to be evaluated.
    for index in (0..4_000_usize).rev() {
        let value = match index {
            0 => "x".to_owned(),
            _ => format!("${{r{}.spec.value}}", index - 1),
        };
        let _infallible = writeln!(
            text,
            "  r{index}: {{type: \"Test::Fake::Thing\", spec: {{name: r{index}, value: \"{value}\"}}}}"
        );
    }
    assert_eq!(problems(&text).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn values_that_refer_twice_to_each_other_are_evaluated_once() {
    let mut text = "version: 2023-04-20\nresources:\n".to_owned();
    for index in 0..64_usize {
        let value = match index {
            0 => String::new(),
            _ => {
                let before = format!("${{r{}.metadata.displayName}}", index - 1);
                format!("{before}{before}")
            }
        };
        let _infallible = writeln!(
            text,
            "  r{index}:\n    type: \"Test::Fake::Thing\"\n    metadata: {{displayName: \"{value}\"}}\n    spec: {{name: r{index}}}"
        );
    }
    text += "exports: {all: {type: string, field: r63.metadata.displayName}}\n";
    let outcome = World::new()
        .carry_out("create", Goal::Deploy(target(&text)))
        .await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(outcome.exports["all"].to_json(), "");
}
