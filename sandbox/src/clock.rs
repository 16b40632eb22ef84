//! Time, as the sandbox sees it.

use jiff::Timestamp;

/// Tells the time. The state of every operation is computed from it when somebody asks.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the machine's time comes in"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
