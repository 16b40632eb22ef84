//! What an operation ends in.

use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// How far an operation came.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress<S> {
    /// It is finished.
    Done(Outcome),
    /// It goes on elsewhere; poll again.
    Pending {
        /// Id, Data and NoEcho so far. Data is merged key by key with what earlier and later polls tell.
        outcome: Outcome,
        /// Handed to the next poll.
        state: S,
        /// How long to wait until then; rounded up to whole seconds.
        after: Duration,
    },
}

/// What the answer will say.
#[derive(Clone, PartialEq, Default)]
pub struct Outcome {
    /// The resource's id; the one known already, or the RequestId of its Create, when there is none.
    pub physical_resource_id: Option<String>,
    /// What Fn::GetAtt finds. It is flat: keys may contain dots, nested values cannot be reached.
    pub data: Map<String, Value>,
    /// Whether CloudFormation masks Data. Once set it stays.
    pub no_echo: bool,
}

impl Outcome {
    /// Nothing to tell.
    pub fn new() -> Self {
        Outcome::default()
    }

    /// Sets the resource's id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.physical_resource_id = Some(id.into());
        self
    }

    /// Sets Data.
    #[must_use]
    pub fn with_data(mut self, data: Map<String, Value>) -> Self {
        self.data = data;
        self
    }

    /// Adds one value to Data.
    #[must_use]
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.insert(name.into(), value.into());
        self
    }

    /// Sets NoEcho.
    #[must_use]
    pub fn with_no_echo(mut self, no_echo: bool) -> Self {
        self.no_echo = no_echo;
        self
    }
}

/// Data may be secret, so only its keys are shown.
impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("physical_resource_id", &self.physical_resource_id)
            .field("data", &self.data.keys().collect::<Vec<_>>())
            .field("no_echo", &self.no_echo)
            .finish()
    }
}

/// Why an operation was not carried out. The reason reaches CloudFormation as it is: keep secrets out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub reason: String,
    /// The id of what was made nevertheless. Without one the id known already is answered.
    pub physical_resource_id: Option<String>,
    /// Whether CloudFormation masks what Fn::GetAtt returns.
    pub no_echo: bool,
    /// Whether the operation is called again after a while, as long as there is time. Only for resource types
    /// that resume, and for polls.
    pub is_passing: bool,
}

impl Failure {
    /// A failure that made nothing.
    pub fn new(reason: impl Into<String>) -> Self {
        Failure {
            reason: reason.into(),
            physical_resource_id: None,
            no_echo: false,
            is_passing: false,
        }
    }

    /// A failure that passes by itself, such as an outage: the operation is called again while there is time.
    pub fn passing(reason: impl Into<String>) -> Self {
        Failure {
            is_passing: true,
            ..Failure::new(reason)
        }
    }

    /// The failure of an error: its message first, then what caused it.
    pub fn of_error(error: &(dyn Error + 'static)) -> Self {
        let mut reason = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // Many errors repeat their source in their own text.
            if !reason.contains(&text) {
                reason.push_str(": ");
                reason.push_str(&text);
            }
            cause = error.source();
        }
        Failure::new(reason)
    }

    /// Sets the id of what was made nevertheless: the Delete that follows will carry it.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.physical_resource_id = Some(id.into());
        self
    }

    /// Sets NoEcho.
    #[must_use]
    pub fn with_no_echo(mut self, no_echo: bool) -> Self {
        self.no_echo = no_echo;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<&str> for Failure {
    fn from(reason: &str) -> Self {
        Failure::new(reason)
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Failure::new(reason)
    }
}

impl From<Box<dyn Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Failure::of_error(error.as_ref())
    }
}

impl From<Box<dyn Error>> for Failure {
    fn from(error: Box<dyn Error>) -> Self {
        Failure::of_error(error.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the bucket cannot be made")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn failure_of_an_error_tells_the_message_first_and_then_the_causes() {
        let error: Box<dyn Error + Send + Sync> = Box::new(Outer(std::io::Error::other("no permission")));
        assert_eq!(
            Failure::from(error).reason,
            "the bucket cannot be made: no permission"
        );
    }

    #[test]
    fn data_is_masked_in_debug() {
        let shown = format!("{:?}", Outcome::new().with_value("Password", "hunter2"));
        assert!(shown.contains("Password") && !shown.contains("hunter2"));
    }
}
