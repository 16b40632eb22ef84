//! What a service fills in: physical names nobody chose, ARNs, ids, URLs.

use super::model::scalar;
use super::{matching, templates};
use fastrand::Rng;
use formwork_schema::ResourceSchema;
use regex::Regex;
use serde_json::{Map, Value, json};

/// Whose cloud it is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) account: String,
    pub(crate) region: String,
    /// When this happens, RFC 3339.
    pub(crate) time: String,
}

/// Fills in what the author of a model left to the service. What is there stays.
pub(crate) fn fill_in(schema: &ResourceSchema, model: &mut Value, place: &Place, rng: &mut Rng) {
    let Some(members) = model.as_object_mut() else {
        return;
    };
    name(schema, members, rng);
    for entry in templates::of(schema.type_name()) {
        // The default event bus is not part of an ARN.
        let given = members
            .get(entry.needs)
            .is_some_and(|value| value.as_str() != Some("default"));
        let wanted = entry.needs.is_empty() || given;
        if wanted
            && !members.contains_key(entry.property)
            && let Some(text) = expand(entry.template, members, place, rng)
        {
            members.insert(entry.property.into(), json!(text));
        }
    }
    let identity: Vec<String> = schema
        .primary_identifier()
        .iter()
        .filter_map(|pointer| pointer.segments().first().cloned())
        .collect();
    // Identifiers first: ARNs are made of them.
    let read_only = schema
        .read_only()
        .iter()
        .filter_map(|pointer| match pointer.segments() {
            [only] => Some(only.clone()),
            _ => None,
        });
    let rest: Vec<String> = read_only.filter(|name| !identity.contains(name)).collect();
    for property in identity.iter().chain(&rest) {
        let optional = !identity.contains(property);
        if members.contains_key(property)
            || (optional && templates::only_when_needed(schema.type_name(), property))
        {
            continue;
        }
        if let Some(value) = generic(schema, property, members, place, rng, !optional) {
            members.insert(property.clone(), value);
        }
    }
}

/// The physical name, where the type has one and the author chose none.
fn name(schema: &ResourceSchema, members: &mut Map<String, Value>, rng: &mut Rng) {
    let Some(property) = templates::name_property(schema) else {
        return;
    };
    if members.contains_key(&property) {
        return;
    }
    let resource = schema
        .type_name()
        .rsplit("::")
        .next()
        .unwrap_or("resource")
        .to_lowercase();
    let mut text = format!("{resource}-{}", alphanumeric(rng, 12));
    let fifo = |key: &str| members.get(key).and_then(Value::as_bool) == Some(true);
    if fifo("FifoQueue") || fifo("FifoTopic") {
        text.push_str(".fifo");
    }
    let shape = shape(schema, &property);
    let text = fit(shape, &[text], rng);
    members.insert(property, json!(text));
}

/// A template with its `{Property}`, `{/Property}` (with exactly one slash before it), `{Property:default}`
/// and `{generator}` places filled; `None` if a property without a default is missing.
fn expand(template: &str, members: &Map<String, Value>, place: &Place, rng: &mut Rng) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (hole, after) = after.split_once('}')?;
        text.push_str(before);
        let (key, default) = hole
            .split_once(':')
            .map_or((hole, None), |(key, default)| (key, Some(default)));
        let value = match key {
            "account" => place.account.clone(),
            "region" => place.region.clone(),
            "time" => place.time.clone(),
            "uuid" => uuid(rng),
            "hex17" => hex(rng, 17),
            "hex32" => hex(rng, 32),
            "id6" => alphanumeric(rng, 6),
            "id10" => alphanumeric(rng, 10),
            "ID17" => alphanumeric(rng, 17).to_uppercase(),
            "ip" => format!("203.0.113.{}", rng.u8(1..255)),
            property => match property.strip_prefix('/') {
                Some(property) => {
                    let value = members.get(property).and_then(scalar)?;
                    format!("/{}", value.trim_start_matches('/'))
                }
                None => members
                    .get(property)
                    .and_then(scalar)
                    .or_else(|| default.map(String::from))?,
            },
        };
        text.push_str(&value);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// A plausible value by the property's name and shape. Lists and objects are left out unless they
/// identify the resource.
fn generic(
    schema: &ResourceSchema,
    property: &str,
    members: &Map<String, Value>,
    place: &Place,
    rng: &mut Rng,
    identifies: bool,
) -> Option<Value> {
    let shape = shape(schema, property);
    let kind = match shape.and_then(|shape| shape.get("type")) {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(Value::String(kind)) => Some(kind.as_str()),
        _ => None,
    };
    match kind {
        Some("integer" | "number") => {
            let minimum = shape
                .and_then(|shape| shape.get("minimum"))
                .and_then(Value::as_i64);
            return Some(json!(minimum.unwrap_or(1).max(1)));
        }
        Some("boolean") => return Some(json!(false)),
        Some("string") => {}
        _ if identifies => {}
        _ => return None,
    }
    if let Some(Value::Array(choices)) = shape.and_then(|shape| shape.get("enum")) {
        let settled = ["ACTIVE", "Active", "AVAILABLE", "available", "ENABLED", "READY"];
        let choice = choices
            .iter()
            .find(|choice| choice.as_str().is_some_and(|text| settled.contains(&text)));
        return choice.or(choices.first()).cloned();
    }
    let mut parts = schema.type_name().split("::").skip(1);
    let service = parts.next().unwrap_or("service").to_lowercase();
    let resource = parts.next().unwrap_or("resource").to_lowercase();
    let own_id = templates::own_id(schema, members).unwrap_or_else(|| alphanumeric(rng, 10));
    let arn = format!(
        "arn:aws:{service}:{}:{}:{resource}/{own_id}",
        place.region, place.account
    );
    let is_time = shape
        .and_then(|shape| shape.get("format"))
        .and_then(Value::as_str)
        == Some("date-time");
    let candidates: Vec<String> = if property.ends_with("Arn") || property.ends_with("ARN") {
        let with_uuid = format!(
            "arn:aws:{service}:{}:{}:{resource}/{}",
            place.region,
            place.account,
            uuid(rng)
        );
        vec![arn.clone(), arn.replacen('/', ":", 1), with_uuid]
    } else if is_time || ends_with_any(property, &["At", "Time", "Date", "Timestamp"]) {
        vec![
            place.time.clone(),
            place.time.split('T').next().unwrap_or_default().into(),
            "1700000000".into(),
        ]
    } else if ends_with_any(property, &["Url", "URL", "Uri", "URI"]) {
        vec![format!(
            "https://{own_id}.{service}.{}.amazonaws.com",
            place.region
        )]
    } else if ends_with_any(
        property,
        &["Endpoint", "DomainName", "Domain", "Address", "HostName"],
    ) {
        vec![format!("{own_id}.{service}.{}.amazonaws.com", place.region)]
    } else if ends_with_any(property, &["Status", "State"]) {
        vec!["ACTIVE".into()]
    } else if property.ends_with("AccountId") {
        vec![place.account.clone()]
    } else if let Some(prefix) = templates::id_prefix(schema.type_name(), property) {
        vec![format!("{prefix}-{}", hex(rng, 17))]
    } else {
        vec![format!("{resource}-{}", alphanumeric(rng, 12)), arn]
    };
    Some(json!(fit(shape, &candidates, rng)))
}

fn ends_with_any(property: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| property.ends_with(ending))
}

/// The first candidate that the property's pattern and length allow, else one of the usual forms of ids,
/// else any text that the pattern matches, else the first candidate.
fn fit(shape: Option<&Value>, candidates: &[String], rng: &mut Rng) -> String {
    let choices = shape.and_then(|shape| shape.get("enum")?.as_array());
    if let Some(first) = choices.and_then(|choices| choices.first()?.as_str()) {
        return first.to_owned();
    }
    let pattern = shape
        .and_then(|shape| shape.get("pattern"))
        .and_then(Value::as_str)
        // Java's other word for the end.
        .map(|pattern| pattern.replace("\\Z", "\\z"));
    let length = |key: &str| {
        shape
            .and_then(|shape| shape.get(key))
            .and_then(Value::as_u64)
            .and_then(|number| usize::try_from(number).ok())
    };
    let (shortest, longest) = (
        length("minLength").unwrap_or(1),
        length("maxLength").unwrap_or(usize::MAX),
    );
    let plain = [10, 12, 26, 32, 36, shortest, longest.min(64)];
    let forms = [uuid(rng), hex(rng, 8), hex(rng, 17), hex(rng, 32), hex(rng, 40)];
    let plain: Vec<String> = plain
        .into_iter()
        .flat_map(|size| {
            let text = alphanumeric(rng, size);
            let digits: String = text.bytes().map(|byte| char::from(b'0' + byte % 10)).collect();
            [text.to_uppercase(), text, digits]
        })
        .collect();
    let matching = pattern
        .as_deref()
        .and_then(|pattern| matching::text(pattern, shortest, rng));
    let forms = forms.into_iter().chain(plain).chain(matching);
    let compiled = pattern.as_deref().map(Regex::new);
    let fits = |text: &String| {
        let size = text.chars().count();
        let allowed = match &compiled {
            Some(Ok(regex)) => regex.is_match(text),
            // Not a pattern for this engine (look-around): taken on trust.
            Some(Err(_)) | None => true,
        };
        (shortest..=longest).contains(&size) && allowed
    };
    candidates
        .iter()
        .cloned()
        .chain(forms)
        .find(fits)
        .or_else(|| candidates.first().cloned())
        .unwrap_or_default()
}

/// The shape of a top-level property, one reference followed.
fn shape<'a>(schema: &'a ResourceSchema, property: &str) -> Option<&'a Value> {
    let document = schema.document();
    let shape = document.get("properties")?.get(property)?;
    let target = shape
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.strip_prefix('#'));
    target.map_or(Some(shape), |path| document.pointer(path))
}

/// A random version 4 UUID.
pub(crate) fn uuid(rng: &mut Rng) -> String {
    uuid::Builder::from_random_bytes(rng.u128(..).to_be_bytes())
        .into_uuid()
        .to_string()
}

fn hex(rng: &mut Rng, size: usize) -> String {
    (0..size)
        .map(|_| char::from_digit(rng.u32(0..16), 16).unwrap_or('0'))
        .collect()
}

fn alphanumeric(rng: &mut Rng, size: usize) -> String {
    // A letter first, as many names want it.
    (0..size)
        .map(|at| {
            if at == 0 {
                rng.lowercase()
            } else {
                rng.alphanumeric().to_ascii_lowercase()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::identifier;

    fn place() -> Place {
        Place {
            account: "123456789012".into(),
            region: "eu-west-1".into(),
            time: "2026-01-01T00:00:00Z".into(),
        }
    }

    /// An update sends everything back, and the service checks all of it.
    #[test]
    fn what_is_filled_in_is_what_the_schema_allows() {
        let mut rng = Rng::with_seed(7);
        let mut wrong = Vec::new();
        for bundled in formwork_schema::bundled_types() {
            let schema = formwork_schema::load(bundled.name).unwrap().unwrap();
            if !schema.handlers().update {
                continue;
            }
            let mut model = json!({});
            fill_in(&schema, &mut model, &place(), &mut rng);
            let refused = schema.validate_model(&model);
            // What the author has to give is missing here.
            let of_values = refused.iter().filter(|error| !error.text.starts_with("#: "));
            wrong.extend(of_values.map(|error| format!("{} {}", bundled.name, error.text)));
        }
        // Patterns with look-arounds, and identifiers inside of objects: their authors have to give them.
        let given = [
            "AWS::DataZone::FormType",
            "AWS::IoTAnalytics::Channel",
            "AWS::IoTAnalytics::Dataset",
            "AWS::Lambda::Url",
            "AWS::QuickSight::RefreshSchedule",
            "AWS::S3::StorageLens",
            "AWS::SageMaker::Device",
        ];
        wrong.retain(|wrong| !given.iter().any(|name| wrong.starts_with(name)));
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn every_type_that_can_be_created_gets_an_identifier() {
        let place = place();
        let mut rng = Rng::with_seed(7);
        let mut without = Vec::new();
        for bundled in formwork_schema::bundled_types() {
            let schema = formwork_schema::load(bundled.name).unwrap().unwrap();
            let mut model = json!({});
            fill_in(&schema, &mut model, &place, &mut rng);
            if schema.handlers().create && identifier::of(&schema, &model).is_none() {
                without.push(bundled.name);
            }
        }
        // Their identifiers are nested in what the author has to give.
        assert_eq!(
            without,
            [
                "AWS::QuickSight::RefreshSchedule",
                "AWS::S3::StorageLens",
                "AWS::SageMaker::Device"
            ]
        );
    }
}
