//! Valid documents: corners of the language. The specification's own examples are in `specification.rs`.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use formwork_blueprint::{Format, Source, check};

#[test]
fn corners_of_the_language_are_valid() {
    let cases: Vec<_> = include_str!("valid/corners.txt")
        .split("=== ")
        .skip(1)
        .map(|case| case.split_once('\n').unwrap())
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
        // An example shown without what its selector is after is valid all the same.
        let found: Vec<_> = check(&source)
            .diagnostics
            .into_iter()
            .filter(|finding| finding.code != "nothing-selected")
            .collect();
        wrong.extend(found.iter().map(|finding| finding.one_line(&source)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
