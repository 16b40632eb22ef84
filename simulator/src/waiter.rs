//! Step Functions: executions of the waiter as it is deployed.

use crate::dice::Fault;
use crate::functions::{Account, Broken, Function};
use crate::process::Process;
use crate::world::{World, lock};
use async_trait::async_trait;
use formwork_handlers::WAITER_DEFINITION;
use formwork_provider::ports::{WaitInput, Waiter, WaiterError};
use formwork_sandbox::asl::{Action, Definition, Event, Frame, Problem, step};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

const FUNCTION: &str = "arn:aws:lambda:eu-central-1:123456789012:function:is-complete";

/// Names of all executions there ever were.
pub(crate) struct Machine {
    world: Arc<World>,
    names: Mutex<HashSet<String>>,
}

impl Machine {
    pub(crate) fn new(world: Arc<World>) -> Arc<Self> {
        Arc::new(Machine {
            world,
            names: Mutex::default(),
        })
    }

    /// Starts an execution, unless there was one of the name.
    fn start(&self, account: &Arc<Account>, name: &str, input: Value) {
        let text = input.to_string();
        self.world.read_by_people("a waiter's input", &text);
        if !lock(&self.names).insert(name.to_owned()) {
            return;
        }
        self.world.tell(|| format!("waiter: {name} starts"));
        let (account, name) = (Arc::clone(account), name.to_owned());
        self.world
            .spawn(async move { execute(&account, &name, input).await });
    }
}

fn definition() -> Option<&'static Definition> {
    static DEFINITION: OnceLock<Option<Definition>> = OnceLock::new();
    DEFINITION
        .get_or_init(|| Definition::parse(WAITER_DEFINITION, &[("IsCompleteFunctionArn", FUNCTION)]).ok())
        .as_ref()
}

async fn execute(account: &Arc<Account>, name: &str, input: Value) {
    let world = &account.world;
    let Some(definition) = definition() else {
        world.violated("the waiter's definition cannot be read");
        return;
    };
    let longest = Duration::from_secs(definition.timeout_seconds.unwrap_or(u64::from(u32::MAX)));
    let aborted = if world.dice.strikes(Fault::Aborted) {
        Duration::from_millis(world.dice.draw(0, 120_000))
    } else {
        Duration::MAX
    };
    let status = tokio::select! {
        biased;
        ended = walk(account, definition, input.clone()) => match ended {
            Ok(()) => return,
            Err(problem) => ("FAILED", problem.error),
        },
        () = tokio::time::sleep(longest.min(aborted)) => {
            (if aborted < longest { "ABORTED" } else { "TIMED_OUT" }, "States.Timeout".to_owned())
        }
    };
    world.tell(|| format!("waiter: {name} ends {}", status.0));
    // EventBridge tells the function, at least once.
    let event = json!({
        "source": "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        "detail": { "name": name, "status": status.0, "input": input.to_string(), "error": status.1 },
    });
    account.invoke_later(Function::IsComplete, &event, Duration::from_secs(30));
}

async fn walk(account: &Arc<Account>, definition: &Definition, input: Value) -> Result<(), Problem> {
    let mut frame = Frame::start(definition, input);
    let mut jitter = fastrand::Rng::with_seed(account.world.dice.draw(0, u64::MAX - 1));
    let mut event = Event::Entered;
    loop {
        event = match step(definition, &mut frame, event, &mut jitter) {
            Action::Invoke { input, .. } => Event::Returned(invoke(account, input).await),
            Action::Wait(pause) => {
                tokio::time::sleep(pause).await;
                Event::Waited
            }
            Action::Retry(pause) => {
                tokio::time::sleep(pause).await;
                Event::Entered
            }
            Action::Succeed(_) => return Ok(()),
            Action::Fail(problem) => return Err(problem),
        };
    }
}

/// A synchronous call of the function. It goes on whatever becomes of the execution.
async fn invoke(account: &Arc<Account>, input: Value) -> Result<Value, Problem> {
    let world = &account.world;
    if world.dice.strikes(Fault::InvokeRefused) {
        return Err(Problem::new("Lambda.TooManyRequestsException", "Rate exceeded"));
    }
    let lost = world.dice.strikes(Fault::InvokeLost);
    let (sent, returned) = tokio::sync::oneshot::channel();
    let own = Arc::clone(account);
    world.spawn(async move {
        // Nobody listens any more if the execution has ended.
        let _ = sent.send(own.invoke(Function::IsComplete, input, false).await);
    });
    if lost {
        tokio::time::sleep(Duration::from_millis(world.dice.draw(0, 3_000))).await;
        return Err(Problem::new("Lambda.SdkClientException", "connection reset"));
    }
    match returned.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Broken { kind, message })) => Err(Problem::new(kind, message)),
        Err(_) => Err(Problem::new("Lambda.Unknown", "it is gone")),
    }
}

/// The state machine as one process reaches it.
pub(crate) struct MachineAccess {
    pub(crate) account: Arc<Account>,
    pub(crate) process: Arc<Process>,
}

#[async_trait]
impl Waiter for MachineAccess {
    async fn start(&self, name: &str, input: &WaitInput) -> Result<(), WaiterError> {
        let dice = &self.process.world.dice;
        if dice.strikes(Fault::StartFails) {
            self.process.call(Duration::ZERO, || ()).await;
            return Err(WaiterError("ThrottlingException".into()));
        }
        let lost = dice.strikes(Fault::StartLost);
        let (account, name) = (Arc::clone(&self.account), name.to_owned());
        let input = serde_json::to_value(input).map_err(|error| WaiterError(error.to_string()))?;
        self.process
            .call(Duration::ZERO, move || {
                account.machine.start(&account, &name, input)
            })
            .await;
        if lost {
            Err(WaiterError("connection reset".into()))
        } else {
            Ok(())
        }
    }
}
