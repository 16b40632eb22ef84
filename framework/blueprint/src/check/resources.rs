//! The section `resources`.

use super::context::{Context, Owner, Section};
use super::{habits, labels, references};
use crate::spelling::shown;
use crate::syntax::{Data, Entry, Node};
use crate::{Diagnostic, LinkSelector, Resource, Span, Template, codes};
use indexmap::IndexMap;

const RESOURCE: Section = Section {
    name: "a resource",
    keys: &["type", "description", "metadata", "linkSelector", "spec"],
    hints: habits::RESOURCE,
    form: "queue: {type: aws/sqs/queue}",
};

const METADATA: Section = Section {
    name: "a resource's metadata",
    keys: &["displayName", "annotations", "labels", "custom"],
    hints: habits::RESOURCE_METADATA,
    form: "metadata: {displayName: Orders}",
};

const LINK_SELECTOR: Section = Section {
    name: "a link selector",
    keys: &["byLabel"],
    hints: habits::LINK_SELECTOR,
    form: "linkSelector: {byLabel: {app: orders}}",
};

pub(super) fn read(context: &mut Context<'_>, entries: &[Entry]) -> IndexMap<String, Resource> {
    let resources = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "a resource");
        resource(context, entry).map(|resource| (entry.key.text.to_string(), resource))
    });
    resources.collect()
}

fn resource(context: &mut Context<'_>, entry: &Entry) -> Option<Resource> {
    let (name, span) = (entry.key.text.as_str(), entry.key.span);
    if belongs_to_a_resource(entry) {
        let finding = Diagnostic::error(codes::MISSING_KEY, span, "a resource needs `type`");
        context.report(finding.help(format!("`{name}` is a part of a resource: indent it further")));
        return None;
    }
    let owner = Owner::Resource(name);
    let fields = context.fields(&entry.value, &RESOURCE, span)?;
    let kind = context
        .required(fields, "type")
        .and_then(|node| Some((type_name(context, node)?, node.span)));
    let description = fields
        .value("description")
        .and_then(|node| context.text_template(node, "a resource's description", owner));
    let metadata = match fields.value("metadata") {
        Some(node) => metadata(context, node, owner),
        None => Template::empty(span),
    };
    let labels = fields
        .value("metadata")
        .and_then(|metadata| metadata.get("labels"))
        .map(labels::read)
        .unwrap_or_default();
    let link_selector = fields
        .value("linkSelector")
        .and_then(|node| link_selector(context, node, span));
    let spec = match fields.value("spec") {
        Some(node) if node.is_null() => Template::empty(node.span),
        Some(node) => {
            context.map(node, "`spec`");
            context.template(node, owner)
        }
        None => Template::empty(span),
    };
    let depends_on = references::dependencies(owner, description.iter().chain([&metadata, &spec]));
    // Without a type it is kept all the same: what refers to it, and what it refers to, can be judged.
    let (type_name, type_span) = kind.unwrap_or((String::new(), span));
    Some(Resource {
        type_name,
        type_span,
        span,
        description,
        metadata,
        labels,
        link_selector,
        spec,
        depends_on,
    })
}

/// True for a part of a resource that is indented like a resource.
fn belongs_to_a_resource(entry: &Entry) -> bool {
    RESOURCE.keys.contains(&entry.key.text.as_str()) && entry.value.get("type").is_none()
}

fn type_name(context: &mut Context<'_>, node: &Node) -> Option<String> {
    let text = context.fixed_text(node, "a resource's `type`", codes::SUBSTITUTION_IN_RESOURCE_TYPE)?;
    if is_type(&text) {
        return Some(text);
    }
    let message = match text.as_str() {
        "" => "a resource's `type` is empty".to_owned(),
        text => format!("`{}` is not a resource type", shown(text)),
    };
    let form = "a type is `provider/service/resource` or `provider/resource`, such as `aws/sqs/queue`";
    let help = with_slashes(&text).map_or(form.to_owned(), |other| format!("did you mean `{other}`?"));
    context.report(Diagnostic::error(codes::INVALID_RESOURCE_TYPE, node.span, message).help(help));
    None
}

/// The type that was written with other separators: `aws_sqs_queue`, `aws.sqs.queue`.
fn with_slashes(text: &str) -> Option<String> {
    let trimmed = text.trim_matches([' ', '/']);
    if trimmed.contains('/') {
        return is_type(trimmed).then(|| trimmed.to_owned());
    }
    let other = trimmed.replace(['_', '.', ':', '-'], "/");
    is_type(&other).then_some(other)
}

/// `provider/service/type`, `provider/type` or CloudFormation's `Provider::Service::Type`.
pub(super) fn is_type(text: &str) -> bool {
    let parts: Vec<&str> = if text.contains("::") {
        text.split("::").collect()
    } else {
        text.split('/').collect()
    };
    let most = if text.contains("::") { 4 } else { 3 };
    (2..=most).contains(&parts.len()) && parts.iter().all(|part| crate::substitution::is_quoted_name(part))
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
    if let Some(map) = fields.value("labels") {
        labels::check_fixed(context, map, "`labels`", "a label", codes::SUBSTITUTION_IN_LABEL);
    }
    if let Some(custom) = fields.value("custom") {
        context.map(custom, "`custom`");
    }
    // Labels that hold substitutions are refused above: they must not be judged again as templates.
    let Data::Map(entries) = &node.data else {
        return Template::empty(node.span);
    };
    let known = entries
        .iter()
        .filter(|entry| METADATA.keys.contains(&entry.key.text.as_str()));
    let (fixed, open): (Vec<_>, Vec<_>) = known.cloned().partition(|entry| entry.key.text == "labels");
    let mut template = context.template(
        &Node {
            span: node.span,
            data: Data::Map(open),
        },
        owner,
    );
    for labels in fixed {
        template.insert(&labels.key, labels::fixed_template(&labels.value));
    }
    template
}

fn link_selector(context: &mut Context<'_>, node: &Node, owner: Span) -> Option<LinkSelector> {
    let fields = context.fields(node, &LINK_SELECTOR, owner)?;
    let by_label = context.required(fields, "byLabel")?;
    let sound = labels::check_fixed(
        context,
        by_label,
        "`byLabel`",
        "a label of a link selector",
        codes::SUBSTITUTION_IN_LINK_SELECTOR,
    );
    if matches!(&by_label.data, Data::Map(entries) if entries.is_empty()) {
        let message = "`byLabel` is empty: it would select every resource";
        let finding = Diagnostic::error(codes::EMPTY_LINK_SELECTOR, by_label.span, message);
        context.report(finding.help("name the labels that they have, or remove the selector"));
    }
    let labels = labels::read(by_label);
    (sound && !labels.is_empty()).then(|| LinkSelector {
        by_label: labels.into(),
        span: by_label.span,
    })
}
