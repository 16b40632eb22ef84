//! `plan`, `deploy` and `destroy` as scripts and people use them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const BEFORE: &str = r#"version: 2023-04-20
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
      visibilityTimeout: 60
      redrivePolicy:
        deadLetterTargetArn: ${resources.dead.state.arn}
        maxReceiveCount: 3
  parameter:
    type: aws/ssm/parameter
    spec:
      name: /jobs/queue
      type: String
      value: ${resources.jobs.state.arn}
  topic:
    type: aws/sns/topic
    spec:
      topicName: jobs-done
      displayName: ${variables.token}
exports:
  url:
    type: string
    field: resources.jobs.state.queueUrl
  display:
    type: string
    field: resources.topic.spec.displayName
"#;

/// A blueprint in a folder, and a sandbox beside it.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Stage {
            folder: tempfile::tempdir().unwrap(),
        };
        stage.write(BEFORE);
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, blueprint: &str) {
        std::fs::write(self.path("jobs.yaml"), blueprint).unwrap();
    }

    fn formwork(&self, command: &str, more: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args([command, "jobs.yaml", "--sandbox", "cloud", "--latency", "0"])
            .args(more)
            .current_dir(self.folder.path())
            .env_clear()
            .output()
            .unwrap()
    }

    /// With a value for the secret variable.
    fn with_token(&self, command: &str, more: &[&str]) -> Output {
        let mut arguments = vec!["--variables", "token=t0ps3cret"];
        arguments.extend(more);
        self.formwork(command, &arguments)
    }

    fn json(&self, command: &str) -> Value {
        let output = self.with_token(command, &["--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn actions(plan: &Value) -> Vec<String> {
    let told = |change: &Value| {
        format!(
            "{} {}",
            change["action"].as_str().unwrap(),
            change["name"].as_str().unwrap()
        )
    };
    plan["resources"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn a_life_without_cloudformation() {
    let stage = Stage::new();
    let plan = stage.json("plan");
    assert_eq!(plan["instance"], "jobs");
    assert_eq!(
        actions(&plan),
        ["create dead", "create topic", "create jobs", "create parameter"]
    );

    let deployed = stage.with_token("deploy", &[]);
    assert_eq!(deployed.status.code(), Some(0), "{}", text(&deployed.stderr));
    assert!(
        text(&deployed.stderr).starts_with("  + create  dead"),
        "{}",
        text(&deployed.stderr)
    );
    let exports = text(&deployed.stdout);
    assert!(exports.contains("url      https://sqs."), "{exports}");
    assert!(exports.contains("display  *****"), "{exports}");

    let again = stage.with_token("plan", &[]);
    assert_eq!(
        text(&again.stdout),
        "nothing to do: all 4 resources are as the blueprint wants them\n"
    );
    let all = stage.with_token("plan", &["--all"]);
    assert!(
        text(&all.stdout).contains("= unchanged  jobs"),
        "{}",
        text(&all.stdout)
    );

    let after = BEFORE
        .replace("visibilityTimeout: 60", "visibilityTimeout: 90")
        .replace("queueName: jobs-dead", "queueName: jobs-buried")
        .replace("      displayName: ${variables.token}\n", "")
        .replace(
            "  display:\n    type: string\n    field: resources.topic.spec.displayName\n",
            "",
        );
    stage.write(&after);
    let plan = stage.with_token("plan", &[]);
    assert_eq!(
        text(&plan.stdout),
        r#"+/- replace  dead   AWS::SQS::Queue  https://sqs.eu-west-1.amazonaws.com/123456789012/jobs-dead
      ~ QueueName  "jobs-dead" -> "jobs-buried"  # create-only property changed
  ~ update   topic  AWS::SNS::Topic  arn:aws:sns:eu-west-1:123456789012:jobs-done
      - DisplayName  (secret)
  ~ update   jobs   AWS::SQS::Queue  https://sqs.eu-west-1.amazonaws.com/123456789012/jobs
      ~ VisibilityTimeout                  60 -> 90
      ~ RedrivePolicy.deadLetterTargetArn  "arn:aws:sqs:eu-west-1:123456789012:jobs-dead" -> (known after deploy)

plan: 2 to update, 1 to replace, 1 unchanged
+/- makes the new one, re-points what refers to it, then deletes the old one; -/+ deletes first
"#
    );
    let deployed = stage.json("deploy");
    assert_eq!(deployed["succeeded"], true);
    assert_eq!(deployed["plan"]["summary"]["replace"], 1);
    assert_eq!(deployed["failures"], json!([]));
    let done: Vec<String> = deployed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            format!(
                "{} {}",
                found["action"].as_str().unwrap(),
                found["name"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(done.len(), 5, "{done:?}");
    assert_eq!(done[4], "delete dead", "the replaced one goes last");

    let destroyed = stage.formwork("destroy", &[]);
    assert_eq!(destroyed.status.code(), Some(0), "{}", text(&destroyed.stderr));
    assert!(
        text(&destroyed.stderr).contains("plan: 4 to delete"),
        "{}",
        text(&destroyed.stderr)
    );
    let nothing = stage.formwork("destroy", &[]);
    assert_eq!(nothing.status.code(), Some(0));
    assert!(
        text(&nothing.stderr).contains("nothing is deployed as `jobs`"),
        "{}",
        text(&nothing.stderr)
    );
}

#[test]
fn no_secret_is_printed() {
    let stage = Stage::new();
    for (command, more) in [
        ("plan", &[][..]),
        ("plan", &["--format", "json"]),
        ("deploy", &[]),
        ("deploy", &["--format", "json"]),
        ("plan", &["--format", "json", "--all"]),
    ] {
        let output = stage.with_token(command, more);
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!told.contains("t0ps3cret"), "{command} {more:?}: {told}");
    }
}

#[test]
fn deployments_of_one_blueprint_are_told_apart_by_their_names() {
    let stage = Stage::new();
    assert_eq!(stage.with_token("deploy", &[]).status.code(), Some(0));
    let other = stage.with_token("plan", &["--instance", "second", "--format", "json"]);
    let plan: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(
        (&plan["instance"], &plan["summary"]["create"]),
        (&json!("second"), &json!(4))
    );
    let wrong = stage.with_token("plan", &["--instance", "a/b"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_blueprint_that_cannot_be_deployed_is_shown_with_its_places_and_nothing_is_done() {
    let stage = Stage::new();
    let missing = stage.formwork("deploy", &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        text(&missing.stdout).contains("the variable `token` has no value"),
        "{}",
        text(&missing.stdout)
    );
    assert!(
        text(&missing.stderr).contains("--variables NAME=VALUE"),
        "{}",
        text(&missing.stderr)
    );
    stage.write(&BEFORE.replace("queueName: jobs-dead", "queueNam: jobs-dead"));
    for command in ["plan", "deploy"] {
        let output = stage.with_token(command, &["--format", "json"]);
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["valid"], false);
        assert_eq!(report["diagnostics"][0]["line"], 10);
    }
    let nothing = stage.formwork("destroy", &[]);
    assert!(text(&nothing.stderr).contains("nothing is deployed"));
}

#[test]
fn a_deployment_that_fails_is_exit_status_1_and_can_be_taken_up_again() {
    let stage = Stage::new();
    // A queue of this name is already there, and not ours.
    let own = stage.path("own.yaml");
    let theirs = "version: 2023-04-20\nresources:\n  q:\n    type: aws/sqs/queue\n    spec:\n      queueName: jobs-dead\n";
    std::fs::write(&own, theirs).unwrap();
    let run = |blueprint: &Path, command: &str| {
        Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args([
                command,
                blueprint.to_str().unwrap(),
                "--sandbox",
                "cloud",
                "--latency",
                "0",
            ])
            .current_dir(stage.folder.path())
            .env_clear()
            .output()
            .unwrap()
    };
    assert_eq!(run(&own, "deploy").status.code(), Some(0));
    let failed = stage.with_token("deploy", &[]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    assert!(
        text(&failed.stderr).contains("error: `dead` (AWS::SQS::Queue) create failed at jobs.yaml:"),
        "{}",
        text(&failed.stderr)
    );
    assert_eq!(run(&own, "destroy").status.code(), Some(0));
    let again = stage.with_token("deploy", &[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

/// Whatever the services' reads add, shuffle and respell is no change of anybody's.
#[test]
fn hostile_reads_change_no_plan() {
    let stage = Stage::new();
    let deployed = stage.with_token("deploy", &["--hostile-reads"]);
    assert_eq!(deployed.status.code(), Some(0), "{}", text(&deployed.stderr));
    let again = stage.with_token("plan", &["--hostile-reads", "--format", "json"]);
    let plan: Value = serde_json::from_slice(&again.stdout).unwrap();
    let changed: Vec<String> = actions(&plan)
        .into_iter()
        .filter(|action| !action.starts_with("unchanged "))
        .collect();
    assert_eq!(changed, Vec::<String>::new(), "{plan:#}");
}

#[test]
fn a_refreshed_plan_tells_first_what_is_not_as_it_was_deployed() {
    let stage = Stage::new();
    let refreshed = |more: &[&str]| {
        let mut arguments = vec!["--refresh"];
        arguments.extend(more);
        let output = stage.with_token("plan", &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let told = text(&output.stdout).to_owned();
        assert!(!told.contains("t0ps3cret"), "{told}");
        told
    };
    assert!(refreshed(&[]).starts_with("drift: nothing is deployed\n\n  + create"));
    assert_eq!(stage.with_token("deploy", &[]).status.code(), Some(0));
    assert_eq!(
        refreshed(&["--hostile-reads"]),
        "drift: none, all 4 resources are as they were deployed\n\nnothing to do: all 4 resources are as the blueprint wants them\n"
    );

    // Somebody without Formwork. Resources stand by type and identifier.
    let file = stage.path("cloud/cloud.json");
    let mut cloud: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let queues = cloud["resources"]["AWS::SQS::Queue"].as_object_mut().unwrap();
    let dead = "https://sqs.eu-west-1.amazonaws.com/123456789012/jobs-dead";
    assert!(queues.remove(dead).is_some());
    alter(&mut cloud["resources"]);
    std::fs::write(&file, cloud.to_string()).unwrap();
    let told = refreshed(&[]);
    assert!(
        told.starts_with(concat!(
            "drift: 2 changed, 1 deleted, 1 as deployed\n",
            "  - deleted  dead   AWS::SQS::Queue  https://sqs.eu-west-1.amazonaws.com/123456789012/jobs-dead\n",
            "  ~ changed  jobs   AWS::SQS::Queue  https://sqs.eu-west-1.amazonaws.com/123456789012/jobs\n",
            "      ~ RedrivePolicy.maxReceiveCount  3 -> 7\n",
            "  ~ changed  topic  AWS::SNS::Topic  arn:aws:sns:eu-west-1:123456789012:jobs-done\n",
            "      ~ DisplayName  (secret, changed)\n\n",
        )),
        "{told}"
    );
    let report: Value = serde_json::from_str(&refreshed(&["--format", "json"])).unwrap();
    assert_eq!(
        report["drift"]["summary"],
        json!({"inSync": 1, "changed": 2, "deleted": 1, "unknown": 0})
    );
    assert_eq!(report["summary"]["create"], 1, "{report:#}");
    assert_eq!(stage.with_token("deploy", &[]).status.code(), Some(0));
    assert!(refreshed(&[]).starts_with("drift: none"));
}

fn alter(value: &mut Value) {
    let Value::Object(members) = value else { return };
    for (name, member) in members {
        match name.as_str() {
            "maxReceiveCount" => *member = json!(7),
            "DisplayName" => *member = json!("by hand"),
            _ => alter(member),
        }
    }
}
