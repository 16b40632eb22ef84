//! The YAML parser's errors in our words.

use super::too_deep;
use crate::spelling::shown;
use crate::{Diagnostic, Span, codes};
use granit_parser::{ErrorKind, ScanError};

/// The finding for an error in `text`, which stands at byte `start` of its source.
pub(super) fn syntax_error(error: &ScanError, text: &str, start: usize) -> Box<Diagnostic> {
    let offset = error.marker().byte_offset().unwrap_or_default().min(text.len());
    let (before, after) = text.split_at_checked(offset).unwrap_or_default();
    let at = Span::new(start + offset, start + offset);
    // The parser looks ahead, and stops at a limit of its own before the loader comes to ours.
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return Box::new(too_deep(at));
    }
    let info = error.info();
    if info.contains("unknown anchor") {
        let rest = after.trim_start_matches('*');
        let name = rest
            .split([' ', '\n', '\r', ',', ']', '}'])
            .next()
            .unwrap_or_default();
        let message = format!("there is no anchor `{}` before this alias", shown(name));
        return Box::new(Diagnostic::error(codes::YAML_SYNTAX, at, message));
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let (message, help) = explain(&info, line.trim_start_matches(' ').starts_with('\t'));
    let finding = Diagnostic::error(codes::YAML_SYNTAX, at, message);
    Box::new(finding.help_if(help.map(str::to_owned)))
}

/// A message for the parser's, with advice where there is a usual cause.
fn explain(info: &str, after_tab: bool) -> (String, Option<&'static str>) {
    const QUOTES: &str = "a value with `: ` or ` #` in it needs quotes";
    const KNOWN: [(&str, &str, Option<&str>); 6] = [
        ("simple key expected", "expected `:` after the key", None),
        (
            "did not find expected key",
            "expected a key, indented like the others of its map",
            None,
        ),
        (
            "multiline quoted scalar",
            "a quoted string goes on at a wrong indentation",
            Some("is its closing quote missing?"),
        ),
        (
            "did not find expected ',' or '}'",
            "expected `,` or `}`",
            Some(QUOTES),
        ),
        (
            "did not find expected ',' or ']'",
            "expected `,` or `]`",
            Some(QUOTES),
        ),
        (
            "mapping values are not allowed",
            "a `:` where no key can stand",
            Some(QUOTES),
        ),
    ];
    if after_tab {
        return (
            "a tab as indentation".to_owned(),
            Some("indent with spaces: YAML allows no tabs here"),
        );
    }
    match KNOWN.iter().find(|(part, ..)| info.contains(part)) {
        Some((_, message, help)) => ((*message).to_owned(), *help),
        None => (info.to_lowercase().replace('\n', " ").replace('\'', "`"), None),
    }
}
