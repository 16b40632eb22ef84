//! Labels, link selectors and annotations: maps of names to scalars.

use super::context::Context;
use crate::substitution::{find_opening, unescape};
use crate::syntax::{Data, Node, ScalarKind};
use crate::{Template, template};
use indexmap::IndexMap;

/// A map of strings that allows no substitutions, and whether it is one. Numbers and booleans are taken as
/// they are written.
pub(super) fn check_fixed(
    context: &mut Context<'_>,
    node: &Node,
    map: &str,
    what: &str,
    code: &'static str,
) -> bool {
    let Some(entries) = context.map(node, map) else {
        return false;
    };
    let mut sound = true;
    for entry in entries {
        if find_opening(&entry.key.text).is_some() {
            context.report(template::substitution_in_key(entry.key.span, &entry.key.text));
            sound = false;
        }
        sound &= context.fixed_text(&entry.value, what, code).is_some();
    }
    sound
}

/// A map of scalars; substitutions are judged with the rest of the metadata.
pub(super) fn check_annotations(context: &mut Context<'_>, node: &Node) {
    for entry in context.map(node, "`annotations`").unwrap_or_default() {
        let scalar = entry
            .value
            .scalar()
            .is_some_and(|scalar| scalar.kind != ScalarKind::Null);
        if !scalar {
            context.wrong_shape(&entry.value, "an annotation", "a string, a number or a boolean");
        }
    }
}

/// Labels as they are written, without those that are no scalars: these are reported.
pub(super) fn read(node: &Node) -> IndexMap<String, String> {
    let Data::Map(entries) = &node.data else {
        return IndexMap::new();
    };
    let labels = entries.iter().filter_map(|entry| {
        let scalar = entry.value.scalar()?;
        Some((entry.key.text.to_string(), unescape(&scalar.text).into_owned()))
    });
    labels.collect()
}

/// Labels as a template: every value is a string, whatever it looks like.
pub(super) fn fixed_template(node: &Node) -> Template {
    let Data::Map(entries) = &node.data else {
        return Template::empty(node.span);
    };
    let mut template = Template::empty(node.span);
    for entry in entries {
        let text = entry
            .value
            .scalar()
            .map(|scalar| unescape(&scalar.text))
            .unwrap_or_default();
        template.insert(&entry.key, Template::text(entry.value.span, text));
    }
    template
}
