//! The functions that may be called in `${...}`: the core functions of the specification, in a registry
//! that further ones can join.

mod json;
mod text;

use crate::value::{Kind, Value};
use crate::{Type, codes};
use std::fmt;

/// No function and no interpolation makes a text longer than this.
pub(crate) const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// A function: its signature and what it does.
///
/// INVARIANT (checked arguments): `check` and `apply` are called with arguments of the right count and types.
/// Neither need care about taint in what it returns: the result is tainted if an argument is.
///
/// ```
/// use formwork_blueprint::{Checker, Function, Parameter, Source, Type, Value};
///
/// const UPPER: Function = Function {
///     name: "upper",
///     parameters: &[Parameter::required("text", Type::STRING)],
///     returns: Type::STRING,
///     check: Function::anything,
///     apply: |arguments| Ok(Value::string(arguments[0].as_str().unwrap_or_default().to_uppercase())),
/// };
///
/// let checker = Checker::new().function(UPPER);
/// let source = Source::new("a.yaml", "
/// version: 2023-04-20
/// metadata: {owner: '${upper(5)}'}
/// resources: {queue: {type: aws/sqs/queue}}
/// ");
/// let finding = &checker.check(&source).diagnostics[0];
/// assert_eq!(finding.message, "`text` of `upper` must be a string, found an integer");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// What it is called by: a name of the grammar.
    pub name: &'static str,
    /// Optional ones stand last.
    pub parameters: &'static [Parameter],
    /// What it may return.
    pub returns: Type,
    /// What can be said against arguments of which some may not be known yet.
    pub check: fn(&[Option<&Value>]) -> Result<(), Problem>,
    /// What it does, once all arguments are known and `check` has had nothing to say.
    pub apply: fn(&[Value]) -> Result<Value, Problem>,
}

/// One parameter of a function.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in messages.
    pub name: &'static str,
    /// What it takes.
    pub kind: Type,
    /// Whether it may be left out.
    pub optional: bool,
}

/// Why a function cannot work on its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One line, which never contains what is tainted in the arguments.
    pub message: String,
    /// The argument that is to blame, counted from 0.
    pub argument: Option<usize>,
    /// What to do.
    pub help: Option<String>,
}

/// The functions that blueprints may call: the core ones, and further ones.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    further: Vec<Function>,
}

/// The core functions of v2023-04-20, in its order.
const CORE: [Function; 8] = [
    json::FROMJSON,
    json::JSONDECODE,
    text::LEN,
    text::SUBSTR,
    text::REPLACE,
    text::TRIM,
    text::TRIMPREFIX,
    text::TRIMSUFFIX,
];

impl Functions {
    /// The core functions alone.
    pub const fn core() -> &'static Functions {
        static CORE_ONLY: Functions = Functions { further: Vec::new() };
        &CORE_ONLY
    }

    /// Adds a function. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, function: Function) -> Self {
        self.further.retain(|known| known.name != function.name);
        self.further.push(function);
        self
    }

    /// The function of that name.
    pub fn find(&self, name: &str) -> Option<&Function> {
        let mut all = self.further.iter().chain(&CORE);
        all.find(|function| function.name == name)
    }

    /// All names, each once.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        for function in CORE.iter().chain(&self.further) {
            if !names.contains(&function.name) {
                names.push(function.name);
            }
        }
        names
    }
}

impl Parameter {
    /// One that must be given.
    pub const fn required(name: &'static str, kind: Type) -> Self {
        Parameter {
            name,
            kind,
            optional: false,
        }
    }

    /// One that may be left out.
    pub const fn optional(name: &'static str, kind: Type) -> Self {
        Parameter {
            name,
            kind,
            optional: true,
        }
    }
}

impl Problem {
    /// A problem with one argument, counted from 0.
    pub fn at(argument: usize, message: impl Into<String>) -> Self {
        Problem {
            message: message.into(),
            argument: Some(argument),
            help: None,
        }
    }

    /// Adds advice if there is any.
    #[must_use]
    pub fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Function {
    /// A [`Function::check`] that has nothing against any arguments.
    ///
    /// # Errors
    /// None.
    pub fn anything(_: &[Option<&Value>]) -> Result<(), Problem> {
        Ok(())
    }

    /// How it is called: `substr(text, start, [end])`.
    pub fn signature(&self) -> String {
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
    /// How many are expected and how many were found.
    pub(crate) fn check_count(&self, found: usize) -> Result<(), Problem> {
        let most = self.parameters.len();
        let least = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.optional)
            .count();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            (_, 0) => "no".to_owned(),
            _ if least == most => most.to_string(),
            _ => format!("{least} to {most}"),
        };
        let noun = if most == 1 { "argument" } else { "arguments" };
        Err(Problem {
            message: format!("`{}` takes {expected} {noun}, found {found}", self.name),
            argument: None,
            help: Some(format!("it is called as `{}`", self.signature())),
        })
    }

    /// Checks the type of one argument.
    ///
    /// # Errors
    /// What is expected and what was found.
    pub(crate) fn check_type(&self, index: usize, found: Type) -> Result<(), Problem> {
        match self.parameters.get(index) {
            Some(parameter) if !parameter.kind.may_be(found) => {
                let (name, kind) = (parameter.name, parameter.kind);
                let message = format!("`{name}` of `{}` must be {kind}, found {found}", self.name);
                Err(Problem::at(index, message))
            }
            _ => Ok(()),
        }
    }

    /// Calls the function. Taint and unknown flow: the result is tainted if anything in the arguments is,
    /// and unknown if anything that it is computed from is.
    ///
    /// # Errors
    /// A code and a problem, which never holds the content of a tainted argument.
    pub(crate) fn call(&self, arguments: &[Value]) -> Result<Value, (&'static str, Problem)> {
        self.check_count(arguments.len())
            .map_err(|problem| (codes::ARGUMENT_COUNT, problem))?;
        for (index, argument) in arguments.iter().enumerate() {
            self.check_type(index, Type::of(argument))
                .map_err(|problem| (codes::ARGUMENT_TYPE, problem))?;
        }
        let secret = arguments.iter().any(|value| self.taints(value));
        let known: Vec<Option<&Value>> = arguments
            .iter()
            .map(|value| Some(value).filter(|value| !matches!(value.kind, Kind::Unknown)))
            .collect();
        let result = (self.check)(&known).and_then(|()| match known.contains(&None) {
            true => Ok(Value::unknown()),
            false => (self.apply)(arguments),
        });
        match result {
            Ok(value) => Ok(value.tainted_if(secret)),
            Err(problem) => {
                let message = format!("`{}` failed: {}", self.name, problem.message);
                Err((codes::FUNCTION_FAILED, Problem { message, ..problem }))
            }
        }
    }

    /// The length of a list or map says nothing about what is in it; everything else is computed from content.
    fn taints(&self, argument: &Value) -> bool {
        let shape_only = self.returns == Type::INTEGER && Type::of(argument).is_only(Type::COMPLEX);
        argument.secret || (!shape_only && argument.has_secret())
    }
}

/// The text of argument `index`. By INVARIANT (checked arguments) it is a string wherever it is asked for.
fn text_of(arguments: &[Value], index: usize) -> &str {
    arguments.get(index).and_then(Value::as_str).unwrap_or_default()
}

/// An argument that is known.
fn known<'v>(arguments: &[Option<&'v Value>], index: usize) -> Option<&'v Value> {
    arguments.get(index).copied().flatten()
}
