//! Artefacts: what a read shows although nobody wrote it.
//!
//! Some are harmless: empty arrays that the schema allows. Others make the next update fail, because it sends
//! everything back: the schema refuses them, or the service's own handler does.

use super::{Valid, object, resolve};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formwork_schema::{PropertyPointer, ResourceSchema};
use serde_json::{Value, json};

/// Shows optional arrays that are not there as empty, if the schema allows it.
pub(super) fn add_empty(schema: &ResourceSchema, model: &mut Value, valid: &Valid<'_>) {
    let document = schema.document();
    let Some(properties) = document.get("properties").and_then(Value::as_object) else {
        return;
    };
    let absent = properties.iter().filter(|(name, shape)| {
        let kind = resolve(document, shape).get("type").or_else(|| shape.get("type"));
        kind == Some(&json!("array")) && model.get(name.as_str()).is_none() && !is_fixed(schema, name)
    });
    let absent: Vec<&String> = absent.map(|(name, _)| name).collect();
    let show = |model: &mut Value, names: &[&String]| {
        if let Some(members) = model.as_object_mut() {
            members.extend(names.iter().map(|name| ((*name).clone(), json!([]))));
        }
    };
    if !valid.keep(model, |model| show(model, &absent)) {
        for name in absent {
            valid.keep(model, |model| show(model, &[name]));
        }
    }
}

/// Whether the service alone, or nobody any more, sets a property: then a read shows what is there.
fn is_fixed(schema: &ResourceSchema, name: &str) -> bool {
    let lists = [
        schema.read_only(),
        schema.write_only(),
        schema.create_only(),
        schema.conditional_create_only(),
    ];
    let begins = |pointer: &PropertyPointer| pointer.segments().first().is_some_and(|first| first == name);
    lists.into_iter().flatten().any(begins)
}

/// Services whose reads show no tags as an empty list, where the schema wants at least one.
pub(super) fn shows_empty_tags(schema: &ResourceSchema) -> bool {
    matches!(
        schema.type_name(),
        "AWS::KinesisVideo::Stream" | "AWS::KinesisVideo::SignalingChannel"
    )
}

/// Shows what the schema or the service refuses to take back.
pub(super) fn add_refused(schema: &ResourceSchema, model: &mut Value) {
    if shows_empty_tags(schema)
        && let Some(members) = model.as_object_mut()
    {
        members.entry("Tags").or_insert(json!([]));
    }
    match schema.type_name() {
        name @ ("AWS::WAFv2::WebACL" | "AWS::WAFv2::RuleGroup" | "AWS::WAFv2::IPSet") => {
            if let Some(members) = model.as_object_mut() {
                members.entry("Description").or_insert(json!(""));
            }
            if name != "AWS::WAFv2::IPSet" {
                add_twins(model);
            }
        }
        "AWS::CloudFront::Distribution" => {
            if let Some(config) = object(model, &["DistributionConfig"]) {
                config.entry("ViewerCertificate").or_insert(default_certificate());
            }
        }
        "AWS::Glue::Job" => {
            if let Some(members) = model.as_object_mut().filter(|job| job.contains_key("WorkerType")) {
                members.entry("MaxCapacity").or_insert(json!(10));
            }
        }
        "AWS::OpenSearchService::Domain" => {
            if let Some(members) = model.as_object_mut()
                && let Value::Object(options) = members.entry("AdvancedOptions").or_insert(json!({}))
            {
                options.insert(LEGACY_OPTION.into(), json!("false"));
            }
        }
        "AWS::S3::Bucket" => {
            let metrics = model
                .get_mut("MetricsConfigurations")
                .and_then(Value::as_array_mut);
            for metric in metrics.into_iter().flatten().filter_map(Value::as_object_mut) {
                metric.entry("TagFilters").or_insert(json!([null]));
            }
        }
        _ => {}
    }
}

const LEGACY_OPTION: &str = "override_main_response_version";

fn default_certificate() -> Value {
    json!({"CloudFrontDefaultCertificate": true, "MinimumProtocolVersion": "TLSv1"})
}

/// Beside every search string its other form.
fn add_twins(node: &mut Value) {
    match node {
        Value::Object(members) => {
            members.values_mut().for_each(add_twins);
            if let Some(text) = members.get("SearchString").and_then(Value::as_str) {
                let encoded = STANDARD.encode(text);
                members.insert("SearchStringBase64".into(), json!(encoded));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(add_twins),
        _ => {}
    }
}

/// Takes artefacts that came back with an update out of what is kept: they are made anew by every read.
pub(super) fn remove(schema: &ResourceSchema, model: &mut Value) {
    let type_name = schema.type_name();
    if matches!(type_name, "AWS::WAFv2::WebACL" | "AWS::WAFv2::RuleGroup") {
        remove_twins(model);
    }
    // An empty list is as good as none, and the read will say which it is.
    if let Some(members) = model.as_object_mut() {
        members.retain(|name, value| *value != json!([]) || is_required(schema, name));
    }
}

fn is_required(schema: &ResourceSchema, name: &str) -> bool {
    let required = schema.document().get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|one| one == name))
}

fn remove_twins(node: &mut Value) {
    match node {
        Value::Object(members) => {
            if members.contains_key("SearchString") {
                members.shift_remove("SearchStringBase64");
            }
            members.values_mut().for_each(remove_twins);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_twins),
        _ => {}
    }
}

/// Why the service's handler refuses an update with this model, if it does.
pub(crate) fn refusal(type_name: &str, model: &Value) -> Option<&'static str> {
    let has = |pointer: &str| model.pointer(pointer).is_some_and(|value| !value.is_null());
    match type_name {
        "AWS::WAFv2::WebACL" | "AWS::WAFv2::RuleGroup" if has_twins(model) => {
            Some("a statement has both SearchString and SearchStringBase64")
        }
        "AWS::CloudFront::Distribution"
            if model.pointer("/DistributionConfig/ViewerCertificate") == Some(&default_certificate()) =>
        {
            Some("MinimumProtocolVersion cannot be set for the default certificate")
        }
        "AWS::Glue::Job" if has("/MaxCapacity") && has("/WorkerType") => {
            Some("Please do not set Max Capacity if using Worker Type and Number of Workers")
        }
        "AWS::OpenSearchService::Domain" if has("/AdvancedOptions/override_main_response_version") => {
            Some("Unrecognized advanced option 'override_main_response_version' passed")
        }
        _ => None,
    }
}

fn has_twins(node: &Value) -> bool {
    match node {
        Value::Object(members) => {
            members.contains_key("SearchString") && members.contains_key("SearchStringBase64")
                || members.values().any(has_twins)
        }
        Value::Array(items) => items.iter().any(has_twins),
        _ => false,
    }
}
