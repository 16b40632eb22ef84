//! JSON text to tree: RFC 8259 to the letter, in one pass.

mod errors;

use super::tree::{Data, Entry, Key, Node, Scalar, ScalarKind, Style};
use super::{Keys, Loaded, MAX_LEVELS, MAX_NODES, duplicate_key, fitted, numbers, too_deep, too_many_nodes};
use crate::diagnostic::collect;
use crate::{Diagnostic, Span};
use compact_str::CompactString;

/// Reads `text`, which stands at byte `start` of its source.
pub(super) fn load(text: &str, start: usize) -> Loaded {
    let mut reader = Reader {
        text,
        start,
        at: 0,
        levels: 0,
        nodes: 0,
        diagnostics: Vec::new(),
    };
    let root = match reader.document() {
        Ok(root) => Some(root),
        Err(finding) => {
            reader.diagnostics.push(*finding);
            None
        }
    };
    Loaded {
        root,
        diagnostics: reader.diagnostics,
    }
}

/// Boxed, because results of it are moved through every level of nesting.
type Read<T> = Result<T, Box<Diagnostic>>;

struct Reader<'a> {
    text: &'a str,
    start: usize,
    at: usize,
    levels: usize,
    nodes: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Read<Node> {
        self.skip_space();
        if self.peek().is_none() {
            return Err(Box::new(super::empty_document(self.here())));
        }
        let root = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(errors::more(self)),
        }
    }

    fn value(&mut self) -> Read<Node> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Box::new(too_many_nodes(self.here())));
        }
        let start = self.at;
        let data = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Data::Scalar(Scalar {
                text: self.string()?,
                kind: ScalarKind::String,
                style: Style::DoubleQuoted,
            }),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node {
            span: self.span(start),
            data,
        })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Data>) -> Read<Data> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return Err(Box::new(too_deep(self.here())));
        }
        let start = self.at;
        self.at += 1;
        let data = read(self).map_err(|finding| errors::within(self, finding, start))?;
        self.levels -= 1;
        Ok(data)
    }

    fn object(&mut self) -> Read<Data> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = Keys::default();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Data::Map(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(errors::no_key(self));
            }
            let text = self.string()?;
            let key = Key {
                text,
                span: self.span(start),
            };
            self.skip_space();
            if !self.eat(b':') {
                return Err(errors::no_colon(self, key.span));
            }
            self.skip_space();
            let value = self.value()?;
            match keys.earlier(&entries, &key.text) {
                Some(first) => {
                    let finding = duplicate_key(&key.text, key.span, first);
                    collect(&mut self.diagnostics, finding);
                }
                None => entries.push(Entry { key, value }),
            }
            let end = self.at;
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Data::Map(fitted(entries)));
            }
            self.comma(end, b'}')?;
        }
    }

    fn array(&mut self) -> Read<Data> {
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Data::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value()?);
            let end = self.at;
            self.skip_space();
            if self.eat(b']') {
                return Ok(Data::List(fitted(items)));
            }
            self.comma(end, b']')?;
        }
    }

    fn comma(&mut self, end: usize, close: u8) -> Read<()> {
        let comma = self.at;
        if !self.eat(b',') {
            return Err(errors::no_comma(self, end, close));
        }
        self.skip_space();
        match self.peek() {
            Some(found) if found == close => Err(errors::trailing_comma(self, comma)),
            _ => Ok(()),
        }
    }

    fn string(&mut self) -> Read<CompactString> {
        let opened = self.at;
        self.at += 1;
        let mut text = CompactString::default();
        loop {
            let run = self.run();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if text.is_empty() {
                        return Ok(run.into());
                    }
                    text.push_str(run);
                    return Ok(text);
                }
                Some(b'\\') => {
                    text.push_str(run);
                    text.push(self.escape()?);
                }
                Some(byte) if byte != b'\n' && byte != b'\r' => return Err(errors::control(self, byte)),
                _ => return Err(errors::unclosed_string(self, opened)),
            }
        }
    }

    /// Steps over what stands in a string as it is.
    fn run(&mut self) -> &'a str {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
        self.at += rest.iter().position(special).unwrap_or(rest.len());
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let escaped = self.peek();
        self.at += 1;
        let simple = match escaped {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'/') => Some('/'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => self.unicode(),
            _ => None,
        };
        simple.ok_or_else(|| {
            self.at = start;
            errors::escape(self)
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !(self.eat(b'\\') && self.eat(b'u')) {
            return None;
        }
        let second = self.hex4().filter(|unit| (0xdc00..0xe000).contains(unit))?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let number = digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(digits)?;
        self.at += 4;
        u32::from_str_radix(number, 16).ok()
    }

    fn number(&mut self) -> Read<Data> {
        let start = self.at;
        // Letters belong to a number that is none, such as `0x1F` or `-Infinity`.
        let number = |byte| matches!(byte, b'-' | b'+' | b'.') || u8::is_ascii_alphanumeric(&byte);
        while self.peek().is_some_and(number) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        match numbers::json(text) {
            Some(number) => Ok(Data::Scalar(Scalar {
                text: text.into(),
                kind: ScalarKind::Number(number),
                style: Style::Plain,
            })),
            None => Err(errors::number(self, start)),
        }
    }

    fn word(&mut self) -> Read<Data> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let kind = match text {
            "null" => ScalarKind::Null,
            "true" => ScalarKind::Bool(true),
            "false" => ScalarKind::Bool(false),
            _ => return Err(errors::no_value(self, start)),
        };
        Ok(Data::Scalar(Scalar {
            text: text.into(),
            kind,
            style: Style::Plain,
        }))
    }

    fn skip_space(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.start + start, self.start + self.at)
    }

    fn here(&self) -> Span {
        let width = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        Span::new(self.start + self.at, self.start + self.at + width)
    }

    /// What is left of the text.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let loaded = load(text, 0);
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
        let root = loaded.root.expect("a document");
        assert_eq!(
            root.scalar().map(|scalar| scalar.text.as_str()),
            Some(expected),
            "{text}"
        );
    }

    #[test]
    fn escapes_are_undone() {
        check(r#""plain é""#, "plain é");
        check(r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t");
        check(r#""\u00e9\uD83D\uDE00\u0000""#, "é😀\0");
    }

    #[test]
    fn broken_escapes_are_refused() {
        for text in [
            r#""\x""#,
            r#""\u12""#,
            r#""\u+123""#,
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ud83dA""#,
            r#""\udc00""#,
            "\"\\",
        ] {
            assert!(load(text, 0).root.is_none(), "{text}");
        }
    }
}
