//! Files named on the command line.

use crate::terminal::Failure;
use serde_json::Value;
use std::path::Path;

/// Reads what may be a text: a [`formwork_blueprint::Source`] tells what is wrong if it is none.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::usage(format!("the file `{}` cannot be read: {error}", path.display())))
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
