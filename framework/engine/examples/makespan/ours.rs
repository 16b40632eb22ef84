//! The engine itself, in virtual time: its scheduling, limiter, polling and writes as they are.

use crate::graphs::{Graph, KINDS};
use async_trait::async_trait;
use formwork_blueprint::Source;
use formwork_engine::fakes::{Calls, MemorySchemas, MemoryStore, Rules, SimCloud, VirtualClock};
use formwork_engine::ports::{
    Active, Clock, Cloud, CloudError, Mutation, ProgressEvent, StateStore, StoreError, Version,
};
use formwork_engine::{Adapters, Advance, Engine, Goal, Limits, NoObserver, Order, Target};
use jiff::SignedDuration;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

const INSTANCE: &str = "stack/Blueprint/one";

/// The circumstances of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circumstances {
    /// Resources worked on at once.
    pub(crate) max_concurrency: usize,
    /// Calls per second.
    pub(crate) requests_per_second: u32,
    /// What every call to the cloud takes.
    pub(crate) call: Duration,
    /// What every write of the state takes.
    pub(crate) write: Duration,
}

/// What a run has taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// From the order to its outcome.
    pub(crate) makespan: Duration,
    /// Calls to the cloud.
    pub(crate) calls: Calls,
    /// Writes of the state.
    pub(crate) writes: usize,
}

/// Deploys a graph.
pub(crate) fn run(graph: &Graph, circumstances: Circumstances) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(deploy(graph, circumstances))
}

async fn deploy(graph: &Graph, circumstances: Circumstances) -> Run {
    let clock = VirtualClock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
    let cloud = Arc::new(SimCloud::new(clock.clone()));
    let store = Arc::new(MemoryStore::new());
    for kind in 0..KINDS {
        let rules = Rules {
            identifier: Some("Name".into()),
            timed_by: Some("Millis".into()),
            ..Rules::default()
        };
        cloud.define(&type_name(kind), rules);
    }
    let schemas: Vec<String> = (0..KINDS).map(schema).collect();
    let adapters = Adapters {
        cloud: Arc::new(Distant(cloud.clone(), clock.clone(), circumstances.call)),
        store: Arc::new(Distant(store.clone(), clock.clone(), circumstances.write)),
        schemas: Arc::new(MemorySchemas::parse(schemas.iter().map(String::as_str)).unwrap()),
        clock: Arc::new(clock.clone()),
        observer: Arc::new(NoObserver),
    };
    let limits = Limits {
        max_concurrency: circumstances.max_concurrency,
        requests_per_second: circumstances.requests_per_second,
    };
    let engine = Engine::new(adapters, limits);
    let soon = |seconds| clock.now() + SignedDuration::from_secs(seconds);
    let order = Order {
        cause: "benchmark".into(),
        issued: None,
        deadline: soon(100_000),
        salt: "5a17".into(),
        goal: Goal::Deploy(Target::new(Source::new("graph.yaml", text(graph)))),
    };
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    while let Advance::Again { after } = engine.advance(INSTANCE, generation, soon(50_000)).await.unwrap() {
        clock.sleep(after).await;
    }
    assert_eq!(cloud.resources().len(), graph.tasks.len());
    Run {
        makespan: clock.elapsed(),
        calls: cloud.calls(),
        writes: store.saves(),
    }
}

fn type_name(kind: usize) -> String {
    format!("Test::Fake::Kind{kind}")
}

fn schema(kind: usize) -> String {
    format!(
        r#"{{"typeName": "{}", "description": "timed", "additionalProperties": false,
          "properties": {{"Name": {{"type": "string"}}, "Millis": {{"type": "integer"}}, "Arn": {{"type": "string"}},
            "Refs": {{"type": "array", "items": {{"type": "string"}}}}}},
          "primaryIdentifier": ["/properties/Name"], "createOnlyProperties": ["/properties/Name"],
          "readOnlyProperties": ["/properties/Arn"],
          "handlers": {{"create": {{"permissions": []}}, "read": {{"permissions": []}}, "delete": {{"permissions": []}}}}}}"#,
        type_name(kind)
    )
}

fn text(graph: &Graph) -> String {
    let mut text = String::from("version: 2023-04-20\nresources:\n");
    for (index, task) in graph.tasks.iter().enumerate() {
        let refs: Vec<String> = task
            .needs
            .iter()
            .map(|need| format!("\"${{resources.r{need}.state.arn}}\""))
            .collect();
        writeln!(
            text,
            "  r{index}:\n    type: \"{}\"\n    spec: {{name: n{index}, millis: {}, refs: [{}]}}",
            type_name(task.kind),
            task.millis,
            refs.join(", ")
        )
        .unwrap();
    }
    text
}

/// Something that takes its time to answer.
struct Distant<T>(Arc<T>, VirtualClock, Duration);

impl<T> Distant<T> {
    async fn away(&self) {
        if !self.2.is_zero() {
            self.1.sleep(self.2).await;
        }
    }
}

#[async_trait]
impl Cloud for Distant<SimCloud> {
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        self.away().await;
        self.0.mutate(mutation).await
    }
    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.away().await;
        self.0.status(request_token).await
    }
    async fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        self.away().await;
        self.0.active(page).await
    }
    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.away().await;
        self.0.cancel(request_token).await
    }
    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
        role_arn: Option<&str>,
    ) -> Result<Value, CloudError> {
        self.away().await;
        self.0.read(type_name, identifier, role_arn).await
    }
}

#[async_trait]
impl StateStore for Distant<MemoryStore> {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.0.load(instance).await
    }
    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError> {
        self.away().await;
        self.0.save(instance, document, expected).await
    }
    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError> {
        self.0.remove(instance, expected).await
    }
    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        self.0.list(folder).await
    }
}
