//! What is wrong with a blueprint, where, and what to do about it.

use crate::spelling::one_line;
use crate::{Source, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The blueprint cannot be deployed.
    Error,
    /// It can, but probably does not mean what its author thinks.
    Warning,
}

/// One finding. Text rules: lower case, no full stop, one line, user text in backticks. What would break the
/// line is escaped, and the middle of what runs on beyond 1,000 bytes is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code from the registry ([`crate::codes`]), e.g. `unknown-key`.
    pub code: &'static str,
    /// Severity.
    pub severity: Severity,
    /// What was expected and what was found. Never contains a secret value.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Further places with a word each (`first defined here`).
    pub labels: Vec<(Span, String)>,
    /// What to do (`did you mean ...`).
    pub help: Option<String>,
}

/// Findings of one severity beyond this many are not even collected: in a document made to be wrong they would take
/// more time and memory than the document itself.
pub(crate) const MAX_COLLECTED: usize = 2_000;

/// Adds a finding as long as there are not too many. Warnings leave room for errors: whether there is one at all
/// decides about a blueprint.
pub(crate) fn collect(findings: &mut Vec<Diagnostic>, finding: Diagnostic) {
    let room = match finding.severity {
        Severity::Error => 2 * MAX_COLLECTED,
        Severity::Warning => MAX_COLLECTED,
    };
    if findings.len() < room {
        findings.push(finding);
    }
}

impl Diagnostic {
    /// An error without labels and help.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: one_line(message.into()),
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning without labels and help.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(one_line(help.into()));
        self
    }

    /// Adds advice if there is any.
    #[must_use]
    pub fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.map(one_line).or(self.help);
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, one_line(text.into())));
        self
    }

    /// The finding in one line, for places that cannot show the source:
    /// `orders.yaml:12:7: unknown key `spce` in a resource (did you mean `spec`?)`.
    pub fn one_line(&self, source: &Source) -> String {
        let location = source.location(self.span);
        match &self.help {
            Some(help) => format!("{location}: {} ({help})", self.message),
            None => format!("{location}: {}", self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_has_place_message_and_help() {
        let source = Source::new("orders.yaml", "a: 1\nspce: 2\n");
        let finding = Diagnostic::error("unknown-key", Span::new(5, 9), "unknown key `spce` in a resource");
        assert_eq!(
            finding.one_line(&source),
            "orders.yaml:2:1: unknown key `spce` in a resource"
        );
        assert_eq!(
            finding.help("did you mean `spec`?").one_line(&source),
            "orders.yaml:2:1: unknown key `spce` in a resource (did you mean `spec`?)"
        );
    }
}
