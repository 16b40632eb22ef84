//! The document as a whole: its sections, version, transform and metadata.

use super::context::{Context, Fields, Owner, Section};
use super::habits;
use super::{cycles, datasources, exports, include, resources, variables};
use crate::spelling::{did_you_mean, shown};
use crate::syntax::{Data, Entry, Node};
use crate::{Blueprint, Diagnostic, Severity, Span, Template, Transform, codes, links};
use indexmap::IndexMap;

const DOCUMENT: Section = Section {
    name: "a blueprint",
    keys: &[
        "version",
        "transform",
        "variables",
        "datasources",
        "resources",
        "include",
        "exports",
        "metadata",
    ],
    hints: habits::DOCUMENT,
    form: "version: 2023-04-20",
};

/// The versions that came after the one that is supported.
const LATER_VERSIONS: [&str; 3] = ["2025-02-01", "2025-05-12", "2025-11-02"];

/// The section that a top-level key was probably meant to be, if it is none.
pub(super) fn section_meant(entry: &Entry) -> Option<&'static str> {
    DOCUMENT.misspelling(entry)
}

/// Reads all sections. Answers something whenever the document is a map; the findings decide its worth.
pub(super) fn read(context: &mut Context<'_>, root: &Node, transforms: Vec<Transform>) -> Option<Blueprint> {
    let start = Span::new(root.span.start, root.span.start);
    if !matches!(root.data, Data::Map(_)) {
        context.wrong_shape(root, "a blueprint", "a map");
        return None;
    }
    if let Some(finding) = later_version(context, root) {
        context.report(finding);
        return None;
    }
    let fields = context.fields(root, &DOCUMENT, start)?;
    misspelt_transform(context, root);
    let version = version(context, fields);
    let variables = fields
        .value("variables")
        .map(|node| variables::read(context, node))
        .unwrap_or_default();
    let data_sources = fields
        .value("datasources")
        .map(|node| datasources::read(context, node))
        .unwrap_or_default();
    let resources = read_resources(context, fields);
    let children = fields
        .value("include")
        .map(|node| include::read(context, node))
        .unwrap_or_default();
    let exports = fields
        .value("exports")
        .map(|node| exports::read(context, node))
        .unwrap_or_default();
    let metadata = match fields.value("metadata") {
        Some(node) => {
            context.map(node, "`metadata`");
            context.template(node, Owner::None)
        }
        None => Template::empty(start),
    };
    let (links, odd) = links::links(&resources);
    cycles::check(context, &links);

    // A resource that could not be read may have the labels that are missed.
    let sound = context.is_sound();
    odd.into_iter()
        .filter(|finding| sound || finding.severity == Severity::Error)
        .for_each(|finding| context.report(finding));
    Some(Blueprint {
        version: version.unwrap_or_default(),
        transforms,
        variables,
        data_sources,
        resources,
        children,
        links,
        exports,
        metadata,
        functions: context.language.functions.clone(),
        inline: context.is_inline(),
    })
}

/// The specification's own example of what transforms may not be writes `transforms`: both mistakes are told.
fn misspelt_transform(context: &mut Context<'_>, root: &Node) {
    let Data::Map(entries) = &root.data else { return };
    for entry in entries
        .iter()
        .filter(|entry| section_meant(entry) == Some("transform"))
    {
        let code = codes::SUBSTITUTION_IN_TRANSFORM;
        context.refuse_all_substitutions(&entry.value, "a transform", code);
    }
}

/// What a later version means cannot be judged by the rules of this one: it is told, and nothing else.
fn later_version(context: &Context<'_>, root: &Node) -> Option<Diagnostic> {
    let Data::Map(entries) = &root.data else {
        return None;
    };
    let version = entries.iter().find(|entry| entry.key.text == "version")?;
    let text = version.value.scalar()?.text.as_str();
    LATER_VERSIONS.contains(&text).then(|| {
        let supported = context.language.version;
        let message = format!("unsupported version `{text}`");
        Diagnostic::error(codes::UNSUPPORTED_VERSION, version.value.span, message).help(format!(
            "the supported version is `{supported}`: nothing else was checked, because `{text}` has other rules"
        ))
    })
}

fn version(context: &mut Context<'_>, fields: Fields<'_>) -> Option<String> {
    let supported = context.language.version;
    let Some(node) = fields.value("version") else {
        if fields.misspelt("version") {
            return None;
        }
        let message = "a blueprint needs `version`";
        let finding = Diagnostic::error(codes::MISSING_KEY, fields.owner, message);
        context.report(finding.help(format!("start with `version: {supported}`")));
        return None;
    };
    let found = context.fixed_text(node, "`version`", codes::SUBSTITUTION_IN_VERSION)?;
    if found == supported {
        return Some(found);
    }
    let message = format!("unsupported version `{}`", shown(&found));
    let finding = Diagnostic::error(codes::UNSUPPORTED_VERSION, node.span, message);
    let help = did_you_mean(&found, [supported]);
    context.report(finding.help(help.unwrap_or_else(|| format!("the supported version is `{supported}`"))));
    None
}

fn read_resources(context: &mut Context<'_>, fields: Fields<'_>) -> IndexMap<String, crate::Resource> {
    let includes = fields.get("include").is_some();
    let Some(entry) = fields.get("resources") else {
        if !includes && !fields.misspelt("resources") {
            let message = "a blueprint needs `resources`";
            let finding = Diagnostic::error(codes::MISSING_RESOURCES, fields.owner, message);
            context.report(finding.help("only a blueprint with `include` can do without"));
        }
        return IndexMap::new();
    };
    let Some(entries) = context.map(&entry.value, "`resources`") else {
        return IndexMap::new();
    };
    if entries.is_empty() && !includes {
        let finding = Diagnostic::error(codes::MISSING_RESOURCES, entry.key.span, "`resources` is empty");
        context.report(finding.help("only a blueprint with `include` can do without"));
    }
    resources::read(context, entries)
}
