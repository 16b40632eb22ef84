//! `formwork graph` as scripts and documents use it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/graph"))
}

fn graph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_formwork"))
        .arg("graph")
        .args(arguments)
        .current_dir(folder())
        .env_clear()
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// What is drawn has to be what the file holds: whoever changes one looks at the other.
#[track_caller]
fn check_picture(blueprint: &str, notation: &str, file: &str) {
    let output = graph(&[blueprint, "--to", notation]);
    let kept = std::fs::read_to_string(folder().join(file)).unwrap();
    assert_eq!(
        stdout(&output),
        kept,
        "look at it, and if it is right: formwork graph {blueprint} --to {notation} > {file}"
    );
}

#[test]
fn pictures_are_those_that_are_kept() {
    for (notation, ending) in [("mermaid", "mmd"), ("dot", "dot"), ("svg", "svg")] {
        for name in ["shop", "cycle"] {
            check_picture(&format!("{name}.yaml"), notation, &format!("{name}.{ending}"));
        }
    }
}

#[test]
fn the_picture_in_the_readme_is_that_of_its_example() {
    check_picture(
        "../../../examples/orders-blueprint.yaml",
        "svg",
        "../../../docs/images/orders.svg",
    );
}

#[test]
fn a_valid_blueprint_is_drawn_and_nothing_else_is_said() {
    let output = graph(&["shop.yaml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("flowchart LR\n"));
    assert_eq!(stderr(&output), "");
}

#[test]
fn cycles_are_drawn_and_told() {
    let output = graph(&["cycle.yaml", "--to", "dot"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("\"resources.first\" -> \"resources.second\" [color="));
    assert!(stdout(&output).contains("\"resources.outside\" -> \"resources.first\"\n"));
    let told = stderr(&output);
    assert!(
        told.contains("references form a cycle: `first` -> `second` -> `third` -> `first`"),
        "{told}"
    );
    assert!(told.contains("`self` refers to itself"), "{told}");
}

#[test]
fn what_is_wrong_otherwise_is_told_and_what_cannot_be_read_is_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    let cases = [
        ("  a: {type: aws/sqs/quue}", "did you mean `aws/sqs/queue`?", true),
        ("  a: {typ: aws/sqs/queue}", "did you mean `type`?", false),
    ];
    for (resource, told, drawn) in cases {
        std::fs::write(&file, format!("version: 2023-04-20\nresources:\n{resource}\n")).unwrap();
        let output = graph(&[&file.display().to_string()]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(!stdout(&output).is_empty(), drawn, "{}", stdout(&output));
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
    let output = graph(&["nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn scripts_read_nodes_edges_and_cycles() {
    let output = graph(&["shop.yaml", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["valid"], true);
    assert_eq!(report["diagnostics"], json!([]));
    assert_eq!(report["cycles"], json!([]));
    assert_eq!(report["nodes"].as_array().unwrap().len(), 8);
    assert_eq!(
        report["nodes"][5],
        json!({
            "id": "resources[\"alarm.mails\"]", "kind": "resource", "name": "alarm.mails",
            "type": "AWS::CloudWatch::Alarm", "line": 52, "column": 3,
        })
    );
    assert_eq!(
        report["nodes"][7],
        json!({
            "id": "children.core", "kind": "child", "name": "core", "path": "core.yaml", "line": 15, "column": 3,
        })
    );
    assert_eq!(
        report["edges"][2],
        json!({
            "from": "resources.checkout", "to": "resources.orders", "kind": "link", "line": 22, "column": 29,
        })
    );

    let output = graph(&["cycle.yaml", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["valid"], false);
    assert_eq!(report["diagnostics"].as_array().unwrap().len(), 3);
    assert_eq!(
        report["cycles"],
        json!([
            ["resources.self"],
            ["resources.first", "resources.second", "resources.third"],
            ["resources.user", "resources.used"],
        ])
    );
}
