//! A real account: region, credentials and endpoints as every AWS tool finds them.

use crate::terminal::Failure;
use aws_config::BehaviorVersion;
use aws_credential_types::provider::ProvideCredentials;
use formwork_aws::{Connection, Credentials, Http};
use std::error::Error;

/// Where the functions keep deployments; the command uses the same unless `--state-url` says otherwise.
const STATE_URL: &str = "FORMWORK_STATE_URL";

/// The account that environment and profile name. Its credentials are asked for at once, so that a command
/// without any says so before it does anything.
pub async fn connection(http: &Http) -> Result<Connection, Failure> {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http.clone())
        .load()
        .await;
    let Some(region) = config.region() else {
        return Err(Failure::usage_with_hint(
            "there is no region",
            "set `AWS_REGION`, or `region` in the profile that `AWS_PROFILE` names",
        ));
    };
    let Some(provider) = config.credentials_provider() else {
        return Err(no_credentials("none are configured"));
    };
    if let Err(error) = provider.provide_credentials().await {
        return Err(no_credentials(&reason(&error)));
    }
    let mut connection = Connection::new(region.to_string(), Credentials::provider(provider));
    connection.endpoints =
        formwork_handlers::endpoints(variable).map_err(|error| Failure::usage(error.0.join("; ")))?;
    if connection.endpoints.all.is_none() {
        connection.endpoints.all = config.endpoint_url().map(str::to_owned);
    }
    Ok(connection)
}

/// Where deployments are stored: as given, or as the functions are told.
pub fn state_url(given: Option<&str>) -> Result<String, Failure> {
    given
        .map(str::to_owned)
        .or_else(|| variable(STATE_URL))
        .ok_or_else(|| {
            Failure::usage_with_hint(
                "it is not said where deployments are stored",
                "give `--state-url s3://bucket/prefix` (or `file:///folder`), or set `FORMWORK_STATE_URL`",
            )
        })
}

fn no_credentials(why: &str) -> Failure {
    Failure::usage_with_hint(
        format!("there are no credentials: {why}"),
        "sign in with `aws sso login`, name a profile with `AWS_PROFILE`, or set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
    )
}

/// What lies at the bottom of an error: the layers above say only that there is one.
fn reason(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => reason(source),
        None => error.to_string(),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the CLI is one of the two packages that read the environment"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
