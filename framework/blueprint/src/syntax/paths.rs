//! Places as paths of keys, for documents whose lines nobody has seen.

use super::load;
use super::tree::{Data, Entry, Node};
use crate::{Source, Span};
use std::fmt::Write as _;

/// A source's tree, kept to find paths in.
#[derive(Debug)]
pub(crate) struct Paths {
    root: Option<Node>,
}

/// Reads a source that is JSON.
pub(crate) fn paths(source: &Source) -> Paths {
    Paths {
        root: load(source).root,
    }
}

impl Paths {
    /// The path to the innermost node or key that holds a span: `resources.queue.spec.tags[0].key`.
    pub(crate) fn to(&self, span: Span) -> String {
        let mut path = String::new();
        let mut here = self.root.as_ref();
        // JSON has no aliases: what is in a list or a map stands there in its order.
        while let Some(node) = here {
            here = match &node.data {
                Data::Scalar(_) => None,
                Data::List(items) => {
                    let index = items.partition_point(|item| item.span.end < span.end);
                    let found = items.get(index).filter(|item| item.span.contains(span));
                    found.inspect(|_| {
                        let _infallible = write!(path, "[{index}]");
                    })
                }
                Data::Map(entries) => {
                    let index = entries.partition_point(|entry| entry.value.span.end < span.end);
                    let holds =
                        |entry: &&Entry| entry.value.span.contains(span) || entry.key.span.contains(span);
                    entries.get(index).filter(holds).map(|entry| {
                        let separator = if path.is_empty() { "" } else { "." };
                        let _infallible = write!(path, "{separator}{}", entry.key.text);
                        &entry.value
                    })
                }
            };
        }
        path
    }
}
