//! Validation in the words of Cloud Control, for whoever plays its part.

use crate::ResourceSchema;
use crate::check::{Fault, Kind, check};
use serde_json::Value;
use std::collections::BTreeSet;

/// One error of a model, worded as Cloud Control words it. Never holds a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// JSON Pointer of the value that does not fit.
    pub pointer: String,
    /// The schema's keyword.
    pub keyword: &'static str,
    /// `#/BucketName: expected type: String, found: Boolean`
    pub text: String,
}

impl ResourceSchema {
    /// Validates a model that is written in the schema's own names and types, as Cloud Control does: without
    /// coercion, and with its words.
    pub fn validate_model(&self, model: &Value) -> Vec<ModelError> {
        check(self, model, &BTreeSet::new())
            .into_iter()
            .map(|misfit| ModelError {
                keyword: misfit.fault.keyword(),
                text: format!("#{}: {}", misfit.pointer, words(&misfit.fault)),
                pointer: misfit.pointer,
            })
            .collect()
    }
}

fn words(fault: &Fault) -> String {
    let scrubbed = |keyword: &str| format!("failed validation constraint for keyword [{keyword}]");
    match fault {
        Fault::Missing(key) => format!("required key [{key}] not found"),
        Fault::Extraneous { key, .. } => format!("extraneous key [{key}] is not permitted"),
        Fault::Type { expected, found } => match expected.as_slice() {
            [one] => format!(
                "expected type: {}, found: {}",
                declared_name(one),
                found_name(*found)
            ),
            several => format!(
                "no subschema matched out of the total {} subschemas",
                several.len()
            ),
        },
        Fault::Limit {
            keyword,
            limit,
            found: Some(found),
        } => match *keyword {
            "minLength" | "maxLength" => format!("expected {keyword}: {limit}, actual: {found}"),
            "minItems" => format!("expected minimum item count: {limit}, found: {found}"),
            "maxItems" => format!("expected maximum item count: {limit}, found: {found}"),
            "minProperties" => format!("minimum size: [{limit}], found: [{found}]"),
            "maxProperties" => format!("maximum size: [{limit}], found: [{found}]"),
            keyword => scrubbed(keyword),
        },
        Fault::NotUnique => "array items are not unique".to_owned(),
        Fault::Dependency { missing, .. } => format!("property [{missing}] is required"),
        Fault::Branches {
            keyword: "oneOf",
            matched,
            ..
        } => {
            format!("{matched} subschemas matched instead of one")
        }
        Fault::Branches { total, .. } => format!("no subschema matched out of the total {total} subschemas"),
        fault => scrubbed(fault.keyword()),
    }
}

fn declared_name(kind: &str) -> &str {
    match kind {
        "string" => "String",
        "boolean" => "Boolean",
        "integer" => "Integer",
        "number" => "Number",
        "array" => "JSONArray",
        "object" => "JSONObject",
        other => other,
    }
}

fn found_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "Null",
        Kind::Boolean => "Boolean",
        Kind::Integer => "Integer",
        Kind::Number => "BigDecimal",
        Kind::String => "String",
        Kind::Array => "JSONArray",
        Kind::Object => "JSONObject",
    }
}

impl Fault {
    /// The schema's keyword.
    pub(crate) fn keyword(&self) -> &'static str {
        match self {
            Fault::Missing(_) => "required",
            Fault::Extraneous { .. } => "additionalProperties",
            Fault::Type { .. } => "type",
            Fault::Enum(_) => "enum",
            Fault::Const => "const",
            Fault::Pattern(_) => "pattern",
            Fault::Limit { keyword, .. } | Fault::Branches { keyword, .. } => keyword,
            Fault::NotUnique => "uniqueItems",
            Fault::Dependency { .. } => "dependencies",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn errors_are_worded_as_cloud_control_words_them() {
        for (type_name, model, expected) in [
            (
                "AWS::S3::Bucket",
                json!({"BucketName": true}),
                vec!["#/BucketName: expected type: String, found: Boolean"],
            ),
            (
                "AWS::S3::Bucket",
                json!({"Nope": 1}),
                vec!["#: extraneous key [Nope] is not permitted"],
            ),
            (
                "AWS::SSM::Parameter",
                json!({"Type": "Text"}),
                vec![
                    "#: required key [Value] not found",
                    "#/Type: failed validation constraint for keyword [enum]",
                ],
            ),
            (
                "AWS::Logs::LogGroup",
                json!({"LogGroupName": "a b"}),
                vec!["#/LogGroupName: failed validation constraint for keyword [pattern]"],
            ),
            (
                "AWS::Logs::LogGroup",
                json!({"LogGroupName": ""}),
                vec![
                    "#/LogGroupName: expected minLength: 1, actual: 0",
                    "#/LogGroupName: failed validation constraint for keyword [pattern]",
                ],
            ),
            (
                "AWS::SQS::Queue",
                json!({"Tags": [{"Key": "a"}]}),
                vec!["#/Tags/0: required key [Value] not found"],
            ),
            (
                "AWS::SQS::Queue",
                json!({"RedrivePolicy": 1}),
                vec!["#/RedrivePolicy: no subschema matched out of the total 2 subschemas"],
            ),
            (
                "AWS::SQS::Queue",
                json!({"DelaySeconds": "1"}),
                vec!["#/DelaySeconds: expected type: Integer, found: String"],
            ),
            ("AWS::SQS::Queue", json!({"DelaySeconds": 1}), vec![]),
        ] {
            let schema = crate::load(type_name).unwrap().unwrap();
            let texts: Vec<String> = schema
                .validate_model(&model)
                .into_iter()
                .map(|error| error.text)
                .collect();
            assert_eq!(texts, expected, "{type_name} {model}");
        }
    }
}
