//! What is known of the blueprints that a blueprint includes.

use crate::{Blueprint, ExportType, Source, Value, Variable};
use indexmap::IndexMap;

/// Reads the blueprints that a blueprint includes, so that it can be checked against them.
///
/// # Guarantees
/// Asked once for each include of each blueprint that is checked, in the author's order, and never for more
/// than five levels.
pub trait Children {
    /// What `${workingDir}` stands for. Without it, paths that begin with it are not known.
    fn working_dir(&self) -> Option<String> {
        None
    }

    /// The blueprint that `parent` includes, or `None` if it is somewhere that cannot be looked at now: then
    /// nothing about it is checked. The name of the source is the blueprint's identity: two that have it are
    /// one.
    ///
    /// # Errors
    /// One line that says why it cannot be read.
    fn read(&self, parent: &Source, include: &Include<'_>) -> Result<Option<Source>, String>;
}

/// An include whose path is known.
#[derive(Debug)]
pub struct Include<'a> {
    /// The path, with all its substitutions made.
    pub path: &'a str,
    /// What else there is to get at it, a map; values that are known only later are unknown.
    pub metadata: &'a Value,
}

/// A blueprint as its parent sees it.
#[derive(Debug, Clone)]
pub struct Interface {
    /// What it takes, by name in its author's order.
    pub variables: IndexMap<String, Variable>,
    /// What it gives, by name in its author's order.
    pub exports: IndexMap<String, ExportType>,
}

impl Blueprint {
    /// The blueprint as a parent sees it.
    pub fn interface(&self) -> Interface {
        let exports = self.exports.iter();
        Interface {
            variables: self.variables.clone(),
            exports: exports
                .map(|(name, export)| (name.clone(), export.kind))
                .collect(),
        }
    }
}
