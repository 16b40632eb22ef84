//! Transforms: changes of the document itself before it is checked.

mod apply;
mod tree;

pub(crate) use apply::apply;
pub use tree::{Member, Tree, TreeData, TreeScalar};

use crate::{Diagnostic, Span};

/// A transform that a blueprint asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    /// Its name: `celerity-2023-04-20`.
    pub name: String,
    /// Where it is asked for.
    pub span: Span,
}

/// A transform that blueprints may ask for by name.
///
/// # Flow
/// A [`crate::Checker`] that knows it calls it with the whole document, the section `transform` included, if
/// the blueprint lists its name; with several, each gets what the one before it made, in the order listed.
/// What comes out is checked like a document that its author wrote.
///
/// # Guarantees
/// The document is a tree within the language's bounds whose maps have unique keys. Sections need not have
/// their shape yet.
///
/// # Assumptions
/// What survives keeps its spans, so that findings point at what the author wrote; what is made new has the
/// span of what it was made from. The same document always becomes the same document.
pub trait Transformer {
    /// The name that blueprints list.
    fn name(&self) -> &str;

    /// The changed document.
    ///
    /// # Errors
    /// What is wrong with the document. Nothing else of it is checked then.
    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>>;
}
