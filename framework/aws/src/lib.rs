//! The outside: what the engine and the provider flows need of AWS, over real connections.
//!
//! Every adapter is made of a [`Connection`] (where, as whom, how patiently) and the one [`Http`] client
//! they all share, and implements a port of `formwork_engine::ports` or `formwork_provider::ports`:
//!
//! | adapter | port | speaks to |
//! |---|---|---|
//! | [`CloudControl`] | `Cloud` | Cloud Control |
//! | [`TypeRegistry`] | `SchemaSource` | the bundle, then CloudFormation's type registry |
//! | [`ObjectStates`] | `StateStore` | a [`Storage`]: bucket, folder or memory |
//! | [`ObjectRequests`] | `RequestStore` | the same |
//! | [`S3Blueprints`] | `BlueprintSource` | S3 |
//! | [`StepFunctions`] | `Waiter` | Step Functions |
//! | [`ResponsePut`] | `ResponseSender` | the presigned URL of a request |
//! | [`SystemClock`] | both `Clock`s | the system's clock |
//!
//! What it is not: it decides nothing about deployments, and it does not read the environment. Making
//! adapters costs no network; SDK clients are built on their first call.
//!
//! ```
//! use formwork_aws::{CloudControl, Connection, Credentials, Http, ObjectStates, open_store};
//! use formwork_engine::ports::StateStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let http = Http::new()?;
//! let connection = Connection::new("eu-central-1", Credentials::keys("key id", "secret", None))
//!     .with_endpoint("http://127.0.0.1:4566");
//!
//! let cloud = CloudControl::new(&connection, &http);
//! let states = ObjectStates::new(open_store("memory:///", &connection, &http)?);
//!
//! let version = states.save("stack/queue/orders", b"{}".to_vec(), None).await?;
//! assert_eq!(states.load("stack/queue/orders").await?, Some((b"{}".to_vec(), version)));
//! # drop(cloud);
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod blueprints;
mod clock;
mod cloud_control;
mod connection;
mod http;
mod requests;
mod response;
mod sdk;
mod state;
mod step_functions;
mod storage;
mod type_registry;

#[cfg(test)]
mod testing;

pub use blueprints::S3Blueprints;
pub use clock::SystemClock;
pub use cloud_control::CloudControl;
pub use connection::{Connection, Credentials, Endpoints, Timeouts};
pub use http::{Http, HttpError};
pub use requests::ObjectRequests;
pub use response::{AllowedHost, AllowedHostError, ResponsePut};
pub use sdk::sdk_config;
pub use state::ObjectStates;
pub use step_functions::StepFunctions;
pub use storage::{OpenError, Storage, open_store};
pub use type_registry::TypeRegistry;
