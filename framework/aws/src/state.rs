//! Deployments in storage.

use crate::storage::{Storage, StorageError};
use async_trait::async_trait;
use formwork_engine::ports::{StateStore, StoreError, Version};

const FOLDER: &str = "instances";
const ENDING: &str = ".json";

/// The engine's store: a document under `instances/<instance>.json` per instance.
#[derive(Debug, Clone)]
pub struct ObjectStates {
    storage: Storage,
}

impl ObjectStates {
    /// Keeps deployments in this storage.
    pub fn new(storage: Storage) -> Self {
        ObjectStates { storage }
    }
}

impl From<StorageError> for StoreError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict => StoreError::Conflict,
            StorageError::Unavailable(problem) => StoreError::Unavailable(problem),
        }
    }
}

#[async_trait]
impl StateStore for ObjectStates {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        let key = self.storage.key(FOLDER, &format!("{instance}{ENDING}"))?;
        let found = self.storage.documents().load(&key).await?;
        Ok(found.map(|(document, version)| (document, Version(version))))
    }

    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError> {
        let key = self.storage.key(FOLDER, &format!("{instance}{ENDING}"))?;
        let expected = expected.map(|version| version.0.as_str());
        Ok(Version(
            self.storage.documents().save(&key, document, expected).await?,
        ))
    }

    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError> {
        let key = self.storage.key(FOLDER, &format!("{instance}{ENDING}"))?;
        Ok(self.storage.documents().remove(&key, &expected.0).await?)
    }

    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let root = self.storage.key(FOLDER, "")?;
        let keys = self
            .storage
            .documents()
            .list(&self.storage.key(FOLDER, folder)?)
            .await?;
        let name = |key: &object_store::path::Path| {
            let below = key.as_ref().strip_prefix(root.as_ref())?.strip_prefix('/')?;
            below.strip_suffix(ENDING).map(str::to_owned)
        };
        let mut names: Vec<_> = keys.iter().filter_map(name).collect();
        // Sorted as keys, `a-b.json` stands before `a.json`.
        names.sort();
        Ok(names)
    }
}
