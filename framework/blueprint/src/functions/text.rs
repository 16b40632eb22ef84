//! Functions of strings. Characters are counted, never bytes.

use super::{Function, MAX_TEXT_BYTES, Type, optional, required, text_of};
use crate::value::{Kind, Value};

pub(super) const LEN: Function = Function {
    name: "len",
    parameters: &[required("value", Type::Sized)],
    returns: Type::Integer,
    apply: |arguments| {
        let length = match arguments.first().map(|value| &value.kind) {
            Some(Kind::List(items)) => items.len(),
            Some(Kind::Map(entries)) => entries.len(),
            _ => text_of(arguments, 0).chars().count(),
        };
        Ok(Kind::Number(length.into()).into())
    },
};

pub(super) const SUBSTR: Function = Function {
    name: "substr",
    parameters: &[
        required("text", Type::String),
        required("start", Type::Integer),
        optional("end", Type::Integer),
    ],
    returns: Type::String,
    apply: |arguments| {
        let text = text_of(arguments, 0);
        let length = text.chars().count();
        let position = |index: usize, name: &str| match arguments.get(index).map(|value| &value.kind) {
            Some(Kind::Number(number)) => {
                let inside = number
                    .to_string()
                    .parse()
                    .ok()
                    .filter(|position| *position < length);
                inside
                    .map(Some)
                    .ok_or_else(|| format!("`{name}` is outside the text"))
            }
            _ => Ok(None),
        };
        let start = position(1, "start")?.unwrap_or_default();
        // `end` is the last character included.
        let end = position(2, "end")?.map_or(length, |last| last + 1);
        if start >= end {
            return Err("`start` lies behind `end`".to_owned());
        }
        Ok(Value::string(
            text.chars().skip(start).take(end - start).collect::<String>(),
        ))
    },
};

pub(super) const REPLACE: Function = Function {
    name: "replace",
    parameters: &[
        required("text", Type::String),
        required("search", Type::String),
        required("replacement", Type::String),
    ],
    returns: Type::String,
    apply: |arguments| {
        let (text, search, replacement) = (
            text_of(arguments, 0),
            text_of(arguments, 1),
            text_of(arguments, 2),
        );
        if search.is_empty() {
            return Err("`search` is empty".to_owned());
        }
        let grows_to = text
            .matches(search)
            .count()
            .saturating_mul(replacement.len())
            .saturating_add(text.len());
        if grows_to > MAX_TEXT_BYTES {
            return Err(format!("the result would be longer than {MAX_TEXT_BYTES} bytes"));
        }
        Ok(Value::string(text.replace(search, replacement)))
    },
};

pub(super) const TRIM: Function = Function {
    name: "trim",
    parameters: &[required("text", Type::String)],
    returns: Type::String,
    apply: |arguments| Ok(Value::string(text_of(arguments, 0).trim())),
};

pub(super) const TRIMPREFIX: Function = Function {
    name: "trimprefix",
    parameters: &[required("text", Type::String), required("prefix", Type::String)],
    returns: Type::String,
    apply: |arguments| {
        let text = text_of(arguments, 0);
        Ok(Value::string(
            text.strip_prefix(text_of(arguments, 1)).unwrap_or(text),
        ))
    },
};

pub(super) const TRIMSUFFIX: Function = Function {
    name: "trimsuffix",
    parameters: &[required("text", Type::String), required("suffix", Type::String)],
    returns: Type::String,
    apply: |arguments| {
        let text = text_of(arguments, 0);
        Ok(Value::string(
            text.strip_suffix(text_of(arguments, 1)).unwrap_or(text),
        ))
    },
};
