//! The AWS SDK over the shared HTTP client, and what its errors say.

use crate::connection::{Connection, Service};
use crate::http::{Http, root_cause};
use aws_sdk_cloudcontrol::config::BehaviorVersion;
use aws_sdk_cloudcontrol::config::retry::RetryConfig;
use aws_sdk_cloudcontrol::config::timeout::TimeoutConfig;
use aws_sdk_cloudcontrol::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_async::rt::sleep::{SharedAsyncSleep, TokioSleep};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use std::error::Error;
use std::time::Duration;

/// Attempts of a call that the SDK may repeat by itself.
const ATTEMPTS: u32 = 4;

/// The configuration for any SDK client: the shared HTTP client, endpoint for all services, time limits of
/// [`crate::Timeouts::attempt`], standard retries with 4 attempts. Costs microseconds and no network.
///
/// The SDK's protection against stalled streams is off: our answers are small and each attempt has a limit.
pub fn sdk_config(connection: &Connection, http: &Http) -> SdkConfig {
    config(
        connection,
        http,
        connection.timeouts.attempt,
        connection.endpoints.all.as_deref(),
    )
}

pub(crate) fn service_config(connection: &Connection, http: &Http, service: Service) -> SdkConfig {
    config(
        connection,
        http,
        connection.timeouts.attempt_of(service),
        connection.endpoints.of(service),
    )
}

fn config(connection: &Connection, http: &Http, attempt: Duration, endpoint: Option<&str>) -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Http::CONNECT_TIMEOUT)
        .read_timeout(attempt)
        .operation_attempt_timeout(attempt)
        .operation_timeout(attempt.saturating_add(connection.timeouts.retries))
        .build();
    let mut builder = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(connection.region.clone()))
        .credentials_provider(connection.credentials.shared())
        .http_client(http.clone())
        .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
    builder.set_endpoint_url(endpoint.map(str::to_owned));
    builder.build()
}

/// What a failed SDK call comes down to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The service's error code without namespace; `Network` or `Timeout` when there was none.
    pub(crate) code: String,
    /// The service's message, or what went wrong on the way to it.
    pub(crate) message: String,
}

impl Failure {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Failure {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

impl<E> From<SdkError<E, HttpResponse>> for Failure
where
    E: ProvideErrorMetadata + Error + 'static,
{
    fn from(error: SdkError<E, HttpResponse>) -> Self {
        match &error {
            SdkError::ServiceError(answer) => answered(
                answer.err().code(),
                answer.err().message(),
                answer.raw().status().as_u16(),
            ),
            SdkError::TimeoutError(_) => Failure::new("Timeout", "no answer within the time limit"),
            SdkError::DispatchFailure(failure) if failure.is_timeout() => {
                Failure::new("Timeout", "no answer within the time limit")
            }
            SdkError::DispatchFailure(failure) if failure.is_io() => Failure::new(
                "Network",
                format!("the service could not be reached: {}", cause(&error)),
            ),
            SdkError::ResponseError(_) => Failure::new(
                "Network",
                format!("the answer could not be read: {}", cause(&error)),
            ),
            // Nothing was sent: no credentials, no endpoint for the region, an invalid input.
            _ => Failure::new(
                "ClientError",
                format!("the call could not be made: {}", cause(&error)),
            ),
        }
    }
}

/// An error answer. One without a code did not come from the service but from something in front of it,
/// and says nothing about what became of the call.
fn answered(code: Option<&str>, message: Option<&str>, status: u16) -> Failure {
    match (code, status) {
        (Some(code), _) => Failure::new(code, message.unwrap_or("the service gave no reason")),
        (None, 429) => Failure::new("ThrottlingException", "the service answered with status 429"),
        (None, 408 | 500..) => Failure::new(
            "Network",
            format!("something before the service answered with status {status}"),
        ),
        (None, _) => Failure::new(
            "UnknownError",
            message.map_or_else(
                || format!("the service answered with status {status}"),
                str::to_owned,
            ),
        ),
    }
}

fn cause<E: Error + 'static>(error: &SdkError<E, HttpResponse>) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_code_is_judged_by_its_status() {
        let cases = [
            (Some("NotFound"), Some("gone"), 400, "NotFound", "gone"),
            (
                Some("NotFound"),
                None,
                400,
                "NotFound",
                "the service gave no reason",
            ),
            (
                None,
                None,
                429,
                "ThrottlingException",
                "the service answered with status 429",
            ),
            (
                None,
                None,
                502,
                "Network",
                "something before the service answered with status 502",
            ),
            (None, Some("odd"), 400, "UnknownError", "odd"),
            (
                None,
                None,
                404,
                "UnknownError",
                "the service answered with status 404",
            ),
        ];
        for (code, message, status, expected_code, expected_message) in cases {
            assert_eq!(
                answered(code, message, status),
                Failure::new(expected_code, expected_message)
            );
        }
    }
}
