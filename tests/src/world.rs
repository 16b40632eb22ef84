//! A sandbox, the shipped waiter and both functions, put together as `template.yaml` does.

use crate::function::{Function, InvocationError};
use crate::leaks::{self, Secret};
use crate::logs::Line;
use crate::setup::{SECRET_KEY, SESSION_TOKEN, Setup, function, function_name, variables, waiter_definition};
use crate::{clock, events};
use async_trait::async_trait;
use formwork_sandbox::{Execution, ExecutionStatus, InvokeError, Invoker, Sandbox, StoredResource};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a scenario waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(60);
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
        let url = event["ResponseURL"]
            .as_str()
            .expect("the event has a response URL");
        let answered = self.sandbox.response(url, PATIENCE).await;
        let Some(delivery) = answered else {
            panic!(
                "no answer to the {} event\n{}",
                event["RequestType"],
                self.story()
            );
        };
        serde_json::from_slice(&delivery.body).expect("the answer is JSON")
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
        let executions = self.sandbox.executions();
        let failed = executions.iter().filter(|execution| {
            matches!(
                execution.status,
                ExecutionStatus::Failed | ExecutionStatus::TimedOut | ExecutionStatus::Aborted
            )
        });
        failed.map(execution_event).collect()
    }

    /// What happened, for the message of a scenario that failed.
    #[must_use]
    pub fn story(&self) -> String {
        let mut calls: BTreeMap<String, usize> = BTreeMap::new();
        for call in self.sandbox.requests() {
            *calls
                .entry(format!("{} {}", call.call.name(), call.status))
                .or_default() += 1;
        }
        let executions: Vec<_> = self.sandbox.executions().iter().map(summary).collect();
        let (on_event, is_complete) = (messages(&self.on_event), messages(&self.is_complete));
        format!(
            "calls: {calls:?}\non_event: {on_event:#?}\nis_complete: {is_complete:#?}\nexecutions: {executions:#?}"
        )
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
        self.settle().await;
        self.on_event.end().await;
        self.is_complete.end().await;
        let urls = self.urls.lock().unwrap().clone();
        for url in &urls {
            self.check_delivery(url);
        }
        let found = self.leaks(&urls);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    fn check_delivery(&self, url: &str) {
        let received = self.sandbox.responses(url);
        let accepted: Vec<_> = received
            .iter()
            .filter(|put| (200..300).contains(&put.status))
            .collect();
        assert_eq!(
            accepted.len(),
            1,
            "one accepted answer per request, of {} PUTs",
            received.len()
        );
        for put in accepted {
            let header = |name| {
                put.headers
                    .iter()
                    .find(|(key, _)| key == name)
                    .map(|(_, value)| value.as_str())
            };
            assert!(
                put.body.len() <= RESPONSE_LIMIT_BYTES,
                "an answer of {} bytes",
                put.body.len()
            );
            assert_eq!(
                header("content-length"),
                Some(put.body.len().to_string().as_str()),
                "content-length"
            );
            assert_eq!(header("content-type").unwrap_or_default(), "", "content-type");
        }
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

fn summary(execution: &Execution) -> String {
    let Execution {
        status,
        outputs,
        error,
        ..
    } = execution;
    format!(
        "{status:?} after {} invocations, the last: {:?}, error: {error:?}",
        outputs.len(),
        outputs.last()
    )
}

/// The log above debug level, without its circumstances.
fn messages(function: &Function) -> Vec<String> {
    const CIRCUMSTANCES: [&str; 7] = [
        "timestamp",
        "target",
        "instance",
        "request",
        "requestId",
        "xrayTraceId",
        "requestType",
    ];
    let lines = function.log().into_iter().filter_map(|text| {
        let Ok(mut line) = Line::read(&text) else {
            return Some(text);
        };
        let is_news = line.text("level") != Some("DEBUG")
            && line.text("message") != Some("a request came in")
            && !line.is_metrics();
        line.0.retain(|name, _| !CIRCUMSTANCES.contains(&name.as_str()));
        is_news.then(|| Value::Object(line.0).to_string())
    });
    lines.collect()
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
