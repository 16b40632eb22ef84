//! `formwork state` as an operator uses it: on a sandbox's folder, on files, and on a bucket through the wire.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

const SECRET: &str = "t0ps3cret";

const BLUEPRINT: &str = r#"version: 2023-04-20
variables:
  token:
    type: string
    secret: true
resources:
  dead:
    type: aws/sqs/queue
    spec:
      queueName: jobs-dead
  jobs:
    type: aws/sqs/queue
    spec:
      queueName: jobs
      redrivePolicy:
        deadLetterTargetArn: ${resources.dead.state.arn}
        maxReceiveCount: 3
  topic:
    type: aws/sns/topic
    spec:
      topicName: jobs-done
      displayName: ${variables.token}
"#;

const DEAD: &str = "https://sqs.eu-west-1.amazonaws.com/123456789012/jobs-dead";

/// A blueprint in a folder, and a sandbox beside it.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("jobs.yaml"), BLUEPRINT).unwrap();
        Stage { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn blueprint(&self, command: &str, latency: &str) -> Command {
        self.command(&[
            command,
            "jobs.yaml",
            "--sandbox",
            "cloud",
            "--latency",
            latency,
            "--variables",
            "token=t0ps3cret",
        ])
    }

    fn deploy(&self) {
        let output = self.blueprint("deploy", "0").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }

    fn plan(&self) -> Value {
        let output = self
            .blueprint("plan", "0")
            .args(["--format", "json"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// `formwork state` on the sandbox's folder.
    fn state(&self, arguments: &[&str]) -> Output {
        let mut all = vec!["state"];
        all.extend(arguments);
        all.extend(["--sandbox", "cloud"]);
        let output = self.run(&all);
        for told in [text(&output.stdout), text(&output.stderr)] {
            assert!(!told.contains(SECRET), "{arguments:?}: {told}");
        }
        output
    }

    fn json(&self, arguments: &[&str], code: i32) -> Value {
        let mut all = arguments.to_vec();
        all.extend(["--format", "json"]);
        let output = self.state(&all);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Begins a deploy whose operations take longer than anybody waits, and kills it once they are under way.
    fn cut_off(&self) {
        let mut deploy = self
            .blueprint("deploy", "3600000")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert_eq!(deploy.try_wait().unwrap(), None, "the deploy ended by itself");
            let known = self.path("cloud/cloud.json");
            let begun = std::fs::read_to_string(known).unwrap_or_default();
            // Both that depend on nothing have begun, and their tokens were written down.
            let pending = self.state(&["pending", "jobs", "--format", "json"]);
            let tokens = text(&pending.stdout).matches("\"requestToken\": \"").count();
            if begun.contains("jobs-dead") && tokens == 2 {
                break;
            }
        }
        deploy.kill().unwrap();
        deploy.wait().unwrap();
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn what_is_stored_is_listed_and_shown_without_secrets() {
    let stage = Stage::new();
    stage.deploy();
    let list = stage.state(&["list"]);
    assert_eq!(
        text(&list.stdout),
        "cli/jobs/jobs  3 resources; deploy succeeded\n",
        "{}",
        text(&list.stderr)
    );
    let shown = stage.json(&["show", "jobs"], 0);
    assert_eq!(
        (&shown["phase"], &shown["goal"], &shown["succeeded"]),
        (&json!("settled"), &json!("deploy"), &json!(true))
    );
    let topic = stage.json(&["show", "cli/jobs/jobs", "topic"], 0);
    assert_eq!(topic["applied"]["DisplayName"], "*****");
    assert_eq!(topic["hidden"], json!(["/DisplayName"]));
    assert_eq!(topic["applied"]["TopicName"], "jobs-done");
    assert_eq!(topic["live"], Value::Null, "what a service has added is not kept");
    let jobs = stage.state(&["show", "jobs", "jobs"]);
    assert!(
        text(&jobs.stdout).contains("built upon dead\napplied:\n"),
        "{}",
        text(&jobs.stdout)
    );
    let idle = stage.state(&["pending"]);
    assert_eq!(
        (text(&idle.stdout), text(&idle.stderr)),
        ("", "nothing is under way\n")
    );
    let free = stage.state(&["unlock", "jobs"]);
    assert_eq!(free.status.code(), Some(0));
    assert_eq!(
        text(&free.stderr),
        "cli/jobs/jobs: nothing holds this deployment\n"
    );
}

#[test]
fn what_is_named_wrongly_is_wrong_usage_with_a_way_out() {
    let stage = Stage::new();
    let nowhere = stage.state(&["list"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        text(&nowhere.stderr).contains("there is no sandbox in `cloud`"),
        "{}",
        text(&nowhere.stderr)
    );
    assert!(!stage.path("cloud").exists(), "looking makes nothing");
    stage.deploy();
    let cases: [(&[&str], &str); 4] = [
        (&["show", "job"], "hint: there is `cli/jobs/jobs`"),
        (
            &["show", "jobs", "queue"],
            "hint: there is `dead`, `jobs`, `topic`",
        ),
        (
            &["forget", "jobs", "queue", "--yes"],
            "`queue` is no resource of `cli/jobs/jobs`",
        ),
        (&["forget", "jobs", "topic"], "hint: give `--yes`"),
    ];
    for (arguments, expected) in cases {
        let output = stage.state(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(expected),
            "{}",
            text(&output.stderr)
        );
    }
    assert_eq!(stage.plan()["summary"]["unchanged"], 3, "nothing was forgotten");
}

#[test]
fn a_forgotten_resource_stays_in_the_cloud_and_an_adopted_one_is_updated_instead_of_made() {
    let stage = Stage::new();
    stage.deploy();
    let forgotten = stage.json(&["forget", "jobs", "dead", "--yes"], 0);
    assert_eq!(
        forgotten,
        json!({"instance": "cli/jobs/jobs", "changed": true, "problem": null})
    );
    assert_eq!(stage.plan()["summary"]["create"], 1);

    let adopt = |resource: &str, identifier: &str, type_name: &str, code: i32| {
        stage.json(
            &["adopt", "jobs", resource, identifier, "--type", type_name],
            code,
        )["problem"]
            .clone()
    };
    let missing = adopt("dead", &format!("{DEAD}-er"), "aws/sqs/queue", 1);
    assert!(missing.as_str().unwrap().contains("cannot be read"), "{missing}");
    let other = adopt("dead", DEAD, "aws/sns/topic", 1);
    assert!(other.as_str().unwrap().contains("cannot be read"), "{other}");
    assert_eq!(adopt("dead", DEAD, "aws/sqs/queue", 0), Value::Null);
    let twice = adopt("dead", DEAD, "aws/sqs/queue", 1);
    assert_eq!(twice, format!("`dead` is already known, as {DEAD}"));
    let second = adopt("spare", DEAD, "AWS::SQS::Queue", 1);
    assert_eq!(
        second,
        format!("{DEAD} already belongs to `dead` of `cli/jobs/jobs`")
    );

    let plan = stage.plan();
    assert_eq!(
        (&plan["summary"]["create"], &plan["summary"]["unchanged"]),
        (&json!(0), &json!(3)),
        "{plan:#}"
    );
    stage.deploy();
    let destroyed = stage.blueprint("destroy", "0").output();
    // `destroy` takes no variables.
    assert_eq!(destroyed.unwrap().status.code(), Some(2));
    let destroyed = stage.run(&["destroy", "jobs.yaml", "--sandbox", "cloud", "--latency", "0"]);
    assert_eq!(destroyed.status.code(), Some(0), "{}", text(&destroyed.stderr));
    let cloud = std::fs::read_to_string(stage.path("cloud/cloud.json")).unwrap();
    let cloud: Value = serde_json::from_str(&cloud).unwrap();
    assert_eq!(cloud["resources"], json!({}), "{cloud:#}");
}

#[test]
fn what_exists_can_be_adopted_before_the_first_deploy() {
    let stage = Stage::new();
    let alone = "version: 2023-04-20\nresources:\n  q:\n    type: aws/sqs/queue\n    spec:\n      queueName: jobs-dead\n";
    std::fs::write(stage.path("alone.yaml"), alone).unwrap();
    let at = ["--sandbox", "cloud", "--latency", "0"];
    let made = stage
        .command(&["deploy", "alone.yaml"])
        .args(at)
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let owned = stage.json(&["adopt", "jobs", "dead", DEAD, "--type", "aws/sqs/queue"], 1);
    assert_eq!(
        owned["problem"],
        format!("{DEAD} already belongs to `q` of `cli/alone/alone`")
    );
    stage.json(&["forget", "alone", "q", "--yes"], 0);
    stage.json(&["adopt", "jobs", "dead", DEAD, "--type", "aws/sqs/queue"], 0);
    assert_eq!(
        stage.json(&["list"], 0)[1]["goal"],
        Value::Null,
        "it was never deployed"
    );
    let plan = stage.plan();
    assert_eq!(plan["summary"]["create"], 2, "{plan:#}");
    stage.deploy();
}

#[test]
fn an_unfinished_deployment_tells_what_it_waits_for_and_can_be_ended() {
    let stage = Stage::new();
    stage.cut_off();
    let pending = stage.json(&["pending"], 0);
    let rows = pending[0]["resources"].as_array().unwrap();
    assert_eq!(pending[0]["phase"], "running");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row("dead")["waitsFor"], json!({"for": "operation"}));
    assert_eq!(row("dead")["operation"]["operation"], "create");
    assert!(row("dead")["operation"]["started"].is_string());
    assert_eq!(
        row("jobs")["waitsFor"],
        json!({"for": "resources", "resources": ["dead"]})
    );
    let told = stage.state(&["pending", "jobs"]);
    assert!(
        text(&told.stdout).contains("waits for the end of the operation; since "),
        "{}",
        text(&told.stdout)
    );

    let refused = stage.json(&["forget", "jobs", "dead", "--yes"], 1);
    assert!(
        refused["problem"]
            .as_str()
            .unwrap()
            .starts_with("a deployment is running"),
        "{refused}"
    );
    let asked = stage.state(&["unlock", "jobs"]);
    assert_eq!(
        asked.status.code(),
        Some(2),
        "without a terminal it has to be confirmed"
    );
    let ended = stage.state(&["unlock", "jobs", "--yes"]);
    assert_eq!(ended.status.code(), Some(0));
    assert!(
        text(&ended.stderr).contains("somebody may be carrying it on"),
        "{}",
        text(&ended.stderr)
    );
    let shown = stage.json(&["show", "jobs"], 0);
    assert_eq!(
        shown["failures"],
        json!(["deploy failed: Released: an operator has ended it"])
    );
    assert_eq!(
        shown["resources"][0]["operation"]["operation"], "create",
        "{shown:#}"
    );
    stage.json(&["forget", "jobs", "topic", "--yes"], 0);
}

#[test]
fn a_newer_format_is_told_and_left_alone() {
    let stage = Stage::new();
    let folder = stage.path("state/instances/stack/Orders");
    std::fs::create_dir_all(&folder).unwrap();
    let document = br#"{"format": "formwork.state/2", "resources": []}"#;
    std::fs::write(folder.join("one.json"), document).unwrap();
    let url = format!("file://{}", stage.path("state").display());
    let list = stage.run(&["state", "list", "--state-url", &url]);
    assert_eq!(list.status.code(), Some(0), "{}", text(&list.stderr));
    assert_eq!(
        text(&list.stdout),
        "stack/Orders/one  the stored deployment has format `formwork.state/2`, newer than `formwork.state/1`\n"
    );
    for command in [
        &["show", "one"][..],
        &["unlock", "one", "--yes"],
        &["forget", "one", "queue", "--yes"],
        &["adopt", "one", "queue", "id", "--type", "aws/sqs/queue"],
    ] {
        let mut all = vec!["state"];
        all.extend(command);
        all.extend(["--state-url", &url]);
        let output = stage.run(&all);
        assert_eq!(output.status.code(), Some(3), "{command:?}");
        assert!(
            text(&output.stderr).contains("newer than `formwork.state/1`"),
            "{}",
            text(&output.stderr)
        );
        assert_eq!(std::fs::read(folder.join("one.json")).unwrap(), document);
    }
}

/// A sandbox in a process of its own, gone with this value.
struct Served(Child, String);

impl Served {
    fn start(stage: &Stage) -> Self {
        let mut child = stage
            .command(&["sandbox", "--port", "0", "--dir", "cloud", "--format", "json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut announced = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while !announced.contains('}') {
            assert!(lines.read_line(&mut announced).unwrap() > 0, "{announced}");
        }
        let announced: Value = serde_json::from_str(&announced).unwrap();
        Served(child, announced["endpoint"].as_str().unwrap().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_functions_own_store_is_reached_with_their_settings() {
    let stage = Stage::new();
    stage.deploy();
    let served = Served::start(&stage);
    let state = |arguments: &[&str]| {
        let mut all = vec!["state"];
        all.extend(arguments);
        all.extend(["--state-url", "s3://formwork-state/formwork", "--format", "json"]);
        let mut command = stage.command(&all);
        command
            .env("AWS_ENDPOINT_URL", &served.1)
            .env("AWS_REGION", "eu-west-1")
            .env("AWS_ACCESS_KEY_ID", "sandbox")
            .env("AWS_SECRET_ACCESS_KEY", "sandbox");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(state(&["list"])[0]["instance"], "cli/jobs/jobs");
    state(&["forget", "jobs", "dead", "--yes"]);
    state(&["adopt", "jobs", "dead", DEAD, "--type", "aws/sqs/queue"]);
    assert_eq!(state(&["show", "jobs"])["resources"].as_array().unwrap().len(), 3);

    let unset = stage.run(&["state", "list", "--state-url", "s3://formwork-state/formwork"]);
    assert_eq!(unset.status.code(), Some(2));
    for name in ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
        assert!(text(&unset.stderr).contains(name), "{}", text(&unset.stderr));
    }
}
