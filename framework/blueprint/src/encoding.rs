//! Bytes to text: UTF-8, or a reason why not.

use crate::{Diagnostic, Span, codes};

/// What is wrong with bytes that are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// In the text that stands in for the bytes.
    span: Span,
    message: String,
    help: String,
}

impl Unreadable {
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(codes::WRONG_ENCODING, self.span, self.message.as_str()).help(self.help.as_str())
    }
}

/// The text of the bytes, or one to show in its place.
pub(crate) fn read(bytes: Vec<u8>) -> (String, Option<Unreadable>) {
    if let Some(name) = wide(&bytes) {
        let unreadable = Unreadable {
            span: Span::default(),
            message: format!("the text is {name}, not UTF-8"),
            help: "save it as UTF-8".to_owned(),
        };
        return (String::new(), Some(unreadable));
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let unreadable = Unreadable {
                span: Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8()),
                message: format!("the byte 0x{byte:02X} is not UTF-8"),
                help: help(byte),
            };
            (text, Some(unreadable))
        }
    }
}

/// Bytes from 0xA0 on are letters in the encodings that most such files have.
fn help(byte: u8) -> String {
    let save = "save the text as UTF-8";
    match char::from(byte) {
        letter if letter.is_alphanumeric() => format!("{save}: in ISO 8859-1 this byte is `{letter}`"),
        _ => save.to_owned(),
    }
}

/// Encodings with two or four bytes for each character, told by their mark or by the zeros of their first letters.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, 1..=255, ..] | [1..=255, 0, 0, 0, ..] => {
            Some("UTF-32")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=255, 0, 1..=255, 0, ..] | [0, 1..=255, 0, 1..=255, ..] => {
            Some("UTF-16")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<(usize, &str)>) {
        let (text, unreadable) = read(bytes.to_vec());
        if let Some(found) = &unreadable {
            assert!(text.get(found.span.start..).is_some());
        }
        let found = unreadable.map(|found| (found.span.start, found.message));
        let found = found.as_ref().map(|(at, message)| (*at, message.as_str()));
        assert_eq!(found, expected, "{bytes:?}");
    }

    #[test]
    fn only_utf_8_is_text() {
        check(b"", None);
        check("\u{feff}a: \u{e9}\u{1f600}".as_bytes(), None);
        check(b"a: caf\xe9", Some((6, "the byte 0xE9 is not UTF-8")));
        check(b"a: \xf0\x9f\x98", Some((3, "the byte 0xF0 is not UTF-8")));
        check(b"\xff\xfea\0:\0", Some((0, "the text is UTF-16, not UTF-8")));
        check(b"\xfe\xff\0a\0:", Some((0, "the text is UTF-16, not UTF-8")));
        check(b"a\0:\0", Some((0, "the text is UTF-16, not UTF-8")));
        check(b"\0a\0:", Some((0, "the text is UTF-16, not UTF-8")));
        check(b"\xff\xfe\0\0a\0\0\0", Some((0, "the text is UTF-32, not UTF-8")));
        check(b"a\0\0\0", Some((0, "the text is UTF-32, not UTF-8")));
        check(b"\0\0\0\0", None);
    }

    #[test]
    fn the_byte_is_shown_as_what_it_probably_is() {
        assert_eq!(
            help(0xfc),
            "save the text as UTF-8: in ISO 8859-1 this byte is `\u{fc}`"
        );
        assert_eq!(help(0x80), "save the text as UTF-8");
    }
}
