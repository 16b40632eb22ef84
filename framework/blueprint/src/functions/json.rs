//! `fromjson` and `jsondecode`.

use super::{Function, Parameter, Problem, known};
use crate::spelling::{did_you_mean, shown};
use crate::value::Value;
use crate::{Kind, Type};
use serde_json::Value as Json;

/// The value at a JSON Pointer (RFC 6901) in a JSON text; `""` is the whole text.
pub(super) const FROMJSON: Function = Function {
    name: "fromjson",
    parameters: &[
        Parameter::required("json", Type::STRING),
        Parameter::required("pointer", Type::STRING),
    ],
    returns: Type::ANY,
    check: |arguments| {
        match (known(arguments, 0), known(arguments, 1)) {
            (Some(text), None) => parse(text).map(|_| ()),
            (None, Some(pointer)) => tokens(pointer).map(|_| ()),
            // With both known, following the pointer says it all.
            _ => Ok(()),
        }
    },
    apply: |arguments| {
        let [text, pointer] = arguments else {
            return Ok(Kind::Null.into());
        };
        let secret = Secret {
            text: text.secret,
            pointer: pointer.secret,
        };
        find(&parse(text)?, &tokens(pointer)?, secret).map(Value::from_json)
    },
};

/// The list or map that a JSON text holds. A scalar is an error: for those there is `fromjson(text, "")`.
pub(super) const JSONDECODE: Function = Function {
    name: "jsondecode",
    parameters: &[Parameter::required("json", Type::STRING)],
    returns: Type::COMPLEX,
    check: Function::anything,
    apply: |arguments| match arguments {
        [text] => decode(text).map(|json| Value::from_json(&json)),
        _ => Ok(Kind::Null.into()),
    },
};

/// Which arguments messages may not quote.
#[derive(Clone, Copy)]
struct Secret {
    text: bool,
    pointer: bool,
}

fn decode(text: &Value) -> Result<Json, Problem> {
    let json = parse(text)?;
    if matches!(json, Json::Array(_) | Json::Object(_)) {
        return Ok(json);
    }
    let found = Type::of(&Value::from_json(&json));
    let problem = Problem::at(0, format!("expected a JSON array or object, found {found}"));
    Err(problem.help_if(Some("read a single value with `fromjson(text, \"\")`".to_owned())))
}

/// The position is safe to tell; the parser's own message might quote the text.
fn parse(text: &Value) -> Result<Json, Problem> {
    serde_json::from_str(text.as_str().unwrap_or_default()).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = if text.secret {
            "the text is not JSON".to_owned()
        } else {
            format!("the text is not JSON (line {line}, column {column})")
        };
        Problem::at(0, message)
    })
}

/// The reference tokens of a pointer. The specification's examples leave the leading slash out.
fn tokens(pointer: &Value) -> Result<Vec<String>, Problem> {
    let text = pointer.as_str().unwrap_or_default();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text = text.strip_prefix('/').unwrap_or(text);
    let tokens = text.split('/').map(|token| {
        let escapes = token.split('~').skip(1);
        if escapes.clone().all(|rest| rest.starts_with(['0', '1'])) {
            Ok(token.replace("~1", "/").replace("~0", "~"))
        } else {
            let message = "`~` in a JSON pointer must be followed by `0` or `1`";
            let help = "`~0` stands for `~` and `~1` for `/`";
            Err(Problem::at(1, message).help_if(Some(help.to_owned())))
        }
    });
    tokens.collect()
}

fn find<'j>(json: &'j Json, tokens: &[String], secret: Secret) -> Result<&'j Json, Problem> {
    let mut here = json;
    for token in tokens {
        let next = match here {
            Json::Object(entries) => entries.get(token),
            Json::Array(items) => index(token).and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(next) = next else {
            return Err(nothing(here, token, secret));
        };
        here = next;
    }
    Ok(here)
}

/// A pointer's number has no sign and no leading zero.
fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+', '-']);
    token.parse().ok().filter(|_| canonical)
}

fn nothing(here: &Json, token: &str, secret: Secret) -> Problem {
    if secret.pointer {
        return Problem::at(1, "the JSON pointer leads to nothing in the JSON text");
    }
    let token = shown(token);
    let problem = |message: String| Problem::at(1, message);
    if secret.text {
        return problem(format!("there is no `{token}` in the JSON text"));
    }
    match here {
        Json::Object(entries) => problem(format!("there is no `{token}` in the JSON text"))
            .help_if(did_you_mean(&token, entries.keys().map(String::as_str))),
        Json::Array(items) => problem(format!(
            "there is no item `{token}` in a JSON array of {}",
            items.len()
        )),
        scalar => {
            let found = Type::of(&Value::from_json(scalar));
            problem(format!("there is no `{token}` in {found} of the JSON text"))
        }
    }
}
