//! Documents as flat lists of leaves, for showing and comparing them. Only a view: nothing is decided on it.

use crate::pointer::{child, split};
use serde_json::{Map, Value};

/// The leaves of a document by JSON Pointer, in document order: scalars, `null`, empty objects, and for every
/// array an empty one in front of its elements, so that `/A/0` of an array is told from `/A/0` of a map.
///
/// Nothing is lost: [`unflatten`] makes the same document of it.
///
/// ```
/// use formwork_schema::{flatten, unflatten};
/// use serde_json::json;
///
/// let document = json!({"NumShards": 1, "Endpoint": {"Port": 6379}, "a/b": [{}]});
/// let flat = flatten(&document);
/// let pointers: Vec<&str> = flat.iter().map(|(pointer, _)| pointer.as_str()).collect();
/// assert_eq!(pointers, ["/NumShards", "/Endpoint/Port", "/a~1b", "/a~1b/0"]);
/// assert_eq!(unflatten(flat), document);
/// ```
pub fn flatten(document: &Value) -> Vec<(String, Value)> {
    let mut leaves = Vec::new();
    collect(document, String::new(), &mut leaves);
    leaves
}

fn collect(value: &Value, at: String, leaves: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                collect(member, child(&at, key), leaves);
            }
        }
        Value::Array(elements) => {
            leaves.push((at.clone(), Value::Array(Vec::new())));
            for (index, element) in elements.iter().enumerate() {
                collect(element, format!("{at}/{index}"), leaves);
            }
        }
        leaf => leaves.push((at, leaf.clone())),
    }
}

/// The document that has these leaves; of two at one place the later one counts.
pub fn unflatten(leaves: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut document = Value::Object(Map::new());
    for (pointer, leaf) in leaves {
        put(&mut document, &split(&pointer), leaf);
    }
    document
}

fn put(place: &mut Value, path: &[String], leaf: Value) {
    let Some((segment, rest)) = path.split_first() else {
        *place = leaf;
        return;
    };
    // An array is there before its elements are: what is no array yet is an object.
    if !place.is_array() && !place.is_object() {
        *place = Value::Object(Map::new());
    }
    match place {
        Value::Array(elements) => {
            let index = segment.parse().unwrap_or(elements.len()).min(elements.len());
            if index == elements.len() {
                elements.push(Value::Null);
            }
            if let Some(element) = elements.get_mut(index) {
                put(element, rest, leaf);
            }
        }
        Value::Object(members) => put(members.entry(segment.as_str()).or_insert(Value::Null), rest, leaf),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_survives_being_flat() {
        for document in [
            json!({}),
            json!([]),
            json!(null),
            json!("text"),
            json!({"a": {}, "b": [], "c": null, "d": [[], {}, null, [1, [2]]]}),
            json!({"a/b": {"c~d": 1, "~1": 2, "": 3, " ": {"": {}}}}),
            json!({"map": {"0": "a", "1": "b"}, "list": ["a", "b"]}),
            json!([{"0": [{"-": 1}]}]),
        ] {
            assert_eq!(unflatten(flatten(&document)), document, "{document}");
        }
    }

    #[test]
    fn what_has_a_leaf_twice_has_the_later_one() {
        let leaves = [("/a", json!(1)), ("/a/b", json!(2)), ("/a/b", json!(3))];
        let leaves = leaves.map(|(pointer, leaf)| (pointer.to_owned(), leaf));
        assert_eq!(unflatten(leaves), json!({"a": {"b": 3}}));
    }
}
