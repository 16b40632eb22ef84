//! The section `variables`.

use super::context::{Context, Fields, Section};
use super::habits;
use crate::bind::{choices, describe};
use crate::spelling::{all_of, did_you_mean, list, shown};
use crate::syntax::{Data, Entry, Node, ScalarKind};
use crate::value::{Kind, Value};
use crate::{Diagnostic, Enumerations, Variable, VariableType, codes, typed};
use indexmap::IndexMap;

const VARIABLE: Section = Section {
    name: "a variable",
    keys: &["type", "description", "secret", "default", "allowedValues"],
    hints: habits::VARIABLE,
    form: "stage: {type: string}",
};

const TYPES: [(&str, VariableType); 4] = [
    ("string", VariableType::String),
    ("integer", VariableType::Integer),
    ("float", VariableType::Float),
    ("boolean", VariableType::Boolean),
];

pub(super) fn read(context: &mut Context<'_>, node: &Node) -> IndexMap<String, Variable> {
    let entries = context.map(node, "`variables`").unwrap_or_default();
    let variables = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "a variable");
        variable(context, entry).map(|variable| (entry.key.text.to_string(), variable))
    });
    variables.collect()
}

/// Reads a core or custom type.
pub(super) fn parse_type(text: &str, custom: &Enumerations) -> Option<VariableType> {
    match TYPES.iter().find(|(name, _)| *name == text) {
        Some((_, kind)) => Some(kind.clone()),
        None => custom.find(text).map(VariableType::Custom),
    }
}

fn variable(context: &mut Context<'_>, entry: &Entry) -> Option<Variable> {
    let span = entry.key.span;
    let fields = context.fields(&entry.value, &VARIABLE, span)?;
    let code = codes::SUBSTITUTION_IN_VARIABLE;
    let kind = context
        .required(fields, "type")
        .and_then(|node| kind(context, node));
    let description = fields
        .value("description")
        .and_then(|node| context.fixed_text(node, "a variable's description", code));
    let secret = fields.value("secret").is_some_and(|node| boolean(context, node));
    for key in ["default", "allowedValues"] {
        if let Some(node) = fields.value(key) {
            context.refuse_all_substitutions(node, &format!("a variable's `{key}`"), code);
        }
    }
    let kind = kind?;
    let allowed = allowed_values(context, fields, &kind, secret);
    let default = default(context, fields, &kind, &allowed, secret);
    // Tainted here already, so that printing a blueprint shows no secret.
    Some(Variable {
        kind,
        allowed: allowed
            .into_iter()
            .map(|value| value.tainted_if(secret))
            .collect(),
        secret,
        default: default.map(|value| value.tainted_if(secret)),
        description,
        span,
    })
}

fn kind(context: &mut Context<'_>, node: &Node) -> Option<VariableType> {
    let text = context.fixed_text(node, "a variable's `type`", codes::SUBSTITUTION_IN_VARIABLE)?;
    let kind = parse_type(&text, &context.language.enumerations);
    if kind.is_none() {
        let message = format!("unknown variable type `{}`", shown(&text));
        let all = "it is `string`, `integer`, `float`, `boolean` or a custom type such as `aws/region`";
        let alias = match text.as_str() {
            "number" | "Number" | "int" => Some("did you mean `integer` or `float`?".to_owned()),
            "bool" => Some("did you mean `boolean`?".to_owned()),
            "list" | "array" | "object" | "map" | "CommaDelimitedList" => Some(
                "variables are scalars: pass JSON in a `string` and read it with `jsondecode`".to_owned(),
            ),
            _ => custom_type(&text, &context.language.enumerations),
        };
        let finding = Diagnostic::error(codes::UNKNOWN_VARIABLE_TYPE, node.span, message);
        context.report(finding.help(alias.unwrap_or_else(|| all.to_owned())));
    }
    kind
}

/// The nearest type, or all the custom types there are of the provider and service that are meant.
fn custom_type(text: &str, custom: &Enumerations) -> Option<String> {
    const MOST: usize = 40;
    let names = custom.names();
    let core = TYPES.iter().map(|(name, _)| *name);
    if let Some(help) = did_you_mean(text, core.chain(names.iter().copied())) {
        return Some(help);
    }
    let provider = text
        .split_inclusive('/')
        .next()
        .filter(|provider| provider.ends_with('/'))?;
    let (service, _) = text.rsplit_once('/')?;
    let of = |prefix: &str| -> Vec<&str> {
        let starts = |name: &&&str| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        names.iter().filter(starts).copied().collect()
    };
    let mut near = of(service);
    if near.is_empty() {
        near = of(provider.trim_end_matches('/'));
    }
    let more = near.len().saturating_sub(MOST);
    near.truncate(MOST);
    (!near.is_empty()).then(|| match more {
        0 => format!("there are {}", all_of(&near)),
        more => format!("there are {} and {more} more", list(&near)),
    })
}

fn boolean(context: &mut Context<'_>, node: &Node) -> bool {
    match node.scalar().map(|scalar| (&scalar.kind, scalar.text.as_str())) {
        Some((ScalarKind::Bool(bool), _)) => *bool,
        Some((ScalarKind::String, "true")) if context.is_inline() => true,
        Some((ScalarKind::String, "false")) if context.is_inline() => false,
        _ => {
            if !context.refuse_substitutions(node, "a variable's `secret`", codes::SUBSTITUTION_IN_VARIABLE) {
                context.wrong_shape(node, "a variable's `secret`", "`true` or `false`");
            }
            // Whoever writes `secret: yes` means it: later messages must not show the value.
            true
        }
    }
}

fn allowed_values(
    context: &mut Context<'_>,
    fields: Fields<'_>,
    kind: &VariableType,
    secret: bool,
) -> Vec<Value> {
    let Some(entry) = fields.get("allowedValues") else {
        return Vec::new();
    };
    if *kind == VariableType::Boolean {
        let message = "a boolean variable has no `allowedValues`";
        let finding = Diagnostic::error(codes::BOOLEAN_ALLOWED_VALUES, entry.key.span, message);
        context.report(finding.help("it can be `true` or `false` only: remove them"));
        return Vec::new();
    }
    let Data::List(items) = &entry.value.data else {
        context.wrong_shape(&entry.value, "`allowedValues`", "a list");
        return Vec::new();
    };
    if items.is_empty() {
        let message = "`allowedValues` is empty: no value would be allowed";
        let finding = Diagnostic::error(codes::EMPTY_ALLOWED_VALUES, entry.value.span, message);
        context.report(finding.help("list what is allowed, or remove the key"));
    }
    let typed = items
        .iter()
        .filter_map(|item| typed(context, item, kind, secret, "an allowed value"));
    typed.collect()
}

fn default(
    context: &mut Context<'_>,
    fields: Fields<'_>,
    kind: &VariableType,
    allowed: &[Value],
    secret: bool,
) -> Option<Value> {
    let node = fields.value("default")?;
    let value = typed(context, node, kind, secret, "the default")?;
    if !allowed.is_empty() && !allowed.iter().any(|allowed| typed::same(allowed, &value)) {
        let message = format!(
            "the default, {}, is not among the allowed values",
            describe(&value, secret)
        );
        let finding = Diagnostic::error(codes::DEFAULT_NOT_ALLOWED, node.span, message);
        context.report(if secret {
            finding
        } else {
            finding.help(choices(allowed))
        });
    }
    Some(value)
}

/// A scalar of the variable's type. Quotes matter: `"5"` is no integer, except where CloudFormation has
/// turned every scalar into a string.
fn typed(
    context: &mut Context<'_>,
    node: &Node,
    kind: &VariableType,
    secret: bool,
    what: &str,
) -> Option<Value> {
    let value = scalar_value(node);
    let accepted = value
        .as_ref()
        .and_then(|value| typed::of_type(kind, value, context.is_inline()));
    if let Some(accepted) = accepted {
        if let Some(problem) = typed::unknown_label(kind, &accepted, secret) {
            let message = format!("{what} must be {}, found {}", kind.noun(), problem.found);
            let finding = Diagnostic::error(codes::UNKNOWN_LABEL, node.span, message);
            context.report(finding.help_if(problem.help));
            return None;
        }
        return Some(accepted);
    }
    if node
        .scalar()
        .is_some_and(|scalar| crate::substitution::find_opening(&scalar.text).is_some())
    {
        return None; // Reported already: it allows no substitutions.
    }
    let found = value
        .as_ref()
        .map_or(node.noun().to_owned(), |value| describe(value, secret));
    let message = format!("{what} must be {}, found {found}", kind.noun());
    let finding = Diagnostic::error(codes::VARIABLE_DEFAULT_TYPE, node.span, message);
    let help = value.as_ref().and_then(|value| typed::quoting(kind, value));
    let boolean = *kind == VariableType::Boolean;
    let help = help.or(boolean.then_some("write `true` or `false`"));
    context.report(finding.help_if(help.map(str::to_owned)));
    None
}

fn scalar_value(node: &Node) -> Option<Value> {
    let scalar = node.scalar()?;
    Some(match &scalar.kind {
        ScalarKind::Null => return None,
        ScalarKind::Bool(bool) => Kind::Bool(*bool).into(),
        ScalarKind::Number(number) => Kind::Number(number.clone()).into(),
        ScalarKind::String => Value::string(crate::substitution::unescape(&scalar.text)),
    })
}
