//! What an operation may ask its surroundings.

use crate::outcome::Failure;
use crate::ports::Clock;
use crate::tombstone::Graveyard;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The surroundings of one call of an operation.
pub struct Context {
    clock: Arc<dyn Clock>,
    deadline: Timestamp,
    invocation_end: Timestamp,
    physical_resource_id: watch::Sender<Option<String>>,
    graveyard: Graveyard,
}

impl Context {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        deadline: Timestamp,
        invocation_end: Timestamp,
        physical_resource_id: Option<String>,
        graveyard: Graveyard,
    ) -> Self {
        Context {
            clock,
            deadline,
            invocation_end,
            physical_resource_id: watch::Sender::new(physical_resource_id),
            graveyard,
        }
    }

    /// When an answer is due: at this moment FAILED is answered.
    pub fn deadline(&self) -> Timestamp {
        self.deadline
    }

    /// Before this moment the operation must hand back; somewhat later it is cut off.
    pub fn invocation_end(&self) -> Timestamp {
        self.invocation_end
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits.
    pub async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }

    /// Tells the id as soon as there is one. From here every failure, panic or timeout keeps it; it is stored
    /// before the operation goes on past its next wait.
    pub fn set_physical_resource_id(&self, id: impl Into<String>) {
        self.physical_resource_id.send_replace(Some(id.into()));
    }

    /// Whether a Delete of the resource was asked for after this request, which then must not have any effect:
    /// events come in any order. Asked before a first call; a type that resumes asks itself, once it has written
    /// down what it is about to do where the Delete will find it.
    ///
    /// # Errors
    /// [`Failure::passing`] when the store cannot be asked.
    pub async fn is_overtaken(&self) -> Result<bool, Failure> {
        self.graveyard
            .has_overtaken()
            .await
            .map_err(|error| Failure::passing(error.to_string()))
    }

    pub(crate) fn known_id(&self) -> Option<String> {
        self.physical_resource_id.borrow().clone()
    }

    pub(crate) fn watch_id(&self) -> watch::Receiver<Option<String>> {
        self.physical_resource_id.subscribe()
    }
}
