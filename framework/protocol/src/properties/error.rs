//! Why properties could not be read.

use serde::de::{Error, Expected, Unexpected};
use std::fmt;

/// Everything that is wrong with a set of properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeErrors(Vec<DecodeError>);

impl DecodeErrors {
    pub(super) fn new(errors: Vec<DecodeError>) -> Self {
        DecodeErrors(errors)
    }

    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = &DecodeError> {
        self.0.iter()
    }
}

impl fmt::Display for DecodeErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for DecodeErrors {}

/// One property that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// From the inside out, as it is known while the error goes up.
    reversed: Vec<Step>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Missing(&'static str),
    Other(String),
    /// A message of the author's type, which may quote the value.
    Custom(String),
}

impl DecodeError {
    /// Where: `Tags[2].Weight`. Empty for the properties as a whole.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.reversed.iter().rev() {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) if is_plain(key) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                }
                Step::Key(key) => path.push_str(&format!("[{key:?}]")),
            }
        }
        path
    }

    /// What is wrong there.
    pub fn message(&self) -> String {
        match &self.kind {
            Kind::Missing(_) => "is missing".to_owned(),
            Kind::Other(message) | Kind::Custom(message) => message.clone(),
        }
    }

    pub(super) fn at(mut self, step: Step) -> Self {
        self.reversed.push(step);
        self
    }

    pub(super) fn top_level(&self) -> Option<&str> {
        match self.reversed.last()? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    /// The top-level property that is missing, if that is what is wrong.
    pub(super) fn missing(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Missing(name) if self.reversed.is_empty() => Some(name),
            _ => None,
        }
    }

    /// Takes the value out of a message that quotes it.
    pub(super) fn without(mut self, value: &str) -> Self {
        if let Kind::Custom(message) = &mut self.kind {
            let quoted = [format!("`{value}`"), format!("\"{value}\""), format!("'{value}'")];
            for form in quoted
                .iter()
                .filter(|form| !value.is_empty() && message.contains(form.as_str()))
                .cloned()
                .collect::<Vec<_>>()
            {
                *message = message.replace(&form, "`*****`");
            }
            // A value of one or two characters stands in ordinary words too.
            if value.len() > 2 {
                *message = message.replace(value, "*****");
            }
        }
        self
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'))
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut path = self.path();
        if let Kind::Missing(name) = self.kind {
            if !path.is_empty() {
                path.push('.');
            }
            return write!(f, "`{path}{name}` is missing");
        }
        if path.is_empty() {
            path.push_str("properties");
        }
        write!(f, "`{path}`: {}", self.message())
    }
}

impl std::error::Error for DecodeError {}

impl Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        DecodeError {
            reversed: Vec::new(),
            kind: Kind::Custom(message.to_string()),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        other(format!(
            "expected {}, found {}",
            in_words(&expected.to_string()),
            kind_of(found)
        ))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        other(format!(
            "expected {}, found another {}",
            in_words(&expected.to_string()),
            noun_of(found)
        ))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        other(format!(
            "expected {}, found {length} items",
            in_words(&expected.to_string())
        ))
    }

    /// A variant is a value; only what was expected is said.
    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        other(format!("expected {}, found another text", one_of(expected)))
    }

    fn unknown_field(_field: &str, expected: &'static [&'static str]) -> Self {
        other(format!("is not a known property, expected {}", one_of(expected)))
    }

    fn missing_field(field: &'static str) -> Self {
        DecodeError {
            reversed: Vec::new(),
            kind: Kind::Missing(field),
        }
    }

    fn duplicate_field(field: &'static str) -> Self {
        other(format!("`{field}` stands there twice"))
    }
}

fn other(message: String) -> DecodeError {
    DecodeError {
        reversed: Vec::new(),
        kind: Kind::Other(message),
    }
}

fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Serde says what was expected in Rust's words.
fn in_words(expected: &str) -> String {
    match expected {
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" | "u64" | "u128" | "usize" => "a whole number, not negative",
        "i8" => "an integer from -128 to 127",
        "i16" => "an integer from -32768 to 32767",
        "i32" | "i64" | "i128" | "isize" => "an integer",
        "f32" | "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a string" | "a borrowed string" | "string" => "text",
        "a character" => "one character",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "nothing",
        other if other.starts_with("struct ") => "an object",
        other if other.starts_with("enum ") || other.starts_with("variant ") => "one of its alternatives",
        other if other.starts_with("tuple ") => "a list",
        other => other,
    }
    .to_owned()
}

fn kind_of(found: Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "text",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map | Unexpected::Other(_) => "an object",
        _ => "one of its alternatives",
    }
}

fn noun_of(found: Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "text",
        _ => "value",
    }
}
