//! Records of requests in storage.

use crate::storage::{Storage, StorageError};
use async_trait::async_trait;
use formwork_provider::ports::{RequestStore, RequestStoreError, Version};

const FOLDER: &str = "requests";

/// The provider's store: a document under `requests/<instance>/<request>.json` per request.
#[derive(Debug, Clone)]
pub struct ObjectRequests {
    storage: Storage,
}

impl ObjectRequests {
    /// Keeps the records in this storage.
    pub fn new(storage: Storage) -> Self {
        ObjectRequests { storage }
    }
}

impl From<StorageError> for RequestStoreError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Conflict => RequestStoreError::Conflict,
            StorageError::Unavailable(problem) => RequestStoreError::Unavailable(problem),
        }
    }
}

#[async_trait]
impl RequestStore for ObjectRequests {
    async fn load(
        &self,
        instance: &str,
        request: &str,
    ) -> Result<Option<(Vec<u8>, Version)>, RequestStoreError> {
        let key = self.storage.key(FOLDER, &format!("{instance}/{request}.json"))?;
        let found = self.storage.documents().load(&key).await?;
        Ok(found.map(|(document, version)| (document, Version(version))))
    }

    async fn save(
        &self,
        instance: &str,
        request: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, RequestStoreError> {
        let key = self.storage.key(FOLDER, &format!("{instance}/{request}.json"))?;
        let expected = expected.map(|version| version.0.as_str());
        Ok(Version(
            self.storage.documents().save(&key, document, expected).await?,
        ))
    }
}
