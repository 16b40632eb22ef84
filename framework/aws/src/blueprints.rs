//! Blueprints that are kept in S3.

use crate::connection::Connection;
use crate::http::Http;
use crate::storage::{S3Location, bucket, is_absent, problem};
use async_trait::async_trait;
use formwork_engine::ports::BlueprintSource;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};

/// Reads blueprints from `s3://bucket/key`.
#[derive(Debug, Clone)]
pub struct S3Blueprints {
    connection: Connection,
    http: Http,
}

impl S3Blueprints {
    /// A blueprint's size limit: 1 MiB.
    pub const LIMIT_BYTES: u64 = 1024 * 1024;

    /// Makes the adapter; the bucket comes with the location.
    pub fn new(connection: &Connection, http: &Http) -> Self {
        S3Blueprints {
            connection: connection.clone(),
            http: http.clone(),
        }
    }

    async fn read(&self, location: &str) -> Result<String, String> {
        let S3Location { bucket: name, key } = S3Location::parse(location)
            .map_err(|problem| format!("{problem}, expected `s3://bucket/key`"))?;
        if key.is_empty() {
            return Err("it names no key, expected `s3://bucket/key`".into());
        }
        let path = Path::parse(&key).map_err(|error| error.to_string())?;
        let store = bucket(&name, &self.connection, &self.http)?;
        let object = store.get(&path).await.map_err(|error| match error {
            error if is_absent(&error) => "there is no such object".to_owned(),
            Error::PermissionDenied { .. } => {
                format!("{}; `s3:GetObject` on it is needed", problem(&error))
            }
            error => problem(&error),
        })?;
        let size = object.meta.size;
        if size > Self::LIMIT_BYTES {
            return Err(format!(
                "it has {size} bytes, expected at most {}",
                Self::LIMIT_BYTES
            ));
        }
        let bytes = object.bytes().await.map_err(|error| problem(&error))?;
        String::from_utf8(bytes.into()).map_err(|error| {
            format!(
                "it is not UTF-8 text from byte {} on",
                error.utf8_error().valid_up_to()
            )
        })
    }
}

#[async_trait]
impl BlueprintSource for S3Blueprints {
    async fn fetch(&self, location: &str) -> Result<String, String> {
        self.read(location)
            .await
            .map_err(|problem| format!("`{location}` cannot be read: {problem}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::testing::Bucket;
    use crate::testing::http;

    #[tokio::test]
    async fn blueprints_are_read_or_the_reason_is_told() {
        let bucket = Bucket::start().await;
        let limit = usize::try_from(S3Blueprints::LIMIT_BYTES).unwrap();
        bucket.put("shop/orders v1.yaml", "version: 2023-04-20 # grüße".as_bytes());
        bucket.put("largest.yaml", &vec![b' '; limit]);
        bucket.put("larger.yaml", &vec![b' '; limit + 1]);
        bucket.put("binary.yaml", b"a: \xff");
        let cases = [
            (
                "s3://state/shop/orders v1.yaml",
                Ok("version: 2023-04-20 # grüße"),
            ),
            ("s3://state/none.yaml", Err("there is no such object")),
            (
                "s3://state/larger.yaml",
                Err("it has 1048577 bytes, expected at most 1048576"),
            ),
            (
                "s3://state/binary.yaml",
                Err("it is not UTF-8 text from byte 3 on"),
            ),
            ("s3://elsewhere/a.yaml", Err("NoSuchBucket: it is not there")),
            ("s3://state/", Err("it names no key, expected `s3://bucket/key`")),
            (
                "https://state/a",
                Err("it does not begin with `s3://`, expected `s3://bucket/key`"),
            ),
        ];
        let source = S3Blueprints::new(&bucket.server.connection(), &http());
        for (location, expected) in cases {
            let expected = expected
                .map(str::to_owned)
                .map_err(|problem| format!("`{location}` cannot be read: {problem}"));
            assert_eq!(source.fetch(location).await, expected);
        }
        assert_eq!(
            source.fetch("s3://state/largest.yaml").await.unwrap().len(),
            limit
        );

        bucket.refuse_access();
        let refused = source.fetch("s3://state/shop/orders v1.yaml").await.unwrap_err();
        assert_eq!(
            refused,
            "`s3://state/shop/orders v1.yaml` cannot be read: AccessDenied: no \"s3:GetObject\"; `s3:GetObject` on it is needed"
        );
    }
}
