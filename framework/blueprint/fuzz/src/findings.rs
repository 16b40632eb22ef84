//! What is promised of every diagnostic.

use formwork_blueprint::{Diagnostic, EvaluationError, Source, Span, codes};

/// Holds the findings about a source to what is promised of them.
pub(crate) fn hold(findings: &[Diagnostic], source: &Source) {
    let order = |finding: &Diagnostic| (finding.span, finding.code);
    assert!(findings.is_sorted_by_key(order), "not sorted: {findings:#?}");
    for finding in findings {
        inside(finding.span, source.text());
        reads_well(finding.code, &finding.message, finding.help.as_deref());
        for (span, label) in &finding.labels {
            inside(*span, source.text());
            one_line(label);
        }
        let location = source.location(finding.span);
        assert!(location.line >= 1 && location.column >= 1, "{location:?}");
        assert!(
            source.end(finding.span) >= (location.line, location.column),
            "{finding:?}"
        );
    }
}

/// Holds a failed evaluation to the same.
pub(crate) fn hold_error(error: &EvaluationError, text: &str) {
    inside(error.span, text);
    reads_well(error.code, &error.message, error.help.as_deref());
}

fn inside(span: Span, text: &str) {
    let found = text.get(span.start..span.end);
    assert!(
        found.is_some(),
        "{span:?} is no range of characters of the {} bytes",
        text.len()
    );
}

fn reads_well(code: &str, message: &str, help: Option<&str>) {
    assert!(codes::find(code).is_some(), "`{code}` is not in the registry");
    one_line(message);
    assert!(!message.ends_with('.'), "a full stop: {message}");
    assert!(
        message.len() < 2_000,
        "a message of {} bytes: {message}",
        message.len()
    );
    if let Some(help) = help {
        one_line(help);
    }
}

fn one_line(text: &str) {
    assert!(
        !text.is_empty() && !text.contains(['\n', '\r']),
        "not one line: {text:?}"
    );
}
