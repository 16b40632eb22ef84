//! A local cloud that speaks AWS's wire protocols: Cloud Control, the type registry, S3, Step Functions,
//! and a sink for CloudFormation's response documents, all on one port.
//!
//! It validates against the official resource schemas, works asynchronously, and refuses what AWS refuses
//! with AWS's own codes and texts. Signatures are accepted unchecked. It is for trying things out and for
//! tests: any AWS client pointed at [`Sandbox::endpoint`] works against it.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use formwork_sandbox::{Call, Fault, Options, Sandbox};
//!
//! let sandbox = Sandbox::start(Options::default()).await?;
//! sandbox.fault(Fault::fail("AccessDenied", "not allowed").on(Call::CreateResource).times(1));
//!
//! let url = sandbox.response_url();
//! assert!(url.starts_with(&sandbox.endpoint()));
//! assert!(sandbox.responses(&url).is_empty());
//! sandbox.stop().await;
//! # Ok(()) }
//! ```
//!
//! Inside, the cloud is plain state and rules with the time passed in; HTTP and the folder it may be kept
//! in ([`Options::dir`]) are thin layers around it. What is not there: IAM, quotas, any real service behind
//! a resource.
#![deny(missing_docs)]

pub mod asl;
mod clock;
mod cloud;
mod disk;
mod drive;
mod executions;
mod fault;
mod http;
mod options;
mod sandbox;
mod sink;
mod storage;
mod world;

pub use asl::DefinitionError;
pub use clock::{Clock, SystemClock};
pub use executions::{Execution, ExecutionStatus};
pub use fault::{Call, Effect, Fault};
pub use options::{Latency, Options};
pub use sandbox::{InvokeError, Invoker, Sandbox, SandboxError, StoredObject, StoredResource};
pub use sink::{Delivery, Received};
pub use world::LoggedCall;
