//! The wire: one port, every service.
//!
//! What a request is for is told by its target header (Cloud Control, Step Functions), its form body
//! (CloudFormation), or its path (response documents, the page for people, S3 for the rest).

mod json;
mod page;
mod query;
mod responses;
mod s3;
mod xml;

use crate::fault::{Call, Effect, Target};
use crate::world::{LoggedCall, World};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header};
use axum::serve::ListenerExt;
use bytes::Bytes;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Serves until told to stop.
pub(crate) async fn serve(listener: TcpListener, world: Arc<World>, stopped: oneshot::Receiver<()>) {
    let listener = listener.tap_io(|stream| {
        // Small answers at once.
        let _ = stream.set_nodelay(true);
    });
    let app = Router::new().fallback(handle).with_state(world);
    let done = axum::serve(listener, app).with_graceful_shutdown(async move {
        // A dropped sender means the same.
        let _ = stopped.await;
    });
    if let Err(error) = done.await {
        tracing::warn!(%error, "the sandbox stopped listening");
    }
}

/// The largest request body: S3's limit for a single PUT is far beyond what anybody keeps here.
const LARGEST_BODY: usize = 64 * 1024 * 1024;

/// A request, read whole.
pub(crate) struct Exchanged {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Exchanged {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

async fn handle(State(world): State<Arc<World>>, request: Request<Body>) -> Response<Body> {
    let response = answer(&world, request).await;
    if response.extensions().get::<NeverSent>().is_some() {
        let _counted = world.hanging();
        // Until the caller hangs up.
        std::future::pending::<()>().await;
    }
    response
}

async fn answer(world: &Arc<World>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return empty(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let call = Exchanged {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        body,
    };
    let target = call.header("x-amz-target").map(String::from);
    if let Some((service, operation)) = target.as_deref().and_then(|target| target.split_once('.')) {
        return json::handle(world, service, operation, &call);
    }
    let form = call
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let path = call.uri.path();
    if form && call.method == Method::POST && path == "/" {
        query::handle(world, &call)
    } else if path.starts_with(crate::sink::ROOT) {
        responses::handle(world, &call)
    } else if path == "/_sandbox" || path.starts_with("/_sandbox/") {
        page::handle(world)
    } else {
        s3::handle(world, &call)
    }
}

/// What the faults make of an exchange.
enum Exchange {
    /// It takes place.
    Normal,
    /// It takes place, and its answer is lost.
    AnswerLost(Loss),
    /// It does not take place, and there is no answer.
    Unheard,
    /// It does not take place: an error of this code and message.
    Refused(String, String),
    /// It does not take place: this status.
    Broken(StatusCode),
}

/// How an answer is lost.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Loss {
    /// The connection breaks.
    Cut,
    /// Nothing comes.
    Silence,
}

/// Marks a response that is never sent.
#[derive(Clone)]
struct NeverSent;

fn exchange(world: &World, target: Target<'_>) -> Exchange {
    match world.state().cloud.faults.take(target, Effect::on_exchange) {
        Some(Effect::LoseResponse) => Exchange::AnswerLost(Loss::Cut),
        Some(Effect::Hang { done: true }) => Exchange::AnswerLost(Loss::Silence),
        Some(Effect::Hang { done: false }) => Exchange::Unheard,
        Some(Effect::Refuse { code, message }) => Exchange::Refused(code, message),
        Some(Effect::ServerError(status)) => {
            Exchange::Broken(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        }
        _ => Exchange::Normal,
    }
}

/// No answer to a call that was not carried out.
fn unheard() -> Response<Body> {
    let mut response = empty(StatusCode::GATEWAY_TIMEOUT);
    response.extensions_mut().insert(NeverSent);
    response
}

/// An answer that breaks off, or never comes.
fn lost(loss: Loss) -> Response<Body> {
    if loss == Loss::Silence {
        let mut response = empty(StatusCode::OK);
        response.extensions_mut().insert(NeverSent);
        return response;
    }
    let broken = futures_util::stream::once(async {
        Err::<Bytes, _>(std::io::Error::new(
            std::io::ErrorKind::ConnectionReset,
            "lost on purpose",
        ))
    });
    respond(
        StatusCode::OK,
        &[(header::CONTENT_LENGTH.as_str(), "64")],
        Body::from_stream(broken),
    )
}

fn log(world: &World, call: Call, subject: &str, response: &Response<Body>) {
    let at = world.now();
    let status = response.status().as_u16();
    tracing::debug!(call = call.name(), subject, status, "answered");
    world.state().log.push(LoggedCall {
        at,
        call,
        subject: subject.to_owned(),
        status,
    });
}

fn empty(status: StatusCode) -> Response<Body> {
    respond(status, &[], Body::empty())
}

fn respond(status: StatusCode, headers: &[(&str, &str)], body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    for (name, value) in headers {
        let name = header::HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, header::HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
