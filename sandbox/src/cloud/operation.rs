//! One create, update or delete, from acceptance to its end.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Action {
    Create,
    Update,
    Delete,
}

impl Action {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Action::Create => "CREATE",
            Action::Update => "UPDATE",
            Action::Delete => "DELETE",
        }
    }
}

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    /// Accepted, but too many others are running.
    Pending,
    /// Running; the resource is as before.
    Started,
    /// Running; the change has been made and is settling.
    Settling,
    Success,
    Failed,
    Cancelled,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Pending => "PENDING",
            Status::Started | Status::Settling => "IN_PROGRESS",
            Status::Success => "SUCCESS",
            Status::Failed => "FAILED",
            Status::Cancelled => "CANCEL_COMPLETE",
        }
    }

    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Status::Success | Status::Failed | Status::Cancelled)
    }
}

/// How an operation was decided to fail when it was accepted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    /// Whether the change takes place before.
    #[serde(default)]
    pub(crate) done: bool,
}

/// One create, update or delete.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Operation {
    pub(crate) token: String,
    pub(crate) type_name: String,
    pub(crate) action: Action,
    pub(crate) identifier: Option<String>,
    /// Create: the desired state. Update: the whole patched model.
    pub(crate) model: Option<Value>,
    pub(crate) status: Status,
    pub(crate) accepted: Timestamp,
    pub(crate) event_time: Timestamp,
    /// When it began to run; none while pending.
    pub(crate) started: Option<Timestamp>,
    pub(crate) duration: SignedDuration,
    /// Never ends.
    #[serde(default)]
    pub(crate) stuck: bool,
    /// How it will end, if not well.
    #[serde(default)]
    pub(crate) failure: Option<Failure>,
    /// How it ended, if not well.
    #[serde(default)]
    pub(crate) error: Option<(String, String)>,
    /// Reads that will not find the resource after its creation.
    #[serde(default)]
    pub(crate) hidden_reads: u32,
    #[serde(default)]
    pub(crate) role_arn: Option<String>,
}

impl Operation {
    /// When the next thing happens to it: the change itself half way through, then the end.
    pub(crate) fn next_event(&self) -> Option<Timestamp> {
        let started = self.started?;
        match self.status {
            Status::Started => started.checked_add(self.duration / 2).ok(),
            Status::Settling if self.stuck => None,
            Status::Settling => started.checked_add(self.duration).ok(),
            _ => None,
        }
    }

    pub(crate) fn end(&mut self, status: Status, at: Timestamp) {
        self.status = status;
        self.event_time = at.max(self.event_time);
        // Kept only as long as needed: it may hold secrets.
        self.model = None;
    }

    pub(crate) fn fail(&mut self, code: &str, message: &str, at: Timestamp) {
        self.error = Some((code.into(), message.into()));
        self.end(Status::Failed, at);
    }

    /// The ProgressEvent of the wire. What is not known is absent, not null.
    pub(crate) fn event(&self) -> Value {
        let mut event = Map::new();
        event.insert("TypeName".into(), json!(self.type_name));
        if let Some(identifier) = &self.identifier {
            event.insert("Identifier".into(), json!(identifier));
        }
        event.insert("RequestToken".into(), json!(self.token));
        event.insert("Operation".into(), json!(self.action.name()));
        event.insert("OperationStatus".into(), json!(self.status.name()));
        event.insert("EventTime".into(), epoch(self.event_time));
        if let Some((code, message)) = &self.error {
            event.insert("StatusMessage".into(), json!(message));
            event.insert("ErrorCode".into(), json!(code));
        }
        Value::Object(event)
    }
}

/// A time as the wire has it: seconds since 1970, with milliseconds as a fraction.
pub(crate) fn epoch(time: Timestamp) -> Value {
    let milliseconds = time.as_millisecond();
    let text = format!(
        "{}.{:03}",
        milliseconds.div_euclid(1000),
        milliseconds.rem_euclid(1000)
    );
    serde_json::from_str(&text).unwrap_or(Value::Null)
}
