//! How an order ended, as its giver hears it.

use crate::ports::Operation;
use formwork_schema::Reason;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Where a generation stands after the engine has worked on it.
#[derive(Debug, Clone)]
pub enum Advance {
    /// Not finished; come again.
    Again {
        /// Not before this has passed.
        after: Duration,
    },
    /// Finished.
    Done(Outcome),
    /// A newer generation has taken over; there is nothing left to do for this one.
    Superseded,
}

/// What came of a generation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether the goal was reached. Leftovers of replaced and removed resources that could not be deleted
    /// do not count; they are among the failures all the same.
    pub succeeded: bool,
    /// The exports asked for, in the blueprint's order. Empty unless succeeded.
    pub exports: IndexMap<String, formwork_blueprint::Value>,
    /// Everything that went wrong, in the order it happened. No secret is in any of them.
    pub failures: Vec<Failure>,
    /// Every resource touched or left alone.
    pub resources: Vec<ResourceReport>,
}

/// Reasons in one line.
pub(crate) fn why(reasons: &[Reason]) -> String {
    let texts: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// One thing that went wrong. Displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Name of the resource, `None` for the deployment as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// `AWS::SQS::Queue`; empty for the deployment as a whole.
    #[serde(default)]
    pub type_name: String,
    /// What was being done: `create`, `update`, `delete`, `read`, `evaluate`, `deploy`, `destroy`.
    pub operation: String,
    /// The cloud's error code, or ours.
    pub code: String,
    /// What the cloud said, secrets masked.
    pub message: String,
    /// The property that is to blame, as the schema names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Where in the blueprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// True if the goal could be reached all the same (a leftover that could not be deleted).
    #[serde(default)]
    pub leftover: bool,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.resource {
            Some(name) => write!(f, "`{name}` ({}) {} failed", self.type_name, self.operation)?,
            None => write!(f, "{} failed", self.operation)?,
        }
        if let Some(location) = &self.location {
            write!(f, " at {location}")?;
        }
        if let Some(property) = &self.property {
            write!(f, ", {property}")?;
        }
        write!(f, ": {}: ", self.code)?;
        for (index, line) in self
            .message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .enumerate()
        {
            if index > 0 {
                f.write_str("; ")?;
            }
            f.write_str(line)?;
        }
        Ok(())
    }
}

/// What became of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceReport {
    /// Name in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// The primary identifier, if one is known.
    #[serde(default)]
    pub identifier: Option<String>,
    /// What was to be done with it.
    pub action: Action,
    /// How far it came.
    pub status: Status,
}

/// What is done with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made.
    Create,
    /// It is changed in place.
    Update,
    /// A new one takes its place.
    Replace,
    /// It is deleted.
    Delete,
    /// It is as it should be.
    Unchanged,
    /// It is left in the cloud and forgotten.
    Retain,
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Action::Create => "create",
            Action::Update => "update",
            Action::Replace => "replace",
            Action::Delete => "delete",
            Action::Unchanged => "unchanged",
            Action::Retain => "retain",
        })
    }
}

/// How far a resource came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Being worked on.
    Pending,
    /// Not begun, because of a failure elsewhere.
    Skipped,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Pending => "pending",
            Status::Skipped => "skipped",
        })
    }
}

impl Operation {
    /// `create`, `update` or `delete`.
    pub fn verb(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Delete => "delete",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line() {
        let failure = Failure {
            resource: Some("queue".into()),
            type_name: "AWS::SQS::Queue".into(),
            operation: "create".into(),
            code: "InvalidRequest".into(),
            message: "Model validation failed\n (#: bad)\n".into(),
            property: Some("QueueName".into()),
            location: Some("orders.yaml:12:7".into()),
            leftover: false,
        };
        assert_eq!(
            failure.to_string(),
            "`queue` (AWS::SQS::Queue) create failed at orders.yaml:12:7, QueueName: InvalidRequest: Model validation failed; (#: bad)"
        );
    }

    #[test]
    fn a_failure_of_the_whole_names_no_resource() {
        let failure = Failure {
            resource: None,
            type_name: String::new(),
            operation: "deploy".into(),
            code: "Timeout".into(),
            message: "the deadline passed".into(),
            property: None,
            location: None,
            leftover: false,
        };
        assert_eq!(failure.to_string(), "deploy failed: Timeout: the deadline passed");
    }
}
