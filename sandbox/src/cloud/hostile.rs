//! Reads as the less tidy services answer them: what a client has to live with.
//!
//! ```text
//! stored -> spelt the service's way -> defaults filled in, arrays shuffled -> `aws:` tags -> artefacts -> read
//! ```
//!
//! An update works on what was read. What only a read shows is taken out again before the rest is kept, and a
//! service's own refusal of its own artefacts ([`refusal`]) makes the update fail: the client must have taken
//! them out.

mod artefacts;
mod defaults;
mod spelling;

pub(crate) use artefacts::refusal;

use fastrand::Rng;
use formwork_schema::{ResourceSchema, Tagging};
use serde_json::{Map, Value, json};

/// Turns what is stored into what is read.
pub(crate) fn distort(schema: &ResourceSchema, model: &mut Value, rng: &mut Rng) {
    spelling::change(schema, model);
    defaults::fill_in_and_shuffle(schema, model, rng);
    let valid = Valid::at_least(schema, model);
    artefacts::add_refused(schema, model);
    if !artefacts::shows_empty_tags(schema) {
        valid.keep(model, |model| tag(schema, model));
    }
    artefacts::add_empty(schema, model, &valid);
}

/// Takes out of a patched model what only the read has put there.
pub(crate) fn restore(schema: &ResourceSchema, model: &mut Value) {
    artefacts::remove(schema, model);
    untag(schema, model);
}

/// Holds what is added to a read to what the schema allows: most services keep to that.
struct Valid<'a> {
    schema: &'a ResourceSchema,
    /// Errors that were there before: write-only values are required, but never read.
    known: Vec<String>,
}

impl<'a> Valid<'a> {
    fn at_least(schema: &'a ResourceSchema, model: &Value) -> Self {
        let known = errors(schema, model);
        Valid { schema, known }
    }

    /// Makes a change if it leads to no new error; true if it was made.
    fn keep(&self, model: &mut Value, change: impl FnOnce(&mut Value)) -> bool {
        let mut changed = model.clone();
        change(&mut changed);
        let fits = errors(self.schema, &changed)
            .iter()
            .all(|error| self.known.contains(error));
        if fits {
            *model = changed;
        }
        fits
    }
}

fn errors(schema: &ResourceSchema, model: &Value) -> Vec<String> {
    schema
        .validate_model(model)
        .into_iter()
        .map(|error| error.text)
        .collect()
}

const STACK_TAG: &str = "aws:cloudformation:stack-name";

/// Adds the tag that a stack leaves behind, whether there are others or not.
fn tag(schema: &ResourceSchema, model: &mut Value) {
    let Some(members) = model.as_object_mut() else {
        return;
    };
    match schema.tagging() {
        Tagging::KeyValueList(pointer) if !schema.write_only().contains(&pointer) => {
            if let [property] = pointer.segments()
                && let Value::Array(tags) = members.entry(property.as_str()).or_insert(json!([]))
            {
                tags.push(json!({"Key": STACK_TAG, "Value": "another-stack"}));
            }
        }
        Tagging::Map(pointer) if !schema.write_only().contains(&pointer) => {
            if let [property] = pointer.segments()
                && let Value::Object(tags) = members.entry(property.as_str()).or_insert(json!({}))
            {
                tags.insert(STACK_TAG.into(), json!("another-stack"));
            }
        }
        _ => {}
    }
}

fn untag(schema: &ResourceSchema, model: &mut Value) {
    let (Tagging::KeyValueList(pointer) | Tagging::Map(pointer)) = schema.tagging() else {
        return;
    };
    let ([property], Some(members)) = (pointer.segments(), model.as_object_mut()) else {
        return;
    };
    let emptied = match members.get_mut(property) {
        Some(Value::Array(tags)) => {
            let before = tags.len();
            tags.retain(|tag| tag.get("Key") != Some(&json!(STACK_TAG)));
            tags.is_empty() && before > 0
        }
        Some(Value::Object(tags)) => tags.shift_remove(STACK_TAG).is_some() && tags.is_empty(),
        _ => false,
    };
    if emptied {
        members.shift_remove(property);
    }
}

/// The value at the end of a `$ref`, or the shape itself.
fn resolve<'a>(document: &'a Value, shape: &'a Value) -> &'a Value {
    shape
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| document.pointer(path.strip_prefix('#')?))
        .unwrap_or(shape)
}

/// The object at a path of members.
fn object<'a>(model: &'a mut Value, path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    path.iter()
        .try_fold(model, |node, name| node.get_mut(*name))
        .and_then(Value::as_object_mut)
}
