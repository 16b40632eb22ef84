//! The resource types of the simulated cloud, and what services know of them beyond their schemas.

use formwork_engine::fakes::MemorySchemas;
use std::sync::{Arc, OnceLock};

/// Named by its author, with a write-only secret.
pub(crate) const NAMED: &str = "Sim::Test::Named";
/// Named by the service.
pub(crate) const MADE: &str = "Sim::Test::Made";
/// Named by the service; what refers to a new one may not be able to use it yet.
pub(crate) const ROLE: &str = "Sim::Test::Role";
/// Named by the service, with a label that only one may have; replaced by deleting first.
pub(crate) const SOLO: &str = "Sim::Test::Solo";
/// Cannot be updated.
pub(crate) const FIXED: &str = "Sim::Test::Fixed";
/// Cannot be read, and so cannot be updated.
pub(crate) const BLIND: &str = "Sim::Test::Blind";

/// All of them.
pub(crate) const ALL: [&str; 6] = [NAMED, MADE, ROLE, SOLO, FIXED, BLIND];

/// The property that names it, if its author does.
pub(crate) fn name_property(type_name: &str) -> Option<&'static str> {
    (type_name == NAMED).then_some("Name")
}

/// The property of which no two have the same value.
pub(crate) fn unique_property(type_name: &str) -> Option<&'static str> {
    (type_name == SOLO).then_some("Label")
}

/// Whether a property can be set at the creation only.
pub(crate) fn is_create_only(type_name: &str, property: &str) -> bool {
    matches!(property, "Kind" | "Name") || (type_name == FIXED && property != "Arn")
}

/// The properties of a type that are kept but not read back.
pub(crate) fn is_write_only(property: &str) -> bool {
    property == "Secret"
}

/// Whether the type has a handler: `read` or `update`.
pub(crate) fn has_handler(type_name: &str, handler: &str) -> bool {
    !matches!((type_name, handler), (FIXED | BLIND, "update") | (BLIND, "read"))
}

/// Every schema, parsed once.
pub(crate) fn schemas() -> Arc<MemorySchemas> {
    static SCHEMAS: OnceLock<Arc<MemorySchemas>> = OnceLock::new();
    let made = SCHEMAS.get_or_init(|| {
        let documents: Vec<String> = ALL.iter().map(|type_name| schema(type_name)).collect();
        Arc::new(MemorySchemas::parse(documents.iter().map(String::as_str)).unwrap_or_default())
    });
    Arc::clone(made)
}

fn schema(type_name: &str) -> String {
    let is_named = name_property(type_name).is_some();
    let handlers: Vec<String> = ["create", "read", "update", "delete"]
        .iter()
        .filter(|handler| has_handler(type_name, handler))
        .map(|handler| format!(r#""{handler}": {{"permissions": []}}"#))
        .collect();
    let (identifier, own) = if is_named {
        ("Name", r#""Name": {"type": "string"}"#)
    } else {
        ("Id", r#""Id": {"type": "string"}, "Label": {"type": "string"}"#)
    };
    let (read_only, create_only) = match type_name {
        NAMED => (
            r#""/properties/Arn""#,
            r#""/properties/Name", "/properties/Kind""#,
        ),
        FIXED => (
            r#""/properties/Id", "/properties/Arn""#,
            r#""/properties/Kind", "/properties/Value", "/properties/Ref", "/properties/Label", "/properties/Mark""#,
        ),
        _ => (r#""/properties/Id", "/properties/Arn""#, r#""/properties/Kind""#),
    };
    let secret = if is_named {
        r#", "Secret": {"type": "string"}"#
    } else {
        r#", "Open": {"type": "string"}"#
    };
    let write_only = if is_named {
        r#""writeOnlyProperties": ["/properties/Secret"],"#
    } else {
        ""
    };
    let required = if is_named { r#""required": ["Name"],"# } else { "" };
    let strategy = if type_name == SOLO {
        r#""replacementStrategy": "delete_then_create","#
    } else {
        ""
    };
    format!(
        r#"{{"typeName": "{type_name}", "description": "simulated", "additionalProperties": false,
          "properties": {{{own}, "Mark": {{"type": "string"}}, "Kind": {{"type": "string"}}, "Value": {{"type": "string"}},
            "Ref": {{"type": "string"}}, "Arn": {{"type": "string"}}{secret}}},
          "primaryIdentifier": ["/properties/{identifier}"], "readOnlyProperties": [{read_only}],
          "createOnlyProperties": [{create_only}], {write_only} {required} {strategy}
          "handlers": {{{}}}}}"#,
        handlers.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_engine::ports::SchemaSource;

    #[tokio::test]
    async fn every_type_has_a_schema() {
        for type_name in ALL {
            assert!(
                schemas().schema(type_name).await.unwrap().is_some(),
                "{type_name}"
            );
        }
    }
}
