//! Problems with their source lines, as a compiler shows them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use formwork_blueprint::{Severity, Source, Span};
use formwork_engine::Problem;
use serde_json::{Value, json};

/// A problem with the lines it is about.
pub fn text(problem: &Problem, source: &Source, coloured: bool) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(problem.message.as_str())
        .id(problem.code.as_str());
    let mut group = match problem.span {
        Some(span) => {
            let labels = problem.labels.iter().map(|(span, text)| {
                AnnotationKind::Context
                    .span(range(*span, source))
                    .label(text.as_str())
            });
            title.element(
                Snippet::source(source.text())
                    .path(source.name())
                    .annotation(AnnotationKind::Primary.span(range(span, source)))
                    .annotations(labels),
            )
        }
        None => Group::with_title(title),
    };
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if coloured {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&[group])
}

/// A span that is sure to lie within the text, on character boundaries.
fn range(span: Span, source: &Source) -> std::ops::Range<usize> {
    let text = source.text();
    let inside = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = inside(span.start);
    start..inside(span.end).max(start)
}

/// A problem as scripts read it.
pub fn json(problem: &Problem, file: &str) -> Value {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "code": problem.code,
        "severity": severity,
        "message": problem.message,
        "file": file,
        "line": problem.position.as_ref().map(|at| at.line),
        "column": problem.position.as_ref().map(|at| at.column),
        "help": problem.help,
    })
}
