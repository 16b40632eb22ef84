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
    let (near, far): (Vec<_>, Vec<_>) = problem
        .labels
        .iter()
        .partition(|(label, _)| problem.span.is_none_or(|span| fits(*label, span, source)));
    let mut group = match problem.span {
        Some(span) => {
            let part = Part::of(source, span, &near);
            let labels = near.iter().map(|(span, text)| {
                AnnotationKind::Context
                    .span(part.range(*span))
                    .label(text.as_str())
            });
            title.element(
                Snippet::source(part.text)
                    .line_start(part.line)
                    .path(source.name())
                    .annotation(AnnotationKind::Primary.span(part.range(span)))
                    .annotations(labels),
            )
        }
        None => Group::with_title(title),
    };
    for (span, text) in far.iter().take(MAX_NOTES) {
        let location = source.location(*span);
        let note = format!("{text}: line {}, column {}", location.line, location.column);
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(more) = far.len().checked_sub(MAX_NOTES).filter(|more| *more > 0) {
        group = group.element(Level::NOTE.message(format!("and {more} more")));
    }
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

/// Lines up to here are shown whole if there is something to say about more than one place of theirs.
const LONG_LINE: usize = 200;
/// How many places are told that cannot be shown.
const MAX_NOTES: usize = 8;

/// Whether a further place can be shown together with the first one: a document may be one single line.
fn fits(label: Span, first: Span, source: &Source) -> bool {
    let text = source.text().as_bytes();
    let at = label.start.min(text.len());
    let is_end = |byte: &u8| *byte == b'\n';
    let before = text.iter().take(at).rev().take(LONG_LINE).position(is_end);
    let after = text.iter().skip(at).take(LONG_LINE).position(is_end);
    let length = before.unwrap_or(at) + after.unwrap_or(text.len() - at);
    length <= LONG_LINE || label.start.abs_diff(first.start) <= LONG_LINE / 2
}

/// The lines that a problem is about. The renderer reads all that it is given, for each problem anew.
struct Part<'a> {
    text: &'a str,
    /// The number of its first line.
    line: usize,
    /// Where it begins in the source.
    offset: usize,
}

impl<'a> Part<'a> {
    fn of(source: &'a Source, span: Span, labels: &[&(Span, String)]) -> Self {
        let text = source.text();
        let spans = || labels.iter().map(|(span, _)| *span).chain([span]);
        let first = boundary(text, spans().map(|span| span.start).min().unwrap_or_default());
        let last = boundary(text, spans().map(|span| span.end).max().unwrap_or_default()).max(first);
        let (before, after) = (text.get(..first), text.get(last..));
        let offset = before.and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
        let end = after
            .and_then(|text| text.find('\n'))
            .map_or(text.len(), |at| last + at);
        Part {
            text: text.get(offset..end).unwrap_or_default().trim_end_matches('\r'),
            line: source.location(Span::new(first, first)).line,
            offset,
        }
    }

    /// Where a span is in it, on character boundaries.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let inside = |offset: usize| boundary(self.text, offset.saturating_sub(self.offset));
        let start = inside(span.start);
        start..inside(span.end).max(start)
    }
}

/// The last boundary between characters that is not behind `offset`.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part<'a>(source: &'a Source, wanted: &str, labels: &[&str]) -> (usize, &'a str) {
        let span = |wanted: &str| {
            let start = source.text().find(wanted).unwrap();
            Span::new(start, start + wanted.len())
        };
        let labels: Vec<_> = labels.iter().map(|label| (span(label), String::new())).collect();
        let part = Part::of(source, span(wanted), &labels.iter().collect::<Vec<_>>());
        assert_eq!(part.text.get(part.range(span(wanted))), Some(wanted));
        (part.line, part.text)
    }

    #[test]
    fn the_lines_shown_are_those_that_are_meant() {
        let source = Source::new("a.yaml", "one: 1\ntwo: zwölf\nthree: 3\nfour: 4");
        assert_eq!(part(&source, "one", &[]), (1, "one: 1"));
        assert_eq!(part(&source, "zwölf", &[]), (2, "two: zwölf"));
        assert_eq!(part(&source, "4", &[]), (4, "four: 4"));
        assert_eq!(part(&source, "3\nfour", &[]), (3, "three: 3\nfour: 4"));
        assert_eq!(part(&source, "three", &["two"]), (2, "two: zwölf\nthree: 3"));
        let source = Source::new("a.yaml", "one: 1\r\ntwo: 2\r\n");
        assert_eq!(part(&source, "two", &[]), (2, "two: 2"));
    }

    #[test]
    fn a_span_that_lies_nowhere_harms_nothing() {
        let source = Source::new("a.yaml", "ü: 1\n");
        for span in [
            Span::new(1, 1),
            Span::new(9, 12),
            Span::new(4, 2),
            Span::new(1, 99),
        ] {
            let part = Part::of(&source, span, &[]);
            assert!(part.text.get(part.range(span)).is_some(), "{span:?}");
        }
    }
}
