//! Plan and deployment of a blueprint: a pure stepper, and a thin driver around it.
//!
//! An [`Order`] says what an instance is to become: deployed from a [`Target`], or destroyed. The [`Engine`]
//! writes it into the instance's [`Deployment`], one versioned document, and carries it on in as many pieces
//! as it takes, from as many processes as there are, until it is done.
//!
//! ```text
//! begin(order) -> Generation      check the target, write it down
//! advance(generation, until) -> Again(after) | Done(outcome) | Superseded
//!   load -> step -> save -> call the cloud -> step -> ...
//! settle(generation)              the outcome was delivered: erase inputs and secrets
//! ```
//!
//! All decisions are made by the stepper, which knows no network and no clock, in `step`; `drive` carries
//! them out through the [`ports`]. What it needs of the outside are a cloud ([`ports::Cloud`]), a store with
//! conditional writes ([`ports::StateStore`]), resource schemas ([`ports::SchemaSource`]), a clock
//! ([`ports::Clock`]), and somebody who watches ([`Observer`]). [`fakes`] has all of them in memory,
//! [`conformance`] what an implementation has to keep.
//!
//! It has never heard of CloudFormation, knows no AWS client, reads no environment and tells no time of its
//! own.
//!
//! # Example
//! ```
//! use formwork_blueprint::Source;
//! use formwork_engine::fakes::{MemorySchemas, MemoryStore, SimCloud, VirtualClock};
//! use formwork_engine::ports::Clock;
//! use formwork_engine::{Adapters, Advance, Engine, Goal, Limits, NoObserver, Order, Target};
//! use std::sync::Arc;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
//! # runtime.block_on(async {
//! let schema = r#"{"typeName": "Example::Test::Thing", "description": "a thing",
//!     "properties": {"Id": {"type": "string"}, "Size": {"type": "integer"}}, "additionalProperties": false,
//!     "primaryIdentifier": ["/properties/Id"], "readOnlyProperties": ["/properties/Id"],
//!     "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "delete": {"permissions": []}}}"#;
//! let blueprint = r#"
//! version: 2023-04-20
//! resources:
//!   box:
//!     type: "Example::Test::Thing"
//!     spec:
//!       size: 3
//! exports:
//!   box:
//!     type: string
//!     field: resources.box.state.id
//! "#;
//! let clock = VirtualClock::starting_at("2026-01-01T00:00:00Z".parse()?);
//! let adapters = Adapters {
//!     cloud: Arc::new(SimCloud::new(clock.clone())),
//!     store: Arc::new(MemoryStore::new()),
//!     schemas: Arc::new(MemorySchemas::parse([schema])?),
//!     clock: Arc::new(clock.clone()),
//!     observer: Arc::new(NoObserver),
//! };
//! let engine = Engine::new(adapters, Limits::default());
//!
//! let target = Target::new(Source::new("box.yaml", blueprint));
//! let deadline = clock.now() + jiff::SignedDuration::from_mins(5);
//! let order = Order { cause: "request-1".into(), issued: None, deadline, salt: "5a17".into(), goal: Goal::Deploy(target) };
//! let generation = engine.begin("stack/Box/1", order).await?;
//! let outcome = loop {
//!     match engine.advance("stack/Box/1", generation, clock.now() + jiff::SignedDuration::from_secs(30)).await? {
//!         Advance::Done(outcome) => break outcome,
//!         Advance::Again { after } => clock.sleep(after).await,
//!         Advance::Superseded => unreachable!("nobody else gives orders here"),
//!     }
//! };
//! assert!(outcome.succeeded);
//! assert_eq!(outcome.exports["box"].to_json(), "made-1");
//! engine.settle("stack/Box/1", generation).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

// What is asked and answered.
pub mod codes;
mod drift;
mod engine;
mod error;
mod observer;
mod order;
mod outcome;
mod plan;
mod replacement;
mod view;

// What is known before the first call.
mod desired;
mod model;
mod scope;

// What is stored, and how it is decided upon.
mod bonds;
mod classify;
mod deployment;
mod durations;
mod mask;
mod step;

// What carries it out.
mod drive;
mod kept;
mod limiter;
pub mod ports;

pub mod conformance;
pub mod fakes;

pub use deployment::{
    Deployment, FORMAT, InFlight, Phase, Resource, Stage, StoredExport, StoredGoal, StoredResult,
    StoredTarget, UpkeepError, Work,
};
pub use drift::{Difference, DriftReport, DriftStatus, ResourceDrift};
pub use durations::{Durations, Spread};
pub use engine::{Adapters, Adoption, Engine, Limits, check, check_with_children};
pub use error::{EngineError, Problem};
pub use observer::{Event, EventKind, NoObserver, Observer};
pub use order::{Generation, Goal, Order, Target};
pub use outcome::{Action, Advance, Failure, Outcome, ResourceReport, Status};
pub use plan::{Change, Note, Plan, PropertyChange, Shown, Summary};
pub use replacement::Sequence;
pub use view::{InstanceView, OperationView, ResourceView, Wait};
