//! Exact validation of a document against its schema: every keyword that occurs in the official schemas.
//!
//! The walk reports [`Misfit`]s without wording; `conform` words them for the author of a blueprint, `model`
//! as Cloud Control does. Values that are not known yet are taken to be right: `unknown` holds where they
//! are. In a branch of `oneOf` such a value makes the branch a maybe, and two maybes are no contradiction.

use crate::ResourceSchema;
use crate::number::{Decimal, canonical, equal};
use crate::pointer::{PropertyPointer, Relation, child, relation, split};
use crate::view::resolve;
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

/// References and branches nested deeper than this say nothing new about the same value.
const DEPTH_LIMIT: usize = 16;

/// One misfit: where, and what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Misfit {
    /// JSON Pointer of the value that does not fit; for an unknown property, of the object it stands in.
    pub(crate) pointer: String,
    pub(crate) fault: Fault,
}

/// What does not fit. Holds parts of the schema and sizes, never values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    Missing(String),
    Extraneous {
        key: String,
        known: Vec<String>,
    },
    Type {
        expected: Vec<String>,
        found: Kind,
    },
    Enum(Vec<Value>),
    Const,
    Pattern(String),
    /// Keyword, limit as the schema has it, what was found (sizes only).
    Limit {
        keyword: &'static str,
        limit: String,
        found: Option<usize>,
    },
    NotUnique,
    Dependency {
        present: String,
        missing: String,
    },
    Branches {
        keyword: &'static str,
        total: usize,
        matched: usize,
    },
}

/// The kind of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The kind of this value; `1.0` is an integer.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(number) if Decimal::of(number).is_some_and(|decimal| decimal.is_whole()) => {
                Kind::Integer
            }
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    fn is(self, declared: &str) -> bool {
        match declared {
            "null" => self == Kind::Null,
            "boolean" => self == Kind::Boolean,
            "integer" => self == Kind::Integer,
            "number" => matches!(self, Kind::Integer | Kind::Number),
            "string" => self == Kind::String,
            "array" => self == Kind::Array,
            "object" => self == Kind::Object,
            _ => true,
        }
    }
}

/// Checks a whole document.
pub(crate) fn check(schema: &ResourceSchema, value: &Value, unknown: &BTreeSet<String>) -> Vec<Misfit> {
    let mut walk = Walk {
        schema,
        unknown,
        misfits: Vec::new(),
        maybe: false,
    };
    if value.is_object() || unknown.contains("") {
        walk.value(&schema.document, value, "", DEPTH_LIMIT);
    } else {
        // Most official schemas do not say themselves that a resource is an object.
        let expected = vec!["object".to_owned()];
        walk.fault(
            "",
            Fault::Type {
                expected,
                found: Kind::of(value),
            },
        );
    }
    let mut seen = HashSet::new();
    // The same misfit is met twice where a `$ref` and its siblings say the same.
    walk.misfits.retain(|misfit| seen.insert(format!("{misfit:?}")));
    walk.misfits
}

struct Walk<'s> {
    schema: &'s ResourceSchema,
    unknown: &'s BTreeSet<String>,
    misfits: Vec<Misfit>,
    /// A value not known yet was met.
    maybe: bool,
}

impl<'s> Walk<'s> {
    fn value(&mut self, schema: &'s Value, value: &Value, at: &str, depth: usize) {
        let (Some(rules), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
            return;
        };
        if self.unknown.contains(at) {
            self.maybe = true;
            return;
        }
        let before = self.misfits.len();
        self.kind(rules, value, at);
        // After a wrong type every other complaint is noise.
        if self.misfits.len() > before {
            return;
        }
        if let Some(target) = rules
            .get("$ref")
            .and_then(|reference| resolve(Some(&self.schema.document), reference))
        {
            self.value(target, value, at, depth);
        }
        self.choice(rules, value, at);
        match value {
            Value::String(text) => self.text(rules, text, at),
            Value::Number(number) => self.number(rules, number, at),
            Value::Array(elements) => self.array(rules, elements, at),
            Value::Object(members) => self.object(rules, members, at),
            Value::Null | Value::Bool(_) => {}
        }
        self.branches(rules, value, at, depth);
    }

    fn fault(&mut self, at: &str, fault: Fault) {
        self.misfits.push(Misfit {
            pointer: at.to_owned(),
            fault,
        });
    }

    fn kind(&mut self, rules: &Map<String, Value>, value: &Value, at: &str) {
        let expected: Vec<&str> = match rules.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        let found = Kind::of(value);
        if !expected.iter().any(|declared| found.is(declared)) {
            let expected = expected.into_iter().map(str::to_owned).collect();
            self.fault(at, Fault::Type { expected, found });
        }
    }

    fn choice(&mut self, rules: &Map<String, Value>, value: &Value, at: &str) {
        if let Some(Value::Array(choices)) = rules.get("enum")
            && !choices.iter().any(|choice| equal(choice, value))
        {
            self.fault(at, Fault::Enum(choices.clone()));
        }
        if rules.get("const").is_some_and(|constant| !equal(constant, value)) {
            self.fault(at, Fault::Const);
        }
    }

    fn text(&mut self, rules: &Map<String, Value>, text: &str, at: &str) {
        self.size(rules, "minLength", "maxLength", text.chars().count(), at);
        if let Some(pattern) = rules.get("pattern").and_then(Value::as_str)
            && !self.schema.patterns.is_match(pattern, text)
        {
            self.fault(at, Fault::Pattern(pattern.to_owned()));
        }
    }

    fn number(&mut self, rules: &Map<String, Value>, number: &serde_json::Number, at: &str) {
        let Some(value) = Decimal::of(number) else { return };
        for (keyword, is_wrong) in [
            (
                "minimum",
                (|order| order == Ordering::Less) as fn(Ordering) -> bool,
            ),
            ("maximum", |order| order == Ordering::Greater),
            ("exclusiveMinimum", |order| order != Ordering::Greater),
            ("exclusiveMaximum", |order| order != Ordering::Less),
        ] {
            if let Some(Value::Number(limit)) = rules.get(keyword)
                && Decimal::of(limit).is_some_and(|limit| is_wrong(value.compare(&limit)))
            {
                self.fault(
                    at,
                    Fault::Limit {
                        keyword,
                        limit: limit.to_string(),
                        found: None,
                    },
                );
            }
        }
        if let Some(Value::Number(step)) = rules.get("multipleOf")
            && Decimal::of(step).is_some_and(|step| !value.is_multiple_of(&step))
        {
            let limit = step.to_string();
            self.fault(
                at,
                Fault::Limit {
                    keyword: "multipleOf",
                    limit,
                    found: None,
                },
            );
        }
    }

    fn array(&mut self, rules: &'s Map<String, Value>, elements: &[Value], at: &str) {
        self.size(rules, "minItems", "maxItems", elements.len(), at);
        if rules.get("uniqueItems") == Some(&Value::Bool(true)) {
            let mut seen = HashSet::new();
            let known = elements
                .iter()
                .enumerate()
                .filter(|(index, _)| !self.is_partly_unknown(&format!("{at}/{index}")));
            if !known
                .map(|(_, element)| canonical(element))
                .all(|text| seen.insert(text))
            {
                self.fault(at, Fault::NotUnique);
            }
        }
        if let Some(items) = rules.get("items") {
            for (index, element) in elements.iter().enumerate() {
                self.value(items, element, &format!("{at}/{index}"), DEPTH_LIMIT);
            }
        }
    }

    fn object(&mut self, rules: &'s Map<String, Value>, members: &Map<String, Value>, at: &str) {
        // `null` means "not there": it removes a property.
        let present: Vec<&String> = members
            .iter()
            .filter(|(key, value)| !value.is_null() || self.unknown.contains(&child(at, key)))
            .map(|(key, _)| key)
            .collect();
        self.size(rules, "minProperties", "maxProperties", present.len(), at);
        for name in strings(rules.get("required")) {
            if !present.iter().any(|key| *key == name) && !self.is_read_only(&child(at, name)) {
                self.fault(at, Fault::Missing(name.to_owned()));
            }
        }
        for (name, needed) in rules
            .get("dependencies")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            for missing in strings(Some(needed)) {
                if present.contains(&name) && !present.iter().any(|key| *key == missing) {
                    self.fault(
                        at,
                        Fault::Dependency {
                            present: name.clone(),
                            missing: missing.to_owned(),
                        },
                    );
                }
            }
        }
        let properties = rules.get("properties").and_then(Value::as_object);
        let patterns = rules.get("patternProperties").and_then(Value::as_object);
        let closed = rules.get("additionalProperties") == Some(&Value::Bool(false));
        for key in present {
            let Some(member) = members.get(key) else { continue };
            let place = child(at, key);
            let mut declared = false;
            if let Some(property) = properties.and_then(|properties| properties.get(key)) {
                declared = true;
                self.value(property, member, &place, DEPTH_LIMIT);
            }
            for (pattern, rule) in patterns.into_iter().flatten() {
                if self.schema.patterns.is_match(pattern, key) {
                    declared = true;
                    self.value(rule, member, &place, DEPTH_LIMIT);
                }
            }
            if closed && !declared {
                let known = properties.into_iter().flat_map(Map::keys).cloned().collect();
                self.fault(
                    at,
                    Fault::Extraneous {
                        key: key.clone(),
                        known,
                    },
                );
            }
        }
    }

    fn branches(&mut self, rules: &'s Map<String, Value>, value: &Value, at: &str, depth: usize) {
        for branch in rules.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(branch, value, at, depth);
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = rules.get(keyword).and_then(Value::as_array) else {
                continue;
            };
            let (mut certain, mut possible) = (0, 0);
            let mut attempts = Vec::new();
            for branch in branches {
                let (misfits, maybe) = self.attempt(branch, value, at, depth);
                match (misfits.is_empty(), maybe) {
                    (true, true) => possible += 1,
                    (true, false) => certain += 1,
                    (false, _) => attempts.push(misfits),
                }
            }
            if certain + possible == 0 {
                // A branch that fails inside, not at its own surface, is the one that was meant.
                let meant = attempts
                    .iter()
                    .position(|misfits| misfits.iter().all(|misfit| misfit.pointer != at));
                match meant.map(|index| attempts.swap_remove(index)) {
                    Some(misfits) => self.misfits.extend(misfits),
                    None => self.fault(
                        at,
                        Fault::Branches {
                            keyword,
                            total: branches.len(),
                            matched: 0,
                        },
                    ),
                }
            } else if keyword == "oneOf" && certain > 1 {
                self.fault(
                    at,
                    Fault::Branches {
                        keyword,
                        total: branches.len(),
                        matched: certain,
                    },
                );
            }
        }
    }

    fn attempt(&mut self, branch: &'s Value, value: &Value, at: &str, depth: usize) -> (Vec<Misfit>, bool) {
        let outer = std::mem::take(&mut self.misfits);
        let outer_maybe = std::mem::take(&mut self.maybe);
        self.value(branch, value, at, depth);
        let maybe = self.maybe;
        self.maybe = outer_maybe || maybe;
        (std::mem::replace(&mut self.misfits, outer), maybe)
    }

    fn size(
        &mut self,
        rules: &Map<String, Value>,
        least: &'static str,
        most: &'static str,
        size: usize,
        at: &str,
    ) {
        let limit = |keyword: &str| rules.get(keyword).and_then(Value::as_u64);
        let found = u64::try_from(size).unwrap_or(u64::MAX);
        let wrong = [
            (least, limit(least).filter(|limit| found < *limit)),
            (most, limit(most).filter(|limit| found > *limit)),
        ];
        for (keyword, limit) in wrong {
            if let Some(limit) = limit {
                self.fault(
                    at,
                    Fault::Limit {
                        keyword,
                        limit: limit.to_string(),
                        found: Some(size),
                    },
                );
            }
        }
    }

    fn is_partly_unknown(&self, at: &str) -> bool {
        let inside = format!("{at}/");
        self.unknown.contains(at) || self.unknown.iter().any(|pointer| pointer.starts_with(&inside))
    }

    fn is_read_only(&self, at: &str) -> bool {
        is_within(&self.schema.read_only, at)
    }
}

/// True if the place is, or lies inside of, what one of the pointers names.
pub(crate) fn is_within(pointers: &[PropertyPointer], at: &str) -> bool {
    is_path_within(pointers, &split(at))
}

/// The same of the segments of a place.
pub(crate) fn is_path_within<S: AsRef<str>>(pointers: &[PropertyPointer], path: &[S]) -> bool {
    pointers.iter().any(|pointer| {
        matches!(
            relation(pointer.segments(), path),
            Relation::Same | Relation::Inside
        )
    })
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
