//! Source text and positions in it.

use crate::encoding::{self, Unreadable};
use crate::syntax::{self, Paths};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A half-open range of bytes in a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// True if `other` lies within this range.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// How the text of a [`Source`] came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2 text.
    Yaml,
    /// JSON text (comments and trailing commas are errors).
    Json,
    /// An inline object of a CloudFormation template, printed as JSON by us: its author never saw these
    /// lines, so positions are shown as a path (`resources.queue.spec.queueName`), and every scalar may
    /// have been turned into a string on the way.
    Inline,
}

/// The text of one blueprint and its name.
///
/// ```
/// use formwork_blueprint::{Format, Source, Span};
///
/// let source = Source::new("orders.yaml", "version: 2023-04-20\nresources: {}\n");
/// assert_eq!(source.format(), Format::Yaml);
/// assert_eq!(source.location(Span::new(20, 29)).to_string(), "orders.yaml:2:1");
/// ```
#[derive(Clone)]
pub struct Source {
    name: String,
    text: String,
    format: Format,
    /// The first byte of every line.
    lines: Vec<u32>,
    /// Why the bytes it was made of are no text.
    unreadable: Option<Unreadable>,
    /// Where which path of keys leads, for inline sources: made when first asked for.
    paths: OnceLock<Arc<Paths>>,
}

/// Where something stands, as a person says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Name of the source (a file name, `Blueprint`, `BlueprintBody`, an S3 address).
    pub name: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// For inline sources, the path of keys instead of line and column.
    pub path: Option<String>,
}

impl Source {
    /// A source with its format told by the name's ending, then by the first character (`{` is JSON).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        let opens_object = text
            .trim_start_matches(BYTE_ORDER_MARK)
            .trim_start()
            .starts_with('{');
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let format = match ending {
            Some("json") => Format::Json,
            Some("yaml" | "yml") => Format::Yaml,
            _ if opens_object => Format::Json,
            _ => Format::Yaml,
        };
        Source::with_format(name, text, format)
    }

    /// A source of a file's or an object's bytes. Bytes that are no UTF-8 make a source as well: a check of it
    /// finds nothing but that (`wrong-encoding`), at the line and column of the first such byte.
    ///
    /// ```
    /// use formwork_blueprint::{Source, check};
    ///
    /// let source = Source::from_bytes("orders.yaml", b"# M\xfcnchen\n".to_vec());
    /// let finding = &check(&source).diagnostics[0];
    /// assert_eq!(finding.code, "wrong-encoding");
    /// assert_eq!(source.location(finding.span).to_string(), "orders.yaml:1:4");
    /// ```
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let (text, unreadable) = encoding::read(bytes);
        Source {
            unreadable,
            ..Source::new(name, text)
        }
    }

    /// A source made of an inline object (see [`Format::Inline`]).
    pub fn inline(name: impl Into<String>, object: &serde_json::Value) -> Self {
        // Alternate formatting is the indented form, and unlike `to_string_pretty` it has no error case.
        Source::with_format(name, format!("{object:#}"), Format::Inline)
    }

    /// A source of known format, for restoring a stored one.
    pub fn with_format(name: impl Into<String>, text: impl Into<String>, format: Format) -> Self {
        let text = text.into();
        let lines = line_starts(&text);
        Source {
            name: name.into(),
            text,
            format,
            lines,
            unreadable: None,
            paths: OnceLock::new(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the bytes it was made of are no text.
    pub(crate) fn unreadable(&self) -> Option<&Unreadable> {
        self.unreadable.as_ref()
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The location of a span's start.
    pub fn location(&self, span: Span) -> Location {
        let (line, column) = self.line_and_column(span.start);
        let path = (self.format == Format::Inline).then(|| {
            let paths = self.paths.get_or_init(|| Arc::new(syntax::paths(self)));
            paths.to(span)
        });
        Location {
            name: self.name.clone(),
            line,
            column,
            path,
        }
    }

    /// Line and column, from 1, one past a span's last character.
    pub fn end(&self, span: Span) -> (usize, usize) {
        self.line_and_column(span.end)
    }

    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let first = |start: &u32| usize::try_from(*start).unwrap_or(usize::MAX);
        let line = self.lines.partition_point(|start| first(start) <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.lines.get(index))
            .map(first)
            .unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        (
            line,
            before
                .chars()
                .filter(|character| *character != BYTE_ORDER_MARK)
                .count()
                + 1,
        )
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        // All else follows from these.
        (&self.name, &self.text, self.format, &self.unreadable)
            == (&other.name, &other.text, other.format, &other.unreadable)
    }
}

impl Eq for Source {}

/// The first byte of every line. YAML's line breaks count: `\n`, `\r\n` and a lone `\r`. A text that is too large
/// to be read is one line: nothing in it is ever pointed at.
fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    if bytes.len() > syntax::MAX_BYTES {
        return starts;
    }
    let start = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    starts.extend(memchr::memchr_iter(b'\n', bytes).map(start));
    let sorted = starts.len();
    let lone = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n'));
    starts.extend(lone.map(start));
    if starts.len() > sorted {
        starts.sort_unstable();
    }
    starts
}

pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

impl fmt::Debug for Source {
    /// Shows the name and the size: the text may hold secret defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("format", &self.format)
            .field("bytes", &self.text.len())
            .finish()
    }
}

impl fmt::Display for Location {
    /// `orders.yaml:12:7`, or `Blueprint: resources.queue.spec.queueName` for inline sources.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_deref() {
            Some("") => f.write_str(&self.name),
            Some(path) => write!(f, "{}: {path}", self.name),
            None => write!(f, "{}:{}:{}", self.name, self.line, self.column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, find: &str, expected: &str) {
        let source = Source::with_format("a.yaml", text, Format::Yaml);
        let start = text.find(find).unwrap();
        assert_eq!(
            source.location(Span::new(start, start + find.len())).to_string(),
            expected
        );
    }

    #[test]
    fn columns_count_characters_from_one() {
        check("a: 1", "a", "a.yaml:1:1");
        check("ключ: ж x", "x", "a.yaml:1:9");
        check("a: 1\r\nb: 2\r\n", "b", "a.yaml:2:1");
        check("\u{feff}a: 1", "a", "a.yaml:1:1");
        check("a:\n  😀: x", "x", "a.yaml:2:6");
        check("a: 1\rb: 2\rc: 3\n\rd: 4", "c", "a.yaml:3:1");
        check("a: 1\rb: 2\rc: 3\n\rd: 4", "d", "a.yaml:5:1");
    }

    #[test]
    fn the_end_of_the_text_has_a_location() {
        let source = Source::with_format("a.yaml", "a: 1\n", Format::Yaml);
        assert_eq!(source.location(Span::new(5, 5)).to_string(), "a.yaml:2:1");
        assert_eq!(source.location(Span::new(500, 501)).to_string(), "a.yaml:2:1");
    }

    #[test]
    fn inline_sources_show_a_path() {
        let object = serde_json::json!({"resources": {"queue": {"spec": {"tags": [{"key": "x"}]}}}});
        let source = Source::inline("Blueprint", &object);
        let start = source.text().find("\"x\"").unwrap();
        let location = source.location(Span::new(start, start + 3));
        assert_eq!(
            location.to_string(),
            "Blueprint: resources.queue.spec.tags[0].key"
        );
        assert_eq!(source.location(Span::new(0, 1)).to_string(), "Blueprint");
    }

    #[test]
    fn the_format_follows_the_name_then_the_text() {
        assert_eq!(Source::new("a.json", "a: 1").format(), Format::Json);
        assert_eq!(Source::new("a.yaml", "{a: 1}").format(), Format::Yaml);
        assert_eq!(Source::new("BlueprintBody", " \u{feff}").format(), Format::Yaml);
        assert_eq!(
            Source::new("BlueprintBody", "\u{feff} {\"a\": 1}").format(),
            Format::Json
        );
    }

    #[test]
    fn debug_does_not_print_the_text() {
        let source = Source::new("a.yaml", "default: hunter2");
        assert!(!format!("{source:?}").contains("hunter2"));
    }
}
