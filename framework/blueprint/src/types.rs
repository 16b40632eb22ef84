//! What is known of a value before it is evaluated.

use crate::value::{Kind, Value};
use crate::{ExportType, Segment, VariableType, typed};
use std::fmt;

/// The kinds of value that may stand in a place: a set, because schemas and functions allow several.
///
/// Sets are ordered by what they contain, [`Type::ANY`] on top. A check that is sure of its case asks
/// whether two sets have anything in common.
///
/// ```
/// use formwork_blueprint::Type;
///
/// let sized = Type::STRING.or(Type::LIST).or(Type::MAP);
/// assert!(sized.may_be(Type::ANY) && !sized.may_be(Type::BOOLEAN));
/// assert!(Type::MAP.is_only(sized) && !sized.is_only(Type::MAP));
/// assert_eq!(sized.to_string(), "a string, a list or a map");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(u8);

impl Type {
    /// `null`
    pub const NULL: Type = Type(1);
    /// A boolean.
    pub const BOOLEAN: Type = Type(1 << 1);
    /// A number without a fraction.
    pub const INTEGER: Type = Type(1 << 2);
    /// A number that is written, or declared, with a fraction.
    pub const FLOAT: Type = Type(1 << 3);
    /// A string.
    pub const STRING: Type = Type(1 << 4);
    /// A list.
    pub const LIST: Type = Type(1 << 5);
    /// A map.
    pub const MAP: Type = Type(1 << 6);
    /// An integer or a float.
    pub const NUMBER: Type = Type::INTEGER.or(Type::FLOAT);
    /// A list or a map.
    pub const COMPLEX: Type = Type::LIST.or(Type::MAP);
    /// A string, a number or a boolean.
    pub const SCALAR: Type = Type::STRING.or(Type::NUMBER).or(Type::BOOLEAN);
    /// Nothing is known.
    pub const ANY: Type = Type::SCALAR.or(Type::COMPLEX).or(Type::NULL);

    /// Values of either.
    #[must_use]
    pub const fn or(self, other: Type) -> Type {
        Type(self.0 | other.0)
    }

    /// True if a value may be of both.
    pub const fn may_be(self, other: Type) -> bool {
        self.0 & other.0 != 0
    }

    /// True if every value of this type is one of the other.
    pub const fn is_only(self, other: Type) -> bool {
        self.0 & !other.0 == 0
    }

    /// The type of a value. What is not known yet may be anything.
    pub fn of(value: &Value) -> Type {
        match &value.kind {
            Kind::Unknown => Type::ANY,
            Kind::Null => Type::NULL,
            Kind::Bool(_) => Type::BOOLEAN,
            Kind::Number(number) if typed::is_integer(&number.to_string()) => Type::INTEGER,
            Kind::Number(_) => Type::FLOAT,
            Kind::String(_) => Type::STRING,
            Kind::List(_) => Type::LIST,
            Kind::Map(_) => Type::MAP,
        }
    }
}

impl From<ExportType> for Type {
    /// What may be exported as this: an integer is admitted where a float is declared.
    fn from(declared: ExportType) -> Self {
        match declared {
            ExportType::String => Type::STRING,
            ExportType::Integer => Type::INTEGER,
            ExportType::Float => Type::NUMBER,
            ExportType::Boolean => Type::BOOLEAN,
            ExportType::Array => Type::LIST,
            ExportType::Object => Type::MAP,
        }
    }
}

impl From<&VariableType> for Type {
    fn from(declared: &VariableType) -> Self {
        match declared {
            VariableType::String | VariableType::Custom(_) => Type::STRING,
            VariableType::Integer => Type::INTEGER,
            VariableType::Float => Type::FLOAT,
            VariableType::Boolean => Type::BOOLEAN,
        }
    }
}

impl fmt::Display for Type {
    /// For messages, with articles: `a list or a map`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WORDS: [(Type, &str); 8] = [
            (Type::STRING, "a string"),
            (Type::NUMBER, "a number"),
            (Type::INTEGER, "an integer"),
            (Type::FLOAT, "a float"),
            (Type::BOOLEAN, "a boolean"),
            (Type::LIST, "a list"),
            (Type::MAP, "a map"),
            (Type::NULL, "null"),
        ];
        if *self == Type::ANY {
            return f.write_str("a value");
        }
        let mut rest = *self;
        let mut words = Vec::new();
        for (part, word) in WORDS {
            if part.is_only(rest) {
                rest = Type(rest.0 & !part.0);
                words.push(word);
            }
        }
        match words.as_slice() {
            [] => f.write_str("nothing"),
            [only] => f.write_str(only),
            [first @ .., last] => write!(f, "{} or {last}", first.join(", ")),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Under which of a resource's fields a property is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is deployed: what the service sets is here, under every name that the type has for it.
    State,
    /// What the author declares, or the service fills in.
    Spec,
}

/// What resource types offer to references. Another crate's schemas answer; without them the checker takes
/// every property for possible.
///
/// ```
/// use formwork_blueprint::{Checker, Property, ResourceTypes, Segment, Side, Source, Type};
///
/// struct Queues;
/// impl ResourceTypes for Queues {
///     fn property(&self, type_name: &str, side: Side, path: &[Segment]) -> Property {
///         match path {
///             _ if type_name != "aws/sqs/queue" => Property::NotKnown,
///             [Segment::Name(name)] if side == Side::State && name == "arn" => Property::Of(Type::STRING),
///             _ => Property::Missing { at: 0, within: Type::MAP, names: vec!["arn".to_owned()] },
///         }
///     }
/// }
///
/// let source = Source::new("a.yaml", "
/// version: 2023-04-20
/// resources: {queue: {type: aws/sqs/queue}}
/// exports: {arn: {type: string, field: queue.state.arm}}
/// ");
/// let checked = Checker::new().resource_types(&Queues).check(&source);
/// let finding = &checked.diagnostics[0];
/// assert_eq!(finding.message, "`queue` (aws/sqs/queue) has no attribute `arm`");
/// assert_eq!(finding.help.as_deref(), Some("did you mean `arn`?"));
/// ```
pub trait ResourceTypes: Send + Sync {
    /// What stands at `path`, which is never empty, in resources of a type as its author writes it.
    fn property(&self, type_name: &str, side: Side, path: &[Segment]) -> Property;
}

/// What a resource type says about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Property {
    /// The type itself is not known.
    NotKnown,
    /// It lies in a part of which the type says nothing: a document of the author's own.
    FreeForm,
    /// It is, or may be, there.
    Of(Type),
    /// It is there, but the service never tells it: see [`Side::State`].
    WriteOnly,
    /// It cannot be there.
    Missing {
        /// The index of the step that leads nowhere.
        at: usize,
        /// What that step is taken from.
        within: Type,
        /// Names that resemble the one that is not there, best first.
        names: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_like_english() {
        for (kind, expected) in [
            (Type::ANY, "a value"),
            (Type::NUMBER, "a number"),
            (Type::FLOAT, "a float"),
            (Type::COMPLEX, "a list or a map"),
            (Type::SCALAR, "a string, a number or a boolean"),
            (
                Type::STRING.or(Type::INTEGER).or(Type::NULL),
                "a string, an integer or null",
            ),
        ] {
            assert_eq!(kind.to_string(), expected);
        }
    }

    #[test]
    fn values_have_the_type_they_are_written_as() {
        for (json, expected) in [
            ("null", Type::NULL),
            ("true", Type::BOOLEAN),
            ("-0", Type::INTEGER),
            ("1.0", Type::FLOAT),
            ("1e3", Type::FLOAT),
            ("\"1\"", Type::STRING),
            ("[]", Type::LIST),
            ("{}", Type::MAP),
        ] {
            let value = Value::from_json(&serde_json::from_str(json).unwrap());
            assert_eq!(Type::of(&value), expected, "{json}");
        }
        assert_eq!(Type::of(&Value::unknown()), Type::ANY);
    }
}
