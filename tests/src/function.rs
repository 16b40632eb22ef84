//! A Lambda function: environments on demand, asynchronous invocation with its retries and destination.

use crate::environment::{Environment, Log};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often a condition is looked at.
const TICK: Duration = Duration::from_millis(2);

/// What a function is made of.
#[derive(Debug, Clone)]
pub struct FunctionSetup {
    /// The function's name.
    pub name: String,
    /// Its executable.
    pub binary: PathBuf,
    /// Variables beside those that Lambda sets.
    pub variables: BTreeMap<String, String>,
    /// How long one invocation may take.
    pub timeout: Duration,
    /// How long after an asynchronous invocation that failed it is tried again, once and once more.
    pub retry_after: [Duration; 2],
}

impl FunctionSetup {
    /// The function's ARN.
    #[must_use]
    pub fn arn(&self) -> String {
        crate::function_arn(&self.name)
    }
}

/// Why an invocation has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvocationError {
    /// Lambda's `errorType`: the function's own, `Sandbox.Timedout` or `Runtime.ExitError`.
    pub kind: String,
    /// Lambda's `errorMessage`.
    pub message: String,
}

/// A function that can be invoked, several times at once.
pub struct Function {
    setup: FunctionSetup,
    idle: Mutex<Vec<Environment>>,
    log: Log,
    invocations: AtomicUsize,
    kills: Mutex<Option<Kills>>,
    fate: Mutex<Option<Fate>>,
}

#[derive(Clone)]
struct Kills {
    left: usize,
    when: Condition,
}

type Condition = Arc<dyn Fn() -> bool + Send + Sync>;

/// How an invocation is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Death {
    /// With SIGKILL.
    Killed,
    /// With SIGSTOP, so that its time runs out; then it is killed.
    Frozen,
}

/// When and how one invocation is to end.
#[derive(Clone)]
pub struct Doom {
    /// Looked at again and again. True at once: before it gets its event.
    pub when: Condition,
    /// How.
    pub death: Death,
}

/// Asked for each invocation; told whether nobody will try again.
type Fate = Box<dyn Fn(bool) -> Option<Doom> + Send + Sync>;

impl Function {
    /// Makes a function; a process starts with its first invocation.
    #[must_use]
    pub fn new(setup: FunctionSetup) -> Arc<Self> {
        Arc::new(Function {
            setup,
            idle: Mutex::default(),
            log: Log::default(),
            invocations: AtomicUsize::new(0),
            kills: Mutex::default(),
            fate: Mutex::default(),
        })
    }

    /// The function's ARN.
    #[must_use]
    pub fn arn(&self) -> String {
        self.setup.arn()
    }

    /// What the function is made of.
    #[must_use]
    pub fn setup(&self) -> &FunctionSetup {
        &self.setup
    }

    /// Everything its processes wrote so far.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.log.lines()
    }

    /// How often it was invoked, retries included.
    #[must_use]
    pub fn invocations(&self) -> usize {
        self.invocations.load(Ordering::SeqCst)
    }

    /// Kills the process (SIGKILL) of the next `times` invocations, each as soon as `when` answers true: if
    /// at once, before it gets its event.
    pub fn kill_when(&self, times: usize, when: impl Fn() -> bool + Send + Sync + 'static) {
        *self.kills.lock().unwrap() = Some(Kills {
            left: times,
            when: Arc::new(when),
        });
    }

    /// Asks `fate` at the beginning of each invocation whether, when and how it is to end. It is told whether this
    /// is the last attempt at an event, with nobody behind it.
    pub fn doom(&self, fate: impl Fn(bool) -> Option<Doom> + Send + Sync + 'static) {
        *self.fate.lock().unwrap() = Some(Box::new(fate));
    }

    /// Invokes and waits for the result.
    ///
    /// # Errors
    /// When the function answered with an error, ran out of time or died.
    pub async fn invoke(&self, event: &Value) -> Result<Value, InvocationError> {
        self.attempt(&self.new_request_id(), event, false).await
    }

    /// Invokes asynchronously, as CloudFormation does: an error is tried again twice and handed to `on_failure` in the end. Answers the last attempt's result.
    ///
    /// # Errors
    /// When every attempt failed, the last one's.
    pub async fn invoke_asynchronously(
        &self,
        event: &Value,
        on_failure: Option<&Function>,
    ) -> Result<Value, InvocationError> {
        let request_id = self.new_request_id();
        let mut result = self.attempt(&request_id, event, false).await;
        for (retry, pause) in self.setup.retry_after.iter().enumerate() {
            if result.is_ok() {
                break;
            }
            tokio::time::sleep(*pause).await;
            let is_last = retry + 1 == self.setup.retry_after.len() && on_failure.is_none();
            result = self.attempt(&request_id, event, is_last).await;
        }
        if let (Err(error), Some(destination)) = (&result, on_failure) {
            let record = self.failure_record(&request_id, event, error);
            // A destination is an asynchronous invocation too, without a destination of its own.
            let _ = Box::pin(destination.invoke_asynchronously(&record, None)).await;
        }
        result
    }

    /// Ends every idle process and reads its last words. Invocations must be over.
    pub async fn end(&self) {
        let environments = std::mem::take(&mut *self.idle.lock().unwrap());
        for environment in environments {
            environment.end().await;
        }
    }

    async fn attempt(
        &self,
        request_id: &str,
        event: &Value,
        is_last: bool,
    ) -> Result<Value, InvocationError> {
        self.invocations.fetch_add(1, Ordering::SeqCst);
        let mut environment = self.environment().await?;
        let fated = self.fate.lock().unwrap().as_ref().and_then(|fate| fate(is_last));
        let result = environment
            .invoke(request_id, event, self.setup.timeout, self.ended(fated))
            .await;
        let usable = match &result {
            Ok(_) => true,
            Err(error) => !matches!(error.kind.as_str(), "Sandbox.Timedout" | "Runtime.ExitError"),
        };
        if usable {
            self.idle.lock().unwrap().push(environment);
        } else {
            environment.end().await;
        }
        result
    }

    async fn environment(&self) -> Result<Environment, InvocationError> {
        while let Some(mut idle) = { self.idle.lock().unwrap().pop() } {
            if idle.is_alive() {
                return Ok(idle);
            }
            idle.end().await;
        }
        let mut started = Environment::start(&self.setup, &self.log).await;
        match started.ready().await {
            Ok(()) => Ok(started),
            Err(error) => {
                started.end().await;
                Err(error)
            }
        }
    }

    /// Comes when the running invocation is to be ended, or never.
    async fn ended(&self, fated: Option<Doom>) -> Death {
        loop {
            let kills = self.kills.lock().unwrap().clone().filter(|kills| kills.left > 0);
            if kills.is_none() && fated.is_none() {
                return std::future::pending().await;
            }
            if kills.is_some_and(|kills| (kills.when)()) {
                if let Some(kills) = self.kills.lock().unwrap().as_mut() {
                    kills.left = kills.left.saturating_sub(1);
                }
                return Death::Killed;
            }
            if let Some(doom) = &fated
                && (doom.when)()
            {
                return doom.death;
            }
            tokio::time::sleep(TICK).await;
        }
    }

    fn new_request_id(&self) -> String {
        static REQUESTS: AtomicUsize = AtomicUsize::new(1);
        format!(
            "{:08x}-5d4c-11f0-9cd2-0242ac120002",
            REQUESTS.fetch_add(1, Ordering::SeqCst)
        )
    }

    /// The record that Lambda sends to an on-failure destination.
    fn failure_record(&self, request_id: &str, event: &Value, error: &InvocationError) -> Value {
        json!({
            "version": "1.0",
            "timestamp": crate::clock::now().to_string(),
            "requestContext": {
                "requestId": request_id,
                "functionArn": format!("{}:$LATEST", self.arn()),
                "condition": "RetriesExhausted",
                "approximateInvokeCount": 1 + self.setup.retry_after.len(),
            },
            "requestPayload": event,
            "responseContext": { "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled" },
            "responsePayload": { "errorType": error.kind, "errorMessage": error.message },
        })
    }
}
