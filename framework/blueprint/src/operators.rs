//! The twelve operators of filters.

use crate::value::Kind;
use crate::{Value, typed};
use std::fmt;

/// The comparison of a filter: read with the field on the left and the search value on the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `=`
    Equals,
    /// `!=`
    NotEquals,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `has key`
    HasKey,
    /// `not has key`
    NotHasKey,
    /// `contains`
    Contains,
    /// `not contains`
    NotContains,
    /// `starts with`
    StartsWith,
    /// `not starts with`
    NotStartsWith,
    /// `ends with`
    EndsWith,
    /// `not ends with`
    NotEndsWith,
}

impl Operator {
    /// Every operator, in the specification's order.
    pub const ALL: [Operator; 12] = [
        Operator::Equals,
        Operator::NotEquals,
        Operator::In,
        Operator::NotIn,
        Operator::HasKey,
        Operator::NotHasKey,
        Operator::Contains,
        Operator::NotContains,
        Operator::StartsWith,
        Operator::NotStartsWith,
        Operator::EndsWith,
        Operator::NotEndsWith,
    ];

    /// As written in a blueprint: `not in`.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Equals => "=",
            Operator::NotEquals => "!=",
            Operator::In => "in",
            Operator::NotIn => "not in",
            Operator::HasKey => "has key",
            Operator::NotHasKey => "not has key",
            Operator::Contains => "contains",
            Operator::NotContains => "not contains",
            Operator::StartsWith => "starts with",
            Operator::NotStartsWith => "not starts with",
            Operator::EndsWith => "ends with",
            Operator::NotEndsWith => "not ends with",
        }
    }

    /// The operator of that name, spelt exactly.
    pub fn find(name: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|operator| operator.name() == name)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A field and a search value that an operator cannot compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{operator}` compares {expected}; the field is {field}, and the search value is {search}")]
pub struct Incomparable {
    /// The operator.
    pub operator: Operator,
    /// What it compares.
    pub expected: &'static str,
    /// What the field is, without its content: `a list of strings`.
    pub field: String,
    /// What the search value is, without its content.
    pub search: String,
}

impl Operator {
    /// Compares: a boolean, or unknown if anything that counts is; secret if anything that counts is.
    ///
    /// | Operator | Field | Search value | True if |
    /// | --- | --- | --- | --- |
    /// | `=` | scalar | scalar | they are the same |
    /// | | list of scalars | list of scalars | they have the same items in the same order |
    /// | `in` | scalar | list of scalars | the field is one of the items |
    /// | `has key` | map | string | the map has that key |
    /// | `contains` | list of scalars | scalar | the search value is one of the items |
    /// | | string | string | the search value is a part of the field |
    /// | | map of scalars | scalar | the search value is one of the values |
    /// | `starts with` | string | string | the field begins with the search value |
    /// | `ends with` | string | string | the field ends with the search value |
    ///
    /// `!=` and the operators that begin with `not` are true where the others are false. Scalars are compared
    /// with scalars of the same type only: an integer, which is written with digits alone, is never compared
    /// with a float, and neither is with a string. `1.0` and `1.00` are the same float. All items of a list,
    /// and all values of a map, must be of one type; an empty one has any. Text is compared character by
    /// character, case included; every text contains, begins and ends with the empty one.
    ///
    /// # Errors
    /// Every other combination, for the operators that begin with `not` as well.
    ///
    /// ```
    /// use formwork_blueprint::{Operator, Value};
    /// use serde_json::json;
    ///
    /// let compare = |field, search| Operator::In.matches(&Value::from_json(&field), &Value::from_json(&search));
    /// assert_eq!(compare(json!("a"), json!(["a", "b"])).expect("comparable").to_json(), true);
    /// assert_eq!(compare(json!("c"), json!([])).expect("comparable").to_json(), false);
    /// assert_eq!(
    ///     compare(json!(1), json!(["1"])).expect_err("two types").to_string(),
    ///     "`in` compares a scalar with a list of scalars of its type; the field is an integer, and the search \
    ///      value is a list of strings"
    /// );
    /// ```
    pub fn matches(self, field: &Value, search: &Value) -> Result<Value, Incomparable> {
        let (positive, negated) = self.positive();
        let (left, right) = (Shape::of(field), Shape::of(search));
        let compared = match positive {
            Operator::Equals => equals(&left, &right),
            Operator::In => one_of(&left, &right),
            Operator::HasKey => has_key(&left, &right),
            Operator::Contains => contains(&left, &right),
            Operator::StartsWith => texts(&left, &right, |field, search| field.starts_with(search)),
            _ => texts(&left, &right, |field, search| field.ends_with(search)),
        };
        let secret = match positive {
            // Keys are no secret unless the whole map is.
            Operator::HasKey => field.secret || search.has_secret(),
            _ => field.has_secret() || search.has_secret(),
        };
        let value = match compared {
            Compared::Wrong => {
                return Err(Incomparable {
                    operator: self,
                    expected: positive.expected(),
                    field: left.to_string(),
                    search: right.to_string(),
                });
            }
            Compared::NotKnown => Value::unknown(),
            Compared::Is(answer) => Kind::Bool(answer != negated).into(),
        };
        Ok(value.tainted_if(secret))
    }

    /// The operator without its negation, and whether it has one.
    pub(crate) fn positive(self) -> (Operator, bool) {
        match self {
            Operator::NotEquals => (Operator::Equals, true),
            Operator::NotIn => (Operator::In, true),
            Operator::NotHasKey => (Operator::HasKey, true),
            Operator::NotContains => (Operator::Contains, true),
            Operator::NotStartsWith => (Operator::StartsWith, true),
            Operator::NotEndsWith => (Operator::EndsWith, true),
            positive => (positive, false),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Operator::Equals => "two scalars, or two lists of scalars, of one type",
            Operator::In => "a scalar with a list of scalars of its type",
            Operator::HasKey => "a map with a string",
            Operator::Contains => "a list or a map of scalars with a scalar of their type, or two strings",
            _ => "two strings",
        }
    }
}

/// True if all items are scalars of one type, as far as they are known.
pub(crate) fn is_uniform(items: &[Value]) -> bool {
    Content::of(items.iter()).is_uniform()
}

/// What a value is, with its article and without its content: `a list of strings`.
pub(crate) fn noun(value: &Value) -> String {
    Shape::of(value).to_string()
}

enum Compared {
    Is(bool),
    /// Something is unknown, and what is known fits.
    NotKnown,
    /// Types that do not go together.
    Wrong,
}

/// A value as operators see it.
enum Shape<'v> {
    Unknown,
    Null,
    Scalar(Scalar, &'v Value),
    List(Content, &'v [Value]),
    Map(Content, &'v indexmap::IndexMap<String, Value>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    String,
    Integer,
    Float,
    Boolean,
}

/// What the items of a list or the values of a map are, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// None is known to be anything.
    Nothing,
    All(Scalar),
    Mixed,
    /// Something is no scalar.
    Complex,
}

impl<'v> Shape<'v> {
    fn of(value: &'v Value) -> Self {
        match &value.kind {
            Kind::Unknown => Shape::Unknown,
            Kind::Null => Shape::Null,
            Kind::List(items) => Shape::List(Content::of(items.iter()), items),
            Kind::Map(entries) => Shape::Map(Content::of(entries.values()), entries),
            kind => match scalar(kind) {
                Some(scalar) => Shape::Scalar(scalar, value),
                None => Shape::Null,
            },
        }
    }
}

fn scalar(kind: &Kind) -> Option<Scalar> {
    match kind {
        Kind::String(_) => Some(Scalar::String),
        Kind::Bool(_) => Some(Scalar::Boolean),
        Kind::Number(number) if typed::is_integer(&number.to_string()) => Some(Scalar::Integer),
        Kind::Number(_) => Some(Scalar::Float),
        Kind::Unknown | Kind::Null | Kind::List(_) | Kind::Map(_) => None,
    }
}

impl Content {
    fn of<'v>(values: impl Iterator<Item = &'v Value>) -> Self {
        let mut content = Content::Nothing;
        for value in values.filter(|value| !matches!(value.kind, Kind::Unknown)) {
            content = match (content, scalar(&value.kind)) {
                (_, None) => return Content::Complex,
                (Content::Nothing, Some(found)) => Content::All(found),
                (Content::All(known), Some(found)) if known == found => content,
                _ => Content::Mixed,
            };
        }
        content
    }

    /// True if all are scalars of one type, as far as is known.
    fn is_uniform(self) -> bool {
        matches!(self, Content::Nothing | Content::All(_))
    }

    /// True if all may be of that type.
    fn may_be(self, scalar: Scalar) -> bool {
        self == Content::Nothing || self == Content::All(scalar)
    }
}

fn has_unknown<'v>(mut values: impl Iterator<Item = &'v Value>) -> bool {
    values.any(|value| matches!(value.kind, Kind::Unknown))
}

fn equals(field: &Shape<'_>, search: &Shape<'_>) -> Compared {
    use Shape::{List, Scalar, Unknown};
    match (field, search) {
        (Scalar(left, field), Scalar(right, search)) if left == right => {
            Compared::Is(typed::same(field, search))
        }
        (List(left, field), List(right, search)) if left.is_uniform() && right.is_uniform() => {
            match (left, right) {
                (Content::All(left), Content::All(right)) if left != right => Compared::Wrong,
                _ if has_unknown(field.iter().chain(*search)) => Compared::NotKnown,
                _ => {
                    let mut pairs = field.iter().zip(*search);
                    let same = pairs.all(|(field, search)| typed::same(field, search));
                    Compared::Is(field.len() == search.len() && same)
                }
            }
        }
        (Unknown, Unknown | Scalar(..)) | (Scalar(..), Unknown) => Compared::NotKnown,
        (Unknown, List(content, _)) | (List(content, _), Unknown) if content.is_uniform() => {
            Compared::NotKnown
        }
        _ => Compared::Wrong,
    }
}

/// Whether a scalar is one of the values.
fn among<'v>(wanted: &Value, values: impl Iterator<Item = &'v Value> + Clone) -> Compared {
    if has_unknown(values.clone()) {
        return Compared::NotKnown;
    }
    let mut values = values;
    Compared::Is(values.any(|value| typed::same(value, wanted)))
}

fn one_of(field: &Shape<'_>, search: &Shape<'_>) -> Compared {
    match (field, search) {
        (Shape::Scalar(kind, field), Shape::List(content, items)) if content.may_be(*kind) => {
            among(field, items.iter())
        }
        (Shape::Unknown, Shape::List(content, _)) if content.is_uniform() => Compared::NotKnown,
        (Shape::Unknown | Shape::Scalar(..), Shape::Unknown) => Compared::NotKnown,
        _ => Compared::Wrong,
    }
}

fn has_key(field: &Shape<'_>, search: &Shape<'_>) -> Compared {
    match (field, search) {
        (Shape::Map(_, entries), Shape::Scalar(Scalar::String, key)) => {
            Compared::Is(key.as_str().is_some_and(|key| entries.contains_key(key)))
        }
        (Shape::Unknown, Shape::Unknown | Shape::Scalar(Scalar::String, _))
        | (Shape::Map(..), Shape::Unknown) => Compared::NotKnown,
        _ => Compared::Wrong,
    }
}

fn contains(field: &Shape<'_>, search: &Shape<'_>) -> Compared {
    match (field, search) {
        (Shape::Scalar(Scalar::String, _), _) => texts(field, search, |field, search| field.contains(search)),
        (Shape::List(content, items), Shape::Scalar(kind, search)) if content.may_be(*kind) => {
            among(search, items.iter())
        }
        (Shape::Map(content, entries), Shape::Scalar(kind, search)) if content.may_be(*kind) => {
            among(search, entries.values())
        }
        (Shape::List(content, _) | Shape::Map(content, _), Shape::Unknown) if content.is_uniform() => {
            Compared::NotKnown
        }
        (Shape::Unknown, Shape::Unknown | Shape::Scalar(..)) => Compared::NotKnown,
        _ => Compared::Wrong,
    }
}

fn texts(field: &Shape<'_>, search: &Shape<'_>, compare: fn(&str, &str) -> bool) -> Compared {
    match (field, search) {
        (Shape::Scalar(Scalar::String, field), Shape::Scalar(Scalar::String, search)) => {
            let (field, search) = (field.as_str(), search.as_str());
            Compared::Is(compare(field.unwrap_or_default(), search.unwrap_or_default()))
        }
        (Shape::Unknown | Shape::Scalar(Scalar::String, _), Shape::Unknown)
        | (Shape::Unknown, Shape::Scalar(Scalar::String, _)) => Compared::NotKnown,
        _ => Compared::Wrong,
    }
}

impl fmt::Display for Shape<'_> {
    /// With its article, and never with its content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many, content) = match self {
            Shape::Unknown => return f.write_str("not known yet"),
            Shape::Null => return f.write_str("null"),
            Shape::Scalar(scalar, _) => {
                return f.write_str(match scalar {
                    Scalar::String => "a string",
                    Scalar::Integer => "an integer",
                    Scalar::Float => "a float",
                    Scalar::Boolean => "a boolean",
                });
            }
            Shape::List(content, items) => ("list", items.len(), content),
            Shape::Map(content, entries) => ("map", entries.len(), content),
        };
        match content {
            Content::Nothing if many == 0 => write!(f, "an empty {one}"),
            Content::Nothing => write!(f, "a {one} that is not known yet"),
            Content::All(Scalar::String) => write!(f, "a {one} of strings"),
            Content::All(Scalar::Integer) => write!(f, "a {one} of integers"),
            Content::All(Scalar::Float) => write!(f, "a {one} of floats"),
            Content::All(Scalar::Boolean) => write!(f, "a {one} of booleans"),
            Content::Mixed => write!(f, "a {one} of several types"),
            Content::Complex => write!(f, "a {one} that holds more than scalars"),
        }
    }
}

#[cfg(test)]
mod tests;
