//! The stored record of one request, and how it is read and written.
//!
//! # Flow
//! `Started -> Polling -> Answering -> Answered`, each step a conditional write. `Polling` is passed over when
//! the first call finishes, `Started` can be renewed by a resource type that resumes.
//!
//! # Guarantees
//! A record is written over exactly the version it was read in. A write whose reply was lost is recognised as
//! our own when it is tried again. Event, state and body are erased with the last step.

use crate::flow_error::FlowError;
use crate::ports::{Clock, RequestStore, RequestStoreError, Version};
use crate::provider::until;
use formwork_protocol::Status;
use futures_util::future::{Either, select};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

const FORMAT: &str = "formwork.request/1";
/// The longest that one attempt at the store may take.
const CALL_LIMIT: Duration = Duration::from_secs(5);
/// The longest pauses after the first attempt in vain, and after any.
const FIRST_PAUSE_MS: u64 = 200;
const LONGEST_PAUSE_MS: u64 = 2_000;

/// What is stored. Additions must stay readable by older readers.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: String,
    /// Counts the writes, and a random number marks whose they are: no two documents are ever the same.
    serial: u64,
    writer: u64,
    /// Part of the waiter's name.
    pub(crate) generation: u32,
    /// When the answer is due.
    pub(crate) deadline: Timestamp,
    pub(crate) stage: Stage,
    /// CloudFormation's event, ResponseURL included, until it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<Value>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// The operation is running, or was cut off once the lease is over.
    Started {
        lease_until: Timestamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        physical_resource_id: Option<String>,
    },
    /// It goes on elsewhere and is looked at from time to time.
    Polling {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        physical_resource_id: Option<String>,
        data: Map<String, Value>,
        no_echo: bool,
        state: Value,
    },
    /// The answer stands and has to be delivered, or has been and something is left to do.
    Answering {
        body: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        delivered: bool,
    },
    /// It was delivered.
    Answered {
        status: Status,
        physical_resource_id: String,
    },
}

impl Record {
    pub(crate) fn started(event: Value, deadline: Timestamp, stage: Stage) -> Self {
        Record {
            format: FORMAT.to_owned(),
            serial: 0,
            writer: 0,
            generation: 1,
            deadline,
            stage,
            event: Some(event),
        }
    }

    /// The answer was delivered: what it took is erased.
    pub(crate) fn close(&mut self, status: Status, id: &str) {
        self.stage = Stage::Answered {
            status,
            physical_resource_id: id.to_owned(),
        };
        self.event = None;
    }
}

/// The records of a store, at one place in it.
pub(crate) struct Journal<'a> {
    pub(crate) store: &'a Arc<dyn RequestStore>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) instance: &'a str,
    pub(crate) request: &'a str,
    /// A store that does not answer is tried until this moment, so that time is left for what has to be done after it:
    /// this may be the last process that comes to the request.
    pub(crate) patience: Timestamp,
}

/// Why a record was not written.
#[derive(Debug)]
pub(crate) enum SaveError {
    /// Somebody else was first: load and decide again.
    Conflict,
    Failed(FlowError),
}

impl Journal<'_> {
    pub(crate) async fn load(&self) -> Result<Option<(Record, Version)>, FlowError> {
        let Some((document, version)) = self.load_document().await? else {
            return Ok(None);
        };
        Ok(Some((decode(&document)?, version)))
    }

    /// Writes a record: creates it when `expected` is `None`.
    pub(crate) async fn save(
        &self,
        record: &mut Record,
        expected: Option<&Version>,
    ) -> Result<Version, SaveError> {
        record.serial += 1;
        record.writer = fastrand::u64(..);
        let document = serde_json::to_vec(&*record)
            .map_err(|error| SaveError::Failed(FlowError::Record(error.to_string())))?;
        self.save_document(&document, expected).await
    }

    /// Writes a document: creates it when `expected` is `None`.
    pub(crate) async fn save_document(
        &self,
        document: &[u8],
        expected: Option<&Version>,
    ) -> Result<Version, SaveError> {
        let mut tried_before = false;
        for attempt in 0.. {
            let write = self
                .store
                .save(self.instance, self.request, document.to_vec(), expected);
            match self.limited(write).await {
                Ok(version) => return Ok(version),
                Err(RequestStoreError::Conflict) if tried_before => {
                    // The earlier attempt may have been ours after all, with only its reply lost.
                    let found = self.load_document().await.map_err(SaveError::Failed)?;
                    return match found {
                        Some((found, version)) if found == document => Ok(version),
                        _ => Err(SaveError::Conflict),
                    };
                }
                Err(RequestStoreError::Conflict) => return Err(SaveError::Conflict),
                Err(error) => {
                    tried_before = true;
                    self.pause(attempt, error).await.map_err(SaveError::Failed)?;
                }
            }
        }
        Err(SaveError::Conflict)
    }

    pub(crate) async fn load_document(&self) -> Result<Option<(Vec<u8>, Version)>, FlowError> {
        for attempt in 0.. {
            match self.limited(self.store.load(self.instance, self.request)).await {
                Ok(found) => return Ok(found),
                Err(error) => self.pause(attempt, error).await?,
            }
        }
        Ok(None)
    }

    async fn limited<T>(
        &self,
        call: impl Future<Output = Result<T, RequestStoreError>>,
    ) -> Result<T, RequestStoreError> {
        let limit = CALL_LIMIT.min(until(self.clock.now(), self.patience));
        match select(pin!(call), pin!(self.clock.sleep(limit))).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(RequestStoreError::Unavailable("it does not answer".into())),
        }
    }

    async fn pause(&self, attempt: u32, error: RequestStoreError) -> Result<(), FlowError> {
        let longest = (FIRST_PAUSE_MS << attempt.min(10)).min(LONGEST_PAUSE_MS);
        let pause = Duration::from_millis(fastrand::u64(longest / 2..=longest));
        if pause >= until(self.clock.now(), self.patience) {
            return Err(FlowError::Store(error));
        }
        self.clock.sleep(pause).await;
        Ok(())
    }
}

fn decode(document: &[u8]) -> Result<Record, FlowError> {
    let value: Value =
        serde_json::from_slice(document).map_err(|_| FlowError::Record("it is not JSON".into()))?;
    match value.get("format").and_then(Value::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(FlowError::Record(format!(
                "its format is `{other}`, this version reads `{FORMAT}`"
            )));
        }
        None => return Err(FlowError::Record("it names no format".into())),
    }
    // Serde's own message could quote what is stored.
    Record::deserialize(value).map_err(|_| FlowError::Record("its fields cannot be read".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{FakeClock, MemoryRequests};
    use serde_json::json;

    fn record() -> Record {
        let lease_until = Timestamp::UNIX_EPOCH;
        Record::started(
            json!({ "A": 1.10 }),
            Timestamp::UNIX_EPOCH,
            Stage::Started {
                lease_until,
                physical_resource_id: None,
            },
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_whose_reply_was_lost_is_recognised() {
        let memory = Arc::new(MemoryRequests::new());
        let store: Arc<dyn RequestStore> = memory.clone();
        let clock: Arc<dyn Clock> = Arc::new(FakeClock::new());
        let journal = Journal {
            store: &store,
            clock: &clock,
            instance: "i",
            request: "r",
            patience: Timestamp::MAX,
        };
        memory.lose_next_reply();
        let mut first = record();
        let version = journal.save(&mut first, None).await.unwrap();
        let (found, at) = journal.load().await.unwrap().unwrap();
        assert!(found == first && at == version);
        memory.lose_next_reply();
        journal.save(&mut first, Some(&version)).await.unwrap();
        assert!(matches!(
            journal.save(&mut record(), None).await,
            Err(SaveError::Conflict)
        ));
    }

    #[test]
    fn a_newer_format_is_named_and_not_read() {
        let error = decode(br#"{"format":"formwork.request/2"}"#).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("`formwork.request/2`, this version reads `formwork.request/1`")
        );
        for damaged in ["", "[]", r#"{"format":"formwork.request/1","stage":"secret"}"#] {
            let error = decode(damaged.as_bytes()).err().unwrap().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn additions_stay_readable_and_numbers_exact() {
        let mut value = serde_json::to_value(record()).unwrap();
        value["later"] = json!(1);
        let read = decode(value.to_string().as_bytes()).unwrap();
        assert_eq!(read.event.unwrap().to_string(), r#"{"A":1.1}"#);
    }

    /// Open records outlive a deployment of the functions: another shape needs another format.
    #[test]
    fn stored_form_is_a_promise() {
        let mut record = record();
        record.stage = Stage::Polling {
            physical_resource_id: Some("id".into()),
            data: Map::from_iter([("A".to_owned(), json!(1))]),
            no_echo: false,
            state: json!([1]),
        };
        let stored = serde_json::to_string(&record).unwrap();
        let expected = concat!(
            r#"{"format":"formwork.request/1","serial":0,"writer":0,"generation":1,"#,
            r#""deadline":"1970-01-01T00:00:00Z","stage":{"Polling":{"physical_resource_id":"id","#,
            r#""data":{"A":1},"no_echo":false,"state":[1]}},"event":{"A":1.1}}"#,
        );
        assert_eq!(stored, expected);
        assert!(decode(expected.as_bytes()).unwrap() == record);
    }
}
