//! "did you mean": the nearest known name.

/// Beyond this many candidates no suggestion is looked for, so that checking stays linear in practice.
const MAX_CANDIDATES: usize = 2_000;

/// The candidate nearest to `written`, if any is near enough to be a slip; of equally near ones the first.
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(written);
    let allowed = match folded.chars().count() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(written.len()) <= 6 && *candidate != written)
        .map(|candidate| (strsim::osa_distance(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed && *distance < folded.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?" for the nearest candidate.
pub(crate) fn did_you_mean<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(written, candidates).map(|name| format!("did you mean `{name}`?"))
}

/// A choice for messages: `a`, `b` or `c`.
pub(crate) fn one_of(names: &[&str]) -> String {
    join(names, "or")
}

/// A list for messages: `a`, `b` and `c`.
pub(crate) fn all_of(names: &[&str]) -> String {
    join(names, "and")
}

/// Names of which there are more: `a`, `b`.
pub(crate) fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn join(names: &[&str], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} {word} `{last}`", first.join(", "))
        }
    }
}

/// Text of the author as messages show it: on one line, and not too long.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            shown.push_str("...");
            break;
        }
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

/// A message with an author's texts in it, held to what messages promise: one line, and not without end.
/// The middle is what is left out: the reason stands behind what it is about.
pub(crate) fn one_line(text: String) -> String {
    const LONGEST: usize = 1_000;
    const HEAD: usize = 700;
    let mut text = text;
    if text.contains(char::is_control) {
        text = text
            .chars()
            .map(|c| {
                if c.is_control() {
                    c.escape_default().to_string()
                } else {
                    c.to_string()
                }
            })
            .collect();
    }
    if text.len() > LONGEST {
        let (head, tail) = (
            text.floor_char_boundary(HEAD),
            text.ceil_char_boundary(text.len() - (LONGEST - HEAD)),
        );
        text.replace_range(head..tail, "...");
    }
    text
}

/// Case, hyphens and underscores are the slips that no distance should count.
pub(crate) fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let keys = ["type", "description", "metadata", "linkSelector", "spec"];
        for (written, expected) in [
            ("spce", Some("spec")),
            ("Type", Some("type")),
            ("link_selector", Some("linkSelector")),
            ("descripton", Some("description")),
            ("properties", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, keys), expected, "{written}");
        }
    }

    #[test]
    fn text_is_shown_on_one_short_line() {
        assert_eq!(shown("it's \"so\"\n\u{0}"), "it's \"so\"\\n\\u{0}");
        assert_eq!(shown(&"x".repeat(1_000)), format!("{}...", "x".repeat(60)));
    }

    #[test]
    fn messages_are_one_line_and_end() {
        assert_eq!(one_line("all\u{a0}is well".to_owned()), "all\u{a0}is well");
        assert_eq!(one_line("a\nb\u{85}\t".to_owned()), "a\\nb\\u{85}\\t");
        let long = one_line(format!("`{}` is a list", "é".repeat(5_000)));
        assert!(long.starts_with("`éé") && long.contains("é...é") && long.ends_with("é` is a list"));
        assert!(long.len() <= 1_003, "{}", long.len());
    }

    #[test]
    fn lists_read_like_english() {
        assert_eq!(one_of(&["a"]), "`a`");
        assert_eq!(one_of(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(all_of(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
