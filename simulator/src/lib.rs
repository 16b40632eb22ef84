//! The whole provider in one process, under every fault, replayed from a seed.
//!
//! Real are the flows of `on_event` and `is_complete`, `Custom::Blueprint` and the engine. Simulated is what is
//! around them: CloudFormation, Lambda, Step Functions, Cloud Control, the object store, and time. A run takes a
//! stack from its creation to its deletion while calls are lost, processes killed and events delivered twice, and
//! then looks at what is left.
//!
//! ```
//! use formwork_simulator::{Mask, run};
//!
//! let report = run(7, 1, &Mask::default(), false)?;
//! assert!(report.requests >= 2);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Every decision comes from the seed, so a run can be repeated exactly, and [`shrink()`] takes back whatever a
//! failing one does not need to fail.
#![deny(missing_docs)]

mod blueprints;
mod check;
mod cloud;
mod dice;
mod functions;
mod listen;
mod process;
mod run;
mod shrink;
mod sink;
mod stack;
mod store;
mod types;
mod waiter;
mod world;

pub use dice::{Fault, Mask};
pub use run::{Report, run};
pub use shrink::shrink;
