//! CloudFormation's conversation with a custom resource provider: what it asks, what it may be answered, and
//! the limits of both.
//!
//! This crate only reads and writes JSON. It opens no connection, knows no clock and calls no user code.
//!
//! The way of the data is [`Envelope`] (what an answer needs, read first and leniently), [`Request`] (the
//! rest, checked), [`properties::decode`] (typed properties out of CloudFormation's text scalars), and
//! [`Response`], which encodes to a [`ResponseBody`] that is never too large.
//!
//! ```
//! use formwork_protocol::{Envelope, Operation, Request, Response, properties};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! #[serde(rename_all = "PascalCase")]
//! struct Properties {
//!     size: u32,
//! }
//!
//! let event = serde_json::json!({
//!     "RequestType": "Create",
//!     "ResponseURL": "https://bucket.s3.amazonaws.com/answer?signature=x",
//!     "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/5b918d10-cd98-11ea-90d5-0a9cd3354c10",
//!     "RequestId": "7bfe2d54",
//!     "LogicalResourceId": "Volume",
//!     "ResourceType": "Custom::Volume",
//!     "ResourceProperties": { "ServiceToken": "arn:...", "Size": "42" },
//! });
//!
//! let envelope = Envelope::read(&event)?;
//! assert_eq!(envelope.instance_folder(), "5b918d10-cd98-11ea-90d5-0a9cd3354c10/Volume");
//!
//! let request = Request::parse(&event)?;
//! assert_eq!(request.operation, Operation::Create);
//! let properties: Properties = properties::decode(&request.properties)?;
//!
//! let body = Response::success(&envelope, "vol-1").with_data_value("Size", properties.size).encode()?;
//! assert!(body.as_bytes().len() <= formwork_protocol::BODY_LIMIT_BYTES);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

mod envelope;
mod identity;
mod key;
pub mod properties;
mod reason;
mod redact;
mod request;
mod response;

pub use envelope::{Envelope, EnvelopeError, ResponseUrl};
pub use identity::{PHYSICAL_ID_LIMIT_BYTES, PhysicalResourceId, PhysicalResourceIdError};
pub use key::RequestKey;
pub use redact::redact;
pub use request::{DEFAULT_SERVICE_TIMEOUT, Operation, Problem, Request, RequestError, RequestType};
pub use response::{BODY_LIMIT_BYTES, Response, ResponseBody, ResponseError, Status};
