//! Typed properties out of CloudFormation's text scalars.
//!
//! CloudFormation turns every scalar of a custom resource's properties into text, at any depth. [`decode`] reads
//! them into a type of the author's: `"42"` where it has a number, `"true"` where it has a boolean, inside lists,
//! maps, options, enums and newtypes alike.
//!
//! Errors name the property by its path and what was expected, never the value found, which may be a secret.
//!
//! # Caveats
//! `#[serde(flatten)]` and untagged or internally tagged enums read values before they know the type, so text
//! stays text in them. [`serde_json::Value`] keeps what was sent.
//!
//! ```
//! #[derive(serde::Deserialize, Debug, PartialEq)]
//! #[serde(rename_all = "PascalCase", deny_unknown_fields)]
//! struct Properties { tags: Vec<Tag> }
//! #[derive(serde::Deserialize, Debug, PartialEq)]
//! #[serde(rename_all = "PascalCase")]
//! struct Tag { weight: u8 }
//!
//! let sent = serde_json::json!({ "Tags": [{ "Weight": "3" }, { "Weight": "heavy" }] });
//! let error = formwork_protocol::properties::decode::<Properties>(sent.as_object().unwrap()).unwrap_err();
//! assert_eq!(error.to_string(), "`Tags[1].Weight`: expected an integer from 0 to 255, found text");
//! ```

mod error;
mod reader;

pub use error::{DecodeError, DecodeErrors};

use reader::Reader;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads properties into `T`.
///
/// # Errors
/// Every property that cannot be read, as far as they can be told: those of different top-level properties are
/// all reported, of one property the first.
pub fn decode<T: DeserializeOwned>(properties: &Map<String, Value>) -> Result<T, DecodeErrors> {
    let mut error = match T::deserialize(Reader::of(properties)) {
        Ok(decoded) => return Ok(decoded),
        Err(error) => error,
    };
    // Serde stops at the first error. Without the property at fault it goes on to the next one.
    let mut errors = Vec::new();
    let mut rest = properties.clone();
    loop {
        let at_fault = error
            .top_level()
            .filter(|name| rest.contains_key(*name))
            .map(str::to_owned);
        let missing_because_removed = error.missing().is_some_and(|name| properties.contains_key(name));
        if !missing_because_removed {
            errors.push(error);
        }
        // A missing property is found last, so nothing comes after it.
        let Some(name) = at_fault else { break };
        rest.shift_remove(&name);
        match T::deserialize(Reader::of(&rest)) {
            Ok(_) => break,
            Err(next) => error = next,
        }
    }
    Err(DecodeErrors::new(errors))
}

#[cfg(test)]
mod tests;
