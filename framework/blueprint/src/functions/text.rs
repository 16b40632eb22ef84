//! Functions of strings. Characters are counted, never bytes.

use super::{Function, MAX_TEXT_BYTES, Parameter, Problem, known, text_of};
use crate::Type;
use crate::value::{Kind, Value};

/// The number of characters of a string, items of a list or entries of a map.
pub(super) const LEN: Function = Function {
    name: "len",
    parameters: &[Parameter::required("value", Type::STRING.or(Type::COMPLEX))],
    returns: Type::INTEGER,
    check: Function::anything,
    apply: |arguments| {
        let length = match arguments.first().map(|value| &value.kind) {
            Some(Kind::List(items)) => items.len(),
            Some(Kind::Map(entries)) => entries.len(),
            _ => text_of(arguments, 0).chars().count(),
        };
        Ok(Kind::Number(length.into()).into())
    },
};

/// The characters from `start` to `end`, both included and counted from 0.
pub(super) const SUBSTR: Function = Function {
    name: "substr",
    parameters: &[
        Parameter::required("text", Type::STRING),
        Parameter::required("start", Type::INTEGER),
        Parameter::optional("end", Type::INTEGER),
    ],
    returns: Type::STRING,
    check: |arguments| {
        let open: Vec<Option<&Value>> = arguments
            .iter()
            .map(|argument| argument.filter(|argument| !argument.secret))
            .collect();
        positions(&open)?;
        // What was wrong would tell of the secret: how long it is, say. That something is must do.
        positions(arguments).map_err(|_| Problem {
            message: "`start` and `end` do not both lie in the text".to_owned(),
            argument: arguments
                .iter()
                .position(|argument| argument.is_some_and(|argument| argument.secret)),
            help: Some("an argument is secret, so no more can be said".to_owned()),
        })?;
        Ok(())
    },
    apply: |arguments| {
        let known: Vec<Option<&Value>> = arguments.iter().map(Some).collect();
        let (start, end) = positions(&known)?;
        let start = start.unwrap_or_default();
        let characters = text_of(arguments, 0).chars().skip(start);
        let count = end.unwrap_or(usize::MAX).saturating_sub(start).saturating_add(1);
        Ok(Value::string(characters.take(count).collect::<String>()))
    },
};

/// `start` and `end`, as far as they are known.
fn positions(arguments: &[Option<&Value>]) -> Result<(Option<usize>, Option<usize>), Problem> {
    let start = position(arguments, 1, "start")?;
    let end = position(arguments, 2, "end")?;
    match (start, end) {
        (Some(start), Some(end)) if start > end => {
            let problem = Problem::at(1, "`start` lies behind `end`");
            Err(problem.help_if(Some("`end` is the last character included".to_owned())))
        }
        positions => Ok(positions),
    }
}

/// A position in the text of argument 0, as far as both are known.
fn position(arguments: &[Option<&Value>], index: usize, name: &str) -> Result<Option<usize>, Problem> {
    let Some(Kind::Number(number)) = known(arguments, index).map(|value| &value.kind) else {
        return Ok(None);
    };
    let number = number.to_string();
    if number.starts_with('-') && number.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        let problem = Problem::at(index, format!("`{name}` is negative"));
        return Err(problem.help_if(Some("characters are counted from 0".to_owned())));
    }
    let position: Option<usize> = number.trim_start_matches('-').parse().ok();
    let Some(text) = known(arguments, 0) else {
        return Ok(position);
    };
    let length = text.as_str().unwrap_or_default().chars().count();
    if position.is_some_and(|position| position < length) {
        return Ok(position);
    }
    let problem = Problem::at(index, format!("`{name}` is outside the text"));
    let help = match length {
        0 => Some("the text is empty".to_owned()),
        1 => Some("the text has 1 character, at position 0".to_owned()),
        _ => Some(format!(
            "the text has {length} characters, counted from 0 to {}",
            length - 1
        )),
    };
    Err(problem.help_if(help))
}

/// Every occurrence of `search` replaced, from left to right.
pub(super) const REPLACE: Function = Function {
    name: "replace",
    parameters: &[
        Parameter::required("text", Type::STRING),
        Parameter::required("search", Type::STRING),
        Parameter::required("replacement", Type::STRING),
    ],
    returns: Type::STRING,
    check: |arguments| match known(arguments, 1).and_then(Value::as_str) {
        Some("") => Err(Problem::at(1, "`search` is empty")),
        _ => Ok(()),
    },
    apply: |arguments| {
        let (text, search, replacement) = (
            text_of(arguments, 0),
            text_of(arguments, 1),
            text_of(arguments, 2),
        );
        let grows_to = text
            .matches(search)
            .count()
            .saturating_mul(replacement.len())
            .saturating_add(text.len());
        if grows_to > MAX_TEXT_BYTES {
            let message = format!("the result would be longer than {MAX_TEXT_BYTES} bytes");
            return Err(Problem::at(2, message));
        }
        Ok(Value::string(text.replace(search, replacement)))
    },
};

/// The text without the white space (as Unicode has it) around it.
pub(super) const TRIM: Function = Function {
    name: "trim",
    parameters: &[Parameter::required("text", Type::STRING)],
    returns: Type::STRING,
    check: Function::anything,
    apply: |arguments| Ok(Value::string(text_of(arguments, 0).trim())),
};

/// The text without a prefix, once, if it has it.
pub(super) const TRIMPREFIX: Function = Function {
    name: "trimprefix",
    parameters: &[
        Parameter::required("text", Type::STRING),
        Parameter::required("prefix", Type::STRING),
    ],
    returns: Type::STRING,
    check: Function::anything,
    apply: |arguments| {
        let text = text_of(arguments, 0);
        Ok(Value::string(
            text.strip_prefix(text_of(arguments, 1)).unwrap_or(text),
        ))
    },
};

/// The text without a suffix, once, if it has it.
pub(super) const TRIMSUFFIX: Function = Function {
    name: "trimsuffix",
    parameters: &[
        Parameter::required("text", Type::STRING),
        Parameter::required("suffix", Type::STRING),
    ],
    returns: Type::STRING,
    check: Function::anything,
    apply: |arguments| {
        let text = text_of(arguments, 0);
        Ok(Value::string(
            text.strip_suffix(text_of(arguments, 1)).unwrap_or(text),
        ))
    },
};
