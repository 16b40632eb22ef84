//! What a Delete leaves behind, so that an older request that is delivered after it has no effect.
//!
//! Lambda delivers events in any order. A Create that comes after its Delete would make what nobody ever deletes.
//! ResponseURLs say when their requests were made: a Delete writes its moment down before it begins, and whatever
//! is older than that has been overtaken.

use crate::flow_error::FlowError;
use crate::ports::{Clock, RequestStore};
use crate::record::{Journal, SaveError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where it is kept, beside the records of the resource's requests.
const NAME: &str = "deleted";
/// Lost races in a row before giving up.
const RACES: u32 = 10;

#[derive(Serialize, Deserialize)]
struct Tombstone {
    /// When the latest Delete was asked for.
    issued: Timestamp,
}

/// The place of one resource's tombstone, as one of its requests sees it.
#[derive(Clone)]
pub(crate) struct Graveyard {
    pub(crate) store: Arc<dyn RequestStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) instance: String,
    /// When the request was made; without it nothing can be told.
    pub(crate) issued: Option<Timestamp>,
    pub(crate) patience: Timestamp,
}

impl Graveyard {
    /// Notes that the request is a Delete.
    pub(crate) async fn bury(&self) -> Result<(), FlowError> {
        let Some(issued) = self.issued else { return Ok(()) };
        let tombstone = Tombstone { issued };
        let document =
            serde_json::to_vec(&tombstone).map_err(|error| FlowError::Record(error.to_string()))?;
        let journal = self.journal();
        for _ in 0..RACES {
            let found = journal.load_document().await?;
            if found
                .as_ref()
                .is_some_and(|(known, _)| read(known).is_some_and(|known| known >= issued))
            {
                return Ok(());
            }
            let version = found.map(|(_, version)| version);
            match journal.save_document(&document, version.as_ref()).await {
                Ok(_) => return Ok(()),
                Err(SaveError::Conflict) => {}
                Err(SaveError::Failed(error)) => return Err(error),
            }
        }
        Err(FlowError::Busy)
    }

    /// Whether a Delete was asked for after the request, or in the same second.
    pub(crate) async fn has_overtaken(&self) -> Result<bool, FlowError> {
        let Some(issued) = self.issued else {
            return Ok(false);
        };
        let found = self.journal().load_document().await?;
        Ok(found
            .and_then(|(document, _)| read(&document))
            .is_some_and(|deleted| deleted >= issued))
    }

    fn journal(&self) -> Journal<'_> {
        Journal {
            store: &self.store,
            clock: &self.clock,
            instance: &self.instance,
            request: NAME,
            patience: self.patience,
        }
    }
}

fn read(document: &[u8]) -> Option<Timestamp> {
    serde_json::from_slice::<Tombstone>(document)
        .ok()
        .map(|tombstone| tombstone.issued)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::Fakes;

    fn at(fakes: &Fakes, second: i64) -> Graveyard {
        Graveyard {
            store: fakes.store.clone(),
            clock: fakes.clock.clone(),
            instance: "stack/Thing".into(),
            issued: Timestamp::from_second(second).ok(),
            patience: Timestamp::MAX,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_older_than_a_delete_is_overtaken() {
        let fakes = Fakes::new();
        assert!(!at(&fakes, 100).has_overtaken().await.unwrap());
        at(&fakes, 100).bury().await.unwrap();
        // An older Delete that comes later changes nothing.
        at(&fakes, 50).bury().await.unwrap();
        assert!(at(&fakes, 99).has_overtaken().await.unwrap());
        assert!(at(&fakes, 100).has_overtaken().await.unwrap());
        assert!(!at(&fakes, 101).has_overtaken().await.unwrap());
        at(&fakes, 200).bury().await.unwrap();
        assert!(at(&fakes, 101).has_overtaken().await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn requests_without_a_time_are_never_overtaken() {
        let fakes = Fakes::new();
        let timeless = Graveyard {
            issued: None,
            ..at(&fakes, 0)
        };
        timeless.bury().await.unwrap();
        at(&fakes, 100).bury().await.unwrap();
        assert!(!timeless.has_overtaken().await.unwrap());
    }
}
