//! The Lambda Runtime API of one execution environment.
//!
//! The process asks for its next invocation and waits as long as it takes; it posts a result for each.
//! Here too one environment carries out one invocation at a time.

use crate::clock;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};

/// One invocation as the process gets it.
pub(crate) struct Task {
    pub(crate) request_id: String,
    pub(crate) payload: Vec<u8>,
    pub(crate) deadline_millis: i64,
    pub(crate) function_arn: String,
    pub(crate) result: oneshot::Sender<Posted>,
}

/// What the process posted for an invocation.
pub(crate) enum Posted {
    Response(Value),
    Error { kind: String, message: String },
}

/// How far the process has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It has not asked for an invocation yet.
    Starting,
    /// It waits for an invocation.
    Idle,
    /// It has one.
    Busy,
}

/// A listening Runtime API; ends when dropped.
pub(crate) struct RuntimeApi {
    pub(crate) address: SocketAddr,
    pub(crate) tasks: mpsc::UnboundedSender<Task>,
    pub(crate) stage: watch::Receiver<Stage>,
    pub(crate) first_asked: Arc<OnceLock<Instant>>,
    server: tokio::task::JoinHandle<()>,
}

struct Shared {
    tasks: tokio::sync::Mutex<mpsc::UnboundedReceiver<Task>>,
    open: Mutex<Option<(String, oneshot::Sender<Posted>)>>,
    stage: watch::Sender<Stage>,
    first_asked: Arc<OnceLock<Instant>>,
}

impl RuntimeApi {
    pub(crate) async fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a local port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let (tasks, receiver) = mpsc::unbounded_channel();
        let first_asked = Arc::<OnceLock<Instant>>::default();
        let (sender, stage) = watch::channel(Stage::Starting);
        let shared = Arc::new(Shared {
            tasks: tokio::sync::Mutex::new(receiver),
            open: Mutex::default(),
            stage: sender,
            first_asked: first_asked.clone(),
        });
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .route("/2018-06-01/runtime/init/error", post(init_error))
            .with_state(shared);
        let listener =
            listener.tap_io(|connection| connection.set_nodelay(true).expect("a socket can be set up"));
        let server = tokio::spawn(async move {
            axum::serve(listener, router)
                .await
                .expect("serving ends with the test")
        });
        RuntimeApi {
            address,
            tasks,
            stage,
            first_asked,
            server,
        }
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn next(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    shared.first_asked.get_or_init(clock::instant);
    shared.stage.send_replace(Stage::Idle);
    let Some(task) = shared.tasks.lock().await.recv().await else {
        return Err(StatusCode::GONE);
    };
    let headers = HeaderMap::from_iter([
        header("lambda-runtime-aws-request-id", &task.request_id),
        header("lambda-runtime-deadline-ms", &task.deadline_millis.to_string()),
        header("lambda-runtime-invoked-function-arn", &task.function_arn),
        header(
            "lambda-runtime-trace-id",
            "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0",
        ),
        header("content-type", "application/json"),
    ]);
    *shared.open.lock().unwrap() = Some((task.request_id, task.result));
    shared.stage.send_replace(Stage::Busy);
    Ok((headers, task.payload))
}

fn header(name: &'static str, value: &str) -> (HeaderName, axum::http::HeaderValue) {
    (
        HeaderName::from_static(name),
        value.parse().expect("a header value is plain text"),
    )
}

async fn response(State(shared): State<Arc<Shared>>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    match serde_json::from_slice(&body) {
        Ok(value) => post_result(&shared, &id, Posted::Response(value)),
        Err(_) => StatusCode::BAD_REQUEST,
    }
}

async fn error(State(shared): State<Arc<Shared>>, Path(id): Path<String>, body: Bytes) -> StatusCode {
    post_result(&shared, &id, posted_error(&body))
}

/// A process that cannot start posts here and exits; the exit is what ends the environment.
async fn init_error(State(_): State<Arc<Shared>>) -> StatusCode {
    StatusCode::ACCEPTED
}

fn post_result(shared: &Shared, id: &str, posted: Posted) -> StatusCode {
    let mut open = shared.open.lock().unwrap();
    match open.take_if(|(open_id, _)| open_id == id) {
        Some((_, result)) => {
            // Nobody waits any more when the invocation timed out meanwhile, as in Lambda.
            let _ = result.send(posted);
            StatusCode::ACCEPTED
        }
        None => StatusCode::BAD_REQUEST,
    }
}

fn posted_error(body: &[u8]) -> Posted {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    Posted::Error {
        kind: text("errorType"),
        message: text("errorMessage"),
    }
}
