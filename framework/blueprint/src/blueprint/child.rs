//! What is included.

use super::Dependencies;
use crate::{Span, Template};
use indexmap::IndexMap;

/// The predefined name in a child's path: `${workingDir}/core.yaml`. It reaches a [`crate::Scope`] as a
/// reference to the resource of this name with an empty path; resources of that name are shadowed in paths.
pub const WORKING_DIR: &str = "workingDir";

/// A child: another blueprint that is deployed with this one.
#[derive(Debug, Clone)]
pub struct Child {
    /// Where the blueprint is, a string once evaluated: relative to this one, to [`WORKING_DIR`], or to what
    /// the metadata say.
    pub path: Template,
    /// The values of its variables, scalars once evaluated, by name in the author's order.
    pub variables: IndexMap<String, Template>,
    /// What else is needed to get at it, such as its bucket; an empty map if missing.
    pub metadata: Template,
    /// The description.
    pub description: Option<Template>,
    /// The name.
    pub span: Span,
    /// What this one refers to.
    pub depends_on: Dependencies,
}
