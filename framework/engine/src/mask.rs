//! Keeping secret values out of everything that people read.

use formwork_blueprint::{Kind, Value};
use std::collections::BTreeSet;

/// What a secret becomes.
pub(crate) const MASK: &str = "*****";

/// Texts this short tell nothing, and masking them would make messages unreadable.
const SHORTEST: usize = 3;

/// The secret texts of a deployment, longest first so that a secret inside another leaves no rest.
#[derive(Clone, Default)]
pub(crate) struct Mask {
    texts: Vec<String>,
}

impl Mask {
    /// Everything tainted in some values.
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut texts = BTreeSet::new();
        for value in values {
            collect(value, false, &mut texts);
        }
        let mut texts: Vec<String> = texts.into_iter().collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Mask { texts }
    }

    /// This and the secrets of more values.
    pub(crate) fn with(&self, value: &Value) -> Self {
        let mut texts: BTreeSet<String> = self.texts.iter().cloned().collect();
        collect(value, false, &mut texts);
        let mut texts: Vec<String> = texts.into_iter().collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Mask { texts }
    }

    /// A text without secrets, also where JSON escaped them.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut shown = text.to_owned();
        for secret in &self.texts {
            if shown.contains(secret.as_str()) {
                shown = shown.replace(secret.as_str(), MASK);
            }
            let escaped = serde_json::Value::String(secret.clone()).to_string();
            let escaped = escaped.trim_matches('"');
            if escaped != secret && !escaped.is_empty() && shown.contains(escaped) {
                shown = shown.replace(escaped, MASK);
            }
        }
        shown
    }

    /// True if a text is or holds a secret.
    pub(crate) fn hides(&self, text: &str) -> bool {
        self.texts.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Removes every secret text from a document: members vanish, elements become `null`.
    pub(crate) fn strip(&self, document: &mut serde_json::Value) {
        if self.texts.is_empty() {
            return;
        }
        match document {
            serde_json::Value::Object(members) => {
                members.retain(|_, value| !self.hides_scalar(value));
                members.values_mut().for_each(|value| self.strip(value));
            }
            serde_json::Value::Array(elements) => {
                for element in elements {
                    if self.hides_scalar(element) {
                        *element = serde_json::Value::Null;
                    } else {
                        self.strip(element);
                    }
                }
            }
            _ => {}
        }
    }

    /// Masks every secret text in a document; a member with one in its name vanishes.
    pub(crate) fn cover(&self, document: &mut serde_json::Value) {
        if self.texts.is_empty() {
            return;
        }
        match document {
            serde_json::Value::Object(members) => {
                members.retain(|name, _| !self.hides(name));
                members.values_mut().for_each(|value| self.cover(value));
            }
            serde_json::Value::Array(elements) => {
                elements.iter_mut().for_each(|element| self.cover(element));
            }
            serde_json::Value::String(text) => *text = self.text(text),
            other if self.hides_scalar(other) => *other = MASK.into(),
            _ => {}
        }
    }

    fn hides_scalar(&self, value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => self.hides(text),
            serde_json::Value::Number(number) => self.texts.contains(&number.to_string()),
            _ => false,
        }
    }
}

/// `Debug` shows only how many there are.
impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} texts)", self.texts.len())
    }
}

fn collect(value: &Value, inherited: bool, texts: &mut BTreeSet<String>) {
    let secret = inherited || value.secret;
    match &value.kind {
        Kind::String(text) if secret && text.len() >= SHORTEST => {
            texts.insert(text.clone());
        }
        Kind::Number(number) if secret && number.to_string().len() >= SHORTEST => {
            texts.insert(number.to_string());
        }
        Kind::List(elements) => elements
            .iter()
            .for_each(|element| collect(element, secret, texts)),
        Kind::Map(members) => members.values().for_each(|member| collect(member, secret, texts)),
        _ => {}
    }
}

/// Removes what stands at some JSON Pointers: members vanish, elements become `null`.
pub(crate) fn strip_pointers<'a>(
    document: &mut serde_json::Value,
    pointers: impl IntoIterator<Item = &'a str>,
) {
    for pointer in pointers {
        let Some((parent, key)) = pointer.rsplit_once('/') else {
            *document = serde_json::Value::Null;
            continue;
        };
        let key = key.replace("~1", "/").replace("~0", "~");
        match document.pointer_mut(parent) {
            Some(serde_json::Value::Object(members)) => {
                members.shift_remove(&key);
            }
            Some(serde_json::Value::Array(elements)) => {
                if let Some(element) = key
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| elements.get_mut(index))
                {
                    *element = serde_json::Value::Null;
                }
            }
            _ => {}
        }
    }
}

/// Puts a value at a JSON Pointer, with the members on the way to it; not beyond the end of an array.
pub(crate) fn put_at(document: &mut serde_json::Value, pointer: &str, value: serde_json::Value) {
    let mut place = document;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        if place.is_null() {
            *place = serde_json::json!({});
        }
        let next = match place {
            serde_json::Value::Object(members) => Some(members.entry(key).or_insert(serde_json::Value::Null)),
            serde_json::Value::Array(elements) => {
                key.parse::<usize>().ok().and_then(|at| elements.get_mut(at))
            }
            _ => None,
        };
        match next {
            Some(next) => place = next,
            None => return,
        }
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secret(text: &str) -> Value {
        Value {
            kind: Kind::String(text.into()),
            secret: true,
        }
    }

    #[test]
    fn longer_secrets_go_first() {
        let mask = Mask::of([&secret("pass"), &secret("password!")]);
        assert_eq!(mask.text("with password! and pass"), "with ***** and *****");
    }

    #[test]
    fn escaped_secrets_are_found() {
        let mask = Mask::of([&secret("a\"b\\c")]);
        assert_eq!(mask.text(r#"{"x":"a\"b\\c"}"#), r#"{"x":"*****"}"#);
    }

    #[test]
    fn secrets_below_a_tainted_list_count_and_untainted_do_not() {
        let list = Value {
            kind: Kind::List(vec![Value {
                kind: Kind::String("hidden".into()),
                secret: false,
            }]),
            secret: true,
        };
        let open = Value {
            kind: Kind::String("shown".into()),
            secret: false,
        };
        assert_eq!(Mask::of([&list, &open]).text("hidden shown"), "***** shown");
    }

    #[test]
    fn stripping_takes_every_secret_out_of_a_document() {
        let mut document =
            json!({"a": "top-secret", "b": ["x", "top-secret", {"c": "in top-secret out"}], "d": 1});
        Mask::of([&secret("top-secret")]).strip(&mut document);
        assert_eq!(document, json!({"b": ["x", null, {}], "d": 1}));
    }

    #[test]
    fn covering_leaves_everything_but_secrets_in_its_place() {
        let mut document =
            json!({"a": "top-secret", "b": ["x", {"c": "in top-secret out"}], "d": 1, "top-secret": 2});
        Mask::of([&secret("top-secret")]).cover(&mut document);
        assert_eq!(
            document,
            json!({"a": "*****", "b": ["x", {"c": "in ***** out"}], "d": 1})
        );
    }

    #[test]
    fn stripping_pointers_removes_members_and_blanks_elements() {
        let mut document = json!({"a": {"b/c": 1, "d": 2}, "e": [1, 2]});
        strip_pointers(&mut document, ["/a/b~1c", "/e/0", "/none/x"]);
        assert_eq!(document, json!({"a": {"d": 2}, "e": [null, 2]}));
    }

    #[test]
    fn what_was_taken_out_can_be_put_back() {
        let mut document = json!({"a": [1, null], "b": {}});
        for pointer in ["/a/1", "/b/c~1d", "/e/f", "/a/7"] {
            put_at(&mut document, pointer, MASK.into());
        }
        assert_eq!(
            document,
            json!({"a": [1, MASK], "b": {"c/d": MASK}, "e": {"f": MASK}})
        );
    }
}
