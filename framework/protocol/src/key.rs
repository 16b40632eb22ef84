//! The name of one request among all.

use crate::Envelope;
use sha2::{Digest, Sha256};
use std::fmt;

const HEX_CHARACTERS: usize = 32;

/// 32 hexadecimal characters of a SHA-256 over StackId, LogicalResourceId, RequestId and ResponseURL.
///
/// The URL belongs to it because CloudFormation can use a RequestId again when a deployment is retried, while
/// every request has a URL of its own, the same in each delivery. The key does not reveal the URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey(String);

impl RequestKey {
    pub(crate) fn of(envelope: &Envelope) -> Self {
        let url = Sha256::digest(envelope.response_url.expose().as_bytes());
        RequestKey(digest_hex([
            envelope.stack_id.as_bytes(),
            envelope.logical_resource_id.as_bytes(),
            envelope.request_id.as_bytes(),
            url.as_slice(),
        ]))
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Hashes parts, each behind its length: that keeps ("ab", "c") and ("a", "bc") apart.
pub(crate) fn digest_hex<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    let mut hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(HEX_CHARACTERS);
    hex
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(stack: &str, logical: &str, request: &str, url: &str) -> RequestKey {
        let event = json!({ "StackId": stack, "LogicalResourceId": logical, "RequestId": request, "ResponseURL": url });
        Envelope::read(&event).unwrap().request_key()
    }

    #[test]
    fn key_is_the_same_for_the_same_request_and_differs_in_every_part() {
        let base = key("s", "l", "r", "u");
        assert_eq!(base, key("s", "l", "r", "u"));
        assert_eq!(base.as_str().len(), HEX_CHARACTERS);
        assert!(base.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        for other in [
            key("S", "l", "r", "u"),
            key("s", "L", "r", "u"),
            key("s", "l", "R", "u"),
            key("s", "l", "r", "U"),
        ] {
            assert_ne!(base, other);
        }
        assert_ne!(key("ab", "c", "r", "u"), key("a", "bc", "r", "u"));
    }

    /// Keys name stored records: another way to compute them would orphan the open ones.
    #[test]
    fn key_is_a_promise() {
        assert_eq!(
            key("s", "l", "r", "u").as_str(),
            "e0d55b4fe87be2f1986775cce2021646"
        );
    }
}
