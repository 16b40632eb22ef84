//! Fitting a document to a schema: names, types, validation.

use crate::ResourceSchema;
use crate::check::{Fault, Kind, Misfit, check, is_path_within};
use crate::describe::near;
use crate::number::Decimal;
use crate::pointer::{Relation, child, join, relation};
use crate::view::View;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A document fitted to its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Conformed {
    /// Names and types as the schema has them.
    pub value: Value,
    /// Where values are still unknown, as pointers into `value`.
    pub unknown: BTreeSet<String>,
    /// Given pointers -> pointers into `value`, for every node whose pointer changed.
    pub renamed: BTreeMap<String, String>,
    /// What does not fit, sorted by pointer. Never contains the offending value.
    pub violations: Vec<Violation>,
}

/// One misfit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer into the document as given (the author's own spelling).
    pub given: String,
    /// JSON Pointer in the schema's spelling, as Cloud Control reports it.
    pub pointer: String,
    /// True if the key itself is the problem (unknown property) rather than its value.
    pub key: bool,
    /// Schema keyword: `required`, `additionalProperties`, `type`, `enum`, `pattern`, `readOnly`, ...
    pub keyword: &'static str,
    /// What was expected and what was found, one line, lower case, no full stop; the value itself is
    /// never shown.
    pub message: String,
    /// What was expected alone: for a value of which not even the size or a key may be told.
    pub expected: String,
    /// What to do (`did you mean ...`).
    pub help: Option<String>,
}

impl ResourceSchema {
    /// Names properties as the schema does (`functionName` -> `FunctionName`), turns strings into the
    /// declared types ("120" -> 120, CloudFormation stringifies), and validates the result. `unknown`
    /// holds JSON Pointers (into `value`, as given) of values not known before deploy: they are taken to
    /// be right. Keys of maps and free-form documents stay as written, and so does `null`, which says that
    /// a property is to be removed.
    pub fn conform(&self, value: &Value, unknown: &BTreeSet<String>) -> Conformed {
        let mut fit = Fit {
            unknown,
            still_unknown: BTreeSet::new(),
            renamed: BTreeMap::new(),
            duplicates: Vec::new(),
        };
        let root = self.view();
        let fitted = fit.value(&root, value, "", "");

        let misfits = check(self, &fitted, &fit.still_unknown);
        let mut read_only = Vec::new();
        if !self.read_only.is_empty() {
            self.read_only_set(&fitted, &mut Vec::new(), &mut read_only);
        }
        let mut violations = Vec::new();
        if !misfits.is_empty() || !read_only.is_empty() {
            let given: BTreeMap<&str, &str> = fit
                .renamed
                .iter()
                .map(|(given, pointer)| (pointer.as_str(), given.as_str()))
                .collect();
            violations.extend(misfits.iter().map(|misfit| violation(misfit, &given)));
            violations.extend(read_only.iter().map(|place| set_read_only(place, &given)));
        }
        violations.extend(fit.duplicates);
        one_per_mistake(&mut violations);
        violations.sort_by(|a, b| (&a.pointer, a.keyword).cmp(&(&b.pointer, b.keyword)));
        Conformed {
            value: fitted,
            unknown: fit.still_unknown,
            renamed: fit.renamed,
            violations,
        }
    }

    /// Desired state without the properties that are `null`: what a create is sent. Nulls in maps and
    /// free-form documents are values and stay.
    pub fn without_nulls(&self, desired: &Value) -> Value {
        without_nulls(&self.view(), desired)
    }

    /// Finds the read-only properties that are set below `path`, as their segments.
    fn read_only_set<'v>(
        &self,
        value: &'v Value,
        path: &mut Vec<Cow<'v, str>>,
        found: &mut Vec<Vec<Cow<'v, str>>>,
    ) {
        let mut look = |segment: Cow<'v, str>, member: &'v Value| {
            path.push(segment);
            if !is_path_within(&self.read_only, path) {
                self.read_only_set(member, path, found);
            } else if !member.is_null() && !self.is_set_on_create(path) {
                found.push(path.clone());
            }
            path.pop();
        };
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    look(Cow::Borrowed(key), member);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    look(Cow::Owned(index.to_string()), element);
                }
            }
            _ => {}
        }
    }

    /// Some properties are listed as read-only and create-only: given once, at creation.
    fn is_set_on_create(&self, path: &[Cow<'_, str>]) -> bool {
        self.create_only
            .iter()
            .any(|pointer| relation(pointer.segments(), path) != Relation::Apart)
    }
}

pub(crate) fn without_nulls(view: &View<'_>, value: &Value) -> Value {
    match value {
        Value::Object(members) if view.has_properties() => members
            .iter()
            .filter(|(_, member)| !member.is_null())
            .map(|(key, member)| (key.clone(), without_nulls(&view.member(key), member)))
            .collect::<Map<String, Value>>()
            .into(),
        Value::Object(members) if view.is_map() => members
            .iter()
            .map(|(key, member)| (key.clone(), without_nulls(&view.member(key), member)))
            .collect::<Map<String, Value>>()
            .into(),
        Value::Array(elements) => {
            let items = view.items();
            elements
                .iter()
                .map(|element| without_nulls(&items, element))
                .collect()
        }
        other => other.clone(),
    }
}

/// Names and types; collects what changed place.
struct Fit<'u> {
    unknown: &'u BTreeSet<String>,
    still_unknown: BTreeSet<String>,
    renamed: BTreeMap<String, String>,
    duplicates: Vec<Violation>,
}

impl Fit<'_> {
    fn value(&mut self, view: &View<'_>, value: &Value, given: &str, at: &str) -> Value {
        if given != at {
            self.renamed.insert(given.to_owned(), at.to_owned());
        }
        if self.unknown.contains(given) {
            self.still_unknown.insert(at.to_owned());
            return value.clone();
        }
        match value {
            Value::Object(members) => {
                let mut fitted = Map::new();
                for (key, member) in members {
                    let name = view.name_of(key).unwrap_or(key);
                    let (given, at) = (child(given, key), child(at, name));
                    let member = self.value(&view.member(name), member, &given, &at);
                    if fitted.contains_key(name) {
                        self.duplicates.push(duplicate(key, name, given, at));
                    } else {
                        fitted.insert(name.to_owned(), member);
                    }
                }
                Value::Object(fitted)
            }
            Value::Array(elements) => {
                let items = view.items();
                let fitted = elements.iter().enumerate().map(|(index, element)| {
                    self.value(
                        &items,
                        element,
                        &format!("{given}/{index}"),
                        &format!("{at}/{index}"),
                    )
                });
                fitted.collect()
            }
            scalar => coerced(view, scalar).unwrap_or_else(|| scalar.clone()),
        }
    }
}

/// A text that is too short or too long seldom matches the pattern: the length says enough.
fn one_per_mistake(violations: &mut Vec<Violation>) {
    let length = |violation: &&Violation| matches!(violation.keyword, "minLength" | "maxLength");
    let told: BTreeSet<String> = violations
        .iter()
        .filter(length)
        .map(|violation| violation.pointer.clone())
        .collect();
    violations.retain(|violation| violation.keyword != "pattern" || !told.contains(&violation.pointer));
}

fn duplicate(key: &str, name: &str, given: String, pointer: String) -> Violation {
    Violation {
        given,
        pointer,
        key: true,
        keyword: "duplicate",
        message: match key == name {
            true => format!("property `{key}` is given twice, once in another spelling"),
            false => format!("property `{key}` is given twice, in two spellings of `{name}`"),
        },
        expected: "expected every property once".to_owned(),
        help: Some("remove one of them".to_owned()),
    }
}

/// The scalar in a type the schema declares, when it has another and nothing is lost on the way.
fn coerced(view: &View<'_>, scalar: &Value) -> Option<Value> {
    let types = view.types();
    let may_be = |kind: &str| types.contains(&kind);
    match scalar {
        Value::String(text) if !may_be("string") => {
            let number = || serde_json::from_str::<Number>(text).ok();
            if may_be("boolean") && (text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"))
            {
                return Some(Value::Bool(text.eq_ignore_ascii_case("true")));
            }
            if may_be("number") {
                return number().map(Value::Number);
            }
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            number()
                .filter(|_| may_be("integer") && is_plain)
                .map(Value::Number)
        }
        Value::Number(number) if !may_be("integer") && !may_be("number") && may_be("string") => {
            Some(Value::String(number.to_string()))
        }
        Value::Number(number) if may_be("integer") && !may_be("number") => {
            let text = Decimal::of(number)?.whole_text()?;
            serde_json::from_str(&text).ok().map(Value::Number)
        }
        Value::Bool(flag) if !may_be("boolean") && may_be("string") => Some(Value::String(flag.to_string())),
        _ => None,
    }
}

fn set_read_only(path: &[Cow<'_, str>], given: &BTreeMap<&str, &str>) -> Violation {
    let name = path.last().map_or("", AsRef::as_ref);
    let pointer = join(path);
    Violation {
        given: given_of(&pointer, given),
        pointer,
        key: true,
        keyword: "readOnly",
        message: format!("property `{name}` is read-only"),
        expected: "expected no read-only property".to_owned(),
        help: Some("remove it: the service sets this value".to_owned()),
    }
}

/// The author's pointer for a place in the fitted document.
fn given_of(at: &str, given: &BTreeMap<&str, &str>) -> String {
    given.get(at).copied().unwrap_or(at).to_owned()
}

fn violation(misfit: &Misfit, given: &BTreeMap<&str, &str>) -> Violation {
    let (expected, found) = words(&misfit.fault);
    let (message, help) = match &misfit.fault {
        Fault::Extraneous { key, known } => (format!("unknown property `{key}`"), known_here(key, known)),
        _ => (format!("{expected}{found}"), None),
    };
    let extraneous = match &misfit.fault {
        Fault::Extraneous { key, .. } => Some(child(&misfit.pointer, key)),
        _ => None,
    };
    let key = extraneous.is_some();
    let pointer = extraneous.unwrap_or_else(|| misfit.pointer.clone());
    Violation {
        given: given_of(&pointer, given),
        pointer,
        key,
        keyword: misfit.fault.keyword(),
        message,
        expected,
        help,
    }
}

fn known_here(key: &str, known: &[String]) -> Option<String> {
    match near(key, known.iter().map(String::as_str)).as_slice() {
        [] if known.is_empty() => None,
        [] if known.len() <= 12 => Some(format!("known here: {}", ticked(known))),
        [] => None,
        [best, ..] => Some(format!("did you mean `{best}`?")),
    }
}

/// What was expected, and the rest of the sentence: what was found.
fn words(fault: &Fault) -> (String, String) {
    match fault {
        Fault::Missing(name) => (format!("missing property `{name}`"), String::new()),
        Fault::Extraneous { .. } => (
            "expected only properties that the schema has".to_owned(),
            String::new(),
        ),
        Fault::Type { expected, found } => {
            let expected: Vec<&str> = expected.iter().map(|kind| with_article(kind)).collect();
            let found = kind_words(*found);
            (
                format!("expected {}", expected.join(" or ")),
                format!(", found {found}"),
            )
        }
        Fault::Enum(choices) => {
            let texts: Vec<String> = choices.iter().map(plain_text).collect();
            let expected = match texts.get(..12) {
                Some(first) if texts.len() > 12 => {
                    format!("expected one of {} and {} more", ticked(first), texts.len() - 12)
                }
                _ => format!("expected one of {}", ticked(&texts)),
            };
            (expected, ", found another value".to_owned())
        }
        Fault::Const => {
            let expected = "expected the one value that the schema allows";
            (expected.to_owned(), ", found another".to_owned())
        }
        Fault::Pattern(pattern) => {
            let pattern = pattern.replace('\n', " ");
            (
                format!("expected text matching `{pattern}`"),
                ", found another".to_owned(),
            )
        }
        Fault::Limit {
            keyword,
            limit,
            found,
        } => limited(keyword, limit, *found),
        Fault::NotUnique => (
            "expected different elements".to_owned(),
            ", found equal ones".to_owned(),
        ),
        Fault::Dependency { present, missing } => (
            format!("missing property `{missing}`"),
            format!(", which `{present}` needs"),
        ),
        Fault::Branches {
            total, matched: 0, ..
        } => (
            format!("expected one of {total} alternatives"),
            ", found none of them".to_owned(),
        ),
        Fault::Branches { total, matched, .. } => (
            format!("expected exactly one of {total} alternatives"),
            format!(", found {matched} of them at once"),
        ),
    }
}

fn limited(keyword: &str, limit: &str, found: Option<usize>) -> (String, String) {
    let (expected, other) = match keyword {
        "minLength" => (format!("at least {}", counted(limit, "character")), ""),
        "maxLength" => (format!("at most {}", counted(limit, "character")), ""),
        "minItems" => (format!("at least {}", counted(limit, "element")), ""),
        "maxItems" => (format!("at most {}", counted(limit, "element")), ""),
        "minProperties" => (format!("at least {}", counted(limit, "property")), ""),
        "maxProperties" => (format!("at most {}", counted(limit, "property")), ""),
        "minimum" => (format!("a number of at least {limit}"), "a smaller one"),
        "maximum" => (format!("a number of at most {limit}"), "a larger one"),
        "exclusiveMinimum" => (format!("a number above {limit}"), "one that is not"),
        "exclusiveMaximum" => (format!("a number below {limit}"), "one that is not"),
        _ => (format!("a multiple of {limit}"), "another number"),
    };
    let found = match found {
        Some(size) if other.is_empty() => size.to_string(),
        _ => other.to_owned(),
    };
    (format!("expected {expected}"), format!(", found {found}"))
}

/// "1 element", "2 elements".
fn counted(count: &str, noun: &str) -> String {
    match (count, noun) {
        ("1", _) => format!("1 {noun}"),
        (count, "property") => format!("{count} properties"),
        (count, _) => format!("{count} {noun}s"),
    }
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn ticked(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn with_article(kind: &str) -> &str {
    match kind {
        "string" => "a string",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Integer => "an integer",
        Kind::Number => "a number with a fraction",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
