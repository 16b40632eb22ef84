//! The types that variables declare, and what is a value of each.

use crate::bind::{choices, describe};
use crate::spelling;
use crate::value::{Kind, Value};
use crate::{ExportType, VariableType};
use serde_json::Number;

/// Whether a number's text has digits only, with a sign at most.
pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value as one of the type, or nothing if it is not. With `from_text`, strings are read as the type:
/// CloudFormation turns every scalar into one.
pub(crate) fn of_type(kind: &VariableType, value: &Value, from_text: bool) -> Option<Value> {
    match (kind, &value.kind) {
        (VariableType::String | VariableType::Custom(_), Kind::String(_))
        | (VariableType::Boolean, Kind::Bool(_))
        | (VariableType::Float, Kind::Number(_)) => Some(value.clone()),
        (VariableType::Integer, Kind::Number(number)) => {
            is_integer(&number.to_string()).then(|| value.clone())
        }
        (VariableType::Boolean, Kind::String(text)) if from_text => {
            text.parse().ok().map(|bool| Kind::Bool(bool).into())
        }
        (VariableType::Integer | VariableType::Float, Kind::String(text)) if from_text => {
            let number: Number = serde_json::from_str(text.trim()).ok()?;
            of_type(kind, &Kind::Number(number).into(), false)
        }
        _ => None,
    }
}

/// What to do about a scalar that would be of the type if it were quoted otherwise.
pub(crate) fn quoting(kind: &VariableType, value: &Value) -> Option<&'static str> {
    match (kind, &value.kind) {
        (VariableType::String | VariableType::Custom(_), Kind::Bool(_) | Kind::Number(_)) => {
            Some("put it in quotes")
        }
        (_, Kind::String(_)) => of_type(kind, value, true).map(|_| "remove the quotes"),
        _ => None,
    }
}

/// A string read as the type that an export is declared with, if it is one of those.
pub(crate) fn read_export(declared: ExportType, value: &Value) -> Option<Value> {
    let kind = match declared {
        ExportType::Integer => VariableType::Integer,
        ExportType::Float => VariableType::Float,
        ExportType::Boolean => VariableType::Boolean,
        ExportType::String | ExportType::Array | ExportType::Object => return None,
    };
    of_type(&kind, value, true).map(|read| read.tainted_if(value.secret))
}

/// A text that is no label of its custom type.
pub(crate) struct UnknownLabel {
    /// What it is instead, without its content if it is secret.
    pub(crate) found: String,
    /// The nearest label, or some to choose from.
    pub(crate) help: Option<String>,
}

/// What is wrong with a value of a custom type, if something is.
pub(crate) fn unknown_label(kind: &VariableType, value: &Value, secret: bool) -> Option<UnknownLabel> {
    let (VariableType::Custom(labels), Kind::String(text)) = (kind, &value.kind) else {
        return None;
    };
    if labels.value(text).is_some() {
        return None;
    }
    let near = || spelling::did_you_mean(text, labels.labels());
    let some = || choices(&labels.labels().map(Value::string).collect::<Vec<_>>());
    Some(UnknownLabel {
        found: describe(value, secret),
        help: (!secret).then(|| near().unwrap_or_else(some)),
    })
}

/// Equality of scalars, with numbers compared by what they mean: `1.0` is `1`.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::Number(left), Kind::Number(right)) => {
            let (left, right) = (left.to_string(), right.to_string());
            left == right || decimal(&left) == decimal(&right)
        }
        (left, right) => left == right,
    }
}

/// Sign, significant digits and the power of ten of the last of them: equal for equal numbers.
fn decimal(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let dropped = all.len() - digits.len();
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return (false, String::new(), 0);
    }
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
    let shift =
        i64::try_from(dropped).unwrap_or_default() - i64::try_from(fraction.len()).unwrap_or_default();
    (negative, significant.to_owned(), exponent.saturating_add(shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value {
        Kind::Number(serde_json::from_str(text).unwrap()).into()
    }

    #[test]
    fn numbers_are_compared_by_meaning() {
        for (left, right) in [
            ("1", "1.0"),
            ("1e2", "100"),
            ("0.5", "5e-1"),
            ("0", "-0.00"),
            ("10", "1E+1"),
        ] {
            assert!(same(&number(left), &number(right)), "{left} {right}");
        }
        for (left, right) in [
            ("1", "10"),
            ("1", "-1"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10001"),
        ] {
            assert!(!same(&number(left), &number(right)), "{left} {right}");
        }
    }

    #[test]
    fn strings_become_what_the_type_says_only_when_asked() {
        let text = Value::string("5");
        assert_eq!(of_type(&VariableType::Integer, &text, false), None);
        assert_eq!(of_type(&VariableType::Integer, &text, true), Some(number("5")));
        assert_eq!(of_type(&VariableType::Integer, &Value::string("3.5"), true), None);
        assert_eq!(
            of_type(&VariableType::Float, &Value::string("3.5"), true),
            Some(number("3.5"))
        );
        assert_eq!(
            of_type(&VariableType::Boolean, &Value::string("true"), true),
            Some(Kind::Bool(true).into())
        );
        assert_eq!(of_type(&VariableType::Boolean, &Value::string("yes"), true), None);
        assert_eq!(of_type(&VariableType::String, &number("5"), true), None);
    }
}
