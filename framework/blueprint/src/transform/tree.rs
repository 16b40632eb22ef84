//! The document as transforms see it.

use crate::syntax::{Data, Entry, Key, MAX_LEVELS, Node, Scalar};
use crate::{Source, Span};
use indexmap::IndexMap;

/// A value of a document and where it stands.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Where it stands, or where the value stands that it was made from.
    pub span: Span,
    /// What it is.
    pub data: TreeData,
}

/// What a [`Tree`] is.
#[derive(Debug, Clone)]
pub enum TreeData {
    /// A scalar or nothing.
    Scalar(TreeScalar),
    /// A list.
    List(Vec<Tree>),
    /// A map in the author's order.
    Map(IndexMap<String, Member>),
}

/// A value of a map.
#[derive(Debug, Clone)]
pub struct Member {
    /// Where its key stands.
    pub key_span: Span,
    /// The value.
    pub value: Tree,
}

/// A scalar as its author wrote it. Opaque, because positions inside of it depend on how it is quoted and
/// folded: it is kept, dropped, or replaced by [`Tree::new`].
#[derive(Clone)]
pub struct TreeScalar(Scalar);

impl Tree {
    /// A new value, made from what stands at `span`. Its strings may hold substitutions.
    pub fn new(value: &serde_json::Value, span: Span) -> Self {
        let data = match value {
            serde_json::Value::Array(items) => {
                TreeData::List(items.iter().map(|item| Tree::new(item, span)).collect())
            }
            serde_json::Value::Object(entries) => TreeData::Map(
                entries
                    .iter()
                    .map(|(key, value)| {
                        let value = Tree::new(value, span);
                        let key_span = span;
                        (key.clone(), Member { key_span, value })
                    })
                    .collect(),
            ),
            scalar => TreeData::Scalar(TreeScalar(Scalar::made(scalar))),
        };
        Tree { span, data }
    }

    /// Reads a document without checking it.
    ///
    /// # Errors
    /// Every error of its text, sorted by position.
    pub fn parse(source: &Source) -> Result<Self, Vec<crate::Diagnostic>> {
        crate::data::load(source).map(Tree::of)
    }

    /// The value as JSON: what transforms compare and compute with.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.data {
            TreeData::Scalar(scalar) => scalar.to_json(),
            TreeData::List(items) => items.iter().map(Tree::to_json).collect(),
            TreeData::Map(members) => members
                .iter()
                .map(|(key, member)| (key.clone(), member.value.to_json()))
                .collect(),
        }
    }

    /// The value under a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.members()?.get(key).map(|member| &member.value)
    }

    /// The members, if this is a map.
    pub fn members(&self) -> Option<&IndexMap<String, Member>> {
        match &self.data {
            TreeData::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The members to change, if this is a map.
    pub fn members_mut(&mut self) -> Option<&mut IndexMap<String, Member>> {
        match &mut self.data {
            TreeData::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The loaders bound the levels, so recursion is safe.
    pub(super) fn of(node: Node) -> Self {
        let data = match node.data {
            Data::Scalar(scalar) => TreeData::Scalar(TreeScalar(scalar)),
            Data::List(items) => TreeData::List(items.into_iter().map(Tree::of).collect()),
            Data::Map(entries) => TreeData::Map(
                entries
                    .into_iter()
                    .map(|entry| {
                        let key_span = entry.key.span;
                        let value = Tree::of(entry.value);
                        (entry.key.text.into(), Member { key_span, value })
                    })
                    .collect(),
            ),
        };
        Tree {
            span: node.span,
            data,
        }
    }

    /// Back to a document to check, unless it is deeper than `levels_left`.
    pub(super) fn into_node(self, levels_left: usize) -> Option<Node> {
        let levels_left = levels_left.checked_sub(1)?;
        let data = match self.data {
            TreeData::Scalar(TreeScalar(scalar)) => Data::Scalar(scalar),
            TreeData::List(items) => Data::List(
                items
                    .into_iter()
                    .map(|item| item.into_node(levels_left))
                    .collect::<Option<_>>()?,
            ),
            TreeData::Map(members) => Data::Map(
                members
                    .into_iter()
                    .map(|(text, member)| {
                        let span = member.key_span;
                        let value = member.value.into_node(levels_left)?;
                        Some(Entry {
                            key: Key {
                                text: text.into(),
                                span,
                            },
                            value,
                        })
                    })
                    .collect::<Option<_>>()?,
            ),
        };
        Some(Node {
            span: self.span,
            data,
        })
    }

    /// As [`Tree::into_node`], with the language's bound.
    pub(super) fn into_document(self) -> Option<Node> {
        self.into_node(MAX_LEVELS)
    }
}

impl TreeScalar {
    /// The text as written, escapes and folding undone: a number `1.10` stays `1.10`.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The scalar as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        self.0.to_json()
    }
}

impl std::fmt::Debug for TreeScalar {
    /// Shows what it is only: texts may be secrets written out by mistake.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.kind.noun())
    }
}
