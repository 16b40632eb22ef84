//! What keeps the engine from working on an order at all.

use crate::ports::{SchemaSourceError, StoreError};
use formwork_blueprint::{Diagnostic, Location, Severity, Source, Span};

/// Why the engine could not do what was asked. What goes wrong *in* a deployment is no error but part of
/// its [`crate::Outcome`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The order cannot be carried out as it is: fix the blueprint or its variables.
    #[error("{}", summary(problems))]
    Invalid {
        /// Everything that is wrong, sorted by position.
        problems: Vec<Problem>,
    },
    /// The store did not answer: try again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The type registry did not answer: try again.
    #[error(transparent)]
    Schemas(#[from] SchemaSourceError),
    /// There is no such instance.
    #[error("there is no deployment `{instance}`")]
    NoInstance {
        /// Its name.
        instance: String,
    },
    /// The stored document was written by a newer version of this software; it was not touched.
    #[error("the stored deployment has format `{found}`, newer than `{known}`")]
    NewerFormat {
        /// As stored.
        found: String,
        /// The newest this version reads.
        known: &'static str,
    },
    /// The stored document cannot be read; it was not touched.
    #[error("the stored deployment cannot be read: {message}")]
    Unreadable {
        /// What is wrong with it, without its content.
        message: String,
    },
    /// Others kept on changing the document: try again.
    #[error("too many writers change this deployment at once")]
    TooMuchContention,
    /// A newer order for the same instance was carried out, or is being carried out, already.
    #[error("superseded by a newer request for the same resource")]
    Overtaken,
    /// The generation is still running, so it cannot be settled.
    #[error("the deployment is still running")]
    Unfinished,
}

/// One thing that is wrong with an order. Contains no secret value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable code, e.g. `unknown-type`.
    pub code: String,
    /// Whether it keeps the order from being carried out.
    pub severity: Severity,
    /// Where, as a person says it: `orders.yaml:12:7`.
    pub location: Option<String>,
    /// Where, in parts.
    pub position: Option<Location>,
    /// Where in the source's text; `None` if it is about no place in it.
    pub span: Option<Span>,
    /// Further places with a word each.
    pub labels: Vec<(Span, String)>,
    /// What was expected and what was found.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Problem {
    /// A finding of the language, with its place in the source.
    pub fn of(diagnostic: &Diagnostic, source: &Source) -> Self {
        let position = source.location(diagnostic.span);
        Problem {
            code: diagnostic.code.to_owned(),
            severity: diagnostic.severity,
            location: Some(position.to_string()),
            position: Some(position),
            span: Some(diagnostic.span),
            labels: diagnostic.labels.clone(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

fn summary(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(Problem::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
