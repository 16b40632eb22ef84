//! Text to tree: YAML and JSON are read into one marked [`Node`] tree, within bounds.
//!
//! Reading never panics and never stops silently: what cannot be read is a diagnostic, and everything
//! before it that could be read is checked all the same where that makes sense.

mod json;
mod numbers;
mod page;
mod paths;
mod positions;
mod tree;
mod yaml;
mod yaml_errors;

pub(crate) use paths::{Paths, paths};
pub(crate) use positions::Positions;
pub(crate) use tree::{Data, Entry, Key, Node, Scalar, ScalarKind};

use crate::source::BYTE_ORDER_MARK;
use crate::spelling::shown;
use crate::{Diagnostic, Format, Source, Span, codes};
use compact_str::CompactString;
use std::collections::HashMap;

/// Bounds on a document. Generous for people (ten thousand resources fit), tight for attackers.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;
pub(crate) const MAX_LEVELS: usize = 100;
pub(crate) const MAX_NODES: usize = 500_000;
/// Substitutions, escaped ones included.
pub(crate) const MAX_SUBSTITUTIONS: usize = 200_000;
/// Nodes that aliases may add beyond those written.
pub(crate) const MAX_ALIASED_NODES: usize = 100_000;

/// What was read. Without a root there is at least one error.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) root: Option<Node>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a source into a tree.
pub(crate) fn load(source: &Source) -> Loaded {
    if let Some(unreadable) = source.unreadable() {
        return Loaded {
            root: None,
            diagnostics: vec![unreadable.diagnostic()],
        };
    }
    let text = source.text();
    if text.len() > MAX_BYTES {
        let message = format!(
            "the document has {} bytes, more than the {MAX_BYTES} allowed",
            text.len()
        );
        let finding = Diagnostic::error(codes::DOCUMENT_TOO_LARGE, Span::default(), message);
        return Loaded {
            root: None,
            diagnostics: vec![finding],
        };
    }
    let mut substitutions = memchr::memmem::find_iter(text.as_bytes(), "${");
    if let Some(at) = substitutions.nth(MAX_SUBSTITUTIONS) {
        let message = format!("more than {MAX_SUBSTITUTIONS} substitutions in one document");
        return Loaded {
            root: None,
            diagnostics: vec![Diagnostic::error(
                codes::TOO_MANY_SUBSTITUTIONS,
                Span::new(at, at + 2),
                message,
            )],
        };
    }
    let (start, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (BYTE_ORDER_MARK.len_utf8(), body),
        None => (0, text),
    };
    match source.format() {
        Format::Yaml => yaml::load(body, start),
        Format::Json | Format::Inline => json::load(body, start),
    }
}

/// The keys of one map while it is read, to find duplicates without going through them all.
#[derive(Debug, Default)]
struct Keys {
    seen: HashMap<CompactString, Span>,
}

impl Keys {
    /// Maps up to this size are compared directly, which is faster than hashing them.
    const FEW: usize = 8;

    /// The place of an earlier entry with the same key.
    fn earlier(&mut self, entries: &[Entry], text: &str) -> Option<Span> {
        if entries.len() < Self::FEW {
            return entries
                .iter()
                .find(|entry| entry.key.text == text)
                .map(|entry| entry.key.span);
        }
        let known = self.seen.len().min(entries.len());
        for entry in entries.get(known..).unwrap_or_default() {
            self.seen.insert(entry.key.text.clone(), entry.key.span);
        }
        self.seen.get(text).copied()
    }
}

/// Lists and maps grow by doubling, and begin with room for four: small ones give back what they do not need, since
/// a document can consist of them.
fn fitted<T>(mut items: Vec<T>) -> Vec<T> {
    if items.len() * 2 <= items.capacity() {
        items.shrink_to_fit();
    }
    items
}

fn duplicate_key(text: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(
        codes::DUPLICATE_KEY,
        span,
        format!("the key `{}` is defined twice", shown(text)),
    )
    .label(first, "first defined here")
    .help("remove or rename one of the two")
}

fn empty_document(span: Span) -> Diagnostic {
    let finding = Diagnostic::error(codes::EMPTY_DOCUMENT, span, "the document is empty");
    finding.help("a blueprint begins with `version: 2023-04-20`")
}

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("nested more than {MAX_LEVELS} levels deep");
    Diagnostic::error(codes::TOO_DEEP, span, message)
}

fn too_many_nodes(span: Span) -> Diagnostic {
    let message = format!("more than {MAX_NODES} values in one document");
    Diagnostic::error(codes::TOO_MANY_NODES, span, message)
}
