//! Plain data in YAML or JSON, as files of variable values are.

use crate::syntax::{self, Data, Node};
use crate::{Diagnostic, Severity, Source};

/// Reads a document that is no blueprint, with the same rules for text: unique keys, no tags, exact numbers.
///
/// # Errors
/// Every error of the text, sorted by position; warnings are left out.
///
/// ```
/// use formwork_blueprint::{Source, parse_value};
///
/// let values = parse_value(&Source::new("dev.yaml", "stage: dev\nsize: 0x10\n")).expect("a document");
/// assert_eq!(values, serde_json::json!({"stage": "dev", "size": 16}));
/// ```
pub fn parse_value(source: &Source) -> Result<serde_json::Value, Vec<Diagnostic>> {
    load(source).map(|root| json(&root))
}

/// The tree of a text without errors.
pub(crate) fn load(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    let loaded = syntax::load(source);
    let mut errors: Vec<Diagnostic> = loaded
        .diagnostics
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    match loaded.root {
        Some(root) if errors.is_empty() => Ok(root),
        _ => {
            errors.sort_by_key(|finding| finding.span);
            Err(errors)
        }
    }
}

fn json(node: &Node) -> serde_json::Value {
    match &node.data {
        Data::List(items) => items.iter().map(json).collect(),
        Data::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.text.to_string(), json(&entry.value)))
            .collect(),
        Data::Scalar(scalar) => scalar.to_json(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_read_the_same_and_keep_their_order() {
        let yaml = parse_value(&Source::new("a.yaml", "z: [1.10, null, true]\na: {b: \"5\"}\n")).unwrap();
        let text = r#"{"z":[1.10,null,true],"a":{"b":"5"}}"#;
        assert_eq!(yaml.to_string(), text);
        assert_eq!(parse_value(&Source::new("a.json", text)).unwrap(), yaml);
    }

    #[test]
    fn errors_are_told_and_warnings_are_not() {
        let errors = parse_value(&Source::new("a.yaml", "a: 1\na: !x 2\nb: 007\n")).unwrap_err();
        let codes: Vec<&str> = errors.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["duplicate-key", "yaml-tag"]);
        assert!(parse_value(&Source::new("a.yaml", "b: 007\n")).is_ok());
    }
}
