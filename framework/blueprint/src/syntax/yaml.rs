//! YAML events to tree: one document, unique string keys, no tags, aliases within bounds.

use super::numbers::{self, Plain};
use super::tree::{Data, Entry, Extent, Key, Node, Scalar, ScalarKind, Style};
use super::yaml_errors::syntax_error;
use super::{
    Keys, Loaded, MAX_ALIASED_NODES, MAX_LEVELS, MAX_NODES, duplicate_key, fitted, too_deep, too_many_nodes,
};
use crate::diagnostic::collect;
use crate::intrinsics::instead;
use crate::{Diagnostic, Span, codes};
use compact_str::CompactString;
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use std::borrow::Cow;

/// Reads `text`, which stands at byte `start` of its source.
pub(super) fn load(text: &str, start: usize) -> Loaded {
    let mut loader = Loader {
        text,
        start,
        stack: Vec::new(),
        anchors: Vec::new(),
        nodes: 0,
        anchored: 0,
        aliased: 0,
        root: None,
        diagnostics: Vec::new(),
    };
    let result = loader.document();
    if let Err(finding) = result {
        loader.diagnostics.push(*finding);
        loader.root = None;
    }
    Loaded {
        root: loader.root,
        diagnostics: loader.diagnostics,
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

/// A collection whose end has not come yet.
struct Open {
    span: Span,
    anchor: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        keys: Keys,
        pending: Option<Key>,
    },
}

struct Loader<'a> {
    text: &'a str,
    start: usize,
    stack: Vec<Open>,
    /// Complete anchored nodes by number, which counts from 1; one that is still open cannot be aliased.
    anchors: Vec<Option<(Node, Extent)>>,
    nodes: usize,
    anchored: usize,
    aliased: usize,
    root: Option<Node>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Loader<'a> {
    fn document(&mut self) -> Read<()> {
        // The scanner reads ahead: its own bounds keep it from going deeper than the tree may.
        let options = granit_parser::options! {
            emit_comments: false,
            flow_nesting_limit: MAX_LEVELS,
            block_nesting_limit: MAX_LEVELS,
        };
        let mut documents = 0_usize;
        for event in Parser::new_from_str_with_options(self.text, options) {
            let (event, span) = event.map_err(|error| self.syntax_error(&error))?;
            let tag_span = span.tag_span().and_then(|tag| tag.byte_range());
            let span = self.span(span.byte_range());
            match event {
                Event::DocumentStart(..) if documents > 0 => {
                    let message = "a second YAML document: a blueprint is one document";
                    let finding = Diagnostic::error(codes::SECOND_DOCUMENT, span, message);
                    return Err(Box::new(
                        finding.help("put each blueprint into a file of its own"),
                    ));
                }
                Event::DocumentStart(..) => documents += 1,
                Event::Scalar(text, style, anchor, tag) => {
                    self.tag(tag.as_deref(), tag_span, span);
                    self.scalar(text, style, anchor, span)?;
                }
                Event::SequenceStart(_, anchor, tag) => {
                    self.tag(tag.as_deref(), tag_span, span);
                    self.open(span, anchor, Items::List(Vec::new()))?;
                }
                Event::MappingStart(_, anchor, tag) => {
                    self.tag(tag.as_deref(), tag_span, span);
                    let items = Items::Map {
                        entries: Vec::new(),
                        keys: Keys::default(),
                        pending: None,
                    };
                    self.open(span, anchor, items)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
                Event::Alias(anchor) => self.alias(anchor, span)?,
                _ => {}
            }
        }
        let blank = self
            .root
            .as_ref()
            .is_none_or(|root| root.is_null() && root.span.start == root.span.end);
        if blank {
            let span = Span::new(self.start, self.start);
            return Err(Box::new(super::empty_document(span)));
        }
        Ok(())
    }

    fn syntax_error(&self, error: &ScanError) -> Box<Diagnostic> {
        // Only brackets have a place of their own; what is told by indentation starts at no character.
        let mut brackets = self.stack.iter().rev().map(|open| open.span);
        let opened = brackets.find(|span| span.end > span.start);
        let opened = opened.map(|span| span.start - self.start);
        syntax_error(error, self.text, self.start, opened)
    }

    fn scalar(&mut self, text: Cow<'a, str>, style: ScalarStyle, anchor: usize, span: Span) -> Read<()> {
        self.count(span)?;
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            _ => Style::Block,
        };
        if self.expects_key() {
            return self.key(text.into(), style, span);
        }
        let kind = if style == Style::Plain {
            self.plain(&text, span)
        } else {
            ScalarKind::String
        };
        let scalar = Scalar {
            text: text.into(),
            kind,
            style,
        };
        self.place(
            Node {
                span,
                data: Data::Scalar(scalar),
            },
            anchor,
        )
    }

    fn plain(&mut self, text: &str, span: Span) -> ScalarKind {
        match numbers::plain(text) {
            Plain::Is(kind) => kind,
            Plain::NotFinite => {
                let message = format!("`{text}` is a number that blueprints cannot hold");
                let finding = Diagnostic::error(codes::NUMBER_NOT_FINITE, span, message);
                collect(
                    &mut self.diagnostics,
                    finding.help("put it in quotes if a string is meant"),
                );
                ScalarKind::String
            }
            Plain::LeadingZero(number) => {
                let message = format!("`{text}` is the number {number}, not the text");
                let finding = Diagnostic::warning(codes::LEADING_ZERO, span, message);
                collect(
                    &mut self.diagnostics,
                    finding.help(format!("write `\"{text}\"` to keep the zeros")),
                );
                ScalarKind::Number(number)
            }
        }
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.stack.last(),
            Some(Open {
                items: Items::Map { pending: None, .. },
                ..
            })
        )
    }

    fn key(&mut self, text: CompactString, style: Style, span: Span) -> Read<()> {
        if style == Style::Plain && text == "<<" {
            let message = "the merge key `<<` is not part of YAML 1.2";
            let finding = Diagnostic::error(codes::MERGE_KEY, span, message);
            collect(
                &mut self.diagnostics,
                finding.help("write the entries out, or alias a whole value: `spec: *base`"),
            );
        } else if style == Style::Plain && span.start == span.end {
            return Err(self.key_not_text(span));
        }
        if let Some(Open {
            items: Items::Map { pending, .. },
            ..
        }) = self.stack.last_mut()
        {
            *pending = Some(Key { text, span });
        }
        Ok(())
    }

    fn key_not_text(&self, span: Span) -> Box<Diagnostic> {
        let message = "a key must be a string";
        let help = "put it in quotes if that is the name";
        Box::new(Diagnostic::error(codes::KEY_NOT_TEXT, span, message).help(help))
    }

    fn open(&mut self, span: Span, anchor: usize, items: Items) -> Read<()> {
        self.count(span)?;
        if self.expects_key() {
            return Err(self.key_not_text(span));
        }
        if self.stack.len() >= MAX_LEVELS {
            return Err(Box::new(too_deep(span)));
        }
        self.stack.push(Open { span, anchor, items });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Read<()> {
        let Some(open) = self.stack.pop() else {
            return Ok(());
        };
        let (data, last) = match open.items {
            Items::List(items) => {
                let last = items.last().map(|item| item.span.end);
                (Data::List(fitted(items)), last)
            }
            Items::Map { entries, .. } => {
                let last = entries
                    .last()
                    .map(|entry| entry.value.span.end.max(entry.key.span.end));
                (Data::Map(fitted(entries)), last)
            }
        };
        // A block collection ends with its last child, not where the parser notices that it is over.
        // An aliased child may stand far away, before the collection.
        let flow = end.end > end.start;
        let end = if flow {
            end.end
        } else {
            last.unwrap_or_default().max(open.span.end).min(end.end)
        };
        let span = Span::new(open.span.start, end.max(open.span.start));
        self.place(Node { span, data }, open.anchor)
    }

    fn place(&mut self, node: Node, anchor: usize) -> Read<()> {
        if anchor != 0 {
            let extent = node.extent();
            self.anchored += extent.nodes;
            if self.anchored > MAX_NODES {
                return Err(Box::new(too_many_nodes(node.span)));
            }
            if self.anchors.len() <= anchor {
                self.anchors.resize_with(anchor + 1, || None);
            }
            if let Some(slot) = self.anchors.get_mut(anchor) {
                *slot = Some((node.clone(), extent));
            }
        }
        self.put(node);
        Ok(())
    }

    fn put(&mut self, node: Node) {
        let finding = match self.stack.last_mut().map(|open| &mut open.items) {
            None => {
                self.root = Some(node);
                None
            }
            Some(Items::List(items)) => {
                items.push(node);
                None
            }
            Some(Items::Map {
                entries,
                keys,
                pending,
            }) => pending
                .take()
                .and_then(|key| match keys.earlier(entries, &key.text) {
                    Some(first) => Some(duplicate_key(&key.text, key.span, first)),
                    None => {
                        entries.push(Entry { key, value: node });
                        None
                    }
                }),
        };
        if let Some(finding) = finding {
            collect(&mut self.diagnostics, finding);
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Read<()> {
        self.count(span)?;
        let Some(Some((node, extent))) = self.anchors.get(anchor) else {
            let message = "an alias inside the value that it stands for";
            return Err(Box::new(Diagnostic::error(codes::ALIAS_LOOP, span, message)));
        };
        let (extent, node) = (*extent, node.clone());
        if self.expects_key() {
            return match node.data {
                Data::Scalar(scalar) => self.key(scalar.text, scalar.style, span),
                _ => Err(self.key_not_text(span)),
            };
        }
        self.aliased += extent.nodes;
        if self.aliased > MAX_ALIASED_NODES {
            let message = format!("aliases expand to more than {MAX_ALIASED_NODES} values");
            return Err(Box::new(Diagnostic::error(
                codes::TOO_MANY_ALIASES,
                span,
                message,
            )));
        }
        if self.stack.len() + extent.levels > MAX_LEVELS {
            return Err(Box::new(too_deep(span)));
        }
        self.put(node);
        Ok(())
    }

    fn count(&mut self, span: Span) -> Read<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            Err(Box::new(too_many_nodes(span)))
        } else {
            Ok(())
        }
    }

    fn tag(&mut self, tag: Option<&Tag>, range: Option<std::ops::Range<usize>>, node: Span) {
        let Some(tag) = tag else { return };
        let span = if range.is_some() { self.span(range) } else { node };
        let written = tag.original();
        let help = match written.strip_prefix('!').and_then(instead) {
            Some(instead) => format!("this is CloudFormation's; {instead}"),
            None => "remove the tag: a blueprint's types follow from how values are written".to_owned(),
        };
        let message = format!("the YAML tag `{written}` is not allowed in a blueprint");
        collect(
            &mut self.diagnostics,
            Diagnostic::error(codes::YAML_TAG, span, message).help(help),
        );
    }

    fn span(&self, range: Option<std::ops::Range<usize>>) -> Span {
        let range = range.unwrap_or_default();
        Span::new(self.start + range.start, self.start + range.end)
    }
}
