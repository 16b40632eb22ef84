//! Documents printed as YAML in block style, as people write it.

use serde_json::Value;

/// The document; strings are written plain where that leaves them strings.
pub fn block(document: &Value) -> String {
    let mut out = String::new();
    value(document, 0, &mut out);
    out
}

/// A value behind its key or dash, with the line break that ends it.
fn value(node: &Value, indent: usize, out: &mut String) {
    match node {
        Value::Object(entries) if !entries.is_empty() => {
            out.push('\n');
            for (key, entry) in entries {
                out.push_str(&" ".repeat(indent));
                out.push_str(&text(key));
                out.push(':');
                value(entry, indent + 2, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.push_str(&" ".repeat(indent));
                out.push('-');
                value(item, indent + 2, out);
            }
        }
        Value::String(string) if string.contains('\n') && block_can_hold(string) => {
            let spaces = " ".repeat(indent);
            out.push_str(" |-\n");
            for line in string.split('\n') {
                out.push_str(&format!("{spaces}{line}\n"));
            }
        }
        scalar => {
            out.push(' ');
            out.push_str(&scalar.as_str().map_or_else(|| scalar.to_string(), text));
            out.push('\n');
        }
    }
}

/// Lines that begin or end with white space would need more than `|-`.
fn block_can_hold(string: &str) -> bool {
    string
        .split('\n')
        .all(|line| !line.is_empty() && line == line.trim())
}

fn text(text: &str) -> String {
    let plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '$' | '{' | '}'))
        && !["true", "false", "null"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word));
    if plain {
        return text.to_owned();
    }
    // JSON's escapes are YAML's as well.
    Value::from(text).to_string()
}
