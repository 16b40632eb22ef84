//! JSON Patch as Cloud Control applies it: the operations of RFC 6902 with the texts and the one leniency
//! of the zjsonpatch library.

use super::error::ApiError;
use serde_json::Value;

/// Applies a patch document, one operation on the result of the one before.
///
/// # Errors
/// When the document is no patch, or an operation does not apply; nothing is changed then, as the model is
/// the caller's copy.
pub(crate) fn apply(model: Value, document: &str) -> Result<Value, ApiError> {
    let operations: Vec<Value> = serde_json::from_str(document)
        .map_err(|_| ApiError::validation("Invalid patch: the patch document is not a JSON array"))?;
    operations.iter().try_fold(model, apply_one)
}

fn apply_one(model: Value, operation: &Value) -> Result<Value, ApiError> {
    let name = text(operation, "op")?;
    let path = text(operation, "path")?;
    let at = Place {
        operation: name,
        path,
    };
    let segments = segments(path);
    let mut model = model;
    match name {
        "add" => add(&mut model, &segments, value(operation)?, at)?,
        "replace" => *find_mut(&mut model, &segments).ok_or_else(|| at.missing())? = value(operation)?,
        "remove" => {
            remove(&mut model, &segments, at)?;
        }
        "move" => {
            let from = self::segments(text(operation, "from")?);
            if starts_with(&segments, &from) && segments.len() > from.len() {
                return Err(at.error("a value cannot be moved into itself"));
            }
            let moved = remove(
                &mut model,
                &from,
                Place {
                    path: text(operation, "from")?,
                    ..at
                },
            )?;
            add(&mut model, &segments, moved, at)?;
        }
        "copy" => {
            let from = text(operation, "from")?;
            let copied = find(&model, &self::segments(from))
                .ok_or_else(|| Place { path: from, ..at }.missing())?
                .clone();
            add(&mut model, &segments, copied, at)?;
        }
        "test" => {
            let found = find(&model, &segments).ok_or_else(|| at.missing())?;
            // The values stay out of the text: they may be secret.
            if !same(found, &value(operation)?) {
                return Err(at.error("value mismatch"));
            }
        }
        _ => return Err(ApiError::validation("Invalid patch: unknown or missing `op`")),
    }
    Ok(model)
}

#[derive(Clone, Copy)]
struct Place<'a> {
    operation: &'a str,
    path: &'a str,
}

impl Place<'_> {
    fn error(&self, what: &str) -> ApiError {
        // The library joins its segments after an empty root segment: hence the second slash.
        let path = self.path.trim_start_matches('/');
        let operation = self.operation.to_uppercase();
        ApiError::validation(format!(
            "[{operation} Operation] {what}, path provided : //{path}"
        ))
    }

    fn missing(&self) -> ApiError {
        self.error("noSuchPath in source")
    }
}

fn text<'a>(operation: &'a Value, key: &str) -> Result<&'a str, ApiError> {
    operation
        .get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| ApiError::validation(format!("Invalid patch: an operation without `{key}`")))
}

fn value(operation: &Value) -> Result<Value, ApiError> {
    operation
        .get("value")
        .cloned()
        .ok_or_else(|| ApiError::validation("Invalid patch: an operation without `value`"))
}

/// The segments of a path. At the top level the leading slash may be missing; deeper down a path without
/// it loses its first segment.
fn segments(path: &str) -> Vec<String> {
    let mut parts = path
        .split('/')
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    if path.is_empty() || path.starts_with('/') || path.contains('/') {
        parts.next();
    }
    parts.collect()
}

fn starts_with(path: &[String], prefix: &[String]) -> bool {
    path.get(..prefix.len()) == Some(prefix)
}

fn find<'a>(model: &'a Value, segments: &[String]) -> Option<&'a Value> {
    segments.iter().try_fold(model, |node, segment| match node {
        Value::Object(members) => members.get(segment),
        Value::Array(items) => items.get(index(segment)?),
        _ => None,
    })
}

fn find_mut<'a>(model: &'a mut Value, segments: &[String]) -> Option<&'a mut Value> {
    segments.iter().try_fold(model, |node, segment| match node {
        Value::Object(members) => members.get_mut(segment),
        Value::Array(items) => items.get_mut(index(segment)?),
        _ => None,
    })
}

fn index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with(['0', '+']);
    segment.parse().ok().filter(|_| plain)
}

fn add(model: &mut Value, segments: &[String], value: Value, at: Place<'_>) -> Result<(), ApiError> {
    let Some((last, parents)) = segments.split_last() else {
        *model = value;
        return Ok(());
    };
    match find_mut(model, parents).ok_or_else(|| at.missing())? {
        Value::Object(members) => {
            members.insert(last.clone(), value);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            let index = index(last).ok_or_else(|| at.missing())?;
            if index > items.len() {
                return Err(at.error("index Out of bound, index is greater than allowed"));
            }
            items.insert(index, value);
        }
        _ => return Err(at.error("parent is not a container in source")),
    }
    Ok(())
}

fn remove(model: &mut Value, segments: &[String], at: Place<'_>) -> Result<Value, ApiError> {
    let Some((last, parents)) = segments.split_last() else {
        return Ok(std::mem::replace(model, Value::Null));
    };
    match find_mut(model, parents).ok_or_else(|| at.missing())? {
        // Keeps the order of the others.
        Value::Object(members) => members.shift_remove(last).ok_or_else(|| at.missing()),
        Value::Array(items) => match index(last) {
            Some(index) if index < items.len() => Ok(items.remove(index)),
            _ => Err(at.error("index Out of bound, index is greater than allowed")),
        },
        _ => Err(at.missing()),
    }
}

/// Equality with numbers by value: 1 is 1.0.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64().is_some_and(|number| Some(number) == right.as_f64())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(model: Value, patch: Value, expected: Result<Value, &str>) {
        let found = apply(model, &patch.to_string()).map_err(|error| error.message);
        assert_eq!(found, expected.map_err(String::from), "{patch}");
    }

    #[test]
    fn operations_apply_in_order() {
        check(
            json!({"a": {"b": 1}, "l": [1, 2]}),
            json!([
                {"op": "add", "path": "/a/c", "value": 2},
                {"op": "replace", "path": "/a/b", "value": 3},
                {"op": "add", "path": "/l/-", "value": 4},
                {"op": "add", "path": "/l/0", "value": 0},
                {"op": "remove", "path": "/l/1"},
                {"op": "copy", "from": "/a/b", "path": "/d"},
                {"op": "move", "from": "/a/c", "path": "/e"},
                {"op": "test", "path": "/e", "value": 2.0},
            ]),
            Ok(json!({"a": {"b": 3}, "l": [0, 2, 4], "d": 3, "e": 2})),
        );
    }

    #[test]
    fn what_does_not_apply_is_named_as_zjsonpatch_does() {
        for (patch, text) in [
            (
                json!([{"op": "replace", "path": "/Tags", "value": []}]),
                "[REPLACE Operation] noSuchPath in source, path provided : //Tags",
            ),
            (
                json!([{"op": "remove", "path": "/a/x"}]),
                "[REMOVE Operation] noSuchPath in source, path provided : //a/x",
            ),
            (
                json!([{"op": "add", "path": "/x/y", "value": 1}]),
                "[ADD Operation] noSuchPath in source, path provided : //x/y",
            ),
            (
                json!([{"op": "test", "path": "/a", "value": "secret"}]),
                "[TEST Operation] value mismatch, path provided : //a",
            ),
            (
                json!([{"op": "add", "path": "/l/7", "value": 1}]),
                "[ADD Operation] index Out of bound, index is greater than allowed, path provided : //l/7",
            ),
        ] {
            check(json!({"a": {}, "l": []}), patch, Err(text));
        }
    }

    #[test]
    fn the_first_slash_may_be_missing_at_the_top_only() {
        check(
            json!({}),
            json!([{"op": "add", "path": "RetentionInDays", "value": 1}]),
            Ok(json!({"RetentionInDays": 1})),
        );
        check(
            json!({}),
            json!([{"op": "add", "path": "a/b", "value": 1}]),
            Ok(json!({"b": 1})),
        );
    }

    #[test]
    fn escapes_are_undone() {
        check(
            json!({"a/b": 1, "m~n": 2}),
            json!([{"op": "remove", "path": "/a~1b"}]),
            Ok(json!({"m~n": 2})),
        );
    }
}
