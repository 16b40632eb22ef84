//! Goals and results in the form in which they are stored.

use crate::order::Target;
use crate::outcome::ResourceReport;
use formwork_blueprint::{Format, Source};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A [`crate::Goal`] as stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoredGoal {
    /// Deploy; `None` once settled.
    Deploy(Option<Box<StoredTarget>>),
    /// Destroy.
    Destroy {
        /// Forget instead of delete.
        retain: bool,
    },
}

/// A [`Target`] as stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTarget {
    name: String,
    text: String,
    format: String,
    #[serde(default)]
    variables: Map<String, Value>,
    #[serde(default)]
    exports: Option<Vec<String>>,
    #[serde(default)]
    role_arn: Option<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    max_concurrency: Option<usize>,
}

/// The parts of an [`crate::Outcome`] that are kept.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredResult {
    /// Whether the goal was reached.
    pub succeeded: bool,
    /// Exports with the pointers of their secrets; secret ones are gone once settled.
    #[serde(default)]
    pub exports: IndexMap<String, StoredExport>,
    /// Every resource.
    #[serde(default)]
    pub resources: Vec<ResourceReport>,
}

/// An export as stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredExport {
    /// Its value.
    pub value: Value,
    /// JSON Pointers of what is secret in it.
    #[serde(default)]
    pub secrets: Vec<String>,
}

impl StoredTarget {
    pub(super) fn store(target: &Target) -> Self {
        StoredTarget {
            name: target.source.name().to_owned(),
            text: target.source.text().to_owned(),
            format: match target.source.format() {
                Format::Yaml => "yaml",
                Format::Json => "json",
                Format::Inline => "inline",
            }
            .to_owned(),
            variables: target.variables.clone(),
            exports: target.exports.clone(),
            role_arn: target.role_arn.clone(),
            tags: target.tags.clone(),
            max_concurrency: target.max_concurrency,
        }
    }

    pub(crate) fn restore(&self) -> Target {
        let format = match self.format.as_str() {
            "json" => Format::Json,
            "inline" => Format::Inline,
            _ => Format::Yaml,
        };
        Target {
            source: Source::with_format(&self.name, &self.text, format),
            variables: self.variables.clone(),
            exports: self.exports.clone(),
            role_arn: self.role_arn.clone(),
            tags: self.tags.clone(),
            max_concurrency: self.max_concurrency,
        }
    }
}
