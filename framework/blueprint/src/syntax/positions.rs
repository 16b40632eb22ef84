//! From a scalar's text back to the bytes it was written with.

use super::tree::{Node, Style};
use crate::Span;

/// Where each byte of a scalar's text stands in the source: escapes, doubled quotes, folded lines and
/// block indentation make the two differ.
#[derive(Debug)]
pub(crate) enum Positions {
    /// The text stands in the source as it is, from this byte on.
    Same(usize),
    /// The source offset of every byte of the text, and of its end.
    Mapped(Vec<usize>),
    /// The text does not stand in the source: all of it is at the place of what it was made from.
    Made(Span),
}

impl Positions {
    /// Aligns a scalar with its raw text in `source`. Characters other than white space are exact.
    pub(crate) fn of(node: &Node, source: &str) -> Self {
        let Some(scalar) = node.scalar() else {
            return Positions::Same(node.span.start);
        };
        let Span { start, end } = node.span;
        let raw = source.get(start..end).unwrap_or_default();
        if scalar.style == Style::Made {
            return Positions::Made(node.span);
        }
        let text = scalar.text.as_str();
        let skipped = match scalar.style {
            Style::Plain => 0,
            Style::SingleQuoted | Style::DoubleQuoted => 1,
            // The header, `|2-` and its like, is a line of its own. A parser that leaves the header out of
            // the span leaves nothing to skip.
            Style::Block if raw.starts_with(['|', '>']) => raw.find('\n').map_or(raw.len(), |at| at + 1),
            Style::Block | Style::Made => 0,
        };
        if raw.get(skipped..).is_some_and(|rest| rest.starts_with(text)) && !text.contains(['\\', '\'']) {
            return Positions::Same(start + skipped);
        }
        Positions::Mapped(
            align(text, raw, skipped, scalar.style)
                .map(|offset| start + offset)
                .collect(),
        )
    }

    /// The source bytes of a range of the text.
    pub(crate) fn span(&self, from: usize, to: usize) -> Span {
        match self {
            Positions::Same(start) => Span::new(start + from, start + to),
            Positions::Made(span) => *span,
            Positions::Mapped(offsets) => {
                let at = |index: usize| offsets.get(index).or(offsets.last()).copied().unwrap_or_default();
                // The end of the last character, which may be an escape, is where the next one starts,
                // unless folded white space lies between: then it is close enough.
                Span::new(at(from), at(to).max(at(from)))
            }
        }
    }
}

/// For every byte of `text`, then for its end, the offset in `raw` of the character it belongs to.
fn align(text: &str, raw: &str, skipped: usize, style: Style) -> impl Iterator<Item = usize> {
    let mut offsets = Vec::with_capacity(text.len() + 1);
    let mut at = skipped;
    for character in text.chars() {
        if style == Style::DoubleQuoted {
            at = skip_continuations(raw, at);
        }
        let escape = escape_length(raw, at, style);
        if escape > 0 {
            offsets.extend(std::iter::repeat_n(at, character.len_utf8()));
            at += escape;
            continue;
        }
        if !character.is_whitespace() {
            while let Some(space) =
                char_at(raw, at).filter(|found| *found != character && found.is_whitespace())
            {
                at += space.len_utf8();
            }
            if style == Style::DoubleQuoted {
                at = skip_continuations(raw, at);
            }
            let escape = escape_length(raw, at, style);
            if escape > 0 {
                offsets.extend(std::iter::repeat_n(at, character.len_utf8()));
                at += escape;
                continue;
            }
        }
        offsets.extend(std::iter::repeat_n(at, character.len_utf8()));
        if char_at(raw, at) == Some(character) {
            at += character.len_utf8();
        }
    }
    offsets.push(at);
    offsets.into_iter()
}

fn char_at(raw: &str, at: usize) -> Option<char> {
    raw.get(at..).and_then(|rest| rest.chars().next())
}

/// Steps over `\` at a line's end, which joins it with the next without a space.
fn skip_continuations(raw: &str, mut at: usize) -> usize {
    while let Some(rest) = raw.get(at..).and_then(|rest| rest.strip_prefix('\\')) {
        if !rest.starts_with(['\n', '\r']) {
            break;
        }
        at += 1 + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }
    at
}

/// How many bytes the escape at `at` takes, 0 if there is none.
fn escape_length(raw: &str, at: usize, style: Style) -> usize {
    let rest = raw.get(at..).unwrap_or_default();
    match style {
        Style::SingleQuoted if rest.starts_with("''") => 2,
        Style::DoubleQuoted => {
            let Some(escaped) = rest.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
                return 0;
            };
            match escaped {
                'x' => 4,
                'u' => unicode_length(rest),
                'U' => 10,
                other => 1 + other.len_utf8(),
            }
        }
        _ => 0,
    }
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
}
