//! The section `datasources`.

use super::context::{Context, Owner, Section};
use super::resources::is_type;
use super::{habits, labels, references};
use crate::spelling::{did_you_mean, one_of, shown};
use crate::substitution::is_quoted_name;
use crate::syntax::{Data, Entry, Node, ScalarKind};
use crate::{
    DataSource, DataSourceExport, Diagnostic, ExportType, FieldPath, Filter, Operator, Span, Template, codes,
};
use indexmap::IndexMap;

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

/// Only arrays of scalars are supported as exported fields, and no maps.
const EXPORT_TYPES: [(&str, ExportType); 5] = [
    ("array", ExportType::Array),
    ("string", ExportType::String),
    ("integer", ExportType::Integer),
    ("float", ExportType::Float),
    ("boolean", ExportType::Boolean),
];

pub(super) fn read(context: &mut Context<'_>, node: &Node) -> IndexMap<String, DataSource> {
    let entries = context.map(node, "`datasources`").unwrap_or_default();
    let sources = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "a data source");
        data_source(context, entry).map(|source| (entry.key.text.to_string(), source))
    });
    sources.collect()
}

fn data_source(context: &mut Context<'_>, entry: &Entry) -> Option<DataSource> {
    let span = entry.key.span;
    let owner = Owner::DataSource(&entry.key.text);
    let fields = context.fields(&entry.value, &DATA_SOURCE, span)?;
    let kind = context
        .required(fields, "type")
        .and_then(|node| Some((type_name(context, node)?, node.span)));
    let description = fields
        .value("description")
        .and_then(|node| context.text_template(node, "a data source's description", owner));
    let metadata = match fields.value("metadata") {
        Some(node) => metadata(context, node, owner),
        None => Template::empty(span),
    };
    let filter = context
        .required(fields, "filter")
        .and_then(|node| filter(context, node, span, owner));
    let exports = context
        .required(fields, "exports")
        .and_then(|node| exports(context, node));
    let (filter, exports, (type_name, type_span)) = (filter?, exports?, kind?);
    let templates = description.iter().chain([&metadata, &filter.search]);
    let depends_on = references::dependencies(owner, templates);
    Some(DataSource {
        type_name,
        type_span,
        span,
        description,
        metadata,
        filter,
        exports,
        depends_on,
    })
}

fn type_name(context: &mut Context<'_>, node: &Node) -> Option<String> {
    let code = codes::SUBSTITUTION_IN_DATA_SOURCE_TYPE;
    let text = context.fixed_text(node, "a data source's `type`", code)?;
    if is_type(&text) {
        return Some(text);
    }
    let message = format!("`{}` is not a data source type", shown(&text));
    let finding = Diagnostic::error(codes::INVALID_DATA_SOURCE_TYPE, node.span, message);
    context.report(finding.help("a type is `provider/type`, such as `aws/vpc`"));
    None
}

fn metadata(context: &mut Context<'_>, node: &Node, owner: Owner<'_>) -> Template {
    if node.is_null() {
        return Template::empty(node.span);
    }
    let Some(fields) = context.fields(node, &METADATA, node.span) else {
        return Template::empty(node.span);
    };
    if let Some(name) = fields.value("displayName")
        && name.scalar().is_none()
    {
        context.wrong_shape(name, "a display name", "a string");
    }
    if let Some(annotations) = fields.value("annotations") {
        labels::check_annotations(context, annotations);
    }
    if let Some(custom) = fields.value("custom") {
        context.map(custom, "`custom`");
    }
    context.template(node, owner)
}

fn filter(context: &mut Context<'_>, node: &Node, name: Span, owner: Owner<'_>) -> Option<Filter> {
    let fields = context.fields(node, &FILTER, name)?;
    let code = codes::SUBSTITUTION_IN_FILTER;
    let field = context.required(fields, "field").and_then(|node| {
        let text = context.fixed_text(node, "a filter's `field`", code)?;
        path(context, node.span, "a filter's `field`", &text)
    });
    let operator = context
        .required(fields, "operator")
        .and_then(|node| operator(context, node));
    let search = context
        .required(fields, "search")
        .map(|node| search(context, node, owner));
    Some(Filter {
        field: field?,
        operator: operator?,
        search: search?,
        span: node.span,
    })
}

fn path(context: &mut Context<'_>, span: Span, what: &str, text: &str) -> Option<FieldPath> {
    match FieldPath::parse(text) {
        Ok(path) => Some(path),
        Err(problem) => {
            let message = format!("{what} is not a path: {problem}");
            let finding = Diagnostic::error(codes::INVALID_FIELD_PATH, span, message);
            context.report(finding.help("a path is like `vpcId`, `metadata.name` or `subnets[0].zone`"));
            None
        }
    }
}

fn operator(context: &mut Context<'_>, node: &Node) -> Option<Operator> {
    let text = context.fixed_text(node, "a filter's `operator`", codes::SUBSTITUTION_IN_FILTER)?;
    let found = Operator::find(&text);
    if found.is_none() {
        let names = Operator::ALL.map(Operator::name);
        let message = format!("unknown operator `{}`", shown(&text));
        let help = habits::operator(&text)
            .or_else(|| did_you_mean(&text, names))
            .unwrap_or_else(|| format!("it is {}", one_of(&names)));
        context.report(Diagnostic::error(codes::UNKNOWN_OPERATOR, node.span, message).help(help));
    }
    found
}

fn search(context: &mut Context<'_>, node: &Node, owner: Owner<'_>) -> Template {
    let items = match &node.data {
        Data::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for item in items {
        if item.scalar().is_none_or(|scalar| scalar.kind == ScalarKind::Null) {
            context.wrong_shape(item, "a search value", "a string, a number or a boolean");
        }
    }
    context.template(node, owner)
}

fn exports(context: &mut Context<'_>, node: &Node) -> Option<IndexMap<String, DataSourceExport>> {
    let entries = context.map(node, "a data source's `exports`")?;
    let exports = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "an exported field");
        export(context, entry).map(|export| (entry.key.text.to_string(), export))
    });
    Some(exports.collect())
}

fn export(context: &mut Context<'_>, entry: &Entry) -> Option<DataSourceExport> {
    let code = codes::SUBSTITUTION_IN_DATA_SOURCE_EXPORT;
    let span = entry.key.span;
    let fields = context.fields(&entry.value, &EXPORT, span)?;
    let kind = context
        .required(fields, "type")
        .and_then(|node| export_type(context, node));
    let description = fields
        .value("description")
        .and_then(|node| context.fixed_text(node, "an exported field's `description`", code));
    let alias = fields.value("aliasFor");
    let (at, path_text, alias_for) = match alias {
        Some(node) => {
            let text = context.fixed_text(node, "an exported field's `aliasFor`", code)?;
            (node.span, text.clone(), Some(text))
        }
        // A name that is none is reported as such.
        None if !is_quoted_name(&entry.key.text) => return None,
        None => (span, entry.key.text.to_string(), None),
    };
    let what = match alias {
        Some(_) => "an exported field's `aliasFor`",
        None => "the name of an exported field",
    };
    let field = path(context, at, what, &path_text);
    Some(DataSourceExport {
        kind: kind?,
        field: field?,
        alias_for,
        description,
        span,
    })
}

fn export_type(context: &mut Context<'_>, node: &Node) -> Option<ExportType> {
    let code = codes::SUBSTITUTION_IN_DATA_SOURCE_EXPORT;
    let text = context.fixed_text(node, "an exported field's `type`", code)?;
    let found = EXPORT_TYPES.into_iter().find(|(name, _)| *name == text);
    if found.is_none() {
        let names = EXPORT_TYPES.map(|(name, _)| name);
        let message = format!("unknown type `{}` of an exported field", shown(&text));
        let help = match text.as_str() {
            "object" => Some(
                "data sources export scalars and arrays of scalars: export the fields that you need"
                    .to_owned(),
            ),
            _ => habits::type_names(&text, &names).or_else(|| did_you_mean(&text, names)),
        };
        let help = help.unwrap_or_else(|| format!("it is {}", one_of(&names)));
        context.report(Diagnostic::error(codes::UNKNOWN_EXPORT_TYPE, node.span, message).help(help));
    }
    found.map(|(_, kind)| kind)
}
