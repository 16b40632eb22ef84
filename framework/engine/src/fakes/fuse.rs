//! Ending a process at an exact point.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use tokio::sync::Notify;

/// Counts calls to the outside and blows after some number of them: from then on no call is made and none
/// returns, as if the process had been killed. Half of the numbers kill before a call has its effect, half
/// after the effect but before the answer.
#[derive(Debug)]
pub struct Fuse {
    left: AtomicI64,
    blown: AtomicBool,
    notify: Notify,
}

impl Default for Fuse {
    fn default() -> Self {
        Fuse {
            left: AtomicI64::new(i64::MAX),
            blown: AtomicBool::new(false),
            notify: Notify::new(),
        }
    }
}

impl Fuse {
    /// Blows at this passage, counted from 0; every call passes twice, before and after its effect.
    pub fn light(&self, passages: u32) {
        self.blown.store(false, Ordering::SeqCst);
        self.left.store(i64::from(passages), Ordering::SeqCst);
    }

    /// Never blows, until lit again.
    pub fn douse(&self) {
        self.blown.store(false, Ordering::SeqCst);
        self.left.store(i64::MAX, Ordering::SeqCst);
    }

    /// Returns when it has blown.
    pub async fn blown(&self) {
        let notified = self.notify.notified();
        if !self.blown.load(Ordering::SeqCst) {
            notified.await;
        }
    }

    /// Goes on, or never returns.
    pub(super) async fn pass(&self) {
        if self.blown.load(Ordering::SeqCst) || self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.blown.store(true, Ordering::SeqCst);
            self.notify.notify_one();
            std::future::pending::<()>().await;
        }
    }
}
