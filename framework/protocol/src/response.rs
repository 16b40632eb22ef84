//! The answer.
//!
//! # Guarantees
//! What [`Response::encode`] yields is valid JSON of at most 4,096 bytes that echoes StackId, RequestId and
//! LogicalResourceId verbatim and has a physical resource id that CloudFormation takes. An answer that breaks a
//! limit becomes FAILED and says which; nothing is trimmed silently but a FAILED answer's Reason and Data.

use crate::Envelope;
use crate::identity::PhysicalResourceId;
use crate::reason::{clean, fit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// CloudFormation's limit for a response document.
pub const BODY_LIMIT_BYTES: usize = 4096;

/// The id of last resort, should even the request's id be unfit.
const NO_ID: &str = "Formwork::NO_PHYSICAL_ID";
/// How many of the largest Data keys a too large answer names.
const NAMED_KEYS: usize = 3;
/// A Reason shorter than this tells nothing.
const SHORTEST_REASON_BYTES: usize = 16;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// It was done.
    Success,
    /// It was not.
    Failed,
}

/// An answer before it is encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// How it ended.
    pub status: Status,
    /// Why; needed when it failed.
    pub reason: Option<String>,
    /// Said at the end of a FAILED answer's Reason, behind a space; it survives when the Reason is cut.
    pub reason_end: Option<String>,
    /// The resource's id.
    pub physical_resource_id: String,
    /// The id of the FAILED answer when `physical_resource_id` is unfit. The request's id unless set.
    pub fallback_physical_resource_id: String,
    /// Echoed.
    pub stack_id: String,
    /// Echoed.
    pub request_id: String,
    /// Echoed.
    pub logical_resource_id: String,
    /// Whether CloudFormation masks what Fn::GetAtt returns.
    pub no_echo: bool,
    /// What Fn::GetAtt finds.
    pub data: Map<String, Value>,
}

/// No answer can be encoded: what has to be echoed is longer than an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the request cannot be answered: with StackId, RequestId and LogicalResourceId echoed the shortest answer \
     has {bytes} bytes, more than the {BODY_LIMIT_BYTES} allowed"
)]
pub struct ResponseError {
    /// The shortest answer's size.
    pub bytes: usize,
}

impl Response {
    /// The answer that a request was carried out.
    pub fn success(envelope: &Envelope, physical_resource_id: impl Into<String>) -> Self {
        Response {
            status: Status::Success,
            reason: None,
            reason_end: None,
            physical_resource_id: physical_resource_id.into(),
            fallback_physical_resource_id: envelope.request_id.clone(),
            stack_id: envelope.stack_id.clone(),
            request_id: envelope.request_id.clone(),
            logical_resource_id: envelope.logical_resource_id.clone(),
            no_echo: false,
            data: Map::new(),
        }
    }

    /// The answer that it was not, and why.
    pub fn failed(
        envelope: &Envelope,
        physical_resource_id: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Response {
            status: Status::Failed,
            reason: Some(reason.into()),
            ..Response::success(envelope, physical_resource_id)
        }
    }

    /// Sets Data.
    #[must_use]
    pub fn with_data(mut self, data: Map<String, Value>) -> Self {
        self.data = data;
        self
    }

    /// Adds one value to Data.
    #[must_use]
    pub fn with_data_value(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.insert(name.into(), value.into());
        self
    }

    /// Sets NoEcho.
    #[must_use]
    pub fn with_no_echo(mut self, no_echo: bool) -> Self {
        self.no_echo = no_echo;
        self
    }

    /// Sets what is said at the end of a FAILED answer's Reason.
    #[must_use]
    pub fn with_reason_end(mut self, text: impl Into<String>) -> Self {
        self.reason_end = Some(text.into());
        self
    }

    /// Sets the id of the FAILED answer that is given when the physical resource id is unfit.
    #[must_use]
    pub fn with_fallback_id(mut self, id: impl Into<String>) -> Self {
        self.fallback_physical_resource_id = id.into();
        self
    }

    /// Writes the document.
    ///
    /// A success whose Data makes it too large becomes FAILED, naming the size and the largest keys; an unfit
    /// physical resource id becomes FAILED with the fallback id. A FAILED answer that is too large loses its
    /// Data, then the end of its Reason.
    ///
    /// # Errors
    /// Only when the echoed fields alone leave no room for an answer.
    pub fn encode(&self) -> Result<ResponseBody, ResponseError> {
        let id = match PhysicalResourceId::new(self.physical_resource_id.as_str()) {
            Ok(id) => id,
            Err(problem) => {
                return self.encode_failed(self.fallback_id().as_str(), &problem.to_string(), false);
            }
        };
        if self.status == Status::Failed {
            let reason = self
                .reason
                .as_deref()
                .map(clean)
                .filter(|reason| !reason.is_empty());
            return self.encode_failed(
                id.as_str(),
                reason.as_deref().unwrap_or("the operation failed"),
                true,
            );
        }
        let reason = self
            .reason
            .as_deref()
            .map(clean)
            .filter(|reason| !reason.is_empty());
        let document = self.document(
            Status::Success,
            reason.as_deref().unwrap_or("SUCCESS"),
            id.as_str(),
            true,
        );
        let bytes = document.len();
        if bytes <= BODY_LIMIT_BYTES {
            return Ok(ResponseBody {
                bytes: document,
                status: Status::Success,
                physical_resource_id: id.into_string(),
            });
        }
        self.encode_failed(id.as_str(), &too_large(bytes, &self.data), false)
    }

    fn encode_failed(&self, id: &str, reason: &str, keep_data: bool) -> Result<ResponseBody, ResponseError> {
        let end = self
            .reason_end
            .as_deref()
            .map(clean)
            .filter(|end| !end.is_empty());
        let end = end.map(|end| format!(" {end}")).unwrap_or_default();
        let body = |bytes, id: &str| ResponseBody {
            bytes,
            status: Status::Failed,
            physical_resource_id: id.to_owned(),
        };
        if keep_data {
            let document = self.document(Status::Failed, &format!("{reason}{end}"), id, true);
            if document.len() <= BODY_LIMIT_BYTES {
                return Ok(body(document, id));
            }
        }
        let fallback = self.fallback_id();
        // Where even a short Reason finds no room the end goes first, then an id made of escapes.
        for (id, end) in [(id, end.as_str()), (id, ""), (fallback.as_str(), "")] {
            let around = self.document(Status::Failed, end, id, false).len();
            let room = BODY_LIMIT_BYTES.saturating_sub(around);
            let least = reason.len().min(SHORTEST_REASON_BYTES);
            if let Some(fitted) = fit(reason, room).filter(|_| room >= least) {
                return Ok(body(
                    self.document(Status::Failed, &format!("{fitted}{end}"), id, false),
                    id,
                ));
            }
        }
        Err(ResponseError {
            bytes: self.document(Status::Failed, "", fallback.as_str(), false).len(),
        })
    }

    fn fallback_id(&self) -> String {
        [&self.fallback_physical_resource_id, &self.request_id]
            .into_iter()
            .find_map(|id| PhysicalResourceId::new(id.as_str()).ok())
            .map_or_else(|| NO_ID.to_owned(), PhysicalResourceId::into_string)
    }

    /// Built field by field: the order is fixed, and a map of strings and values always encodes.
    fn document(&self, status: Status, reason: &str, id: &str, with_data: bool) -> Vec<u8> {
        let mut fields = Map::new();
        let status = match status {
            Status::Success => "SUCCESS",
            Status::Failed => "FAILED",
        };
        fields.insert("Status".into(), status.into());
        fields.insert("Reason".into(), reason.into());
        fields.insert("StackId".into(), self.stack_id.as_str().into());
        fields.insert("RequestId".into(), self.request_id.as_str().into());
        fields.insert("PhysicalResourceId".into(), id.into());
        fields.insert(
            "LogicalResourceId".into(),
            self.logical_resource_id.as_str().into(),
        );
        if self.no_echo {
            fields.insert("NoEcho".into(), true.into());
        }
        if with_data && !self.data.is_empty() {
            fields.insert("Data".into(), Value::Object(self.data.clone()));
        }
        Value::Object(fields).to_string().into_bytes()
    }
}

fn too_large(bytes: usize, data: &Map<String, Value>) -> String {
    let mut sizes: Vec<(usize, &str)> = data
        .iter()
        .map(|(name, value)| (value.to_string().len(), name.as_str()))
        .collect();
    sizes.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
    let largest: Vec<String> = sizes
        .iter()
        .take(NAMED_KEYS)
        // A key can itself be what is too large.
        .map(|(size, name)| format!("`{}` ({size} bytes)", fit(&clean(name), 100).unwrap_or_default()))
        .collect();
    let mut reason = format!("the response has {bytes} bytes, more than the {BODY_LIMIT_BYTES} allowed");
    if !largest.is_empty() {
        reason.push_str("; the largest Data keys are ");
        reason.push_str(&largest.join(", "));
    }
    reason
}

/// The bytes of a response document, known to be at most 4,096.
#[derive(Clone, PartialEq, Eq)]
pub struct ResponseBody {
    bytes: Vec<u8>,
    status: Status,
    physical_resource_id: String,
}

/// Masked: Data may hold secrets.
impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResponseBody({:?}, {} bytes)", self.status, self.bytes.len())
    }
}

impl ResponseBody {
    /// Takes back the bytes of an answer that was encoded earlier, such as a stored one.
    ///
    /// `None` when they are too many or no such document.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let document: Value = serde_json::from_slice(&bytes).ok()?;
        let status = Status::deserialize(document.get("Status")?).ok()?;
        let physical_resource_id = document.get("PhysicalResourceId")?.as_str()?.to_owned();
        (bytes.len() <= BODY_LIMIT_BYTES).then_some(ResponseBody {
            bytes,
            status,
            physical_resource_id,
        })
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How the request ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The id it answers.
    pub fn physical_resource_id(&self) -> &str {
        &self.physical_resource_id
    }
}

#[cfg(test)]
mod tests;
