//! What the functions are told by their environment.

use formwork_aws::{AllowedHost, Connection, Credentials, Endpoints, Timeouts};
use std::time::Duration;

/// Everything the composition root needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `s3://bucket/prefix`, `file:///folder` or `memory:///`.
    pub state_url: String,
    /// The waiter's state machine; without one, what does not finish within the function fails.
    pub waiter_arn: Option<String>,
    /// Hosts a ResponseURL may name besides Amazon's own.
    pub response_hosts: Vec<AllowedHost>,
    /// How long one invocation polls before it hands over to the waiter.
    pub poll_window: Duration,
    /// How many resources one deployment works on at once.
    pub max_concurrency: usize,
    /// Whether CloudWatch metrics are written to the log.
    pub metrics: bool,
    /// Region, credentials, endpoints.
    pub connection: Connection,
}

/// How long one invocation polls unless told otherwise.
pub const DEFAULT_POLL_WINDOW: Duration = Duration::from_secs(45);
/// How many resources one deployment works on at once unless told otherwise.
pub const DEFAULT_MAX_CONCURRENCY: usize = 10;

/// Settings that are missing or wrong, all of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the function is not set up: {}", .0.join("; "))]
pub struct SettingsError(pub Vec<String>);

impl Settings {
    /// Reads the process environment (names in the README).
    ///
    /// # Errors
    /// Every setting that is missing or wrong, by name.
    #[expect(
        clippy::disallowed_methods,
        reason = "handlers is one of the two packages that read the environment"
    )]
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::from_lookup(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// The hosts a ResponseURL may name, whatever the other settings are: the answer that says what is
    /// wrong with those needs it.
    #[expect(
        clippy::disallowed_methods,
        reason = "handlers is one of the two packages that read the environment"
    )]
    pub fn response_hosts_from_env() -> Vec<AllowedHost> {
        response_hosts(|name| std::env::var(name).ok()).0
    }

    /// What is logged, as `tracing` writes its filters.
    #[expect(
        clippy::disallowed_methods,
        reason = "handlers is one of the two packages that read the environment"
    )]
    pub(crate) fn log_filter_from_env() -> String {
        std::env::var("RUST_LOG").unwrap_or_else(|_| "info".into())
    }

    /// Reads settings through `lookup`, which answers the value of a variable that is set and not empty.
    ///
    /// # Errors
    /// Every setting that is missing or wrong, by name.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let mut problems = Vec::new();
        let mut required = |name: &str, what: &str| {
            lookup(name).unwrap_or_else(|| {
                problems.push(format!("`{name}` is not set ({what})"));
                String::new()
            })
        };
        let state_url = required(
            "FORMWORK_STATE_URL",
            "expected `s3://bucket/prefix`, `file:///folder` or `memory:///`",
        );
        let region = lookup("AWS_REGION").or_else(|| lookup("AWS_DEFAULT_REGION"));
        let region =
            region.unwrap_or_else(|| required("AWS_REGION", "expected a region such as `eu-west-1`"));
        let access_key = required("AWS_ACCESS_KEY_ID", "Lambda sets it from the function's role");
        let secret_key = required("AWS_SECRET_ACCESS_KEY", "Lambda sets it from the function's role");
        if !state_url.is_empty()
            && !["s3://", "file://", "memory://"]
                .iter()
                .any(|scheme| state_url.starts_with(scheme))
        {
            problems.push(format!(
                "`FORMWORK_STATE_URL` is `{state_url}`, expected `s3://bucket/prefix`, `file:///folder` or `memory:///`"
            ));
        }
        let poll_window = whole_number(&lookup, "FORMWORK_POLL_WINDOW_SECONDS", 0..=840, &mut problems)
            .map_or(DEFAULT_POLL_WINDOW, Duration::from_secs);
        let max_concurrency = whole_number(&lookup, "FORMWORK_MAX_CONCURRENCY", 1..=1000, &mut problems)
            .and_then(|number| usize::try_from(number).ok())
            .unwrap_or(DEFAULT_MAX_CONCURRENCY);
        let metrics = match lookup("FORMWORK_METRICS").as_deref() {
            None | Some("on") => true,
            Some("off") => false,
            Some(other) => {
                problems.push(format!("`FORMWORK_METRICS` is `{other}`, expected `on` or `off`"));
                true
            }
        };
        let endpoints = endpoints(&lookup).unwrap_or_else(|strange| {
            problems.extend(strange.0);
            Endpoints::default()
        });
        let (response_hosts, strange) = response_hosts(&lookup);
        problems.extend(strange);
        if !problems.is_empty() {
            return Err(SettingsError(problems));
        }
        Ok(Settings {
            state_url,
            waiter_arn: lookup("WAITER_STATE_MACHINE_ARN"),
            response_hosts,
            poll_window,
            max_concurrency,
            metrics,
            connection: Connection {
                region,
                credentials: Credentials::keys(access_key, secret_key, lookup("AWS_SESSION_TOKEN")),
                endpoints,
                timeouts: Timeouts::default(),
            },
        })
    }
}

/// The endpoints that `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_<SERVICE>` name.
///
/// # Errors
/// Every variable that is no http or https URL, by name.
pub fn endpoints(lookup: impl Fn(&str) -> Option<String>) -> Result<Endpoints, SettingsError> {
    let mut problems = Vec::new();
    let mut endpoint = |service: &str| {
        let name = format!("AWS_ENDPOINT_URL{service}");
        let url = lookup(&name)?;
        let usable = url::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !usable {
            problems.push(format!("`{name}` is not an http or https URL"));
        }
        usable.then_some(url)
    };
    let endpoints = Endpoints {
        all: endpoint(""),
        cloudcontrol: endpoint("_CLOUDCONTROL"),
        cloudformation: endpoint("_CLOUDFORMATION"),
        sfn: endpoint("_SFN"),
        s3: endpoint("_S3"),
    };
    match problems.is_empty() {
        true => Ok(endpoints),
        false => Err(SettingsError(problems)),
    }
}

/// The hosts allowed beside Amazon's own, and what is wrong with the others.
fn response_hosts(lookup: impl Fn(&str) -> Option<String>) -> (Vec<AllowedHost>, Vec<String>) {
    let mut problems = Vec::new();
    let list = lookup("FORMWORK_RESPONSE_HOSTS").unwrap_or_default();
    let entries = list.split(',').map(str::trim).filter(|host| !host.is_empty());
    let hosts = entries
        .filter_map(|host| {
            host.parse()
                .map_err(|error| problems.push(format!("`FORMWORK_RESPONSE_HOSTS`: {error}")))
                .ok()
        })
        .collect();
    (hosts, problems)
}

fn whole_number(
    lookup: &impl Fn(&str) -> Option<String>,
    name: &str,
    range: std::ops::RangeInclusive<u64>,
    problems: &mut Vec<String>,
) -> Option<u64> {
    let text = lookup(name)?;
    match text.trim().parse::<u64>() {
        Ok(number) if range.contains(&number) => Some(number),
        _ => {
            let (low, high) = (range.start(), range.end());
            problems.push(format!(
                "`{name}` is `{text}`, expected a whole number from {low} to {high}"
            ));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const GOOD: [(&str, &str); 4] = [
        ("FORMWORK_STATE_URL", "s3://bucket/prefix"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "key"),
    ];

    fn read(changes: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let variables: HashMap<_, _> = GOOD.iter().chain(changes).copied().collect();
        Settings::from_lookup(|name| {
            variables
                .get(name)
                .filter(|value| !value.is_empty())
                .map(|value| (*value).to_owned())
        })
    }

    #[test]
    fn defaults_hold_when_only_the_required_is_set() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.poll_window, DEFAULT_POLL_WINDOW);
        assert_eq!(settings.max_concurrency, DEFAULT_MAX_CONCURRENCY);
        assert_eq!(settings.waiter_arn, None);
        assert!(settings.response_hosts.is_empty() && settings.metrics);
    }

    #[test]
    fn every_problem_is_named_at_once() {
        let error = read(&[
            ("FORMWORK_STATE_URL", "ftp://x"),
            ("AWS_REGION", ""),
            ("FORMWORK_POLL_WINDOW_SECONDS", "soon"),
            ("FORMWORK_MAX_CONCURRENCY", "0"),
            ("FORMWORK_METRICS", "some"),
            ("AWS_ENDPOINT_URL_S3", "nowhere"),
            ("FORMWORK_RESPONSE_HOSTS", "https://x/"),
        ])
        .unwrap_err();
        for name in [
            "FORMWORK_STATE_URL",
            "AWS_REGION",
            "FORMWORK_POLL_WINDOW_SECONDS",
            "FORMWORK_MAX_CONCURRENCY",
            "FORMWORK_METRICS",
            "AWS_ENDPOINT_URL_S3",
            "FORMWORK_RESPONSE_HOSTS",
        ] {
            assert!(error.to_string().contains(name), "{name} is missing in: {error}");
        }
    }

    #[test]
    fn response_hosts_are_split_and_trimmed() {
        let settings = read(&[("FORMWORK_RESPONSE_HOSTS", "127.0.0.1:9000, sink.example ,")]).unwrap();
        let hosts: Vec<String> = settings.response_hosts.iter().map(ToString::to_string).collect();
        assert_eq!(hosts, ["127.0.0.1:9000", "sink.example"]);
    }

    #[test]
    fn debug_shows_no_credentials() {
        let settings = read(&[
            ("AWS_SECRET_ACCESS_KEY", "very-secret-key"),
            ("AWS_SESSION_TOKEN", "very-secret-token"),
        ])
        .unwrap();
        assert!(!format!("{settings:?}").contains("very-secret"));
    }
}
