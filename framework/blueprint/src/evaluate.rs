//! Evaluation of templates: substitutions replaced by values.

use crate::functions::{Functions, MAX_TEXT_BYTES};
use crate::substitution::{Call, Expression, Literal, Part};
use crate::template::Body;
use crate::{Kind, Reference, Span, Template, Value, codes, spelling};

/// What references resolve to. Implementations answer [`Value::unknown`] for what is not deployed yet.
pub trait Scope {
    /// The value of a reference (variable, resource field, ...), its whole path included
    /// (see [`Value::at`]).
    ///
    /// # Errors
    /// One line that says what is missing.
    fn resolve(&self, reference: &Reference) -> Result<Value, String>;
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
/// # Errors
/// The first failure.
pub fn evaluate(template: &Template, scope: &dyn Scope) -> Result<Value, EvaluationError> {
    let evaluation = Evaluation {
        scope,
        functions: Functions::CORE,
    };
    evaluation.template(template)
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

struct Evaluation<'a> {
    scope: &'a dyn Scope,
    functions: Functions,
}

impl Evaluation<'_> {
    /// Recursion is bounded by the depth that the loader allows.
    fn template(&self, template: &Template) -> Result<Value, EvaluationError> {
        let kind = match &template.body {
            Body::Null => Kind::Null,
            Body::Bool(bool) => Kind::Bool(*bool),
            Body::Number(number) => Kind::Number(number.clone()),
            Body::String(text) => Kind::String(text.clone()),
            Body::Whole(expression) => return self.expression(expression),
            Body::Text(parts) => return self.text(parts, template.span()),
            Body::List(items) => Kind::List(
                items
                    .iter()
                    .map(|item| self.template(item))
                    .collect::<Result<_, _>>()?,
            ),
            Body::Map(fields) => Kind::Map(
                fields
                    .iter()
                    .map(|(key, field)| Ok((key.clone(), self.template(&field.value)?)))
                    .collect::<Result<_, _>>()?,
            ),
        };
        Ok(kind.into())
    }

    /// Every part is evaluated even when one is unknown: an error or a taint further on counts.
    fn text(&self, parts: &[Part], span: Span) -> Result<Value, EvaluationError> {
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
                return Err(EvaluationError {
                    code: codes::TEXT_TOO_LONG,
                    message,
                    span,
                    help: None,
                });
            }
        }
        let value = if unknown {
            Value::unknown()
        } else {
            Value::string(text)
        };
        Ok(value.tainted_if(secret))
    }

    fn expression(&self, expression: &Expression) -> Result<Value, EvaluationError> {
        match expression {
            Expression::Reference(reference) => evaluate_reference(reference, self.scope),
            Expression::Call(call) => self.call(call),
            Expression::Literal(Literal::Bool(bool), _) => Ok(Kind::Bool(*bool).into()),
            Expression::Literal(Literal::Number(number), _) => Ok(Kind::Number(number.clone()).into()),
            Expression::Literal(Literal::String(text), _) => Ok(Value::string(text.clone())),
        }
    }

    fn call(&self, call: &Call) -> Result<Value, EvaluationError> {
        let Some(function) = self.functions.find(&call.name) else {
            return Err(EvaluationError {
                code: codes::UNKNOWN_FUNCTION,
                message: format!("there is no function `{}`", spelling::shown(&call.name)),
                span: call.name_span,
                help: spelling::did_you_mean(&call.name, self.functions.names()),
            });
        };
        let arguments = call
            .arguments
            .iter()
            .map(|argument| self.expression(argument))
            .collect::<Result<Vec<_>, _>>()?;
        function.call(&arguments).map_err(|problem| EvaluationError {
            code: codes::FUNCTION_FAILED,
            message: spelling::one_line(format!("`{}` failed: {problem}", call.name)),
            span: call.span,
            help: Some(format!("it is called as `{}`", function.signature())),
        })
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
