//! Documents shaped by a schema, from a seed.

#![allow(dead_code, reason = "each test file uses its part")]

use formwork_schema::{PropertyPointer, ResourceSchema, strip};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// Every bundled type, read once.
pub(crate) fn all() -> &'static [ResourceSchema] {
    static ALL: OnceLock<Vec<ResourceSchema>> = OnceLock::new();
    ALL.get_or_init(|| {
        let names = formwork_schema::bundled_types().map(|bundled| bundled.name);
        names
            .map(|name| formwork_schema::load(name).unwrap().unwrap())
            .collect()
    })
}

/// Types that Cloud Control can create.
pub(crate) fn provisionable() -> impl Iterator<Item = &'static ResourceSchema> {
    all().iter().filter(|schema| schema.handlers().create)
}

pub(crate) struct Generator<'s> {
    root: &'s Value,
    pub(crate) random: fastrand::Rng,
    /// How often an optional property is left out, in percent.
    pub(crate) sparse: u8,
}

impl<'s> Generator<'s> {
    pub(crate) fn new(schema: &'s ResourceSchema, seed: u64) -> Self {
        Self {
            root: schema.document(),
            random: fastrand::Rng::with_seed(seed),
            sparse: 50,
        }
    }

    pub(crate) fn document(&mut self) -> Value {
        self.object(self.root.as_object().unwrap(), 4)
    }

    fn value(&mut self, schema: &Value, depth: u8) -> Value {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return match self.root.pointer(&target[1..]) {
                Some(target) => self.value(target, depth),
                None => json!("dangling"),
            };
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return choices[self.random.usize(..choices.len())].clone();
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(branches) = schema.get(keyword).and_then(Value::as_array)
                && schema.get("properties").is_none()
                && schema.get("type").is_none()
            {
                let branch = &branches[self.random.usize(..branches.len())];
                return self.value(branch, depth.saturating_sub(1));
            }
        }
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds[self.random.usize(..kinds.len())].as_str(),
            Some(kind) => kind.as_str(),
            None if schema.get("properties").is_some() => Some("object"),
            None => Some("string"),
        };
        match kind {
            Some("boolean") => json!(self.random.bool()),
            Some("integer" | "number") => json!(self.number(schema)),
            Some("array") => {
                let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(5) as usize;
                let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(3).min(3) as usize;
                let count = if depth == 0 {
                    least
                } else {
                    self.random.usize(least..=most.max(least))
                };
                let any = json!({"type": "string"});
                let items = schema.get("items").unwrap_or(&any);
                (0..count)
                    .map(|_| self.value(items, depth.saturating_sub(1)))
                    .collect()
            }
            Some("object") => match schema.as_object() {
                Some(rules)
                    if rules.contains_key("properties") || rules.contains_key("patternProperties") =>
                {
                    self.object(rules, depth)
                }
                _ => json!({"free": [1, {"form": self.word(3)}]}),
            },
            _ => {
                let least = schema
                    .get("minLength")
                    .and_then(Value::as_u64)
                    .unwrap_or(1)
                    .min(40) as usize;
                let most = schema
                    .get("maxLength")
                    .and_then(Value::as_u64)
                    .unwrap_or(12)
                    .min(12) as usize;
                let length = self.random.usize(least..=most.max(least));
                json!(self.word(length))
            }
        }
    }

    fn object(&mut self, rules: &Map<String, Value>, depth: u8) -> Value {
        let required: Vec<&str> = rules
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut members = Map::new();
        for (name, property) in rules
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let wanted = depth > 0 && self.random.u8(..100) >= self.sparse;
            if (wanted || required.contains(&name.as_str())) && self.random.u8(..) < 254 {
                members.insert(name.clone(), self.value(property, depth.saturating_sub(1)));
            }
        }
        for (_, property) in rules
            .get("patternProperties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            for _ in 0..self.random.usize(..3) {
                let key = self.word(4);
                members.insert(key, self.value(property, depth.saturating_sub(1)));
            }
        }
        Value::Object(members)
    }

    fn number(&mut self, schema: &Value) -> i64 {
        let bound = |keyword: &str| {
            schema
                .get(keyword)
                .and_then(Value::as_f64)
                .map(|limit| limit as i64)
        };
        let least = bound("minimum").unwrap_or(0);
        let most = bound("maximum")
            .unwrap_or(least.saturating_add(1000))
            .min(least.saturating_add(1000));
        self.random.i64(least..=most.max(least))
    }

    fn word(&mut self, length: usize) -> String {
        (0..length).map(|_| self.random.lowercase()).collect()
    }

    /// Puts the arrays that have no order into another one.
    pub(crate) fn shuffled(&mut self, schema: &Value, value: &Value) -> Value {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            return match self.root.pointer(&target[1..]) {
                Some(target) => self.shuffled(target, value),
                None => value.clone(),
            };
        }
        match value {
            Value::Object(members) => members
                .iter()
                .map(
                    |(key, member)| match schema.get("properties").and_then(|all| all.get(key)) {
                        Some(property) => (key.clone(), self.shuffled(property, member)),
                        None => (key.clone(), member.clone()),
                    },
                )
                .collect::<Map<_, _>>()
                .into(),
            Value::Array(elements) if schema.get("insertionOrder") == Some(&json!(false)) => {
                let mut elements = elements.clone();
                self.random.shuffle(&mut elements);
                Value::Array(elements)
            }
            other => other.clone(),
        }
    }
}

/// What an author may write: no read-only values.
pub(crate) fn authored(schema: &ResourceSchema, document: &Value) -> Value {
    let pointers: Vec<PropertyPointer> = schema.read_only().to_vec();
    strip(document, &pointers)
}

/// `base` with members of `extra` that it lacks, at any depth outside of arrays and maps.
pub(crate) fn filled(base: &Value, extra: &Value) -> Value {
    match (base, extra) {
        (Value::Object(base), Value::Object(extra)) => {
            let mut members = base.clone();
            for (key, value) in extra {
                match base.get(key) {
                    Some(own) => drop(members.insert(key.clone(), filled(own, value))),
                    None => drop(members.insert(key.clone(), value.clone())),
                }
            }
            Value::Object(members)
        }
        (base, _) => base.clone(),
    }
}
