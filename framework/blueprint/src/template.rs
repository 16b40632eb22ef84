//! Templates: the parts of a blueprint that may hold substitutions.

use crate::diagnostic::collect;
use crate::spelling::shown;
use crate::substitution::{Expression, Part};
use crate::syntax::{Data, Key, Node, Positions, ScalarKind};
use crate::{Diagnostic, Reference, Segment, Span, codes, substitution};
use compact_str::CompactString;
use serde_json::Number;
use std::collections::HashMap;

/// A tree of literals and substitutions. Opaque: made by [`crate::check`] or [`Template::parse`], read by
/// [`crate::evaluate`].
#[derive(Debug, Clone)]
pub struct Template {
    span: Span,
    pub(crate) body: Body,
    /// Whether there is a substitution in it: most parts of a document hold none and need no visit.
    dynamic: bool,
}

#[derive(Clone)]
pub(crate) enum Body {
    Null,
    Bool(bool),
    Number(Number),
    String(CompactString),
    /// A string that is one substitution: it keeps the type of its value.
    Whole(Expression),
    /// A string with at least one substitution and something else.
    Text(Vec<Part>),
    List(Vec<Template>),
    Map(Fields),
}

/// An entry of a map and where its key stands.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) key: CompactString,
    pub(crate) key_span: Span,
    pub(crate) value: Template,
}

/// The entries of a map in the author's order. Nearly all maps are small, are read from front to back and are
/// asked for a key only when there is something to say about it: a table of keys is kept for wide ones alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    entries: Vec<Field>,
    table: Option<HashMap<CompactString, usize>>,
}

impl Fields {
    /// Maps up to this size are searched through.
    const FEW: usize = 32;

    fn of(entries: Vec<Field>) -> Self {
        let numbered = || entries.iter().enumerate();
        let table = (entries.len() > Self::FEW).then(|| {
            numbered()
                .map(|(index, field)| (field.key.clone(), index))
                .collect()
        });
        Fields { entries, table }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Field> {
        match &self.table {
            Some(table) => self.entries.get(*table.get(key)?),
            None => self.entries.iter().find(|field| field.key == key),
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|field| field.key.as_str())
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.entries.iter()
    }
}

impl Template {
    /// An empty map.
    pub(crate) fn empty(span: Span) -> Self {
        Template::new(span, Body::Map(Fields::default()))
    }

    /// A fixed text.
    pub(crate) fn text(span: Span, text: impl Into<CompactString>) -> Self {
        Template::new(span, Body::String(text.into()))
    }

    fn new(span: Span, body: Body) -> Self {
        let dynamic = match &body {
            Body::Null | Body::Bool(_) | Body::Number(_) | Body::String(_) => false,
            Body::Whole(_) | Body::Text(_) => true,
            Body::List(items) => items.iter().any(|item| item.dynamic),
            Body::Map(fields) => fields.iter().any(|field| field.value.dynamic),
        };
        Template { span, body, dynamic }
    }

    /// Adds an entry with a new key, if this is a map.
    pub(crate) fn insert(&mut self, key: &Key, value: Template) {
        if let Body::Map(fields) = &mut self.body {
            self.dynamic |= value.dynamic;
            let mut entries = std::mem::take(&mut fields.entries);
            entries.push(Field {
                key: key.text.clone(),
                key_span: key.span,
                value,
            });
            *fields = Fields::of(entries);
        }
    }

    /// Builds a template from a node; findings are about keys and about what stands in `${...}`.
    pub(crate) fn build(node: &Node, source: &str, findings: &mut Vec<Diagnostic>) -> Self {
        let body = match &node.data {
            Data::Scalar(scalar) => match &scalar.kind {
                ScalarKind::Null => Body::Null,
                ScalarKind::Bool(bool) => Body::Bool(*bool),
                ScalarKind::Number(number) => Body::Number(number.clone()),
                ScalarKind::String => text(node, &scalar.text, source, findings),
            },
            Data::List(items) => Body::List(
                items
                    .iter()
                    .map(|item| Template::build(item, source, findings))
                    .collect(),
            ),
            Data::Map(entries) => {
                let mut fields = Vec::with_capacity(entries.len());
                for entry in entries {
                    if substitution::find_opening(&entry.key.text).is_some() {
                        collect(findings, substitution_in_key(entry.key.span, &entry.key.text));
                    }
                    let value = Template::build(&entry.value, source, findings);
                    fields.push(Field {
                        key: substitution::unescape(&entry.key.text).into(),
                        key_span: entry.key.span,
                        value,
                    });
                }
                Body::Map(Fields::of(fields))
            }
        };
        Template::new(node.span, body)
    }

    /// Reads a text with substitutions that stands outside a blueprint; spans are ranges of its bytes. What
    /// its references mean is asked of the [`crate::Scope`] it is evaluated in.
    ///
    /// # Errors
    /// Every substitution that cannot be read.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Vec::new();
        let body = body(substitution::parse_text(text, &Positions::Same(0), &mut findings));
        if findings.is_empty() {
            Ok(Template::new(Span::new(0, text.len()), body))
        } else {
            Err(findings)
        }
    }

    /// A string as it may be written: references by their full names, and `$${` for a literal `${`. Nothing
    /// if this is no string.
    ///
    /// ```
    /// use formwork_blueprint::Template;
    ///
    /// let template = Template::parse("$${x} of ${ trim(queue.state.arn) }").expect("a text");
    /// assert_eq!(template.to_text().as_deref(), Some("$${x} of ${trim(resources.queue.state.arn)}"));
    /// ```
    pub fn to_text(&self) -> Option<String> {
        match &self.body {
            Body::String(text) => Some(substitution::escape(text)),
            Body::Whole(expression) => Some(format!("${{{expression}}}")),
            Body::Text(parts) => Some(parts.iter().map(Part::to_string).collect()),
            Body::Null | Body::Bool(_) | Body::Number(_) | Body::List(_) | Body::Map(_) => None,
        }
    }

    /// The entries, if it is a map.
    pub(crate) fn fields(&self) -> Option<&Fields> {
        match &self.body {
            Body::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The span of the deepest existing node along a path of keys (as written) and indexes; the value's
    /// span, or the key's where `key` is set.
    pub fn span_at(&self, path: &[Segment], key: bool) -> Span {
        let mut here = self;
        let mut key_span = self.span;
        for segment in path {
            match (&here.body, segment) {
                (Body::Map(fields), Segment::Name(name)) => {
                    let Some(field) = fields.get(name) else { break };
                    (here, key_span) = (&field.value, field.key_span);
                }
                (Body::List(items), Segment::Index(index)) => {
                    let Some(item) = items.get(*index) else { break };
                    (here, key_span) = (item, item.span);
                }
                _ => break,
            }
        }
        if key { key_span } else { here.span }
    }

    /// Every reference in it, with where it stands, in the author's order.
    pub fn references(&self) -> Vec<(&Reference, Span)> {
        let mut found = Vec::new();
        if self.dynamic {
            self.expressions(&mut |expression, _| expression.references(&mut found));
        }
        found
            .into_iter()
            .map(|reference: &Reference| (reference, reference.span))
            .collect()
    }

    /// Every expression, and whether it is a whole string. The loader bounds the depth.
    pub(crate) fn expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression, bool)) {
        if !self.dynamic {
            return;
        }
        match &self.body {
            Body::Null | Body::Bool(_) | Body::Number(_) | Body::String(_) => {}
            Body::Whole(expression) => visit(expression, true),
            Body::Text(parts) => parts.iter().for_each(|part| match part {
                Part::Text(_) => {}
                Part::Substitution(expression) => visit(expression, false),
            }),
            Body::List(items) => items.iter().for_each(|item| item.expressions(visit)),
            Body::Map(fields) => fields.iter().for_each(|field| field.value.expressions(visit)),
        }
    }
}

impl std::fmt::Debug for Body {
    /// Shows the shape only: texts may be secrets written out by mistake.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Body::Null => f.write_str("null"),
            Body::Bool(_) => f.write_str("a boolean"),
            Body::Number(_) => f.write_str("a number"),
            Body::String(_) => f.write_str("a string"),
            Body::Whole(expression) => write!(f, "${{{expression}}}"),
            Body::Text(_) => f.write_str("a text with substitutions"),
            Body::List(items) => f.debug_list().entries(items).finish(),
            Body::Map(fields) => {
                let entries = fields.iter().map(|field| (&field.key, &field.value));
                f.debug_map().entries(entries).finish()
            }
        }
    }
}

pub(crate) fn substitution_in_key(span: Span, key: &str) -> Diagnostic {
    let message = format!(
        "the key `{}` holds a substitution: keys must be fixed",
        shown(key)
    );
    Diagnostic::error(codes::SUBSTITUTION_IN_KEY, span, message)
        .help("substitute the value, or write `$${` for a literal `${`")
}

fn text(node: &Node, text: &str, source: &str, findings: &mut Vec<Diagnostic>) -> Body {
    if !text.contains('$') {
        return Body::String(text.into());
    }
    let positions = Positions::of(node, source);
    body(substitution::parse_text(text, &positions, findings))
}

/// A text that is one substitution keeps the type of its value.
fn body(parts: Vec<Part>) -> Body {
    match <[Part; 1]>::try_from(parts) {
        Ok([Part::Substitution(expression)]) => Body::Whole(expression),
        Ok([Part::Text(text)]) => Body::String(text.into()),
        Err(parts) if parts.is_empty() => Body::String(CompactString::default()),
        Err(parts) => Body::Text(parts),
    }
}
