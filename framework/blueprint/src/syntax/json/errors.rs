//! What is wrong with a text that is not JSON, at the place to change.

use super::Reader;
use crate::spelling::shown;
use crate::{Diagnostic, Span, codes};

/// Boxed, because results of reading are moved through every level of nesting.
type Finding = Box<Diagnostic>;

fn error(span: Span, message: impl Into<String>, help: &str) -> Finding {
    Box::new(Diagnostic::error(codes::JSON_SYNTAX, span, message).help(help))
}

/// Where `at` is a byte of the text.
fn place(reader: &Reader<'_>, at: usize, length: usize) -> Span {
    Span::new(reader.start + at, reader.start + at + length)
}

/// What was found instead, as messages say it.
fn found(reader: &Reader<'_>) -> String {
    match reader.rest().chars().next() {
        Some('`') => "found a backtick".to_owned(),
        Some(found) => format!("found `{}`", shown(found.encode_utf8(&mut [0; 4]))),
        None => "found the end of the document".to_owned(),
    }
}

/// What people bring along from other notations stands wherever something is expected.
fn foreign(reader: &Reader<'_>) -> Option<Finding> {
    let rest = reader.rest();
    let (message, help) = if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
        (
            "JSON allows no comments",
            "remove it, or write the blueprint in YAML",
        )
    } else if rest.starts_with([
        '\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{ab}',
    ]) {
        ("JSON knows no typographic quotes", "use the straight quote `\"`")
    } else if rest.starts_with('\u{feff}') {
        (
            "a byte order mark inside the text",
            "remove it: only the start of a file may have one",
        )
    } else if rest.starts_with('\u{a0}') {
        ("a no-break space between values", "use ordinary spaces")
    } else {
        return None;
    };
    Some(error(reader.here(), message, help))
}

/// Something else than a value. The reader stands behind the word that starts at `start`, if it is one.
pub(super) fn no_value(reader: &Reader<'_>, start: usize) -> Finding {
    let word = reader.text.get(start..reader.at).unwrap_or_default();
    let span = reader.span(start);
    match word {
        "" => {}
        "NaN" | "Infinity" => return not_finite(span, word),
        "True" | "False" | "TRUE" | "FALSE" => {
            let help = format!("write `{}`", word.to_ascii_lowercase());
            return error(span, format!("`{word}` is no JSON value"), &help);
        }
        "None" | "nil" | "undefined" | "Null" | "NULL" => {
            return error(span, format!("`{word}` is no JSON value"), "write `null`");
        }
        _ if reader
            .text
            .get(..start)
            .is_some_and(|before| before.trim().is_empty()) =>
        {
            let message = "this is not JSON, which starts with `{`";
            return error(span, message, "name a blueprint in YAML `.yaml`");
        }
        _ => {
            let message = "expected a value, found a word without quotes";
            return error(span, message, "put a string in double quotes");
        }
    }
    if let Some(finding) = foreign(reader) {
        return finding;
    }
    let help = match reader.rest().chars().next() {
        Some('\'' | '`') => "put strings in double quotes",
        Some(',') => "remove the comma, or write the value before it",
        Some('}' | ']') => "write a value, or remove what asks for one",
        Some('$') => "put substitutions in double quotes: `\"${...}\"`",
        None => "complete the document",
        _ => "a value is a string in double quotes, a number, `true`, `false`, `null`, `{...}` or `[...]`",
    };
    error(
        reader.here(),
        format!("expected a value, {}", found(reader)),
        help,
    )
}

fn not_finite(span: Span, text: &str) -> Finding {
    let message = format!("`{text}` is a number that JSON cannot hold");
    error(span, message, "put it in double quotes if a string is meant")
}

/// The reader stands behind what looked like a number.
pub(super) fn number(reader: &Reader<'_>, start: usize) -> Finding {
    let text = reader.text.get(start..reader.at).unwrap_or_default();
    let span = reader.span(start);
    let digits = text.trim_start_matches(['-', '+']);
    if matches!(digits, "Infinity" | "NaN" | "inf") {
        return not_finite(span, text);
    }
    let help = if digits.starts_with("0x") || digits.starts_with("0X") {
        "JSON has decimal numbers only: put it in double quotes if a string is meant"
    } else if digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        "put it in double quotes to keep the zeros, or remove them"
    } else if text.starts_with('+') {
        "remove the `+`"
    } else if digits.starts_with('.') {
        "write a digit before the point"
    } else if digits.ends_with('.') {
        "write a digit after the point, or remove the point"
    } else {
        "put it in double quotes if a string is meant"
    };
    error(span, format!("`{}` is not a JSON number", shown(text)), help)
}

pub(super) fn no_key(reader: &Reader<'_>) -> Finding {
    if let Some(finding) = foreign(reader) {
        return finding;
    }
    let help = match reader.peek() {
        Some(b',') => "remove the comma",
        None => "close the braces with `}`",
        _ => "JSON wants quotes: `\"key\": ...`",
    };
    error(
        reader.here(),
        format!("expected a key in double quotes, {}", found(reader)),
        help,
    )
}

pub(super) fn no_colon(reader: &Reader<'_>, key: Span) -> Finding {
    if let Some(finding) = foreign(reader) {
        return finding;
    }
    let message = format!("expected `:` after the key, {}", found(reader));
    match reader.peek() {
        // The colon belongs right behind the key.
        Some(b'"' | b'{' | b'[' | b'0'..=b'9' | b'a'..=b'z') => {
            error(Span::new(key.end, key.end), message, "write `\"key\": value`")
        }
        _ => error(reader.here(), message, "write `\"key\": value`"),
    }
}

/// `end` is where the value before ended.
pub(super) fn no_comma(reader: &Reader<'_>, end: usize, close: u8) -> Finding {
    if let Some(finding) = foreign(reader) {
        return finding;
    }
    let close = char::from(close);
    match reader.peek() {
        None => {
            let message = format!("expected `,` or `{close}`, found the end of the document");
            error(reader.here(), message, &format!("close it with `{close}`"))
        }
        Some(bracket @ (b'}' | b']')) => {
            let message = format!("expected `,` or `{close}`, found `{}`", char::from(bracket));
            error(reader.here(), message, &format!("close it with `{close}`"))
        }
        Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b'\'') => {
            let message = format!(
                "expected `,` before the next {}",
                if close == '}' { "key" } else { "item" }
            );
            error(place(reader, end, 0), message, "separate them by `,`")
        }
        _ => {
            let message = format!("expected `,` or `{close}`, {}", found(reader));
            error(
                reader.here(),
                message,
                "remove it, or put the whole value in double quotes",
            )
        }
    }
}

pub(super) fn trailing_comma(reader: &Reader<'_>, comma: usize) -> Finding {
    let message = "JSON allows no comma after the last value";
    error(place(reader, comma, 1), message, "remove the comma")
}

/// Something after the document.
pub(super) fn more(reader: &Reader<'_>) -> Finding {
    if let Some(finding) = foreign(reader) {
        return finding;
    }
    let help = match reader.peek() {
        Some(b'}' | b']') => "there is one bracket too many: remove it",
        Some(b',') => "remove the comma",
        _ => "a document is one value: remove what comes after it",
    };
    error(
        reader.here(),
        format!("expected the end of the document, {}", found(reader)),
        help,
    )
}

pub(super) fn control(reader: &Reader<'_>, byte: u8) -> Finding {
    let (what, help) = match byte {
        b'\t' => ("a tab in a string".to_owned(), "write it as `\\t`"),
        0x08 => ("a backspace in a string".to_owned(), "write it as `\\b`"),
        0x0c => ("a form feed in a string".to_owned(), "write it as `\\f`"),
        _ => (
            format!("a control character in a string, U+{byte:04X}"),
            "remove it, or write it as an escape, such as `\\u0001`",
        ),
    };
    error(reader.here(), what, help)
}

pub(super) fn unclosed_string(reader: &Reader<'_>, opened: usize) -> Finding {
    let finding = error(
        place(reader, opened, 1),
        "a string that is not closed",
        "close it with `\"`",
    );
    match reader.peek() {
        Some(_) => {
            let help = "close it with `\"` on its line; a line break within is written `\\n`";
            Box::new(finding.help(help))
        }
        None => finding,
    }
}

/// The reader stands at the backslash.
pub(super) fn escape(reader: &Reader<'_>) -> Finding {
    const KNOWN: &str =
        "JSON knows `\\\" \\\\ \\/ \\b \\f \\n \\r \\t` and `\\u` with four hexadecimal digits";
    let mut characters = reader.rest().chars().skip(1);
    let next = characters.next().filter(|next| !next.is_control());
    let length = 1 + next.map_or(0, char::len_utf8);
    match next {
        Some('u') => {
            let digits = characters.take(4).take_while(char::is_ascii_hexdigit).count();
            let span = place(reader, reader.at, length + digits);
            if digits == 4 {
                error(
                    span,
                    "half of a surrogate pair",
                    "write the character itself, or both halves",
                )
            } else {
                error(
                    span,
                    "`\\u` needs four hexadecimal digits",
                    "write `\\\\` for a backslash",
                )
            }
        }
        Some(next) => {
            let message = format!("`\\{}` is no escape", shown(next.encode_utf8(&mut [0; 4])));
            let help = format!("write `\\\\` for a backslash; {KNOWN}");
            error(place(reader, reader.at, length), message, &help)
        }
        None => error(
            place(reader, reader.at, 1),
            "a backslash without what it escapes",
            KNOWN,
        ),
    }
}

/// An error at the end of the text, or at a bracket of the wrong kind, is about the bracket that was opened last:
/// its place is told as well.
pub(super) fn within(reader: &Reader<'_>, finding: Finding, opened: usize) -> Finding {
    let at = finding.span.start - reader.start;
    let wrong = reader
        .text
        .as_bytes()
        .get(at)
        .is_some_and(|byte| matches!(byte, b'}' | b']'));
    let bracket = finding.message.starts_with("expected `,` or");
    if !finding.labels.is_empty() || !(at >= reader.text.len() || (wrong && bracket)) {
        return finding;
    }
    Box::new(finding.label(place(reader, opened, 1), "opened here"))
}
