//! A process that can be killed at any call to the outside, and at any moment in between.

use crate::dice::Fault;
use crate::world::World;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// One process. Dead, it makes no call and hears no answer; what it had sent may still arrive.
pub(crate) struct Process {
    pub(crate) world: Arc<World>,
    dead: AtomicBool,
    immune: AtomicBool,
    death: Notify,
}

impl Process {
    pub(crate) fn new(world: Arc<World>) -> Arc<Self> {
        Arc::new(Process {
            world,
            dead: AtomicBool::new(false),
            immune: AtomicBool::new(false),
            death: Notify::new(),
        })
    }

    /// The last of all attempts is spared: what nobody tries again is nobody's to promise.
    pub(crate) fn spare(&self, spared: bool) {
        self.immune.store(spared, Ordering::Relaxed);
    }

    pub(crate) fn is_spared(&self) -> bool {
        self.immune.load(Ordering::Relaxed)
    }

    pub(crate) fn kill(&self) {
        self.dead.store(true, Ordering::Relaxed);
        self.death.notify_one();
    }

    /// Returns when it is dead.
    pub(crate) async fn death(&self) {
        while !self.dead.load(Ordering::Relaxed) {
            self.death.notified().await;
        }
    }

    /// Goes on, or never returns.
    async fn pass(&self) {
        if !self.is_spared() && self.world.dice.strikes(Fault::KilledAtCall) {
            self.kill();
        }
        if self.dead.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    /// A call to the outside that takes `delay` to get there.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        delay: Duration,
        effect: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        self.pass().await;
        let answer = if delay.is_zero() {
            effect()
        } else {
            let (sent, answer) = oneshot::channel();
            self.world.spawn(async move {
                tokio::time::sleep(delay).await;
                // Nobody listens any more if the process has died meanwhile.
                let _ = sent.send(effect());
            });
            match answer.await {
                Ok(answer) => answer,
                Err(_) => std::future::pending().await,
            }
        };
        self.pass().await;
        answer
    }

    /// A call that has no answer: the caller gives up after `patience`, and it takes effect after `delay`.
    pub(crate) async fn call_unheard<T: Send + 'static>(
        &self,
        patience: Duration,
        delay: Duration,
        effect: impl FnOnce() -> T + Send + 'static,
    ) {
        self.pass().await;
        self.world.spawn(async move {
            tokio::time::sleep(delay).await;
            effect();
        });
        tokio::time::sleep(patience).await;
        self.pass().await;
    }
}
