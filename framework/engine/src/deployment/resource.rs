//! One resource in a deployment: what is known of it, and what is being done with it.

use crate::mask::{Mask, strip_pointers};
use crate::order::Generation;
use crate::outcome::{Action, Failure};
use crate::ports::Operation;
use formwork_schema::{Remembered, ResourceSchema};
use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// One resource, or a leftover of one.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// The primary identifier; known means it exists, as far as we know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Names of the resources it was last built upon.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Identifiers, by name, of resources that it goes on referring to although its author has dropped that: in
    /// properties that stay as it was made with them.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub bound: IndexMap<String, String>,
    /// What was last applied; `None` for one whose creation failed half-way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// What calls that failed half-way were to make of it, where nobody knows what was applied: it may have any of
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempted: Option<Remembered>,
    /// Its properties as last read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Value>,
    /// Reads may not show yet what its last operation did: nothing is decided by them before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled_until: Option<Timestamp>,
    /// A deletion has failed, before or after it was done: only reading tells whether it is still there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_gone: bool,
    /// What is in flight. Kept across generations until its end is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<InFlight>,
    /// What this generation does with it.
    #[serde(default)]
    pub work: Work,
}

/// What a generation does with a resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What is to be done, as far as decided.
    pub action: Action,
    /// How far it is.
    pub stage: Stage,
    /// How many mutating operations this generation intended for it.
    #[serde(default)]
    pub attempt: u32,
    /// How many of them failed in a way worth another try.
    #[serde(default)]
    pub retries: u32,
    /// Nothing is done before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// When the current stage of reading began, and how often it was in vain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Reads in vain.
    #[serde(default)]
    pub misses: u32,
    /// Replace it if the service refuses the patch.
    #[serde(default)]
    pub or_replace: bool,
    /// The service has refused to update it in place: it has to be replaced.
    #[serde(default)]
    pub refused: bool,
    /// It was read before its turn, without success or with.
    #[serde(default)]
    pub glanced: bool,
    /// Its live properties were read in this run.
    #[serde(skip)]
    pub(crate) fresh: bool,
    /// A retired predecessor was already taken back once.
    #[serde(default)]
    pub revived: bool,
    /// The identifier that a failed creation named, to be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
    /// The identifier that its author chose, where a failed creation may have made it although it could not be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<String>,
    /// The failure that led to the present stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What a failed creation had intended, or an update that has to show, with what was owned before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended: Option<Remembered>,
}

impl Default for Work {
    fn default() -> Self {
        Work::new(Action::Unchanged, Stage::Done)
    }
}

impl Work {
    pub(crate) fn new(action: Action, stage: Stage) -> Self {
        Work {
            action,
            stage,
            attempt: 0,
            retries: 0,
            not_before: None,
            since: None,
            misses: 0,
            or_replace: false,
            refused: false,
            revived: false,
            glanced: false,
            fresh: false,
            candidate: None,
            unseen: None,
            failure: None,
            intended: None,
        }
    }
}

/// How far the work on a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Waits for others, for a free place, or for a while.
    Pending,
    /// Reads the resource to decide what to do.
    Read,
    /// An operation is in flight.
    Call,
    /// Reads the resource back after an operation.
    Confirm,
    /// Looks at what a failed creation left.
    Verify,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Left out because of a failure elsewhere.
    Skipped,
}

impl Stage {
    /// True if nothing more happens in this generation.
    pub fn is_over(self) -> bool {
        matches!(self, Stage::Done | Stage::Failed | Stage::Skipped)
    }
}

/// An operation whose end is not known yet.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct InFlight {
    /// Create, update or delete.
    pub operation: Operation,
    /// The generation that began it.
    pub generation: Generation,
    /// Recognises a repeated call.
    pub client_token: String,
    /// The identifier it works on, or that the service has named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The identifier that the desired state alone implies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implied: Option<String>,
    /// What to ask about it with, once the service has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_token: Option<String>,
    /// Desired state or patch, kept until the service has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// What will be remembered if it succeeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// When it began: when the service has taken it, as far as is known, else when it was intended.
    pub started: Timestamp,
    /// An answer may have been lost: the service may know the client token.
    #[serde(default)]
    pub resent: bool,
    /// The call is good for asking only: secrets were taken out of the document, or it deletes something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blurred: bool,
    /// How many calls to begin it had no answer that counts. A repetition is written down like the first
    /// call, so that a process whose order was superseded meanwhile does not make it.
    #[serde(default)]
    pub turn: u32,
    /// Calls about it that failed in a row.
    #[serde(skip)]
    pub(crate) stumbles: u32,
    /// When to call about it again.
    #[serde(skip)]
    pub(crate) next: Option<Timestamp>,
    /// It has been asked to stop.
    #[serde(skip)]
    pub(crate) cancelled: bool,
    /// When this process learned its request token: no list asked for before can have it.
    #[serde(skip)]
    pub(crate) accepted: Option<Timestamp>,
    /// A list of what is active does not have it: it has ended, or has to be asked about by itself.
    #[serde(skip)]
    pub(crate) unlisted: bool,
}

impl Resource {
    /// True while it waits to be decided upon and nobody has looked at it yet.
    pub(crate) fn may_be_glanced_at(&self) -> bool {
        self.work.stage == Stage::Pending
            && self.work.attempt == 0
            && !self.work.glanced
            && !matches!(self.work.action, Action::Delete | Action::Retain)
            && self.operation.is_none()
            && self.identifier.is_some()
            && self.unsettled_until.is_none()
    }

    /// Forgets what is not stored.
    pub(super) fn pause(&mut self) {
        self.work.fresh = false;
        if let Some(operation) = &mut self.operation {
            operation.stumbles = 0;
            operation.next = None;
            operation.cancelled = false;
            operation.accepted = None;
            operation.unlisted = false;
        }
    }

    /// Takes what a service has added out of the live properties: it may be secret (a generated password, say), and
    /// nobody tells. What was applied has to do until the resource is read again.
    pub(super) fn settle_live(&mut self) {
        let applied = self.remembered.as_ref().map(|memory| &memory.shown);
        self.live = self.live.take().and(applied).cloned();
    }

    /// Takes the document out of an operation that the service has not answered for. Calling again under its
    /// client token is the only way to find out about it, so a creation's stays, without the secrets in it.
    pub(super) fn release_payload(&mut self, mask: &Mask) {
        let Some(operation) = &mut self.operation else {
            return;
        };
        match operation.payload.take() {
            Some(payload)
                if operation.request_token.is_none() && operation.operation == Operation::Create =>
            {
                operation.keep_open_part(&payload, mask);
            }
            payload => operation.payload = payload,
        }
        operation.stop_changing();
    }

    /// What decisions go by: what was last applied, or may have been.
    pub(crate) fn applied(&self, schema: &ResourceSchema) -> Option<Cow<'_, Remembered>> {
        let doubtful = || self.attempted.as_ref().map(|memory| memory.half_applied(schema));
        let known = self.remembered.as_ref().map(Cow::Borrowed);
        known.or_else(|| doubtful().map(Cow::Owned))
    }

    /// Where secrets were put, or may have been.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = &String> {
        let memories = self.remembered.iter().chain(&self.attempted);
        memories.flat_map(|memory| memory.hidden.keys())
    }

    /// Notes that an update may or may not have had its effect.
    pub(crate) fn doubt(&mut self, intended: Option<&Remembered>) {
        let Some(intended) = intended else { return };
        match self.remembered.as_mut().or(self.attempted.as_mut()) {
            Some(memory) => memory.doubt(intended),
            None => self.attempted = Some(intended.clone()),
        }
    }

    /// Takes in what a creation that failed half-way has made.
    pub(crate) fn keep(&mut self, identifier: String, attempted: Option<Remembered>) {
        self.forget();
        self.identifier = Some(identifier);
        self.attempted = attempted;
    }

    /// It does not exist any more.
    pub(crate) fn forget(&mut self) {
        (self.identifier, self.live) = (None, None);
        (self.remembered, self.attempted) = (None, None);
    }
}

/// A patch that no model stands: under a client token that the service does not know it has no effect.
const QUESTION: &str = r#"[{"op":"test","path":"/0","value":"was this call made before?"}]"#;

impl InFlight {
    /// Of an answered call the document is needed no more. Of an update that another order has overtaken only
    /// what became of it is of interest.
    pub(super) fn stop_changing(&mut self) {
        match self.operation {
            _ if self.request_token.is_some() => self.payload = None,
            Operation::Create => {}
            Operation::Update => self.payload = Some(QUESTION.to_owned()),
            // Asked about by the deletion of something else.
            Operation::Delete => self.blurred = true,
        }
    }

    /// Keeps of a payload what may be kept. A call with another document under a client token that the service
    /// knows is answered with the request that it knows it from.
    fn keep_open_part(&mut self, payload: &str, mask: &Mask) {
        let hidden: Vec<&String> = self
            .remembered
            .iter()
            .flat_map(|memory| memory.hidden.keys())
            .collect();
        if hidden.is_empty() && !mask.hides(payload) {
            self.payload = Some(payload.to_owned());
            return;
        }
        let Ok(mut document) = serde_json::from_str::<Value>(payload) else {
            return;
        };
        strip_pointers(&mut document, hidden.into_iter().map(String::as_str));
        mask.strip(&mut document);
        self.payload = Some(document.to_string());
        self.blurred = true;
    }
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource")
            .field("type_name", &self.type_name)
            .field("identifier", &self.identifier)
            .field("action", &self.work.action)
            .field("stage", &self.work.stage)
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for InFlight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InFlight")
            .field("operation", &self.operation)
            .field("request_token", &self.request_token)
            .finish_non_exhaustive()
    }
}
