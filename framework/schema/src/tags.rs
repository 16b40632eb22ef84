//! Tags: where a type keeps them and how given ones are merged in.

use crate::view::View;
use crate::{PropertyPointer, ResourceSchema};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How a type takes tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tagging {
    /// Not at all, or in a shape we do not know.
    None,
    /// A list of `{Key, Value}` objects under this property.
    KeyValueList(PropertyPointer),
    /// A map under this property.
    Map(PropertyPointer),
}

impl ResourceSchema {
    /// How the type takes tags.
    pub fn tagging(&self) -> Tagging {
        let tagging = self.document.get("tagging");
        let taggable = tagging.and_then(|tagging| tagging.get("taggable"));
        if taggable.or_else(|| self.document.get("taggable")) == Some(&Value::Bool(false)) {
            return Tagging::None;
        }
        let declared = tagging
            .and_then(|tagging| tagging.get("tagProperty"))
            .and_then(Value::as_str);
        let Ok(pointer) = PropertyPointer::parse(declared.unwrap_or("/properties/Tags")) else {
            return Tagging::None;
        };
        // One list of tags per element (EC2 launch templates) is no place for the tags of the resource.
        if pointer.segments().iter().any(|segment| segment == "*") || self.read_only.contains(&pointer) {
            return Tagging::None;
        }
        shape(&self.view(), pointer)
    }

    /// Desired state with tags merged in, those of the author winning; unchanged for types without tags.
    pub fn with_tags(&self, desired: Value, tags: &BTreeMap<String, String>) -> Value {
        if tags.is_empty() {
            return desired;
        }
        let mut tagged = desired;
        match self.tagging() {
            Tagging::None => {}
            Tagging::Map(pointer) => {
                if let Some(Value::Object(members)) = place(&mut tagged, &pointer, || json!({})) {
                    for (key, value) in tags {
                        members.entry(key.as_str()).or_insert_with(|| json!(value));
                    }
                }
            }
            Tagging::KeyValueList(pointer) => {
                if let Some(Value::Array(list)) = place(&mut tagged, &pointer, || json!([])) {
                    for (key, value) in tags {
                        if !list.iter().any(|tag| tag_key(tag) == Some(key)) {
                            list.push(json!({"Key": key, "Value": value}));
                        }
                    }
                }
            }
        }
        tagged
    }
}

/// The key of one `{Key, Value}` tag.
pub(crate) fn tag_key(tag: &Value) -> Option<&str> {
    tag.get("Key").and_then(Value::as_str)
}

/// True for the tags that AWS sets itself and nobody else may touch.
pub(crate) fn is_reserved(key: &str) -> bool {
    key.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("aws:"))
}

fn shape(root: &View<'_>, pointer: PropertyPointer) -> Tagging {
    let view = root.at(pointer.segments());
    let tag = view.items();
    if view.is_map() {
        Tagging::Map(pointer)
    } else if tag.property("Key").is_some() && tag.property("Value").is_some() {
        Tagging::KeyValueList(pointer)
    } else {
        Tagging::None
    }
}

/// The value at the pointer, made with `empty` when absent or null.
fn place<'v>(
    value: &'v mut Value,
    pointer: &PropertyPointer,
    empty: impl Fn() -> Value,
) -> Option<&'v mut Value> {
    let (last, parents) = pointer.segments().split_last()?;
    let mut parent = value;
    for segment in parents {
        parent = parent
            .as_object_mut()?
            .entry(segment.as_str())
            .or_insert_with(|| Value::Object(Map::new()));
    }
    let place = parent
        .as_object_mut()?
        .entry(last.as_str())
        .or_insert(Value::Null);
    if place.is_null() {
        *place = empty();
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str) -> ResourceSchema {
        crate::load(name).unwrap().unwrap()
    }

    #[test]
    fn tags_are_found_in_their_shapes() {
        let tags = || PropertyPointer::of(["Tags"]);
        for (name, expected) in [
            ("AWS::SQS::Queue", Tagging::KeyValueList(tags())),
            ("AWS::SSM::Parameter", Tagging::Map(tags())),
            ("AWS::Lambda::Permission", Tagging::None),
            ("AWS::EC2::LaunchTemplate", Tagging::None),
            (
                "AWS::EFS::FileSystem",
                Tagging::KeyValueList(PropertyPointer::of(["FileSystemTags"])),
            ),
        ] {
            assert_eq!(load(name).tagging(), expected, "{name}");
        }
    }

    #[test]
    fn given_tags_are_merged_and_the_authors_win() {
        let tags = BTreeMap::from([
            ("team".to_owned(), "a".to_owned()),
            ("stage".to_owned(), "b".to_owned()),
        ]);
        assert_eq!(
            load("AWS::SQS::Queue").with_tags(json!({"Tags": [{"Key": "team", "Value": "own"}]}), &tags),
            json!({"Tags": [{"Key": "team", "Value": "own"}, {"Key": "stage", "Value": "b"}]}),
        );
        assert_eq!(
            load("AWS::SSM::Parameter").with_tags(json!({}), &tags),
            json!({"Tags": {"stage": "b", "team": "a"}}),
        );
        assert_eq!(
            load("AWS::Lambda::Permission").with_tags(json!({}), &tags),
            json!({})
        );
        assert_eq!(
            load("AWS::SQS::Queue").with_tags(json!({}), &BTreeMap::new()),
            json!({})
        );
    }
}
