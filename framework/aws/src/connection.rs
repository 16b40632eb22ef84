//! How to reach an AWS account: region, credentials, endpoints, time limits.

use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use std::fmt;
use std::time::Duration;

/// Everything the adapters need to know about an account. Nothing here is read from the environment.
#[derive(Debug, Clone)]
pub struct Connection {
    /// `eu-central-1`
    pub region: String,
    /// Who calls.
    pub credentials: Credentials,
    /// Where to call, if not at AWS's own endpoints.
    pub endpoints: Endpoints,
    /// How long to wait.
    pub timeouts: Timeouts,
}

impl Connection {
    /// A connection to AWS's own endpoints of a region, with the default time limits.
    pub fn new(region: impl Into<String>, credentials: Credentials) -> Self {
        Connection {
            region: region.into(),
            credentials,
            endpoints: Endpoints::default(),
            timeouts: Timeouts::default(),
        }
    }

    /// Another server instead of AWS, for every service.
    #[must_use]
    pub fn with_endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoints.all = Some(url.into());
        self
    }
}

/// Who calls: access keys, or something that provides them. `Debug` shows neither.
#[derive(Clone)]
pub struct Credentials(SharedCredentialsProvider);

impl Credentials {
    /// Keys that do not change, as Lambda hands them to a function.
    pub fn keys(
        access_key_id: impl Into<String>,
        secret_access_key: impl Into<String>,
        session_token: Option<String>,
    ) -> Self {
        Credentials::provider(aws_credential_types::Credentials::new(
            access_key_id,
            secret_access_key,
            session_token,
            None,
            "formwork",
        ))
    }

    /// Keys that come from somewhere and expire (a profile, single sign-on).
    pub fn provider(provider: impl ProvideCredentials + 'static) -> Self {
        Credentials(SharedCredentialsProvider::new(provider))
    }

    pub(crate) fn shared(&self) -> SharedCredentialsProvider {
        self.0.clone()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(***)")
    }
}

/// URLs to call instead of AWS's own; that of a service beats `all`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// For every service (`AWS_ENDPOINT_URL`).
    pub all: Option<String>,
    /// Cloud Control (`AWS_ENDPOINT_URL_CLOUDCONTROL`).
    pub cloudcontrol: Option<String>,
    /// CloudFormation's type registry (`AWS_ENDPOINT_URL_CLOUDFORMATION`).
    pub cloudformation: Option<String>,
    /// Step Functions (`AWS_ENDPOINT_URL_SFN`).
    pub sfn: Option<String>,
    /// S3 (`AWS_ENDPOINT_URL_S3`).
    pub s3: Option<String>,
}

impl Endpoints {
    pub(crate) fn of(&self, service: Service) -> Option<&str> {
        let own = match service {
            Service::CloudControl => &self.cloudcontrol,
            Service::CloudFormation => &self.cloudformation,
            Service::StepFunctions => &self.sfn,
            Service::S3 => &self.s3,
        };
        own.as_deref().or(self.all.as_deref())
    }
}

/// A service we call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    CloudControl,
    CloudFormation,
    StepFunctions,
    S3,
}

/// How long calls may take. Connecting has its own limit, [`crate::Http::CONNECT_TIMEOUT`], which all
/// share: one connection pool has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// One attempt of a call that the service answers by itself (storage, type registry, Step Functions).
    /// 10 seconds.
    pub attempt: Duration,
    /// One attempt of a Cloud Control call. Reads and updates run the resource type's read handler before
    /// they answer, which may take 30 seconds. 40 seconds.
    pub handler_attempt: Duration,
    /// A call with all its attempts and the pauses between them, beyond its first attempt. 20 seconds.
    pub retries: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            attempt: Duration::from_secs(10),
            handler_attempt: Duration::from_secs(40),
            retries: Duration::from_secs(20),
        }
    }
}

impl Timeouts {
    pub(crate) fn attempt_of(&self, service: Service) -> Duration {
        match service {
            Service::CloudControl => self.handler_attempt,
            Service::CloudFormation | Service::StepFunctions | Service::S3 => self.attempt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_key() {
        let connection = Connection::new(
            "eu-central-1",
            Credentials::keys("AKIDEXAMPLE", "wJalrXUtnFEMI", Some("session-text".into())),
        );
        let text = format!("{connection:?}");
        for secret in ["AKIDEXAMPLE", "wJalrXUtnFEMI", "session-text"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("Credentials(***)"));
    }

    #[test]
    fn the_endpoint_of_a_service_beats_that_of_all() {
        let endpoints = Endpoints {
            all: Some("http://all".into()),
            s3: Some("http://s3".into()),
            ..Endpoints::default()
        };
        assert_eq!(endpoints.of(Service::S3), Some("http://s3"));
        for service in [
            Service::CloudControl,
            Service::CloudFormation,
            Service::StepFunctions,
        ] {
            assert_eq!(endpoints.of(service), Some("http://all"));
        }
        assert_eq!(Endpoints::default().of(Service::S3), None);
    }

    #[test]
    fn cloud_control_has_time_for_a_read_handler() {
        let timeouts = Timeouts::default();
        assert!(timeouts.attempt_of(Service::CloudControl) > Duration::from_secs(30));
        for service in [Service::CloudFormation, Service::StepFunctions, Service::S3] {
            assert_eq!(timeouts.attempt_of(service), timeouts.attempt);
        }
    }
}
