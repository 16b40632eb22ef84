//! The command as scripts use it: what it prints, and its exit status.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs the command in the project's folder with nothing of the caller's environment.
fn formwork(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(arguments)
        .current_dir(root())
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

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

fn run(events: &[&str], more: &[&str]) -> Output {
    let mut arguments = vec!["run"];
    arguments.extend(events);
    arguments.extend(["--latency", "0"]);
    arguments.extend(more);
    formwork(&arguments)
}

#[test]
fn a_create_is_deployed_and_its_response_and_resources_are_reported() {
    let output = run(&["events/create.json"], &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let reports = document(&output);
    let report = &reports[0];
    assert_eq!(report["event"], "events/create.json");
    assert_eq!(report["response"]["Status"], "SUCCESS");
    assert_eq!(report["response"]["Data"]["tableName"], "orders-prod");
    assert!(report["elapsedMs"].is_u64());
    let resources = report["resources"].as_array().unwrap();
    assert!(resources.len() >= 10, "{} resources", resources.len());
    let table = resources
        .iter()
        .find(|resource| resource["name"] == "ordersTable")
        .unwrap();
    assert_eq!(table["type"], "AWS::DynamoDB::Table");
    assert_eq!(table["identifier"], "orders-prod");
    assert_eq!(
        (&table["action"], &table["status"]),
        (&"create".into(), &"done".into())
    );
}

#[test]
fn a_line_tells_of_each_resource_and_the_response_stands_alone_on_standard_output() {
    let output = run(&["events/create.json"], &[]);
    assert_eq!(document(&output)["Status"], "SUCCESS");
    for name in ["ordersTable", "orderQueue", "saveOrder", "nightlyRule"] {
        assert!(
            stderr(&output).contains(name),
            "{name} is missing in: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_life_in_one_folder_over_several_runs_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = folder.path().to_str().unwrap();
    for event in ["events/create.json", "events/update.json", "events/delete.json"] {
        let output = run(&[event], &["--sandbox", sandbox]);
        assert_eq!(output.status.code(), Some(0), "{event}: {}", stderr(&output));
        let left = if event.contains("delete") {
            "holds 0 resources"
        } else {
            "holds 14 resources"
        };
        assert!(stderr(&output).contains(left), "{event}: {}", stderr(&output));
    }
}

#[test]
fn a_failed_response_is_exit_status_1() {
    let output = run(
        &["events/create-failing.json", "events/delete-after-failure.json"],
        &["--format", "json"],
    );
    assert_eq!(output.status.code(), Some(1));
    let reports = document(&output);
    assert_eq!(reports[0]["response"]["Status"], "FAILED");
    assert_eq!(reports[1]["response"]["Status"], "SUCCESS");
}

#[test]
fn no_secret_is_printed() {
    let output = run(&["events/create.json"], &[]);
    let event: Value =
        serde_json::from_slice(&std::fs::read(root().join("events/create.json")).unwrap()).unwrap();
    let secret = event["ResourceProperties"]["Variables"]["paymentKey"]
        .as_str()
        .expect("the event has a secret");
    assert!(!stdout(&output).contains(secret) && !stderr(&output).contains(secret));
}

#[test]
fn a_sink_of_the_caller_s_own_gets_the_response_as_well() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("event.json");
    let event = std::fs::read_to_string(root().join("events/create-invalid.json")).unwrap();
    std::fs::write(
        &file,
        event.replace("{{ResponseURL}}", &format!("http://{host}/sink?key=1")),
    )
    .unwrap();
    let sink = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        let mut chunk = [0; 4096];
        while !String::from_utf8_lossy(&received).contains("FAILED") {
            let count = stream.read(&mut chunk).unwrap();
            received.extend_from_slice(&chunk[..count]);
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
        String::from_utf8(received).unwrap()
    });
    let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["run", file.to_str().unwrap()])
        .current_dir(root())
        .env_clear()
        .env("FORMWORK_RESPONSE_HOSTS", &host)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(sink.join().unwrap().starts_with("PUT /sink?key=1 HTTP/1.1"));
}

#[test]
fn a_valid_blueprint_is_exit_status_0() {
    let output = formwork(&["validate", "examples/orders-blueprint.yaml", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(document(&output), json!({"valid": true, "diagnostics": []}));
}

#[test]
fn an_invalid_blueprint_is_shown_with_its_places() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.yaml");
    let text = "version: 2023-04-20\nresources:\n  queue:\n    type: aws/sqs/queu\n  topic:\n    type: aws/sns/topic\n    spec:\n      displayNam: Orders\n";
    std::fs::write(&file, text).unwrap();
    let name = file.to_str().unwrap();
    let output = formwork(&["validate", name, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let result = document(&output);
    assert_eq!(result["valid"], false);
    let places: Vec<_> = result["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            (
                found["line"].as_u64().unwrap(),
                found["column"].as_u64().unwrap(),
                found["help"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            (4, 11, "did you mean `aws/sqs/queue`?"),
            (8, 7, "did you mean `displayName`?")
        ]
    );

    let shown = formwork(&["validate", name]);
    assert_eq!(shown.status.code(), Some(1));
    assert!(
        stdout(&shown).contains("4 |     type: aws/sqs/queu"),
        "{}",
        stdout(&shown)
    );
    assert!(!stdout(&shown).contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn values_of_variables_are_checked_when_given() {
    let with = |value: &str| formwork(&["validate", "examples/orders-blueprint.yaml", "--variables", value]);
    assert_eq!(with("environment=prod").status.code(), Some(0));
    let wrong = with("environment=moon");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(stdout(&wrong).contains("environment"), "{}", stdout(&wrong));
}

#[test]
fn types_are_found_by_part_and_shown_whole() {
    let list = formwork(&["types", "sqs", "--format", "json"]);
    let names: Vec<String> = document(&list)
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["type"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"AWS::SQS::Queue".to_owned()), "{names:?}");
    let one = formwork(&["types", "aws/sqs/queue"]);
    assert!(
        stdout(&one).contains("VisibilityTimeout") && stdout(&one).contains("read-only"),
        "{}",
        stdout(&one)
    );
}

#[test]
fn what_a_type_cannot_do_is_said() {
    for (name, said) in [
        ("aws/sqs/queuePolicy", "this type cannot be read: "),
        ("aws/sqs/queuePolicy", "this type cannot be listed: "),
        ("aws/dax/parameterGroup", "cannot create resources of this type"),
        (
            "AWS::ApiGateway::Deployment",
            "handlers: create, read, update, delete, list",
        ),
        (
            "AWS::EC2::LocalGatewayRouteTableVPCAssociation",
            "handlers: create, read, update, delete, list",
        ),
    ] {
        let shown = formwork(&["types", name]);
        assert!(stdout(&shown).contains(said), "{name}: {}", stdout(&shown));
    }
    let fixed = formwork(&["types", "aws/lambda/layerVersion", "--format", "json"]);
    assert_eq!(
        document(&fixed)[0]["limits"],
        json!(["this type cannot be updated in place"])
    );
}

#[test]
fn the_permissions_of_a_blueprint_are_a_policy_ready_to_attach() {
    let output = formwork(&["types", "--permissions", "examples/orders-blueprint.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let policy = document(&output);
    assert_eq!(policy["Version"], "2012-10-17");
    let statements = policy["Statement"].as_array().unwrap();
    let sids: Vec<&str> = statements
        .iter()
        .map(|found| found["Sid"].as_str().unwrap())
        .collect();
    assert_eq!(sids[0], "CloudControl");
    assert!(
        ["Dynamodb", "Iam", "Lambda", "Sns", "Sqs"]
            .iter()
            .all(|sid| sids.contains(sid)),
        "{sids:?}"
    );
    let actions: Vec<&str> = statements
        .iter()
        .flat_map(|found| found["Action"].as_array().unwrap())
        .map(|action| action.as_str().unwrap())
        .collect();
    for action in [
        "cloudformation:CreateResource",
        "dynamodb:CreateTable",
        "iam:PassRole",
        "sqs:SetQueueAttributes",
    ] {
        assert_eq!(
            actions.iter().filter(|found| **found == action).count(),
            1,
            "{action} in {actions:?}"
        );
    }
    assert!(
        !actions.contains(&"sqs:ListQueues"),
        "nothing is listed by a deployment"
    );
    assert!(
        stderr(&output).contains("name the roles of the blueprint"),
        "{}",
        stderr(&output)
    );
    let json = formwork(&[
        "types",
        "--permissions",
        "examples/orders-blueprint.yaml",
        "--format",
        "json",
    ]);
    assert_eq!((document(&json), stderr(&json)), (policy, ""));
}

#[test]
fn the_permissions_of_an_invalid_blueprint_are_its_problems() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.yaml");
    std::fs::write(
        &file,
        "version: 2023-04-20\nresources:\n  queue:\n    type: aws/sqs/queu\n",
    )
    .unwrap();
    let output = formwork(&[
        "types",
        "--permissions",
        file.to_str().unwrap(),
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(document(&output)["diagnostics"][0]["line"], 4);
}

/// A folder with these JSON files, and the arguments that name them.
fn patch(files: &[(&str, Value)], more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = vec!["patch".to_owned(), "--format".to_owned(), "json".to_owned()];
    for (option, document) in files {
        let path = folder.path().join(format!("{option}.json"));
        std::fs::write(&path, document.to_string()).unwrap();
        arguments.extend([format!("--{option}"), path.display().to_string()]);
    }
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    formwork(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_change_is_one_operation_and_read_only_siblings_are_left_alone() {
    let live = json!({
        "ClusterName": "orders", "NumShards": 1, "NodeType": "db.t4g.small", "ACLName": "open-access",
        "ARN": "arn:aws:memorydb:x", "ClusterEndpoint": {"Address": "a", "Port": 6379},
    });
    let desired = json!({"clusterName": "orders", "numShards": "2", "nodeType": "db.t4g.small", "aclName": "open-access"});
    let output = patch(
        &[("live", live), ("desired", desired)],
        &["--type", "AWS::MemoryDB::Cluster"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let decided = document(&output);
    assert_eq!(decided["action"], "update");
    assert_eq!(
        decided["patch"],
        json!([{"op": "add", "path": "/NumShards", "value": 2}])
    );
    assert_eq!(decided["reasons"], json!([]));
}

#[test]
fn a_changed_create_only_property_replaces_and_says_so() {
    let queue = |name: &str| json!({"QueueName": name});
    let output = patch(
        &[
            ("live", queue("a")),
            ("desired", queue("b")),
            ("applied", queue("a")),
        ],
        &["--type", "aws/sqs/queue"],
    );
    let decided = document(&output);
    assert_eq!(
        (&decided["action"], &decided["patch"]),
        (&json!("replace"), &json!([]))
    );
    assert_eq!(decided["reasons"][0]["pointer"], "/QueueName");
}

#[test]
fn a_property_that_was_applied_and_is_wanted_no_more_is_removed() {
    let live = json!({"QueueName": "a", "VisibilityTimeout": 60, "DelaySeconds": 0});
    let applied = json!({"QueueName": "a", "VisibilityTimeout": 60});
    let files = [
        ("live", live),
        ("desired", json!({"QueueName": "a"})),
        ("applied", applied),
    ];
    let decided = document(&patch(&files, &["--type", "AWS::SQS::Queue"]));
    assert_eq!(
        decided["patch"],
        json!([{"op": "remove", "path": "/VisibilityTimeout"}])
    );
}

#[test]
fn a_desired_state_that_does_not_fit_is_exit_status_1() {
    let files = [("live", json!({})), ("desired", json!({"queueNam": "a"}))];
    let output = patch(&files, &["--type", "AWS::SQS::Queue"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("did you mean `queueName`?"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_text_is_evaluated_against_a_context() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("context.json");
    let context = json!({
        "variables": {"environment": "prod", "config": "{\"host\": \"db\"}"},
        "resources": {"queue": {"state": {"arn": "arn:q", "id": "q-1", "tags": ["a"]}, "spec": {"size": 3}}},
    });
    std::fs::write(&file, context.to_string()).unwrap();
    let eval = |text: &str| {
        formwork(&[
            "eval",
            text,
            "--context",
            file.to_str().unwrap(),
            "--format",
            "json",
        ])
    };
    for (text, value) in [
        ("orders-${variables.environment}", json!("orders-prod")),
        ("${resources.queue.spec.size}", json!(3)),
        ("${queue}", json!("q-1")),
        ("${queue.state.tags[]}", json!("a")),
        ("${fromjson(variables.config, \"host\")}", json!("db")),
        ("$${kept}", json!("${kept}")),
    ] {
        assert_eq!(document(&eval(text)), json!({"value": value}), "{text}");
    }
    let failed = eval("${variables.enviroment}");
    assert_eq!(failed.status.code(), Some(1));
    assert_eq!(document(&failed)["error"]["column"], 3, "{}", stdout(&failed));
}

#[test]
fn wrong_usage_is_exit_status_2() {
    for arguments in [
        &["run"][..],
        &["run", "nowhere.json"],
        &["validate", "nowhere.yaml"],
        &["types", "zzzzzz"],
        &["sandbox", "--fault", "nonsense"],
        &["dance"],
    ] {
        let output = formwork(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(!stderr(&output).is_empty());
    }
}
