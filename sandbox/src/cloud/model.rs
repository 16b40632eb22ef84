//! A resource's properties seen through the pointer lists of its schema.

use formwork_schema::PropertyPointer;
use serde_json::Value;

/// The values a pointer leads to, in order; arrays are crossed whether the pointer says so or not.
pub(crate) fn select<'a>(model: &'a Value, pointer: &PropertyPointer) -> Vec<&'a Value> {
    let mut found = Vec::new();
    collect(model, pointer.segments(), &mut found);
    found
}

fn collect<'a>(node: &'a Value, segments: &[String], found: &mut Vec<&'a Value>) {
    let Some((first, rest)) = segments.split_first() else {
        found.push(node);
        return;
    };
    match node {
        Value::Object(members) if first == "*" => {
            members.values().for_each(|member| collect(member, rest, found));
        }
        Value::Object(members) => {
            if let Some(member) = members.get(first) {
                collect(member, rest, found);
            }
        }
        Value::Array(items) => {
            let rest = if first == "*" { rest } else { segments };
            items.iter().for_each(|item| collect(item, rest, found));
        }
        _ => {}
    }
}

/// Takes away what the pointers lead to. Objects that become empty stay: a patch may add to them.
pub(crate) fn strip(model: &mut Value, pointers: &[PropertyPointer]) {
    for pointer in pointers {
        cut(model, pointer.segments());
    }
}

fn cut(node: &mut Value, segments: &[String]) {
    let Some((first, rest)) = segments.split_first() else {
        return;
    };
    match node {
        Value::Object(members) if rest.is_empty() => {
            members.shift_remove(first);
        }
        Value::Object(members) if first == "*" => members.values_mut().for_each(|member| cut(member, rest)),
        Value::Object(members) => {
            if let Some(member) = members.get_mut(first) {
                cut(member, rest);
            }
        }
        Value::Array(items) => {
            let rest = if first == "*" { rest } else { segments };
            items.iter_mut().for_each(|item| cut(item, rest));
        }
        _ => {}
    }
}

/// The pointers whose values differ between two models, as the service lists them.
pub(crate) fn changed(before: &Value, after: &Value, pointers: &[PropertyPointer]) -> Vec<String> {
    pointers
        .iter()
        .filter(|pointer| {
            let (before, after) = (select(before, pointer), select(after, pointer));
            before.len() != after.len()
                || before
                    .iter()
                    .zip(&after)
                    .any(|(left, right)| !super::patch::same(left, right))
        })
        .map(written)
        .collect()
}

/// A pointer as the schemas write it.
pub(crate) fn written(pointer: &PropertyPointer) -> String {
    let mut text = String::from("/properties");
    for segment in pointer.segments() {
        text.push('/');
        text.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    }
    text
}

/// A scalar as text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pointer(text: &str) -> PropertyPointer {
        PropertyPointer::parse(text).unwrap()
    }

    #[test]
    fn arrays_are_crossed_with_and_without_a_star() {
        let model = json!({"L": [{"a": 1, "b": 2}, {"b": 3}]});
        for text in ["/properties/L/*/b", "/properties/L/b"] {
            assert_eq!(select(&model, &pointer(text)), [&json!(2), &json!(3)]);
            let mut stripped = model.clone();
            strip(&mut stripped, &[pointer(text)]);
            assert_eq!(stripped, json!({"L": [{"a": 1}, {}]}));
        }
    }

    #[test]
    fn changes_are_listed_as_schema_pointers() {
        let pointers = [
            pointer("/properties/Dns/Kind"),
            pointer("/properties/Name"),
            pointer("/properties/N"),
        ];
        let before = json!({"Dns": {"Kind": "a"}, "Name": "x", "N": 1});
        let after = json!({"Name": "x", "N": 1.0});
        assert_eq!(changed(&before, &after, &pointers), ["/properties/Dns/Kind"]);
    }
}
