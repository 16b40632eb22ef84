//! `--aws`: the same commands on an account. The account is a served sandbox, found as every AWS tool finds one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

const BLUEPRINT: &str = "version: 2023-04-20
resources:
  jobs:
    type: aws/sqs/queue
    spec:
      queueName: jobs
      visibilityTimeout: 60
exports:
  url:
    type: string
    field: resources.jobs.state.queueUrl
";

/// A served sandbox, a profile that reaches it, and a blueprint.
struct Account {
    server: Child,
    endpoint: String,
    folder: TempDir,
}

impl Drop for Account {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Account {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(["sandbox", "--port", "0", "--latency", "0"])
            .env_clear()
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let endpoint = line
            .split_whitespace()
            .find(|word| word.starts_with("http"))
            .unwrap()
            .to_owned();
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        write("jobs.yaml", BLUEPRINT.to_owned());
        write(
            "config",
            format!("[profile sandbox]\nregion = eu-west-1\nendpoint_url = {endpoint}\n"),
        );
        write(
            "credentials",
            "[sandbox]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n".to_owned(),
        );
        Account {
            server,
            endpoint,
            folder,
        }
    }

    fn bare(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_CONFIG_FILE", self.folder.path().join("config"))
            .env(
                "AWS_SHARED_CREDENTIALS_FILE",
                self.folder.path().join("credentials"),
            )
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn formwork(&self, arguments: &[&str]) -> Output {
        let environment = [
            ("AWS_PROFILE", "sandbox"),
            ("FORMWORK_STATE_URL", "s3://formwork-state/people"),
        ];
        self.bare(arguments, &environment)
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn done(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_life_in_an_account_that_a_profile_names() {
    let account = Account::new();
    let deployed = done(&account.formwork(&["deploy", "jobs.yaml", "--aws", "--yes", "--format", "json"]));
    assert_eq!(deployed["succeeded"], json!(true));
    let plan = done(&account.formwork(&["plan", "jobs.yaml", "--aws", "--format", "json"]));
    assert_eq!(plan["resources"][0]["action"], "unchanged", "{plan}");
    let state = [
        "state",
        "list",
        "--state-url",
        "s3://formwork-state/people",
        "--format",
        "json",
    ];
    assert_eq!(done(&account.formwork(&state))[0]["instance"], "cli/jobs/jobs");
    let destroyed = done(&account.formwork(&["destroy", "jobs.yaml", "--aws", "--yes", "--format", "json"]));
    assert_eq!(destroyed["resources"][0]["action"], "delete", "{destroyed}");
    assert_eq!(done(&account.formwork(&state)), json!([]));
}

#[test]
fn an_account_is_changed_by_nobody_who_was_not_asked() {
    let account = Account::new();
    let output = account.formwork(&["deploy", "jobs.yaml", "--aws"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("+ create  jobs"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stderr).contains("`--yes`"),
        "{}",
        text(&output.stderr)
    );
    let plan = done(&account.formwork(&["plan", "jobs.yaml", "--aws", "--format", "json"]));
    assert_eq!(plan["resources"][0]["action"], "create", "{plan}");
}

/// Arguments, environment, and what has to be said.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);

#[test]
fn what_is_missing_is_said_by_name() {
    let account = Account::new();
    let plan = [
        "plan",
        "jobs.yaml",
        "--aws",
        "--state-url",
        "s3://formwork-state/people",
    ];
    let keys = [
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "example"),
    ];
    let cases: [Case<'_>; 5] = [
        (&plan[..3], &[("AWS_PROFILE", "sandbox")], "`FORMWORK_STATE_URL`"),
        (&plan, &keys, "`AWS_REGION`"),
        (&plan, &[("AWS_REGION", "eu-west-1")], "there are no credentials"),
        (
            &plan,
            &[("AWS_PROFILE", "sandbox"), ("AWS_ENDPOINT_URL_S3", "nowhere")],
            "`AWS_ENDPOINT_URL_S3`",
        ),
        (
            &["plan", "jobs.yaml", "--aws", "--sandbox", "x"],
            &[],
            "--sandbox",
        ),
    ];
    for (arguments, environment, expected) in cases {
        let output = account.bare(arguments, environment);
        let told = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?} {environment:?}: {told}"
        );
        assert!(told.contains(expected), "{arguments:?} {environment:?}: {told}");
    }
    let environment = [
        keys[0],
        keys[1],
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", &account.endpoint),
    ];
    let output = account.bare(&plan, &environment);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
