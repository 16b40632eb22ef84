//! Documents in S3, or in memory through the same interface.

use super::{Documents, StorageError};
use crate::http::{if_match, root_cause};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    Attribute, Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion,
};
use std::borrow::Cow;
use std::sync::Arc;

const READING: &str = "reading";

/// Marks who wrote an object, in its user metadata.
const WRITE_ID: Attribute = Attribute::Metadata(Cow::Borrowed("formwork-write"));

/// Documents as objects.
///
/// # Guarantees
/// A save is one conditional PUT (`If-None-Match: *` or `If-Match`). When an answer is lost, the retried
/// PUT meets our own object and is refused; each save carries an id in the object's metadata, and a save
/// that was refused or unanswered looks for its id before it says so. A removal is one conditional DELETE.
pub(super) struct Objects {
    store: Arc<dyn ObjectStore>,
    place: String,
    is_memory: bool,
    /// Memory has no conditional deletes: whoever writes there takes turns.
    memory: tokio::sync::Mutex<()>,
}

impl Objects {
    pub(super) fn in_bucket(store: AmazonS3, bucket: String) -> Self {
        Objects {
            store: Arc::new(store),
            place: format!("bucket `{bucket}`"),
            is_memory: false,
            memory: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn in_memory(store: InMemory) -> Self {
        Objects {
            store: Arc::new(store),
            place: "memory".into(),
            is_memory: true,
            memory: tokio::sync::Mutex::default(),
        }
    }

    fn unavailable(&self, doing: &str, key: &Path, error: &Error) -> StorageError {
        let advice = match error {
            // To a reader that may not list, S3 says the same of an object that is not there.
            Error::PermissionDenied { .. } if doing == READING => {
                "; `s3:GetObject` on it and `s3:ListBucket` on the bucket are needed"
            }
            _ => "",
        };
        StorageError::Unavailable(format!(
            "{doing} `{key}` in {}: {}{advice}",
            self.place,
            problem(error)
        ))
    }

    fn unversioned(&self, key: &Path) -> StorageError {
        StorageError::Unavailable(format!("`{key}` in {} has no ETag", self.place))
    }

    /// The version of the object if it is the one that the save with this id wrote.
    async fn written(&self, key: &Path, id: &str) -> Option<String> {
        let found = self
            .store
            .get_opts(key, GetOptions::new().with_head(true))
            .await
            .ok()?;
        let is_ours = found
            .attributes
            .get(&WRITE_ID)
            .is_some_and(|value| value.as_ref() == id);
        found.meta.e_tag.filter(|_| is_ours)
    }
}

#[async_trait]
impl Documents for Objects {
    async fn load(&self, key: &Path) -> Result<Option<(Vec<u8>, String)>, StorageError> {
        let found = match self.store.get(key).await {
            Ok(found) => found,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(self.unavailable(READING, key, &error)),
        };
        let version = found.meta.e_tag.clone().ok_or_else(|| self.unversioned(key))?;
        let bytes = found
            .bytes()
            .await
            .map_err(|error| self.unavailable(READING, key, &error))?;
        Ok(Some((bytes.into(), version)))
    }

    async fn save(
        &self,
        key: &Path,
        document: Vec<u8>,
        expected: Option<&str>,
    ) -> Result<String, StorageError> {
        let mode = match expected {
            None => PutMode::Create,
            Some(version) => PutMode::Update(UpdateVersion {
                e_tag: Some(version.to_owned()),
                version: None,
            }),
        };
        let _turn = match self.is_memory {
            true => Some(self.memory.lock().await),
            false => None,
        };
        let id = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let mut options = PutOptions {
            mode,
            ..PutOptions::default()
        };
        options
            .attributes
            .insert(Attribute::ContentType, "application/json".into());
        options.attributes.insert(WRITE_ID, id.clone().into());
        match self.store.put_opts(key, document.into(), options).await {
            Ok(put) => put.e_tag.ok_or_else(|| self.unversioned(key)),
            Err(error) => match self.written(key, &id).await {
                Some(version) => Ok(version),
                None if is_lost_race(&error) => Err(StorageError::Conflict),
                None => Err(self.unavailable("writing", key, &error)),
            },
        }
    }

    async fn remove(&self, key: &Path, expected: &str) -> Result<(), StorageError> {
        let _turn = match self.is_memory {
            true => Some(self.memory.lock().await),
            false => None,
        };
        if self.is_memory
            && self
                .load(key)
                .await?
                .is_some_and(|(_, version)| version != expected)
        {
            return Err(StorageError::Conflict);
        }
        match if_match(expected, self.store.delete(key)).await {
            Err(error) if is_lost_race(&error) => Err(StorageError::Conflict),
            Err(error) if !is_absent(&error) => Err(self.unavailable("removing", key, &error)),
            _ => Ok(()),
        }
    }

    async fn list(&self, folder: &Path) -> Result<Vec<Path>, StorageError> {
        let found: Vec<_> = self
            .store
            .list(Some(folder))
            .map_ok(|object| object.location)
            .try_collect()
            .await
            .map_err(|error| self.unavailable("listing", folder, &error))?;
        let mut keys = found;
        keys.sort();
        Ok(keys)
    }
}

/// True if there is no such object, in a bucket that is there.
pub(crate) fn is_absent(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. }) && !root_cause(error).contains("NoSuchBucket")
}

fn is_lost_race(error: &Error) -> bool {
    matches!(error, Error::AlreadyExists { .. } | Error::Precondition { .. })
        && !root_cause(error).contains("NoSuchBucket")
}

/// What went wrong in the words of S3, which answers with XML around them.
pub(crate) fn problem(error: &Error) -> String {
    let text = root_cause(error);
    match (element(&text, "Code"), element(&text, "Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code,
        _ => {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            line.trim_end_matches([':', ' ']).to_owned()
        }
    }
}

fn element(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    let text = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (entity, character)| {
        text.replace(entity, character)
    });
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_is_quoted_without_its_xml() {
        let cases = [
            (
                "Server returned non-2xx status code: 403 Forbidden: <?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>no &quot;s3:PutObject&quot; &amp;lt;</Message><RequestId>1</RequestId></Error>",
                "AccessDenied: no \"s3:PutObject\" &lt;",
            ),
            (
                "Server returned non-2xx status code: 503 Service Unavailable: ",
                "Server returned non-2xx status code: 503 Service Unavailable",
            ),
            ("two\nlines", "two lines"),
        ];
        for (text, expected) in cases {
            let error = Error::Generic {
                store: "S3",
                source: text.into(),
            };
            assert_eq!(problem(&error), expected);
        }
    }

    #[test]
    fn a_missing_bucket_is_neither_an_absent_object_nor_a_lost_race() {
        let text = "404 Not Found: <Error><Code>NoSuchBucket</Code></Error>";
        let missing = Error::NotFound {
            path: "a".into(),
            source: text.into(),
        };
        assert!(!is_absent(&missing));
        assert!(!is_lost_race(&Error::Precondition {
            path: "a".into(),
            source: Box::new(missing)
        }));
        assert!(is_absent(&Error::NotFound {
            path: "a".into(),
            source: "404: NoSuchKey".into()
        }));
    }
}
