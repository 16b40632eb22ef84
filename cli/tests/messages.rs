//! What people are told by `formwork validate` and `formwork eval`, and where they may write what they ask about.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a file in it, and what the command says there when it is given this on standard input.
struct Case {
    folder: TempDir,
}

struct Said {
    status: Option<i32>,
    out: String,
    error: String,
}

fn with(file: &str, content: impl AsRef<[u8]>) -> Case {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), content).unwrap();
    Case { folder }
}

impl Case {
    fn formwork(&self, arguments: &[&str], input: &str) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read it closes the pipe.
        let _ = command.stdin.take().unwrap().write_all(input.as_bytes());
        let output = command.wait_with_output().unwrap();
        Said {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            error: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[track_caller]
fn check_eval(context: &str, text: &str, expected: (Option<i32>, &str, &str)) {
    let said = with("context", context).formwork(&["eval", text, "--context", "context"], "");
    assert_eq!((said.status, said.out.as_str(), said.error.as_str()), expected);
}

const QUEUE: &str = "version: 2023-04-20\nresources: {queue: {type: aws/sqs/queue}}\n";

#[test]
fn blueprints_come_from_standard_input() {
    let case = with("unused", "");
    let said = case.formwork(&["validate", "-"], QUEUE);
    assert_eq!((said.status, said.out.as_str()), (Some(0), "<stdin>: valid\n"));
    let said = case.formwork(&["validate", "-"], &QUEUE.replace("queue}", "quue}"));
    assert_eq!(
        (said.status, said.error.as_str()),
        (Some(1), "<stdin>: 1 error\n")
    );
    assert!(said.out.contains(" --> <stdin>:2:27\n"), "{}", said.out);
    let said = case.formwork(&["graph", "-", "--to", "dot"], QUEUE);
    assert!(said.out.starts_with("digraph \"<stdin>\" {"), "{}", said.out);
}

#[test]
fn warnings_are_counted() {
    let linked = "version: 2023-04-20
resources:
  user: {type: aws/sqs/queue, linkSelector: {byLabel: {app: orders}}}
  used: {type: aws/sqs/queue, metadata: {labels: {app: orders}}}
";
    let said = with("a.yaml", linked).formwork(&["validate", "a.yaml"], "");
    let last = said.out.lines().last().unwrap_or_default();
    let warnings = said
        .out
        .lines()
        .filter(|line| line.starts_with("warning["))
        .count();
    match warnings {
        0 => assert_eq!(last, "a.yaml: valid"),
        1 => assert_eq!(last, "a.yaml: valid, 1 warning"),
        many => assert_eq!(last, format!("a.yaml: valid, {many} warnings")),
    }
    assert_eq!(said.status, Some(0));
}

#[test]
fn what_is_no_text_is_told_with_its_place() {
    let said = with("a.yaml", b"version: 2023-04-20\n# M\xfcnchen\n").formwork(&["validate", "a.yaml"], "");
    assert_eq!(said.status, Some(1));
    assert!(
        said.out.contains("the byte 0xFC is not UTF-8\n --> a.yaml:2:4"),
        "{}",
        said.out
    );
}

#[test]
fn a_document_in_one_line_is_shown_around_the_place() {
    let mut text = String::from("{\"version\": \"2023-04-20\", \"resources\": {");
    for number in 0..15 {
        let next = (number + 1) % 15;
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(
            text,
            "{comma}\"r{number}\": {{\"type\": \"aws/sqs/queue\", \"spec\": {{\"queueName\": \"${{r{next}.state.arn}}\"}}}}"
        );
    }
    text.push_str("}}");
    let said = with("a.json", &text).formwork(&["validate", "a.json"], "");
    assert_eq!(said.status, Some(1));
    let lines = said.out.lines().filter(|line| !line.starts_with("error["));
    let longest = lines.map(|line| line.chars().count()).max().unwrap();
    assert!(longest < 250, "{longest}: {}", said.out);
    assert!(
        said.out
            .contains("= note: `r3` refers to `r4` here: line 1, column "),
        "{}",
        said.out
    );
    assert!(said.out.contains("= note: and 5 more"), "{}", said.out);
}

#[test]
fn contexts_are_json_or_yaml() {
    let json = r#"{"variables": {"stage": "dev"}}"#;
    check_eval(json, "x-${variables.stage}", (Some(0), "x-dev\n", ""));
    let yaml = "resources:\n  queue: {state: {id: q-1, arn: 'arn:x'}}\n";
    check_eval(yaml, "${queue} ${queue.state.arn}", (Some(0), "q-1 arn:x\n", ""));
    check_eval("", "nothing needed", (Some(0), "nothing needed\n", ""));
    let case = with("unused", "");
    let said = case.formwork(
        &["eval", "${variables.a}", "--context", "-"],
        "variables: {a: [1.10]}\n",
    );
    assert_eq!((said.status, said.out.as_str()), (Some(0), "[1.10]\n"));
}

#[test]
fn contexts_that_mean_something_else_are_refused() {
    let hint = "hint: expected a map of `variables`, `resources`, `datasources` and `children`, in JSON or YAML; a \
                resource has `spec`, `state` and `metadata`\n";
    for (context, expected) in [
        (
            "variable: {a: 1}",
            "error: context: `variable` is no section of a context\nhint: did you mean `variables`?\n"
                .to_owned(),
        ),
        (
            "resources: {queue: {stat: {}}}",
            "error: context: `stat` is no field of the resource `queue`\nhint: did you mean `state`?\n"
                .to_owned(),
        ),
        ("[1]", format!("error: context: the context is a list\n{hint}")),
        (
            "variables: 5",
            format!("error: context: `variables` is a number\n{hint}"),
        ),
        (
            "resources: {queue: q}",
            format!("error: context: the resource `queue` is a string\n{hint}"),
        ),
        (
            "[",
            format!("error: context:1:1: `[` is not closed (close it with `]`)\n{hint}"),
        ),
    ] {
        check_eval(context, "${variables.a}", (Some(2), "", &expected));
    }
}

#[test]
fn texts_come_from_standard_input() {
    let case = with("context", "variables: {stage: dev}");
    let said = case.formwork(&["eval", "-", "--context", "context"], "a\n${variables.stage}\n");
    assert_eq!((said.status, said.out.as_str()), (Some(0), "a\ndev\n"));
    let said = case.formwork(&["eval", "-", "--context", "context"], "a\n${variables.stag}\n");
    assert_eq!(said.status, Some(1));
    assert!(said.out.contains(" --> TEXT:2:3\n"), "{}", said.out);
    let said = case.formwork(&["eval", "-", "--context", "-"], "");
    assert_eq!(said.status, Some(2));
}

#[test]
fn who_gives_no_context_is_told_of_it() {
    let said = with("unused", "").formwork(&["eval", "${variables.stage}"], "");
    assert_eq!(said.status, Some(1));
    assert_eq!(
        said.error,
        "hint: values come from a JSON or YAML file: `--context FILE`\n"
    );
}

#[test]
fn shells_complete_the_command() {
    let case = with("unused", "");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = case.formwork(&["completions", shell], "");
        assert_eq!(said.status, Some(0));
        assert!(said.out.contains("validate"), "{shell}: {}", said.out);
    }
    assert_eq!(case.formwork(&["completions", "cmd"], "").status, Some(2));
}
