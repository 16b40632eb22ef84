//! The ports in memory, for tests and examples: a movable clock, a sender that remembers, a store, a waiter.
//!
//! ```
//! use formwork_provider::fakes::Fakes;
//! let fakes = Fakes::new();
//! let ports = fakes.ports();
//! assert!(fakes.sender.bodies().is_empty());
//! # drop(ports);
//! ```

use crate::Ports;
use crate::ports::{
    Clock, RequestStore, RequestStoreError, ResponseSender, SendError, Version, WaitInput, Waiter,
    WaiterError,
};
use async_trait::async_trait;
use formwork_protocol::{ResponseBody, ResponseUrl};
use jiff::Timestamp;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// All fakes, and the ports made of them.
#[derive(Clone)]
pub struct Fakes {
    /// The clock.
    pub clock: Arc<FakeClock>,
    /// The sender.
    pub sender: Arc<RecordingSender>,
    /// The waiter.
    pub waiter: Arc<RecordingWaiter>,
    /// The store.
    pub store: Arc<MemoryRequests>,
}

impl Default for Fakes {
    fn default() -> Self {
        Fakes::new()
    }
}

impl Fakes {
    /// Fresh ones. Needs a tokio runtime only when time passes.
    pub fn new() -> Self {
        Fakes {
            clock: Arc::new(FakeClock::new()),
            sender: Arc::default(),
            waiter: Arc::default(),
            store: Arc::default(),
        }
    }

    /// The ports, with the waiter.
    pub fn ports(&self) -> Ports {
        Ports {
            waiter: Some(self.waiter.clone()),
            ..self.ports_without_waiter()
        }
    }

    /// The ports of a provider that answers within one invocation.
    pub fn ports_without_waiter(&self) -> Ports {
        Ports {
            clock: self.clock.clone(),
            sender: self.sender.clone(),
            waiter: None,
            store: self.store.clone(),
        }
    }
}

/// A clock that starts at 2026-01-01T00:00:00Z, runs with tokio's time, and can be moved on.
///
/// Under tokio's paused time nothing waits really and tests are exact.
pub struct FakeClock {
    start: Timestamp,
    begun: Mutex<Option<tokio::time::Instant>>,
    moved: Mutex<Duration>,
}

impl Default for FakeClock {
    fn default() -> Self {
        FakeClock::new()
    }
}

impl FakeClock {
    /// A clock at its start.
    pub fn new() -> Self {
        let start = Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH);
        FakeClock {
            start,
            begun: Mutex::default(),
            moved: Mutex::default(),
        }
    }

    /// Moves the clock on. Those who sleep already do not notice.
    pub fn advance(&self, by: Duration) {
        *lock(&self.moved) += by;
    }
}

#[async_trait]
impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        let begun = *lock(&self.begun).get_or_insert_with(tokio::time::Instant::now);
        self.start
            .checked_add(begun.elapsed() + *lock(&self.moved))
            .unwrap_or(Timestamp::MAX)
    }

    async fn sleep(&self, duration: Duration) {
        // The clock begins to run with its first use.
        self.now();
        tokio::time::sleep(duration).await;
    }
}

/// Remembers what was delivered; can be told to fail.
#[derive(Default)]
pub struct RecordingSender {
    delivered: Mutex<Vec<(String, ResponseBody)>>,
    failures: Mutex<VecDeque<SendError>>,
    always: Mutex<Option<SendError>>,
    attempts: Mutex<usize>,
    delay: Mutex<Duration>,
}

impl RecordingSender {
    /// Makes the next PUTs fail, one after the other.
    pub fn fail_next(&self, failures: impl IntoIterator<Item = SendError>) {
        lock(&self.failures).extend(failures);
    }

    /// Makes every PUT fail, or none again.
    pub fn fail_always(&self, failure: Option<SendError>) {
        *lock(&self.always) = failure;
    }

    /// Makes every PUT take some time.
    pub fn delay(&self, delay: Duration) {
        *lock(&self.delay) = delay;
    }

    /// How many PUTs were tried.
    pub fn attempts(&self) -> usize {
        *lock(&self.attempts)
    }

    /// What was delivered, as JSON.
    pub fn bodies(&self) -> Vec<serde_json::Value> {
        lock(&self.delivered)
            .iter()
            .filter_map(|(_, body)| serde_json::from_slice(body.as_bytes()).ok())
            .collect()
    }

    /// Where it was delivered to.
    pub fn urls(&self) -> Vec<String> {
        lock(&self.delivered).iter().map(|(url, _)| url.clone()).collect()
    }
}

#[async_trait]
impl ResponseSender for RecordingSender {
    async fn put(&self, url: &ResponseUrl, body: &ResponseBody) -> Result<(), SendError> {
        *lock(&self.attempts) += 1;
        let delay = *lock(&self.delay);
        tokio::time::sleep(delay).await;
        let failure = lock(&self.failures)
            .pop_front()
            .or_else(|| lock(&self.always).clone());
        if let Some(failure) = failure {
            return Err(failure);
        }
        lock(&self.delivered).push((url.expose().to_owned(), body.clone()));
        Ok(())
    }
}

/// Remembers the executions started; one per name.
#[derive(Default)]
pub struct RecordingWaiter {
    started: Mutex<Vec<(String, WaitInput)>>,
    failure: Mutex<Option<WaiterError>>,
    hangs: Mutex<bool>,
}

impl RecordingWaiter {
    /// Makes every start fail, or none again.
    pub fn fail(&self, failure: Option<WaiterError>) {
        *lock(&self.failure) = failure;
    }

    /// Makes every start hang.
    pub fn hang(&self) {
        *lock(&self.hangs) = true;
    }

    /// The executions by name, without those that existed already.
    pub fn started(&self) -> Vec<(String, WaitInput)> {
        lock(&self.started).clone()
    }

    /// The input of the execution started last, as is_complete is given it.
    pub fn input(&self) -> Option<serde_json::Value> {
        lock(&self.started)
            .last()
            .and_then(|(_, input)| serde_json::to_value(input).ok())
    }
}

#[async_trait]
impl Waiter for RecordingWaiter {
    async fn start(&self, name: &str, input: &WaitInput) -> Result<(), WaiterError> {
        if let Some(failure) = lock(&self.failure).clone() {
            return Err(failure);
        }
        if *lock(&self.hangs) {
            std::future::pending::<()>().await;
        }
        let mut started = lock(&self.started);
        if started.iter().all(|(known, _)| known != name) {
            started.push((name.to_owned(), input.clone()));
        }
        Ok(())
    }
}

/// A document and how often it was written.
type Kept = (Vec<u8>, u64);

/// Keeps documents in memory; can be told to fail.
#[derive(Default)]
pub struct MemoryRequests {
    documents: Mutex<BTreeMap<(String, String), Kept>>,
    failures: Mutex<usize>,
    passes: Mutex<usize>,
    lose_reply: Mutex<bool>,
    hangs: Mutex<bool>,
}

impl MemoryRequests {
    /// An empty store.
    pub fn new() -> Self {
        MemoryRequests::default()
    }

    /// Makes calls fail as unavailable: `count` of them, after `passes` that work.
    pub fn fail(&self, passes: usize, count: usize) {
        *lock(&self.passes) = passes;
        *lock(&self.failures) = count;
    }

    /// Makes calls hang, after `passes` that work.
    pub fn hang(&self, passes: usize) {
        self.fail(passes, usize::MAX);
        *lock(&self.hangs) = true;
    }

    /// Makes the next write work but look as if it had not.
    pub fn lose_next_reply(&self) {
        *lock(&self.lose_reply) = true;
    }

    /// Everything stored, as text.
    pub fn dump(&self) -> String {
        lock(&self.documents)
            .values()
            .map(|(document, _)| String::from_utf8_lossy(document).into_owned())
            .collect()
    }

    async fn available(&self) -> Result<(), RequestStoreError> {
        let passed = self.pass();
        if passed.is_err() && *lock(&self.hangs) {
            std::future::pending::<()>().await;
        }
        passed
    }

    fn pass(&self) -> Result<(), RequestStoreError> {
        let mut passes = lock(&self.passes);
        if let Some(fewer) = passes.checked_sub(1) {
            *passes = fewer;
            return Ok(());
        }
        let mut failures = lock(&self.failures);
        match failures.checked_sub(1) {
            Some(fewer) => {
                *failures = fewer;
                Err(RequestStoreError::Unavailable("it was told to fail".into()))
            }
            None => Ok(()),
        }
    }
}

#[async_trait]
impl RequestStore for MemoryRequests {
    async fn load(
        &self,
        instance: &str,
        request: &str,
    ) -> Result<Option<(Vec<u8>, Version)>, RequestStoreError> {
        self.available().await?;
        let documents = lock(&self.documents);
        let found = documents.get(&(instance.to_owned(), request.to_owned()));
        Ok(found.map(|(document, version)| (document.clone(), Version(version.to_string()))))
    }

    async fn save(
        &self,
        instance: &str,
        request: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, RequestStoreError> {
        self.available().await?;
        let mut documents = lock(&self.documents);
        let key = (instance.to_owned(), request.to_owned());
        let current = documents.get(&key).map(|(_, version)| *version);
        if current.map(|version| version.to_string()) != expected.map(|version| version.0.clone()) {
            return Err(RequestStoreError::Conflict);
        }
        let next = current.unwrap_or_default() + 1;
        documents.insert(key, (document, next));
        if std::mem::take(&mut *lock(&self.lose_reply)) {
            return Err(RequestStoreError::Unavailable("the reply was lost".into()));
        }
        Ok(Version(next.to_string()))
    }
}

/// A poisoned fake is as good as another: the panic that poisoned it is reported where it happened.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
