//! Reading the fields of a definition, with nothing overlooked.

use serde_json::{Map, Value};

/// A state machine's definition that cannot be run here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct DefinitionError {
    /// Where: the definition, or one of its states.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

/// One object of the definition. Fields are taken out; what is left at the end is not supported.
pub(super) struct Fields {
    place: String,
    members: Map<String, Value>,
}

impl Fields {
    pub(super) fn of(place: &str, value: &Value) -> Result<Self, DefinitionError> {
        let place = place.to_owned();
        match value {
            Value::Object(members) => Ok(Fields {
                place,
                members: members.clone(),
            }),
            _ => Err(DefinitionError {
                place,
                message: "expected an object".into(),
            }),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> DefinitionError {
        DefinitionError {
            place: self.place.clone(),
            message: message.into(),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.members.remove(key)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, DefinitionError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(format!("expected text in `{key}`"))),
        }
    }

    pub(super) fn required(&mut self, key: &str) -> Result<String, DefinitionError> {
        self.text(key)?
            .ok_or_else(|| self.error(format!("the field `{key}` is missing")))
    }

    pub(super) fn whole(&mut self, key: &str) -> Result<Option<u64>, DefinitionError> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.error(format!("expected a whole number in `{key}`"))),
            },
        }
    }

    pub(super) fn number(&mut self, key: &str) -> Result<Option<f64>, DefinitionError> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.error(format!("expected a number in `{key}`"))),
            },
        }
    }

    pub(super) fn list(&mut self, key: &str) -> Result<Vec<Value>, DefinitionError> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.error(format!("expected a list in `{key}`"))),
        }
    }

    pub(super) fn path(&mut self, key: &str) -> Result<Option<Path>, DefinitionError> {
        match self.text(key)? {
            None => Ok(None),
            Some(text) => Path::parse(&text)
                .map(Some)
                .ok_or_else(|| self.error(format!("the path `{text}` is not supported; use `$.Name.Name`"))),
        }
    }

    /// Refuses what nobody took.
    pub(super) fn nothing_left(self) -> Result<(), DefinitionError> {
        match self.members.keys().next() {
            None => Ok(()),
            Some(key) => Err(self.error(format!("the field `{key}` is not supported"))),
        }
    }
}

/// A reference path of plain names: `$`, `$.Poll.IsComplete`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path(Vec<String>);

impl Path {
    pub(super) fn root() -> Self {
        Path(Vec::new())
    }

    fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('$')?;
        if rest.is_empty() {
            return Some(Path::root());
        }
        let names: Vec<String> = rest.strip_prefix('.')?.split('.').map(String::from).collect();
        let plain = |name: &String| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
        };
        names.iter().all(plain).then_some(Path(names))
    }

    pub(super) fn get<'a>(&self, data: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(data, |node, name| node.get(name))
    }

    /// Puts a value there, making the objects on the way.
    pub(super) fn set(&self, data: &mut Value, value: Value) {
        let mut node = data;
        for name in &self.0 {
            if !node.is_object() {
                *node = Value::Object(Map::new());
            }
            let Value::Object(members) = node else { return };
            node = members.entry(name.clone()).or_insert(Value::Null);
        }
        *node = value;
    }
}
