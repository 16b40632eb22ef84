//! `pattern` keywords: Java regular expressions, run by Rust's engines.
//!
//! A pattern is translated where the dialects differ, compiled on first use by `regex`, else by
//! `fancy-regex` (look-around), and kept. One that neither can compile matches everything: a deployment
//! never fails on a pattern we cannot read.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

const SIZE_LIMIT: usize = 64 << 20;

/// The compiled patterns of one schema.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    compiled: RwLock<HashMap<String, Arc<Pattern>>>,
}

#[derive(Debug)]
enum Pattern {
    Plain(regex::Regex),
    Fancy(fancy_regex::Regex),
    Skipped,
}

impl Patterns {
    /// True if the pattern is found in the text, or cannot be run.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> bool {
        let known = self
            .compiled
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(pattern)
            .cloned();
        let compiled = known.unwrap_or_else(|| {
            let fresh = Arc::new(compile(pattern));
            let mut all = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
            all.entry(pattern.to_owned()).or_insert(fresh).clone()
        });
        match &*compiled {
            Pattern::Plain(regex) => regex.is_match(text),
            // An error is the backtracking limit: the text is given the benefit of the doubt.
            Pattern::Fancy(regex) => regex.is_match(text).unwrap_or(true),
            Pattern::Skipped => true,
        }
    }
}

fn compile(java: &str) -> Pattern {
    let pattern = translate(java);
    if let Ok(regex) = regex::RegexBuilder::new(&pattern).size_limit(SIZE_LIMIT).build() {
        return Pattern::Plain(regex);
    }
    match fancy_regex::RegexBuilder::new(&pattern)
        .delegate_size_limit(SIZE_LIMIT)
        .build()
    {
        Ok(regex) => Pattern::Fancy(regex),
        Err(_) => Pattern::Skipped,
    }
}

/// Rewrites what means something else, or nothing, in Rust's dialect: ASCII classes, POSIX names, `\Z`,
/// `$` before a final line break, a hyphen after a class, and brackets and tildes that Java takes as such.
fn translate(java: &str) -> String {
    let mut out = String::with_capacity(java.len() + 16);
    let mut characters = java.chars().peekable();
    let mut depth = 0_usize;
    while let Some(character) = characters.next() {
        let inside = depth > 0;
        match character {
            '\\' => {
                let Some(escaped) = characters.next() else {
                    out.push('\\');
                    break;
                };
                let class = match escaped {
                    'w' => Some("0-9A-Za-z_"),
                    'd' => Some("0-9"),
                    's' => Some(r"\t\n\x0B\f\r "),
                    'W' => Some("^0-9A-Za-z_"),
                    'D' => Some("^0-9"),
                    'S' => Some(r"^\t\n\x0B\f\r "),
                    'p' => posix(&mut characters),
                    _ => None,
                };
                match (class, escaped) {
                    (Some(class), _) if inside && !class.starts_with('^') => {
                        out.push_str(class);
                        if characters.peek() == Some(&'-') {
                            characters.next();
                            out.push_str(if characters.peek() == Some(&']') {
                                "-"
                            } else {
                                r"\-"
                            });
                        }
                    }
                    (Some(class), _) => {
                        out.push('[');
                        out.push_str(class);
                        out.push(']');
                    }
                    (None, 'Z' | 'z') => out.push_str(if escaped == 'Z' { r"(?:\r?\n)?\z" } else { r"\z" }),
                    (None, escaped) => {
                        out.push('\\');
                        out.push(escaped);
                    }
                }
            }
            '[' => {
                depth += 1;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
                if depth == 1 && characters.peek() == Some(&']') {
                    characters.next();
                    out.push_str(r"\]");
                }
            }
            ']' if inside => {
                depth -= 1;
                out.push(']');
            }
            // Java has no `--` and `~~` between sets.
            '~' if inside => out.push_str(r"\~"),
            '-' if inside && characters.peek() == Some(&'-') => {
                characters.next();
                out.push_str(r"-\-");
            }
            '$' if !inside => out.push_str(r"(?:\r?\n)?\z"),
            plain => out.push(plain),
        }
    }
    out
}

/// The members of a POSIX class (`\p{Graph}`), ASCII in Java; consumes its name only if it is one.
fn posix(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<&'static str> {
    let mut ahead = characters.clone();
    if ahead.next() != Some('{') {
        return None;
    }
    let name: String = ahead.by_ref().take_while(|character| *character != '}').collect();
    let members = match name.as_str() {
        "Lower" => "a-z",
        "Upper" => "A-Z",
        "Alpha" => "A-Za-z",
        "Digit" => "0-9",
        "Alnum" => "0-9A-Za-z",
        "Punct" => r"!-/:-@\[-`{-\~",
        "Graph" => r"!-\~",
        "Print" => r" -\~",
        "Blank" => r" \t",
        "Cntrl" => r"\x00-\x1F\x7F",
        "XDigit" => "0-9A-Fa-f",
        "Space" => r"\t\n\x0B\f\r ",
        "ASCII" => r"\x00-\x7F",
        _ => return None,
    };
    *characters = ahead;
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_java() {
        let patterns = Patterns::default();
        for (pattern, text, expected) in [
            ("^[a-z]+$", "abc", true),
            ("^[a-z]+$", "abc\n", true),
            ("^[a-z]+$", "abc1", false),
            ("b", "abc", true),
            (r"^\w+$", "äb", false),
            (r"^\d+$", "٣", false),
            (r"^[\w-.~]+$", "a-b.~", true),
            (r"^[\w+=,.@-]+\Z", "a-b", true),
            (r"\A[\w-]+\Z", "a b", false),
            (r"^(?!aws:)[\w:]+$", "aws:x", false),
            (r"^(?!aws:)[\w:]+$", "own:x", true),
            (r"^\p{Graph}+$", "a!", true),
            (r"^[\p{Alpha}_]+$", "ab1", false),
            (r"^[\p{L}]+$", "äb", true),
            (r"^[\S]+$", "a b", false),
            (r"^[^\s]+$", "ab", true),
            (r"^[+--]+$", "+,-", true),
            (r"^[a~~b]+$", "a~b", true),
            (r"(", "anything", true),
            (r"a\", "anything", true),
        ] {
            assert_eq!(patterns.is_match(pattern, text), expected, "{pattern} {text:?}");
        }
    }

    #[test]
    fn nearly_all_official_patterns_compile() {
        let mut all = std::collections::BTreeSet::new();
        for bundled in crate::bundled_types() {
            let document = crate::load(bundled.name).unwrap().unwrap().document;
            collect(&document, &mut all);
        }
        let skipped: Vec<_> = all
            .iter()
            .filter(|text| matches!(compile(text), Pattern::Skipped))
            .collect();
        assert!(all.len() > 2000, "{}", all.len());
        assert!(skipped.len() < 15, "{} skipped: {skipped:#?}", skipped.len());
    }

    fn collect(schema: &serde_json::Value, all: &mut std::collections::BTreeSet<String>) {
        match schema {
            serde_json::Value::Object(members) => {
                if let Some(serde_json::Value::String(pattern)) = members.get("pattern") {
                    all.insert(pattern.clone());
                }
                members.values().for_each(|member| collect(member, all));
            }
            serde_json::Value::Array(elements) => elements.iter().for_each(|element| collect(element, all)),
            _ => {}
        }
    }
}
