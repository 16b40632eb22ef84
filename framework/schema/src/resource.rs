//! One resource type's schema.

use crate::capabilities::Handlers;
use crate::pattern::Patterns;
use crate::rules::{Kinds, Rules};
use crate::transform::Transform;
use crate::view::View;
use crate::{PropertyPointer, Tagging, select};
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("schema of {type_name}: {message}")]
pub struct SchemaError {
    /// The type, as far as known.
    pub type_name: String,
    /// What is wrong.
    pub message: String,
}

/// A resource type's schema, parsed once and shared.
#[derive(Debug)]
pub struct ResourceSchema {
    pub(crate) type_name: String,
    pub(crate) document: Value,
    pub(crate) handlers: Handlers,
    pub(crate) primary_identifier: Vec<PropertyPointer>,
    pub(crate) read_only: Vec<PropertyPointer>,
    pub(crate) write_only: Vec<PropertyPointer>,
    pub(crate) create_only: Vec<PropertyPointer>,
    pub(crate) conditional_create_only: Vec<PropertyPointer>,
    pub(crate) patterns: Patterns,
    rules: Rules,
    tagging: OnceLock<Tagging>,
}

impl ResourceSchema {
    /// Reads a schema document as CloudFormation publishes it. Pointers that cannot be read, or that lead
    /// to nothing, are dropped: one bad pointer does not make a type unusable.
    ///
    /// # Errors
    /// When the document has no `typeName` or `properties`.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let error = |type_name: &str, message: String| SchemaError {
            type_name: type_name.to_owned(),
            message,
        };
        let document: Value =
            serde_json::from_str(text).map_err(|cause| error("an unnamed type", cause.to_string()))?;
        let Some(type_name) = document
            .get("typeName")
            .and_then(Value::as_str)
            .map(str::to_owned)
        else {
            return Err(error("an unnamed type", "expected a `typeName`".to_owned()));
        };
        if !document.get("properties").is_some_and(Value::is_object) {
            return Err(error(&type_name, "expected an object `properties`".to_owned()));
        }
        let handler = |name: &str| document.pointer(&format!("/handlers/{name}")).is_some();
        let mut schema = Self {
            handlers: Handlers {
                create: handler("create"),
                read: handler("read"),
                update: handler("update"),
                delete: handler("delete"),
                list: handler("list"),
            },
            primary_identifier: pointers(&document, "primaryIdentifier"),
            read_only: pointers(&document, "readOnlyProperties"),
            write_only: pointers(&document, "writeOnlyProperties"),
            create_only: pointers(&document, "createOnlyProperties"),
            conditional_create_only: pointers(&document, "conditionalCreateOnlyProperties"),
            patterns: Patterns::default(),
            rules: Rules::new(),
            tagging: OnceLock::new(),
            type_name,
            document,
        };
        schema.rules = rules(&schema);
        Ok(schema)
    }

    /// `AWS::SQS::Queue`
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// The whole document.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Handlers.
    pub fn handlers(&self) -> Handlers {
        self.handlers
    }

    /// Primary identifier, in order.
    pub fn primary_identifier(&self) -> &[PropertyPointer] {
        &self.primary_identifier
    }

    /// Read-only properties.
    pub fn read_only(&self) -> &[PropertyPointer] {
        &self.read_only
    }

    /// Write-only properties.
    pub fn write_only(&self) -> &[PropertyPointer] {
        &self.write_only
    }

    /// Create-only properties.
    pub fn create_only(&self) -> &[PropertyPointer] {
        &self.create_only
    }

    /// Properties that can be updated only under some conditions.
    pub fn conditional_create_only(&self) -> &[PropertyPointer] {
        &self.conditional_create_only
    }

    /// The primary identifier as Cloud Control wants it (values joined by `|`, JSON where a value has a
    /// `|`), if every part is present.
    pub fn identifier(&self, properties: &Value) -> Option<String> {
        let mut parts = Vec::new();
        for pointer in &self.primary_identifier {
            let text = match select(pointer, properties).first()? {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => return None,
            };
            parts.push((pointer.segments().last()?, text));
        }
        if parts.len() > 1 && parts.iter().any(|(_, text)| text.contains('|')) {
            let object: Map<String, Value> = parts
                .into_iter()
                .map(|(name, text)| (name.clone(), Value::String(text)))
                .collect();
            return Some(Value::Object(object).to_string());
        }
        let texts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        (!texts.is_empty()).then(|| texts.join("|"))
    }

    /// Minutes an operation (`create`, `update`, `delete`) may take by the schema (default 120).
    pub fn timeout_minutes(&self, operation: &str) -> u32 {
        let declared = self
            .document
            .pointer(&format!("/handlers/{operation}/timeoutInMinutes"));
        declared
            .and_then(Value::as_u64)
            .and_then(|minutes| u32::try_from(minutes).ok())
            .unwrap_or(120)
    }

    /// True if create must follow delete on replacement (`replacementStrategy: delete_then_create`).
    pub fn deletes_first(&self) -> bool {
        self.document
            .get("replacementStrategy")
            .is_some_and(|strategy| strategy == "delete_then_create")
    }

    /// The lists of pointers as one tree.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How the type takes tags, found out once.
    pub(crate) fn tagging_once(&self) -> &Tagging {
        self.tagging.get_or_init(|| self.tagging())
    }

    /// What the schema says about the resource as a whole.
    pub(crate) fn view(&self) -> View<'_> {
        View::of(&self.document)
    }
}

fn rules(schema: &ResourceSchema) -> Rules {
    let mut rules = Rules::new();
    rules.add(&schema.read_only, Kinds::READ_ONLY);
    rules.add(&schema.write_only, Kinds::WRITE_ONLY);
    rules.add(&schema.create_only, Kinds::CREATE_ONLY);
    rules.add(&schema.conditional_create_only, Kinds::CONDITIONAL);
    let root = schema.view();
    let transforms = schema
        .document
        .get("propertyTransform")
        .and_then(Value::as_object);
    for (text, expression) in transforms.into_iter().flatten() {
        let pointer = PropertyPointer::parse(text).ok();
        if let (Some(pointer), Some(expression)) = (
            pointer.and_then(|pointer| plain(&root, &pointer)),
            expression.as_str(),
        ) {
            // Alternatives that cannot be read make nothing equal.
            let (transform, _) = Transform::parse(&pointer, expression);
            rules.add_transform(&pointer, transform);
        }
    }
    rules
}

/// A list of pointers, made plain: each leads to something, has a `*` for every array, and comes once.
fn pointers(document: &Value, keyword: &str) -> Vec<PropertyPointer> {
    let mut list = Vec::new();
    let root = View::of(document);
    for text in document
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let read = text.as_str().and_then(|text| PropertyPointer::parse(text).ok());
        if let Some(pointer) = read.and_then(|pointer| plain(&root, &pointer))
            && !list.contains(&pointer)
        {
            list.push(pointer);
        }
    }
    list
}

fn plain(root: &View<'_>, pointer: &PropertyPointer) -> Option<PropertyPointer> {
    let mut segments = Vec::new();
    let mut view = root.clone();
    for segment in pointer.segments() {
        if segment == "*" {
            view = if view.has("items") {
                view.items()
            } else {
                view.map_values()
            };
        } else {
            while view.property(segment).is_none() && view.has("items") {
                view = view.items();
                segments.push("*".to_owned());
            }
            view = view
                .property(segment)
                .or_else(|| view.is_map().then(|| view.map_values()))?;
        }
        segments.push(segment.clone());
    }
    Some(PropertyPointer::of(segments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(document: Value) -> ResourceSchema {
        ResourceSchema::parse(&document.to_string()).unwrap()
    }

    #[test]
    fn a_document_without_name_or_properties_is_refused() {
        for (text, message) in [
            (
                "",
                "schema of an unnamed type: EOF while parsing a value at line 1 column 0",
            ),
            ("{}", "schema of an unnamed type: expected a `typeName`"),
            (
                r#"{"typeName": "A::B::C"}"#,
                "schema of A::B::C: expected an object `properties`",
            ),
            (
                r#"{"typeName": "A::B::C", "properties": []}"#,
                "schema of A::B::C: expected an object `properties`",
            ),
        ] {
            assert_eq!(ResourceSchema::parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn pointers_are_made_plain_and_bad_ones_dropped() {
        let schema = schema(json!({
            "typeName": "A::B::C",
            "properties": {
                "Tags": {"type": "array", "items": {"type": "object", "properties": {"Key": {}}}},
                "Id": {},
            },
            "readOnlyProperties": ["/properties/Tags/Key", "/properties/Tags/*/Key", "/properties/Nowhere", "nonsense", 3, "/properties/Id"],
        }));
        let texts: Vec<String> = schema.read_only().iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["/properties/Tags/*/Key", "/properties/Id"]);
    }

    #[test]
    fn identifiers_join_their_parts() {
        let pair = schema(json!({
            "typeName": "A::B::C", "properties": {"X": {}, "Y": {}},
            "primaryIdentifier": ["/properties/X", "/properties/Y"],
        }));
        assert_eq!(
            pair.identifier(&json!({"Y": 2, "X": "a"})).as_deref(),
            Some("a|2")
        );
        assert_eq!(
            pair.identifier(&json!({"Y": "b|c", "X": "a"})).as_deref(),
            Some(r#"{"X":"a","Y":"b|c"}"#)
        );
        assert_eq!(pair.identifier(&json!({"X": "a"})), None);
        let single = schema(
            json!({"typeName": "A::B::C", "properties": {"X": {}}, "primaryIdentifier": ["/properties/X"]}),
        );
        assert_eq!(single.identifier(&json!({"X": "a|b"})).as_deref(), Some("a|b"));
        let none = schema(json!({"typeName": "A::B::C", "properties": {"X": {}}}));
        assert_eq!(none.identifier(&json!({"X": "a"})), None);
    }

    #[test]
    fn facts_of_a_real_type_are_read() {
        let queue = crate::load("AWS::SQS::Queue").unwrap().unwrap();
        assert_eq!(
            queue.handlers(),
            Handlers {
                create: true,
                read: true,
                update: true,
                delete: true,
                list: true
            }
        );
        assert_eq!(queue.timeout_minutes("create"), 120);
        assert!(!queue.deletes_first());
        let database = crate::load("AWS::RDS::DBInstance").unwrap().unwrap();
        assert_eq!(database.timeout_minutes("create"), 2160);
    }
}
