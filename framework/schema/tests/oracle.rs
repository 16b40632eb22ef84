//! Our validation says what an independent validator says, on documents right and wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

mod support;

use formwork_schema::{ResourceSchema, bundled_types, load, matches};
use serde_json::{Map, Value, json};
use support::Generator;

/// The schema as draft 7 reads it: siblings of a `$ref` count, Java patterns and formats do not.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut kept: Map<String, Value> = members
                .iter()
                .filter(|(key, value)| {
                    !(["pattern", "$schema", "$id", "format"].contains(&key.as_str()) && value.is_string())
                })
                .map(|(key, value)| (key.clone(), plain(value)))
                .collect();
            if let Some(reference) = kept
                .get("$ref")
                .filter(|reference| reference.is_string())
                .cloned()
            {
                kept.shift_remove("$ref");
                let all = kept.entry("allOf").or_insert_with(|| json!([]));
                all.as_array_mut().unwrap().push(json!({ "$ref": reference }));
            }
            Value::Object(kept)
        }
        Value::Array(elements) => elements.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// The document with one thing changed, so that misfits are met as well.
fn spoilt(value: &Value, random: &mut fastrand::Rng) -> Value {
    match value {
        Value::Object(members) if !members.is_empty() && random.u8(..4) > 0 => {
            let mut members = members.clone();
            let key = members.keys().nth(random.usize(..members.len())).unwrap().clone();
            match random.u8(..4) {
                0 => drop(members.shift_remove(&key)),
                1 => drop(members.insert("Zz9".to_owned(), json!(1))),
                _ => {
                    let member = spoilt(&members[&key], random);
                    members.insert(key, member);
                }
            }
            Value::Object(members)
        }
        Value::Array(elements) if !elements.is_empty() => {
            let mut elements = elements.clone();
            let index = random.usize(..elements.len());
            match random.u8(..3) {
                0 => elements.push(elements[index].clone()),
                _ => elements[index] = spoilt(&elements[index], random),
            }
            Value::Array(elements)
        }
        _ => [
            json!("spoilt"),
            json!(-1),
            json!(1.5),
            json!(true),
            json!([]),
            json!({}),
        ][random.usize(..6)]
        .clone(),
    }
}

/// We do not demand read-only properties, draft 7 does.
fn demands_read_only(schema: &ResourceSchema) -> bool {
    fn lists(node: &Value, names: &[&str]) -> bool {
        match node {
            Value::Object(members) => {
                let required = members.get("required").and_then(Value::as_array);
                required.is_some_and(|all| {
                    all.iter()
                        .any(|name| name.as_str().is_some_and(|name| names.contains(&name)))
                }) || members.values().any(|member| lists(member, names))
            }
            Value::Array(elements) => elements.iter().any(|element| lists(element, names)),
            _ => false,
        }
    }
    let names: Vec<&str> = schema
        .read_only()
        .iter()
        .filter_map(|pointer| pointer.segments().last())
        .map(String::as_str)
        .collect();
    lists(schema.document(), &names)
}

#[test]
fn every_eighth_type_agrees_with_an_independent_validator() {
    let (mut right, mut wrong) = (0, 0);
    for bundled in bundled_types().step_by(8) {
        let schema = load(bundled.name).unwrap().unwrap();
        if demands_read_only(&schema) {
            continue;
        }
        let mut document = plain(schema.document());
        document["type"] = json!("object");
        let oracle = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft7)
            .build(&document);
        // A few map keys are described by patterns only Java reads.
        let Ok(oracle) = oracle else { continue };
        let ours = ResourceSchema::parse(&document.to_string()).unwrap();
        for seed in 0..6 {
            let mut generator = Generator::new(&schema, seed);
            let mut candidate = generator.document();
            if seed % 2 == 1 {
                candidate = spoilt(&candidate, &mut generator.random);
            }
            let expected = oracle.is_valid(&candidate);
            let errors = ours.validate_model(&candidate);
            assert_eq!(
                errors.is_empty(),
                expected,
                "{} {candidate}\n{errors:#?}",
                bundled.name
            );
            *(if expected { &mut right } else { &mut wrong }) += 1;
        }
    }
    assert!(right > 150 && wrong > 150, "{right} right, {wrong} wrong");
}

#[test]
fn no_pointer_of_an_error_leaves_the_document() {
    for bundled in bundled_types().step_by(20) {
        let schema = load(bundled.name).unwrap().unwrap();
        for seed in 0..4 {
            let mut generator = Generator::new(&schema, seed);
            let document = generator.document();
            let candidate = spoilt(&document, &mut generator.random);
            for error in schema.validate_model(&candidate) {
                assert!(
                    candidate.pointer(&error.pointer).is_some(),
                    "{} {}",
                    bundled.name,
                    error.text
                );
                assert!(error.text.starts_with(&format!("#{}: ", error.pointer)));
            }
            for pointer in schema.primary_identifier() {
                assert!(!matches(pointer, "/Zz9"));
            }
        }
    }
}
