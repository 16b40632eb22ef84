//! Laws of the language, tried on generated documents that look like blueprints, right and wrong.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    dead_code,
    unreachable_pub,
    reason = "tests fail by panicking; one module is another package's library"
)]

mod documents;
mod printing;

// What fuzz targets hold any input to, held here against inputs that get further than bytes do.
#[path = "../../fuzz/src/lib.rs"]
mod fuzz;

use documents::document;
use formwork_blueprint::{Checked, Format, Source, check, parse_value};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Code and message of each finding, in an order that has nothing to do with where they stand.
fn findings(checked: &Checked) -> Vec<(&'static str, &str)> {
    let mut findings: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|finding| (finding.code, finding.message.as_str()))
        .collect();
    findings.sort_unstable();
    findings
}

fn yaml(document: &Value) -> Source {
    Source::with_format("a.yaml", printing::block(document), Format::Yaml)
}

fn json(document: &Value) -> Source {
    Source::with_format("a.json", document.to_string(), Format::Json)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Sorted, repeatable and well-formed findings; evaluation without a panic; and what is valid is the
    /// same blueprint when printed inline.
    #[test]
    fn what_holds_for_any_bytes_holds_for_documents(document in document()) {
        fuzz::document::run(printing::block(&document).as_bytes());
        fuzz::document::run(document.to_string().as_bytes());
    }

    #[test]
    fn a_document_is_judged_alike_in_yaml_and_in_json(document in document()) {
        let (as_yaml, as_json) = (yaml(&document), json(&document));
        prop_assert_eq!(parse_value(&as_yaml).unwrap(), document.clone(), "{}", as_yaml.text());
        let (in_yaml, in_json) = (check(&as_yaml), check(&as_json));
        prop_assert_eq!(findings(&in_yaml), findings(&in_json), "{}", as_yaml.text());
        prop_assert_eq!(in_yaml.blueprint.is_some(), in_json.blueprint.is_some());
    }

    /// A blueprint that is right stays right beside more, and one that is wrong is not mended by it.
    #[test]
    fn an_unrelated_resource_removes_no_finding(document in document(), first in any::<bool>()) {
        let has_resources = document["resources"].as_object().is_some_and(|resources| !resources.is_empty());
        prop_assume!(has_resources);
        let before_source = yaml(&document);
        let before = check(&before_source);
        let after_source = yaml(&with_unrelated(&document, first));
        let after = check(&after_source);
        prop_assert_eq!(findings(&before), findings(&after), "{}", before_source.text());
        if let (Some(before), Some(after)) = (before.blueprint, after.blueprint) {
            for (name, resource) in &before.resources {
                prop_assert_eq!(&resource.depends_on, &after.resources[name].depends_on);
            }
        }
    }
}

fn with_unrelated(document: &Value, first: bool) -> Value {
    let mut document = document.clone();
    let resources = document["resources"].as_object_mut().unwrap();
    let unrelated = json!({"type": "aws/kms/key", "spec": {"description": "nobody knows it"}});
    let position = if first { 0 } else { resources.len() };
    resources.shift_insert(position, "zzUnrelated".to_owned(), unrelated);
    document
}

/// The generator must not drift into making only one kind of document.
#[test]
fn the_documents_are_right_and_wrong_in_many_ways() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut codes = std::collections::BTreeMap::new();
    let mut valid = 0;
    for _ in 0..600 {
        let document = document().new_tree(&mut runner).unwrap().current();
        let checked = check(&json(&document));
        valid += usize::from(checked.blueprint.is_some());
        for finding in checked.diagnostics {
            *codes.entry(finding.code).or_insert(0) += 1;
        }
    }
    assert!(valid >= 60, "{valid} of 600 are valid: {codes:?}");
    assert!(codes.len() >= 30, "{} codes only: {codes:?}", codes.len());
}
