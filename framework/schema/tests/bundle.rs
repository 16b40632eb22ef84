//! The packed schemas are the official ones, and every one of them can be used.

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

use formwork_schema::{bundled_types, load_text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

#[test]
fn the_pack_holds_what_its_source_holds() {
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/cloudformation-resource-schemas.tar.xz"
    );
    let file = std::io::BufReader::new(std::fs::File::open(source).unwrap());
    let mut archive = tar::Archive::new(lzma_rust2::XzReader::new(file, true));
    let mut published = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry
            .path()
            .unwrap()
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let schema: Value = serde_json::from_str(&text).unwrap();
            published.insert(schema["typeName"].as_str().unwrap().to_owned(), schema);
        }
    }
    let names: Vec<&str> = bundled_types().map(|bundled| bundled.name).collect();
    assert_eq!(names, published.keys().map(String::as_str).collect::<Vec<_>>());
    for (name, schema) in &published {
        // The texts, so that the order of properties and the spelling of numbers count as well.
        assert_eq!(load_text(name).unwrap().unwrap(), schema.to_string(), "{name}");
    }
}

#[test]
fn every_schema_is_read_and_fits_documents() {
    let mut handlers = [0; 5];
    let mut pointers = [0; 4];
    for (index, schema) in support::all().iter().enumerate() {
        let has = schema.handlers();
        for (count, present) in handlers
            .iter_mut()
            .zip([has.create, has.read, has.update, has.delete, has.list])
        {
            *count += usize::from(present);
        }
        let lists = [
            schema.read_only(),
            schema.write_only(),
            schema.create_only(),
            schema.conditional_create_only(),
        ];
        for (count, list) in pointers.iter_mut().zip(lists) {
            *count += list.len();
        }
        assert!(schema.properties().count() > 0, "{}", schema.type_name());
        for document in [
            json!({}),
            json!({"nope": [{"a": null}, "1"]}),
            json!("text"),
            json!(null),
        ] {
            let conformed = schema.conform(&document, &BTreeSet::new());
            assert!(
                document == json!({}) || !conformed.violations.is_empty(),
                "{}",
                schema.type_name()
            );
            schema.validate_model(&document);
        }
        // Compiling the patterns that whole documents meet is what takes the time here.
        if index % 5 == 0 {
            let document = support::Generator::new(schema, 1).document();
            schema.conform(&document, &BTreeSet::new());
        }
    }
    assert_eq!(handlers, [1490, 1484, 1339, 1490, 1412]);
    // A few of the 4,696, 1,100, 4,014 and 167 pointers published are doubles or lead nowhere.
    assert_eq!(pointers, [4695, 1098, 4008, 165]);
}
