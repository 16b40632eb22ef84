//! The blueprint language: source text in, checked [`Blueprint`] or [`Diagnostic`]s out, and values on demand.
//!
//! ```text
//! Source -> tree of marked nodes -> Checked { Blueprint, diagnostics } -> bind -> evaluate -> Value
//!          (YAML or JSON)           (sections, names, references)        (variables)
//! ```
//!
//! [`check`] is where to start, or a [`Checker`] that knows more than the core language. It never fails: it answers every finding at once, sorted by position, and a
//! [`Blueprint`] if none is an error. What it makes can be trusted: names are declared, references lead
//! somewhere and form no cycle, functions are called as they can be. [`Blueprint::bind`] completes the values
//! of variables, [`evaluate`] replaces substitutions by what a [`Scope`] answers. Values know what is secret
//! and what is not known before something is deployed.
//!
//! What is not here: resource types and their properties (another crate's schemas judge them), deploying,
//! CloudFormation, the network. The rules where the specification is silent stand with the code they concern;
//! every finding has a code in [`codes`].
//!
//! ```
//! use formwork_blueprint::{Reference, Root, Scope, Source, Value, check, evaluate};
//! use indexmap::IndexMap;
//!
//! let source = Source::new(
//!     "orders.yaml",
//!     "
//! version: 2023-04-20
//! variables:
//!   stage: {type: string, default: dev}
//! resources:
//!   queue:
//!     type: aws/sqs/queue
//!     spec:
//!       queueName: orders-${variables.stage}
//!   topic:
//!     type: aws/sns/topic
//!     spec:
//!       topicName: beside-${queue.state.queueName}
//! ",
//! );
//! let checked = check(&source);
//! let Some(blueprint) = checked.blueprint else {
//!     panic!("{}", checked.diagnostics.iter().map(|finding| finding.one_line(&source)).collect::<String>());
//! };
//!
//! // Before anything is deployed, only variables are known.
//! struct Before(IndexMap<String, Value>);
//! impl Scope for Before {
//!     fn resolve(&self, reference: &Reference) -> Result<Value, String> {
//!         match &reference.root {
//!             Root::Variable(name) => self.0.get(name).cloned().ok_or_else(|| "it has no value".to_owned()),
//!             _ => Ok(Value::unknown()),
//!         }
//!     }
//! }
//! let given = serde_json::Map::from_iter([("stage".to_owned(), "prod".into())]);
//! let scope = Before(blueprint.bind(&given).expect("a value of the right type"));
//!
//! let queue = evaluate(&blueprint.resources["queue"].spec, &scope)?;
//! assert_eq!(queue.to_json()["queueName"], "orders-prod");
//! let topic = evaluate(&blueprint.resources["topic"].spec, &scope)?;
//! assert_eq!(topic.to_masked_json()["topicName"], "(known after deploy)");
//! assert_eq!(blueprint.resources["topic"].depends_on.resources, ["queue"]);
//! # Ok::<(), formwork_blueprint::EvaluationError>(())
//! ```
#![deny(missing_docs)]

mod bind;
mod blueprint;
mod check;
mod checker;
mod children;
pub mod codes;
mod data;
mod diagnostic;
mod encoding;
mod enumerations;
mod evaluate;
mod field_path;
mod functions;
mod graph;
mod intrinsics;
mod links;
mod lookup;

mod operators;
mod source;
mod spelling;
mod substitution;
mod syntax;
mod template;
mod transform;
mod typed;
mod types;
mod value;

pub use blueprint::{
    Blueprint, Checked, Child, DataSource, DataSourceExport, Dependencies, Export, ExportType, Filter,
    Resource, Variable, VariableType, WORKING_DIR,
};
pub use check::{Draft, Edge, Element, Topology, check};
pub use checker::Checker;
pub use children::{Children, Include, Interface};
pub use data::parse_value;
pub use diagnostic::{Diagnostic, Severity};
pub use enumerations::{Enumeration, Enumerations};
pub use evaluate::{EvaluationError, Scope, evaluate, evaluate_reference};
pub use field_path::FieldPath;
pub use functions::{Function, Functions, Parameter, Problem};
pub use graph::Need;
pub use links::{Link, LinkSelector};
pub use lookup::Selected;
pub use operators::{Incomparable, Operator};
pub use source::{Format, Location, Source, Span};
pub use spelling::nearest;
pub use substitution::{Reference, Root, Segment};
pub use template::Template;
pub use transform::{Member, Transform, Transformer, Tree, TreeData, TreeScalar};
pub use types::{Property, ResourceTypes, Side, Type};
pub use value::{Kind, Value};
