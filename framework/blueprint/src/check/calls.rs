//! Function calls and interpolation, judged as far as types are known before deploying.

use super::Language;
use super::context::Context;
use super::declared::Declared;
use super::habits;
use super::variables::parse_type;
use crate::functions::Type;
use crate::spelling::{all_of, did_you_mean, shown};
use crate::substitution::{Call, Expression, Literal};
use crate::{Diagnostic, Reference, Root, Segment, Template, VariableType, codes};

pub(super) fn check(context: &mut Context<'_>, template: &Template) {
    let mut found = Vec::new();
    template.expressions(&mut |expression, whole| found.push((expression, whole)));
    for (expression, whole) in found {
        let kind = type_of(context, expression);
        if !whole && kind == Type::Complex {
            let shown = shown(&expression.to_string());
            let message = format!("`{shown}` is a list or a map, which cannot become part of a text");
            let finding = Diagnostic::error(codes::COMPLEX_INTERPOLATION, expression.span(), message);
            context.report(finding.help("make the substitution the whole value, or pick one field of it"));
        }
    }
}

/// The type of an expression; calls in it are checked on the way.
fn type_of(context: &mut Context<'_>, expression: &Expression) -> Type {
    match expression {
        Expression::Literal(Literal::Bool(_), _) => Type::Boolean,
        Expression::Literal(Literal::String(_), _) => Type::String,
        Expression::Literal(Literal::Number(number), _) => {
            if crate::typed::is_integer(&number.to_string()) {
                Type::Integer
            } else {
                Type::Float
            }
        }
        Expression::Reference(reference) => type_of_reference(context.language, context.declared, reference),
        Expression::Call(call) => type_of_call(context, call),
    }
}

fn type_of_call(context: &mut Context<'_>, call: &Call) -> Type {
    let arguments: Vec<Type> = call
        .arguments
        .iter()
        .map(|argument| type_of(context, argument))
        .collect();
    let functions = context.language.functions;
    let Some(function) = functions.find(&call.name) else {
        let message = format!("there is no function `{}`", call.name);
        let help = habits::function(&call.name).or_else(|| did_you_mean(&call.name, functions.names()));
        let help = help.unwrap_or_else(|| {
            let names: Vec<&str> = functions.names().collect();
            format!("there are {}", all_of(&names))
        });
        context.report(Diagnostic::error(codes::UNKNOWN_FUNCTION, call.name_span, message).help(help));
        return Type::Any;
    };
    if let Err(problem) = function.check_count(arguments.len()) {
        let finding = Diagnostic::error(codes::ARGUMENT_COUNT, call.span, problem);
        context.report(finding.help(format!("it is called as `{}`", function.signature())));
        return function.returns;
    }
    for (index, (kind, argument)) in arguments.iter().zip(&call.arguments).enumerate() {
        if let Err(problem) = function.check_type(index, Some(*kind)) {
            context.report(Diagnostic::error(codes::ARGUMENT_TYPE, argument.span(), problem));
        }
    }
    function.returns
}

/// What a reference yields, as far as the document tells.
pub(super) fn type_of_reference(language: &Language, declared: &Declared, reference: &Reference) -> Type {
    let names: Vec<Option<&str>> = reference
        .path
        .iter()
        .map(|segment| match segment {
            Segment::Name(name) => Some(name.as_str()),
            Segment::Index(_) => None,
        })
        .collect();
    match (&reference.root, names.as_slice()) {
        (Root::Variable(name), []) => match declared
            .variable_type(name)
            .and_then(|text| parse_type(text, &language.enumerations))
        {
            Some(VariableType::String | VariableType::Custom(_)) => Type::String,
            Some(VariableType::Integer) => Type::Integer,
            Some(VariableType::Float) => Type::Float,
            Some(VariableType::Boolean) => Type::Boolean,
            None => Type::Any,
        },
        (Root::Resource(_), [Some("state" | "spec" | "metadata")]) => Type::Complex,
        (Root::Resource(_), [Some("metadata"), Some("labels" | "annotations" | "custom")]) => Type::Complex,
        (Root::Resource(_), [Some("metadata"), Some("displayName")]) => Type::String,
        (Root::Resource(_), [Some("metadata"), Some("labels"), Some(_)]) => Type::String,
        _ => Type::Any,
    }
}
