//! In-memory fakes of every port, for tests and simulations: nothing leaves the process.
//!
//! They are faithful where deployments can go wrong: operations take time, client tokens are remembered,
//! reads show no write-only property, writes are conditional. Faults are scripted. All randomness and all
//! time come from the outside: [`VirtualClock`] follows tokio's clock, which tests pause.

mod cloud;
mod fuse;
mod store;

pub use cloud::{Calls, Fault, Rules, SimCloud};
pub use fuse::Fuse;
pub use store::MemoryStore;

use crate::observer::{Event, EventKind, Observer};
use crate::ports::{Clock, SchemaSource, SchemaSourceError};
use async_trait::async_trait;
use formwork_schema::{ResourceSchema, SchemaError};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A clock that follows tokio's: virtual in a paused runtime, where waiting takes no time.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    start: Timestamp,
    origin: tokio::time::Instant,
}

impl VirtualClock {
    /// A clock that shows `start` now. Make it inside of a runtime.
    pub fn starting_at(start: Timestamp) -> Self {
        VirtualClock {
            start,
            origin: tokio::time::Instant::now(),
        }
    }

    /// The time that has passed since it was made.
    pub fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }
}

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.start
            .checked_add(self.origin.elapsed())
            .unwrap_or(Timestamp::MAX)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Schemas by type name.
#[derive(Debug, Default)]
pub struct MemorySchemas {
    schemas: BTreeMap<String, Arc<ResourceSchema>>,
}

impl MemorySchemas {
    /// Schemas from their documents.
    ///
    /// # Errors
    /// The first one that is no schema.
    pub fn parse<'a>(documents: impl IntoIterator<Item = &'a str>) -> Result<Self, SchemaError> {
        let mut schemas = BTreeMap::new();
        for document in documents {
            let schema = ResourceSchema::parse(document)?;
            schemas.insert(schema.type_name().to_owned(), Arc::new(schema));
        }
        Ok(MemorySchemas { schemas })
    }
}

#[async_trait]
impl SchemaSource for MemorySchemas {
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError> {
        Ok(self.schemas.get(type_name).cloned())
    }
}

/// Keeps every event.
#[derive(Debug, Default)]
pub struct Recorder {
    events: Mutex<Vec<Event>>,
}

impl Recorder {
    /// What was heard, in order.
    pub fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Names of the resources in the order in which work on them ended.
    pub fn finished(&self) -> Vec<String> {
        self.events()
            .into_iter()
            .filter(|event| matches!(event.kind, EventKind::Finished(_)))
            .map(|event| event.name)
            .collect()
    }
}

impl Observer for Recorder {
    fn event(&self, event: &Event) {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event.clone());
    }
}
