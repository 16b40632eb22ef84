//! The examples of the specification, each a file in `tests/specification` at the top of the workspace, and what
//! the checker says of them. `index.txt` beside them explains its own format.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{Checker, Children, Format, Include, Severity, Source, check};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where a text stands that is no document by itself.
const TEXT: &str = "metadata:\n  example: <example>";
const VERSION: &str = "version: 2023-04-20";
const RESOURCE: &str = "resources: {placeholder: {type: aws/sqs/queue}}";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specification")
}

fn index() -> String {
    std::fs::read_to_string(folder().join("index.txt")).unwrap()
}

/// What the specification says of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Valid,
    Invalid,
    /// It is shown as valid, and breaks a rule of the specification.
    Contradicts,
}

struct Row<'a> {
    file: &'a str,
    said: Said,
    /// Lines to add, before a line of the example or (`None`) after it.
    added: Vec<(Option<usize>, &'a str)>,
    findings: Vec<&'a str>,
}

/// The rows of the index; everything in it is a row, a comment or a heading.
fn rows(index: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in index.lines() {
        if let Some(rest) = line.strip_prefix("  +") {
            let (number, text) = rest.split_once(' ').unwrap();
            let before = (!number.is_empty()).then(|| number.parse().unwrap());
            rows.last_mut().unwrap().added.push((before, text));
        } else if let Some(finding) = line.strip_prefix("  > ") {
            rows.last_mut().unwrap().findings.push(finding);
        } else if !line.is_empty() && !line.starts_with(['#', '-']) && !line.starts_with("  #") {
            let (file, said) = line.split_once(' ').unwrap();
            let said = match said {
                "valid" => Said::Valid,
                "invalid" => Said::Invalid,
                "contradicts" => Said::Contradicts,
                other => panic!("{file}: `{other}`"),
            };
            rows.push(Row {
                file,
                said,
                added: Vec::new(),
                findings: Vec::new(),
            });
        }
    }
    rows
}

/// An example made whole.
struct Completed {
    text: String,
    /// For each of its lines, the example's line and how many columns further to the right that stands.
    origin: Vec<Option<(usize, usize)>>,
}

impl Completed {
    fn of(row: &Row<'_>, example: &str) -> Self {
        let json = row.file.ends_with(".json");
        let mut whole = Completed {
            text: String::new(),
            origin: Vec::new(),
        };
        let added = |before| row.added.iter().filter(move |(at, _)| *at == before);
        if row.file.ends_with(".txt") {
            let after: Vec<&str> = added(None).map(|(_, text)| *text).collect();
            let template = if after.iter().any(|line| line.contains("<example>")) {
                after.join("\n")
            } else {
                format!("{TEXT}\n{}", after.join("\n"))
            };
            for line in template.lines() {
                let column = line.find("<example>").map(|column| (1, column));
                whole.line(&line.replace("<example>", example.trim_end()), column);
            }
        } else {
            for (number, line) in (1..).zip(example.lines()) {
                for (_, text) in added(Some(number)) {
                    whole.line(text, None);
                }
                if json && number == 2 {
                    whole.complete_json(example, &row.added);
                }
                whole.line(line, Some((number, 0)));
            }
            for (_, text) in added(None) {
                whole.line(text, None);
            }
        }
        if !json {
            let starts = |text: &str, key: &str| text.lines().any(|line| line.starts_with(key));
            if !starts(&whole.text, "version:") {
                whole.line(VERSION, None);
            }
            if !starts(&whole.text, "resources:") && !starts(&whole.text, "include:") {
                whole.line(RESOURCE, None);
            }
        }
        whole
    }

    fn complete_json(&mut self, example: &str, added: &[(Option<usize>, &str)]) {
        let has = |key: &str| example.contains(key) || added.iter().any(|(_, text)| text.contains(key));
        if !has("\"version\"") {
            self.line("\"version\": \"2023-04-20\",", None);
        }
        if !has("\"resources\"") && !has("\"include\"") {
            self.line(
                "\"resources\": {\"placeholder\": {\"type\": \"aws/sqs/queue\"}},",
                None,
            );
        }
    }

    fn line(&mut self, text: &str, origin: Option<(usize, usize)>) {
        self.text.push_str(text);
        self.text.push('\n');
        self.origin.push(origin);
    }

    /// The findings as the index writes them.
    fn findings(&self, file: &str) -> Vec<String> {
        let format = if file.ends_with(".json") {
            Format::Json
        } else {
            Format::Yaml
        };
        let source = Source::with_format(file, self.text.as_str(), format);
        let checked = check(&source);
        let errors = checked
            .diagnostics
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        assert_eq!(checked.blueprint.is_none(), errors, "{file}");
        checked
            .diagnostics
            .iter()
            .map(|finding| {
                let at = source.location(finding.span);
                let severity = match finding.severity {
                    Severity::Error => "",
                    Severity::Warning => " (warning)",
                };
                match self.origin[at.line - 1] {
                    Some((line, shift)) => format!("{line}:{} {}{severity}", at.column - shift, finding.code),
                    None => format!(
                        "{}: {}",
                        self.text.lines().nth(at.line - 1).unwrap(),
                        finding.message
                    ),
                }
            })
            .collect()
    }
}

#[test]
fn every_example_is_judged_as_the_specification_says() {
    let index = index();
    let mut wrong = String::new();
    for row in rows(&index) {
        let example = std::fs::read_to_string(folder().join(row.file)).expect(row.file);
        let whole = Completed::of(&row, &example);
        let found = whole.findings(row.file);
        let refused = found.iter().any(|finding| !finding.ends_with("(warning)"));
        if found != row.findings || refused != (row.said != Said::Valid) {
            let _infallible = writeln!(wrong, "{} ({:?}):\n{}", row.file, row.said, whole.text);
            for finding in found {
                let _infallible = writeln!(wrong, "  > {finding}");
            }
        }
    }
    assert!(wrong.is_empty(), "not as the index says:\n{wrong}");
}

#[test]
fn index_and_folder_name_the_same_files() {
    let index = index();
    let rows = rows(&index);
    let named: BTreeSet<String> = rows.iter().map(|row| row.file.to_owned()).collect();
    assert_eq!(named.len(), rows.len(), "a file has two rows");
    let mut there: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.remove("index.txt");
    assert_eq!(there, named);
}

/// The specification has 40 fenced blocks of YAML, 6 of JSON and 35 without a language; each is accounted for.
#[test]
fn no_example_of_the_specification_is_left_out() {
    let index = index();
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for section in index.split("\n## ").skip(1) {
        let (heading, body) = section.split_once('\n').unwrap();
        let (_, counts) = heading.rsplit_once(": ").unwrap();
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for count in counts.split(", ") {
            let (number, kind) = count.split_once(' ').unwrap();
            counted.insert(kind.to_owned(), number.parse().unwrap());
        }
        let mut present: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(body) {
            let (_, kind) = row.file.rsplit_once('.').unwrap();
            *present.entry(kind.replace("txt", "plain")).or_default() += 1;
        }
        let others = body.lines().filter(|line| line.starts_with("- ")).count();
        if others > 0 {
            *present.entry("plain".to_owned()).or_default() += others;
        }
        assert_eq!(present, counted, "{heading}");
        if !heading.starts_with("Examples within sentences") {
            for (kind, number) in counted {
                *all.entry(kind).or_default() += number;
            }
        }
    }
    let expected = [("json", 6), ("plain", 35), ("yaml", 40)].map(|(kind, number)| (kind.to_owned(), number));
    assert_eq!(all, BTreeMap::from(expected));
}

/// The example's text, completed.
fn completed(file: &str) -> Completed {
    let index = index();
    let row = rows(&index).into_iter().find(|row| row.file == file).expect(file);
    Completed::of(&row, &std::fs::read_to_string(folder().join(file)).unwrap())
}

/// The files of one modular example, by the path that they are included with.
struct Files(&'static [(&'static str, &'static str)]);

impl Children for Files {
    fn working_dir(&self) -> Option<String> {
        Some("project".to_owned())
    }

    fn read(&self, _: &Source, include: &Include<'_>) -> Result<Option<Source>, String> {
        let found = self.0.iter().find(|(path, _)| *path == include.path);
        let (path, file) = found.ok_or("there is no such file")?;
        Ok(Some(Source::new(*path, completed(file).text)))
    }
}

/// Two examples give children variables that these do not have: everything else fits together.
#[test]
fn modular_examples_fit_together_but_for_three_variables() {
    const SAME_DIRECTORY: Files = Files(&[
        ("core-infra.yaml", "same-directory-2.yaml"),
        ("app-infra.yaml", "same-directory-3.yaml"),
    ]);
    const WORKING_DIRECTORY: Files = Files(&[
        ("project/core-infra/topics.yaml", "working-directory-2.yaml"),
        ("project/core-infra/event-bus.yaml", "working-directory-3.yaml"),
        ("project/app-infra/api.yaml", "working-directory-4.yaml"),
    ]);
    for (main, files, expected) in [
        ("same-directory-1.yaml", SAME_DIRECTORY, &["orderTopicId"][..]),
        (
            "working-directory-1.yaml",
            WORKING_DIRECTORY,
            &["eventBusName", "orderTopicId"],
        ),
    ] {
        let source = Source::new(main, completed(main).text);
        let findings = Checker::new().children(&files).check(&source).diagnostics;
        let found: Vec<&str> = findings
            .iter()
            .map(|finding| {
                assert_eq!(
                    finding.code,
                    "unknown-child-variable",
                    "{}",
                    finding.one_line(&source)
                );
                source.text().get(finding.span.start..finding.span.end).unwrap()
            })
            .collect();
        assert_eq!(found, expected, "{main}");
    }
}
