//! The marked tree that YAML and JSON both become: every node and key knows its bytes.

use crate::Span;
use compact_str::CompactString;
use serde_json::Number;

/// A node and where it stands. After an alias, the place is where the anchor defined it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) data: Data,
}

#[derive(Debug, Clone)]
pub(crate) enum Data {
    Scalar(Scalar),
    List(Vec<Node>),
    /// INVARIANT (unique keys): the loaders keep the first of two entries with the same key.
    Map(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Node,
}

#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) text: CompactString,
    pub(crate) span: Span,
}

/// A scalar with the text its author wrote, escapes and folding undone: `1.10` stays `1.10`.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    pub(crate) text: CompactString,
    pub(crate) kind: ScalarKind,
    pub(crate) style: Style,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScalarKind {
    Null,
    Bool(bool),
    Number(Number),
    String,
}

/// How a scalar is written, which decides how its text maps back to the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    /// YAML's double quotes and JSON's.
    DoubleQuoted,
    /// Literal and folded block scalars.
    Block,
    /// Not written but made by a transform.
    Made,
}

impl Node {
    pub(crate) fn scalar(&self) -> Option<&Scalar> {
        match &self.data {
            Data::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The value under a key, if this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(entries) => entries
                .iter()
                .find(|entry| entry.key.text == key)
                .map(|entry| &entry.value),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.scalar()
            .is_some_and(|scalar| scalar.kind == ScalarKind::Null)
    }

    /// What it is, with its article, for messages.
    pub(crate) fn noun(&self) -> &'static str {
        match &self.data {
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
            Data::Scalar(scalar) => scalar.kind.noun(),
        }
    }

    /// Number of nodes and levels. The loaders bound the levels, so recursion is safe.
    pub(crate) fn extent(&self) -> Extent {
        let children: Vec<Extent> = match &self.data {
            Data::Scalar(_) => Vec::new(),
            Data::List(items) => items.iter().map(Node::extent).collect(),
            Data::Map(entries) => entries.iter().map(|entry| entry.value.extent()).collect(),
        };
        Extent {
            nodes: 1 + children.iter().map(|child| child.nodes).sum::<usize>(),
            levels: 1 + children
                .iter()
                .map(|child| child.levels)
                .max()
                .unwrap_or_default(),
        }
    }
}

impl ScalarKind {
    /// What it is, with its article, for messages.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            ScalarKind::Null => "nothing",
            ScalarKind::Bool(_) => "a boolean",
            ScalarKind::Number(_) => "a number",
            ScalarKind::String => "a string",
        }
    }
}

impl Scalar {
    /// A scalar that nobody wrote. Lists and maps are no scalars: they become nothing.
    pub(crate) fn made(value: &serde_json::Value) -> Self {
        let (text, kind) = match value {
            serde_json::Value::Bool(bool) => (bool.to_string(), ScalarKind::Bool(*bool)),
            serde_json::Value::Number(number) => (number.to_string(), ScalarKind::Number(number.clone())),
            serde_json::Value::String(text) => (text.clone(), ScalarKind::String),
            _ => ("null".to_owned(), ScalarKind::Null),
        };
        let style = Style::Made;
        Scalar {
            text: text.into(),
            kind,
            style,
        }
    }

    /// The value as JSON.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.kind {
            ScalarKind::Null => serde_json::Value::Null,
            ScalarKind::Bool(bool) => (*bool).into(),
            ScalarKind::Number(number) => serde_json::Value::Number(number.clone()),
            ScalarKind::String => self.text.as_str().into(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) nodes: usize,
    pub(crate) levels: usize,
}
