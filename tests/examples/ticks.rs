//! What a large deployment costs `is_complete`: CPU time per invocation, peak memory, and bytes of state per
//! resource.
//!
//! ```text
//! cargo run --release -p formwork-tests --example ticks [RESOURCES [WINDOW SECONDS [FOLDER OF THE BINARIES]]]
//! ```
//!
//! The real binaries deploy queues in rows of ten, each referring to the one before, from a blueprint in S3. With
//! a window of 0 seconds, which is the default here, an invocation reads the state, makes one round of calls and
//! writes the state: a tick. The cloud, the state store and the waiter are the local sandbox; CPU time is what
//! the kernel has counted for the process.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark prints, and stops at trouble"
)]

use async_trait::async_trait;
use formwork_sandbox::{InvokeError, Invoker, Latency, Options, Sandbox};
use formwork_tests::{Environment, FunctionSetup, Log, binaries, clock, usual_variables};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const RESOURCES: usize = 1_000;
/// Queues that refer to one another in a row.
const ROW: usize = 10;
/// What the cloud takes for an operation.
const LATENCY: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(120);
const TARGET_MILLIS: f64 = 20.0;
const TARGET_MEGABYTES: f64 = 64.0;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| {
        arguments
            .next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (count, window) = (number(RESOURCES), number(0));
    let folder = arguments.next().map(PathBuf::from);

    let sandbox = Sandbox::start(Options {
        latency: Latency::fixed(LATENCY),
        ..Options::default()
    })
    .await
    .expect("the sandbox starts");
    put(&sandbox, "/blueprints/queues.yaml", &blueprint(count)).await;
    let machine = waiter(&sandbox);
    let log = Log::default();
    let setup = |name: &'static str| {
        let binary = folder
            .as_ref()
            .map_or_else(|| binaries::handler(name), |folder| folder.join(name));
        setup(&sandbox, name, binary, &machine, window)
    };

    let url = sandbox.response_url();
    let begun = clock::instant();
    let mut on_event = Environment::start(&setup("on_event"), &log).await;
    let event = create(&url);
    on_event
        .invoke("create", &event, TIMEOUT, std::future::pending())
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{:#?}", log.lines()));
    report("on_event", &mut [cpu(&on_event)], on_event.peak_memory_kib());
    on_event.end().await;

    let wait = sandbox.executions().first().expect("a waiter").input.clone();
    let mut is_complete = Environment::start(&setup("is_complete"), &log).await;
    is_complete.ready().await.expect("it starts");
    let mut ticks = Vec::new();
    let mut most = 0;
    loop {
        let before = cpu(&is_complete);
        let answer = is_complete
            .invoke("poll", &wait, TIMEOUT, std::future::pending())
            .await
            .unwrap_or_else(|error| panic!("{error:?}\n{:#?}", log.lines()));
        ticks.push(cpu(&is_complete) - before);
        most = most.max(state_bytes(&sandbox));
        if answer["IsComplete"] == true {
            break;
        }
        let seconds = answer["WaitSeconds"].as_u64().unwrap_or(1);
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
    let delivery = sandbox.response(&url, TIMEOUT).await.expect("an answer");
    let response: Value = serde_json::from_slice(&delivery.body).unwrap();
    assert_eq!(response["Status"], "SUCCESS", "{response}");
    assert_eq!(sandbox.resources().len(), count);

    let first = ticks.remove(0);
    let last = ticks.pop().expect("a tick that answers");
    report(
        "is_complete, the first, which reads the blueprint",
        &mut [first],
        None,
    );
    report(
        "is_complete, the others",
        &mut ticks,
        is_complete.peak_memory_kib(),
    );
    report("is_complete, the one that answers", &mut [last], None);
    println!(
        "state: at most {} bytes per resource, {} once settled; {:.0} s in all",
        most / count,
        state_bytes(&sandbox) / count,
        begun.elapsed().as_secs_f64()
    );
    is_complete.end().await;
}

/// A waiter that never comes: this program is it.
fn waiter(sandbox: &Sandbox) -> String {
    struct Nobody;
    #[async_trait]
    impl Invoker for Nobody {
        async fn invoke(&self, _: &str, _: Value) -> Result<Value, InvokeError> {
            std::future::pending().await
        }
    }
    sandbox.on_invoke(Arc::new(Nobody));
    let path = binaries::workspace().join("handlers/waiter.asl.json");
    let definition = std::fs::read_to_string(path).expect("the waiter's definition is there");
    sandbox
        .state_machine(
            &definition,
            &[("IsCompleteFunctionArn", &formwork_tests::function_arn("nobody"))],
        )
        .expect("the sandbox runs the shipped waiter")
}

fn setup(sandbox: &Sandbox, name: &str, binary: PathBuf, machine: &str, window: usize) -> FunctionSetup {
    let mut variables = usual_variables(sandbox);
    variables.insert("WAITER_STATE_MACHINE_ARN".into(), machine.into());
    variables.insert("FORMWORK_POLL_WINDOW_SECONDS".into(), window.to_string());
    variables.insert("RUST_LOG".into(), "info".into());
    FunctionSetup {
        name: format!("formwork-{}", name.replace('_', "-")),
        binary,
        variables,
        timeout: TIMEOUT,
        retry_after: [Duration::ZERO; 2],
    }
}

fn blueprint(count: usize) -> String {
    let mut text = String::from("version: 2023-04-20\nresources:\n");
    for index in 0..count {
        write!(
            text,
            "  queue{index}:\n    type: aws/sqs/queue\n    spec:\n      queueName: queue-{index}\n      visibilityTimeout: 60\n"
        )
        .unwrap();
        if index % ROW > 0 {
            let earlier = index - 1;
            write!(
                text,
                "      redrivePolicy:\n        deadLetterTargetArn: ${{resources.queue{earlier}.state.arn}}\n        maxReceiveCount: 5\n"
            )
            .unwrap();
        }
    }
    text
}

fn create(url: &str) -> Value {
    json!({
        "RequestType": "Create",
        "ResponseURL": url,
        "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/large/00000000-0000-0000-0000-000000000001",
        "RequestId": "create",
        "LogicalResourceId": "Large",
        "ResourceType": "Custom::Blueprint",
        "ResourceProperties": {
            "BlueprintLocation": "s3://blueprints/queues.yaml", "Exports": [], "MaxConcurrency": "1000",
        },
    })
}

async fn put(sandbox: &Sandbox, path: &str, text: &str) {
    let mut connection = tokio::net::TcpStream::connect(sandbox.host()).await.unwrap();
    let request = format!(
        "PUT {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        sandbox.host(),
        text.len()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn state_bytes(sandbox: &Sandbox) -> usize {
    let objects = sandbox.objects();
    let deployments = objects.iter().filter(|object| object.key.contains("/instances/"));
    deployments.map(|object| object.body.len()).max().unwrap_or(0)
}

/// The CPU time a process has taken, in milliseconds.
fn cpu(environment: &Environment) -> f64 {
    let time = environment.cpu_time().expect("/proc tells the time");
    time.as_secs_f64() * 1_000.0
}

fn report(what: &str, millis: &mut [f64], peak_kib: Option<u64>) {
    millis.sort_by(f64::total_cmp);
    let at = |index: usize| millis.get(index).copied().unwrap_or(f64::NAN);
    let (count, sum) = (millis.len(), millis.iter().sum::<f64>());
    println!(
        "{what}: {count} invocations, CPU median {:.1} ms, 95 % {:.1} ms, max {:.1} ms, {sum:.0} ms together (target {TARGET_MILLIS} ms)",
        at(count / 2),
        at(count * 95 / 100),
        at(count.saturating_sub(1)),
    );
    if let Some(peak) = peak_kib {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let megabytes = (peak * 1_024) as f64 / 1_000_000.0;
        println!("  peak memory (VmHWM) {megabytes:.1} MB (target {TARGET_MEGABYTES} MB)");
    }
}
