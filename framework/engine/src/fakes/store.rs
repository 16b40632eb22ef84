//! A store in memory.

use super::Fuse;
use crate::ports::{StateStore, StoreError, Version};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Versioned documents in memory. Like S3's, a version is told by the content: the same bytes have the same
/// version.
#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
    fuse: Arc<Fuse>,
}

#[derive(Debug, Default)]
struct Inner {
    documents: BTreeMap<String, Vec<u8>>,
    saves: usize,
    outages: usize,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        MemoryStore::default()
    }

    /// An empty store behind a fuse.
    pub fn with_fuse(fuse: Arc<Fuse>) -> Self {
        MemoryStore {
            fuse,
            ..MemoryStore::default()
        }
    }

    /// How many documents were written.
    pub fn saves(&self) -> usize {
        self.inner().saves
    }

    /// The next few saves are not answered and have no effect.
    pub fn fail_saves(&self, count: usize) {
        self.inner().outages = count;
    }

    /// A stored document as text.
    pub fn text(&self, instance: &str) -> Option<String> {
        self.inner()
            .documents
            .get(instance)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn version(document: &[u8]) -> Version {
    use sha2::{Digest, Sha256};
    Version(
        Sha256::digest(document)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

#[async_trait]
impl StateStore for MemoryStore {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.fuse.pass().await;
        Ok(self
            .inner()
            .documents
            .get(instance)
            .map(|document| (document.clone(), version(document))))
    }

    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError> {
        self.fuse.pass().await;
        let result = {
            let mut inner = self.inner();
            if inner.outages > 0 {
                inner.outages -= 1;
                return Err(StoreError::Unavailable("out of order".into()));
            }
            let current = inner.documents.get(instance).map(|document| version(document));
            if current.as_ref() == expected {
                let version = version(&document);
                inner.documents.insert(instance.to_owned(), document);
                inner.saves += 1;
                Ok(version)
            } else {
                Err(StoreError::Conflict)
            }
        };
        self.fuse.pass().await;
        result
    }

    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError> {
        self.fuse.pass().await;
        let documents = &mut self.inner().documents;
        if documents
            .get(instance)
            .is_some_and(|document| version(document) != *expected)
        {
            return Err(StoreError::Conflict);
        }
        documents.remove(instance);
        Ok(())
    }

    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        Ok(self
            .inner()
            .documents
            .keys()
            .filter(|name| folder.is_empty() || name.starts_with(&prefix))
            .cloned()
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn conforms() {
        crate::conformance::state_store(&MemoryStore::new()).await;
    }
}
