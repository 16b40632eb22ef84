//! Lines around a place in a text, for errors that are noticed elsewhere than where they were made.

use std::ops::Range;

/// A text by lines. Lines are looked at from a place outwards, and only for one error: nothing is stored.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    text: &'a str,
}

/// A line with its place, without its break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
}

/// A line's key and what stands behind its colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub(super) key: &'a str,
    pub(super) key_at: Range<usize>,
    pub(super) value: &'a str,
    pub(super) value_at: Range<usize>,
}

const BREAKS: [char; 2] = ['\n', '\r'];

impl<'a> Page<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Page { text }
    }

    /// The text from a place on.
    pub(super) fn after(self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn before(self, at: usize) -> &'a str {
        self.text.get(..at).unwrap_or_default()
    }

    /// The line that holds a place.
    pub(super) fn line(self, at: usize) -> Line<'a> {
        let start = self.before(at).rfind(BREAKS).map_or(0, |found| found + 1);
        let rest = self.after(start);
        let end = rest.find(BREAKS).unwrap_or(rest.len());
        Line {
            start,
            text: rest.get(..end).unwrap_or_default(),
        }
    }

    /// The lines before the one that holds a place, nearest first, without blank ones and comments.
    pub(super) fn lines_before(self, at: usize) -> impl Iterator<Item = Line<'a>> {
        let mut start = self.line(at).start;
        std::iter::from_fn(move || {
            // Over the break, of which `\r\n` has two characters; an empty line between is blank anyway.
            let line = self.line(start.checked_sub(1)?);
            start = line.start;
            Some(line)
        })
        .filter(|line| !line.is_blank())
    }

    /// The word or the sign at a place: what to underline where nothing better is known.
    pub(super) fn word(self, at: usize) -> Range<usize> {
        let rest = self.after(at);
        let end = rest
            .find([' ', '\t', '\n', '\r', ',', ']', '}'])
            .unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        at..at + end.max(first.min(rest.find(BREAKS).unwrap_or(first)))
    }

    /// From a place to the end of its line, without white space and a comment behind.
    pub(super) fn rest_of_line(self, at: usize) -> Range<usize> {
        let rest = self.after(at);
        let line = rest
            .get(..rest.find(BREAKS).unwrap_or(rest.len()))
            .unwrap_or_default();
        at..at + without_comment(line).len()
    }

    /// The end of what is written before a place, white space and comments aside.
    pub(super) fn end_before(self, at: usize) -> usize {
        let line = self.line(at);
        let within = self.text.get(line.start..at).unwrap_or_default().trim_end();
        if !within.trim_start().is_empty() {
            return line.start + within.len();
        }
        let found = self.lines_before(at).next();
        found.map_or(at, |line| line.start + without_comment(line.text).len())
    }

    /// The nearest quote before a place that opens a string and is not closed on its line.
    pub(super) fn open_quote(self, at: usize) -> Option<Range<usize>> {
        self.lines_before(at).find_map(|line| {
            let opened = line.open_quote()?;
            Some(line.start + opened..line.start + opened + 1)
        })
    }
}

impl<'a> Line<'a> {
    pub(super) fn is_blank(&self) -> bool {
        let text = self.text.trim_start();
        text.is_empty() || text.starts_with('#')
    }

    /// How many spaces it starts with.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }

    /// Its text without indentation, comment and white space behind.
    pub(super) fn content(&self) -> Range<usize> {
        let indent = self.text.len() - self.text.trim_start().len();
        self.start + indent..self.start + without_comment(self.text).len().max(indent)
    }

    /// Whether it starts with the dash of a list item.
    pub(super) fn is_item(&self) -> bool {
        let text = self.text.trim_start();
        text == "-" || text.starts_with("- ")
    }

    /// The key it starts with, behind the dashes of list items.
    pub(super) fn pair(&self) -> Option<Pair<'a>> {
        let mut at = self.text.len() - self.text.trim_start().len();
        while let Some(rest) = self.text.get(at..).and_then(|rest| rest.strip_prefix("- ")) {
            at += 2 + rest.len() - rest.trim_start().len();
        }
        let rest = self.text.get(at..)?;
        let quoted = match rest.chars().next()? {
            quote @ ('"' | '\'') => closing_quote(rest, quote)?,
            _ => 0,
        };
        let behind = rest.get(quoted..)?;
        let colon = quoted
            + behind
                .find(": ")
                .or(behind.ends_with(':').then(|| behind.len() - 1))?;
        let value_at = colon + 1;
        let value_at = value_at + rest.get(value_at..)?.len() - rest.get(value_at..)?.trim_start().len();
        let value = without_comment(rest.get(value_at..)?);
        let start = self.start + at;
        Some(Pair {
            key: rest.get(..colon)?.trim_end(),
            key_at: start..start + rest.get(..colon)?.trim_end().len(),
            value,
            value_at: start + value_at..start + value_at + value.len(),
        })
    }

    /// Where on it a quote opens a string that it does not close.
    fn open_quote(&self) -> Option<usize> {
        let mut at = 0;
        loop {
            let rest = self.text.get(at..)?;
            let found = at + rest.find(['"', '\''])?;
            let quote = self.text.get(found..)?.chars().next()?;
            let before = self.text.get(..found)?.chars().next_back();
            if !before.is_none_or(|before| matches!(before, ' ' | '\t' | '[' | '{' | ',' | ':')) {
                // Within a word: `it's`.
                at = found + 1;
                continue;
            }
            match self.text.get(found..).and_then(|rest| closing_quote(rest, quote)) {
                Some(length) => at = found + length,
                None => return Some(found),
            }
        }
    }
}

/// How long the quoted string at the start is, its quotes included, if it ends on this line.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            let doubled = quote == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some();
            if !doubled {
                return Some(at + 1);
            }
        }
    }
    None
}

fn without_comment(line: &str) -> &str {
    let end = line.find(" #").unwrap_or(line.len());
    line.get(..end).unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_keys_and_values() {
        let page = Page::new("a: 1\n  - - key: some value # why\n\"x: y\": 'z'\nplain text\nlast:");
        let pair = |at: usize| page.line(at).pair().map(|pair| (pair.key, pair.value));
        assert_eq!(pair(0), Some(("a", "1")));
        assert_eq!(pair(10), Some(("key", "some value")));
        assert_eq!(pair(40), Some(("\"x: y\"", "'z'")));
        assert_eq!(pair(50), None);
        assert_eq!(pair(60), Some(("last", "")));
    }

    #[test]
    fn lines_before_are_those_with_something_on_them() {
        let page = Page::new("a\r\n\r\n  # b\n c\n\nd");
        let before: Vec<&str> = page.lines_before(15).map(|line| line.text).collect();
        assert_eq!(before, [" c", "a"]);
    }

    #[test]
    fn a_quote_is_open_until_it_is_closed() {
        let open = |text: &str| Page::new(text).open_quote(text.len()).map(|found| found.start);
        assert_eq!(open("a: \"x\nb"), Some(3));
        assert_eq!(open("a: \"x\\\"\nb"), Some(3));
        assert_eq!(open("a: 'x''y'\nb"), None);
        assert_eq!(open("a: it's\nb"), None);
        assert_eq!(open("a: 'x'\nb: ['y', 'z\nc"), Some(16));
    }
}
