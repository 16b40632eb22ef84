//! What is included.

use super::Dependencies;
use crate::{Interface, Span, Template};
use std::sync::Arc;

/// The predefined name in a child's path: `${workingDir}/core.yaml`. It reaches a [`crate::Scope`] as a
/// reference to the resource of this name with an empty path; resources of that name are shadowed in paths.
pub const WORKING_DIR: &str = "workingDir";

/// A child: another blueprint that is deployed with this one.
#[derive(Debug, Clone)]
pub struct Child {
    /// Where the blueprint is, a string once evaluated: relative to this one, to [`WORKING_DIR`], or to what
    /// the metadata say.
    pub path: Template,
    /// The values of its variables as one map template of scalars; an empty map if missing.
    pub variables: Template,
    /// What else is needed to get at it, such as its bucket; an empty map if missing.
    pub metadata: Template,
    /// The description.
    pub description: Option<Template>,
    /// The name.
    pub span: Span,
    /// What this one refers to.
    pub depends_on: Dependencies,
    /// What is known of the blueprint itself, if the checker could read it.
    pub interface: Option<Arc<Interface>>,
}
