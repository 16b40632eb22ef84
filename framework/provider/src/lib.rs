//! A provider framework for CloudFormation custom resources: always an answer, exactly one, no effect twice.
//!
//! Implement [`CustomResource`] for a type of yours, put it into a [`Provider`], and give the provider the events
//! of two functions. The first, `on_event`, is what CloudFormation invokes. The second, `is_complete`, is invoked
//! by a state machine for what takes longer, and by whatever notices that something died.
//!
//! ```text
//! CloudFormation -> on_event -----------------------------------> answer
//!                      | Progress::Pending                           ^
//!                      v                                             |
//!                   waiter -> is_complete -> poll -> Progress::Done -+
//!                                  ^------- Progress::Pending
//! ```
//!
//! What is not here: a network, AWS, a clock. They come in through the [`ports`]; [`fakes`] has them in memory.
//! Nor does the crate know any resource type. Handlers over plain JSON, as CDK has them, are in [`json`].
//!
//! ```
//! use async_trait::async_trait;
//! use formwork_provider::fakes::Fakes;
//! use formwork_provider::ports::Clock;
//! use formwork_provider::{
//!     Context, Create, CustomResource, Delete, Failure, Invocation, Outcome, Progress, Provider, Update,
//! };
//! use serde::Deserialize;
//!
//! struct Greeting;
//!
//! #[derive(Deserialize)]
//! #[serde(rename_all = "PascalCase", deny_unknown_fields)]
//! struct Properties {
//!     name: String,
//!     times: usize, // CloudFormation sends "2"
//! }
//!
//! #[async_trait]
//! impl CustomResource for Greeting {
//!     type Properties = Properties;
//!     type State = ();
//!
//!     async fn create(&self, request: Create<Properties>, _cx: &Context) -> Result<Progress<()>, Failure> {
//!         let Properties { name, times } = request.properties;
//!         if name.is_empty() {
//!             return Err(Failure::new("`Name` is empty"));
//!         }
//!         let text = format!("hello {name} ").repeat(times);
//!         Ok(Progress::Done(Outcome::new().with_id(name).with_value("Text", text.trim_end())))
//!     }
//!
//!     async fn update(&self, request: Update<Properties>, cx: &Context) -> Result<Progress<()>, Failure> {
//!         self.create(Create { head: request.head, properties: request.properties }, cx).await
//!     }
//!
//!     async fn delete(&self, _request: Delete<Properties>, _cx: &Context) -> Result<Progress<()>, Failure> {
//!         Ok(Progress::Done(Outcome::new()))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let fakes = Fakes::new();
//! let provider = Provider::builder(fakes.ports()).resource("Custom::Greeting", Greeting).build();
//! let event = serde_json::json!({
//!     "RequestType": "Create",
//!     "ResponseURL": "https://bucket.s3.amazonaws.com/answer",
//!     "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/5b918d10",
//!     "RequestId": "7bfe2d54",
//!     "LogicalResourceId": "Hello",
//!     "ResourceType": "Custom::Greeting",
//!     "ResourceProperties": { "Name": "Ada", "Times": "2" },
//! });
//! let deadline = fakes.clock.now() + std::time::Duration::from_secs(60);
//! provider.on_event(event, Invocation { deadline, log_stream: None }).await.unwrap();
//! assert_eq!(fakes.sender.bodies()[0]["Data"]["Text"], "hello Ada hello Ada");
//! # });
//! ```
#![deny(missing_docs)]

mod context;
mod flow_error;
mod outcome;
pub mod ports;
mod provider;
mod resource;

mod answer;
mod erased;
mod is_complete;
mod on_event;
mod operate;
mod record;
mod tombstone;
mod turn;
mod verdict;
mod wait_event;

pub mod conformance;
pub mod fakes;
pub mod json;

pub use context::Context;
pub use flow_error::FlowError;
pub use outcome::{Failure, Outcome, Progress};
pub use provider::{Invocation, Ports, Provider, ProviderBuilder};
pub use resource::{Create, CustomResource, Delete, Head, Poll, Update};
pub use turn::{CREATE_FAILED_ID, MISSING_ID};

pub use formwork_protocol::RequestType;
pub use formwork_protocol::properties::{DecodeError, DecodeErrors};
