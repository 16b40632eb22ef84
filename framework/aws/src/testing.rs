//! A local server for tests that answers as it is told and remembers what it was asked.

use crate::{Connection, Credentials, Http};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::ready;
use std::sync::{Arc, LazyLock, Mutex};
use tokio::net::{TcpListener, TcpSocket};

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path_and_query: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Serves until the test's runtime ends.
    pub(crate) async fn start(answer: impl FnMut(&Seen) -> Response + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(Mutex::new(answer));
        let record = Arc::clone(&seen);
        let app = Router::new().fallback(move |request: Request| {
            let (record, answer) = (Arc::clone(&record), Arc::clone(&answer));
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let request = Seen {
                    method: parts.method,
                    path_and_query: parts.uri.to_string(),
                    headers: parts.headers,
                    body: body.to_vec(),
                };
                record.lock().unwrap().push(request.clone());
                let answer = answer.lock().unwrap()(&request);
                ready(answer).await
            }
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        Server { url, seen }
    }

    /// Gives these answers in turn; whoever asks more often gets status 418.
    pub(crate) async fn answering<const N: usize>(answers: [(u16, &str); N]) -> Self {
        let mut answers: VecDeque<_> = answers.map(|(status, body)| (status, body.to_owned())).into();
        Server::start(move |_| match answers.pop_front() {
            Some((status, body)) => response(status, body),
            None => response(418, String::new()),
        })
        .await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn connection(&self) -> Connection {
        connection(&self.url)
    }
}

pub(crate) fn response(status: u16, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

pub(crate) fn connection(url: &str) -> Connection {
    Connection::new(
        "eu-central-1",
        Credentials::keys("AKIDEXAMPLE", "secret-key", None),
    )
    .with_endpoint(url)
}

pub(crate) fn http() -> Http {
    keep_listening();
    Http::new().unwrap()
}

/// A port where nobody listens. It is taken as long as the socket lives, so that no other test's server gets it.
pub(crate) fn closed_port() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    (socket, url)
}

/// A server that takes connections and never answers.
pub(crate) async fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    url
}

/// While there is one subscriber at most, tracing asks only the thread on which an event happens first whether it
/// interests anybody, and remembers that for all threads. From here on there are always two.
fn keep_listening() {
    static KEPT: LazyLock<[tracing::Dispatch; 2]> = LazyLock::new(|| {
        let everything = || tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE);
        [0, 1].map(|_| tracing::Dispatch::new(everything().with_writer(std::io::sink).finish()))
    });
    LazyLock::force(&KEPT);
}

/// Everything that is logged on this thread, at every level, while the guard lives.
pub(crate) fn log() -> (Log, tracing::subscriber::DefaultGuard) {
    keep_listening();
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
