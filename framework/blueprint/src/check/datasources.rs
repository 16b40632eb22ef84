//! The section `datasources`: its shape and where substitutions may stand.

use super::context::{Context, Owner, Section};
use super::habits;
use super::labels;
use super::resources::is_type;
use crate::spelling::{did_you_mean, one_of, shown};
use crate::syntax::{Data, Entry, Node, ScalarKind};
use crate::{Diagnostic, Span, codes};

const DATA_SOURCE: Section = Section {
    name: "a data source",
    keys: &["type", "description", "metadata", "filter", "exports"],
    hints: habits::DATA_SOURCE,
    form: "network: {type: aws/vpc, filter: {...}, exports: {...}}",
};

const METADATA: Section = Section {
    name: "a data source's metadata",
    keys: &["displayName", "annotations", "custom"],
    hints: habits::DATA_SOURCE_METADATA,
    form: "metadata: {displayName: Network}",
};

const FILTER: Section = Section {
    name: "a filter",
    keys: &["field", "operator", "search"],
    hints: habits::FILTER,
    form: "filter: {field: vpcId, operator: \"=\", search: vpc-1}",
};

const EXPORT: Section = Section {
    name: "a data source's export",
    keys: &["type", "aliasFor", "description"],
    hints: habits::DATA_SOURCE_EXPORT,
    form: "vpcId: {type: string}",
};

const OPERATORS: [&str; 12] = [
    "=",
    "!=",
    "in",
    "not in",
    "has key",
    "not has key",
    "contains",
    "not contains",
    "starts with",
    "not starts with",
    "ends with",
    "not ends with",
];

const EXPORT_TYPES: [&str; 5] = ["array", "string", "integer", "float", "boolean"];

pub(super) fn check(context: &mut Context<'_>, node: &Node) {
    for entry in context.map(node, "`datasources`").unwrap_or_default() {
        context.name(&entry.key, "a data source");
        data_source(context, entry);
    }
}

fn data_source(context: &mut Context<'_>, entry: &Entry) {
    let owner = Owner::DataSource(&entry.key.text);
    let Some(fields) = context.fields(&entry.value, &DATA_SOURCE, entry.key.span) else {
        return;
    };
    if let Some(node) = context.required(fields, "type") {
        data_source_type(context, node);
    }
    if let Some(node) = fields.value("description") {
        context.text_template(node, "a data source's description", owner);
    }
    if let Some(node) = fields.value("metadata") {
        metadata(context, node, owner);
    }
    if let Some(node) = context.required(fields, "filter") {
        filter(context, node, entry.key.span, owner);
    }
    if let Some(node) = context.required(fields, "exports") {
        exports(context, node);
    }
}

fn data_source_type(context: &mut Context<'_>, node: &Node) {
    let code = codes::SUBSTITUTION_IN_DATA_SOURCE_TYPE;
    let Some(text) = context.fixed_text(node, "a data source's `type`", code) else {
        return;
    };
    if !is_type(&text) {
        let message = format!("`{}` is not a data source type", shown(&text));
        let finding = Diagnostic::error(codes::INVALID_DATA_SOURCE_TYPE, node.span, message);
        context.report(finding.help("a type is `provider/type`, such as `aws/vpc`"));
    }
}

fn metadata(context: &mut Context<'_>, node: &Node, owner: Owner<'_>) {
    let Some(fields) = context.fields(node, &METADATA, node.span) else {
        return;
    };
    if let Some(annotations) = fields.value("annotations") {
        labels::check_annotations(context, annotations);
    }
    if let Some(custom) = fields.value("custom") {
        context.map(custom, "`custom`");
    }
    context.template(node, owner);
}

fn filter(context: &mut Context<'_>, node: &Node, name: Span, owner: Owner<'_>) {
    let Some(fields) = context.fields(node, &FILTER, name) else {
        return;
    };
    let code = codes::SUBSTITUTION_IN_FILTER;
    if let Some(field) = context.required(fields, "field") {
        context.fixed_text(field, "a filter's `field`", code);
    }
    if let Some(operator) = context.required(fields, "operator")
        && let Some(text) = context.fixed_text(operator, "a filter's `operator`", code)
        && !OPERATORS.contains(&text.as_str())
    {
        let message = format!("unknown operator `{}`", shown(&text));
        let help = habits::operator(&text)
            .or_else(|| did_you_mean(&text, OPERATORS))
            .unwrap_or_else(|| format!("it is {}", one_of(&OPERATORS)));
        context.report(Diagnostic::error(codes::UNKNOWN_OPERATOR, operator.span, message).help(help));
    }
    if let Some(search) = context.required(fields, "search") {
        let items = match &search.data {
            Data::List(items) => items.as_slice(),
            _ => std::slice::from_ref(search),
        };
        for item in items {
            if item.scalar().is_none_or(|scalar| scalar.kind == ScalarKind::Null) {
                context.wrong_shape(item, "a search value", "a string, a number or a boolean");
            }
        }
        context.template(search, owner);
    }
}

fn exports(context: &mut Context<'_>, node: &Node) {
    let code = codes::SUBSTITUTION_IN_DATA_SOURCE_EXPORT;
    for entry in context.map(node, "a data source's `exports`").unwrap_or_default() {
        context.name(&entry.key, "an exported field");
        let Some(fields) = context.fields(&entry.value, &EXPORT, entry.key.span) else {
            continue;
        };
        if let Some(node) = context.required(fields, "type")
            && let Some(text) = context.fixed_text(node, "an exported field's `type`", code)
            && !EXPORT_TYPES.contains(&text.as_str())
        {
            let message = format!("unknown type `{}` of an exported field", shown(&text));
            let help = habits::type_names(&text, &EXPORT_TYPES)
                .or_else(|| did_you_mean(&text, EXPORT_TYPES))
                .unwrap_or_else(|| format!("it is {}", one_of(&EXPORT_TYPES)));
            context.report(Diagnostic::error(codes::UNKNOWN_EXPORT_TYPE, node.span, message).help(help));
        }
        for key in ["aliasFor", "description"] {
            if let Some(node) = fields.value(key) {
                context.fixed_text(node, &format!("an exported field's `{key}`"), code);
            }
        }
    }
}
