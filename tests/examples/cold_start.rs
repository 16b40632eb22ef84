//! The cold start of `on_event`: how long from the start of its process to the response it PUTs for a
//! trivial blueprint, and how much memory it takes.
//!
//! ```text
//! cargo run --release -p formwork-tests --example cold_start [RUNS [PATH OF on_event]]
//! ```
//!
//! A Create waits for the cloud between two looks at its operation; an Update that changes nothing shows
//! Formwork's own time. Lambda's own share (getting the sandbox and the code) is in neither. Cloud
//! Control, state store and response sink are the local sandbox, which takes no time for an operation.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark prints, and stops at trouble"
)]

use formwork_sandbox::{Options, Sandbox};
use formwork_tests::{Environment, FunctionSetup, Log, binaries, clock, usual_variables};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const RUNS: usize = 20;
const TARGET_MILLIS: f64 = 25.0;
const TARGET_MEGABYTES: f64 = 16.0;

struct Run {
    id: String,
    ready: f64,
    answered: f64,
    megabytes: f64,
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments
        .next()
        .map_or(RUNS, |text| text.parse().expect("RUNS is a number"));
    let binary = arguments
        .next()
        .map_or_else(|| binaries::handler("on_event"), PathBuf::from);
    let size = std::fs::metadata(&binary).expect("the binary is there").len();
    println!("{}, {:.1} MB, {runs} runs", binary.display(), megabytes(size));

    let sandbox = Sandbox::start(Options::default())
        .await
        .expect("the sandbox starts");
    let setup = setup(&sandbox, binary);
    let (mut creates, mut updates) = (Vec::new(), Vec::new());
    for number in 0..runs {
        let create = run(&sandbox, &setup, create(number)).await;
        updates.push(run(&sandbox, &setup, update(number, &create.id)).await);
        creates.push(create);
    }
    report("Create of one resource", &creates);
    report("Update that changes nothing", &updates);
}

/// The function as `template.yaml` makes it, with the sandbox as its AWS.
fn setup(sandbox: &Sandbox, binary: PathBuf) -> FunctionSetup {
    let mut variables = usual_variables(sandbox);
    let machine = "arn:aws:states:eu-west-1:123456789012:stateMachine:waiter";
    variables.insert("WAITER_STATE_MACHINE_ARN".into(), machine.into());
    variables.insert("RUST_LOG".into(), "info".into());
    FunctionSetup {
        name: "formwork-on-event".into(),
        binary,
        variables,
        timeout: Duration::from_secs(60),
        retry_after: [Duration::ZERO; 2],
    }
}

async fn run(sandbox: &Sandbox, setup: &FunctionSetup, mut event: Value) -> Run {
    let url = sandbox.response_url();
    event["ResponseURL"] = url.as_str().into();
    let log = Log::default();
    let begin = clock::instant();
    let mut environment = Environment::start(setup, &log).await;
    let (result, answered) = tokio::join!(
        environment.invoke("cold-start", &event, setup.timeout, std::future::pending()),
        async {
            let delivery = sandbox.response(&url, Duration::from_secs(60)).await;
            (begin.elapsed(), delivery)
        },
    );
    let (elapsed, delivery) = answered;
    let body = delivery
        .and_then(|delivery| delivery.bodies.into_iter().next())
        .expect("an answer");
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(answer["Status"], "SUCCESS", "{answer}\n{:#?}", log.lines());
    result.expect("the invocation succeeds");
    let peak = environment
        .peak_memory_kib()
        .expect("/proc tells the peak memory");
    let ready = environment.first_asked().expect("it asked for its invocation") - begin;
    environment.end().await;
    Run {
        id: answer["PhysicalResourceId"].as_str().unwrap().to_owned(),
        ready: millis(ready),
        answered: millis(elapsed),
        megabytes: megabytes(peak * 1024),
    }
}

/// A Create of one topic, in a stack of its own.
fn create(number: usize) -> Value {
    json!({
        "RequestType": "Create",
        "StackId": format!("arn:aws:cloudformation:eu-west-1:123456789012:stack/cold/00000000-0000-0000-0000-{number:012}"),
        "RequestId": "create",
        "LogicalResourceId": "Cold",
        "ResourceType": "Custom::Blueprint",
        "ResourceProperties": properties(number),
    })
}

/// The Update that follows and finds everything as it should be.
fn update(number: usize, physical_id: &str) -> Value {
    let mut event = create(number);
    event["RequestType"] = "Update".into();
    event["RequestId"] = "update".into();
    event["PhysicalResourceId"] = physical_id.into();
    event["OldResourceProperties"] = properties(number);
    event
}

fn properties(number: usize) -> Value {
    json!({
        "Blueprint": {
            "version": "2023-04-20",
            "resources": {
                "topic": {"type": "aws/sns/topic", "spec": {"topicName": format!("cold-{number}")}},
            },
        },
    })
}

fn report(what: &str, runs: &[Run]) {
    println!("{what}");
    line(
        "start to first GET /next",
        "ms",
        runs.iter().map(|run| run.ready),
        None,
    );
    line(
        "start to response PUT",
        "ms",
        runs.iter().map(|run| run.answered),
        Some(TARGET_MILLIS),
    );
    line(
        "peak memory (VmHWM)",
        "MB",
        runs.iter().map(|run| run.megabytes),
        Some(TARGET_MEGABYTES),
    );
}

fn line(what: &str, unit: &str, values: impl Iterator<Item = f64>, target: Option<f64>) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    let (min, median, max) = (at(0), at(values.len() / 2), at(values.len().saturating_sub(1)));
    let target = target
        .map(|target| format!("   target {target:.0} {unit}"))
        .unwrap_or_default();
    println!("  {what:<26} min {min:>7.1}   median {median:>7.1}   max {max:>7.1} {unit}{target}");
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "sizes here are far below 2^52 bytes")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}
