//! Mistakes in and around quotes.

use super::Mistake;
use crate::Diagnostic;
use crate::spelling::shown;
use std::ops::Range;

impl Mistake<'_> {
    pub(super) fn unclosed_string(&self, quote: Range<usize>) -> Diagnostic {
        let sign = self.text(quote.clone());
        let finding = self.say(quote.clone(), "a string that is not closed");
        let noticed = self.page.line(self.at);
        if noticed.start > quote.start && !noticed.is_blank() {
            let content = noticed.content();
            return finding
                .label(self.span(content), "not indented enough to belong to it")
                .help(format!("close it with `{sign}`, or indent its further lines"));
        }
        finding.help(format!("close it with `{sign}`"))
    }

    /// Text right behind a closing quote.
    pub(super) fn after_quote(&self) -> Diagnostic {
        let before = self.page.before(self.at);
        let quote = before.trim_end().chars().next_back().unwrap_or('"');
        let within = before.ends_with(['"', '\'']);
        if self.opened.is_some() && !within {
            let end = before.trim_end().len();
            let next = self.shown(self.word());
            return self
                .say(end..end, format!("expected `,` before `{next}`"))
                .help("separate entries in brackets by `,`, and a key from its value by `: `");
        }
        let finding = self.say(self.rest_of_line(), "text after the closing quote");
        match quote {
            '\'' if within => finding.help("write `''` for a quote inside single quotes"),
            '"' if within => finding.help("write `\\\"` for a quote inside double quotes"),
            _ => finding.help("put all of it in quotes, or remove it"),
        }
    }

    /// The parser names the string's start: the escape is the first that cannot be read.
    pub(super) fn escape(&self) -> Diagnostic {
        let Some((place, message, help)) = bad_escape(self.page.after(self.at)) else {
            return self.say(self.sign(), "an escape that cannot be read");
        };
        self.say(self.at + place.start..self.at + place.end, message)
            .help(help)
    }
}

/// The first escape of a double-quoted string that is none: its place, what is wrong, and what to do.
fn bad_escape(string: &str) -> Option<(Range<usize>, String, &'static str)> {
    const NAMES: &str = "0abt\tnvfre \"/\\N_LP\n\r";
    let mut at = 0;
    loop {
        at += string.get(at..)?.find('\\')?;
        let rest = string.get(at + 1..)?;
        let letter = rest.chars().next()?;
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            letter if NAMES.contains(letter) => {
                at += 1 + letter.len_utf8();
                continue;
            }
            letter => {
                let place = at..at + 1 + letter.len_utf8();
                let message = format!("`\\{}` is no escape", shown(letter.encode_utf8(&mut [0; 4])));
                return Some((
                    place,
                    message,
                    "write `\\\\` for a backslash, or use single quotes",
                ));
            }
        };
        let number = |from: usize, count: usize| {
            let digits = string.get(from..from + count)?;
            let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            all.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
        };
        let Some(unit) = number(at + 2, digits) else {
            let written = rest.get(1..).unwrap_or_default();
            let present = written
                .bytes()
                .take(digits)
                .take_while(u8::is_ascii_hexdigit)
                .count();
            let message = format!("`\\{letter}` needs {digits} hexadecimal digits");
            return Some((
                at..at + 2 + present,
                message,
                "write `\\\\` for a backslash, or use single quotes",
            ));
        };
        let end = at + 2 + digits;
        let low = string.get(end..end + 2) == Some("\\u");
        let low = low.then(|| number(end + 2, 4)).flatten();
        match unit {
            0xd800..0xdc00 if low.is_some_and(|low| (0xdc00..0xe000).contains(&low)) => at = end + 6,
            0xd800..0xe000 => {
                let message = "half of a surrogate pair".to_owned();
                return Some((at..end, message, "write the character itself, or both halves"));
            }
            _ if char::from_u32(unit).is_none() => {
                let message = "an escape beyond the last character, U+10FFFF".to_owned();
                return Some((at..end, message, "write the character itself"));
            }
            _ => at = end,
        }
    }
}
