//! Lambda: the two functions, their processes, and asynchronous invocations that come at least once.

use crate::cloud::{CloudAccess, SimulatedCloud};
use crate::dice::Fault;
use crate::process::Process;
use crate::sink::{Sender, Sink};
use crate::store::{Bucket, Storage};
use crate::types;
use crate::waiter::{Machine, MachineAccess};
use crate::world::{Time, World, lock};
use async_trait::async_trait;
use formwork_engine::ports::BlueprintSource;
use formwork_engine::{Adapters, Engine, Event, Limits, Observer};
use formwork_handlers::blueprint::BlueprintResource;
use formwork_provider::{Invocation, Ports, Provider};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Waits before the second and the third attempt at an event.
const BACKOFF: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(120)];

/// Which function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    OnEvent,
    IsComplete,
}

/// How the application is set up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    /// How long an invocation may take.
    pub(crate) function_timeout: Duration,
    /// How long one invocation waits for resources.
    pub(crate) poll_window: Duration,
    pub(crate) max_concurrency: usize,
    pub(crate) requests_per_second: u32,
}

/// The account in which everything runs.
pub(crate) struct Account {
    pub(crate) world: Arc<World>,
    pub(crate) setup: Setup,
    pub(crate) cloud: Arc<SimulatedCloud>,
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) sink: Arc<Sink>,
    pub(crate) machine: Arc<Machine>,
    /// Processes that wait for their next event.
    idle: Mutex<Vec<(Function, Container)>>,
    invocations: Mutex<u64>,
}

/// A process and what it keeps between events.
struct Container {
    process: Arc<Process>,
    provider: Arc<Provider>,
}

/// Why an invocation came to nothing, as Lambda calls it.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl Account {
    pub(crate) fn new(
        world: Arc<World>,
        setup: Setup,
        cloud: Arc<SimulatedCloud>,
        bucket: Arc<Bucket>,
        sink: Arc<Sink>,
    ) -> Arc<Self> {
        Arc::new(Account {
            machine: Machine::new(Arc::clone(&world)),
            world,
            setup,
            cloud,
            bucket,
            sink,
            idle: Mutex::default(),
            invocations: Mutex::default(),
        })
    }

    /// Invokes a function with an event that comes at least once: now and then late, twice, or after failures.
    pub(crate) fn invoke_later(self: &Arc<Self>, function: Function, event: &Value, longest_delay: Duration) {
        let dice = &self.world.dice;
        let copies = if dice.strikes(Fault::DeliveredTwice) { 2 } else { 1 };
        for _ in 0..copies {
            let delay = if dice.strikes(Fault::DeliveredLate) {
                dice.draw(0, u64::try_from(longest_delay.as_millis()).unwrap_or_default())
            } else {
                dice.draw(1, 50)
            };
            let (account, event) = (Arc::clone(self), event.clone());
            self.world.spawn(async move {
                tokio::time::sleep(Duration::from_millis(delay)).await;
                account.attempt(function, event).await;
            });
        }
    }

    /// Three attempts, then the destination for failures.
    fn attempt(
        self: Arc<Self>,
        function: Function,
        event: Value,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            let mut last = None;
            for attempt in 0..=BACKOFF.len() {
                let is_last = attempt == BACKOFF.len() && function == Function::IsComplete;
                match self.invoke(function, event.clone(), is_last).await {
                    Ok(_) => return,
                    Err(broken) => last = Some(broken),
                }
                if let Some(pause) = BACKOFF.get(attempt) {
                    tokio::time::sleep(*pause).await;
                }
            }
            let broken = last.map_or_else(
                || json!(null),
                |broken| json!({ "errorType": broken.kind, "errorMessage": broken.message }),
            );
            match function {
                Function::OnEvent => {
                    let record = json!({
                        "version": "1.0",
                        "requestContext": { "condition": "RetriesExhausted", "approximateInvokeCount": 3 },
                        "requestPayload": event,
                        "responsePayload": broken,
                    });
                    self.attempt(Function::IsComplete, record).await;
                }
                Function::IsComplete => self
                    .world
                    .violated(format!("an event is left in the queue: {broken}")),
            }
        })
    }

    /// Invokes a function and waits for what it returns.
    pub(crate) async fn invoke(
        self: &Arc<Self>,
        function: Function,
        event: Value,
        spared: bool,
    ) -> Result<Value, Broken> {
        let number = {
            let mut invocations = lock(&self.invocations);
            *invocations += 1;
            *invocations
        };
        let container = self.container(function);
        container.process.spare(spared);
        let world = &self.world;
        world.tell(|| format!("{function:?} #{number} begins"));
        let deadline = world.later(self.setup.function_timeout);
        let invocation = Invocation {
            deadline,
            log_stream: Some(format!("2026/01/01/[$LATEST]{number:032x}")),
        };
        let provider = Arc::clone(&container.provider);
        let work = async move {
            match function {
                Function::OnEvent => provider.on_event(event, invocation).await,
                Function::IsComplete => provider.is_complete(event, invocation).await,
            }
        };
        let sudden = if !spared && world.dice.strikes(Fault::KilledAnyTime) {
            Duration::from_millis(
                world
                    .dice
                    .draw(0, u64::try_from(self.setup.poll_window.as_millis()).unwrap_or(1)),
            )
        } else {
            Duration::MAX
        };
        let ended = tokio::select! {
            biased;
            returned = work => returned.map_err(|error| {
                world.read_by_people("an error", &error.to_string());
                Broken { kind: "FlowError", message: error.to_string() }
            }),
            () = container.process.death() => Err(Broken { kind: "Lambda.Unknown", message: "signal: killed".into() }),
            () = tokio::time::sleep(sudden.min(self.setup.function_timeout)) => {
                container.process.kill();
                if sudden < self.setup.function_timeout {
                    Err(Broken { kind: "Lambda.Unknown", message: "signal: killed".into() })
                } else {
                    Err(Broken { kind: "Sandbox.Timedout", message: "Task timed out".into() })
                }
            }
        };
        world.tell(|| match &ended {
            Ok(value) => format!("{function:?} #{number} returns {value}"),
            Err(broken) => format!(
                "{function:?} #{number} breaks: {} {}",
                broken.kind, broken.message
            ),
        });
        if !matches!(&ended, Err(broken) if broken.kind != "FlowError") {
            lock(&self.idle).push((function, container));
        }
        ended
    }

    /// Ends every process.
    pub(crate) fn close(&self) {
        lock(&self.idle).clear();
    }

    /// An idle process of the function, or a new one.
    fn container(self: &Arc<Self>, function: Function) -> Container {
        let mut idle = lock(&self.idle);
        if let Some(place) = idle.iter().position(|(kind, _)| *kind == function) {
            return idle.swap_remove(place).1;
        }
        drop(idle);
        let process = Process::new(Arc::clone(&self.world));
        let time = Arc::new(Time::new(&self.world));
        let storage = Arc::new(Storage {
            bucket: Arc::clone(&self.bucket),
            process: Arc::clone(&process),
        });
        let adapters = Adapters {
            cloud: Arc::new(CloudAccess {
                cloud: Arc::clone(&self.cloud),
                process: Arc::clone(&process),
            }),
            store: storage.clone(),
            schemas: types::schemas(),
            clock: time.clone(),
            observer: Arc::new(Listener(Arc::clone(&self.world))),
        };
        let limits = Limits {
            max_concurrency: self.setup.max_concurrency,
            requests_per_second: self.setup.requests_per_second,
        };
        let engine = Engine::new(adapters, limits);
        let resource = BlueprintResource::new(engine, Arc::new(Nowhere), self.setup.poll_window, salt);
        let ports = Ports {
            clock: time,
            sender: Arc::new(Sender {
                sink: Arc::clone(&self.sink),
                process: Arc::clone(&process),
            }),
            waiter: Some(Arc::new(MachineAccess {
                account: Arc::clone(self),
                process: Arc::clone(&process),
            })),
            store: storage,
        };
        let provider = Arc::new(
            Provider::builder(ports)
                .resource("Custom::Blueprint", resource)
                .build(),
        );
        Container { process, provider }
    }
}

/// From the thread's dice, which every run seeds.
fn salt() -> String {
    format!("{:032x}", fastrand::u128(..))
}

/// Blueprints come with the request.
struct Nowhere;

#[async_trait]
impl BlueprintSource for Nowhere {
    async fn fetch(&self, location: &str) -> Result<String, String> {
        Err(format!("`{location}` is nowhere"))
    }
}

/// Reads what people will read.
struct Listener(Arc<World>);

impl Observer for Listener {
    fn event(&self, event: &Event) {
        let text = format!("{event:?}");
        self.0.read_by_people("an event", &text);
        self.0.tell(|| {
            let message = event.message.as_deref().unwrap_or_default();
            let identifier = event.identifier.as_deref().unwrap_or("-");
            format!(
                "engine: {} {:?} {:?} {identifier} {message}",
                event.lane, event.action, event.kind
            )
        });
    }
}
