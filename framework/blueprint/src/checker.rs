//! A check with more than the core language.

use crate::check::{self, Draft, Language};
use crate::{Checked, Children, Enumeration, Function, ResourceTypes, Source, Transformer};

/// Checks blueprints. By itself it knows the core of the language and nothing else, and so does
/// [`crate::check()`]; what else there is joins it here.
///
/// ```
/// use formwork_blueprint::{Checker, Diagnostic, Source, Transformer, Tree};
///
/// /// Gives blueprints without resources a queue.
/// struct WithQueue;
/// impl Transformer for WithQueue {
///     fn name(&self) -> &str {
///         "with-queue"
///     }
///     fn transform(&self, mut document: Tree) -> Result<Tree, Vec<Diagnostic>> {
///         let span = document.get("transform").map(|transform| transform.span).unwrap_or_default();
///         let queue = serde_json::json!({"queue": {"type": "aws/sqs/queue"}});
///         if let Some(sections) = document.members_mut() {
///             let value = Tree::new(&queue, span);
///             sections.entry("resources".to_owned()).or_insert(formwork_blueprint::Member { key_span: span, value });
///         }
///         Ok(document)
///     }
/// }
///
/// let source = Source::new("queue.yaml", "version: 2023-04-20\ntransform: with-queue\n");
/// let checked = Checker::new().transformer(&WithQueue).check(&source);
/// assert_eq!(checked.blueprint.expect("a blueprint").resources["queue"].type_name, "aws/sqs/queue");
/// ```
pub struct Checker<'a> {
    pub(crate) language: Language,
    pub(crate) transformers: Vec<&'a dyn Transformer>,
    pub(crate) resource_types: Option<&'a dyn ResourceTypes>,
    pub(crate) children: Option<&'a dyn Children>,
}

impl<'a> Checker<'a> {
    /// A checker of the core language.
    pub fn new() -> Self {
        Checker {
            language: Language::v2023_04_20(),
            transformers: Vec::new(),
            resource_types: None,
            children: None,
        }
    }

    /// Lets blueprints ask for a transform. Of two with one name the first counts.
    #[must_use]
    pub fn transformer(mut self, transformer: &'a dyn Transformer) -> Self {
        self.transformers.push(transformer);
        self
    }

    /// Lets blueprints call a function. Of two with one name the last counts.
    #[must_use]
    pub fn function(mut self, function: Function) -> Self {
        self.language.functions = self.language.functions.with(function);
        self
    }

    /// Lets variables be of a custom type. Of two with one name the last counts.
    #[must_use]
    pub fn enumeration(mut self, enumeration: Enumeration) -> Self {
        self.language.enumerations = self.language.enumerations.with(enumeration);
        self
    }

    /// Judges references to resources by their types. Where the types are known only once a blueprint has
    /// been read, there is [`Checker::read`].
    #[must_use]
    pub fn resource_types(mut self, types: &'a dyn ResourceTypes) -> Self {
        self.resource_types = Some(types);
        self
    }

    /// Checks blueprints against those that they include: these, and what they include in turn, have to be
    /// valid by the same checker. Without it nothing is known of them, and references to their exports may have
    /// any type.
    #[must_use]
    pub fn children(mut self, children: &'a dyn Children) -> Self {
        self.children = Some(children);
        self
    }

    /// Parses and checks a source: syntax, transforms, sections, substitutions, references, links, cycles.
    pub fn check(&self, source: &Source) -> Checked {
        self.read(source).check(self.resource_types)
    }

    /// Reads a source, and leaves types to be judged with what its resources are.
    pub fn read(&self, source: &Source) -> Draft {
        check::read(source, self)
    }
}

impl Default for Checker<'_> {
    fn default() -> Self {
        Checker::new()
    }
}
