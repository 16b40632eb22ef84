//! The engine over the SDK over a sandbox, and what of it reaches the cloud.

use async_trait::async_trait;
use formwork_aws::{CloudControl, Connection, Credentials, Http, TypeRegistry};
use formwork_blueprint::{Format, Source};
use formwork_engine::fakes::MemoryStore;
use formwork_engine::ports::{self, Clock as EngineClock, CloudError, Mutation, ProgressEvent};
use formwork_engine::{Adapters, Advance, Engine, Goal, Limits, NoObserver, Order, Target};
use formwork_sandbox::{Options, Sandbox};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A mutating call. `BTreeSet`s hold patches: their operations on different members commute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Create,
    /// Each operation and its path; `set` is `add` or `replace`.
    Patch(BTreeSet<String>),
    Delete,
}

pub(crate) struct Cloud {
    sandbox: Sandbox,
    engine: Engine,
    wire: Arc<Wire>,
    orders: AtomicUsize,
}

/// The adapter that the product uses, writing down what goes through it.
struct Wire {
    cloud: CloudControl,
    changes: Mutex<Vec<Change>>,
}

impl Cloud {
    pub(crate) async fn start() -> Self {
        let options = Options {
            hostile_reads: true,
            seed: Some(7),
            ..Options::default()
        };
        let sandbox = Sandbox::start(options).await.unwrap();
        let keys = Credentials::keys("AKIDEXAMPLE", "not-a-real-key", None);
        let connection = Connection::new("eu-west-1", keys).with_endpoint(sandbox.endpoint());
        let http = Http::new().unwrap();
        let wire = Arc::new(Wire {
            cloud: CloudControl::new(&connection, &http),
            changes: Mutex::default(),
        });
        let adapters = Adapters {
            cloud: wire.clone(),
            store: Arc::new(MemoryStore::new()),
            schemas: Arc::new(TypeRegistry::new(&connection, &http)),
            clock: Arc::new(formwork_aws::SystemClock),
            observer: Arc::new(NoObserver),
        };
        // The sandbox throttles nobody.
        let limits = Limits {
            requests_per_second: 10_000,
            ..Limits::default()
        };
        Cloud {
            sandbox,
            engine: Engine::new(adapters, limits),
            wire,
            orders: AtomicUsize::new(0),
        }
    }

    pub(crate) fn instance<'c>(&'c self, type_name: &'c str) -> Instance<'c> {
        Instance {
            cloud: self,
            type_name,
        }
    }

    /// What `GetResource` answers.
    pub(crate) async fn read(&self, type_name: &str, identifier: &str) -> Value {
        ports::Cloud::read(&self.wire.cloud, type_name, identifier, None)
            .await
            .unwrap()
    }

    /// What exists.
    pub(crate) fn left(&self) -> Vec<String> {
        self.sandbox
            .resources()
            .into_iter()
            .map(|resource| resource.type_name)
            .collect()
    }
}

/// A blueprint with one resource of a type.
pub(crate) struct Instance<'c> {
    cloud: &'c Cloud,
    type_name: &'c str,
}

impl Instance<'_> {
    /// Brings the resource to a state; answers the mutating calls that took.
    pub(crate) async fn deploy(&self, spec: &Value) -> Result<Vec<Change>, String> {
        let blueprint = json!({
            "version": "2023-04-20",
            "resources": {"it": {"type": self.type_name, "spec": spec}},
        });
        let source = Source::with_format("it.json", blueprint.to_string(), Format::Json);
        let changes = self.order(Goal::Deploy(Target::new(source))).await?;
        self.has_not_drifted().await?;
        Ok(changes)
    }

    /// However a service shows what was applied, nobody has changed it.
    async fn has_not_drifted(&self) -> Result<(), String> {
        let drift = self.cloud.engine.drift(&self.name(), Timestamp::MAX).await;
        match drift.map_err(|error| format!("{error:?}"))? {
            Some(report) if report.is_in_sync() && report.resources.len() == 1 => Ok(()),
            other => Err(format!("drift that is none: {other:?}")),
        }
    }

    fn name(&self) -> String {
        format!("hostile/{}", self.type_name.replace("::", "-"))
    }

    pub(crate) async fn destroy(&self) -> Result<Vec<Change>, String> {
        self.order(Goal::Destroy { retain: false }).await
    }

    async fn order(&self, goal: Goal) -> Result<Vec<Change>, String> {
        let engine = &self.cloud.engine;
        let instance = self.name();
        let number = self.cloud.orders.fetch_add(1, Ordering::Relaxed);
        let now = || EngineClock::now(&formwork_aws::SystemClock);
        let order = Order {
            cause: format!("order-{number}"),
            issued: None,
            deadline: now() + Duration::from_secs(60),
            salt: "5a17".into(),
            goal,
        };
        self.cloud.wire.changes.lock().unwrap().clear();
        let generation = engine
            .begin(&instance, order)
            .await
            .map_err(|error| format!("{error:?}"))?;
        let outcome = loop {
            let window = now() + Duration::from_secs(30);
            match engine
                .advance(&instance, generation, window)
                .await
                .map_err(|error| format!("{error:?}"))?
            {
                Advance::Done(outcome) => break outcome,
                Advance::Again { after } => tokio::time::sleep(after).await,
                Advance::Superseded => return Err("superseded".into()),
            }
        };
        engine
            .settle(&instance, generation)
            .await
            .map_err(|error| format!("{error:?}"))?;
        let changes = self.cloud.wire.changes.lock().unwrap().clone();
        if !outcome.succeeded {
            return Err(format!("{:?} after {changes:?}", outcome.failures));
        }
        Ok(changes)
    }
}

#[async_trait]
impl ports::Cloud for Wire {
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        let change = match &mutation.call {
            ports::Call::Create { .. } => Change::Create,
            ports::Call::Update { patch_document, .. } => Change::Patch(operations(patch_document)),
            ports::Call::Delete { .. } => Change::Delete,
        };
        self.changes.lock().unwrap().push(change);
        self.cloud.mutate(mutation).await
    }

    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.cloud.status(request_token).await
    }

    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.cloud.cancel(request_token).await
    }

    async fn read(&self, type_name: &str, identifier: &str, role: Option<&str>) -> Result<Value, CloudError> {
        self.cloud.read(type_name, identifier, role).await
    }
}

fn operations(patch: &str) -> BTreeSet<String> {
    let patch: Value = serde_json::from_str(patch).unwrap();
    let operation = |operation: &Value| {
        let verb = match operation["op"].as_str().unwrap() {
            "add" | "replace" => "set",
            other => other,
        };
        format!("{verb} {}", operation["path"].as_str().unwrap())
    };
    patch.as_array().unwrap().iter().map(operation).collect()
}
