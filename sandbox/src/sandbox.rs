//! The sandbox as its owner sees it.

use crate::asl::{Definition, DefinitionError};
use crate::clock::{Clock, SystemClock};
use crate::drive;
use crate::executions::{Execution, ExecutionStatus};
use crate::fault::Fault;
use crate::http;
use crate::options::Options;
use crate::sink::{self, Delivery, Received};
use crate::world::{LoggedCall, World};
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How state machines call Lambda functions.
#[async_trait]
pub trait Invoker: Send + Sync {
    /// Invokes the function and waits for what it returns.
    async fn invoke(&self, function_arn: &str, input: Value) -> Result<Value, InvokeError>;
}

/// A function that failed, in Step Functions' words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}: {cause}")]
pub struct InvokeError {
    /// The error's name, which Retry and Catch compare.
    pub error: String,
    /// What is known about it.
    pub cause: String,
}

/// A sandbox that cannot be started or used.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The port is taken, or may not be used.
    #[error("cannot listen on port {port}")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
    /// The folder cannot be read or written.
    #[error("the sandbox's folder cannot be used")]
    Folder {
        /// Why.
        source: std::io::Error,
    },
}

/// A resource that exists.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResource {
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// The primary identifier.
    pub identifier: String,
    /// Everything that was applied, generated values and write-only ones included.
    pub properties: Value,
}

/// An object in a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// The bucket.
    pub bucket: String,
    /// The key.
    pub key: String,
    /// The content.
    pub body: Bytes,
}

/// A running local cloud. Dropping it stops it.
pub struct Sandbox {
    world: Arc<World>,
    address: SocketAddr,
    shutdown: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Sandbox")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Starts a sandbox on 127.0.0.1, on the machine's clock.
    ///
    /// # Errors
    /// When the port cannot be had, or the folder cannot be read.
    pub async fn start(options: Options) -> Result<Self, SandboxError> {
        Sandbox::start_with_clock(options, Arc::new(SystemClock)).await
    }

    /// Starts a sandbox whose operations follow another clock. (Waits of state machines follow tokio's.)
    ///
    /// # Errors
    /// When the port cannot be had, or the folder cannot be read.
    pub async fn start_with_clock(options: Options, clock: Arc<dyn Clock>) -> Result<Self, SandboxError> {
        let port = options.port;
        let failed = |source| SandboxError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .await
            .map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let world = Arc::new(World::new(options, clock)?);
        let (shutdown, stopped) = oneshot::channel();
        let server = tokio::spawn(http::serve(listener, world.clone(), stopped));
        Ok(Sandbox {
            world,
            address,
            shutdown: Some(shutdown),
            server,
        })
    }

    /// `http://127.0.0.1:PORT`, for `AWS_ENDPOINT_URL`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `127.0.0.1:PORT`, for `FORMWORK_RESPONSE_HOSTS`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// A fresh URL for a response document, in the form of a presigned S3 URL.
    pub fn response_url(&self) -> String {
        let id = format!("{}%7CResponse", self.world.state().cloud.uuid());
        let time = self.world.now().strftime("%Y%m%dT%H%M%SZ").to_string();
        format!("{}{}", self.endpoint(), sink::signed_path(&id, &time))
    }

    /// Waits until a document was accepted at this response URL; `None` if none is within the time.
    pub async fn response(&self, url: &str, timeout: Duration) -> Option<Delivery> {
        let path = path_of(url);
        let mut arrivals = self.world.arrivals.subscribe();
        let waiting = async {
            loop {
                if let Some(delivery) = self.world.state().sink.delivery(&path) {
                    return Some(delivery);
                }
                arrivals.changed().await.ok()?;
            }
        };
        tokio::time::timeout(timeout, waiting).await.ok().flatten()
    }

    /// Every PUT to this response URL until now, refused ones included.
    pub fn responses(&self, url: &str) -> Vec<Received> {
        self.world.state().sink.received(&path_of(url)).to_vec()
    }

    /// The resources that exist, by type and identifier.
    pub fn resources(&self) -> Vec<StoredResource> {
        let state = self.world.settled(self.world.now());
        state
            .cloud
            .memory
            .resources
            .iter()
            .flat_map(|(type_name, resources)| {
                resources.iter().map(|(identifier, resource)| StoredResource {
                    type_name: type_name.clone(),
                    identifier: identifier.clone(),
                    properties: resource.properties.clone(),
                })
            })
            .collect()
    }

    /// The objects in all buckets.
    pub fn objects(&self) -> Vec<StoredObject> {
        let state = self.world.state();
        state
            .objects
            .all()
            .map(|(bucket, key, object)| StoredObject {
                bucket: bucket.to_owned(),
                key: key.to_owned(),
                body: object.body.clone(),
            })
            .collect()
    }

    /// The executions of state machines, in the order they were started.
    pub fn executions(&self) -> Vec<Execution> {
        self.world.state().executions.all.clone()
    }

    /// Stops every running execution, as `StopExecution` does; returns how many there were.
    pub fn stop_executions(&self) -> usize {
        let running = self.executions().into_iter();
        running
            .filter(|execution| execution.status == ExecutionStatus::Running)
            .filter(|execution| {
                let input = json!({"executionArn": execution.arn, "error": "Stopped", "cause": "by hand"});
                drive::stop(&self.world, &input, self.world.now()).is_ok()
            })
            .count()
    }

    /// The calls made until now, in order.
    pub fn requests(&self) -> Vec<LoggedCall> {
        self.world.state().log.clone()
    }

    /// Connects the functions that state machines invoke.
    pub fn on_invoke(&self, invoker: Arc<dyn Invoker>) {
        self.world.state().invoker = Some(invoker);
        self.resume();
    }

    /// Registers a state machine from its definition (JSON text with `${Name}` substitutions) under the name
    /// `formwork-waiter`, and goes on with its executions from an earlier run; returns its ARN.
    ///
    /// # Errors
    /// Names the first thing in the definition that is wrong or not supported here.
    pub fn state_machine(
        &self,
        definition: &str,
        substitutions: &[(&str, &str)],
    ) -> Result<String, DefinitionError> {
        let definition = Definition::parse(definition, substitutions)?;
        let Options { region, account, .. } = &self.world.options;
        let arn = format!("arn:aws:states:{region}:{account}:stateMachine:formwork-waiter");
        self.world.state().executions.register(&arn, definition);
        self.resume();
        Ok(arn)
    }

    /// Registers a private or third-party resource type from its schema; returns its name.
    ///
    /// # Errors
    /// When the schema cannot be read.
    pub fn register_type(&self, schema: &str) -> Result<String, formwork_schema::SchemaError> {
        let mut state = self.world.state();
        let name = state.cloud.register(schema)?;
        self.world.keep_cloud(&state);
        Ok(name)
    }

    /// Makes something go wrong from now on.
    pub fn fault(&self, fault: Fault) {
        self.world.state().cloud.faults.add(fault);
    }

    /// How many creates, updates and deletes have been accepted and have not ended.
    pub fn operations_under_way(&self) -> usize {
        let state = self.world.settled(self.world.now());
        let operations = state.cloud.memory.operations.iter();
        operations
            .filter(|operation| !operation.status.is_terminal())
            .count()
    }

    /// Takes back what was to go wrong and is not to be kept.
    pub fn retain_faults(&self, keep: impl Fn(&Fault) -> bool) {
        self.world.state().cloud.faults.retain(keep);
    }

    /// How many callers wait now for an answer that never comes ([`crate::Effect::Hang`]).
    pub fn hanging(&self) -> usize {
        self.world.hanging_count()
    }

    /// Stops listening and running executions; a sandbox kept in a folder can be started again. Every change is
    /// in the folder already: one that was only looked at must not take back what others did to it meanwhile.
    pub async fn stop(mut self) {
        if let Some(shutdown) = self.shutdown.take() {
            let _ = shutdown.send(());
        }
        // Idle connections are closed; one that is in use is not waited for.
        let _ = tokio::time::timeout(Duration::from_millis(500), &mut self.server).await;
    }

    /// Goes on with executions that were running when the sandbox was stopped, once there is somebody to
    /// invoke.
    fn resume(&self) {
        let waiting: Vec<_> = {
            let state = self.world.state();
            if state.invoker.is_none() {
                return;
            }
            let idle = state.executions.all.iter().filter(|execution| {
                execution.status == ExecutionStatus::Running && !state.running.contains_key(&execution.arn)
            });
            idle.filter_map(|execution| {
                Some((
                    execution.arn.clone(),
                    state.executions.machine(&execution.machine)?,
                ))
            })
            .collect()
        };
        for (arn, definition) in waiting {
            drive::spawn(&self.world, &arn, definition);
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.server.abort();
        let running = std::mem::take(&mut self.world.state().running);
        running.values().for_each(tokio::task::AbortHandle::abort);
    }
}

/// The path of a response URL, which names a delivery.
fn path_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.path().to_owned())
}
