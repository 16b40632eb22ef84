//! From a source to a checked blueprint: every section, name, substitution and reference.
//!
//! The first look goes once over the tree. Names are collected ([`declared`]), so that a reference can be judged
//! where it stands; then each section is read by the file of its name. Every file reports and goes on. The
//! second look has all sections before it: what is included is compared with what includes it ([`children`]),
//! and values with what they may be ([`types`]).

mod children;
mod cloudformation;
mod context;
mod cycles;
mod datasources;
mod declared;
mod document;
mod exports;
mod habits;
mod include;
mod inclusion;
mod labels;
mod references;
mod resources;
mod types;
mod variables;

use crate::diagnostic::MAX_COLLECTED;
use crate::{Checked, Checker, Diagnostic, Severity, Source, codes, syntax, transform};
use context::Context;
use inclusion::Inclusion;

/// Findings beyond this many are dropped: nobody reads them, and showing them costs.
const MAX_DIAGNOSTICS: usize = 500;

/// What a version of the language fixes.
#[derive(Debug)]
pub(crate) struct Language {
    version: &'static str,
    pub(crate) functions: crate::Functions,
    pub(crate) enumerations: crate::Enumerations,
}

impl Language {
    pub(crate) fn v2023_04_20() -> Self {
        Language {
            version: "2023-04-20",
            functions: crate::Functions::default(),
            enumerations: crate::Enumerations::default(),
        }
    }
}

/// Parses and checks a source by the core language: [`Checker::check`] without anything joined.
pub fn check(source: &Source) -> Checked {
    Checker::new().check(source)
}

pub(crate) fn check_with(source: &Source, checker: &Checker<'_>) -> Checked {
    check_within(source, checker, &Inclusion::of(source))
}

/// Checks the last blueprint of a chain of inclusions.
fn check_within(source: &Source, checker: &Checker<'_>, inclusion: &Inclusion) -> Checked {
    let loaded = syntax::load(source);
    let mut findings = loaded.diagnostics;
    let transformed = loaded
        .root
        .map(|root| transform::apply(source, root, &checker.transformers, &mut findings));
    let Some((root, transforms)) = transformed.and_then(|done| Some((done.root?, done.transforms))) else {
        return Checked {
            blueprint: None,
            diagnostics: sorted(findings),
        };
    };
    let declared = declared::collect(&root);
    let mut context = Context::new(source, checker, &declared, findings);
    let mut blueprint = document::read(&mut context, &root, transforms);
    let mut findings = context.finish();
    if let Some(blueprint) = &mut blueprint {
        findings.extend(children::check(blueprint, source, checker, inclusion));
        findings.extend(types::check(blueprint, checker.resource_types));
    }
    let diagnostics = sorted(findings);
    let sound = diagnostics
        .iter()
        .all(|finding| finding.severity != Severity::Error);
    Checked {
        blueprint: blueprint.filter(|_| sound),
        diagnostics,
    }
}

/// By position, then code; what an alias repeats is said once.
fn sorted(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    findings.sort_by(|left, right| {
        (left.span, left.code, &left.message).cmp(&(right.span, right.code, &right.message))
    });
    let all = findings.len() < MAX_COLLECTED;
    findings.dedup();
    // An error must not be dropped in favour of warnings before it.
    if findings.len() > MAX_DIAGNOSTICS {
        let dropped = findings.len() - MAX_DIAGNOSTICS;
        let (mut errors, mut warnings): (Vec<_>, Vec<_>) = findings
            .into_iter()
            .partition(|finding| finding.severity == Severity::Error);
        errors.truncate(MAX_DIAGNOSTICS);
        warnings.truncate(MAX_DIAGNOSTICS - errors.len());
        let mut kept: Vec<Diagnostic> = errors.into_iter().chain(warnings).collect();
        kept.sort_by(|left, right| (left.span, left.code).cmp(&(right.span, right.code)));
        let at = kept.last().map(|finding| finding.span).unwrap_or_default();
        kept.push(Diagnostic::warning(
            codes::TOO_MANY_FINDINGS,
            at,
            format!(
                "{}{dropped} further findings are not shown",
                if all { "" } else { "at least " }
            ),
        ));
        return kept;
    }
    findings
}
