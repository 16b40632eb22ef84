//! Files named on the command line.

use crate::terminal::Failure;
use formwork_blueprint::{Diagnostic, Source, codes, parse_value};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// What stands for standard input.
pub const STDIN: &str = "-";

/// Reads what may be a text: a [`formwork_blueprint::Source`] tells what is wrong if it is none.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::usage(format!("the file `{}` cannot be read: {error}", path.display())))
}

/// Reads a document of the user's; `-` is standard input.
pub fn source(path: &Path) -> Result<Source, Failure> {
    if path.as_os_str() != STDIN {
        return Ok(Source::from_bytes(path.display().to_string(), bytes(path)?));
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(Source::from_bytes("<stdin>", bytes)),
        Err(error) => Err(Failure::usage(format!("standard input cannot be read: {error}"))),
    }
}

/// Reads plain data in JSON or YAML, null where nothing is written; `what` says what it should be. `-` is standard
/// input.
pub fn data(path: &Path, what: &str) -> Result<Value, Failure> {
    let source = source(path)?;
    parse_value(&source).or_else(|diagnostics| {
        let is_empty = |diagnostic: &Diagnostic| diagnostic.code == codes::EMPTY_DOCUMENT;
        if diagnostics.iter().all(is_empty) {
            return Ok(Value::Null);
        }
        let lines = diagnostics.iter().map(|diagnostic| diagnostic.one_line(&source));
        let lines = lines.collect::<Vec<_>>().join("; ");
        Err(Failure::usage_with_hint(lines, format!("expected {what}")))
    })
}

/// Reads a text.
pub fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!(
            "the file `{}` is not UTF-8 text (byte {at})",
            path.display()
        ))
    })
}

/// Reads a JSON document; `what` says what it should be.
pub fn json(path: &Path, what: &str) -> Result<Value, Failure> {
    serde_json::from_str(&text(path)?).map_err(|error| {
        Failure::usage_with_hint(
            format!("{}: not JSON: {error}", path.display()),
            format!("expected {what}"),
        )
    })
}

/// What a document is, in a message.
pub fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
