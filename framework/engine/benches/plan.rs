//! How long planning takes: `cargo bench -p formwork-engine`.
//!
//! The whole of [`Engine::plan`]: the blueprint is checked, the stored deployment read, every resource read from
//! a cloud in memory, and the plan worked out. One resource in ten has changed; each refers to another.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark"
)]

use async_trait::async_trait;
use divan::Bencher;
use formwork_blueprint::Source;
use formwork_engine::fakes::{MemorySchemas, MemoryStore, VirtualClock};
use formwork_engine::ports::{Cloud, CloudError, Mutation, ProgressEvent, StateStore};
use formwork_engine::{Adapters, Engine, FORMAT, Limits, NoObserver, Target};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

const INSTANCE: &str = "stack/Blueprint/one";
/// Resources that refer to one another in a row.
const ROW: usize = 10;

fn main() {
    divan::main();
}

/// Reads what it was given.
struct Standing(HashMap<String, Value>);

#[async_trait]
impl Cloud for Standing {
    async fn mutate(&self, _: &Mutation) -> Result<ProgressEvent, CloudError> {
        panic!("a plan changes nothing")
    }
    async fn status(&self, _: &str) -> Result<ProgressEvent, CloudError> {
        panic!("a plan changes nothing")
    }
    async fn cancel(&self, _: &str) -> Result<ProgressEvent, CloudError> {
        panic!("a plan changes nothing")
    }
    async fn read(&self, _: &str, identifier: &str, _: Option<&str>) -> Result<Value, CloudError> {
        Ok(self.0[identifier].clone())
    }
}

fn arn(index: usize) -> String {
    format!("arn:aws:sqs:eu-west-1:123456789012:queue-{index}")
}

/// A blueprint of queues, and what is deployed of it.
fn system(count: usize) -> (String, Value, HashMap<String, Value>) {
    let mut text = String::from("version: 2023-04-20\nresources:\n");
    let (mut resources, mut live) = (Map::new(), HashMap::new());
    for index in 0..count {
        let changed = if index % 10 == 5 { 90 } else { 60 };
        write!(
            text,
            "  queue{index}:\n    type: aws/sqs/queue\n    spec:\n      queueName: queue-{index}\n      visibilityTimeout: {changed}\n      delaySeconds: 5\n      messageRetentionPeriod: 345600\n"
        )
        .unwrap();
        let mut shown = json!({
            "QueueName": format!("queue-{index}"), "VisibilityTimeout": 60, "DelaySeconds": 5, "MessageRetentionPeriod": 345_600,
        });
        let mut depends_on = Vec::new();
        if index % ROW > 0 {
            let earlier = index - 1;
            write!(
                text,
                "      redrivePolicy:\n        deadLetterTargetArn: ${{resources.queue{earlier}.state.arn}}\n        maxReceiveCount: 5\n"
            )
            .unwrap();
            shown["RedrivePolicy"] = json!({"deadLetterTargetArn": arn(earlier), "maxReceiveCount": 5});
            depends_on.push(format!("queue{earlier}"));
        }
        let identifier = format!("https://sqs.eu-west-1.amazonaws.com/123456789012/queue-{index}");
        let mut properties = shown.clone();
        properties["Arn"] = arn(index).into();
        properties["QueueUrl"] = identifier.clone().into();
        properties["SqsManagedSseEnabled"] = true.into();
        resources.insert(
            format!("queue{index}"),
            json!({
                "type_name": "AWS::SQS::Queue", "identifier": identifier, "depends_on": depends_on,
                "remembered": {"shown": shown, "hidden": {}, "salt": "5a17"}, "live": properties,
            }),
        );
        live.insert(identifier, properties);
    }
    let state = json!({
        "format": FORMAT, "serial": 1, "instance": INSTANCE, "generation": 1, "cause": "c", "salt": "5a17",
        "phase": "settled", "deadline": "2026-01-01T00:00:00Z", "goal": {"deploy": null}, "resources": resources,
    });
    (text, state, live)
}

#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let (text, state, live) = system(count);
    let engine = runtime.block_on(async {
        let store = MemoryStore::new();
        let document = serde_json::to_vec(&state).unwrap();
        store.save(INSTANCE, document, None).await.unwrap();
        let schema = formwork_schema::load_text("AWS::SQS::Queue").unwrap().unwrap();
        let adapters = Adapters {
            cloud: Arc::new(Standing(live)),
            store: Arc::new(store),
            schemas: Arc::new(MemorySchemas::parse([schema.as_str()]).unwrap()),
            clock: Arc::new(VirtualClock::starting_at("2026-01-01T00:00:00Z".parse().unwrap())),
            observer: Arc::new(NoObserver),
        };
        let limits = Limits {
            requests_per_second: 1_000_000,
            ..Limits::default()
        };
        Engine::new(adapters, limits)
    });
    let target = Target::new(Source::new("queues.yaml", text));
    bencher.bench_local(|| {
        let plan = runtime.block_on(engine.plan(INSTANCE, &target)).unwrap();
        assert_eq!(plan.summary().update, count / 10);
        plan
    });
}

/// The part of it that is not planning: reading and checking the blueprint.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 10, sample_size = 1)]
fn check(bencher: Bencher<'_, '_>, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let schema = formwork_schema::load_text("AWS::SQS::Queue").unwrap().unwrap();
    let schemas = MemorySchemas::parse([schema.as_str()]).unwrap();
    let target = Target::new(Source::new("queues.yaml", system(count).0));
    bencher.bench_local(|| {
        runtime
            .block_on(formwork_engine::check(&target, &schemas))
            .unwrap()
    });
}
