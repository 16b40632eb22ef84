//! A plain client for the tests, and a clock to turn by hand.

use formwork_sandbox::{Clock, Options, Sandbox};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A clock that stands until it is moved.
pub(crate) struct HandClock(Mutex<Timestamp>);

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(HandClock(Mutex::new("2026-01-01T00:00:00Z".parse().unwrap())))
    }

    pub(crate) fn advance(&self, milliseconds: i64) {
        *self.0.lock().unwrap() += SignedDuration::from_millis(milliseconds);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

/// A sandbox and the means to talk to it.
pub(crate) struct Cloud {
    pub(crate) sandbox: Sandbox,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) http: reqwest::Client,
}

/// An answer: the HTTP status and the body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        let kind = self.body["__type"].as_str().unwrap_or_default();
        kind.rsplit('#').next().unwrap()
    }

    pub(crate) fn message(&self) -> &str {
        self.body["Message"]
            .as_str()
            .or(self.body["message"].as_str())
            .unwrap_or_default()
    }

    pub(crate) fn event(&self) -> &Value {
        assert_eq!(self.status, 200, "{self:?}");
        &self.body["ProgressEvent"]
    }

    pub(crate) fn token(&self) -> String {
        self.event()["RequestToken"].as_str().unwrap().to_owned()
    }
}

impl Cloud {
    pub(crate) async fn start(options: Options) -> Cloud {
        let clock = HandClock::new();
        let options = Options {
            seed: options.seed.or(Some(7)),
            ..options
        };
        let sandbox = Sandbox::start_with_clock(options, clock.clone()).await.unwrap();
        Cloud {
            sandbox,
            clock,
            http: http(),
        }
    }

    async fn json(&self, target: &str, input: &Value) -> Answer {
        let response = self
            .http
            .post(self.sandbox.endpoint())
            .header("content-type", "application/x-amz-json-1.0")
            .header("x-amz-target", target)
            .body(input.to_string())
            .send()
            .await
            .unwrap();
        assert!(response.headers().contains_key("x-amzn-requestid"));
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        Answer {
            status,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
        }
    }

    pub(crate) async fn call(&self, operation: &str, input: Value) -> Answer {
        self.json(&format!("CloudApiService.{operation}"), &input).await
    }

    pub(crate) async fn states(&self, operation: &str, input: Value) -> Answer {
        self.json(&format!("AWSStepFunctions.{operation}"), &input).await
    }

    pub(crate) async fn query(&self, form: &str) -> (u16, String) {
        let response = self
            .http
            .post(self.sandbox.endpoint())
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned())
            .send()
            .await
            .unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    pub(crate) async fn create(&self, type_name: &str, desired: Value) -> Answer {
        self.call(
            "CreateResource",
            json!({"TypeName": type_name, "DesiredState": desired.to_string()}),
        )
        .await
    }

    pub(crate) async fn update(&self, type_name: &str, identifier: &str, patch: Value) -> Answer {
        let input =
            json!({"TypeName": type_name, "Identifier": identifier, "PatchDocument": patch.to_string()});
        self.call("UpdateResource", input).await
    }

    pub(crate) async fn delete(&self, type_name: &str, identifier: &str) -> Answer {
        self.call(
            "DeleteResource",
            json!({"TypeName": type_name, "Identifier": identifier}),
        )
        .await
    }

    pub(crate) async fn get(&self, type_name: &str, identifier: &str) -> Answer {
        self.call(
            "GetResource",
            json!({"TypeName": type_name, "Identifier": identifier}),
        )
        .await
    }

    pub(crate) async fn properties(&self, type_name: &str, identifier: &str) -> Value {
        let answer = self.get(type_name, identifier).await;
        let text = answer.body["ResourceDescription"]["Properties"].as_str();
        serde_json::from_str(text.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
    }

    pub(crate) async fn status(&self, token: &str) -> Answer {
        self.call("GetResourceRequestStatus", json!({"RequestToken": token}))
            .await
    }

    /// The end of an operation that was accepted.
    pub(crate) async fn settled(&self, accepted: &Answer) -> Value {
        self.status(&accepted.token()).await.event().clone()
    }

    /// Creates and returns the identifier.
    pub(crate) async fn created(&self, type_name: &str, desired: Value) -> String {
        let accepted = self.create(type_name, desired).await;
        let event = self.settled(&accepted).await;
        assert_eq!(event["OperationStatus"], "SUCCESS", "{event}");
        event["Identifier"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn http() -> reqwest::Client {
    // The second time it is set already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().build().unwrap()
}
