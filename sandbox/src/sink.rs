//! Where response documents are delivered.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What was delivered to one response URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The document accepted last.
    pub body: Bytes,
    /// Every document accepted, in order.
    pub bodies: Vec<Bytes>,
    /// The Content-Type sent with the last one; `None` without such a header.
    pub content_type: Option<String>,
    /// The Content-Length sent with the last one.
    pub content_length: Option<u64>,
    /// What every PUT was answered with, refused ones included.
    pub statuses: Vec<u16>,
}

/// One PUT to a response URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The document.
    pub body: Bytes,
    /// Every header, names in lower case.
    pub headers: Vec<(String, String)>,
    /// What it was answered with.
    pub status: u16,
}

impl Received {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The path below which response URLs live.
pub(crate) const ROOT: &str = "/formwork-responses/";

/// Every PUT by its path.
#[derive(Debug, Default)]
pub(crate) struct Sink(BTreeMap<String, Vec<Received>>);

impl Sink {
    pub(crate) fn receive(&mut self, path: &str, received: Received) {
        self.0.entry(path.to_owned()).or_default().push(received);
    }

    pub(crate) fn received(&self, path: &str) -> &[Received] {
        self.0.get(path).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn delivery(&self, path: &str) -> Option<Delivery> {
        let received = self.received(path);
        let accepted: Vec<&Received> = received.iter().filter(|one| one.status < 300).collect();
        let last = accepted.last()?;
        Some(Delivery {
            body: last.body.clone(),
            bodies: accepted.iter().map(|one| one.body.clone()).collect(),
            content_type: last.header("content-type").map(String::from),
            content_length: last.header("content-length").and_then(|text| text.parse().ok()),
            statuses: received.iter().map(|one| one.status).collect(),
        })
    }
}

/// The path and query of a response URL, in the form of a presigned S3 URL.
pub(crate) fn signed_path(id: &str, time: &str) -> String {
    let path = format!("{ROOT}{id}");
    let signature = signature(&path);
    format!(
        "{path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={time}&X-Amz-SignedHeaders=host&X-Amz-Expires=7200\
         &X-Amz-Credential=AKIA%2F{date}%2Fs3%2Faws4_request&X-Amz-Signature={signature}",
        date = time.split('T').next().unwrap_or_default(),
    )
}

/// The one signature that opens a path. It depends on nothing else, so that a URL outlives the process.
pub(crate) fn signature(path: &str) -> String {
    let digest = Sha256::new()
        .chain_update("formwork response url ")
        .chain_update(path)
        .finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a query carries the signature of its path.
pub(crate) fn is_signed(path: &str, query: &str) -> bool {
    let expected = signature(path);
    query
        .split('&')
        .any(|pair| pair.strip_prefix("X-Amz-Signature=") == Some(&expected))
}
