//! What is remembered of a desired state after it was applied.

use crate::ResourceSchema;
use crate::check::is_within;
use crate::number::{canonical, equal};
use crate::pointer::{child, expand, split};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::Sha256;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What is remembered of a desired state after it was applied: the state without write-only and secret
/// values, and salted hashes of those by JSON Pointer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// The desired state without what must not be stored.
    pub shown: Value,
    /// HMAC-SHA-256 (hex) of each hidden value's canonical JSON, keyed with the salt, by JSON Pointer.
    pub hidden: BTreeMap<String, String>,
    /// Random per instance, hex.
    pub salt: String,
}

/// Makes the memory of an applied desired state. `secret` holds JSON Pointers of tainted values.
///
/// In `shown` a hidden member is absent and a hidden element of an array is `null`, so that the others keep
/// their places.
pub fn remember(
    schema: &ResourceSchema,
    desired: &Value,
    secret: &BTreeSet<String>,
    salt: &str,
) -> Remembered {
    let mut pointers: BTreeSet<String> = secret.clone();
    for pointer in schema.write_only() {
        pointers.extend(expand(pointer, desired));
    }
    let mut shown = desired.clone();
    let mut hidden = BTreeMap::new();
    for pointer in &pointers {
        let inside_another = ancestors(pointer).any(|ancestor| pointers.contains(ancestor));
        if let Some(value) = desired
            .pointer(pointer)
            .filter(|value| !inside_another && !value.is_null())
        {
            hidden.insert(pointer.clone(), hash(value, salt));
        }
        hide(&mut shown, &split(pointer));
    }
    // A create-only value inside of a hidden one has to be told apart: its change replaces.
    for at in schema
        .create_only()
        .iter()
        .flat_map(|pointer| expand(pointer, desired))
    {
        if let Some(value) = desired.pointer(&at)
            && ancestors(&at).any(|ancestor| hidden.contains_key(ancestor))
        {
            hidden.insert(at, hash(value, salt));
        }
    }
    Remembered {
        shown,
        hidden,
        salt: salt.to_owned(),
    }
}

impl Remembered {
    /// Notes that an update to `intended` may or may not have had its effect: what either names is owned, and of a
    /// hidden value that was to change it is not known any more what it is.
    pub fn doubt(&mut self, intended: &Remembered) {
        own(&mut self.shown, &intended.shown);
        for (pointer, hash) in &intended.hidden {
            if self.hidden.get(pointer) != Some(hash) {
                self.hidden.insert(pointer.clone(), UNKNOWN.to_owned());
            }
        }
    }

    /// This memory, owning also what an earlier one did.
    #[must_use]
    pub fn owning(&self, earlier: &Remembered) -> Remembered {
        let mut both = self.clone();
        own(&mut both.shown, &earlier.shown);
        for (pointer, hash) in &earlier.hidden {
            both.hidden.entry(pointer.clone()).or_insert_with(|| hash.clone());
        }
        both
    }

    /// What is known of a resource whose creation to this state failed half-way: it may have any of it, so all of
    /// it is owned. What is create-only it has if it is there at all; of other hidden values nobody knows.
    #[must_use]
    pub fn half_applied(&self, schema: &ResourceSchema) -> Remembered {
        let mut doubtful = self.clone();
        for (pointer, hash) in &mut doubtful.hidden {
            if !is_within(schema.create_only(), pointer) {
                UNKNOWN.clone_into(hash);
            }
        }
        doubtful
    }

    /// What was applied, as far as it is known: with the hidden values that `desired` has unchanged.
    pub fn recall(&self, desired: &Value) -> Value {
        let mut recalled = self.shown.clone();
        for pointer in self.hidden.keys() {
            if let Some(value) = desired.pointer(pointer)
                && self.is_as_hidden(desired, pointer)
            {
                put(&mut recalled, &split(pointer), value);
            }
        }
        recalled
    }

    /// What was applied, with `null` for what is hidden: who owns a property, not what it was.
    pub(crate) fn owned(&self) -> Cow<'_, Value> {
        let mut owned = Cow::Borrowed(&self.shown);
        for pointer in self.hidden.keys() {
            mark(owned.to_mut(), &split(pointer));
        }
        owned
    }

    /// True if this value is the one that was applied at `pointer` and is hidden there.
    pub fn is_hidden_value(&self, pointer: &str, value: &Value) -> bool {
        self.hidden
            .get(pointer)
            .is_some_and(|hashed| *hashed == hash(value, &self.salt))
    }

    /// True if the desired value at `pointer` is known to be what was applied there; hidden values only.
    pub(crate) fn is_as_hidden(&self, desired: &Value, pointer: &str) -> bool {
        let known = |at: &str| Some((self.hidden.get(at)?, desired.pointer(at)?));
        std::iter::once(pointer)
            .chain(ancestors(pointer))
            .find_map(known)
            .is_some_and(|(hashed, value)| *hashed == hash(value, &self.salt))
    }

    /// True if the desired value at `pointer` is what was applied there, hidden parts included.
    pub(crate) fn is_as_applied(&self, desired: &Value, pointer: &str) -> bool {
        if self.is_as_hidden(desired, pointer) {
            return true;
        }
        let (Some(shown), Some(given)) = (self.shown.pointer(pointer), desired.pointer(pointer)) else {
            return false;
        };
        let inside = format!("{pointer}/");
        let parts: Vec<&str> = self
            .hidden
            .range(inside.clone()..)
            .map_while(|(at, _)| at.starts_with(&inside).then_some(at.as_str()))
            .collect();
        if parts.is_empty() {
            return equal(shown, given);
        }
        let mut open = given.clone();
        for part in parts.iter().filter_map(|part| part.strip_prefix(pointer)) {
            hide(&mut open, &split(part));
        }
        equal(shown, &open) && parts.into_iter().all(|part| self.is_as_hidden(desired, part))
    }
}

/// Puts a value where its parents are: a new member, or a known element.
fn put(into: &mut Value, path: &[String], value: &Value) {
    let Some((last, parents)) = path.split_last() else {
        *into = value.clone();
        return;
    };
    let parent = parents.iter().try_fold(into, |at, part| match at {
        Value::Object(members) => members.get_mut(part),
        Value::Array(elements) => elements.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    });
    match parent {
        Some(Value::Object(members)) => {
            members.insert(last.clone(), value.clone());
        }
        Some(Value::Array(elements)) => {
            if let Some(element) = last.parse().ok().and_then(|index: usize| elements.get_mut(index)) {
                *element = value.clone();
            }
        }
        _ => {}
    }
}

/// The hash of no value.
const UNKNOWN: &str = "";

/// Adds the members that only `other` has.
fn own(shown: &mut Value, other: &Value) {
    if let (Value::Object(shown), Value::Object(other)) = (shown, other) {
        for (name, value) in other {
            match shown.get_mut(name) {
                Some(known) => own(known, value),
                None => {
                    shown.insert(name.clone(), value.clone());
                }
            }
        }
    }
}

/// The pointers of everything that holds the value at `pointer`, nearest first.
fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(pointer.rsplit_once('/').map(|(parent, _)| parent), |at| {
        at.rsplit_once('/').map(|(parent, _)| parent)
    })
}

fn hash(value: &Value, salt: &str) -> String {
    // HMAC takes keys of any length, so this cannot fail; an empty text would only look like a change.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(salt.as_bytes()) else {
        return String::new();
    };
    mac.update(canonical(value).as_bytes());
    mac.finalize()
        .into_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn hide(value: &mut Value, path: &[String]) {
    let Some((last, parents)) = path.split_last() else {
        *value = Value::Null;
        return;
    };
    match parents
        .iter()
        .try_fold(value, |value, segment| step(value, segment))
    {
        Some(Value::Object(members)) => drop(members.shift_remove(last)),
        Some(Value::Array(elements)) => {
            if let Some(element) = last
                .parse::<usize>()
                .ok()
                .and_then(|index| elements.get_mut(index))
            {
                *element = Value::Null;
            }
        }
        _ => {}
    }
}

fn mark(value: &mut Value, path: &[String]) {
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    let parent = parents.iter().try_fold(value, |value, segment| {
        if let Value::Object(members) = value {
            return Some(
                members
                    .entry(segment.as_str())
                    .or_insert_with(|| Value::Object(Map::new())),
            );
        }
        step(value, segment)
    });
    if let Some(Value::Object(members)) = parent {
        members.entry(last.as_str()).or_insert(Value::Null);
    }
}

fn step<'v>(value: &'v mut Value, segment: &str) -> Option<&'v mut Value> {
    value.pointer_mut(&child("", segment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> ResourceSchema {
        ResourceSchema::parse(
            &json!({
                "typeName": "A::B::C",
                "properties": {
                    "Password": {"type": "string"},
                    "Users": {"type": "array", "items": {"type": "object", "properties": {"Name": {}, "Token": {}}}},
                },
                "writeOnlyProperties": ["/properties/Password", "/properties/Users/*/Token"],
            })
            .to_string(),
        )
        .unwrap()
    }

    #[test]
    fn nothing_hidden_is_stored_and_changes_are_seen() {
        let desired =
            json!({"Password": "hunter2", "Users": [{"Name": "a", "Token": "t0ken"}], "Plain": "s3cret"});
        let secret = BTreeSet::from(["/Plain".to_owned()]);
        let memory = remember(&schema(), &desired, &secret, "salt");
        assert_eq!(memory.shown, json!({"Users": [{"Name": "a"}]}));
        assert_eq!(
            memory.hidden.keys().collect::<Vec<_>>(),
            ["/Password", "/Plain", "/Users/0/Token"]
        );
        let text = serde_json::to_string(&memory).unwrap();
        assert!(
            ["hunter2", "t0ken", "s3cret"]
                .iter()
                .all(|value| !text.contains(value))
        );

        for pointer in [
            "/Password",
            "/Users",
            "/Users/0",
            "/Users/0/Name",
            "/Users/0/Token",
            "/Plain",
        ] {
            assert!(memory.is_as_applied(&desired, pointer), "{pointer}");
        }
        let changed =
            json!({"Password": "hunter3", "Users": [{"Name": "a", "Token": "other"}], "Plain": "s3cret"});
        for (pointer, same) in [
            ("/Password", false),
            ("/Users", false),
            ("/Users/0/Name", true),
            ("/Plain", true),
            ("/New", false),
        ] {
            assert_eq!(memory.is_as_applied(&changed, pointer), same, "{pointer}");
        }
    }

    #[test]
    fn the_same_value_hashes_differently_under_another_salt() {
        let desired = json!({"Password": "hunter2"});
        let one = remember(&schema(), &desired, &BTreeSet::new(), "salt");
        let other = remember(&schema(), &desired, &BTreeSet::new(), "pepper");
        assert_ne!(one.hidden, other.hidden);
    }

    #[test]
    fn a_memory_survives_its_json() {
        let memory = remember(
            &schema(),
            &json!({"Password": "a", "N": 1.10}),
            &BTreeSet::new(),
            "salt",
        );
        let text = serde_json::to_string(&memory).unwrap();
        assert_eq!(serde_json::from_str::<Remembered>(&text).unwrap(), memory);
    }

    #[test]
    fn of_what_is_half_made_only_what_it_cannot_be_without_is_known() {
        let schema = ResourceSchema::parse(
            &json!({
                "typeName": "A::B::C",
                "properties": {"Password": {"type": "string"}, "Key": {"type": "string"}, "Open": {"type": "string"}},
                "writeOnlyProperties": ["/properties/Password", "/properties/Key"],
                "createOnlyProperties": ["/properties/Key"],
            })
            .to_string(),
        )
        .unwrap();
        let desired = json!({"Password": "hunter2", "Key": "k", "Open": "o"});
        let memory = remember(&schema, &desired, &BTreeSet::new(), "salt").half_applied(&schema);
        assert_eq!(
            *memory.owned(),
            json!({"Password": null, "Key": null, "Open": "o"})
        );
        assert!(memory.is_as_hidden(&desired, "/Key"));
        assert!(!memory.is_as_hidden(&desired, "/Password"));
        assert!(!memory.is_as_hidden(&json!({"Key": "other"}), "/Key"));
    }

    #[test]
    fn ownership_shows_hidden_places() {
        let memory = remember(
            &schema(),
            &json!({"A": {"B": "x"}, "Password": "p"}),
            &BTreeSet::from(["/A/B".to_owned()]),
            "salt",
        );
        assert_eq!(*memory.owned(), json!({"A": {"B": null}, "Password": null}));
    }
}
