//! What is asked of the engine: deploy this, or destroy what there is.

use formwork_blueprint::Source;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Numbers the orders given for one instance, from 1. A newer order supersedes the older ones.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Generation(pub u64);

impl std::fmt::Display for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// One order for one instance.
#[derive(Debug, Clone)]
pub struct Order {
    /// Names what caused it. The same cause never makes a second generation.
    pub cause: String,
    /// When it was given, if that is known: orders can arrive in another order.
    pub issued: Option<Timestamp>,
    /// When the outcome has to be known.
    pub deadline: Timestamp,
    /// Random hex; used when the instance is new, else the stored one stays.
    pub salt: String,
    /// What to reach.
    pub goal: Goal,
}

/// What an [`Order`] wants to reach.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one goal per order, and a box would be in every caller's way"
)]
pub enum Goal {
    /// The resources of a blueprint, and no others of this instance.
    Deploy(Target),
    /// No resources.
    Destroy {
        /// Forget the resources instead of deleting them.
        retain: bool,
    },
}

/// A blueprint and everything that goes into it. `Debug` shows no variable's value.
#[derive(Clone)]
pub struct Target {
    /// The blueprint's text.
    pub source: Source,
    /// Values for its variables.
    pub variables: Map<String, Value>,
    /// Which exports to compute; all if `None`.
    pub exports: Option<Vec<String>>,
    /// The role for the cloud to use.
    pub role_arn: Option<String>,
    /// Tags for every resource that takes tags; the author's own win.
    pub tags: BTreeMap<String, String>,
    /// How many resources are worked on at once; the engine's limit if `None`.
    pub max_concurrency: Option<usize>,
}

impl Target {
    /// A target with nothing but its source.
    pub fn new(source: Source) -> Self {
        Target {
            source,
            variables: Map::new(),
            exports: None,
            role_arn: None,
            tags: BTreeMap::new(),
            max_concurrency: None,
        }
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("source", &self.source.name())
            .field("variables", &self.variables.keys().collect::<Vec<_>>())
            .field("exports", &self.exports)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_of_an_order_shows_no_value() {
        let mut target = Target::new(Source::new("orders.yaml", "variables: {}"));
        target
            .variables
            .insert("password".into(), "hunter2hunter2".into());
        let order = Order {
            cause: "c".into(),
            issued: None,
            deadline: Timestamp::UNIX_EPOCH,
            salt: "00".into(),
            goal: Goal::Deploy(target),
        };
        let shown = format!("{order:?}");
        assert!(
            shown.contains("password") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
