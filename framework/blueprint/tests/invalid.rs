//! Invalid documents and what is said about each: text against text.
//!
//! The files in `tests/invalid` hold cases of the form
//!
//! ```text
//! === title            (a title that ends in [json] or [inline] says the format)
//! document
//! > line:column `what is underlined` code: message (help)
//! ```
//!
//! After a change on purpose, copy the file that the failing test names over the one it read.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{Format, Severity, Source, check};
use std::fmt::Write as _;
use std::path::Path;

#[track_caller]
fn check_file(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/invalid")
        .join(name);
    let expected = std::fs::read_to_string(&path).unwrap();
    let actual = replay(&expected);
    if actual != expected {
        let found = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&found, &actual).unwrap();
        let differing = expected
            .lines()
            .zip(actual.lines())
            .position(|(left, right)| left != right);
        let line = differing.unwrap_or(expected.lines().count().min(actual.lines().count()));
        panic!(
            "{}:{} differs\nexpected: {:?}\n  actual: {:?}\nall of it: {}",
            path.display(),
            line + 1,
            expected.lines().nth(line),
            actual.lines().nth(line),
            found.display()
        );
    }
}

/// The cases with what is found now.
fn replay(file: &str) -> String {
    let mut out = String::new();
    for case in file.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').unwrap();
        let document: String = rest
            .lines()
            .filter(|line| !line.starts_with("> "))
            .map(|line| format!("{line}\n"))
            .collect();
        let document = document.trim_end_matches('\n').to_owned() + "\n";
        let findings = findings(title, &document);
        assert!(!findings.is_empty(), "nothing is found in `{title}`");
        let _infallible = write!(out, "=== {title}\n{document}{findings}\n");
    }
    out
}

fn findings(title: &str, document: &str) -> String {
    let source = match title.rsplit_once('[') {
        Some((_, "json]")) => Source::with_format("a.json", document, Format::Json),
        Some((_, "inline]")) => Source::inline("Blueprint", &serde_json::from_str(document).unwrap()),
        _ => Source::with_format("a.yaml", document, Format::Yaml),
    };
    let checked = check(&source);
    let wrong = checked
        .diagnostics
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    assert_eq!(checked.blueprint.is_none(), wrong, "{title}");
    assert_eq!(
        checked.diagnostics,
        check(&source).diagnostics,
        "the same on every run: {title}"
    );
    assert!(
        checked
            .diagnostics
            .is_sorted_by_key(|finding| (finding.span, finding.code)),
        "sorted: {title}"
    );
    let mut out = String::new();
    for finding in checked.diagnostics {
        assert!(
            !finding.message.ends_with('.') && !finding.message.contains('\n'),
            "{}",
            finding.message
        );
        assert!(
            formwork_blueprint::codes::find(finding.code).is_some(),
            "{} is registered",
            finding.code
        );
        let location = source.location(finding.span);
        let place = location
            .path
            .unwrap_or(format!("{}:{}", location.line, location.column));
        let text = &source.text()[finding.span.start..finding.span.end];
        let text = text.lines().next().unwrap_or_default();
        let help = finding.help.map(|help| format!(" ({help})")).unwrap_or_default();
        let _infallible = writeln!(
            out,
            "> {place} `{text}` {}: {}{help}",
            finding.code, finding.message
        );
        for (span, label) in finding.labels {
            let location = source.location(span);
            let place = location
                .path
                .unwrap_or(format!("{}:{}", location.line, location.column));
            let _infallible = writeln!(out, ">   {place} {label}");
        }
    }
    out
}

#[test]
fn text_is_yaml_or_json() {
    check_file("syntax.txt");
}

#[test]
fn sections_have_their_shape() {
    check_file("sections.txt");
}

#[test]
fn substitutions_stand_where_they_may() {
    check_file("substitutions.txt");
}

#[test]
fn references_lead_somewhere() {
    check_file("references.txt");
}

#[test]
fn invalid_examples_of_the_specification_are_refused() {
    check_file("specification.txt");
}
