//! `fromjson` and `jsondecode`.

use super::{Function, Type, required, text_of};
use crate::value::{Kind, Value};

pub(super) const FROMJSON: Function = Function {
    name: "fromjson",
    parameters: &[required("json", Type::String), required("pointer", Type::String)],
    returns: Type::Any,
    apply: |arguments| {
        let json = parse(text_of(arguments, 0))?;
        let pointer = text_of(arguments, 1);
        // The specification's examples leave the leading slash out.
        let slashed = if pointer.is_empty() || pointer.starts_with('/') {
            pointer.to_owned()
        } else {
            format!("/{pointer}")
        };
        json.pointer(&slashed)
            .map(Value::from_json)
            .ok_or_else(|| "the JSON pointer leads to nothing in the JSON text".to_owned())
    },
};

pub(super) const JSONDECODE: Function = Function {
    name: "jsondecode",
    parameters: &[required("json", Type::String)],
    returns: Type::Complex,
    apply: |arguments| {
        let value = Value::from_json(&parse(text_of(arguments, 0))?);
        match &value.kind {
            Kind::List(_) | Kind::Map(_) => Ok(value),
            other => Err(format!("expected a JSON array or object, found {}", other.noun())),
        }
    },
};

/// The position is safe to tell; the parser's own message might quote the text.
fn parse(text: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(text).map_err(|error| {
        format!(
            "the text is not JSON (line {}, column {})",
            error.line(),
            error.column()
        )
    })
}
