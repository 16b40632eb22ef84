//! Evaluation of templates: substitutions replaced by values.

mod budget;

use crate::bind::describe;
use crate::functions::{Functions, MAX_TEXT_BYTES};
use crate::substitution::{Call, Expression, Literal, Part};
use crate::template::Body;
use crate::{Blueprint, Export, Kind, Reference, Segment, Span, Template, Value, codes, spelling, typed};
use budget::Budget;

/// What references resolve to. Implementations answer [`Value::unknown`] for what is not deployed yet.
pub trait Scope {
    /// The value of a reference (variable, resource field, ...), its whole path included
    /// (see [`Value::at`]).
    ///
    /// # Errors
    /// One line that says what is missing.
    fn resolve(&self, reference: &Reference) -> Result<Value, String>;

    /// The functions that may be called; the core ones if nothing else is said. What a blueprint was checked
    /// with is [`crate::Blueprint::functions`].
    fn functions(&self) -> &Functions {
        Functions::core()
    }
}

/// An evaluation that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EvaluationError {
    /// Stable code from the registry.
    pub code: &'static str,
    /// What is wrong; never contains a secret value.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do.
    pub help: Option<String>,
}

impl From<EvaluationError> for crate::Diagnostic {
    fn from(error: EvaluationError) -> Self {
        crate::Diagnostic::error(error.code, error.span, error.message).help_if(error.help)
    }
}

/// Evaluates a template. A substitution that is the whole string keeps its type; inside a longer string a
/// complex value is an error. Taint and unknown flow through interpolation and functions.
///
/// The work and the result are bounded, so that values that refer to each other cannot grow without end.
///
/// # Errors
/// The first failure.
pub fn evaluate(template: &Template, scope: &dyn Scope) -> Result<Value, EvaluationError> {
    let mut evaluation = Evaluation {
        scope,
        budget: Budget::new(),
    };
    evaluation.template(template, 0)
}

/// Evaluates a bare reference, as exports have.
///
/// # Errors
/// What the scope answers.
pub fn evaluate_reference(reference: &Reference, scope: &dyn Scope) -> Result<Value, EvaluationError> {
    scope.resolve(reference).map_err(|problem| {
        let message = format!("`{reference}` cannot be resolved: {problem}");
        EvaluationError {
            code: codes::UNRESOLVED_REFERENCE,
            message: spelling::one_line(message),
            span: reference.span,
            help: None,
        }
    })
}

impl Blueprint {
    /// The value of an export, which must be of the type it is declared with. Where CloudFormation has turned
    /// every scalar into a string, what the blueprint writes out is read as that type.
    ///
    /// # Errors
    /// What the scope answers, or that the value is of another type; a secret is not shown.
    pub fn evaluate_export(&self, export: &Export, scope: &dyn Scope) -> Result<Value, EvaluationError> {
        let value = evaluate_reference(&export.field, scope)?;
        let deployed = matches!(export.field.path.first(), Some(Segment::Name(side)) if side == "state");
        let read = || typed::read_export(export.kind, &value).filter(|_| self.inline && !deployed);
        if export.kind.admits(&value) {
            return Ok(value);
        }
        if let Some(value) = read() {
            return Ok(value);
        }
        let message = format!(
            "the export is declared as `{}`, but `{}` is {}",
            export.kind,
            export.field,
            describe(&value, value.has_secret())
        );
        Err(EvaluationError {
            code: codes::EXPORT_TYPE_MISMATCH,
            message: spelling::one_line(message),
            span: export.kind_span,
            help: None,
        })
    }
}

struct Evaluation<'a> {
    scope: &'a dyn Scope,
    budget: Budget,
}

impl Evaluation<'_> {
    /// Recursion is bounded by the depth that the loader allows.
    fn template(&mut self, template: &Template, depth: usize) -> Result<Value, EvaluationError> {
        let span = template.span();
        let kind = match &template.body {
            Body::Null => Kind::Null,
            Body::Bool(bool) => Kind::Bool(*bool),
            Body::Number(number) => Kind::Number(number.clone()),
            Body::String(text) => Kind::String(text.to_string()),
            Body::Whole(expression) => {
                let value = self.expression(expression)?;
                self.budget.result(&value, depth, span)?;
                return Ok(value);
            }
            Body::Text(parts) => {
                let value = self.text(parts, span)?;
                self.budget.result(&value, depth, span)?;
                return Ok(value);
            }
            Body::List(items) => Kind::List(
                items
                    .iter()
                    .map(|item| self.template(item, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Body::Map(fields) => Kind::Map(
                fields
                    .iter()
                    .map(|field| Ok((field.key.to_string(), self.template(&field.value, depth + 1)?)))
                    .collect::<Result<_, _>>()?,
            ),
        };
        Ok(kind.into())
    }

    /// Every part is evaluated even when one is unknown: an error or a taint further on counts.
    fn text(&mut self, parts: &[Part], span: Span) -> Result<Value, EvaluationError> {
        let mut text = String::new();
        let (mut unknown, mut secret) = (false, false);
        for part in parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Substitution(expression) => {
                    let value = self.expression(expression)?;
                    secret |= value.has_secret();
                    match &value.kind {
                        Kind::Unknown => unknown = true,
                        Kind::Bool(bool) => text.push_str(if *bool { "true" } else { "false" }),
                        Kind::Number(number) => text.push_str(&number.to_string()),
                        Kind::String(string) => text.push_str(string),
                        Kind::Null | Kind::List(_) | Kind::Map(_) => {
                            return Err(not_text(expression, &value));
                        }
                    }
                }
            }
            if text.len() > MAX_TEXT_BYTES {
                let message = format!("the text grows longer than {MAX_TEXT_BYTES} bytes");
                return Err(budget::exceeded(codes::TEXT_TOO_LONG, span, message));
            }
        }
        let value = if unknown {
            Value::unknown()
        } else {
            Value::string(text)
        };
        Ok(value.tainted_if(secret))
    }

    /// Recursion is bounded by the depth of calls that the parser allows.
    fn expression(&mut self, expression: &Expression) -> Result<Value, EvaluationError> {
        match expression {
            Expression::Reference(reference) => {
                let value = evaluate_reference(reference, self.scope)?;
                self.budget.work(&value, reference.span)?;
                Ok(value)
            }
            Expression::Call(call) => self.call(call),
            Expression::Literal(Literal::Bool(bool), _) => Ok(Kind::Bool(*bool).into()),
            Expression::Literal(Literal::Number(number), _) => Ok(Kind::Number(number.clone()).into()),
            Expression::Literal(Literal::String(text), _) => Ok(Value::string(text.clone())),
        }
    }

    fn call(&mut self, call: &Call) -> Result<Value, EvaluationError> {
        let functions = self.scope.functions();
        let Some(function) = functions.find(&call.name) else {
            return Err(EvaluationError {
                code: codes::UNKNOWN_FUNCTION,
                message: format!("there is no function `{}`", spelling::shown(&call.name)),
                span: call.name_span,
                help: spelling::did_you_mean(&call.name, functions.names()),
            });
        };
        let arguments = call
            .arguments
            .iter()
            .map(|argument| self.expression(argument))
            .collect::<Result<Vec<_>, _>>()?;
        let value = function.call(&arguments).map_err(|(code, problem)| {
            let argument = problem.argument.and_then(|index| call.arguments.get(index));
            EvaluationError {
                code,
                message: spelling::one_line(problem.message),
                span: argument.map_or(call.span, Expression::span),
                help: problem.help,
            }
        })?;
        self.budget.work(&value, call.span)?;
        Ok(value)
    }
}

fn not_text(expression: &Expression, value: &Value) -> EvaluationError {
    EvaluationError {
        code: codes::COMPLEX_INTERPOLATION,
        message: format!(
            "`{}` is {}, which cannot become part of a text",
            spelling::shown(&expression.to_string()),
            value.kind.noun()
        ),
        span: expression.span(),
        help: Some("make the substitution the whole value, or pick one field of it".to_owned()),
    }
}
