//! Reads as the less tidy services answer them: what a client has to live with.

use fastrand::Rng;
use formwork_schema::{ResourceSchema, Tagging};
use serde_json::{Value, json};

/// Fills in the schema's defaults, shuffles arrays whose order has no meaning, and adds an `aws:` tag.
pub(crate) fn distort(schema: &ResourceSchema, model: &mut Value, rng: &mut Rng) {
    let document = schema.document();
    tag(schema, model);
    if let Some(properties) = document.get("properties") {
        walk(document, properties, model, rng, 0);
    }
}

/// Deeper than any schema in use; `$ref` cycles end here.
const DEEPEST: usize = 24;

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

fn resolve<'a>(document: &'a Value, shape: &'a Value) -> &'a Value {
    shape
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| document.pointer(path.strip_prefix('#')?))
        .unwrap_or(shape)
}

fn fits(shape: &Value, default: &Value) -> bool {
    match shape.get("type").and_then(Value::as_str) {
        Some("string") => default.is_string(),
        Some("integer" | "number") => default.is_number(),
        Some("boolean") => default.is_boolean(),
        _ => false,
    }
}

fn tag(schema: &ResourceSchema, model: &mut Value) {
    let name = "aws:cloudformation:stack-name";
    match schema.tagging() {
        Tagging::KeyValueList(pointer) => {
            if let [property] = pointer.segments()
                && let Some(Value::Array(tags)) = model.get_mut(property)
            {
                tags.push(json!({"Key": name, "Value": "another-stack"}));
            }
        }
        Tagging::Map(pointer) => {
            if let [property] = pointer.segments()
                && let Some(Value::Object(tags)) = model.get_mut(property)
            {
                tags.insert(name.into(), json!("another-stack"));
            }
        }
        Tagging::None => {}
    }
}
