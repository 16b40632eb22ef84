//! Scalars without quotes: YAML 1.2's core schema, with numbers kept exactly.

use super::tree::ScalarKind;
use serde_json::Number;

/// What a plain YAML scalar turns out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Plain {
    Is(ScalarKind),
    /// `.inf` and `.nan`: numbers that JSON cannot say.
    NotFinite,
    /// A decimal with leading zeros, as account ids have: a number by the rules, hardly by intention.
    LeadingZero(Number),
}

/// Resolves a plain scalar by the core schema (YAML 1.2.2, section 10.3.2).
pub(super) fn plain(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Is(ScalarKind::Null),
        "true" | "True" | "TRUE" => return Plain::Is(ScalarKind::Bool(true)),
        "false" | "False" | "FALSE" => return Plain::Is(ScalarKind::Bool(false)),
        _ => {}
    }
    if !text.starts_with(['-', '+', '.']) && !text.starts_with(|first: char| first.is_ascii_digit()) {
        return Plain::Is(ScalarKind::String);
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Plain::NotFinite;
    }
    let number = match other_base(text) {
        Some(canonical) => Some(canonical),
        None => decimal(digits).map(|canonical| format!("{sign}{canonical}")),
    };
    match number.as_deref().and_then(json) {
        Some(number)
            if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            Plain::LeadingZero(number)
        }
        Some(number) => Plain::Is(ScalarKind::Number(number)),
        None => Plain::Is(ScalarKind::String),
    }
}

/// A number in JSON's own notation, with every digit as written. (`1e3` becomes `1e+3`.)
pub(super) fn json(text: &str) -> Option<Number> {
    let starts_well = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    starts_well.then(|| serde_json::from_str(text).ok()).flatten()
}

/// `0o17` and `0x1F` in decimal. What does not fit 128 bits stays text.
fn other_base(text: &str) -> Option<String> {
    let (digits, radix) = match (text.strip_prefix("0o"), text.strip_prefix("0x")) {
        (Some(octal), _) => (octal, 8),
        (_, Some(hex)) => (hex, 16),
        _ => return None,
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    u128::from_str_radix(digits, radix)
        .ok()
        .map(|number| number.to_string())
}

/// `010`, `.5`, `5.` and `1.10e3` in JSON's notation: `10`, `0.5`, `5.0`, `1.10e3`.
fn decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole)
        || !fraction.is_none_or(all_digits)
        || (whole.is_empty() && fraction.is_none_or(str::is_empty))
    {
        return None;
    }
    let stripped = whole.trim_start_matches('0');
    let mut canonical = String::from(if stripped.is_empty() { "0" } else { stripped });
    if let Some(fraction) = fraction {
        canonical.push('.');
        canonical.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !all_digits(digits) {
            return None;
        }
        canonical.push('e');
        canonical.push_str(exponent);
    }
    Some(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match plain(text) {
            Plain::Is(ScalarKind::Null) => "null".to_owned(),
            Plain::Is(ScalarKind::Bool(bool)) => bool.to_string(),
            Plain::Is(ScalarKind::Number(number)) => format!("number {number}"),
            Plain::Is(ScalarKind::String) => "string".to_owned(),
            Plain::NotFinite => "not finite".to_owned(),
            Plain::LeadingZero(number) => format!("leading zero {number}"),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_core_schema_resolves_plain_scalars() {
        for (text, expected) in [
            ("", "null"),
            ("~", "null"),
            ("Null", "null"),
            ("TRUE", "true"),
            ("False", "false"),
            ("yes", "string"),
            ("no", "string"),
            ("on", "string"),
            ("tRUE", "string"),
            ("2023-04-20", "string"),
            ("12:30:45", "string"),
            ("12_000", "string"),
            ("t3.micro", "string"),
            ("-", "string"),
            (".", "string"),
            ("+", "string"),
            ("..", "string"),
            ("1.2.3", "string"),
            ("1e", "string"),
            ("1e+", "string"),
            ("0x", "string"),
            ("0xZZ", "string"),
            ("-0x1F", "string"),
            ("0o9", "string"),
            ("1.10", "number 1.10"),
            ("2.0", "number 2.0"),
            ("0", "number 0"),
            ("-0", "number -0"),
            ("+5", "number 5"),
            ("010", "leading zero 10"),
            ("000", "leading zero 0"),
            ("0o10", "number 8"),
            ("0x1F", "number 31"),
            (".5", "number 0.5"),
            ("-.5", "number -0.5"),
            ("5.", "number 5.0"),
            ("1e3", "number 1e+3"),
            ("1.5E-3", "number 1.5e-3"),
            (
                "123456789012345678901234567890",
                "number 123456789012345678901234567890",
            ),
            (".inf", "not finite"),
            ("-.Inf", "not finite"),
            (".nan", "not finite"),
            ("-.nan", "string"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn json_numbers_are_strict_and_exact() {
        for text in ["0", "-1", "1.10", "1e+400", "12345678901234567890.5"] {
            assert_eq!(json(text).map(|number| number.to_string()).as_deref(), Some(text));
        }
        for text in ["", "-", "01", "+1", ".5", "5.", "1e", "--1", "1.2.3", " 1"] {
            assert_eq!(json(text), None, "{text}");
        }
    }
}
