//! A sandbox, the shipped waiter and both functions, put together as `template.yaml` does.

use crate::function::{Function, InvocationError};
use crate::leaks::{self, Secret};
use crate::setup::{SECRET_KEY, SESSION_TOKEN, Setup, function, function_name, variables, waiter_definition};
use crate::story::{self, Notes};
use crate::{clock, events};
use async_trait::async_trait;
use formwork_sandbox::{Execution, ExecutionStatus, InvokeError, Invoker, Sandbox, StoredResource};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a scenario waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(120);
/// The most CloudFormation reads of a response.
const RESPONSE_LIMIT_BYTES: usize = 4096;
/// The value of every secret variable in `events/`.
pub const SECRET_VARIABLE: &str = "pk-7f3d9c1e5b2a";

/// Everything a scenario needs.
pub struct World {
    /// The cloud.
    pub sandbox: Arc<Sandbox>,
    /// The function that CloudFormation invokes.
    pub on_event: Arc<Function>,
    /// The function that the waiter invokes.
    pub is_complete: Arc<Function>,
    urls: Mutex<Vec<String>>,
    /// Executions that ended badly and of which is_complete has heard.
    told: Mutex<BTreeSet<String>>,
    /// What was done to it, for its story.
    pub(crate) notes: Notes,
}

impl World {
    /// Starts everything; the functions' processes start when they are first invoked.
    ///
    /// # Panics
    /// When something cannot be started.
    pub async fn start(setup: Setup) -> Self {
        let sandbox = Arc::new(
            Sandbox::start(setup.sandbox.clone())
                .await
                .expect("the sandbox starts"),
        );
        let arn = crate::function_arn(&function_name("is_complete"));
        let machine = sandbox
            .state_machine(&waiter_definition(), &[("IsCompleteFunctionArn", arn.as_str())])
            .expect("the sandbox runs the shipped waiter");
        let variables = variables(&sandbox, &machine, &setup);
        let is_complete = function("is_complete", &setup, variables.clone());
        sandbox.on_invoke(Arc::new(Lambda(vec![is_complete.clone()])));
        World {
            sandbox,
            on_event: function("on_event", &setup, variables),
            is_complete,
            urls: Mutex::default(),
            told: Mutex::default(),
            notes: Notes::default(),
        }
    }

    /// An event of `events/` with a response URL of its own.
    #[must_use]
    pub fn event(&self, name: &str) -> Value {
        self.address(events::load(name))
    }

    /// Gives an event a response URL that nobody had before.
    #[must_use]
    pub fn address(&self, mut event: Value) -> Value {
        let url = self.sandbox.response_url();
        self.urls.lock().unwrap().push(url.clone());
        event["ResponseURL"] = url.into();
        event
    }

    /// Delivers an event as CloudFormation does: asynchronously, with is_complete as on-failure
    /// destination.
    ///
    /// # Errors
    /// The last attempt's error, when the destination was needed.
    pub async fn send(&self, event: &Value) -> Result<(), InvocationError> {
        self.on_event
            .invoke_asynchronously(event, Some(&self.is_complete))
            .await
            .map(drop)
    }

    /// Waits for the answer to an event.
    ///
    /// # Panics
    /// When none comes.
    pub async fn answer(&self, event: &Value) -> Value {
        match self.try_answer(event).await {
            Some(answer) => answer,
            None => panic!(
                "no answer to the {} event\n{}",
                event["RequestType"],
                self.story()
            ),
        }
    }

    /// Waits for the answer to an event, as long as any scenario waits.
    ///
    /// # Panics
    /// When the answer is no JSON.
    pub async fn try_answer(&self, event: &Value) -> Option<Value> {
        let url = event["ResponseURL"]
            .as_str()
            .expect("the event has a response URL");
        let delivery = self.sandbox.response(url, PATIENCE).await?;
        Some(serde_json::from_slice(&delivery.body).expect("the answer is JSON"))
    }

    /// Delivers an event of `events/`, and checks the answer against the expected one.
    pub async fn expect(&self, name: &str) -> Value {
        let event = self.event(&format!("{name}.json"));
        self.send(&event).await.expect("the invocation succeeds");
        let answer = self.answer(&event).await;
        events::assert_expected(name, &answer);
        answer
    }

    /// What there is of a type.
    #[must_use]
    pub fn resources_of(&self, type_name: &str) -> Vec<StoredResource> {
        self.sandbox
            .resources()
            .into_iter()
            .filter(|resource| resource.type_name == type_name)
            .collect()
    }

    /// How many calls of a name the sandbox got.
    #[must_use]
    pub fn calls(&self, name: &str) -> usize {
        self.sandbox
            .requests()
            .iter()
            .filter(|call| call.call.name() == name)
            .count()
    }

    /// What EventBridge tells is_complete of every execution that did not end well.
    #[must_use]
    pub fn execution_events(&self) -> Vec<Value> {
        self.untold().iter().map(execution_event).collect()
    }

    /// Executions that did not end well and of which is_complete has not been told.
    pub(crate) fn untold(&self) -> Vec<Execution> {
        let told = self.told.lock().unwrap();
        let mut executions = self.sandbox.executions();
        executions.retain(|execution| {
            let ended_badly = matches!(
                execution.status,
                ExecutionStatus::Failed | ExecutionStatus::TimedOut | ExecutionStatus::Aborted
            );
            ended_badly && !told.contains(&execution.arn)
        });
        executions
    }

    /// Tells is_complete of an execution that did not end well, as the rule does.
    pub(crate) async fn tell(&self, execution: &Execution) {
        let event = execution_event(execution);
        // What fails here too ends in the queue of what nobody answered.
        let _ = self.is_complete.invoke_asynchronously(&event, None).await;
        self.told.lock().unwrap().insert(execution.arn.clone());
    }

    /// What happened, for the message of a scenario that failed.
    #[must_use]
    pub fn story(&self) -> String {
        story::of(self)
    }

    /// Waits until every execution has ended.
    pub async fn settle(&self) {
        eventually("every execution has ended", || {
            self.sandbox
                .executions()
                .iter()
                .all(|execution| execution.status != ExecutionStatus::Running)
        })
        .await;
    }

    /// Ends the world and checks what must hold whatever happened: one accepted PUT per request, well
    /// formed, and nothing secret in logs, executions or settled documents.
    ///
    /// # Panics
    /// When it does not hold.
    pub async fn finish(self) {
        let repeated = self.finish_with_repetitions().await;
        assert_eq!(repeated, Ok(0), "one accepted answer per request");
    }

    /// Ends the world like [`World::finish`], but allows an answer to be put several times, word for word: who is
    /// killed between the PUT and its note of it puts it again. Answers how often that was.
    ///
    /// # Errors
    /// Everything that must hold and does not.
    pub async fn finish_with_repetitions(&self) -> Result<usize, Vec<String>> {
        self.settle().await;
        self.on_event.end().await;
        self.is_complete.end().await;
        let urls = self.urls.lock().unwrap().clone();
        let mut problems = self.leaks(&urls);
        let mut repeated = 0;
        for url in &urls {
            match self.repetitions(url) {
                Ok(times) => repeated += times,
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(repeated)
        } else {
            Err(problems)
        }
    }

    /// How often the answer was put after the first time.
    fn repetitions(&self, url: &str) -> Result<usize, String> {
        let received = self.sandbox.responses(url);
        let accepted: Vec<_> = received
            .iter()
            .filter(|put| (200..300).contains(&put.status))
            .collect();
        let [first, others @ ..] = accepted.as_slice() else {
            return Err(format!("no accepted answer, of {} PUTs", received.len()));
        };
        if others.iter().any(|put| put.body != first.body) {
            return Err("two answers to one request".to_owned());
        }
        let header = |name| {
            first
                .headers
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        let length = first.body.len();
        if length > RESPONSE_LIMIT_BYTES
            || header("content-length") != Some(length.to_string().as_str())
            || !header("content-type").unwrap_or_default().is_empty()
        {
            return Err(format!("a PUT of {length} bytes with {:?}", first.headers));
        }
        Ok(others.len())
    }

    fn leaks(&self, urls: &[String]) -> Vec<String> {
        let mut secrets = vec![
            Secret::new("the secret variable", SECRET_VARIABLE),
            Secret::new("the functions' secret key", SECRET_KEY),
            Secret::new("the functions' session token", SESSION_TOKEN),
        ];
        secrets.extend(urls.iter().flat_map(|url| Secret::of_url(url)));
        let mut found = leaks::find("the log of on_event", self.on_event.log(), &secrets);
        found.extend(leaks::find(
            "the log of is_complete",
            self.is_complete.log(),
            &secrets,
        ));
        let executions = self
            .sandbox
            .executions()
            .into_iter()
            .map(|execution| format!("{execution:?}"));
        found.extend(leaks::find("an execution", executions, &secrets));
        for object in self.sandbox.objects() {
            let text = String::from_utf8_lossy(&object.body).into_owned();
            found.extend(leaks::find(
                &format!("the stored `{}`", object.key),
                [text],
                &secrets,
            ));
        }
        found
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// When it does not come to hold.
pub async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begin = clock::instant();
    while !condition() {
        assert!(begin.elapsed() < PATIENCE, "still not: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// How the state machines of the sandbox reach the functions.
struct Lambda(Vec<Arc<Function>>);

#[async_trait]
impl Invoker for Lambda {
    async fn invoke(&self, function_arn: &str, input: Value) -> Result<Value, InvokeError> {
        let function = self
            .0
            .iter()
            .find(|function| function.arn() == function_arn)
            .ok_or_else(|| InvokeError {
                error: "Lambda.ResourceNotFoundException".into(),
                cause: format!("Function not found: {function_arn}"),
            })?;
        function.invoke(&input).await.map_err(|error| InvokeError {
            cause: json!({"errorMessage": error.message, "errorType": error.kind}).to_string(),
            error: error.kind,
        })
    }
}

fn execution_event(execution: &Execution) -> Value {
    json!({
        "version": "0",
        "id": "315c1398-40ff-a850-213b-158f73e60175",
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "account": crate::ACCOUNT,
        "time": "2026-11-20T12:00:00Z",
        "region": crate::REGION,
        "resources": [execution.arn],
        "detail": {
            "executionArn": execution.arn,
            "stateMachineArn": execution.machine,
            "name": execution.name,
            "status": execution.status.name(),
            "input": execution.input.to_string(),
            "output": null,
            "inputDetails": { "included": true },
            "outputDetails": null,
        },
    })
}
