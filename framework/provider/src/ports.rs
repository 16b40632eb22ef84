//! What the flows need of the outside: narrow traits, implemented by `formwork-aws` and by fakes in tests.

use async_trait::async_trait;
use formwork_protocol::{RequestType, ResponseBody, ResponseUrl, Status};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time and the passing of it.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> jiff::Timestamp;
    /// Waits.
    async fn sleep(&self, duration: Duration);
}

/// One attempt to deliver a response document. Retrying is the flow's work, not the sender's.
#[async_trait]
pub trait ResponseSender: Send + Sync {
    /// PUTs the body: empty content-type, exact content-length, port honoured, connect and total timeouts,
    /// no redirects followed.
    ///
    /// # Errors
    /// Anything but a 2xx status.
    async fn put(&self, url: &ResponseUrl, body: &ResponseBody) -> Result<(), SendError>;
}

/// A PUT that did not deliver. Texts never contain the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The URL is not one we send to (host not allowed, plain http, not a URL). Never retried.
    #[error("the response URL is refused: {0}")]
    Refused(String),
    /// The server answered with this status. Retried on 408, 429 and 5xx.
    #[error("the response PUT was answered with status {0}")]
    Status(u16),
    /// The network failed or timed out. Retried.
    #[error("the response PUT failed: {0}")]
    Network(String),
}

/// What a waiter execution is given: references only, nothing secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct WaitInput {
    /// `<stack uuid>/<logical id>`: the folder of the request's record.
    pub instance: String,
    /// The request's key.
    pub request: String,
    /// When an answer is due.
    pub deadline: jiff::Timestamp,
}

/// Starts the state machine that calls is_complete until it is done.
#[async_trait]
pub trait Waiter: Send + Sync {
    /// Starts an execution of this name. One that exists already under the name is success.
    ///
    /// # Errors
    /// When no execution could be started.
    async fn start(&self, name: &str, input: &WaitInput) -> Result<(), WaiterError>;
}

/// No waiter could be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the waiter could not be started: {0}")]
pub struct WaiterError(pub String);

/// A version of a stored record, as the store tells it (an ETag).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(pub String);

/// Keeps one small JSON document per request. The store is encrypted: documents hold the ResponseURL.
#[async_trait]
pub trait RequestStore: Send + Sync {
    /// Reads the document of `instance` and `request`.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn load(
        &self,
        instance: &str,
        request: &str,
    ) -> Result<Option<(Vec<u8>, Version)>, RequestStoreError>;
    /// Writes it: creates when `expected` is `None`, else replaces exactly that version.
    ///
    /// # Errors
    /// [`RequestStoreError::Conflict`] when somebody else was first.
    async fn save(
        &self,
        instance: &str,
        request: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, RequestStoreError>;
}

/// A store that did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestStoreError {
    /// Another writer was first: load and decide again.
    #[error("the request's record was changed by somebody else")]
    Conflict,
    /// The store cannot be used now.
    #[error("the request store cannot be used: {0}")]
    Unavailable(String),
}

/// Hears how requests end. Called between an answer and the end of its invocation: be quick.
pub trait Observer: Send + Sync {
    /// An answer was delivered. Heard once more when the same answer is.
    fn answered(&self, answered: &Answered<'_>);
}

/// A request that got its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<'a> {
    /// `Custom::Blueprint`; `None` for one that is not served.
    pub resource_type: Option<&'a str>,
    /// What was asked for; `None` when it could not be read.
    pub request_type: Option<RequestType>,
    /// What was answered.
    pub status: Status,
    /// How long it took from its first delivery; `None` when that is not known.
    pub took: Option<Duration>,
}
