//! Everything one sandbox holds, behind one lock, and what goes to disk after a change.

use crate::clock::Clock;
use crate::cloud::Cloud;
use crate::disk::Disk;
use crate::executions::Executions;
use crate::fault::Call;
use crate::options::Options;
use crate::sink::Sink;
use crate::storage::Objects;
use crate::{Invoker, SandboxError};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCall {
    /// When.
    pub at: Timestamp,
    /// What.
    pub call: Call,
    /// The resource type, state machine or bucket, as far as there is one.
    pub subject: String,
    /// The HTTP status of the answer.
    pub status: u16,
}

/// What changes.
pub(crate) struct State {
    pub(crate) cloud: Cloud,
    pub(crate) objects: Objects,
    pub(crate) executions: Executions,
    pub(crate) sink: Sink,
    pub(crate) log: Vec<LoggedCall>,
    pub(crate) invoker: Option<Arc<dyn Invoker>>,
    pub(crate) running: BTreeMap<String, AbortHandle>,
}

/// One sandbox.
pub(crate) struct World {
    pub(crate) options: Options,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) runtime: tokio::runtime::Handle,
    /// Counts deliveries, so that one can be waited for.
    pub(crate) arrivals: watch::Sender<u64>,
    pub(crate) disk: Option<Disk>,
    state: Mutex<State>,
    /// How many calls have no answer and get none.
    hanging: AtomicUsize,
}

/// A call without an answer, as long as its caller waits.
pub(crate) struct Hanging<'a>(&'a AtomicUsize);

impl Drop for Hanging<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl World {
    pub(crate) fn new(options: Options, clock: Arc<dyn Clock>) -> Result<Self, SandboxError> {
        let unreadable = |source| SandboxError::Folder { source };
        let disk = options
            .dir
            .as_deref()
            .map(Disk::open)
            .transpose()
            .map_err(unreadable)?;
        let (memory, executions, objects) = match &disk {
            Some(disk) => (
                disk.read_cloud().map_err(unreadable)?,
                disk.read_executions().map_err(unreadable)?,
                disk.read_objects().map_err(unreadable)?,
            ),
            None => Default::default(),
        };
        let state = State {
            cloud: Cloud::new(&options, memory),
            objects,
            executions,
            sink: Sink::default(),
            log: Vec::new(),
            invoker: None,
            running: BTreeMap::new(),
        };
        Ok(World {
            options,
            clock,
            runtime: tokio::runtime::Handle::current(),
            arrivals: watch::Sender::new(0),
            disk,
            state: Mutex::new(state),
            hanging: AtomicUsize::new(0),
        })
    }

    pub(crate) fn hanging(&self) -> Hanging<'_> {
        self.hanging.fetch_add(1, Ordering::SeqCst);
        Hanging(&self.hanging)
    }

    pub(crate) fn hanging_count(&self) -> usize {
        self.hanging.load(Ordering::SeqCst)
    }

    /// The state. Nobody holds it across an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state with everything done that is due by now. What was generated on the way is kept: after a
    /// restart it would come out differently.
    pub(crate) fn settled(&self, now: Timestamp) -> MutexGuard<'_, State> {
        let mut state = self.state();
        if state.cloud.settle(now) {
            self.keep_cloud(&state);
        }
        state
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Keeps the cloud. Called while the state is held, so that files are written in the order of changes.
    pub(crate) fn keep_cloud(&self, state: &State) {
        if let Some(disk) = &self.disk {
            complain(disk.write_cloud(&state.cloud.memory));
        }
    }

    pub(crate) fn keep_executions(&self, state: &State) {
        if let Some(disk) = &self.disk {
            complain(disk.write_executions(&state.executions));
        }
    }
}

/// A full disk does not stop the cloud.
pub(crate) fn complain(result: std::io::Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the sandbox's folder cannot be written");
    }
}
