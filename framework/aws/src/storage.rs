//! Where documents are kept: one small versioned document per key, in a bucket, a folder or memory.

mod bucket;
mod files;
mod location;
mod objects;

pub(crate) use bucket::bucket;
pub(crate) use location::S3Location;
pub(crate) use objects::{is_absent, problem};

use crate::connection::Connection;
use crate::http::Http;
use async_trait::async_trait;
use files::Files;
use object_store::memory::InMemory;
use object_store::path::Path;
use objects::Objects;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// An opened store below a prefix, for [`crate::ObjectStates`] and [`crate::ObjectRequests`] alike. Cheap
/// to clone; clones share what they hold.
#[derive(Clone)]
pub struct Storage {
    documents: Arc<dyn Documents>,
    prefix: String,
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A state URL that names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It is not one of the forms we know.
    #[error(
        "`{url}` is no state URL: {problem}; expected `s3://bucket/prefix`, `file:///folder` or `memory:///`"
    )]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The store it names cannot be opened.
    #[error("the state store `{url}` cannot be opened: {problem}")]
    Store {
        /// The URL.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Opens the store of a state URL. Touches neither network nor disk: a bucket that does not exist shows at
/// the first use, a folder that does not exist is made then.
///
/// * `s3://bucket/prefix`: a bucket, through the connection's S3 endpoint. Encryption is the bucket's
///   default. Reading what is not there needs `s3:ListBucket`, else S3 answers that access is denied.
/// * `file:///folder`: files, with the same guarantees between processes of one machine.
/// * `memory:///`: a new empty store, gone with the process.
///
/// # Errors
/// When the URL is of no such form.
pub fn open_store(state_url: &str, connection: &Connection, http: &Http) -> Result<Storage, OpenError> {
    let bad = |problem: &str| OpenError::Url {
        url: state_url.to_owned(),
        problem: problem.to_owned(),
    };
    let (scheme, rest) = state_url
        .split_once("://")
        .ok_or_else(|| bad("it has no scheme"))?;
    let storage = |documents: Arc<dyn Documents>, prefix: &str| {
        let prefix = prefix.trim_matches('/').to_owned();
        Path::parse(&prefix).map_err(|error| bad(&error.to_string()))?;
        Ok(Storage { documents, prefix })
    };
    match scheme {
        "s3" => {
            let location = S3Location::parse(state_url).map_err(|problem| bad(&problem))?;
            let store = bucket(&location.bucket, connection, http).map_err(|problem| OpenError::Store {
                url: state_url.to_owned(),
                problem,
            })?;
            storage(
                Arc::new(Objects::in_bucket(store, location.bucket.clone())),
                &location.key,
            )
        }
        "file" => storage(Arc::new(Files::new(folder(state_url).map_err(bad)?)), ""),
        "memory" => storage(Arc::new(Objects::in_memory(InMemory::new())), rest),
        _ => Err(bad(&format!("its scheme is `{scheme}`"))),
    }
}

fn folder(state_url: &str) -> Result<PathBuf, &'static str> {
    let url = url::Url::parse(state_url).map_err(|_| "it is not a URL")?;
    if url.host().is_some() {
        return Err("a folder has no host, so three slashes follow `file:`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("a folder has no query and no fragment");
    }
    url.to_file_path()
        .map_err(|()| "it is not a folder of this machine")
}

impl Storage {
    /// A document's key below the prefix. Names become keys as they are, so that they can be listed again.
    pub(crate) fn key(&self, folder: &str, name: &str) -> Result<Path, StorageError> {
        let parts = [self.prefix.as_str(), folder, name];
        let raw = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        Path::parse(&raw).map_err(|error| StorageError::Unavailable(format!("`{raw}` is no key: {error}")))
    }

    pub(crate) fn documents(&self) -> &dyn Documents {
        self.documents.as_ref()
    }
}

/// Versioned documents under keys.
#[async_trait]
pub(crate) trait Documents: Send + Sync {
    async fn load(&self, key: &Path) -> Result<Option<(Vec<u8>, String)>, StorageError>;
    /// Creates when `expected` is `None`, else replaces exactly that version.
    async fn save(
        &self,
        key: &Path,
        document: Vec<u8>,
        expected: Option<&str>,
    ) -> Result<String, StorageError>;
    /// Removes exactly that version; one that is gone is success.
    async fn remove(&self, key: &Path, expected: &str) -> Result<(), StorageError>;
    /// Keys below a folder, sorted.
    async fn list(&self, folder: &Path) -> Result<Vec<Path>, StorageError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorageError {
    Conflict,
    Unavailable(String),
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
