//! IAM policies that say the same.
//!
//! Services store a policy in a form of their own: one action becomes a list of one, lists come back in another
//! order, an account's number becomes the ARN of its root. Every policy is brought to one form for comparing.

use crate::number::canonical;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// True if both are policies, and say the same.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    matches!((plain(a), plain(b)), (Some(a), Some(b)) if a == b)
}

/// The policy in one form; `None` if it is none.
fn plain(policy: &Value) -> Option<String> {
    let mut policy = policy.as_object()?.clone();
    let statements = match policy.shift_remove("Statement")? {
        Value::Array(statements) => statements,
        one => vec![one],
    };
    let statements: Option<BTreeSet<String>> = statements
        .into_iter()
        .map(|statement| match statement {
            Value::Object(members) if members.get("Effect").is_some_and(is_effect) => {
                Some(statement_text(members))
            }
            _ => None,
        })
        .collect();
    policy.insert("Statement".to_owned(), json!(statements?));
    Some(canonical(&Value::Object(policy)))
}

fn is_effect(effect: &Value) -> bool {
    effect == "Allow" || effect == "Deny"
}

fn statement_text(members: Map<String, Value>) -> String {
    let plain = members.into_iter().map(|(key, value)| {
        let value = match key.as_str() {
            // Actions are the same in any case.
            "Action" | "NotAction" => set(&value, str::to_ascii_lowercase),
            "Resource" | "NotResource" => set(&value, str::to_owned),
            "Principal" | "NotPrincipal" => principal(&value),
            "Condition" => condition(value),
            _ => value,
        };
        (key, value)
    });
    canonical(&Value::Object(plain.collect()))
}

/// One text or a list of texts, as a set; anything else as it is.
fn set(value: &Value, change: impl Fn(&str) -> String) -> Value {
    let one = std::slice::from_ref(value);
    let elements = value.as_array().map_or(one, Vec::as_slice);
    let texts: Option<BTreeSet<String>> = elements
        .iter()
        .map(|element| match element {
            Value::String(text) => Some(change(text)),
            Value::Bool(_) | Value::Number(_) => Some(element.to_string()),
            _ => None,
        })
        .collect();
    texts.map_or_else(|| value.clone(), |texts| json!(texts))
}

/// Everybody is `*` and `{"AWS": "*"}` alike; an account is its number and its root alike.
fn principal(value: &Value) -> Value {
    match value {
        Value::Object(kinds) => kinds
            .iter()
            .map(|(kind, names)| (kind.clone(), set(names, account)))
            .collect::<Map<String, Value>>()
            .into(),
        everybody => json!({"AWS": set(everybody, account)}),
    }
}

fn account(name: &str) -> String {
    let number = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let root = name
        .strip_suffix(":root")
        .and_then(|name| name.strip_prefix("arn:"))
        .and_then(|name| name.split_once(":iam::"))
        .map(|(_, account)| account)
        .filter(|account| number(account));
    root.unwrap_or(name).to_owned()
}

fn condition(value: Value) -> Value {
    let Value::Object(operators) = value else {
        return value;
    };
    let plain = operators.into_iter().map(|(operator, keys)| {
        let keys = match keys {
            Value::Object(keys) => keys
                .into_iter()
                // Keys of conditions are the same in any case.
                .map(|(key, values)| (key.to_ascii_lowercase(), set(&values, str::to_owned)))
                .collect::<Map<String, Value>>()
                .into(),
            other => other,
        };
        (operator, keys)
    });
    plain.collect::<Map<String, Value>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(statement: Value) -> Value {
        json!({"Version": "2012-10-17", "Statement": statement})
    }

    #[test]
    fn policies_that_say_the_same_are_the_same() {
        let allow = |member: &str, value: Value| policy(json!([{"Effect": "Allow", member: value}]));
        for (name, a, b, same) in [
            (
                "one and a list of one",
                allow("Action", json!("s3:Get*")),
                allow("Action", json!(["s3:Get*"])),
                true,
            ),
            (
                "order",
                allow("Resource", json!(["a", "b"])),
                allow("Resource", json!(["b", "a"])),
                true,
            ),
            (
                "case of actions",
                allow("Action", json!("S3:getObject")),
                allow("Action", json!("s3:GetObject")),
                true,
            ),
            (
                "case of resources",
                allow("Resource", json!("A")),
                allow("Resource", json!("a")),
                false,
            ),
            (
                "one more action",
                allow("Action", json!(["a:B", "a:C"])),
                allow("Action", json!("a:B")),
                false,
            ),
            (
                "everybody",
                allow("Principal", json!("*")),
                allow("Principal", json!({"AWS": "*"})),
                true,
            ),
            (
                "an account",
                allow("Principal", json!({"AWS": "123456789012"})),
                allow("Principal", json!({"AWS": ["arn:aws:iam::123456789012:root"]})),
                true,
            ),
            (
                "another account",
                allow("Principal", json!({"AWS": "123456789012"})),
                allow("Principal", json!({"AWS": "210987654321"})),
                false,
            ),
            (
                "flags in conditions",
                allow("Condition", json!({"Bool": {"aws:SecureTransport": false}})),
                allow("Condition", json!({"Bool": {"aws:securetransport": ["false"]}})),
                true,
            ),
            (
                "allow is not deny",
                policy(json!([{"Effect": "Allow"}])),
                policy(json!([{"Effect": "Deny"}])),
                false,
            ),
            (
                "one statement and a list of one",
                policy(json!({"Effect": "Allow"})),
                policy(json!([{"Effect": "Allow"}])),
                true,
            ),
            (
                "order of statements",
                policy(json!([{"Effect": "Allow", "Sid": "a"}, {"Effect": "Deny", "Sid": "b"}])),
                policy(json!([{"Effect": "Deny", "Sid": "b"}, {"Effect": "Allow", "Sid": "a"}])),
                true,
            ),
            (
                "version",
                json!({"Version": "2008-10-17", "Statement": [{"Effect": "Allow"}]}),
                policy(json!([{"Effect": "Allow"}])),
                false,
            ),
            (
                "no policy",
                json!({"Statement": ["x"]}),
                json!({"Statement": ["x"]}),
                false,
            ),
        ] {
            assert_eq!(is_same(&a, &b), same, "{name}");
            assert_eq!(is_same(&b, &a), same, "{name}");
        }
    }
}
