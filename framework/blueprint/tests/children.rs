//! Blueprints and the blueprints that they include: text against text.
//!
//! `tests/children/cases.txt` holds cases of the form
//!
//! ```text
//! === title
//! --- main.yaml        (the first one is checked)
//! document
//! --- core.yaml
//! document
//! > line:column `what is underlined` code: message (help)
//! ```
//!
//! A case without findings is valid. After a change on purpose, copy the file that the failing test names over
//! the one it read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod told;

use formwork_blueprint::{Checker, Children, ExportType, Include, Severity, Source, check};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Files by name; what has a `bucket` is elsewhere.
#[derive(Default)]
struct Files {
    texts: BTreeMap<String, String>,
    asked: RefCell<Vec<String>>,
}

impl Children for Files {
    fn working_dir(&self) -> Option<String> {
        Some("work".to_owned())
    }

    fn read(&self, parent: &Source, include: &Include<'_>) -> Result<Option<Source>, String> {
        self.asked
            .borrow_mut()
            .push(format!("{}: {}", parent.name(), include.path));
        if include.metadata.to_json().get("bucket").is_some() {
            return Ok(None);
        }
        let text = self.texts.get(include.path).ok_or("there is no such file")?;
        Ok(Some(Source::new(include.path, text.as_str())))
    }
}

/// The first file and all of them.
fn files(case: &str) -> (Source, Files) {
    let texts: Vec<(&str, &str)> = case
        .split("--- ")
        .skip(1)
        .map(|file| file.split_once('\n').unwrap())
        .collect();
    let main = Source::new(texts[0].0, texts[0].1);
    let texts = texts
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    let asked = RefCell::default();
    (main, Files { texts, asked })
}

#[test]
fn every_finding_of_every_case_is_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/children/cases.txt");
    let expected = std::fs::read_to_string(&path).unwrap();
    let mut actual = String::new();
    for case in expected.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').unwrap();
        let written: String = rest
            .lines()
            .filter(|line| !line.starts_with("> "))
            .map(|line| format!("{line}\n"))
            .collect();
        let written = written.trim_end().to_owned() + "\n";
        let (main, files) = files(&written);
        let checked = Checker::new().children(&files).check(&main);
        let wrong = checked
            .diagnostics
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        assert_eq!(checked.blueprint.is_none(), wrong, "{title}");
        let told = told::told(&main, &checked.diagnostics);
        let _infallible = write!(actual, "=== {title}\n{written}{told}\n");
    }
    if actual != expected {
        let found = Path::new(env!("CARGO_TARGET_TMPDIR")).join("children.txt");
        std::fs::write(&found, &actual).unwrap();
        panic!(
            "{} differs from what is found now: {}",
            path.display(),
            found.display()
        );
    }
}

const TREE: &str = "--- main.yaml
version: 2023-04-20
include:
  left: {path: middle.yaml}
  right: {path: middle.yaml}
--- middle.yaml
version: 2023-04-20
variables:
  stage: {type: string, default: dev}
include:
  bottom: {path: bottom.yaml}
exports:
  topic: {type: object, field: children.bottom.topic}
--- bottom.yaml
version: 2023-04-20
resources: {topic: {type: aws/sns/topic}}
exports:
  topic: {type: object, field: resources.topic.state}
";

#[test]
fn what_is_known_of_a_child_is_in_the_blueprint() {
    let (main, files) = files(TREE);
    let checked = Checker::new().children(&files).check(&main);
    let blueprint = checked.blueprint.expect("a valid blueprint");
    let interface = blueprint.children["left"]
        .interface
        .as_ref()
        .expect("it was read");
    assert!(interface.variables.contains_key("stage"));
    assert_eq!(interface.exports["topic"], ExportType::Object);
    assert!(
        check(&main).blueprint.unwrap().children["left"]
            .interface
            .is_none()
    );
}

#[test]
fn a_blueprint_that_is_included_twice_is_checked_once() {
    let (main, files) = files(TREE);
    assert!(Checker::new().children(&files).check(&main).blueprint.is_some());
    assert_eq!(
        files.asked.into_inner(),
        [
            "main.yaml: middle.yaml",
            "middle.yaml: bottom.yaml",
            "main.yaml: middle.yaml"
        ]
    );
}

#[test]
fn a_fan_of_inclusions_is_no_work() {
    // Ten includes on each of five levels lead down 100,000 ways.
    let level = |level: usize| {
        let includes: String = (0..10)
            .map(|child| format!("  c{child}: {{path: level-{}.yaml}}\n", level + 1))
            .collect();
        format!("--- level-{level}.yaml\nversion: 2023-04-20\ninclude:\n{includes}")
    };
    let text: String = (0..5).map(level).collect();
    let bottom = "--- level-5.yaml\nversion: 2023-04-20\nresources: {q: {type: aws/sqs/queue}}\n";
    let (main, files) = files(&(text + bottom));
    let checked = Checker::new().children(&files).check(&main);
    assert!(checked.blueprint.is_some(), "{:?}", checked.diagnostics);
    assert_eq!(files.asked.borrow().len(), 50);
}
