//! The composition root: settings from the environment, adapters from settings, and the custom resources
//! that Formwork serves.
//!
//! ```text
//! Settings ──> App ──> Provider (flows on_event, is_complete)
//!                          └── Custom::Blueprint ──> Engine ──> Cloud Control, state store
//! ```
//!
//! The two Lambda functions (`src/bin`) and `formwork run` build the same [`App`]; only where its
//! settings come from differs.

mod app;
pub mod blueprint;
mod emf;
pub mod lambda;
mod log;
mod operator;
mod settings;
mod telemetry;

pub use app::App;
pub use settings::{DEFAULT_MAX_CONCURRENCY, DEFAULT_POLL_WINDOW, Settings, SettingsError, endpoints};

/// The waiter's definition as it is deployed (Amazon States Language, with the substitution
/// `${IsCompleteFunctionArn}`).
pub const WAITER_DEFINITION: &str = include_str!("../waiter.asl.json");
