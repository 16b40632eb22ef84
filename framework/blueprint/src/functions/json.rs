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
        let (json, tokens) = (parse(text)?, tokens(pointer)?);
        let found = find(&json, &tokens).map_err(|(here, token)| {
            if pointer.secret {
                return Problem::at(1, "the JSON pointer leads to nothing in the JSON text");
            }
            if text.secret {
                // How far it leads would tell of the text.
                let pointer = shown(pointer.as_str().unwrap_or_default());
                return Problem::at(1, format!("there is nothing at `{pointer}` in the JSON text"));
            }
            nothing(here, token)
        });
        found.map(Value::from_json)
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

fn decode(text: &Value) -> Result<Json, Problem> {
    let parsed = parse(text);
    if let Ok(json @ (Json::Array(_) | Json::Object(_))) = parsed {
        return Ok(json);
    }
    if text.secret {
        // A password may happen to be a number: whether it is JSON at all tells of it.
        return Err(Problem::at(0, "the text is not a JSON array or object"));
    }
    let json = parsed?;
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

/// The value that a pointer leads to, or the last one on its way with the token that leads nowhere from it.
fn find<'j>(json: &'j Json, tokens: &'j [String]) -> Result<&'j Json, (&'j Json, &'j str)> {
    let mut here = json;
    for token in tokens {
        let next = match here {
            Json::Object(entries) => entries.get(token),
            Json::Array(items) => index(token).and_then(|index| items.get(index)),
            _ => None,
        };
        here = next.ok_or((here, token.as_str()))?;
    }
    Ok(here)
}

/// A pointer's number has no sign and no leading zero.
fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+', '-']);
    token.parse().ok().filter(|_| canonical)
}

fn nothing(here: &Json, token: &str) -> Problem {
    let token = shown(token);
    let problem = |message: String| Problem::at(1, message);
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
