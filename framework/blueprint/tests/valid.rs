//! Valid documents: the specification's own examples, and corners of the language.
//!
//! The examples are completed minimally: with a version, with declarations of the names they use, and with a
//! resource where they have none. Fragments are put into their section.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{Format, Source, check};
use std::path::Path;

#[track_caller]
fn check_file(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/valid")
        .join(name);
    let file = std::fs::read_to_string(path).unwrap();
    let cases: Vec<_> = file
        .split("=== ")
        .skip(1)
        .filter_map(|case| case.split_once('\n'))
        .collect();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for (title, document) in cases {
        let format = if title.ends_with("[json]") {
            Format::Json
        } else {
            Format::Yaml
        };
        let source = Source::with_format(title, document, format);
        // What cannot be deployed yet is valid all the same.
        let found: Vec<_> = check(&source)
            .diagnostics
            .into_iter()
            .filter(|finding| finding.code != "unsupported-section")
            .collect();
        wrong.extend(found.iter().map(|finding| finding.one_line(&source)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn examples_of_the_specification_are_valid() {
    check_file("specification.txt");
}

#[test]
fn corners_of_the_language_are_valid() {
    check_file("corners.txt");
}
