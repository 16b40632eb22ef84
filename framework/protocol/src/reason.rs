//! Text that is fit for a Reason.

/// Cleans a text: one line, no control characters.
///
/// A run of line breaks becomes `; ` (a space after `:`, `;` or `,`), a tab becomes a space, terminal colour
/// sequences and every other control character go: an ESC in one Reason breaks the console's whole event list.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut line_ended = false;
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => line_ended = true,
            '\u{1b}' if characters.peek() == Some(&'[') => {
                characters.next();
                // A control sequence ends with its first byte in `@`..=`~`.
                while characters.next_if(|next| !('@'..='~').contains(next)).is_some() {}
                characters.next();
            }
            '\t' | ' ' if line_ended => {}
            '\t' => cleaned.push(' '),
            other if other.is_control() => {}
            other => {
                if std::mem::take(&mut line_ended) {
                    cleaned.truncate(cleaned.trim_end().len());
                    if !cleaned.is_empty() {
                        cleaned.push_str(if cleaned.ends_with([':', ';', ',']) {
                            " "
                        } else {
                            "; "
                        });
                    }
                }
                cleaned.push(other);
            }
        }
    }
    cleaned
}

/// Cuts a text so that, written as JSON, it has at most `limit` bytes between its quotes. What was cut off is
/// replaced by `…`. Never splits a character. `None` when not even the mark fits.
pub(crate) fn fit(text: &str, limit: usize) -> Option<String> {
    const MARK: char = '…';
    if text.chars().map(escaped_len).sum::<usize>() <= limit {
        return Some(text.to_owned());
    }
    let mut left = limit.checked_sub(MARK.len_utf8())?;
    let mut kept = String::new();
    for character in text.chars() {
        match left.checked_sub(escaped_len(character)) {
            Some(rest) => left = rest,
            None => break,
        }
        kept.push(character);
    }
    kept.push(MARK);
    Some(kept)
}

/// How many bytes a character takes inside a JSON string.
pub(crate) fn escaped_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\u{0}'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_go_and_lines_are_joined() {
        for (text, cleaned) in [
            ("plain", "plain"),
            ("a\n\n  b\r\nc\n", "a; b; c"),
            ("cause:\n\tno such key", "cause: no such key"),
            ("\u{1b}[1;31mred\u{1b}[0m \u{1b}alert\u{7f}\u{0}", "red alert"),
            ("a\tb", "a b"),
            ("cut \u{1b}[", "cut "),
            ("\u{0}\n\u{1b}", ""),
            ("größe €", "größe €"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn cleaned_text_is_one_line_without_controls(text in any::<String>()) {
            let breaks = ['\u{2028}', '\u{2029}'];
            prop_assert!(!clean(&text).chars().any(|c| c.is_control() || breaks.contains(&c)));
        }

        #[test]
        fn escaped_len_agrees_with_the_encoder(text in any::<String>()) {
            let expected = serde_json::to_string(&text).unwrap().len() - 2;
            prop_assert_eq!(text.chars().map(escaped_len).sum::<usize>(), expected);
        }

        #[test]
        fn fitted_text_keeps_the_limit_and_is_a_prefix(text in any::<String>(), limit in 0_usize..80) {
            match fit(&text, limit) {
                Some(fitted) => {
                    prop_assert!(serde_json::to_string(&fitted).unwrap().len() - 2 <= limit);
                    prop_assert!(fitted == text || text.starts_with(fitted.strip_suffix('…').unwrap()));
                }
                None => prop_assert!(limit < 3 && !text.is_empty()),
            }
        }
    }
}
