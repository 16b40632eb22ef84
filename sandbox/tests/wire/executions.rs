//! Step Functions: the shipped waiter's kind of state machine, running.

use crate::client::Cloud;
use async_trait::async_trait;
use formwork_sandbox::{ExecutionStatus, InvokeError, Invoker, Options};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

const FUNCTION: &str = "arn:aws:lambda:eu-west-1:123456789012:function:is-complete";

/// Answers from a script, the last answer for ever; counts.
struct Scripted {
    answers: Mutex<Vec<Result<Value, InvokeError>>>,
    invoked: watch::Sender<usize>,
}

impl Scripted {
    fn new(answers: Vec<Result<Value, InvokeError>>) -> Arc<Self> {
        Arc::new(Scripted {
            answers: Mutex::new(answers),
            invoked: watch::Sender::new(0),
        })
    }

    async fn invoked(&self, times: usize) {
        self.invoked
            .subscribe()
            .wait_for(|count| *count >= times)
            .await
            .unwrap();
    }
}

#[async_trait]
impl Invoker for Scripted {
    async fn invoke(&self, function_arn: &str, _input: Value) -> Result<Value, InvokeError> {
        assert_eq!(function_arn, FUNCTION);
        let answer = {
            let mut answers = self.answers.lock().unwrap();
            if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers[0].clone()
            }
        };
        self.invoked.send_modify(|count| *count += 1);
        answer
    }
}

fn open() -> Result<Value, InvokeError> {
    Ok(json!({"IsComplete": false, "WaitSeconds": 5}))
}

fn done() -> Result<Value, InvokeError> {
    Ok(json!({"IsComplete": true}))
}

fn broken() -> Result<Value, InvokeError> {
    Err(InvokeError {
        error: "Broken".into(),
        cause: "why".into(),
    })
}

async fn machine(cloud: &Cloud, invoker: Arc<Scripted>) -> String {
    cloud.sandbox.on_invoke(invoker);
    let definition = include_str!("../../../handlers/waiter.asl.json");
    cloud
        .sandbox
        .state_machine(definition, &[("IsCompleteFunctionArn", FUNCTION)])
        .unwrap()
}

/// Waits until the execution has ended.
async fn ended(cloud: &Cloud, arn: &str) -> Value {
    loop {
        let answer = cloud
            .states("DescribeExecution", json!({"executionArn": arn}))
            .await;
        if answer.body["status"] != "RUNNING" {
            return answer.body;
        }
        tokio::task::yield_now().await;
    }
}

fn quick() -> Options {
    Options {
        time_scale: 0.0,
        ..Options::default()
    }
}

async fn start(cloud: &Cloud, machine: &str, name: &str, input: Value) -> crate::client::Answer {
    let input = json!({"stateMachineArn": machine, "name": name, "input": input.to_string()});
    cloud.states("StartExecution", input).await
}

#[tokio::test]
async fn the_shipped_waiter_polls_until_complete() {
    let cloud = Cloud::start(quick()).await;
    let machine = machine(&cloud, Scripted::new(vec![open(), broken(), open(), done()])).await;
    let started = start(&cloud, &machine, "w-1", json!({"Instance": "i"})).await;
    let arn = started.body["executionArn"].as_str().unwrap().to_owned();
    assert_eq!(
        arn,
        "arn:aws:states:eu-west-1:123456789012:execution:formwork-waiter:w-1"
    );
    assert_eq!(ended(&cloud, &arn).await["status"], "SUCCEEDED");
    let execution = cloud.sandbox.executions().remove(0);
    assert_eq!(execution.status, ExecutionStatus::Succeeded);
    assert_eq!(execution.input, json!({"Instance": "i"}));
    assert_eq!(execution.outputs.len(), 4);
    assert_eq!(execution.outputs[1], json!({"Error": "Broken", "Cause": "why"}));
}

#[tokio::test]
async fn what_stays_broken_is_a_failed_execution() {
    let cloud = Cloud::start(quick()).await;
    let machine = machine(&cloud, Scripted::new(vec![broken()])).await;
    let started = start(&cloud, &machine, "w-1", json!({})).await;
    let execution = ended(&cloud, started.body["executionArn"].as_str().unwrap()).await;
    assert_eq!(
        (&execution["status"], &execution["error"]),
        (&json!("FAILED"), &json!("Broken"))
    );
    // The same name and input, but no longer running.
    let again = start(&cloud, &machine, "w-1", json!({})).await;
    assert_eq!(again.code(), "ExecutionAlreadyExists");
}

#[tokio::test]
async fn starting_is_idempotent_while_running() {
    let cloud = Cloud::start(Options::default()).await;
    let invoker = Scripted::new(vec![open()]);
    let machine = machine(&cloud, invoker.clone()).await;
    let first = start(&cloud, &machine, "w-1", json!({"a": 1})).await;
    assert_eq!(start(&cloud, &machine, "w-1", json!({"a": 1})).await, first);
    let changed = start(&cloud, &machine, "w-1", json!({"a": 2})).await;
    assert_eq!(changed.code(), "ExecutionAlreadyExists");
    let arn = &first.body["executionArn"];
    let stop = json!({"executionArn": arn, "error": "E", "cause": "c"});
    assert_eq!(cloud.states("StopExecution", stop).await.status, 200);
    assert_eq!(ended(&cloud, arn.as_str().unwrap()).await["status"], "ABORTED");
    for (machine, name, code) in [
        ("arn:aws:states:x", "n", "StateMachineDoesNotExist"),
        (machine.as_str(), "a b", "InvalidName"),
    ] {
        assert_eq!(start(&cloud, machine, name, json!({})).await.code(), code);
    }
    assert_eq!(
        start(&cloud, &machine, &"x".repeat(81), json!({})).await.code(),
        "InvalidName"
    );
}

#[tokio::test]
async fn an_execution_goes_on_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let options = |time_scale| Options {
        dir: Some(dir.path().to_owned()),
        time_scale,
        ..Options::default()
    };
    let cloud = Cloud::start(options(1e6)).await;
    let invoker = Scripted::new(vec![open()]);
    let arn = machine(&cloud, invoker.clone()).await;
    let started = start(&cloud, &arn, "w-1", json!({})).await;
    invoker.invoked(1).await;
    // Now it waits, in effect for ever.
    cloud.sandbox.stop().await;

    let cloud = Cloud::start(options(0.0)).await;
    machine(&cloud, Scripted::new(vec![done()])).await;
    assert_eq!(
        ended(&cloud, started.body["executionArn"].as_str().unwrap()).await["status"],
        "SUCCEEDED"
    );
}
