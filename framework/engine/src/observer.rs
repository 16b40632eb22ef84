//! Watching a deployment go by.

use crate::outcome::{Action, Status};
use crate::ports::Operation;
use std::time::Duration;

/// Hears what happens while it happens. Called from the driver's loop: be quick.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, event: &Event);
}

/// Something that happened to a resource. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// Tells a replaced predecessor (`queue#1`) from its successor (`queue`).
    pub lane: String,
    /// Name of the resource in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// What is being done with it.
    pub action: Action,
    /// Its primary identifier as soon as one is known.
    pub identifier: Option<String>,
    /// What there is to say about it.
    pub message: Option<String>,
    /// The attempt this belongs to, from 1; 0 before the first call.
    pub attempt: u32,
}

/// The kind of an [`Event`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Work on the resource begins.
    Started,
    /// It goes on: a message of the service, an attempt after the first.
    Progress,
    /// A call was refused, had no answer, or its operation failed, and another one follows.
    Retried {
        /// The service said that there were too many.
        throttled: bool,
    },
    /// One operation of the cloud has ended. What comes of the resource is told after it.
    Ended {
        /// Create, update or delete.
        operation: Operation,
        /// Whether it did what it was to do.
        succeeded: bool,
        /// How long it took since it was intended, in whichever process that was.
        took: Duration,
    },
    /// Work on it has ended.
    Finished(Status),
}

/// Ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn event(&self, _event: &Event) {}
}
