//! A bucket over the shared HTTP client, with the connection's credentials.

use crate::connection::{Connection, Service};
use crate::http::{Http, StorageConnector, root_cause};
use async_trait::async_trait;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_async::time::{SharedTimeSource, SystemTimeSource};
use object_store::aws::{AmazonS3, AmazonS3Builder, AwsCredential, S3ConditionalPut};
use object_store::{BackoffConfig, CredentialProvider, Error, RetryConfig};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A bucket over the shared HTTP client. An error is one line that says what cannot be done.
pub(crate) fn bucket(name: &str, connection: &Connection, http: &Http) -> Result<AmazonS3, String> {
    let timeouts = &connection.timeouts;
    let builder = AmazonS3Builder::new()
        .with_bucket_name(name)
        .with_region(&connection.region)
        .with_credentials(Arc::new(BucketCredentials::new(connection.credentials.shared())))
        .with_http_connector(StorageConnector::new(http, timeouts.attempt_of(Service::S3)))
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_disable_bulk_delete(true)
        .with_retry(RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(3),
                base: 2.0,
            },
            max_retries: 5,
            retry_timeout: timeouts.retries,
        });
    let builder = match connection.endpoints.of(Service::S3) {
        Some(url) => builder.with_endpoint(url).with_allow_http(true),
        None => {
            let (url, is_virtual) = aws_endpoint(name, &connection.region);
            builder
                .with_endpoint(url)
                .with_virtual_hosted_style_request(is_virtual)
        }
    };
    builder.build().map_err(|error| root_cause(&error))
}

/// AWS's own endpoint, and whether its host name has the bucket in it. A bucket with dots cannot be in a
/// host name, for the certificate is good for one label only.
fn aws_endpoint(bucket: &str, region: &str) -> (String, bool) {
    let domain = if region.starts_with("cn-") {
        "amazonaws.com.cn"
    } else {
        "amazonaws.com"
    };
    match bucket.contains(['.', '_']) || bucket.contains(|c: char| c.is_ascii_uppercase()) {
        true => (format!("https://s3.{region}.{domain}"), false),
        false => (format!("https://{bucket}.s3.{region}.{domain}"), true),
    }
}

/// The connection's credentials as object storage wants them, kept until shortly before they expire.
struct BucketCredentials {
    provider: SharedCredentialsProvider,
    kept: tokio::sync::Mutex<Option<Kept>>,
    time: SharedTimeSource,
}

struct Kept {
    credential: Arc<AwsCredential>,
    fresh_until: Option<SystemTime>,
}

impl BucketCredentials {
    /// Long enough for a call with all its attempts.
    const MARGIN: Duration = Duration::from_secs(120);

    fn new(provider: SharedCredentialsProvider) -> Self {
        BucketCredentials {
            provider,
            kept: tokio::sync::Mutex::default(),
            time: SharedTimeSource::new(SystemTimeSource::new()),
        }
    }
}

impl fmt::Debug for BucketCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BucketCredentials(***)")
    }
}

#[async_trait]
impl CredentialProvider for BucketCredentials {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let mut kept = self.kept.lock().await;
        if let Some(kept) = kept.as_ref()
            && kept.fresh_until.is_none_or(|until| self.time.now() < until)
        {
            return Ok(Arc::clone(&kept.credential));
        }
        let keys = self
            .provider
            .provide_credentials()
            .await
            .map_err(|error| Error::Generic {
                store: "S3",
                source: error.into(),
            })?;
        let credential = Arc::new(AwsCredential {
            key_id: keys.access_key_id().to_owned(),
            secret_key: keys.secret_access_key().to_owned(),
            token: keys.session_token().map(str::to_owned),
        });
        let fresh_until = keys
            .expiry()
            .map(|expiry| expiry.checked_sub(Self::MARGIN).unwrap_or(expiry));
        *kept = Some(Kept {
            credential: Arc::clone(&credential),
            fresh_until,
        });
        Ok(credential)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_credential_types::provider::error::CredentialsError;
    use aws_credential_types::provider::future;
    use aws_smithy_async::time::TimeSource;
    use std::sync::Mutex;

    /// A clock that stands still until it is set.
    #[derive(Debug, Clone)]
    struct ManualTime(Arc<Mutex<SystemTime>>);

    impl ManualTime {
        fn new(time: SystemTime) -> Self {
            ManualTime(Arc::new(Mutex::new(time)))
        }

        fn set_time(&self, time: SystemTime) {
            *self.0.lock().unwrap() = time;
        }
    }

    impl TimeSource for ManualTime {
        fn now(&self) -> SystemTime {
            *self.0.lock().unwrap()
        }
    }

    #[test]
    fn endpoints_follow_partition_and_bucket_name() {
        let cases = [
            (
                "state",
                "eu-central-1",
                "https://state.s3.eu-central-1.amazonaws.com",
                true,
            ),
            (
                "state",
                "cn-north-1",
                "https://state.s3.cn-north-1.amazonaws.com.cn",
                true,
            ),
            (
                "my.state",
                "eu-central-1",
                "https://s3.eu-central-1.amazonaws.com",
                false,
            ),
            (
                "Old_State",
                "us-east-1",
                "https://s3.us-east-1.amazonaws.com",
                false,
            ),
        ];
        for (bucket, region, url, is_virtual) in cases {
            assert_eq!(aws_endpoint(bucket, region), (url.to_owned(), is_virtual));
        }
    }

    /// Hands out a new key each time; `lifetimes` are those of the keys.
    #[derive(Debug)]
    struct Provider {
        lifetimes: Mutex<Vec<Option<Duration>>>,
    }

    impl ProvideCredentials for Provider {
        fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let mut lifetimes = self.lifetimes.lock().unwrap();
            let number = lifetimes.len();
            let result = match lifetimes.pop() {
                Some(lifetime) => {
                    let expiry = lifetime.map(|lifetime| SystemTime::UNIX_EPOCH + lifetime);
                    Ok(aws_credential_types::Credentials::new(
                        format!("key-{number}"),
                        "s",
                        None,
                        expiry,
                        "test",
                    ))
                }
                None => Err(CredentialsError::not_loaded("log in again")),
            };
            future::ProvideCredentials::ready(result)
        }
    }

    #[tokio::test]
    async fn credentials_are_kept_until_shortly_before_they_expire() {
        let hour = Duration::from_secs(3600);
        let time = ManualTime::new(SystemTime::UNIX_EPOCH);
        let provider = Provider {
            lifetimes: Mutex::new(vec![Some(hour * 2), Some(hour)]),
        };
        let credentials = BucketCredentials {
            time: SharedTimeSource::new(time.clone()),
            ..BucketCredentials::new(SharedCredentialsProvider::new(provider))
        };
        let key = async || {
            credentials
                .get_credential()
                .await
                .map(|found| found.key_id.clone())
        };
        assert_eq!(key().await.unwrap(), "key-2");
        time.set_time(SystemTime::UNIX_EPOCH + hour - BucketCredentials::MARGIN - Duration::from_secs(1));
        assert_eq!(key().await.unwrap(), "key-2");
        time.set_time(SystemTime::UNIX_EPOCH + hour - BucketCredentials::MARGIN);
        assert_eq!(key().await.unwrap(), "key-1");
        time.set_time(SystemTime::UNIX_EPOCH + hour * 2);
        assert_eq!(root_cause(&key().await.unwrap_err()), "log in again");
        assert!(!format!("{credentials:?}").contains("key-"));
    }
}
