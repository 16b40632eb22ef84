//! Property pointers of resource schemas: `/properties/DefaultActions/*/TargetGroupArn`.
//!
//! A property pointer says which property; a JSON Pointer says where in one document. `*` stands for every
//! element of an array. Pointers that forget the `*` are met too: an array on the way is crossed silently.

use serde_json::Value;
use std::fmt;

/// A pointer into a resource's properties, the leading `/properties` dropped; `*` crosses an array.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyPointer {
    segments: Vec<String>,
}

/// A pointer that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a property pointer")]
pub struct PointerError(pub String);

impl PropertyPointer {
    /// Reads a pointer as the official schemas write it, oddities included: extra `properties` or `items`
    /// segments, a dot for a slash, no slash in front.
    ///
    /// # Errors
    /// When it does not point into the properties, such as one that starts at `/definitions`.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        let error = || PointerError(text.to_owned());
        let rest = text
            .strip_prefix('/')
            .unwrap_or(text)
            .strip_prefix("properties/")
            .ok_or_else(error)?;
        // INVARIANT (plain names): no property of an official schema is called `properties` or has a dot.
        let segments: Vec<String> = rest
            .split(['/', '.'])
            .filter(|segment| *segment != "properties")
            .map(unescape)
            .collect();
        if segments.is_empty() || segments.iter().any(String::is_empty) {
            return Err(error());
        }
        Ok(Self { segments })
    }

    /// A pointer of these segments, `*` for an array's elements.
    pub fn of<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Self {
        Self {
            segments: segments.into_iter().map(Into::into).collect(),
        }
    }

    /// The segments, unescaped.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }
}

/// As Cloud Control writes it: `/properties/DefaultActions/*/TargetGroupArn`.
impl fmt::Display for PropertyPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/properties")?;
        self.segments
            .iter()
            .try_for_each(|segment| write!(f, "/{}", escape(segment)))
    }
}

/// The JSON Pointers of the values that `pointer` names in `value`, in document order.
pub fn expand(pointer: &PropertyPointer, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    visit(pointer.segments(), value, &mut String::new(), &mut |at, _| {
        found.push(at.to_owned())
    });
    found
}

/// The values that `pointer` names in `value`, in document order.
pub fn select<'v>(pointer: &PropertyPointer, value: &'v Value) -> Vec<&'v Value> {
    let mut found = Vec::new();
    visit(pointer.segments(), value, &mut String::new(), &mut |_, value| {
        found.push(value)
    });
    found
}

/// True if the JSON Pointer leads to a value that `pointer` names.
pub fn matches(pointer: &PropertyPointer, json_pointer: &str) -> bool {
    relation(pointer.segments(), &split(json_pointer)) == Relation::Same
}

/// `value` without what the pointers name; elements of arrays are removed as well.
pub fn strip(value: &Value, pointers: &[PropertyPointer]) -> Value {
    let mut stripped = value.clone();
    for pointer in pointers {
        remove(pointer.segments(), &mut stripped);
    }
    stripped
}

/// How a place in a document lies to what a property pointer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The place is what the pointer names.
    Same,
    /// The place lies inside of what the pointer names.
    Inside,
    /// What the pointer names lies inside of the place.
    Above,
    /// Neither.
    Apart,
}

/// Compares a pointer with the segments of a JSON Pointer.
pub(crate) fn relation<S: AsRef<str>>(mut pointer: &[String], mut path: &[S]) -> Relation {
    loop {
        match (pointer.split_first(), path.split_first()) {
            (None, None) => return Relation::Same,
            (None, Some(_)) => return Relation::Inside,
            (Some(_), None) => return Relation::Above,
            (Some((wanted, pointer_rest)), Some((segment, path_rest))) => {
                let segment = segment.as_ref();
                if wanted == "*" || wanted == segment {
                    pointer = pointer_rest;
                } else if !is_index(segment) {
                    return Relation::Apart;
                }
                path = path_rest;
            }
        }
    }
}

/// The segments of a JSON Pointer, unescaped.
pub(crate) fn split(json_pointer: &str) -> Vec<String> {
    json_pointer.split('/').skip(1).map(unescape).collect()
}

/// The JSON Pointer of these segments.
pub(crate) fn join<S: AsRef<str>>(segments: &[S]) -> String {
    segments.iter().fold(String::new(), |pointer, segment| {
        child(&pointer, segment.as_ref())
    })
}

/// The JSON Pointer of a member of `parent`.
pub(crate) fn child(parent: &str, segment: &str) -> String {
    let mut pointer = String::with_capacity(parent.len() + 1 + segment.len());
    pointer.push_str(parent);
    pointer.push('/');
    push_escaped(&mut pointer, segment);
    pointer
}

fn visit<'v>(pointer: &[String], value: &'v Value, at: &mut String, found: &mut impl FnMut(&str, &'v Value)) {
    let Some((segment, rest)) = pointer.split_first() else {
        return found(at, value);
    };
    let length = at.len();
    match value {
        Value::Array(elements) => {
            let rest = if segment == "*" { rest } else { pointer };
            for (index, element) in elements.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                visit(rest, element, at, found);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, member) in members
                .iter()
                .filter(|(key, _)| segment == "*" || *key == segment)
            {
                at.push('/');
                push_escaped(at, key);
                visit(rest, member, at, found);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

fn remove(pointer: &[String], value: &mut Value) {
    let Some((segment, rest)) = pointer.split_first() else {
        return;
    };
    match value {
        Value::Array(elements) if segment == "*" && rest.is_empty() => elements.clear(),
        Value::Array(elements) => {
            let rest = if segment == "*" { rest } else { pointer };
            elements.iter_mut().for_each(|element| remove(rest, element));
        }
        Value::Object(members) if rest.is_empty() => {
            members.retain(|key, _| segment != "*" && key != segment);
        }
        Value::Object(members) => {
            for (_, member) in members
                .iter_mut()
                .filter(|(key, _)| segment == "*" || *key == segment)
            {
                remove(rest, member);
            }
        }
        _ => {}
    }
}

fn is_index(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

fn escape(segment: &str) -> String {
    let mut escaped = String::with_capacity(segment.len());
    push_escaped(&mut escaped, segment);
    escaped
}

/// Hardly any name has something to escape.
fn push_escaped(text: &mut String, segment: &str) {
    if !segment.contains(['~', '/']) {
        return text.push_str(segment);
    }
    for character in segment.chars() {
        match character {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            other => text.push(other),
        }
    }
}

fn unescape(segment: &str) -> String {
    match segment.contains('~') {
        true => segment.replace("~1", "/").replace("~0", "~"),
        false => segment.to_owned(),
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
    fn pointers_are_read_with_their_oddities() {
        for (text, segments) in [
            ("/properties/Arn", vec!["Arn"]),
            ("/properties/A/*/B", vec!["A", "*", "B"]),
            (
                "/properties/AdvancedSecurityOptions/properties/Enabled",
                vec!["AdvancedSecurityOptions", "Enabled"],
            ),
            (
                "/properties/EncryptionAtRestOptions/properties",
                vec!["EncryptionAtRestOptions"],
            ),
            (
                "/properties/EncryptionConfiguration.KeyArn",
                vec!["EncryptionConfiguration", "KeyArn"],
            ),
            ("/properties/A~1B/~0C", vec!["A/B", "~C"]),
            ("properties/MaximumDuration", vec!["MaximumDuration"]),
        ] {
            assert_eq!(pointer(text).segments(), segments, "{text}");
        }
        for text in [
            "",
            "/",
            "Arn",
            "/properties",
            "/properties/",
            "/properties//A",
            "/definitions/A/properties/B",
        ] {
            assert_eq!(PropertyPointer::parse(text), Err(PointerError(text.to_owned())));
        }
    }

    #[test]
    fn expansion_crosses_arrays_with_and_without_a_star() {
        let value = json!({"Tags": [{"Key": 1}, {"Key": 2}, {"Other": 3}], "M": {"a/b": {"X": 1}}});
        for (text, expected) in [
            ("/properties/Tags/*/Key", vec!["/Tags/0/Key", "/Tags/1/Key"]),
            ("/properties/Tags/Key", vec!["/Tags/0/Key", "/Tags/1/Key"]),
            ("/properties/Tags/*", vec!["/Tags/0", "/Tags/1", "/Tags/2"]),
            ("/properties/Tags", vec!["/Tags"]),
            ("/properties/M/*/X", vec!["/M/a~1b/X"]),
            ("/properties/Missing/X", vec![]),
        ] {
            assert_eq!(expand(&pointer(text), &value), expected, "{text}");
            for at in expand(&pointer(text), &value) {
                assert!(matches(&pointer(text), &at), "{text} {at}");
            }
            let found: Vec<_> = expand(&pointer(text), &value)
                .iter()
                .map(|at| value.pointer(at).unwrap())
                .collect();
            assert_eq!(select(&pointer(text), &value), found);
        }
    }

    #[test]
    fn stripping_leaves_nothing_to_select() {
        let value = json!({"A": [{"B": 1, "C": 2}], "D": {"E": 1}, "F": 1});
        let pointers = [
            "/properties/A/*/B",
            "/properties/D/E",
            "/properties/F",
            "/properties/G",
        ]
        .map(pointer);
        let stripped = strip(&value, &pointers);
        assert_eq!(stripped, json!({"A": [{"C": 2}], "D": {}}));
        assert!(
            pointers
                .iter()
                .all(|pointer| select(pointer, &stripped).is_empty())
        );
    }

    #[test]
    fn places_are_related_to_pointers() {
        let named = pointer("/properties/A/*/B");
        for (place, expected) in [
            ("/A", Relation::Above),
            ("/A/0", Relation::Above),
            ("/A/0/B", Relation::Same),
            ("/A/0/B/C", Relation::Inside),
            ("/A/0/D", Relation::Apart),
            ("/B", Relation::Apart),
            ("", Relation::Above),
        ] {
            assert_eq!(relation(named.segments(), &split(place)), expected, "{place}");
        }
    }
}
