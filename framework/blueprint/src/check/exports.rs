//! The section `exports`.

use super::context::{Context, Owner, Section};
use super::habits;
use super::references;
use crate::spelling::{did_you_mean, one_of, shown};
use crate::substitution::{find_opening, parse_reference};
use crate::syntax::{Entry, Node, Positions};
use crate::{Diagnostic, Export, ExportType, Reference, codes};
use indexmap::IndexMap;

const EXPORT: Section = Section {
    name: "an export",
    keys: &["type", "field", "description"],
    hints: habits::EXPORT,
    form: "arn: {type: string, field: resources.queue.state.arn}",
};

pub(super) fn read(context: &mut Context<'_>, node: &Node) -> IndexMap<String, Export> {
    let entries = context.map(node, "`exports`").unwrap_or_default();
    let exports = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "an export");
        export(context, entry).map(|export| (entry.key.text.to_string(), export))
    });
    exports.collect()
}

fn export(context: &mut Context<'_>, entry: &Entry) -> Option<Export> {
    let span = entry.key.span;
    let fields = context.fields(&entry.value, &EXPORT, span)?;
    let kind = context
        .required(fields, "type")
        .and_then(|node| Some((kind(context, node)?, node)));
    let field = context
        .required(fields, "field")
        .and_then(|node| field(context, node));
    let description = fields
        .value("description")
        .and_then(|node| context.text_template(node, "an export's description", Owner::None));
    let (field, (kind, type_node)) = (field?, kind?);
    Some(Export {
        kind,
        kind_span: type_node.span,
        field,
        description,
        span,
    })
}

fn kind(context: &mut Context<'_>, node: &Node) -> Option<ExportType> {
    let text = context.fixed_text(node, "an export's `type`", codes::SUBSTITUTION_IN_EXPORT_TYPE)?;
    let found = ExportType::ALL.into_iter().find(|(name, _)| *name == text);
    if found.is_none() {
        let names = ExportType::ALL.map(|(name, _)| name);
        let message = format!("unknown export type `{}`", shown(&text));
        let help = habits::type_names(&text, &names)
            .or_else(|| did_you_mean(&text, names))
            .unwrap_or_else(|| format!("it is {}", one_of(&names)));
        context.report(Diagnostic::error(codes::UNKNOWN_EXPORT_TYPE, node.span, message).help(help));
    }
    found.map(|(_, kind)| kind)
}

fn field(context: &mut Context<'_>, node: &Node) -> Option<Reference> {
    let text = node
        .scalar()
        .map(|scalar| scalar.text.as_str())
        .unwrap_or_default();
    let positions = Positions::of(node, context.source.text());
    if let Some(at) = find_opening(text) {
        let message = "an export's `field` allows no substitutions";
        let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let help = match whole.filter(|inner| !inner.contains('$')) {
            Some(inner) => format!("write the reference as it is: `{}`", inner.trim()),
            None => "write the whole reference out".to_owned(),
        };
        let code = codes::SUBSTITUTION_IN_EXPORT_FIELD;
        context.report(Diagnostic::error(code, positions.span(at, at + 2), message).help(help));
        return None;
    }
    context.fixed_text(node, "an export's `field`", codes::SUBSTITUTION_IN_EXPORT_FIELD)?;
    match parse_reference(text, &positions) {
        Ok(reference) => {
            references::check_one(context, &reference, Owner::None);
            Some(reference)
        }
        Err(finding) => {
            context.report(*finding);
            None
        }
    }
}
