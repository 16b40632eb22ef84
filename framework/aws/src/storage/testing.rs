//! As much of S3 as the stores use: one bucket, `state`.

use crate::storage::{Storage, open_store};
use crate::testing::{Seen, Server, http, response};
use axum::response::Response;
use http::Method;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) struct Bucket {
    pub(crate) server: Server,
    contents: Arc<Mutex<Contents>>,
}

#[derive(Default)]
struct Contents {
    objects: BTreeMap<String, Object>,
    serial: u32,
    answers_to_lose: u32,
    is_forbidden: bool,
}

struct Object {
    bytes: Vec<u8>,
    etag: String,
    write_id: String,
}

impl Bucket {
    pub(crate) async fn start() -> Self {
        let contents = Arc::new(Mutex::new(Contents::default()));
        let served = Arc::clone(&contents);
        let server = Server::start(move |request| served.lock().unwrap().answer(request)).await;
        Bucket { server, contents }
    }

    pub(crate) fn open(&self, url: &str) -> Storage {
        open_store(url, &self.server.connection(), &http()).unwrap()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.contents().objects.keys().cloned().collect()
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        self.contents().store(key.into(), bytes.to_vec(), String::new());
    }

    /// The next PUTs take effect and are answered with status 500.
    pub(crate) fn lose_answers(&self, count: u32) {
        self.contents().answers_to_lose = count;
    }

    pub(crate) fn refuse_access(&self) {
        self.contents().is_forbidden = true;
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap()
    }
}

impl Contents {
    fn answer(&mut self, request: &Seen) -> Response {
        assert!(
            request
                .header("authorization")
                .contains("/eu-central-1/s3/aws4_request")
        );
        if self.is_forbidden {
            return error(403, "AccessDenied", "no &quot;s3:GetObject&quot;");
        }
        let url = url::Url::parse("http://s3/")
            .unwrap()
            .join(&request.path_and_query)
            .unwrap();
        let path = percent_decode(url.path());
        let path = path.trim_start_matches('/');
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        if bucket != "state" {
            return error(404, "NoSuchBucket", "it is not there");
        }
        match request.method {
            Method::PUT => self.put(key, request),
            Method::GET if key.is_empty() => {
                let query: BTreeMap<_, _> = url.query_pairs().collect();
                self.list(query.get("prefix").map_or("", |prefix| prefix.as_ref()))
            }
            Method::GET | Method::HEAD => self.get(key),
            Method::DELETE => {
                let expected = request.header("if-match");
                if self
                    .objects
                    .get(key)
                    .is_some_and(|object| object.etag != expected)
                {
                    return error(412, "PreconditionFailed", "another version");
                }
                self.objects.remove(key);
                response(204, "")
            }
            _ => error(405, "MethodNotAllowed", "no"),
        }
    }

    fn put(&mut self, key: &str, request: &Seen) -> Response {
        let found = self.objects.get(key).map(|object| object.etag.as_str());
        let (none_match, is_match) = (request.header("if-none-match"), request.header("if-match"));
        if !is_match.is_empty() && found.is_none() {
            return error(404, "NoSuchKey", "none");
        }
        if (none_match == "*" && found.is_some()) || (!is_match.is_empty() && found != Some(is_match)) {
            return error(
                412,
                "PreconditionFailed",
                "At least one of the pre-conditions did not hold",
            );
        }
        let write_id = request.header("x-amz-meta-formwork-write").to_owned();
        let etag = self.store(key.to_owned(), request.body.clone(), write_id);
        if self.answers_to_lose > 0 {
            self.answers_to_lose -= 1;
            return error(500, "InternalError", "we encountered an internal error");
        }
        let mut answer = response(200, "");
        answer.headers_mut().insert("etag", etag.parse().unwrap());
        answer
    }

    fn store(&mut self, key: String, bytes: Vec<u8>, write_id: String) -> String {
        self.serial += 1;
        let etag = format!("\"{}\"", self.serial);
        self.objects.insert(
            key,
            Object {
                bytes,
                etag: etag.clone(),
                write_id,
            },
        );
        etag
    }

    fn get(&self, key: &str) -> Response {
        let Some(object) = self.objects.get(key) else {
            return error(404, "NoSuchKey", "none");
        };
        let mut answer = response(200, object.bytes.clone());
        let headers = answer.headers_mut();
        headers.insert("etag", object.etag.parse().unwrap());
        headers.insert("last-modified", "Fri, 20 Nov 2026 12:00:00 GMT".parse().unwrap());
        headers.insert("x-amz-meta-formwork-write", object.write_id.parse().unwrap());
        answer
    }

    fn list(&self, prefix: &str) -> Response {
        let listed = self.objects.iter().filter(|(key, _)| key.starts_with(prefix)).map(|(key, object)| {
            let key = key.replace('&', "&amp;");
            let (size, etag) = (object.bytes.len(), object.etag.replace('"', "&quot;"));
            format!("<Contents><Key>{key}</Key><Size>{size}</Size><LastModified>2026-11-20T12:00:00.000Z</LastModified><ETag>{etag}</ETag></Contents>")
        });
        let listed: String = listed.collect();
        response(
            200,
            format!("<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>"),
        )
    }
}

fn error(status: u16, code: &str, message: &str) -> Response {
    response(
        status,
        format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>"),
    )
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}
