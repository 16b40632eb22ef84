//! Numbers by what they are worth, exactly: `1`, `1.0` and `10e-1` are the same, 2^53 + 1 is not 2^53.

use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::fmt::Write;

/// A decimal number: 0.`digits` x 10^`point`, without leading or trailing zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// Reads a JSON number; `None` for an exponent nobody means.
    pub(crate) fn of(number: &Number) -> Option<Self> {
        Self::read(&number.to_string())
    }

    fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let kept: Vec<u8> = digits.into_iter().skip(leading).collect();
        let trailing = kept.iter().rev().take_while(|digit| **digit == b'0').count();
        let length = kept.len() - trailing;
        if length == 0 {
            return Some(Self {
                negative: false,
                digits: Vec::new(),
                point: 0,
            });
        }
        let exponent: i64 = exponent.parse().ok()?;
        let point = i64::try_from(whole.len())
            .ok()?
            .checked_sub(i64::try_from(leading).ok()?)?;
        Some(Self {
            negative,
            digits: kept.into_iter().take(length).collect(),
            point: point.checked_add(exponent)?,
        })
    }

    /// True if nothing stands behind the decimal point.
    pub(crate) fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|length| self.point >= length)
    }

    /// Compares by value.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.is_empty(), decimal.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = |decimal: &Self| (decimal.point, decimal.digits.clone());
        match (sign(self).cmp(&sign(other)), sign(self)) {
            (Ordering::Equal, 0) => Ordering::Equal,
            (Ordering::Equal, 1) => size(self).cmp(&size(other)),
            (Ordering::Equal, _) => size(other).cmp(&size(self)),
            (different, _) => different,
        }
    }

    /// The number as plain digits when it is whole and of a sensible length.
    pub(crate) fn whole_text(&self) -> Option<String> {
        let length = usize::try_from(self.point.max(1))
            .ok()
            .filter(|length| *length <= 40)?;
        let digits = String::from_utf8(self.digits.clone()).ok()?;
        let sign = if self.negative { "-" } else { "" };
        self.is_whole().then(|| format!("{sign}{digits:0<length$}"))
    }

    /// True if this is a whole multiple of `step`.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> bool {
        // Brought to one power of ten, long division digit by digit keeps the remainder small.
        let scale = |decimal: &Self| decimal.point - i64::try_from(decimal.digits.len()).unwrap_or(i64::MAX);
        let lowest = scale(self).min(scale(step));
        let (Some(divisor), Ok(zeros)) = (
            step.as_integer(scale(step) - lowest)
                .filter(|divisor| *divisor > 0),
            usize::try_from(scale(self) - lowest),
        ) else {
            return true;
        };
        if zeros > 400 {
            return true;
        }
        let digits = self.digits.iter().map(|digit| u128::from(digit - b'0'));
        let remainder = digits
            .chain(std::iter::repeat_n(0, zeros))
            .fold(0_u128, |remainder, digit| (remainder * 10 + digit) % divisor);
        remainder == 0
    }

    fn as_integer(&self, zeros: i64) -> Option<u128> {
        let zeros = u32::try_from(zeros).ok()?;
        let digits: u128 = std::str::from_utf8(&self.digits).ok()?.parse().ok()?;
        let value = digits.checked_mul(10_u128.checked_pow(zeros)?)?;
        (value < u128::MAX / 20).then_some(value)
    }
}

/// True if the two are one value: numbers by what they are worth, members in any order.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || matches!((Decimal::of(a), Decimal::of(b)), (Some(a), Some(b)) if a == b)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            // Most often both have the same order, and then no key needs to be looked up.
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, a), (other, next))| {
                    let b = if key == other { Some(next) } else { b.get(key) };
                    b.is_some_and(|b| equal(a, b))
                })
        }
        (a, b) => a == b,
    }
}

/// A text that is the same for values that are equal: numbers by value, members sorted by key.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => match Decimal::of(number) {
            Some(Decimal {
                negative,
                digits,
                point,
            }) => {
                let sign = if negative { "-" } else { "" };
                let digits = String::from_utf8_lossy(&digits);
                // Writing to a String cannot fail.
                let _ = write!(text, "{sign}0.{digits}e{point}");
            }
            None => text.push_str(&number.to_string()),
        },
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write_canonical(element, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (key, member) in sorted {
                text.push_str(&Value::String(key.clone()).to_string());
                text.push(':');
                write_canonical(member, text);
                text.push(',');
            }
            text.push('}');
        }
        simple => text.push_str(&simple.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::of(&serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn numbers_compare_by_value() {
        for (a, expected, b) in [
            ("1", Ordering::Equal, "1.0"),
            ("1", Ordering::Equal, "10e-1"),
            ("0", Ordering::Equal, "-0.0"),
            ("9007199254740993", Ordering::Greater, "9007199254740992"),
            ("-2", Ordering::Less, "-1"),
            ("-1", Ordering::Less, "0"),
            ("0.5", Ordering::Less, "1"),
            ("0.05", Ordering::Less, "0.5"),
            ("100", Ordering::Greater, "99.999"),
            ("1e3", Ordering::Equal, "1000"),
        ] {
            assert_eq!(decimal(a).compare(&decimal(b)), expected, "{a} {b}");
            assert_eq!(decimal(b).compare(&decimal(a)), expected.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn whole_numbers_are_known_and_written_plainly() {
        for (text, whole) in [
            ("1.0", Some("1")),
            ("-1200", Some("-1200")),
            ("1.5", None),
            ("0.0", Some("0")),
            ("12e2", Some("1200")),
        ] {
            assert_eq!(decimal(text).whole_text().as_deref(), whole, "{text}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (number, step, multiple) in [
            ("300", "60", true),
            ("301", "60", false),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1e2", "0.5", true),
            ("0", "7", true),
        ] {
            assert_eq!(
                decimal(number).is_multiple_of(&decimal(step)),
                multiple,
                "{number} {step}"
            );
        }
    }

    #[test]
    fn canonical_texts_of_equal_values_are_equal() {
        let same = |a: &str, b: &str| {
            let read = |text| canonical(&serde_json::from_str(text).unwrap());
            let value = |text| -> Value { serde_json::from_str(text).unwrap() };
            assert_eq!(read(a) == read(b), equal(&value(a), &value(b)), "{a} {b}");
            read(a) == read(b)
        };
        assert!(same(r#"{"a": 1.0, "b": [2e0]}"#, r#"{"b": [2], "a": 1}"#));
        assert!(!same(r#"["a"]"#, r#"["a", "a"]"#));
        assert!(!same(r#"{"a": "1"}"#, r#"{"a": 1}"#));
        assert!(!same(r#"{"a:\"": 1}"#, r#"{"a": 1}"#));
        assert!(!same(r#"{"a": 1, "b": 1}"#, r#"{"a": 1, "c": 1}"#));
        assert!(!same(r#"{"a": null}"#, r#"{"b": null}"#));
        assert!(same(r#"[[], {}]"#, r#"[[], {}]"#));
    }
}
