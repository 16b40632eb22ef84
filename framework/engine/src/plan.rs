//! What a deploy or a destroy would do, known before anything is done.
//!
//! # Flow
//! ```text
//! read every resource that stands  ->  plan(model, deployment, reads)  ->  Plan
//!        reads.rs                        forecast.rs: resource by resource, in the order of work
//!                                          outlook.rs: what others will see of it
//!                                          properties.rs: what changes in it
//! ```
//! Only the reading touches the outside; the plan is a pure function of what was read.
//!
//! # Guarantees
//! - What a plan calls certain is what the stepper does, as long as nothing changes meanwhile: both ask the
//!   same update strategy about the same documents.
//! - No secret is in a plan, and no write-only value: only that they change.
//!
//! # Caveats
//! - What is known only after something else is deployed may turn out to be what it was. Such changes are in
//!   the plan, and not certain.
//! - Identifiers, ARNs and whatever holds the identifier are taken to outlive an update in place; every
//!   other read-only value of an updated resource counts as not known yet.

mod forecast;
mod outlook;
mod properties;
mod reads;

pub(crate) use forecast::{forecast, forecast_destroy};
pub(crate) use outlook::is_within;
pub(crate) use properties::Comparison;
pub(crate) use reads::{Reads, read_all, read_standing};

use crate::outcome::Action;
use crate::replacement::Sequence;
use formwork_schema::Reason;
use serde_json::{Value, json};

/// What a deploy or a destroy would do, in the order of work: what the blueprint wants first, each resource
/// after those it depends on, then what is to be deleted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Every resource.
    pub changes: Vec<Change>,
}

/// What would be done with one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Name in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// Its identifier if it exists.
    pub identifier: Option<String>,
    /// What would be done.
    pub action: Action,
    /// False if a value that is not known yet decides whether it is done.
    pub certain: bool,
    /// In which order, if it is replaced or may have to be.
    pub sequence: Option<Sequence>,
    /// True for an update that the service may refuse; then the resource is replaced.
    pub replaces_if_refused: bool,
    /// Why it is replaced, or may have to be.
    pub reasons: Vec<Reason>,
    /// The properties that change.
    pub properties: Vec<PropertyChange>,
    /// Names of the resources that are worked on before it.
    pub after: Vec<String>,
    /// What else there is to know.
    pub notes: Vec<Note>,
    /// What kept the change from being worked out; then it is a guess.
    pub problem: Option<String>,
}

/// A property, or a part of one, that changes.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyChange {
    /// JSON Pointer, as the schema spells it.
    pub pointer: String,
    /// What is there; `None` if nothing is.
    pub before: Option<Shown>,
    /// What will be there; `None` if nothing will.
    pub after: Option<Shown>,
    /// True if this is (one of the reasons) why the resource is replaced, or may have to be.
    pub replaces: bool,
    /// True if the blueprint asks for what it has asked for before: somebody else has changed it since.
    pub drifted: bool,
}

/// A value as far as it may be shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// The value.
    Value(Value),
    /// It is, or was computed from, something secret.
    Secret,
    /// The service never shows it (write-only).
    Hidden,
    /// It is known once something else is deployed.
    AfterDeploy,
}

impl Shown {
    /// An object of one member, so that no value can be taken for a mark: `value`, `secret`, `hidden` or
    /// `knownAfterDeploy`.
    pub fn to_json(&self) -> Value {
        match self {
            Shown::Value(value) => json!({ "value": value }),
            Shown::Secret => json!({ "secret": true }),
            Shown::Hidden => json!({ "hidden": true }),
            Shown::AfterDeploy => json!({ "knownAfterDeploy": true }),
        }
    }
}

/// Something to know about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// It was deployed, and is there no more.
    Gone,
    /// Its type has changed; the old resource goes.
    OtherType,
    /// The service has no way to read it, so what was applied last is taken for what it is.
    Unreadable,
    /// An earlier deployment has replaced or abandoned it and could not delete it.
    Leftover,
    /// An operation of an earlier deployment is still under way and will be awaited.
    InFlight,
    /// Its creation had failed half-way.
    HalfMade,
}

impl Note {
    /// A stable name for scripts.
    pub fn code(self) -> &'static str {
        match self {
            Note::Gone => "gone",
            Note::OtherType => "other-type",
            Note::Unreadable => "unreadable",
            Note::Leftover => "leftover",
            Note::InFlight => "in-flight",
            Note::HalfMade => "half-made",
        }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Note::Gone => "it was deployed, but does not exist any more",
            Note::OtherType => "the blueprint now has another type under this name",
            Note::Unreadable => "its type cannot be read: what was applied last is taken for what it is",
            Note::Leftover => "left over from an earlier deployment",
            Note::InFlight => "an operation of an earlier deployment is still under way and is awaited first",
            Note::HalfMade => "its creation failed half-way",
        })
    }
}

/// How many resources a plan does what with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Made.
    pub create: usize,
    /// Changed in place.
    pub update: usize,
    /// Replaced by a new one.
    pub replace: usize,
    /// Deleted.
    pub delete: usize,
    /// Left in the cloud and forgotten.
    pub retain: usize,
    /// As they should be.
    pub unchanged: usize,
    /// Of those updated or replaced: how many may turn out to need nothing.
    pub uncertain: usize,
}

impl Plan {
    /// True if nothing would change.
    pub fn is_empty(&self) -> bool {
        self.changes
            .iter()
            .all(|change| change.action == Action::Unchanged)
    }

    /// The counts.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for change in &self.changes {
            *match change.action {
                Action::Create => &mut summary.create,
                Action::Update => &mut summary.update,
                Action::Replace => &mut summary.replace,
                Action::Delete => &mut summary.delete,
                Action::Retain => &mut summary.retain,
                Action::Unchanged => &mut summary.unchanged,
            } += 1;
            summary.uncertain += usize::from(!change.certain);
        }
        summary
    }
}

impl Change {
    fn new(name: &str, type_name: &str, action: Action) -> Self {
        Change {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            identifier: None,
            action,
            certain: true,
            sequence: None,
            replaces_if_refused: false,
            reasons: Vec::new(),
            properties: Vec::new(),
            after: Vec::new(),
            notes: Vec::new(),
            problem: None,
        }
    }

    /// True if something is done, or may be.
    fn is_work(&self) -> bool {
        self.action != Action::Unchanged
    }
}
