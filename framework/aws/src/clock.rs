//! The real time.

use async_trait::async_trait;
use std::time::Duration;

/// The system's clock, for the engine and for the provider flows.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that time comes in through"
    )]
    fn read() -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

#[async_trait]
impl formwork_engine::ports::Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        Self::read()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[async_trait]
impl formwork_provider::ports::Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        Self::read()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
