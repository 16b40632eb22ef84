//! Hostile documents: a clear error instead of a crash, a hang or a flood.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{Diagnostic, Format, Source, check, parse_value};
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

/// The first finding as `code line:column`, and that there is at most one, for a document that ends at its bounds.
#[track_caller]
fn refused(format: Format, text: impl Into<String>, expected: &str) {
    let source = Source::with_format("a", text, format);
    let found: Vec<String> = check(&source)
        .diagnostics
        .iter()
        .map(|finding| place(finding, &source))
        .collect();
    assert_eq!(found, [expected]);
}

fn place(finding: &Diagnostic, source: &Source) -> String {
    let location = source.location(finding.span);
    format!("{} {}:{}", finding.code, location.line, location.column)
}

const DOCUMENT: &str = "version: 2023-04-20\nresources: {q: {type: aws/sqs/queue}}\n";

#[test]
fn a_billion_laughs_end_early() {
    let mut text = format!("{DOCUMENT}metadata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        let _infallible = writeln!(text, "  a{level}: &a{level} [{alias}]");
    }
    refused(Format::Yaml, text, "too-many-aliases 9:12");
    let many = format!(
        "{DOCUMENT}metadata:\n  a: &a x\n  b:\n{}",
        "  - *a\n".repeat(100_001)
    );
    refused(Format::Yaml, many, "too-many-aliases 100006:5");
}

#[test]
fn aliases_cannot_pile_up_levels() {
    let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(60), "]".repeat(60));
    let text = format!(
        "{DOCUMENT}metadata:\n  a: &a {}\n  b: &b {}\n",
        nested("x"),
        nested("*a")
    );
    refused(Format::Yaml, text, "too-deep 5:69");
}

#[test]
fn nesting_is_bounded_where_it_gets_too_deep() {
    refused(Format::Json, "[".repeat(100_000), "too-deep 1:101");
    refused(
        Format::Json,
        "[".repeat(100_000) + &"]".repeat(100_000),
        "too-deep 1:101",
    );
    refused(Format::Json, "{\"a\":".repeat(100_000), "too-deep 1:501");
    refused(Format::Yaml, "[".repeat(100_000), "too-deep 1:101");
    refused(Format::Yaml, "{a: ".repeat(100_000), "too-deep 1:401");
    refused(Format::Yaml, "- ".repeat(100_000), "too-deep 1:201");
    let indented: String = (0..1_000).map(|level| " ".repeat(level) + "a:\n").collect();
    refused(Format::Yaml, indented, "too-deep 101:101");
    let levels = |count: usize| {
        format!(
            "{DOCUMENT}metadata: {{a: {}{}}}\n",
            "[".repeat(count),
            "]".repeat(count)
        )
    };
    assert!(codes(Format::Yaml, levels(98)).is_empty());
    refused(Format::Yaml, levels(99), "too-deep 3:113");
}

#[test]
fn calls_and_substitutions_are_bounded() {
    let text = |inner: &str| format!("{DOCUMENT}metadata: {{a: \"{inner}\"}}\n");
    let deep = |calls: usize| {
        text(&format!("${{{}'x'{}}}", "trim(".repeat(calls), ")".repeat(calls)).replace('\'', "\\\""))
    };
    assert!(codes(Format::Yaml, deep(32)).is_empty());
    refused(Format::Yaml, deep(33), "substitution-too-deep 3:182");
    refused(Format::Yaml, deep(100_000), "substitution-too-deep 3:182");
    refused(
        Format::Yaml,
        text(&format!("${{{}", "trim(".repeat(100_000))),
        "unclosed-substitution 3:16",
    );
    refused(
        Format::Yaml,
        text(&"${".repeat(500_000)),
        "too-many-substitutions 3:400016",
    );
    refused(
        Format::Yaml,
        text(&"${".repeat(100_000)),
        "unclosed-substitution 3:16",
    );
    assert!(codes(Format::Yaml, text(&"${q}".repeat(10_000))).is_empty());
    refused(
        Format::Yaml,
        text(&"${q}".repeat(300_000)),
        "too-many-substitutions 3:800016",
    );
}

#[test]
fn size_is_bounded() {
    let large = "a".repeat(50_000_000);
    refused(Format::Yaml, large.as_str(), "document-too-large 1:1");
    refused(Format::Json, large, "document-too-large 1:1");
    refused(Format::Yaml, "\n".repeat(9_000_000), "document-too-large 1:1");
    refused(
        Format::Json,
        format!("[{}1]", "1,".repeat(1_000_000)),
        "too-many-values 1:1000000",
    );
    let keys: String = (0..600_000).map(|key| format!("k{key}: 1\n")).collect();
    refused(Format::Yaml, keys, "too-many-values 250000:10");
    let long = format!("{DOCUMENT}metadata: {{a: {}}}\n", "x".repeat(8_000_000));
    assert!(codes(Format::Yaml, long).is_empty());
}

#[test]
fn numbers_of_any_length_stay_what_they_are() {
    let document = |number: &str| format!("{DOCUMENT}metadata: {{a: {number}}}\n");
    for number in [
        "9".repeat(100_000),
        "1e999999999".to_owned(),
        format!("1e-{}", "9".repeat(1_000)),
        "1.10".to_owned(),
    ] {
        assert!(codes(Format::Yaml, document(&number)).is_empty());
        let source = Source::with_format("a", document(&number), Format::Yaml);
        let value = parse_value(&source).unwrap();
        assert_eq!(value["metadata"]["a"].to_string().replace('+', ""), number);
    }
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
    assert_eq!(last.message, "at least 3500 further findings are not shown");
    let lines: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|finding| finding.one_line(&source))
        .collect();
    assert!(lines[0].starts_with("a.json:1:"));
}

#[test]
fn a_flood_of_warnings_hides_no_error() {
    let zeros = "007, ".repeat(20_000);
    let document = |last: &str| format!("{DOCUMENT}metadata: {{a: [{zeros} {last}]}}\n");
    let checked = |last: &str| check(&Source::with_format("a", document(last), Format::Yaml));
    assert!(checked("1").blueprint.is_some());
    let wrong = checked("\"${nowhere}\"");
    assert!(wrong.blueprint.is_none());
    assert!(
        wrong
            .diagnostics
            .iter()
            .any(|finding| finding.code == "unknown-resource")
    );
}

#[test]
fn odd_bytes_are_read_or_refused_at_their_place() {
    let read = |bytes: &[u8]| {
        let source = Source::from_bytes("a.yaml", bytes.to_vec());
        let found = check(&source).diagnostics;
        found
            .first()
            .map(|finding| place(finding, &source))
            .unwrap_or_default()
    };
    let document = "version: 2023-04-20\nresources:\n  queue:\n    type: aws/sqs/queue\n";
    assert_eq!(read(format!("\u{feff}{document}").as_bytes()), "");
    assert_eq!(read(document.replace('\n', "\r\n").as_bytes()), "");
    assert_eq!(read(document.replace('\n', "\r").as_bytes()), "");
    let crlf = document.replace('\n', "\r\n") + "    spce: {}\r\n";
    assert_eq!(read(crlf.as_bytes()), "unknown-key 5:5");
    assert_eq!(read(crlf.replace("\r\n", "\r").as_bytes()), "unknown-key 5:5");
    assert_eq!(read(b"a: 1\nb: x\0y\n"), "yaml-syntax 2:5");
    assert_eq!(read(&[0; 100_000]), "yaml-syntax 1:1");
    assert_eq!(read(b"a: 1\nb: caf\xe9 and \xff\n"), "wrong-encoding 2:7");
    assert_eq!(read(b"\xff"), "wrong-encoding 1:1");
    assert_eq!(read(&[0xff; 100_000]), "wrong-encoding 1:1");
    let wide: Vec<u8> = document.encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&wide), "wrong-encoding 1:1");
    assert_eq!(read(b""), "empty-document 1:1");
    refused(Format::Json, "{\"a\0\": 1}", "json-syntax 1:4");
    refused(Format::Json, "\0", "json-syntax 1:1");
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
