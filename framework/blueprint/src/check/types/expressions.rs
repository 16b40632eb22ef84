//! The types of expressions, and calls that cannot succeed.

use super::super::habits;
use super::Types;
use crate::spelling::{all_of, did_you_mean, shown};
use crate::substitution::{Call, Expression, Literal};
use crate::{Diagnostic, Kind, Type, Value, codes};

/// What is known of a value: its type, and the value itself where it is written out.
pub(super) struct Known {
    pub(super) kind: Type,
    /// Only a scalar, and never a secret: variables have no value before they are bound.
    pub(super) value: Option<Value>,
}

impl From<Type> for Known {
    fn from(kind: Type) -> Self {
        Known { kind, value: None }
    }
}

impl From<Value> for Known {
    fn from(value: Value) -> Self {
        Known {
            kind: Type::of(&value),
            value: Some(value),
        }
    }
}

impl From<&Literal> for Known {
    fn from(literal: &Literal) -> Self {
        let value: Value = match literal {
            Literal::Bool(bool) => Kind::Bool(*bool).into(),
            Literal::Number(number) => Kind::Number(number.clone()).into(),
            Literal::String(text) => Value::string(text.clone()),
        };
        value.into()
    }
}

impl Types<'_> {
    /// The type of an expression; calls in it are judged on the way. The parser bounds the depth.
    pub(super) fn expression(&mut self, expression: &Expression) -> Known {
        match expression {
            Expression::Literal(literal, _) => literal.into(),
            Expression::Reference(reference) => self.reference(reference),
            Expression::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) -> Known {
        let arguments: Vec<Known> = call
            .arguments
            .iter()
            .map(|argument| self.expression(argument))
            .collect();
        let functions = &self.blueprint.functions;
        let Some(function) = functions.find(&call.name) else {
            let message = format!("there is no function `{}`", shown(&call.name));
            let names = functions.names();
            let help = habits::function(&call.name)
                .or_else(|| did_you_mean(&call.name, names.iter().copied()))
                .unwrap_or_else(|| format!("there are {}", all_of(&names)));
            let finding = Diagnostic::error(codes::UNKNOWN_FUNCTION, call.name_span, message);
            self.findings.push(finding.help(help));
            return Type::ANY.into();
        };
        if let Err(problem) = function.check_count(arguments.len()) {
            let finding = Diagnostic::error(codes::ARGUMENT_COUNT, call.span, problem.message);
            self.findings.push(finding.help_if(problem.help));
            return function.returns.into();
        }
        let mut sound = true;
        for (index, (known, argument)) in arguments.iter().zip(&call.arguments).enumerate() {
            if let Err(problem) = function.check_type(index, known.kind) {
                let finding = Diagnostic::error(codes::ARGUMENT_TYPE, argument.span(), problem.message);
                let called = || format!("it is called as `{}`", function.signature());
                self.findings
                    .push(finding.help(problem.help.unwrap_or_else(called)));
                sound = false;
            }
        }
        if !sound || self.folding_bytes == 0 {
            return function.returns.into();
        }
        let unknown = || Value::unknown();
        let values: Vec<Value> = arguments
            .into_iter()
            .map(|known| known.value.unwrap_or_else(unknown))
            .collect();
        match function.call(&values) {
            Ok(value) => {
                let bytes = value.as_str().map_or(1, str::len);
                self.folding_bytes = self.folding_bytes.saturating_sub(bytes);
                match value.kind {
                    Kind::Unknown => function.returns.into(),
                    _ => value.into(),
                }
            }
            Err((code, problem)) => {
                let at = problem.argument.and_then(|index| call.arguments.get(index));
                let span = at.map_or(call.span, Expression::span);
                let finding = Diagnostic::error(code, span, problem.message);
                self.findings.push(finding.help_if(problem.help));
                function.returns.into()
            }
        }
    }
}
