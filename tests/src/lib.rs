//! What the end-to-end tests stand on: the real Lambda binaries as child processes, everything around
//! them in this process.
//!
//! ```text
//!  World ── Sandbox                         Cloud Control, S3, Step Functions, the response sink
//!    │         └─ runs handlers/waiter.asl.json ──┐ invokes
//!    ├── Function on_event                        │
//!    └── Function is_complete  <──────────────────┘
//!           └── Environment ── child process + its own Runtime API
//! ```
//!
//! A [`Function`] behaves as Lambda does: it starts an execution environment when none is idle, kills
//! one that runs out of time, replaces one that died, retries asynchronous invocations twice and then
//! hands them to the on-failure destination.
//! A [`World`] puts the two functions beside a sandbox and checks, at its end, what must hold after
//! every scenario: one answer per request, and nothing secret anywhere.
//!
//! ```no_run
//! # async fn example() {
//! use formwork_tests::{Setup, World};
//!
//! let world = World::start(Setup::default()).await;
//! let event = world.event("create.json");
//! world.send(&event).await;
//! assert_eq!(world.answer(&event).await["Status"], "SUCCESS");
//! world.finish().await;
//! # }
//! ```
//!
//! A panic is how a scenario fails, so this crate unwraps.
#![warn(missing_docs)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code, in a library so that scenarios, harness tests and benchmark share it"
)]

pub mod binaries;
pub mod clock;
mod environment;
pub mod events;
mod function;
pub mod kills;
pub mod leaks;
pub mod logs;
mod runtime_api;
mod setup;
mod story;
mod world;

pub use environment::{Environment, Log};
pub use function::{Death, Doom, Function, FunctionSetup, InvocationError};
pub use setup::{Setup, usual_variables};
pub use world::{SECRET_VARIABLE, World, eventually};

/// The region everything is in.
pub const REGION: &str = "eu-west-1";
/// The account everything belongs to.
pub const ACCOUNT: &str = "123456789012";

/// The ARN of a function.
#[must_use]
pub fn function_arn(name: &str) -> String {
    format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}")
}
