//! What an operation may ask its surroundings.

use crate::ports::Clock;
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
}

impl Context {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        deadline: Timestamp,
        invocation_end: Timestamp,
        physical_resource_id: Option<String>,
    ) -> Self {
        Context {
            clock,
            deadline,
            invocation_end,
            physical_resource_id: watch::Sender::new(physical_resource_id),
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

    pub(crate) fn known_id(&self) -> Option<String> {
        self.physical_resource_id.borrow().clone()
    }

    pub(crate) fn watch_id(&self) -> watch::Receiver<Option<String>> {
        self.physical_resource_id.subscribe()
    }
}
