//! Findings as text, for the tables that compare text with text.

use formwork_blueprint::{Diagnostic, Source, Span};
use std::fmt::Write as _;

/// One line for each finding and each of its labels:
///
/// ```text
/// > line:column `what is underlined` code: message (help)
/// >   line:column label
/// ```
pub(crate) fn told(source: &Source, findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for finding in findings {
        let text = source.text().get(finding.span.start..finding.span.end);
        let text = text
            .expect("a span inside the text")
            .lines()
            .next()
            .unwrap_or_default();
        let help = finding
            .help
            .as_ref()
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        let at = place(source, finding.span);
        let _infallible = writeln!(out, "> {at} `{text}` {}: {}{help}", finding.code, finding.message);
        for (span, label) in &finding.labels {
            let _infallible = writeln!(out, ">   {} {label}", place(source, *span));
        }
    }
    out
}

/// `line:column`, or the path of keys where nobody has seen the lines.
pub(crate) fn place(source: &Source, span: Span) -> String {
    let location = source.location(span);
    location
        .path
        .unwrap_or(format!("{}:{}", location.line, location.column))
}
