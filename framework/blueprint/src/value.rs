//! Values during evaluation: JSON's, plus "not known before deploy" and a taint for secrets.

use crate::Segment;
use indexmap::IndexMap;
use serde_json::Number;
use std::fmt;

/// What a secret looks like to people.
const MASK: &str = "*****";
/// What a value that is not known yet looks like to people.
const UNKNOWN: &str = "(known after deploy)";

/// A value with its taint. A list or map is itself tainted only if its very shape depends on a secret
/// (e.g. `jsondecode` of a secret); otherwise taint sits on the leaves.
#[derive(Clone, PartialEq)]
pub struct Value {
    /// The value.
    pub kind: Kind,
    /// Whether it is, or was computed from, a secret.
    pub secret: bool,
}

/// What a [`Value`] is.
#[derive(Clone, PartialEq)]
pub enum Kind {
    /// Known only once something is deployed.
    Unknown,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number with its exact text.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    List(Vec<Value>),
    /// A map in the author's order.
    Map(IndexMap<String, Value>),
}

impl Kind {
    /// What it is, with its article, for messages: never the content.
    pub fn noun(&self) -> &'static str {
        match self {
            Kind::Unknown => "a value not known yet",
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }
}

impl fmt::Debug for Kind {
    /// Shows what it is and no more: a kind does not know whether its content, keys included, is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

impl fmt::Debug for Value {
    /// Shows the value with secrets masked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_masked_json())
    }
}

impl From<Kind> for Value {
    fn from(kind: Kind) -> Self {
        Value { kind, secret: false }
    }
}

impl Value {
    /// A value that is not known yet.
    pub fn unknown() -> Self {
        Kind::Unknown.into()
    }

    /// An untainted string.
    pub fn string(text: impl Into<String>) -> Self {
        Kind::String(text.into()).into()
    }

    /// From JSON, untainted.
    pub fn from_json(json: &serde_json::Value) -> Self {
        let kind = match json {
            serde_json::Value::Null => Kind::Null,
            serde_json::Value::Bool(bool) => Kind::Bool(*bool),
            serde_json::Value::Number(number) => Kind::Number(number.clone()),
            serde_json::Value::String(text) => Kind::String(text.clone()),
            serde_json::Value::Array(items) => Kind::List(items.iter().map(Value::from_json).collect()),
            serde_json::Value::Object(entries) => Kind::Map(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), Value::from_json(value)))
                    .collect(),
            ),
        };
        kind.into()
    }

    /// Taints the value and everything in it.
    #[must_use]
    pub fn into_secret(self) -> Self {
        let kind = match self.kind {
            Kind::List(items) => Kind::List(items.into_iter().map(Value::into_secret).collect()),
            Kind::Map(entries) => Kind::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, value.into_secret()))
                    .collect(),
            ),
            scalar => scalar,
        };
        Value { kind, secret: true }
    }

    /// Taints the value if `secret` is set.
    #[must_use]
    pub fn tainted_if(self, secret: bool) -> Self {
        if secret { self.into_secret() } else { self }
    }

    /// True if this value or anything in it is tainted.
    pub fn has_secret(&self) -> bool {
        self.secret || self.children().any(Value::has_secret)
    }

    /// True if this value or anything in it is not known yet.
    pub fn has_unknown(&self) -> bool {
        matches!(self.kind, Kind::Unknown) || self.children().any(Value::has_unknown)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value at the end of a path. What lies beyond an unknown value is unknown, and what lies in a
    /// tainted one is tainted.
    ///
    /// # Errors
    /// One line that says which step leads nowhere; it never contains the value's content.
    pub fn at(&self, path: &[Segment]) -> Result<Value, String> {
        let mut here = self;
        let mut secret = self.secret;
        for segment in path {
            let next = match (&here.kind, segment) {
                (Kind::Unknown, _) => return Ok(Value::unknown().tainted_if(secret)),
                (Kind::Map(entries), Segment::Name(name)) => match entries.get(name) {
                    Some(value) => value,
                    None if secret => return Err(format!("there is no `{name}`")),
                    None => {
                        let near = crate::spelling::did_you_mean(name, entries.keys().map(String::as_str));
                        let near = near.map(|help| format!(" ({help})")).unwrap_or_default();
                        return Err(format!("there is no `{name}`{near}"));
                    }
                },
                (Kind::List(items), Segment::Index(index)) => {
                    items.get(*index).ok_or_else(|| match secret {
                        true => format!("there is no item {index}"),
                        false => format!("there is no item {index} in a list of {}", items.len()),
                    })?
                }
                (kind, Segment::Name(name)) => {
                    return Err(format!("there is no `{name}` in {}", kind.noun()));
                }
                (kind, Segment::Index(index)) => {
                    return Err(format!("there is no item {index} in {}", kind.noun()));
                }
            };
            secret |= next.secret;
            here = next;
        }
        Ok(here
            .clone()
            .tainted_if(secret && matches!(here.kind, Kind::List(_) | Kind::Map(_)))
            .with_taint(secret))
    }

    fn with_taint(mut self, secret: bool) -> Self {
        self.secret |= secret;
        self
    }

    /// As JSON with secrets in clear. Unknown becomes `null`. Only for what is sent to AWS.
    pub fn to_json(&self) -> serde_json::Value {
        self.convert(&|value| match value.kind {
            Kind::Unknown => Some(serde_json::Value::Null),
            _ => None,
        })
    }

    /// As JSON for people and logs: secrets `"*****"`, unknown `"(known after deploy)"`.
    pub fn to_masked_json(&self) -> serde_json::Value {
        self.convert(&|value| match value.kind {
            _ if value.secret => Some(MASK.into()),
            Kind::Unknown => Some(UNKNOWN.into()),
            _ => None,
        })
    }

    /// JSON, with some values shown as something else.
    fn convert(&self, instead: &dyn Fn(&Value) -> Option<serde_json::Value>) -> serde_json::Value {
        if let Some(json) = instead(self) {
            return json;
        }
        match &self.kind {
            Kind::Unknown | Kind::Null => serde_json::Value::Null,
            Kind::Bool(bool) => (*bool).into(),
            Kind::Number(number) => serde_json::Value::Number(number.clone()),
            Kind::String(text) => text.clone().into(),
            Kind::List(items) => items.iter().map(|item| item.convert(instead)).collect(),
            Kind::Map(entries) => serde_json::Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), value.convert(instead)))
                    .collect(),
            ),
        }
    }

    /// JSON Pointers (RFC 6901) of the topmost tainted values; `""` if the value itself is.
    pub fn secret_pointers(&self) -> Vec<String> {
        self.pointers(&|value| value.secret)
    }

    /// JSON Pointers (RFC 6901) of the unknown values.
    pub fn unknown_pointers(&self) -> Vec<String> {
        self.pointers(&|value| matches!(value.kind, Kind::Unknown))
    }

    fn pointers(&self, wanted: &dyn Fn(&Value) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_pointers(&mut String::new(), wanted, &mut found);
        found
    }

    fn collect_pointers(
        &self,
        pointer: &mut String,
        wanted: &dyn Fn(&Value) -> bool,
        found: &mut Vec<String>,
    ) {
        if wanted(self) {
            found.push(pointer.clone());
            return;
        }
        let length = pointer.len();
        let mut visit = |token: &str, value: &Value| {
            pointer.push('/');
            pointer.push_str(token);
            value.collect_pointers(pointer, wanted, found);
            pointer.truncate(length);
        };
        match &self.kind {
            Kind::List(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, item)| visit(&index.to_string(), item));
            }
            Kind::Map(entries) => {
                entries
                    .iter()
                    .for_each(|(key, value)| visit(&escape_token(key), value));
            }
            _ => {}
        }
    }

    fn children(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match &self.kind {
            Kind::List(items) => Box::new(items.iter()),
            Kind::Map(entries) => Box::new(entries.values()),
            _ => Box::new(std::iter::empty()),
        }
    }
}

fn escape_token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        let mut value = Value::from_json(&json!({"a/b": ["x", "y"], "n": 1.10, "m~": null}));
        let Kind::Map(entries) = &mut value.kind else {
            panic!("a map")
        };
        entries.insert("password".into(), Value::string("hunter2").into_secret());
        entries.insert("arn".into(), Value::unknown());
        value
    }

    #[test]
    fn masks_hide_secrets_and_name_unknowns() {
        let masked = sample().to_masked_json();
        assert_eq!(masked["password"], "*****");
        assert_eq!(masked["arn"], "(known after deploy)");
        assert_eq!(sample().to_json()["password"], "hunter2");
        assert!(sample().to_json()["arn"].is_null());
    }

    #[test]
    fn debug_never_shows_a_secret() {
        let value = sample();
        for text in [
            format!("{value:?}"),
            format!("{:?}", value.kind),
            format!("{:?}", Value::string("hunter2").kind),
            format!(
                "{:?}",
                Value::from_json(&json!({"hunter2": 1})).into_secret().kind
            ),
        ] {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn pointers_are_escaped() {
        assert_eq!(sample().secret_pointers(), ["/password"]);
        assert_eq!(sample().unknown_pointers(), ["/arn"]);
        assert_eq!(sample().into_secret().secret_pointers(), [""]);
        let nested = Value::from(Kind::Map(
            [("a/b~".to_owned(), Value::from(Kind::List(vec![Value::unknown()])))].into(),
        ));
        assert_eq!(nested.unknown_pointers(), ["/a~1b~0/0"]);
    }

    #[test]
    fn json_round_trips_exactly() {
        let text = r#"{"z":1.10,"a":[true,null,"x",12345678901234567890.50],"m":{}}"#;
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::from_json(&json).to_json().to_string(), text);
    }

    #[test]
    fn taint_reaches_what_is_inside() {
        let secret = Value::from_json(&json!({"a": [1]})).into_secret();
        let inner = secret
            .at(&[Segment::Name("a".into()), Segment::Index(0)])
            .unwrap();
        assert!(inner.secret && inner.to_json() == json!(1));
        // A map tainted by its shape alone taints what is taken out of it.
        let shaped = Value {
            kind: Value::from_json(&json!({"a": [1]})).kind,
            secret: true,
        };
        assert!(
            shaped
                .at(&[Segment::Name("a".into()), Segment::Index(0)])
                .unwrap()
                .secret
        );
        assert!(!sample().secret && sample().has_secret() && sample().has_unknown());
    }

    #[test]
    fn paths_that_lead_nowhere_say_where_they_end() {
        let value = Value::from_json(&json!({"queue": {"arn": "x", "list": [1]}}));
        let name = |text: &str| Segment::Name(text.to_owned());
        let fails = |path: &[Segment]| value.at(path).unwrap_err();
        assert_eq!(
            fails(&[name("queue"), name("arm")]),
            "there is no `arm` (did you mean `arn`?)"
        );
        assert_eq!(
            fails(&[name("queue"), name("list"), Segment::Index(1)]),
            "there is no item 1 in a list of 1"
        );
        assert_eq!(
            fails(&[name("queue"), Segment::Index(0)]),
            "there is no item 0 in a map"
        );
        assert_eq!(
            fails(&[name("queue"), name("arn"), name("x")]),
            "there is no `x` in a string"
        );
        assert!(Value::unknown().at(&[name("x")]).unwrap().has_unknown());
    }
}
