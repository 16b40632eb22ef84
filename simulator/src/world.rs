//! What everything in a run shares: the time, the dice, the tasks, and what is noticed.

use crate::dice::{Dice, Fault, Mask};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Part of every ResponseURL: whoever reads it can answer in our place.
pub(crate) const SIGNATURE: &str = "5ecre7519na7u2e";
/// The moment at which every run begins: 2026-01-01T00:00:00Z.
const START_SECONDS: i64 = 1_767_225_600;
/// More to tell than anybody reads.
const LONGEST_STORY: usize = 100_000;

/// One run's surroundings.
pub(crate) struct World {
    pub(crate) dice: Dice,
    pub(crate) password: String,
    start: Timestamp,
    origin: tokio::time::Instant,
    tasks: AtomicUsize,
    violations: Mutex<Vec<String>>,
    story: Option<Mutex<Vec<String>>>,
}

impl World {
    /// Make it inside of a runtime.
    pub(crate) fn new(seed: u64, mask: Mask, is_told: bool) -> Arc<Self> {
        Arc::new(World {
            dice: Dice::new(seed, mask),
            password: format!("hunter2-{seed:x}-correct-horse"),
            start: Timestamp::from_second(START_SECONDS).unwrap_or(Timestamp::UNIX_EPOCH),
            origin: tokio::time::Instant::now(),
            tasks: AtomicUsize::new(0),
            violations: Mutex::default(),
            story: is_told.then(Mutex::default),
        })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.start
            .checked_add(self.origin.elapsed())
            .unwrap_or(Timestamp::MAX)
    }

    pub(crate) fn later(&self, by: Duration) -> Timestamp {
        self.now().checked_add(by).unwrap_or(Timestamp::MAX)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }

    /// Something that must never happen has happened.
    pub(crate) fn violated(&self, what: impl Into<String>) {
        let what = what.into();
        self.tell(|| format!("VIOLATION {what}"));
        lock(&self.violations).push(what);
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }

    /// A line of the story, if anybody wants to hear it.
    pub(crate) fn tell(&self, line: impl FnOnce() -> String) {
        let Some(story) = &self.story else { return };
        let mut story = lock(story);
        if story.len() < LONGEST_STORY {
            let at = self.elapsed().as_secs_f64();
            story.push(format!("{at:10.3}  {}", line()));
        }
    }

    pub(crate) fn story(&self) -> Vec<String> {
        self.story
            .as_ref()
            .map(|story| lock(story).clone())
            .unwrap_or_default()
    }

    /// A text that people may read: it must hold nothing secret.
    pub(crate) fn read_by_people(&self, place: &str, text: &str) {
        if text.contains(SIGNATURE) {
            self.violated(format!("the ResponseURL is in {place}"));
        }
        if text.contains(&self.password) {
            self.violated(format!("a secret is in {place}"));
        }
    }

    /// Runs something beside everything else. A panic is a violation.
    pub(crate) fn spawn(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        let world = Arc::clone(self);
        world.tasks.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let work = futures_catch(work).await;
            if work.is_err() {
                world.violated("a panic");
            }
            world.tasks.fetch_sub(1, Ordering::Relaxed);
        });
    }

    /// How many tasks still run.
    pub(crate) fn tasks(&self) -> usize {
        self.tasks.load(Ordering::Relaxed)
    }
}

async fn futures_catch(work: impl Future<Output = ()>) -> Result<(), ()> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(
        |cx| match std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(())),
        },
    )
    .await
}

/// The time of a run, for provider and engine, as one process has it.
pub(crate) struct Time {
    world: Arc<World>,
    ahead: SignedDuration,
}

impl Time {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        let ahead = if world.dice.strikes(Fault::ClockOff) {
            SignedDuration::from_millis(i64::try_from(world.dice.draw(0, 2_000)).unwrap_or(0) - 1_000)
        } else {
            SignedDuration::ZERO
        };
        Time {
            world: Arc::clone(world),
            ahead,
        }
    }

    fn own(&self) -> Timestamp {
        self.world.now().checked_add(self.ahead).unwrap_or(Timestamp::MAX)
    }
}

#[async_trait]
impl formwork_provider::ports::Clock for Time {
    fn now(&self) -> Timestamp {
        self.own()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[async_trait]
impl formwork_engine::ports::Clock for Time {
    fn now(&self) -> Timestamp {
        self.own()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// A panic in one task is reported there; the others go on.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
