//! A real account: region, credentials and endpoints as every AWS tool finds them.

use crate::terminal::Failure;
use aws_config::BehaviorVersion;
use aws_credential_types::provider::ProvideCredentials;
use formwork_aws::{Connection, Credentials, Http};
use std::error::Error;

/// Where the functions keep deployments; the command uses the same unless `--state-url` says otherwise.
const STATE_URL: &str = "FORMWORK_STATE_URL";

const SIGN_IN: &str = "sign in with `aws sso login`, name a profile with `AWS_PROFILE`, or set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`";

/// The account that environment and profile name. Its credentials are asked for at once, so that a command
/// without any says so before it does anything; all that is missing is said at once.
pub async fn connection(http: &Http) -> Result<Connection, Failure> {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http.clone())
        .load()
        .await;
    let mut problems = Vec::new();
    let region = config.region().map(ToString::to_string);
    if region.is_none() {
        problems.push("there is no region: set `AWS_REGION`, or `region` in the profile".to_owned());
    }
    let provider = config.credentials_provider();
    let refused = match &provider {
        None => Some("none are configured".to_owned()),
        Some(provider) => provider
            .provide_credentials()
            .await
            .err()
            .map(|error| reason(&error)),
    };
    if let Some(why) = refused {
        problems.push(format!("there are no credentials ({why}): {SIGN_IN}"));
    }
    let endpoints = formwork_handlers::endpoints(variable);
    problems.extend(
        endpoints
            .as_ref()
            .err()
            .into_iter()
            .flat_map(|error| error.0.clone()),
    );
    let (Some(region), Some(provider), Ok(mut endpoints), true) =
        (region, provider, endpoints, problems.is_empty())
    else {
        return Err(Failure::usage(problems.join("; ")));
    };
    endpoints.all = endpoints.all.or_else(|| config.endpoint_url().map(str::to_owned));
    let mut connection = Connection::new(region, Credentials::provider(provider));
    connection.endpoints = endpoints;
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

/// What lies at the bottom of an error: the layers above say only that there is one.
fn reason(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => reason(source),
        // The first line says what, the others what was tried.
        None => {
            let text = error.to_string();
            text.lines()
                .next()
                .unwrap_or_default()
                .trim_end_matches(". Attempted:")
                .to_owned()
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the CLI is one of the two packages that read the environment"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
