//! The functions that may be called in `${...}`: the core functions of the specification, in a registry
//! that further ones can join.

mod json;
mod text;

use crate::value::{Kind, Value};

/// No function and no interpolation makes a text longer than this.
pub(crate) const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// What a parameter takes or a function returns, as far as it is known without evaluating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Any,
    String,
    Integer,
    Float,
    Boolean,
    /// A list or a map.
    Complex,
    /// What has a length: a string, a list or a map.
    Sized,
}

impl Type {
    /// Its name in messages, with its article.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Type::Any => "a value",
            Type::String => "a string",
            Type::Integer => "an integer",
            Type::Float => "a number",
            Type::Boolean => "a boolean",
            Type::Complex => "a list or a map",
            Type::Sized => "a string, a list or a map",
        }
    }

    /// True if a value of type `found` may stand where this type is wanted.
    pub(crate) fn admits(self, found: Type) -> bool {
        match (self, found) {
            (Type::Any, _) | (_, Type::Any) => true,
            (Type::Sized, Type::String | Type::Complex) | (Type::Float, Type::Integer) => true,
            _ => self == found,
        }
    }

    /// The type of a value; what is not known yet may be anything.
    pub(crate) fn of(value: &Value) -> Option<Type> {
        match &value.kind {
            Kind::Unknown => Some(Type::Any),
            Kind::Null => None,
            Kind::Bool(_) => Some(Type::Boolean),
            Kind::Number(number) if crate::typed::is_integer(&number.to_string()) => Some(Type::Integer),
            Kind::Number(_) => Some(Type::Float),
            Kind::String(_) => Some(Type::String),
            Kind::List(_) | Kind::Map(_) => Some(Type::Complex),
        }
    }
}

/// One parameter of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Type,
    pub(crate) optional: bool,
}

const fn required(name: &'static str, kind: Type) -> Parameter {
    Parameter {
        name,
        kind,
        optional: false,
    }
}

const fn optional(name: &'static str, kind: Type) -> Parameter {
    Parameter {
        name,
        kind,
        optional: true,
    }
}

/// A function: its signature and what it does.
///
/// INVARIANT (checked arguments): `apply` is called with arguments of the right count and types, all of
/// them known. It need not care about taint: [`call`] adds it.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) returns: Type,
    /// Its errors are one line and never contain the arguments' content.
    apply: fn(&[Value]) -> Result<Value, String>,
}

/// The functions that blueprints may call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functions(&'static [Function]);

impl Functions {
    /// The core functions of v2023-04-20.
    pub(crate) const CORE: Functions = Functions(&[
        json::FROMJSON,
        json::JSONDECODE,
        text::LEN,
        text::SUBSTR,
        text::REPLACE,
        text::TRIM,
        text::TRIMPREFIX,
        text::TRIMSUFFIX,
    ]);

    /// The function of that name.
    pub(crate) fn find(self, name: &str) -> Option<&'static Function> {
        self.0.iter().find(|function| function.name == name)
    }

    /// All names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|function| function.name)
    }
}

impl Function {
    /// How it is called: `substr(text, start, [end])`.
    pub(crate) fn signature(&self) -> String {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| match parameter.optional {
                true => format!("[{}]", parameter.name),
                false => parameter.name.to_owned(),
            })
            .collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    /// Checks the number of arguments.
    ///
    /// # Errors
    /// One line that says how many are expected and how many were found.
    pub(crate) fn check_count(&self, found: usize) -> Result<(), String> {
        let most = self.parameters.len();
        let least = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.optional)
            .count();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = if least == most {
            most.to_string()
        } else {
            format!("{least} to {most}")
        };
        let noun = if most == 1 { "argument" } else { "arguments" };
        Err(format!("`{}` takes {expected} {noun}, found {found}", self.name))
    }

    /// Checks the type of one argument.
    ///
    /// # Errors
    /// One line that says what is expected and what was found.
    pub(crate) fn check_type(&self, index: usize, found: Option<Type>) -> Result<(), String> {
        let Some(parameter) = self.parameters.get(index) else {
            return Ok(());
        };
        if found.is_some_and(|found| parameter.kind.admits(found)) {
            return Ok(());
        }
        let found = found.map_or("null", Type::noun);
        let (name, kind) = (parameter.name, parameter.kind.noun());
        Err(format!(
            "`{name}` of `{}` must be {kind}, found {found}",
            self.name
        ))
    }

    /// Calls the function. Taint and unknown flow: the result is tainted if anything in the arguments is,
    /// and unknown if an argument is.
    ///
    /// # Errors
    /// One line; never the content of an argument.
    pub(crate) fn call(&self, arguments: &[Value]) -> Result<Value, String> {
        self.check_count(arguments.len())?;
        for (index, argument) in arguments.iter().enumerate() {
            self.check_type(index, Type::of(argument))?;
        }
        // The length of a list says nothing about its items; everything else is computed from content.
        let shape_only =
            |value: &Value| self.returns == Type::Integer && Type::of(value) == Some(Type::Complex);
        let secret = arguments
            .iter()
            .any(|value| value.secret || (!shape_only(value) && value.has_secret()));
        if arguments.iter().any(|value| matches!(value.kind, Kind::Unknown)) {
            return Ok(Value::unknown().tainted_if(secret));
        }
        (self.apply)(arguments).map(|value| value.tainted_if(secret))
    }
}

/// The text of argument `index`. By INVARIANT (checked arguments) it is a string wherever it is asked for.
fn text_of(arguments: &[Value], index: usize) -> &str {
    arguments.get(index).and_then(Value::as_str).unwrap_or_default()
}
