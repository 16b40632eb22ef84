//! Values for variables: what is given, completed and checked.

use crate::value::Kind;
use crate::{Blueprint, Diagnostic, Value, Variable, VariableType, codes, spelling, typed};
use indexmap::IndexMap;

impl Blueprint {
    /// Checks and completes the values given for the variables: unknown names, missing ones, types
    /// (strings are accepted for every type: CloudFormation stringifies), allowed values. Secret
    /// variables come back tainted. Messages never contain the value of a secret variable.
    ///
    /// # Errors
    /// All problems; spans point at the variable's definition.
    pub fn bind(
        &self,
        given: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<IndexMap<String, Value>, Vec<Diagnostic>> {
        let mut findings: Vec<Diagnostic> = given
            .keys()
            .filter(|name| !self.variables.contains_key(*name))
            .map(|name| self.unknown_variable(name))
            .collect();
        let mut bound = IndexMap::with_capacity(self.variables.len());
        for (name, variable) in &self.variables {
            match given
                .get(name)
                .map(|json| accept(name, variable, &Value::from_json(json)))
            {
                Some(Ok(value)) => {
                    bound.insert(name.clone(), meant(variable, value).tainted_if(variable.secret));
                }
                Some(Err(finding)) => findings.push(*finding),
                None => match &variable.default {
                    Some(default) => {
                        let value = meant(variable, default.clone());
                        bound.insert(name.clone(), value.tainted_if(variable.secret));
                    }
                    None => findings.push(missing(name, variable)),
                },
            }
        }
        if findings.is_empty() {
            Ok(bound)
        } else {
            Err(findings)
        }
    }

    fn unknown_variable(&self, name: &str) -> Diagnostic {
        let message = format!("a value is given for `{name}`, which the blueprint does not declare");
        // There is no place in the blueprint for what is not in it: the first byte stands for the whole.
        Diagnostic::error(codes::UNKNOWN_VARIABLE_VALUE, crate::Span::default(), message).help_if(
            spelling::did_you_mean(name, self.variables.keys().map(String::as_str)),
        )
    }
}

/// What a label stands for; other values stand for themselves.
fn meant(variable: &Variable, value: Value) -> Value {
    match (&variable.kind, value.as_str()) {
        (VariableType::Custom(labels), Some(label)) => {
            labels.value(label).map_or_else(|| value.clone(), Value::string)
        }
        _ => value,
    }
}

fn missing(name: &str, variable: &Variable) -> Diagnostic {
    let message = format!("the variable `{name}` has no value");
    Diagnostic::error(codes::MISSING_VARIABLE_VALUE, variable.span, message)
        .help("give it a value, or declare a `default`")
}

fn accept(name: &str, variable: &Variable, given: &Value) -> Result<Value, Box<Diagnostic>> {
    acceptable(variable, given, true).map_err(|problem| {
        let message = format!("the variable `{name}` {}", problem.message);
        let finding = Diagnostic::error(problem.code, variable.span, message);
        Box::new(finding.help_if(problem.help))
    })
}

/// Why a variable cannot take a value.
pub(crate) struct Unacceptable {
    pub(crate) code: &'static str,
    /// What goes on after "the variable `name`".
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// The value as the variable takes it. With `from_text`, strings are read as its type.
///
/// # Errors
/// What is wrong with it. Never contains the value of a secret variable.
pub(crate) fn acceptable(variable: &Variable, given: &Value, from_text: bool) -> Result<Value, Unacceptable> {
    let Some(value) = typed::of_type(&variable.kind, given, from_text) else {
        let found = describe(given, variable.secret);
        return Err(Unacceptable {
            code: codes::VARIABLE_VALUE_TYPE,
            message: format!("must be {}, found {found}", variable.kind.noun()),
            help: typed::quoting(&variable.kind, given)
                .filter(|_| !from_text)
                .map(str::to_owned),
        });
    };
    if let Some(problem) = typed::unknown_label(&variable.kind, &value, variable.secret) {
        return Err(Unacceptable {
            code: codes::UNKNOWN_LABEL,
            message: format!("must be {}, found {}", variable.kind.noun(), problem.found),
            help: problem.help,
        });
    }
    let mut allowed = variable.allowed.iter();
    if !variable.allowed.is_empty() && !allowed.any(|allowed| typed::same(allowed, &value)) {
        let found = describe(&value, variable.secret);
        return Err(Unacceptable {
            code: codes::VARIABLE_VALUE_NOT_ALLOWED,
            message: format!("must be one of its allowed values, found {found}"),
            help: (!variable.secret).then(|| choices(&variable.allowed)),
        });
    }
    Ok(value)
}

/// A scalar with its value, or only what it is when it is secret or long.
pub(crate) fn describe(value: &Value, secret: bool) -> String {
    let noun = value.kind.noun();
    let shown = match &value.kind {
        _ if secret || value.secret => None,
        Kind::String(text) => Some(spelling::shown(text)),
        Kind::Number(number) => Some(number.to_string()),
        Kind::Bool(bool) => Some(bool.to_string()),
        _ => None,
    };
    match shown {
        Some(text) => format!("{} `{text}`", noun.replacen("a ", "the ", 1)),
        None => noun.to_owned(),
    }
}

/// "choose `a`, `b` or `c`", shortened.
pub(crate) fn choices(allowed: &[Value]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = allowed
        .iter()
        .take(MOST)
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_masked_json().to_string(), str::to_owned)
        })
        .collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    match allowed.len().saturating_sub(MOST) {
        0 => format!("choose {}", spelling::one_of(&shown)),
        more => format!("choose one of {} and {more} more", spelling::list(&shown)),
    }
}
