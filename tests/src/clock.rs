//! The wall clock: the Runtime API states deadlines in it, and the benchmark measures with it.

use jiff::Timestamp;
use std::time::Instant;

/// The time of day.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the Runtime API states deadlines in wall clock time"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// A point to measure from.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmark measures, and waiting for a condition has an end"
)]
pub fn instant() -> Instant {
    Instant::now()
}
