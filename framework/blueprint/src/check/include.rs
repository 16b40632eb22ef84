//! The section `include`: its shape and where substitutions may stand.

use super::context::{Context, Owner, Section};
use super::habits;
use crate::syntax::{Entry, Node, ScalarKind};
use crate::{Diagnostic, codes};

const INCLUDE: Section = Section {
    name: "an include",
    keys: &["path", "variables", "metadata", "description"],
    hints: habits::INCLUDE,
    form: "core: {path: core.yaml}",
};

pub(super) fn check(context: &mut Context<'_>, node: &Node) {
    for entry in context.map(node, "`include`").unwrap_or_default() {
        context.name(&entry.key, "an include");
        child(context, entry);
    }
}

fn child(context: &mut Context<'_>, entry: &Entry) {
    let name = entry.key.text.as_str();
    let owner = Owner::Child(name);
    let Some(fields) = context.fields(&entry.value, &INCLUDE, entry.key.span) else {
        return;
    };
    if let Some(path) = context.required(fields, "path") {
        context.text_template(path, "an include's `path`", Owner::ChildPath(name));
        if path
            .scalar()
            .is_some_and(|scalar| scalar.kind == ScalarKind::String && scalar.text.trim().is_empty())
        {
            let message = "an include's `path` is empty";
            context.report(Diagnostic::error(codes::EMPTY_PATH, path.span, message));
        }
    }
    if let Some(variables) = fields.value("variables") {
        for entry in context
            .map(variables, "an include's `variables`")
            .unwrap_or_default()
        {
            if entry
                .value
                .scalar()
                .is_none_or(|scalar| scalar.kind == ScalarKind::Null)
            {
                context.wrong_shape(
                    &entry.value,
                    "a variable's value",
                    "a string, a number or a boolean",
                );
            }
        }
        context.template(variables, owner);
    }
    if let Some(metadata) = fields.value("metadata") {
        context.map(metadata, "an include's `metadata`");
        context.template(metadata, owner);
    }
    if let Some(description) = fields.value("description") {
        context.text_template(description, "an include's description", owner);
    }
}
