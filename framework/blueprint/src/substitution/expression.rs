//! Expressions: references, function calls and literals. Printing one and parsing it again gives the same.

use crate::Span;
use serde_json::Number;
use std::fmt;

/// What a reference starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// `variables.name`
    Variable(String),
    /// `resources.name` or a bare `name`
    Resource(String),
    /// `datasources.name`
    DataSource(String),
    /// `children.name`
    Child(String),
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// `.name` or `["name"]`
    Name(String),
    /// `[3]`, or `[]` for the first
    Index(usize),
}

/// A reference: where it starts and the path from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Start.
    pub root: Root,
    /// Path. For a resource the first segment is `state`, `spec` or `metadata`; an empty path stands for
    /// the primary identifier.
    pub path: Vec<Segment>,
    /// Where it stands.
    pub span: Span,
}

/// What stands between `${` and `}`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Reference(Reference),
    Call(Call),
    Literal(Literal, Span),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) arguments: Vec<Expression>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Bool(bool),
    Number(Number),
    String(String),
}

impl Expression {
    pub(crate) fn span(&self) -> Span {
        match self {
            Expression::Reference(reference) => reference.span,
            Expression::Call(call) => call.span,
            Expression::Literal(_, span) => *span,
        }
    }

    /// Every reference in it, arguments included. The parser bounds the depth.
    pub(crate) fn references<'a>(&'a self, found: &mut Vec<&'a Reference>) {
        match self {
            Expression::Reference(reference) => found.push(reference),
            Expression::Call(call) => call
                .arguments
                .iter()
                .for_each(|argument| argument.references(found)),
            Expression::Literal(..) => {}
        }
    }
}

impl Root {
    /// The name referred to.
    pub fn name(&self) -> &str {
        match self {
            Root::Variable(name) | Root::Resource(name) | Root::DataSource(name) | Root::Child(name) => name,
        }
    }

    /// The section that holds it, as written in references.
    pub fn section(&self) -> &'static str {
        match self {
            Root::Variable(_) => "variables",
            Root::Resource(_) => "resources",
            Root::DataSource(_) => "datasources",
            Root::Child(_) => "children",
        }
    }
}

/// The grammar's `name`: a letter or `_`, then letters, digits, `_` and `-`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The grammar's `name in quotes`: letters, digits, `_`, `-` and `.`.
pub(crate) fn is_quoted_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.section())?;
        write_name(f, self.name())
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Name(name) => write_name(f, name),
            Segment::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_name(name) {
        write!(f, ".{name}")
    } else {
        write!(f, "[\"{name}\"]")
    }
}

impl fmt::Display for Reference {
    /// `resources.queue.state.arn`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        self.path.iter().try_for_each(|segment| write!(f, "{segment}"))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Reference(reference) => write!(f, "{reference}"),
            Expression::Literal(literal, _) => write!(f, "{literal}"),
            Expression::Call(call) => {
                write!(f, "{}(", call.name)?;
                for (index, argument) in call.arguments.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Bool(bool) => write!(f, "{bool}"),
            Literal::Number(number) => write!(f, "{number}"),
            Literal::String(text) => write!(f, "\"{}\"", text.replace('"', "\\\"")),
        }
    }
}
