//! CloudFormation resource type schemas: what a type is, what its properties may be, how one is updated.
//!
//! The crate carries AWS's 1,665 published schemas and answers six questions about them:
//!
//! | question | answer |
//! |---|---|
//! | which type is `aws/lambda/function`? | [`resolve_type`], [`load`] |
//! | what is its `functionArn`, what are its properties? | [`ResourceSchema::attribute`], [`ResourceSchema::properties`] |
//! | does this document fit, and how does the schema spell it? | [`ResourceSchema::conform`] |
//! | what has to be done to a resource that exists? | [`decide`], [`remember`] |
//! | would Cloud Control take a patch? | [`preflight`] |
//! | what can be done with a type, and by whom? | [`ResourceSchema::cannot_update`], [`ResourceSchema::permissions`] |
//!
//! It knows no blueprint, no network and no clock. Whoever plays Cloud Control finds its words in
//! [`ResourceSchema::validate_model`] and its pointer rules in [`expand`], [`select`], [`strip`] and
//! [`matches`](fn@matches).
//!
//! ```
//! use formwork_schema::{Decision, decide, load, remember, resolve_type};
//! use serde_json::json;
//! use std::collections::BTreeSet;
//!
//! let name = resolve_type("aws/sqs/queue")?;
//! let schema = load(&name)?.expect("a bundled type");
//!
//! // CloudFormation hands over strings, authors write camel case: the schema knows better.
//! let given = json!({"queueName": "orders", "delaySeconds": "5"});
//! let conformed = schema.conform(&given, &BTreeSet::new());
//! assert_eq!(conformed.value, json!({"QueueName": "orders", "DelaySeconds": 5}));
//! assert!(conformed.violations.is_empty());
//!
//! // The queue exists, the author wants another delay: one operation, and what AWS filled in stays.
//! let applied = remember(&schema, &conformed.value, &BTreeSet::new(), "a random salt");
//! let live = json!({"QueueName": "orders", "DelaySeconds": 5, "MaximumMessageSize": 262144});
//! let desired = json!({"QueueName": "orders", "DelaySeconds": 10});
//! let Decision::Update { patch } = decide(&schema, Some(&applied), &live, &desired) else {
//!     panic!("expected an update");
//! };
//! assert_eq!(patch.to_string(), r#"[{"op":"add","path":"/DelaySeconds","value":10}]"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Size and speed
//! The bundle adds 1.58 MB to a binary (10.0 MB of minified schemas; 0.11 MB of it is the dictionary), and
//! nothing is unpacked before it is asked for. In a release build the first type takes 0.3 ms (the dictionary is
//! read once), then unpacking and parsing one takes 0.04 ms in the middle and 2.0 ms for the largest,
//! `AWS::QuickSight::Dashboard` (226 kB of text); all of them together 0.1 s. The first name that is not spelt
//! exactly costs 1.5 ms for an index, each one after that 1 us. Descriptions are kept: without them the texts
//! are a third smaller, but people who ask for a type's properties want to read what they are.
#![deny(missing_docs)]

// The resource type: where schemas come from and how to find things in them.
mod bundle;
mod flat;
mod names;
mod pointer;
mod resource;
mod rules;
mod view;

// What a type offers.
mod capabilities;
mod describe;
mod place;
mod tags;

// Fitting documents.
mod check;
mod conform;
mod model;
mod number;
mod pattern;
mod transform;

// Changing resources.
mod update;

pub use bundle::{BundledType, bundled_types, load, load_text};
pub use capabilities::Handlers;
pub use conform::{Conformed, Violation};
pub use describe::{Attribute, Property};
pub use flat::{flatten, unflatten};
pub use model::ModelError;
pub use names::{UnknownType, resolve_type};
pub use place::{Place, Step};
pub use pointer::{PointerError, PropertyPointer, expand, matches, select, strip};
pub use resource::{ResourceSchema, SchemaError};
pub use tags::Tagging;
pub use update::{Decision, Options, Reason, Remembered, decide, decide_with, preflight, remember};
