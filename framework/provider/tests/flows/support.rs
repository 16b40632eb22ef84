//! What the rows share: a provider over JSON handlers that remember what they were given.

use async_trait::async_trait;
use formwork_provider::fakes::Fakes;
use formwork_provider::json::JsonHandler;
use formwork_provider::ports::Clock;
use formwork_provider::{
    Context, Create, CustomResource, Delete, Failure, FlowError, Head, Invocation, Outcome, Poll, Progress,
    Provider, Update,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const TYPE: &str = "Custom::Thing";
pub(crate) const URL: &str = "https://bucket.s3.amazonaws.com/answer?X-Amz-Signature=s1gnature";
pub(crate) const STACK: &str =
    "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/5b918d10-cd98-11ea-90d5";

pub(crate) fn event(request_type: &str) -> Value {
    let mut event = json!({
        "RequestType": request_type,
        "ResponseURL": URL,
        "StackId": STACK,
        "RequestId": "request-1",
        "LogicalResourceId": "Thing",
        "ResourceType": TYPE,
        "ResourceProperties": { "ServiceToken": "arn:token", "Name": "n", "Password": "hunter2" },
    });
    if request_type != "Create" {
        event["PhysicalResourceId"] = json!("current-id");
    }
    if request_type == "Update" {
        event["OldResourceProperties"] = json!({ "Name": "old" });
    }
    event
}

/// A scripted function: answers from a list, remembers its inputs.
#[derive(Clone, Default)]
pub(crate) struct Script {
    answers: Arc<Mutex<VecDeque<Result<Value, Failure>>>>,
    inputs: Arc<Mutex<Vec<Value>>>,
}

impl Script {
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<Value, Failure>>) -> Self {
        Script {
            answers: Arc::new(Mutex::new(answers.into_iter().collect())),
            inputs: Arc::default(),
        }
    }

    pub(crate) fn ok(answers: impl IntoIterator<Item = Value>) -> Self {
        Script::new(answers.into_iter().map(Ok))
    }

    pub(crate) fn inputs(&self) -> Vec<Value> {
        self.inputs.lock().unwrap().clone()
    }

    pub(crate) fn handler(
        &self,
    ) -> impl Fn(Value) -> std::future::Ready<Result<Value, Failure>> + Send + Sync + 'static {
        let script = self.clone();
        move |event| {
            script.inputs.lock().unwrap().push(event);
            std::future::ready(
                script
                    .answers
                    .lock()
                    .unwrap()
                    .pop_front()
                    .expect("the script has an end"),
            )
        }
    }
}

/// A provider of one type, and its fakes.
pub(crate) struct World {
    pub(crate) fakes: Fakes,
    pub(crate) provider: Provider,
}

impl World {
    pub(crate) fn of(resource: impl CustomResource) -> Self {
        let fakes = Fakes::new();
        World {
            provider: Provider::builder(fakes.ports()).resource(TYPE, resource).build(),
            fakes,
        }
    }

    pub(crate) fn without_waiter(resource: impl CustomResource) -> Self {
        let fakes = Fakes::new();
        World {
            provider: Provider::builder(fakes.ports_without_waiter())
                .resource(TYPE, resource)
                .build(),
            fakes,
        }
    }

    pub(crate) fn sync(on_event: &Script) -> Self {
        World::of(JsonHandler::new(on_event.handler()))
    }

    pub(crate) fn polled(on_event: &Script, is_complete: &Script) -> Self {
        World::of(JsonHandler::new(on_event.handler()).with_is_complete(is_complete.handler()))
    }

    pub(crate) fn invocation(&self) -> Invocation {
        let deadline = self.fakes.clock.now() + Duration::from_secs(60);
        Invocation {
            deadline,
            log_stream: None,
        }
    }

    pub(crate) async fn on_event(&self, event: &Value) -> Result<Value, FlowError> {
        self.provider.on_event(event.clone(), self.invocation()).await
    }

    pub(crate) async fn is_complete(&self, input: Value) -> Result<Value, FlowError> {
        self.provider.is_complete(input, self.invocation()).await
    }

    /// Polls with the input of the waiter that was started.
    pub(crate) async fn poll(&self) -> Value {
        self.is_complete(self.fakes.waiter.input().expect("a waiter runs"))
            .await
            .unwrap()
    }

    /// Does what the state machine does, to the end.
    pub(crate) async fn wait(&self) {
        for _ in 0..2000 {
            let output = self.poll().await;
            if output["IsComplete"] == true {
                return;
            }
            self.fakes
                .clock
                .sleep(Duration::from_secs(output["WaitSeconds"].as_u64().unwrap()))
                .await;
        }
        panic!("the waiter never ends");
    }

    /// The one answer. There is never another.
    pub(crate) fn answer(&self) -> Value {
        let bodies = self.fakes.sender.bodies();
        assert_eq!(bodies.len(), 1, "{bodies:?}");
        assert_eq!(self.fakes.sender.urls(), [URL]);
        let body = bodies[0].clone();
        for (field, echoed) in [
            ("StackId", STACK),
            ("RequestId", "request-1"),
            ("LogicalResourceId", "Thing"),
        ] {
            assert_eq!(body[field], echoed);
        }
        assert!(!body["Reason"].as_str().unwrap().is_empty());
        assert!(!body["PhysicalResourceId"].as_str().unwrap().is_empty());
        assert!(
            !body.to_string().contains("hunter2"),
            "a property's value is in the answer"
        );
        body
    }

    pub(crate) fn succeeded(&self, id: &str) -> Value {
        let body = self.answer();
        assert_eq!(
            (body["Status"].as_str(), body["PhysicalResourceId"].as_str()),
            (Some("SUCCESS"), Some(id)),
            "{body}"
        );
        body
    }

    pub(crate) fn failed(&self, id: &str, reason: &str) -> Value {
        let body = self.answer();
        assert_eq!(body["Status"], "FAILED");
        assert_eq!(
            (body["PhysicalResourceId"].as_str(), body["Reason"].as_str()),
            (Some(id), Some(reason))
        );
        body
    }
}

/// What a [`Probe`] does when it is called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Act {
    Done,
    /// Sets the id `early`, then never ends.
    HangWithId,
    Hang,
    Panic,
    PanicWithId,
    Pend,
    Slow(Duration),
    FailWithId,
}

/// A typed resource that does as it is told and counts its calls.
#[derive(Clone)]
pub(crate) struct Probe {
    pub(crate) acts: Arc<Mutex<VecDeque<Act>>>,
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
    pub(crate) resumes: bool,
    pub(crate) derived_id: Option<&'static str>,
    /// What it does after answers, as long as there is something.
    closing: Arc<Mutex<VecDeque<Act>>>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct ProbeProperties {
    pub(crate) name: String,
    pub(crate) size: Option<u32>,
}

impl Probe {
    pub(crate) fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = Arc::new(Mutex::new(acts.into_iter().collect()));
        Probe {
            acts,
            calls: Arc::default(),
            resumes: false,
            derived_id: None,
            closing: Arc::default(),
        }
    }

    pub(crate) fn closing(self, acts: impl IntoIterator<Item = Act>) -> Self {
        self.closing.lock().unwrap().extend(acts);
        self
    }

    pub(crate) fn resuming(mut self) -> Self {
        self.resumes = true;
        self
    }

    pub(crate) fn with_derived_id(mut self, id: &'static str) -> Self {
        self.derived_id = Some(id);
        self
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn note(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }

    async fn act(&self, call: &str, state: u32, cx: &Context) -> Result<Progress<u32>, Failure> {
        self.note(call);
        let act = self
            .acts
            .lock()
            .unwrap()
            .pop_front()
            .expect("the probe was not to be called again");
        if matches!(act, Act::HangWithId | Act::PanicWithId) {
            cx.set_physical_resource_id("early");
        }
        match act {
            Act::Done => {}
            Act::Hang | Act::HangWithId => std::future::pending().await,
            Act::Panic | Act::PanicWithId => panic!("hunter2"),
            Act::Pend => {
                let outcome = Outcome::new()
                    .with_id("pending-id")
                    .with_value(format!("poll-{state}"), state);
                return Ok(Progress::Pending {
                    outcome,
                    state: state + 1,
                    after: Duration::from_millis(1500),
                });
            }
            Act::Slow(time) => cx.sleep(time).await,
            Act::FailWithId => return Err(Failure::new("half made").with_id("half")),
        }
        Ok(Progress::Done(Outcome::new().with_value("state", state)))
    }
}

#[async_trait]
impl CustomResource for Probe {
    type Properties = ProbeProperties;
    type State = u32;

    fn physical_resource_id(&self, _head: &Head) -> Option<String> {
        self.derived_id.map(str::to_owned)
    }

    fn resumes(&self) -> bool {
        self.resumes
    }

    async fn create(&self, request: Create<ProbeProperties>, cx: &Context) -> Result<Progress<u32>, Failure> {
        self.act(
            &format!("create {} {:?}", request.properties.name, request.properties.size),
            0,
            cx,
        )
        .await
    }

    async fn update(&self, request: Update<ProbeProperties>, cx: &Context) -> Result<Progress<u32>, Failure> {
        self.act(
            &format!(
                "update {} {}",
                request.physical_resource_id,
                request.old_properties.is_ok()
            ),
            0,
            cx,
        )
        .await
    }

    async fn delete(&self, request: Delete<ProbeProperties>, cx: &Context) -> Result<Progress<u32>, Failure> {
        self.act(
            &format!(
                "delete {} {}",
                request.physical_resource_id,
                request.properties.is_ok()
            ),
            0,
            cx,
        )
        .await
    }

    async fn poll(
        &self,
        _request: Poll<ProbeProperties>,
        state: u32,
        cx: &Context,
    ) -> Result<Progress<u32>, Failure> {
        self.act(&format!("poll {state}"), state, cx).await
    }

    async fn timed_out(&self, request: Poll<ProbeProperties>, state: u32, _cx: &Context) -> Failure {
        self.note(format!("timed out {state}"));
        Failure::new(format!("{:?} was still at {state}", request.physical_resource_id))
    }

    async fn answered(&self, head: &Head, id: &str, succeeded: bool, cx: &Context) -> Result<(), Failure> {
        self.note(format!("answered {} {id} {succeeded}", head.request_type));
        let act = self.closing.lock().unwrap().pop_front();
        match act {
            Some(Act::Hang) => std::future::pending().await,
            Some(Act::Slow(time)) => {
                cx.sleep(time).await;
                Ok(())
            }
            Some(_) => Err(Failure::passing("not yet")),
            None => Ok(()),
        }
    }
}

/// A log kept in memory.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects what is logged from now on. A subscriber of one test alone would miss lines: tracing remembers for
    /// each of them whether anybody listened when it first came up.
    pub(crate) fn of_the_process() -> Self {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).expect("only one test listens");
        log
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
