//! The schema's defaults filled in, and arrays whose order has no meaning shuffled.

use super::resolve;
use fastrand::Rng;
use formwork_schema::ResourceSchema;
use serde_json::{Value, json};

/// Deeper than any schema in use; `$ref` cycles end here.
const DEEPEST: usize = 24;

pub(super) fn fill_in_and_shuffle(schema: &ResourceSchema, model: &mut Value, rng: &mut Rng) {
    let document = schema.document();
    if let Some(properties) = document.get("properties") {
        walk(document, properties, model, rng, 0);
    }
}

fn walk(document: &Value, properties: &Value, node: &mut Value, rng: &mut Rng, depth: usize) {
    let (Some(properties), Some(members)) = (properties.as_object(), node.as_object_mut()) else {
        return;
    };
    if depth > DEEPEST {
        return;
    }
    for (name, shape) in properties {
        let target = resolve(document, shape);
        let default = shape.get("default").or_else(|| target.get("default"));
        match members.get_mut(name) {
            // Mistyped defaults (null, "true") occur in the schemas; a read never shows them.
            None => {
                if let Some(default) = default.filter(|default| fits(target, default)) {
                    members.insert(name.clone(), default.clone());
                }
            }
            Some(Value::Array(items)) => {
                if shape
                    .get("insertionOrder")
                    .or_else(|| target.get("insertionOrder"))
                    == Some(&json!(false))
                {
                    rng.shuffle(items);
                }
                if let Some(nested) = target
                    .get("items")
                    .and_then(|items| resolve(document, items).get("properties"))
                {
                    items
                        .iter_mut()
                        .for_each(|item| walk(document, nested, item, rng, depth + 1));
                }
            }
            Some(value) => {
                if let Some(nested) = target.get("properties") {
                    walk(document, nested, value, rng, depth + 1);
                }
            }
        }
    }
}

fn fits(shape: &Value, default: &Value) -> bool {
    match shape.get("type").and_then(Value::as_str) {
        Some("string") => default.is_string(),
        Some("integer" | "number") => default.is_number(),
        Some("boolean") => default.is_boolean(),
        _ => false,
    }
}
