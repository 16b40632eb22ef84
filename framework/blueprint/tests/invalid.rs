//! Invalid documents and all that is said about each: text against text.
//!
//! Every file in `tests/invalid` holds cases of the form
//!
//! ```text
//! === title            (a title that ends in [json], [inline] or an encoding says the format)
//! document
//! > line:column `what is underlined` code: message (help)
//! ```
//!
//! A case lists every finding of its document: what follows from one mistake must not be told as a second one.
//! After a change on purpose, copy the file that the failing test names over the one it read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod told;

use formwork_blueprint::{Format, Severity, Source, check, codes};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn every_finding_of_every_document_is_as_written() {
    let mut wrong = String::new();
    for path in files() {
        let expected = std::fs::read_to_string(&path).unwrap();
        let actual = replay(&expected);
        if actual != expected {
            let found = Path::new(env!("CARGO_TARGET_TMPDIR")).join(path.file_name().unwrap());
            std::fs::write(&found, &actual).unwrap();
            let differing = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
            let line = differing.unwrap_or(expected.lines().count().min(actual.lines().count()));
            let _infallible = writeln!(
                wrong,
                "{}:{} differs\nexpected: {:?}\n  actual: {:?}\nall of it: {}",
                path.display(),
                line + 1,
                expected.lines().nth(line),
                actual.lines().nth(line),
                found.display()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/invalid");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
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
        Some((_, "latin]")) => {
            let bytes = document.chars().map(|letter| u8::try_from(letter).unwrap());
            Source::from_bytes("a.yaml", bytes.collect())
        }
        Some((_, "utf-16]")) => {
            let bytes = document.encode_utf16().flat_map(u16::to_le_bytes);
            Source::from_bytes("a.yaml", bytes.collect())
        }
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
    for finding in &checked.diagnostics {
        reads_well(&finding.message);
        finding.help.as_deref().into_iter().for_each(reads_well);
        finding.labels.iter().for_each(|(_, label)| reads_well(label));
        assert!(
            codes::find(finding.code).is_some(),
            "{} is registered",
            finding.code
        );
    }
    told::told(&source, &checked.diagnostics)
}

/// One line in lower case without a full stop; names keep their capitals.
fn reads_well(text: &str) {
    const NAMES: [&str; 5] = ["JSON", "YAML", "CloudFormation", "Kubernetes", "UTF-"];
    let capital = text.starts_with(char::is_uppercase) && !NAMES.iter().any(|name| text.starts_with(name));
    let well = !text.is_empty() && !capital && !text.ends_with('.') && !text.contains('\n');
    assert!(well, "{text}");
}

#[test]
fn titles_are_unique_so_that_each_case_can_be_found() {
    let mut titles = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for title in text.lines().filter_map(|line| line.strip_prefix("=== ")) {
            let case = format!("{}: {title}", path.display());
            assert!(titles.insert(case.clone()), "{case} is there twice");
        }
    }
}

/// What takes a run is in `evaluation.rs`, what takes a huge document in `hostile.rs`; here no resource type is
/// known.
#[test]
fn every_code_that_a_document_leads_to_has_a_case() {
    let children = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/children/cases.txt");
    let told: String = files()
        .into_iter()
        .chain([children])
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let told: BTreeSet<&str> = told
        .lines()
        .filter(|line| line.starts_with("> ") || line.starts_with("> >"))
        .flat_map(|line| line.split("` "))
        .filter_map(|part| part.split(':').next())
        .collect();
    let missing: Vec<&str> = codes::all()
        .filter(|code| code.run.is_none() && !code.example.contains('«'))
        .filter(|code| ![codes::UNKNOWN_ATTRIBUTE, codes::UNKNOWN_PROPERTY].contains(&code.name))
        .map(|code| code.name)
        .filter(|name| !told.contains(name))
        .collect();
    assert!(missing.is_empty(), "no case leads to {missing:?}");
}
