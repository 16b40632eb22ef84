//! One rate limit for all calls of a process.

use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The rate never falls below this many thousandths of a request per second.
const FLOOR: u64 = 1_000;
/// What every call that was not throttled adds to it.
const GAIN: u64 = 200;

/// A token bucket that holds one second's worth. Being throttled halves its rate, every other answer raises
/// it a little, up to the ceiling.
#[derive(Debug)]
pub(crate) struct Limiter {
    ceiling: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Thousandths of a request per second.
    rate: u64,
    /// When the bucket will be full again.
    full_at: Timestamp,
    /// When it was last halved: calls that were under way then are no news.
    halved_at: Timestamp,
}

impl Limiter {
    pub(crate) fn new(requests_per_second: u32) -> Self {
        let ceiling = (u64::from(requests_per_second) * 1_000).max(FLOOR);
        let state = State {
            rate: ceiling,
            full_at: Timestamp::UNIX_EPOCH,
            halved_at: Timestamp::UNIX_EPOCH,
        };
        Limiter {
            ceiling,
            state: Mutex::new(state),
        }
    }

    /// Takes a token; the call may be made after the returned wait.
    pub(crate) fn take(&self, now: Timestamp) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (full_at, wait) = state.after_one_more(now);
        state.full_at = full_at;
        wait
    }

    /// Takes a token if there is one.
    ///
    /// # Errors
    /// How long there is none.
    pub(crate) fn try_take(&self, now: Timestamp) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (full_at, wait) = state.after_one_more(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        state.full_at = full_at;
        Ok(())
    }

    /// The time in which one call is allowed at the present rate.
    pub(crate) fn interval(&self) -> SignedDuration {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .interval()
    }

    /// Learns from an answer.
    pub(crate) fn learn(&self, throttled: bool, now: Timestamp) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !throttled {
            state.rate = (state.rate + GAIN).min(self.ceiling);
        } else if now.duration_since(state.halved_at) >= SignedDuration::from_secs(1) {
            state.rate = (state.rate / 2).max(FLOOR);
            state.halved_at = now;
        }
    }
}

impl State {
    fn interval(&self) -> SignedDuration {
        SignedDuration::from_nanos(i64::try_from(1_000_000_000_000 / self.rate).unwrap_or(i64::MAX))
    }

    /// When the bucket would be full after one more call, and how long that call would have to wait.
    fn after_one_more(&self, now: Timestamp) -> (Timestamp, Duration) {
        let full_at = self
            .full_at
            .max(now)
            .checked_add(self.interval())
            .unwrap_or(Timestamp::MAX);
        let debt = full_at.duration_since(now) - SignedDuration::from_secs(1);
        let wait = if debt.is_positive() {
            debt.unsigned_abs()
        } else {
            Duration::ZERO
        };
        (full_at, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_000_000 + millis).unwrap()
    }

    #[test]
    fn a_second_of_calls_is_free_and_then_the_rate_binds() {
        let limiter = Limiter::new(10);
        assert!((0..10).all(|_| limiter.take(at(0)).is_zero()));
        assert_eq!(limiter.take(at(0)), Duration::from_millis(100));
        assert_eq!(limiter.take(at(0)), Duration::from_millis(200));
        assert_eq!(limiter.take(at(1_200)), Duration::ZERO);
    }

    #[test]
    fn a_call_that_cannot_be_made_now_takes_nothing() {
        let limiter = Limiter::new(10);
        assert!((0..10).all(|_| limiter.try_take(at(0)).is_ok()));
        for _ in 0..3 {
            assert_eq!(limiter.try_take(at(0)), Err(Duration::from_millis(100)));
        }
        assert_eq!(limiter.try_take(at(100)), Ok(()));
    }

    #[test]
    fn throttling_halves_the_rate_once_a_second_and_success_restores_it() {
        let limiter = Limiter::new(10);
        limiter.learn(true, at(0));
        limiter.learn(true, at(10));
        assert!((0..5).all(|_| limiter.take(at(0)).is_zero()));
        assert_eq!(limiter.take(at(0)), Duration::from_millis(200));
        (0..100).for_each(|_| limiter.learn(false, at(20)));
        assert_eq!(limiter.take(at(0)), Duration::from_millis(300));
    }
}
