//! The section `include`.

use super::context::{Context, Owner, Section};
use super::{habits, references};
use crate::syntax::{Entry, Node, ScalarKind};
use crate::{Child, Diagnostic, Template, codes};
use indexmap::IndexMap;

const INCLUDE: Section = Section {
    name: "an include",
    keys: &["path", "variables", "metadata", "description"],
    hints: habits::INCLUDE,
    form: "core: {path: core.yaml}",
};

pub(super) fn read(context: &mut Context<'_>, node: &Node) -> IndexMap<String, Child> {
    let entries = context.map(node, "`include`").unwrap_or_default();
    let children = entries.iter().filter_map(|entry| {
        context.name(&entry.key, "an include");
        child(context, entry).map(|child| (entry.key.text.to_string(), child))
    });
    children.collect()
}

fn child(context: &mut Context<'_>, entry: &Entry) -> Option<Child> {
    let (name, span) = (entry.key.text.as_ref(), entry.key.span);
    let owner = Owner::Child(name);
    let fields = context.fields(&entry.value, &INCLUDE, span)?;
    let path = context
        .required(fields, "path")
        .and_then(|node| path(context, node, name));
    let variables = match fields.value("variables") {
        Some(node) => variables(context, node, owner),
        None => Template::empty(span),
    };
    let metadata = match fields.value("metadata") {
        Some(node) if !node.is_null() => {
            context.map(node, "an include's `metadata`");
            context.template(node, owner)
        }
        _ => Template::empty(span),
    };
    let description = fields
        .value("description")
        .and_then(|node| context.text_template(node, "an include's description", owner));
    let path = path?;
    let mut depends_on = references::dependencies(Owner::ChildPath(name), [&path]);
    let others = [&variables, &metadata].into_iter().chain(&description);
    depends_on.join(references::dependencies(owner, others));
    Some(Child {
        path,
        variables,
        metadata,
        description,
        span,
        depends_on,
        interface: None,
    })
}

fn path(context: &mut Context<'_>, node: &Node, name: &str) -> Option<Template> {
    let template = context.text_template(node, "an include's `path`", Owner::ChildPath(name))?;
    if node.scalar().is_some_and(|scalar| scalar.text.trim().is_empty()) {
        let message = "an include's `path` is empty";
        let finding = Diagnostic::error(codes::EMPTY_PATH, node.span, message);
        context.report(finding.help("say where the child is, as in `path: core.yaml`"));
    }
    Some(template)
}

fn variables(context: &mut Context<'_>, node: &Node, owner: Owner<'_>) -> Template {
    if node.is_null() {
        return Template::empty(node.span);
    }
    for entry in context.map(node, "an include's `variables`").unwrap_or_default() {
        let scalar = entry.value.scalar();
        if scalar.is_none_or(|scalar| scalar.kind == ScalarKind::Null) {
            let expected = "a string, a number or a boolean";
            context.wrong_shape(&entry.value, "a variable's value", expected);
        }
    }
    context.template(node, owner)
}
