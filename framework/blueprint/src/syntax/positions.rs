//! From a scalar's text back to the bytes it was written with.
//!
//! Escapes, doubled quotes, folded lines and the indentation of blocks make the two differ. [`Positions`] follows
//! the source along the text, by the rules of each style, and remembers the runs in which both go together.

use super::tree::{Node, Style};
use crate::Span;

/// Where each byte of a scalar's text stands in the source.
#[derive(Debug)]
pub(crate) enum Positions {
    /// The text stands in the source as it is, from this byte on.
    Same(usize),
    /// Piece by piece.
    Pieces(Pieces),
    /// The text does not stand in the source: all of it is at the place of what it was made from.
    Made(Span),
}

/// Pieces of a text in order, without gaps.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// Where the scalar starts in the source; the pieces count from here.
    start: usize,
    pieces: Vec<Piece>,
    /// How long the text is, and where in the scalar its last character ends.
    text_end: u32,
    source_end: u32,
}

/// A run of text as it stands in the source, or an escape or a folded line break that became something else.
/// Documents are far smaller than 4 GiB, and there can be as many pieces as characters: they are kept small.
#[derive(Debug, Clone, Copy)]
struct Piece {
    text: u32,
    source: u32,
    source_end: u32,
}

impl Positions {
    /// Aligns a scalar with its raw text in `source`.
    pub(crate) fn of(node: &Node, source: &str) -> Self {
        let Span { start, end } = node.span;
        let Some(scalar) = node.scalar() else {
            return Positions::Same(start);
        };
        let (raw, text) = (source.get(start..end).unwrap_or_default(), scalar.text.as_str());
        let quotes = usize::from(matches!(scalar.style, Style::SingleQuoted | Style::DoubleQuoted));
        let body = raw
            .get(quotes..raw.len().saturating_sub(quotes))
            .unwrap_or_default();
        // An escape never stands for itself, nor does a folded line: equal texts are written as they are.
        if body == text {
            return Positions::Same(start + quotes);
        }
        let mut alignment = Alignment::new(text, raw, quotes);
        match scalar.style {
            Style::Plain => alignment.folded(|_| None),
            Style::SingleQuoted => alignment.folded(doubled_quote),
            Style::DoubleQuoted => alignment.folded(escape),
            Style::Block => alignment.block(indentation(source, start)),
            Style::Made => return Positions::Made(node.span),
        }
        Positions::Pieces(alignment.finish(start))
    }

    /// The source bytes of a range of the text.
    pub(crate) fn span(&self, from: usize, to: usize) -> Span {
        match self {
            Positions::Same(start) => Span::new(start + from, start + to),
            Positions::Made(span) => *span,
            Positions::Pieces(pieces) => {
                let start = pieces.offset(from);
                let end = match to.checked_sub(1) {
                    Some(last) if to > from => pieces.end(last),
                    _ => start,
                };
                Span::new(start, end.max(start))
            }
        }
    }
}

impl Pieces {
    /// Where the character at a byte of the text starts.
    fn offset(&self, at: usize) -> usize {
        let at = small(at);
        if at >= self.text_end {
            return self.start + wide(self.source_end);
        }
        let (piece, verbatim) = self.piece(at);
        let within = if verbatim {
            at.saturating_sub(piece.text)
        } else {
            0
        };
        self.start + wide(piece.source + within)
    }

    /// One past the character whose last byte this is.
    fn end(&self, last: usize) -> usize {
        let last = small(last);
        let (piece, verbatim) = self.piece(last);
        if verbatim {
            self.start + wide(piece.source + last.saturating_sub(piece.text) + 1)
        } else {
            self.start + wide(piece.source_end)
        }
    }

    /// The piece that holds a byte of the text, and whether it stands in the source as it is.
    fn piece(&self, at: u32) -> (Piece, bool) {
        let next = self.pieces.partition_point(|piece| piece.text <= at);
        let end = self.pieces.get(next).map_or(self.text_end, |piece| piece.text);
        let found = next
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index))
            .copied();
        let piece = found.unwrap_or(Piece {
            text: 0,
            source: 0,
            source_end: 0,
        });
        let verbatim = end.checked_sub(piece.text) == piece.source_end.checked_sub(piece.source);
        (piece, verbatim)
    }
}

impl Piece {
    /// Whether it is as long as its text, which ends where the next piece begins, and that follows in the source.
    fn ends_verbatim_at(&self, next: Piece) -> bool {
        self.source_end == next.source && next.text - self.text == self.source_end - self.source
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn wide(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The text and the raw scalar, and how far both have been walked.
struct Alignment<'a> {
    text: &'a str,
    raw: &'a str,
    text_at: usize,
    raw_at: usize,
    pieces: Vec<Piece>,
}

/// How many bytes the escape at the start of the rest takes, if one stands there.
type Escapes = fn(&str) -> Option<usize>;

impl<'a> Alignment<'a> {
    fn new(text: &'a str, raw: &'a str, raw_at: usize) -> Self {
        Alignment {
            text,
            raw,
            text_at: 0,
            raw_at,
            pieces: Vec::new(),
        }
    }

    /// What is left of the text belongs to the end: there is nothing left when the rules are followed.
    fn finish(self, start: usize) -> Pieces {
        Pieces {
            start,
            pieces: self.pieces,
            text_end: small(self.text_at),
            source_end: small(self.raw_at),
        }
    }

    fn rest_of_text(&self) -> &'a str {
        self.text.get(self.text_at..).unwrap_or_default()
    }

    fn rest_of_raw(&self) -> &'a str {
        self.raw.get(self.raw_at..).unwrap_or_default()
    }

    /// So many bytes of text are written as so many bytes of source.
    fn piece(&mut self, text: usize, source: usize) {
        let piece = Piece {
            text: small(self.text_at),
            source: small(self.raw_at),
            source_end: small(self.raw_at + source),
        };
        match self.pieces.last_mut() {
            _ if text == 0 => {}
            // Words of one line go on as one piece.
            Some(last) if text == source && last.ends_verbatim_at(piece) => {
                last.source_end = piece.source_end
            }
            _ => self.pieces.push(piece),
        }
        self.text_at += text;
        self.raw_at += source;
    }

    /// Plain and quoted scalars: white space around line breaks is folded, escapes are undone.
    fn folded(&mut self, escapes: Escapes) {
        while let Some(next) = self.rest_of_text().chars().next() {
            let raw = self.rest_of_raw();
            if let Some(length) = escapes(raw) {
                if raw.get(1..).is_some_and(|rest| rest.starts_with(['\n', '\r'])) {
                    self.escaped_break();
                } else {
                    self.piece(next.len_utf8(), length);
                }
                continue;
            }
            let white = raw.len() - raw.trim_start_matches([' ', '\t']).len();
            if raw
                .get(white..)
                .is_some_and(|rest| rest.starts_with(['\n', '\r']))
            {
                self.raw_at += white;
                self.breaks();
                continue;
            }
            // As far as the two go together; a run of white space that is no end of a line is part of it.
            let special = |at: &usize| {
                let here = raw.as_bytes().get(*at);
                matches!(here, None | Some(b'\n' | b'\r' | b' ' | b'\t' | b'\\' | b'\''))
            };
            let run = (0..=raw.len())
                .find(|at| *at >= white.max(1) && special(at))
                .unwrap_or(raw.len());
            let text = self.rest_of_text().as_bytes();
            let same = raw
                .bytes()
                .zip(text.iter())
                .take(run)
                .take_while(|(left, right)| left == *right)
                .count();
            match raw.floor_char_boundary(same) {
                // They part ways, against the rules: the rest of the text has no place of its own.
                0 => return,
                same => self.piece(same, same),
            }
        }
    }

    /// Line breaks between two lines of a folded text: the first becomes a space, or nothing where empty lines
    /// follow, each of which is a line break.
    fn breaks(&mut self) {
        let mut places = Vec::new();
        while let Some(length) = line_break(self.rest_of_raw()) {
            places.push((self.raw_at, length));
            self.raw_at += length;
            let rest = self.rest_of_raw();
            self.raw_at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        let after = self.raw_at;
        let kept = if places.len() > 1 {
            places.get(1..)
        } else {
            Some(places.as_slice())
        };
        for (at, length) in kept.unwrap_or_default() {
            if self.rest_of_text().starts_with([' ', '\n']) {
                self.raw_at = *at;
                self.piece(1, *length);
            }
        }
        self.raw_at = after;
    }

    /// A line break behind a backslash is nothing; empty lines after it are line breaks.
    fn escaped_break(&mut self) {
        self.raw_at += 1;
        let mut first = true;
        while let Some(length) = line_break(self.rest_of_raw()) {
            if first {
                self.raw_at += length;
            } else {
                self.piece(usize::from(self.rest_of_text().starts_with('\n')), length);
            }
            first = false;
            let rest = self.rest_of_raw();
            self.raw_at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
    }

    /// Literal and folded blocks, from the first line's text on. What stands in the lines stands in the text;
    /// what lies between is line breaks, or the space that a fold has made of one.
    fn block(&mut self, indentation: usize) {
        // Empty lines before the first, which the span leaves out.
        let leading = self.rest_of_text().len() - self.rest_of_text().trim_start_matches('\n').len();
        self.piece(leading, 0);
        loop {
            let raw = self.rest_of_raw();
            let line = raw.find(['\n', '\r']).unwrap_or(raw.len());
            if raw
                .get(..line)
                .is_some_and(|line| self.rest_of_text().starts_with(line))
            {
                self.piece(line, line);
            } else {
                return;
            }
            let mut breaks = self.rest_of_text().len() - self.rest_of_text().trim_start_matches('\n').len();
            if breaks == 0 && self.rest_of_text().starts_with(' ') {
                breaks = 1;
            }
            // Over the empty lines, to the next that has text.
            loop {
                let Some(length) = line_break(self.rest_of_raw()) else {
                    self.piece(breaks, 0);
                    return;
                };
                let now = breaks.min(1);
                self.piece(now, length);
                breaks -= now;
                let rest = self.rest_of_raw();
                let spaces = rest.len() - rest.trim_start_matches(' ').len();
                self.raw_at += spaces.min(indentation);
                if !self.rest_of_raw().is_empty() && line_break(self.rest_of_raw()).is_none() {
                    break;
                }
            }
            self.piece(breaks, 0);
        }
    }
}

/// The column at which a block's first line of text starts, which is the indentation of them all.
fn indentation(source: &str, start: usize) -> usize {
    let before = source.get(..start).unwrap_or_default();
    before.len() - before.rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// How many bytes the line break at the start takes.
fn line_break(rest: &str) -> Option<usize> {
    match rest.as_bytes() {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}

fn doubled_quote(raw: &str) -> Option<usize> {
    raw.starts_with("''").then_some(2)
}

/// The escapes of YAML's double quotes, which are more than JSON's.
fn escape(rest: &str) -> Option<usize> {
    let escaped = rest.strip_prefix('\\')?.chars().next()?;
    Some(match escaped {
        'x' => 4,
        'u' => unicode_length(rest),
        'U' => 10,
        other => 1 + other.len_utf8(),
    })
}

/// A character beyond the first 65,536 takes two `\u` escapes in JSON.
fn unicode_length(rest: &str) -> usize {
    let high = rest
        .get(2..6)
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let pair = high.is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
    if pair && rest.get(6..8) == Some("\\u") {
        12
    } else {
        6
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::syntax::{Data, load};
    use crate::{Format, Source};
    use proptest::prelude::*;
    use std::fmt::Write as _;

    /// Finds `${` in the value of the only key and gives its line and column.
    #[track_caller]
    fn check(format: Format, document: &str, expected: (usize, usize)) {
        let source = Source::with_format("a", document, format);
        let root = load(&source).root.expect("a document");
        let Data::Map(entries) = &root.data else {
            panic!("expected a map")
        };
        let node = &entries[0].value;
        let text = &node.scalar().expect("a scalar").text;
        let from = text.find("${").expect("a substitution");
        let to = text[from..].find('}').expect("its end") + from + 1;
        let span = Positions::of(node, document).span(from, to);
        let location = source.location(span);
        assert_eq!(
            (location.line, location.column),
            expected,
            "{document:?} {span:?}"
        );
        assert!(document[span.start..].starts_with("${"), "{document:?}");
        assert!(
            document[..span.end].ends_with('}'),
            "{document:?} {:?}",
            &document[span.start..span.end]
        );
    }

    #[test]
    fn substitutions_are_found_in_every_style() {
        use Format::{Json, Yaml};
        check(Yaml, "a: ${x}", (1, 4));
        check(Yaml, "a: foo ${x} bar", (1, 8));
        check(Yaml, "a: \"foo ${x}\"", (1, 9));
        check(Yaml, "a: 'foo ${x}'", (1, 9));
        check(Yaml, "a: 'it''s ${x}'", (1, 11));
        check(Yaml, "a: \"\\t\\x41\\u00e9 \\\" ${x}\"", (1, 21));
        check(Yaml, "a: \"one\n  two ${x}\"", (2, 7));
        check(Yaml, "a: \"one \\\n   two ${x}\"", (2, 8));
        check(Yaml, "a: one\n  two\n\n  three ${x} z", (4, 9));
        check(Yaml, "a: |\n  one\n  two ${x}\n", (3, 7));
        check(Yaml, "a: |-\n  one\n\n    two ${x}\n", (4, 9));
        check(Yaml, "a: >+\n  one\n  two ${x}\n\n", (3, 7));
        check(Yaml, "a: |2-\n    ${x}\n", (2, 5));
        check(Yaml, "a: |\r\n  one\r\n  two ${x}\r\n", (3, 7));
        check(Yaml, "a: é😀 ${x}", (1, 7));
        check(Json, "{\"a\": \"foo ${x}\"}", (1, 12));
        check(Json, "{\"a\": \"\\ud83d\\ude00\\n\\\\ ${x}\"}", (1, 25));
        check(Json, "{\"a\": \"${f(\\\"q\\\")}\"}", (1, 8));
    }

    /// Pieces of a scalar's source, with a substitution here and there.
    fn pieces(style: usize) -> impl Strategy<Value = Vec<String>> {
        let escaped = match style {
            1 => "''",
            2 => "\\t|\\x41|\\u00e9|\\U0001F600|\\ud83d\\ude00|\\\"|\\\\\\\\|\\L|\\N|\\\n",
            _ => "",
        };
        let literal = |text: &'static str| Just(text.to_owned());
        let escapes: Vec<String> = escaped.split('|').map(str::to_owned).collect();
        let piece = prop_oneof![
            3 => literal("${}"),
            4 => "[a-z]{1,3}".prop_map(|word| word),
            1 => literal("é"),
            1 => literal("😀"),
            1 => literal("$"),
            4 => literal(" "),
            1 => literal("\t"),
            3 => literal("\n"),
            1 => literal("\n\n"),
            1 => literal("\n  "),
            1 => literal("\r\n"),
            1 => literal("\n \t "),
            2 => prop::sample::select(escapes),
        ];
        prop::collection::vec(piece, 0..20)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Every substitution is found where it is written, whatever the style and whatever stands around it.
        #[test]
        fn places_are_exact((style, pieces) in (0..8_usize).prop_flat_map(|style| (Just(style), pieces(style)))) {
            let mut number = 0;
            let mut body = String::new();
            for piece in pieces {
                if piece == "${}" {
                    number += 1;
                    let _infallible = write!(body, "${{v{number}}}");
                } else {
                    body.push_str(&piece);
                }
            }
            let indented = body.replace('\n', "\n    ");
            let scalar = match style {
                0 => format!("x{indented}"),
                1 => format!("'{indented}'"),
                2 => format!("\"{indented}\""),
                3 => format!("|\n    {indented}"),
                4 => format!(">\n    {indented}"),
                5 => format!(">2+\n    {indented}"),
                6 => format!("|-  # why\n\n    {indented}"),
                _ => format!("&anchor >-\n  \n    {indented}"),
            };
            let document = format!("é:\n  a: {scalar}\n  b: 1\n");
            let source = Source::with_format("a", document.as_str(), Format::Yaml);
            let Some(root) = load(&source).root else { return Ok(()) };
            let Data::Map(entries) = &root.data else { panic!("a map") };
            let Data::Map(entries) = &entries[0].value.data else { panic!("a map") };
            let node = &entries[0].value;
            let text = &node.scalar().expect("a scalar").text;
            let positions = Positions::of(node, &document);
            for number in 1..=number {
                let written = format!("${{v{number}}}");
                let Some(from) = text.find(&written) else { continue };
                let span = positions.span(from, from + written.len());
                prop_assert_eq!(document.get(span.start..span.end), Some(written.as_str()), "{:?} {:?}", document, text);
            }
            // Whatever is asked for lies within the scalar, in order.
            let mut before = node.span.start;
            for (at, character) in text.char_indices() {
                let span = positions.span(at, at + character.len_utf8());
                prop_assert!(before <= span.start && span.start <= span.end && span.end <= node.span.end, "{:?} {}", document, at);
                prop_assert!(document.get(span.start..span.end).is_some(), "{:?} {}", document, at);
                before = span.start;
            }
        }
    }
}
