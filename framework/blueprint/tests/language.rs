//! `docs/language.md` is true: its examples, and its tables of functions, operators, limits and types.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{
    Diagnostic, Enumerations, Functions, Operator, Reference, Scope, Source, Template, Value, check, codes,
    evaluate,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    std::fs::read_to_string(path).unwrap()
}

/// The text under a heading of the second level.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let (_, rest) = page
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no section `{heading}`"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

/// The rows of a section's first table that has such a head, as cells.
fn table<'p>(section: &'p str, head: &str) -> Vec<Vec<&'p str>> {
    let lines = section.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    lines
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn examples_are_what_the_page_says() {
    let page = page();
    let (mut examples, mut wrong) = (0, String::new());
    for block in page.split("\n```yaml").skip(1) {
        let (said, rest) = block.split_once('\n').unwrap();
        let (example, _) = rest.split_once("\n```").unwrap();
        let expected: Vec<&str> = match said.trim().split_once(' ') {
            None if said.trim() == "valid" => Vec::new(),
            Some(("invalid", codes)) => codes.split(", ").collect(),
            _ => panic!("`{said}` of\n{example}"),
        };
        examples += 1;
        let source = Source::new("example.yaml", completed(example));
        let found = check(&source).diagnostics;
        if found.iter().map(|finding| finding.code).ne(expected) {
            let lines: Vec<String> = found.iter().map(|finding| finding.one_line(&source)).collect();
            let _infallible = writeln!(wrong, "{said}: {lines:#?} in\n{}", source.text());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(examples > 0);
}

fn completed(example: &str) -> String {
    let has = |key: &str| example.lines().any(|line| line.starts_with(key));
    let version = if has("version:") {
        ""
    } else {
        "\nversion: 2023-04-20"
    };
    let resources = if has("resources:") || has("include:") {
        ""
    } else {
        "\nresources: {placeholder: {type: aws/sqs/queue}}"
    };
    format!("{example}{version}{resources}\n")
}

#[test]
fn every_code_that_the_page_names_exists() {
    let page = page();
    let limits = table(section(&page, "Limits"), "| Limit ");
    let in_limits = limits.iter().flat_map(|row| quoted(row.last().unwrap()));
    for code in in_limits.chain(["too-many-findings"]) {
        assert!(codes::find(code).is_some(), "{code}");
    }
}

#[test]
fn limits_are_those_that_findings_name() {
    let page = page();
    for row in table(section(&page, "Limits"), "| Limit ") {
        let [what, number, code] = row.as_slice() else {
            panic!("{row:?}")
        };
        let code = codes::find(quoted(code).first().unwrap()).expect("a code");
        let (_, findings) = code.findings();
        let number = number.replace(',', "");
        let told = findings.iter().filter(|finding| finding.code == code.name);
        let numbers: BTreeSet<String> = told.flat_map(numbers).collect();
        assert!(
            numbers.contains(&number),
            "{what}: {number} is not among {numbers:?}"
        );
    }
}

#[test]
fn no_limit_is_left_out() {
    let page = page();
    let limits = section(&page, "Limits");
    for code in codes::all() {
        let repeats = |text: &str| text.contains('«');
        if repeats(code.example) || code.run.is_some_and(|run| repeats(run.variables)) {
            assert!(limits.contains(&format!("`{}`", code.name)), "{}", code.name);
        }
    }
}

fn numbers(finding: &Diagnostic) -> Vec<String> {
    let numbers = finding.message.split(|c: char| !c.is_ascii_digit());
    numbers
        .filter(|number| !number.is_empty())
        .map(str::to_owned)
        .collect()
}

/// There is nothing to refer to.
struct Nothing;

impl Scope for Nothing {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        Err(format!("`{reference}`"))
    }
}

#[test]
fn functions_are_those_of_the_registry_and_return_what_the_page_says() {
    let page = page();
    let rows = table(section(&page, "Functions"), "| Function ");
    let functions = Functions::core();
    let signatures: Vec<String> = functions
        .names()
        .into_iter()
        .map(|name| functions.find(name).unwrap().signature())
        .collect();
    let written: Vec<&str> = rows.iter().flat_map(|row| quoted(row.first().unwrap())).collect();
    assert_eq!(written, signatures);
    for row in rows {
        let [text, expected] = quoted(row.last().unwrap())[..] else {
            panic!("{row:?}")
        };
        let template = Template::parse(text).unwrap_or_else(|findings| panic!("{text}: {findings:?}"));
        let value = evaluate(&template, &Nothing).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(value.to_json().to_string(), expected, "{text}");
    }
}

#[test]
fn operators_are_all_there_and_compare_as_the_page_says() {
    let page = page();
    let rows = table(section(&page, "Data sources"), "| Operator ");
    let written: Vec<&str> = rows.iter().flat_map(|row| quoted(row.first().unwrap())).collect();
    assert_eq!(written, Operator::ALL.map(Operator::name));
    for row in rows {
        let example = row.last().unwrap();
        let [field, search] = quoted(example)[..] else {
            panic!("{example}")
        };
        let operator = example.split('`').nth(2).unwrap().trim();
        let value = |json| Value::from_json(&serde_json::from_str(json).unwrap());
        let operator = Operator::find(operator).unwrap_or_else(|| panic!("{example}"));
        let answer = operator
            .matches(&value(field), &value(search))
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(answer.to_json(), true, "{example}");
    }
}

#[test]
fn custom_types_are_those_built_in() {
    let page = page();
    let (_, rest) = page.split_once("<!-- custom types -->\n\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let built_in = Enumerations::default();
    assert_eq!(quoted(list), built_in.names());
}
