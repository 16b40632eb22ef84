//! Files named on the command line.

use crate::terminal::Failure;
use serde_json::Value;
use std::path::Path;

/// Reads a text.
pub fn text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::usage(format!("the file `{}` cannot be read: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
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
