//! One HTTP client for everything: its connection pool, its trust store (2 ms to load), its limits.

use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use object_store::client::{HttpErrorKind, HttpService};
use std::error::Error;
use std::time::Duration;

/// The HTTP client that the SDK clients, object storage and the response PUT share. Cheap to clone.
///
/// HTTP/1.1, rustls on ring with the system's trust store. It follows no redirect: no AWS service answers
/// with one, and a response PUT must not go where it was not sent. It uses no proxy, because it does not
/// read the environment.
#[derive(Debug, Clone)]
pub struct Http(reqwest::Client);

/// The HTTP client could not be made: the system has no trust store, for example.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be made: {0}")]
pub struct HttpError(#[source] reqwest::Error);

impl Http {
    /// How long opening a connection may take, TLS included.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

    /// No answer of ours is silent for longer: the safety net below the limits of each call.
    const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);

    /// Services close idle connections after this or later; a frozen Lambda must not wake with dead ones.
    const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

    /// Makes the client. Opens no connection.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new() -> Result<Self, HttpError> {
        // An error says that a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Self::CONNECT_TIMEOUT)
            .read_timeout(Self::SILENCE_TIMEOUT)
            .pool_idle_timeout(Self::IDLE_TIMEOUT)
            .build()
            .map(Http)
            .map_err(HttpError)
    }

    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.0
    }
}

/// The SDK asks for a connector with its own limit on the wait for an answer.
impl HttpClient for Http {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Connector {
            client: self.0.clone(),
            answer_timeout: settings.read_timeout(),
        })
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        Some(ConnectorMetadata::new("reqwest", None))
    }
}

#[derive(Debug)]
struct Connector {
    client: reqwest::Client,
    answer_timeout: Option<Duration>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.client.clone();
        let answer_timeout = self.answer_timeout;
        HttpConnectorFuture::new(async move {
            let send = send(client, request);
            match answer_timeout {
                None => send.await,
                Some(limit) => tokio::time::timeout(limit, send)
                    .await
                    .unwrap_or_else(|elapsed| Err(ConnectorError::timeout(elapsed.into()))),
            }
        })
    }
}

async fn send(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let request = request
        .try_into_http1x()
        .map_err(|error| ConnectorError::user(error.into()))?;
    let (parts, body) = request.into_parts();
    let body = match body.bytes() {
        Some(bytes) => reqwest::Body::from(bytes.to_vec()),
        None => reqwest::Body::wrap(body),
    };
    let response = client
        .request(parts.method, parts.uri.to_string())
        .headers(parts.headers)
        .body(body)
        .send()
        .await
        .map_err(connector_error)?;
    let (parts, body) = http::Response::<reqwest::Body>::from(response).into_parts();
    HttpResponse::try_from(http::Response::from_parts(parts, SdkBody::from_body_1_x(body)))
        .map_err(|error| ConnectorError::other(error.into(), None))
}

fn connector_error(error: reqwest::Error) -> ConnectorError {
    let error = error.without_url();
    if error.is_timeout() {
        ConnectorError::timeout(error.into())
    } else if error.is_builder() {
        ConnectorError::user(error.into())
    } else {
        ConnectorError::io(error.into())
    }
}

/// The same client as object storage wants it, with a limit on the wait for an answer: `object_store`
/// leaves limits to the client it is given.
#[derive(Debug, Clone)]
pub(crate) struct StorageConnector {
    client: reqwest::Client,
    answer_timeout: Duration,
}

impl StorageConnector {
    pub(crate) fn new(http: &Http, answer_timeout: Duration) -> Self {
        StorageConnector {
            client: http.0.clone(),
            answer_timeout,
        }
    }
}

impl object_store::client::HttpConnector for StorageConnector {
    fn connect(
        &self,
        _: &object_store::ClientOptions,
    ) -> object_store::Result<object_store::client::HttpClient> {
        Ok(object_store::client::HttpClient::new(self.clone()))
    }
}

#[async_trait::async_trait]
impl HttpService for StorageConnector {
    async fn call(
        &self,
        mut request: object_store::client::HttpRequest,
    ) -> Result<object_store::client::HttpResponse, object_store::client::HttpError> {
        if request.method() == http::Method::DELETE
            && let Ok(condition) = IF_MATCH.try_with(Clone::clone)
        {
            // Signatures cover the host and S3's own headers; this one may be added.
            request.headers_mut().insert(http::header::IF_MATCH, condition);
        }
        tokio::time::timeout(self.answer_timeout, self.client.call(request))
            .await
            .unwrap_or_else(|elapsed| {
                Err(object_store::client::HttpError::new(
                    HttpErrorKind::Timeout,
                    elapsed,
                ))
            })
    }
}

tokio::task_local! {
    static IF_MATCH: http::HeaderValue;
}

/// Makes the DELETE within some work of object storage a conditional one, for which `object_store` has no option.
pub(crate) async fn if_match<T>(version: &str, work: impl Future<Output = T>) -> T {
    match http::HeaderValue::from_str(version) {
        Ok(condition) => IF_MATCH.scope(condition, work).await,
        Err(_) => work.await,
    }
}

/// The innermost cause of an error: the outer ones say little more than "request failed".
pub(crate) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
