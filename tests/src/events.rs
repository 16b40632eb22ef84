//! The events of `events/` and the responses expected of them, compared as `events/README.md` says.

use serde_json::{Map, Value};
use std::path::PathBuf;

/// The folder `events/`.
#[must_use]
pub fn folder() -> PathBuf {
    crate::binaries::workspace().join("events")
}

/// Reads `events/<name>`.
///
/// # Panics
/// When it is not there, or not JSON.
#[must_use]
pub fn load(name: &str) -> Value {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Checks a response document against `events/<event>.expected.json`.
///
/// # Panics
/// When they differ, with every difference.
pub fn assert_expected(event: &str, response: &Value) {
    let expected = load(&format!("{event}.expected.json"));
    let differences = differences(&expected, response);
    assert!(
        differences.is_empty(),
        "the response to `{event}` differs:\n{}\n{response:#}",
        differences.join("\n")
    );
}

/// Every difference between a document and what was expected of it, each with its path.
#[must_use]
pub fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, actual, &mut found);
    found
}

fn compare(path: &str, expected: &Value, actual: &Value, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => compare_objects(path, expected, actual, found),
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                compare(&format!("{path}/{index}"), expected, actual, found);
            }
        }
        (Value::String(pattern), Value::String(text)) if matches(pattern, text) => {}
        _ if expected == actual => {}
        _ => found.push(format!("{path}: expected {expected}, found {actual}")),
    }
}

fn compare_objects(
    path: &str,
    expected: &Map<String, Value>,
    actual: &Map<String, Value>,
    found: &mut Vec<String>,
) {
    for (key, value) in expected {
        match actual.get(key) {
            Some(actual) => compare(&format!("{path}/{key}"), value, actual, found),
            None => found.push(format!("{path}/{key}: missing, expected {value}")),
        }
    }
    for (key, value) in actual.iter().filter(|(key, _)| !expected.contains_key(*key)) {
        found.push(format!("{path}/{key}: not expected, found {value}"));
    }
}

/// A string that is one placeholder stands for any text but the empty one; placeholders inside a longer
/// string stand for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let literals = literals(pattern);
    let (Some(first), Some(last)) = (literals.first(), literals.last()) else {
        return false;
    };
    match literals.len() {
        1 => *first == text,
        2 if first.is_empty() && last.is_empty() => !text.is_empty(),
        _ => {
            let Some(rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
                return false;
            };
            let middle = &literals[1..literals.len() - 1];
            middle
                .iter()
                .try_fold(rest, |rest, literal| {
                    rest.split_once(literal).map(|(_, after)| after)
                })
                .is_some()
        }
    }
}

/// The parts of a pattern around its `{{name}}` placeholders.
fn literals(pattern: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some((before, (_, after))) = rest
        .split_once("{{")
        .and_then(|(before, tail)| Some((before, tail.split_once("}}")?)))
    {
        parts.push(before);
        rest = after;
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn placeholders_stand_for_text() {
        for (pattern, text, expected) in [
            ("plain", "plain", true),
            ("plain", "plainer", false),
            ("{{id}}", "anything", true),
            ("{{id}}", "", false),
            ("{{a}}middle{{b}}", "middle", true),
            ("{{a}}middle{{b}}", "in the middle of it", true),
            ("{{a}}middle{{b}}", "mid", false),
            ("{{a}}one{{b}}two{{c}}", "one two", true),
            ("{{a}}one{{b}}two{{c}}", "two one", false),
            ("start-{{a}}-end", "start-x-end", true),
            ("start-{{a}}-end", "start-end", false),
            ("open {{only", "open {{only", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} / {text}");
        }
    }

    #[test]
    fn every_difference_is_told_with_its_path() {
        let expected = json!({"same": 1, "other": [1, 2], "missing": true, "deep": {"x": "{{any}}"}});
        let actual = json!({"same": 1, "other": [1, 3], "more": null, "deep": {"x": 5}});
        let told = differences(&expected, &actual);
        let paths: Vec<_> = told.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(paths, ["/other/1", "/missing", "/deep/x", "/more"]);
    }

    #[test]
    fn numbers_are_not_texts() {
        assert!(!differences(&json!({"n": 30}), &json!({"n": "30"})).is_empty());
    }
}
