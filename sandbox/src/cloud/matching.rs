//! A text that a pattern matches: for generated values that none of the usual forms fits.

use fastrand::Rng;
use regex_syntax::hir::{Class, Hir, HirKind};

/// More than this is not needed of any repetition.
const MOST_REPEATED: u32 = 64;

/// A text of at least `shortest` characters where repetitions allow it; nothing for a pattern that cannot be
/// read. Look-arounds of the pattern are not looked at: the caller checks.
pub(super) fn text(pattern: &str, shortest: usize, rng: &mut Rng) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    write(&hir, 0, rng, &mut text);
    let missing = shortest.saturating_sub(text.chars().count());
    if missing > 0 {
        text.clear();
        write(&hir, u32::try_from(missing).ok()?, rng, &mut text);
    }
    Some(text)
}

/// Writes the shortest match, with `more` repetitions wherever there may be. Patterns nest a few levels only:
/// the parser bounds them.
fn write(hir: &Hir, more: u32, rng: &mut Rng, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(one_of(class, rng)),
        HirKind::Repetition(repetition) => {
            // One where none would do: `[a-z]*` is meant to be a name.
            let wanted = repetition
                .min
                .max(1)
                .saturating_add(more)
                .min(MOST_REPEATED.max(repetition.min));
            for _ in 0..wanted.min(repetition.max.unwrap_or(u32::MAX)) {
                write(&repetition.sub, 0, rng, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, rng, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, more, rng, text)),
        HirKind::Alternation(choices) => {
            if let Some(first) = choices.first() {
                write(first, more, rng, text);
            }
        }
    }
}

/// A character of a class: a letter or digit where it has one.
fn one_of(class: &Class, rng: &mut Rng) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let inside = |character: &char| {
        ranges
            .iter()
            .any(|(start, end)| (start..=end).contains(&character))
    };
    let usual: Vec<char> = ('a'..='z').chain('0'..='9').filter(inside).collect();
    rng.choice(usual)
        .or_else(|| ranges.first().map(|(start, _)| *start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn the_text_matches_its_pattern() {
        let mut rng = Rng::with_seed(7);
        for (pattern, shortest) in [
            (
                r"^arn:aws[a-z-]*:scheduler:[a-z0-9\-]+:\d{12}:schedule\/[0-9a-zA-Z-_.]+\/[0-9a-zA-Z-_.]+$",
                1,
            ),
            (r"^(sg|vpc)-[0-9a-f]{8,17}$", 12),
            (r"^[A-Z]{2}\.[^a-z0-9]?$", 1),
            (r"[\s\S]*", 20),
        ] {
            let text = text(pattern, shortest, &mut rng).unwrap();
            assert!(Regex::new(pattern).unwrap().is_match(&text), "{pattern}: {text}");
            assert!(text.chars().count() >= shortest, "{pattern}: {text}");
        }
        assert_eq!(text(r"^(?!aws:).*$", 1, &mut rng), None);
    }
}
