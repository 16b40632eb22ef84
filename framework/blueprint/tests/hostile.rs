//! Hostile documents: a clear error instead of a crash, a hang or a flood.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{Format, Source, check};
use proptest::prelude::*;
use std::fmt::Write as _;

/// The codes found, without repetition.
fn codes(format: Format, text: String) -> Vec<&'static str> {
    let source = Source::with_format("a", text, format);
    let mut codes: Vec<&str> = check(&source)
        .diagnostics
        .iter()
        .map(|finding| finding.code)
        .collect();
    codes.dedup();
    codes
}

#[test]
fn a_billion_laughs_end_early() {
    let mut text = "version: 2023-04-20\nmetadata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        let _infallible = writeln!(text, "  a{level}: &a{level} [{alias}]");
    }
    assert_eq!(codes(Format::Yaml, text), ["too-many-aliases"]);
}

#[test]
fn aliases_cannot_pile_up_levels() {
    let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(60), "]".repeat(60));
    let text = format!(
        "version: 2023-04-20\nmetadata:\n  a: &a {}\n  b: &b {}\n",
        nested("x"),
        nested("*a")
    );
    assert_eq!(codes(Format::Yaml, text), ["too-deep"]);
}

#[test]
fn nesting_is_bounded() {
    assert_eq!(codes(Format::Json, "[".repeat(100_000)), ["too-deep"]);
    assert_eq!(codes(Format::Json, "{\"a\":".repeat(100_000)), ["too-deep"]);
    assert_eq!(codes(Format::Yaml, "[".repeat(100_000)), ["too-deep"]);
    assert_eq!(codes(Format::Yaml, "- ".repeat(100_000)), ["too-deep"]);
}

#[test]
fn size_is_bounded() {
    assert_eq!(
        codes(Format::Yaml, "a".repeat(9 * 1024 * 1024)),
        ["document-too-large"]
    );
    assert_eq!(
        codes(Format::Json, "a".repeat(9 * 1024 * 1024)),
        ["document-too-large"]
    );
    assert_eq!(
        codes(Format::Json, format!("[{}1]", "1,".repeat(1_000_000))),
        ["too-many-values"]
    );
}

#[test]
fn a_flood_of_findings_is_cut() {
    let mut text =
        "{\"version\": \"2023-04-20\", \"resources\": {\"a\": {\"type\": \"aws/sqs/queue\", \"spec\": {"
            .to_owned();
    for index in 0..20_000 {
        let _infallible = write!(text, "\"k{index}\": \"${{variables.name{index}}}\", ");
    }
    text.push_str("\"z\": 1}}}}");
    let source = Source::with_format("a.json", text, Format::Json);
    let checked = check(&source);
    assert_eq!(checked.diagnostics.len(), 501);
    let last = checked.diagnostics.last().unwrap();
    assert_eq!(last.message, "19500 further findings are not shown");
    let lines: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|finding| finding.one_line(&source))
        .collect();
    assert!(lines[0].starts_with("a.json:1:"));
}

#[test]
fn odd_characters_are_read_or_refused() {
    let document = "version: 2023-04-20\nresources:\n  queue:\n    type: aws/sqs/queue\n";
    assert!(codes(Format::Yaml, format!("\u{feff}{document}")).is_empty());
    assert!(codes(Format::Yaml, document.replace('\n', "\r\n")).is_empty());
    assert_eq!(codes(Format::Yaml, "\0".to_owned()).len(), 1);
    assert_eq!(codes(Format::Json, "{\"a\0\": 1}".to_owned()), ["json-syntax"]);
    assert!(
        codes(Format::Json, "\u{feff}{\"version\": \"2023-04-20\"}".to_owned())
            .contains(&"missing-resources")
    );
}

#[test]
fn a_long_chain_of_references_is_fine_and_closing_it_is_told() {
    let chain = |last: &str| {
        let mut text = "version: 2023-04-20\nresources:\n".to_owned();
        for index in 0..3_000 {
            let next = if index == 2_999 {
                last.to_owned()
            } else {
                format!("r{}", index + 1)
            };
            let _infallible = writeln!(
                text,
                "  r{index}: {{type: aws/sqs/queue, spec: {{a: '${{{next}.state.x}}'}}}}"
            );
        }
        text + "  end: {type: aws/sqs/queue}\n"
    };
    assert!(codes(Format::Yaml, chain("end")).is_empty());
    assert_eq!(codes(Format::Yaml, chain("r0")), ["reference-cycle"]);
}

proptest! {
    /// Whatever the text, checking answers, the same every time, sorted, with places inside the text.
    #[test]
    fn checking_never_panics(text in document(), json in any::<bool>()) {
        let format = if json { Format::Json } else { Format::Yaml };
        let source = Source::with_format("a", text, format);
        let checked = check(&source);
        prop_assert_eq!(&checked.diagnostics, &check(&source).diagnostics);
        prop_assert!(checked.diagnostics.is_sorted_by_key(|finding| (finding.span, finding.code)));
        for finding in &checked.diagnostics {
            prop_assert!(source.text().get(finding.span.start..finding.span.end).is_some(), "{:?}", finding);
            prop_assert!(!finding.one_line(&source).contains('\n'));
        }
    }

    /// Substitutions in any style of scalar: spans stay on character boundaries.
    #[test]
    fn substitutions_in_any_style_never_panic(text in "[a-z$ {}.\"\\\\(),0-9\\n'é😀]{0,40}", style in 0..4) {
        let quoted = match style {
            0 => serde_json::Value::from(text).to_string(),
            1 => format!("'{}'", text.replace('\'', "''")),
            2 => format!("|\n    {}", text.replace('\n', "\n    ")),
            _ => format!(">-\n    {}", text.replace('\n', "\n    ")),
        };
        let document = format!("version: 2023-04-20\nmetadata:\n  a: {quoted}\nresources: {{q: {{type: a/b}}}}\n");
        let source = Source::with_format("a.yaml", document, Format::Yaml);
        for finding in check(&source).diagnostics {
            prop_assert!(source.text().get(finding.span.start..finding.span.end).is_some(), "{:?}", finding);
        }
    }
}

/// Lines that look like a blueprint, shuffled and broken.
fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("version: 2023-04-20".to_owned()),
        Just("resources:".to_owned()),
        Just("  queue: {type: aws/sqs/queue, spec: {a: \"${topic.state.arn}\"}}".to_owned()),
        Just("  topic: &a {type: aws/sns/topic, spec: *b}".to_owned()),
        Just("variables: {a: {type: integer, default: 0x1F}}".to_owned()),
        Just("{\"resources\": {\"a\": {\"spec\": [1, 2.5e3, \"\\u00e9${\"]}}}".to_owned()),
        Just("exports: {a: {type: string, field: queue.state}}".to_owned()),
        Just("include: {a: {path: \"${workingDir}/x\"}}".to_owned()),
        "[ \\-:{}\\[\\]\"'|>&*!#%@`$a-z0-9é\\t\\\\]{0,30}",
        ".{0,20}",
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}
