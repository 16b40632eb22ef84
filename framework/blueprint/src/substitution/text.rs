//! Text with substitutions in it, split into its parts.

use super::Expression;
use super::parser::{MAX_EXPRESSION_BYTES, Parser};
use crate::diagnostic::collect;
use crate::syntax::Positions;
use crate::{Diagnostic, codes};
use std::borrow::Cow;
use std::fmt;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Substitution(Expression),
}

impl fmt::Display for Part {
    /// As it may be written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Text(text) => f.write_str(&escape(text)),
            Part::Substitution(expression) => write!(f, "${{{expression}}}"),
        }
    }
}

/// The escape for a literal `${`.
const ESCAPED: &str = "$${";
const OPENING: &str = "${";

/// Splits a text into literal parts and substitutions. Goes on after an error where the next `}` allows it,
/// so that one slip does not hide another.
pub(crate) fn parse_text(text: &str, positions: &Positions, findings: &mut Vec<Diagnostic>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')) {
        literal.push_str(text.get(at..at + found).unwrap_or_default());
        at += found;
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(ESCAPED) {
            literal.push_str(OPENING);
            at += ESCAPED.len();
        } else if rest.starts_with(OPENING) {
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            match substitution(text, positions, at) {
                Ok((expression, end)) => {
                    parts.push(Part::Substitution(expression));
                    at = end;
                }
                Err((finding, resume)) => {
                    collect(findings, *finding);
                    at = resume;
                }
            }
        } else {
            literal.push('$');
            at += 1;
        }
    }
    literal.push_str(text.get(at..).unwrap_or_default());
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    parts
}

/// One substitution from its `${`, and where it ends; or an error, and where to go on.
fn substitution(
    text: &str,
    positions: &Positions,
    start: usize,
) -> Result<(Expression, usize), (Box<Diagnostic>, usize)> {
    let mut parser = Parser::new(text, positions, start + OPENING.len());
    let parsed = parser
        .substitution()
        .and_then(|expression| parser.close().map(|()| expression));
    let opening = positions.span(start, start + OPENING.len());
    match parsed {
        Ok(_) if parser.at - start > MAX_EXPRESSION_BYTES => {
            let message = format!("a substitution longer than {MAX_EXPRESSION_BYTES} bytes");
            Err((
                Box::new(Diagnostic::error(codes::SUBSTITUTION_TOO_LONG, opening, message)),
                parser.at,
            ))
        }
        Ok(expression) => Ok((expression, parser.at)),
        Err(failure) => match closing(text, failure.at) {
            Some(close) if !failure.in_string => Err((failure.finding, close)),
            None if !failure.in_string => {
                let finding = Diagnostic::error(codes::UNCLOSED_SUBSTITUTION, opening, "`${` is not closed");
                let finding = finding.help("close it with `}`, or write `$${` for a literal `${`");
                Err((Box::new(finding), text.len()))
            }
            _ => Err((failure.finding, text.len())),
        },
    }
}

/// Where the text goes on after the `}` that ends a broken substitution.
fn closing(text: &str, from: usize) -> Option<usize> {
    text.get(from..)
        .and_then(|rest| rest.find('}'))
        .map(|found| from + found + 1)
}

/// The byte at which the first unescaped `${` stands.
pub(crate) fn find_opening(text: &str) -> Option<usize> {
    // Nearly every text has none, which is told soonest by looking for one byte.
    let mut at = text.find('$')?;
    while let Some(found) = text.get(at..)?.find(OPENING) {
        let opening = at + found;
        let escaped = opening > 0 && text.as_bytes().get(opening - 1) == Some(&b'$') && opening > at;
        if !escaped {
            return Some(opening);
        }
        at = opening + OPENING.len();
    }
    None
}

/// The text with `$${` turned into `${`, for places that allow no substitutions.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if text.contains('$') && text.contains(ESCAPED) {
        Cow::Owned(text.replace(ESCAPED, OPENING))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with `${` turned into `$${`: [`unescape`] backwards.
pub(crate) fn escape(text: &str) -> String {
    text.replace(OPENING, ESCAPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// The parts in brackets, then the errors as `code@offset`.
    fn parse(text: &str) -> String {
        let mut findings = Vec::new();
        let mut out = String::new();
        for part in parse_text(text, &Positions::Same(0), &mut findings) {
            let _infallible = match part {
                Part::Text(text) => write!(out, "[{text}]"),
                Part::Substitution(expression) => write!(out, "<{expression}>"),
            };
        }
        for finding in findings {
            let _infallible = write!(out, " {}@{}", finding.code, finding.span.start);
        }
        out
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text), expected, "{text}");
    }

    #[test]
    fn texts_split_into_parts() {
        check("", "");
        check("plain $ text $x", "[plain $ text $x]");
        check("${variables.a}", "<variables.a>");
        check("a-${variables.b}-c", "[a-]<variables.b>[-c]");
        check("${a}${b}", "<resources.a><resources.b>");
        check("$${variables.a}", "[${variables.a}]");
        check("$$${variables.a}", "[$${variables.a}]");
        check("x$${a}${b}", "[x${a}]<resources.b>");
        check("${ trim( variables.a ) }", "<trim(variables.a)>");
        check("${x}}", "<resources.x>[}]");
    }

    #[test]
    fn the_whole_grammar_parses() {
        check(
            "${resources.a.state.nodes[].endpoint}",
            "<resources.a.state.nodes[0].endpoint>",
        );
        check(
            "${a.state.list[12][\"x.y\"]}",
            "<resources.a.state.list[12][\"x.y\"]>",
        );
        check("${variables[\"a\"]}", "<variables.a>");
        check(
            "${datasources.network.subnets[]}",
            "<datasources.network.subnets[0]>",
        );
        check("${children.core.topic.arn}", "<children.core.topic.arn>");
        check("${trueColor.spec.x}", "<resources.trueColor.spec.x>");
        check("${true}", "<true>");
        check("${-12}${007}${1.50}", "<-12><7><1.50>");
        check("${\"}\"}", "<\"}\">");
        check(
            "${fromjson(\"{\\\"host\\\":1}\", \"host\")}",
            "<fromjson(\"{\\\"host\\\":1}\", \"host\")>",
        );
        check(
            "${f()}${f(g(1), \"x\", true, a)}",
            "<f()><f(g(1), \"x\", true, resources.a)>",
        );
    }

    #[test]
    fn errors_name_the_place_and_parsing_goes_on() {
        check("${", " unclosed-substitution@0");
        check("a ${variables.x and more", "[a ] unclosed-substitution@2");
        check("${} ${a}", "[ ]<resources.a> empty-substitution@2");
        check("${variables}", " incomplete-reference@2");
        check("${variables[0]}", " incomplete-reference@2");
        check(
            "${a.0} ${b.}",
            "[ ] unexpected-in-substitution@4 unexpected-in-substitution@11",
        );
        check("${a + b}", " unexpected-in-substitution@4");
        check("${a b}x", "[x] unexpected-in-substitution@4");
        check("${AWS::Region}", " unexpected-in-substitution@5");
        check("${${a}}", "[}] unexpected-in-substitution@2");
        check("${f(1,)}", " unexpected-in-substitution@6");
        check("${f(1 2)}", " unexpected-in-substitution@6");
        check("${f(\"x)}", " unclosed-string@4");
        check("${a[\"x y\"]}", " unexpected-in-substitution@4");
        check("${a[x]}", " unexpected-in-substitution@4");
        check("${a[99999999999999999999999]}", " unexpected-in-substitution@4");
        check("${1.2.3}", " unexpected-in-substitution@5");
        check("${-}", " unexpected-in-substitution@3");
        check("${true.x}", " unexpected-in-substitution@6");
        check("${f(a).x}", " unexpected-in-substitution@6");
        check("${é}", " unexpected-in-substitution@2");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = |levels: usize| format!("${{{}1{}}}", "f(".repeat(levels), ")".repeat(levels));
        assert!(!parse(&deep(32)).contains('@'));
        assert!(parse(&deep(33)).contains("substitution-too-deep"));
        assert!(parse(&deep(100_000)).contains("substitution-too-deep"));
    }

    #[test]
    fn openings_are_found_unless_escaped() {
        assert_eq!(find_opening("a ${b}"), Some(2));
        assert_eq!(find_opening("a $${b}"), None);
        assert_eq!(find_opening("$${b}${c}"), Some(5));
        assert_eq!(find_opening("${b}"), Some(0));
        assert_eq!(unescape("a $${b}"), "a ${b}");
    }
}
