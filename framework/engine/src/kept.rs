//! The document that this process has written last, so that it need not be read again.
//!
//! Most invocations go on where the same process has stopped, and of a large deployment reading the document is
//! most of what they do.
//!
//! # Guarantees
//! What is kept is used only for the version that was written, so a document of somebody else's is always read: by
//! whoever compares it with the stored one, or by whoever writes on condition that it still is the stored one.
//!
//! # Assumptions
//! No two documents of an instance have the same version: they have different serial numbers.

use crate::deployment::Deployment;
use crate::ports::Version;
use std::sync::{Mutex, PoisonError};

/// One document at most.
#[derive(Default)]
pub(crate) struct Kept {
    last: Mutex<Option<(Deployment, Version)>>,
}

impl Kept {
    /// Keeps a document as stored; what only counted while it was carried on is forgotten.
    pub(crate) fn keep(&self, mut deployment: Deployment, version: Version) {
        deployment.pause();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((deployment, version));
    }

    /// Takes out what is kept of an instance.
    pub(crate) fn take(&self, instance: &str) -> Option<(Deployment, Version)> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|(deployment, _)| deployment.instance == instance)
    }

    /// Takes out what is kept of an instance, if it is this version.
    pub(crate) fn take_version(&self, instance: &str, version: &Version) -> Option<Deployment> {
        let (deployment, known) = self.take(instance)?;
        (known == *version).then_some(deployment)
    }
}
