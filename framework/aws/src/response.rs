//! The response PUT.

use crate::http::{Http, root_cause};
use async_trait::async_trait;
use formwork_protocol::{ResponseBody, ResponseUrl};
use formwork_provider::ports::{ResponseSender, SendError};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// How long one attempt may take, connecting included.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where CloudFormation's presigned URLs point to.
const AWS_DOMAINS: [&str; 2] = [".amazonaws.com", ".amazonaws.com.cn"];

/// Sends response documents, to AWS and to the hosts it was given, and to nobody else: an event is input,
/// and its ResponseURL must not make us call a server inside the network.
///
/// # Guarantees
/// One PUT per call, without redirects, with the path and query of the URL, an empty `content-type` (the
/// signature of a presigned URL covers it) and the exact `content-length`. No error and no log line holds
/// the URL.
#[derive(Debug, Clone)]
pub struct ResponsePut {
    http: Http,
    allowed: Vec<AllowedHost>,
}

impl ResponsePut {
    /// Makes the sender; `allowed` hosts come on top of AWS's own and may be plain http.
    pub fn new(http: &Http, allowed: impl IntoIterator<Item = AllowedHost>) -> Self {
        ResponsePut {
            http: http.clone(),
            allowed: allowed.into_iter().collect(),
        }
    }

    fn judge(&self, text: &str) -> Result<Url, SendError> {
        let refused = |problem: &str| Err(SendError::Refused(problem.to_owned()));
        let Ok(url) = Url::parse(text) else {
            return refused("it is not a URL");
        };
        let is_plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return refused("its scheme is neither https nor http"),
        };
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return refused("it has no host");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refused("it has a user name");
        }
        if self.allowed.iter().any(|allowed| allowed.admits(host, port)) {
            return Ok(url);
        }
        if !AWS_DOMAINS.iter().any(|domain| host.ends_with(domain)) {
            return refused("its host is not allowed");
        }
        if is_plain {
            refused("plain http is not allowed for its host")
        } else {
            Ok(url)
        }
    }
}

#[async_trait]
impl ResponseSender for ResponsePut {
    async fn put(&self, url: &ResponseUrl, body: &ResponseBody) -> Result<(), SendError> {
        let url = self.judge(url.expose())?;
        let answer = self
            .http
            .client()
            .put(url)
            .timeout(ATTEMPT_TIMEOUT)
            .header(CONTENT_TYPE, HeaderValue::from_static(""))
            .body(body.as_bytes().to_vec())
            .send()
            .await;
        match answer {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(SendError::Status(answer.status().as_u16())),
            Err(error) => Err(SendError::Network(network_problem(error.without_url()))),
        }
    }
}

fn network_problem(error: reqwest::Error) -> String {
    match (error.is_timeout(), error.is_connect()) {
        (true, true) => "connecting took too long".into(),
        (true, false) => "no answer within 10 s".into(),
        (false, true) => format!("connecting failed: {}", root_cause(&error)),
        (false, false) => root_cause(&error),
    }
}

/// A host that responses may be sent to: `host` on any port, or `host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    fn admits(&self, host: &str, port: u16) -> bool {
        self.host == host && self.port.is_none_or(|allowed| allowed == port)
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(&self.host),
        }
    }
}

/// A text that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no host, expected `host` or `host:port`")]
pub struct AllowedHostError(String);

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    /// Reads `host` or `host:port`, an IPv6 address in brackets.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || AllowedHostError(text.to_owned());
        let has_port = !text.ends_with(']') && text.contains(':');
        // A URL's own reading of the host makes both sides of the comparison alike (case, IPv6, IDN).
        let url = Url::parse(&format!("http://{text}/")).map_err(|_| error())?;
        let host = url.host_str().ok_or_else(error)?.to_owned();
        let is_bare = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
            && !text.contains(['/', '\\', '@', '*', ' ', '\t', '\n', '\r'])
            && !text.ends_with(':');
        let port = has_port.then(|| url.port_or_known_default()).flatten();
        if is_bare {
            Ok(AllowedHost { host, port })
        } else {
            Err(error())
        }
    }
}

#[cfg(test)]
mod tests;
