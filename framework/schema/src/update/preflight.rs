//! What Cloud Control would say to a patch, before it is sent.

use super::Reason;
use super::changes::Draft;
use super::diff::FIXED;
use crate::number::canonical;
use crate::pointer::strip;
use crate::rules::Kinds;
use crate::tags::{is_reserved, tag_key};
use crate::{ModelError, ResourceSchema};
use json_patch::{AddOperation, Patch, PatchOperation, ReplaceOperation, TestOperation};
use serde_json::Value;
use std::collections::HashMap;

/// Characters that Cloud Control takes as a patch document or a desired state.
pub(super) const DOCUMENT_LIMIT: usize = 262_144;

/// Applies a patch to a live model as Cloud Control does, and says what it would refuse about it: operations
/// that do not apply, create-only and read-only properties that would change, a document that is too long, and
/// a result that does not fit the schema. Empty if nothing is known to be wrong.
///
/// That the result does not fit may be the fault of a schema older than the service's: it is a reason to warn,
/// not to give up.
pub fn preflight(schema: &ResourceSchema, live: &Value, patch: &Patch) -> Vec<Reason> {
    let before = strip(live, schema.write_only());
    let mut after = before.clone();
    if let Err(error) = json_patch::patch(&mut after, patch) {
        return vec![Reason {
            pointer: error.path.to_string(),
            message: format!("the operation does not apply to the live model: {}", error.kind),
        }];
    }
    let draft = Draft {
        patch: patch.clone(),
        model: after,
    };
    let mut reasons = changed(schema, &before, &draft.model);
    reasons.extend(too_long(&draft.patch));
    let misfits = schema.validate_model(&draft.model);
    let misfits = misfits
        .into_iter()
        .filter(|misfit| !is_of_aws(&draft.model, &misfit.pointer));
    reasons.extend(misfits.map(|ModelError { pointer, text, .. }| {
        // The text begins with the pointer, which stands for itself here.
        let what = text.split_once(": ").map_or(text.as_str(), |(_, what)| what);
        Reason {
            message: format!("Cloud Control would refuse the result: {what}"),
            pointer,
        }
    }));
    reasons
}

/// True for a part of a tag that AWS has set itself: many schemas forbid its key, to authors.
fn is_of_aws(model: &Value, pointer: &str) -> bool {
    let tag = pointer.rsplit_once('/').and_then(|(tag, _)| model.pointer(tag));
    tag.and_then(tag_key).is_some_and(is_reserved)
}

/// The create-only and read-only properties that would have another value. One that goes together with the
/// element of an array that held it is not changed.
pub(super) fn changed(schema: &ResourceSchema, before: &Value, after: &Value) -> Vec<Reason> {
    let rule = schema.rules().root();
    if !rule.holds(FIXED) {
        return Vec::new();
    }
    let lists = [
        (
            Kinds::READ_ONLY,
            schema.read_only(),
            "the patch would change a read-only property",
        ),
        (
            Kinds::CREATE_ONLY,
            schema.create_only(),
            "the patch would change a create-only property",
        ),
    ];
    let mut reasons = Vec::new();
    for (kind, pointers, message) in lists {
        let found = rule.values(before, kind);
        let left = rule.values(after, kind);
        // Most often none is touched, and then the two are the same one by one.
        if found == left {
            continue;
        }
        let changed = pointers.iter().filter(|pointer| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for value in crate::select(pointer, before) {
                *counts.entry(canonical(value)).or_default() += 1;
            }
            let is_new = |value: &&Value| match counts.get_mut(&canonical(value)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            };
            let lost = crate::select(pointer, after).is_empty()
                && !pointer.segments().iter().any(|part| part == "*");
            crate::select(pointer, after).iter().any(is_new)
                || (lost && !crate::select(pointer, before).is_empty())
        });
        reasons.extend(changed.map(|pointer| Reason {
            pointer: crate::pointer::join(pointer.segments()),
            message: message.to_owned(),
        }));
    }
    reasons
}

pub(super) fn too_long(patch: &Patch) -> Option<Reason> {
    // Only what may be too long is written out to be counted.
    let operations = patch.0.iter().map(|operation| {
        let value = match operation {
            PatchOperation::Add(AddOperation { value, .. })
            | PatchOperation::Replace(ReplaceOperation { value, .. })
            | PatchOperation::Test(TestOperation { value, .. }) => longest(value),
            _ => 0,
        };
        // `{"op":"replace","path":"","value":},`
        value + 6 * operation.path().len() + 40
    });
    if operations.sum::<usize>() < DOCUMENT_LIMIT {
        return None;
    }
    let length = patch.to_string().chars().count();
    (length > DOCUMENT_LIMIT).then(|| Reason {
        pointer: String::new(),
        message: format!(
            "the patch has {length} characters, and Cloud Control takes {DOCUMENT_LIMIT}: make the values smaller or \
             keep them elsewhere"
        ),
    })
}

/// The characters that a value has at most when it is written out; one of a text may become `\u0000`.
fn longest(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => 6 * text.len() + 2,
        Value::Array(elements) => elements.iter().map(|element| longest(element) + 1).sum::<usize>() + 2,
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, member)| 6 * key.len() + longest(member) + 4)
                .sum::<usize>()
                + 2
        }
    }
}
