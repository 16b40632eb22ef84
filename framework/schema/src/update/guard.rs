//! Tests that keep a patch from overwriting what has changed since the resource was read.

use super::changes::test;
use super::same::is_ordered;
use crate::ResourceSchema;
use crate::pointer::split;
use crate::view::View;
use json_patch::{Patch, PatchOperation};
use serde_json::Value;

/// Puts a `test` in front for every live value that the patch replaces or removes, all of them before the first
/// change. Values with unordered lists are left out: another read may show them in another order.
pub(super) fn add_tests(schema: &ResourceSchema, live: &Value, patch: &mut Patch) {
    let tests: Vec<PatchOperation> = patch
        .0
        .iter()
        .filter_map(|operation| {
            let pointer = operation.path().to_string();
            let value = live.pointer(&pointer)?;
            let view = schema.view().at(&split(&pointer));
            is_shown_alike(&view, value).then(|| test(&pointer, value.clone()))?
        })
        .collect();
    patch.0.splice(0..0, tests);
}

/// True if every read shows the value in the same way.
fn is_shown_alike(view: &View<'_>, value: &Value) -> bool {
    match value {
        Value::Array(elements) => {
            let items = view.items();
            (elements.len() < 2 || is_ordered(view))
                && elements.iter().all(|element| is_shown_alike(&items, element))
        }
        Value::Object(members) => members
            .iter()
            .all(|(key, member)| is_shown_alike(&view.member(key), member)),
        _ => true,
    }
}
