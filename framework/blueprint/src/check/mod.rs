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
mod topology;
mod types;
mod variables;

use crate::diagnostic::MAX_COLLECTED;
use crate::graph::Graph;
use crate::{
    Blueprint, Checked, Checker, Diagnostic, Resource, ResourceTypes, Severity, Source, codes, syntax,
    transform,
};
use context::Context;
use declared::Declared;
use inclusion::Inclusion;

pub use topology::{Edge, Element, Topology};

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

/// Reads a source: the first look.
pub(crate) fn read(source: &Source, checker: &Checker<'_>) -> Draft {
    read_within(source, checker, &Inclusion::of(source))
}

/// Checks the last blueprint of a chain of inclusions.
fn check_within(source: &Source, checker: &Checker<'_>, inclusion: &Inclusion) -> Checked {
    read_within(source, checker, inclusion).check(checker.resource_types)
}

fn read_within(source: &Source, checker: &Checker<'_>, inclusion: &Inclusion) -> Draft {
    let loaded = syntax::load(source);
    let mut findings = loaded.diagnostics;
    let transformed = loaded
        .root
        .map(|root| transform::apply(source, root, &checker.transformers, &mut findings));
    let Some((root, transforms)) = transformed.and_then(|done| Some((done.root?, done.transforms))) else {
        return Draft {
            blueprint: None,
            findings,
            declared: Declared::default(),
            graph: Graph::default(),
        };
    };
    let declared = declared::collect(&root);
    let mut context = Context::new(source, checker, &declared, findings);
    let mut blueprint = document::read(&mut context, &root, transforms);
    let graph = std::mem::take(&mut context.graph);
    let mut findings = context.finish();
    if let Some(blueprint) = &mut blueprint {
        findings.extend(children::check(blueprint, source, checker, inclusion));
    }
    Draft {
        blueprint,
        findings,
        declared,
        graph,
    }
}

/// A blueprint that has been read, before the second look: for whoever learns from it which resource types there
/// are. Made by [`Checker::read`].
#[derive(Debug)]
pub struct Draft {
    /// Whatever could be read; the findings decide its worth.
    blueprint: Option<Blueprint>,
    findings: Vec<Diagnostic>,
    declared: Declared,
    graph: Graph,
}

impl Draft {
    /// The resources that say what they are, even those of a blueprint with errors.
    pub fn resources(&self) -> impl Iterator<Item = (&str, &Resource)> {
        let resources = self.blueprint.iter().flat_map(|blueprint| &blueprint.resources);
        resources
            .filter(|(_, resource)| !resource.type_name.is_empty())
            .map(|(name, resource)| (name.as_str(), resource))
    }

    /// True if there is no error so far.
    pub fn is_sound(&self) -> bool {
        is_sound(&self.findings)
    }

    /// True if no error so far but cycles: its topology is whole.
    pub fn has_topology(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error || topology::CYCLES.contains(&finding.code))
    }

    /// What the second look has to say with these resource types, whatever else is wrong. It includes what it
    /// says without them.
    pub fn check_types(&self, resource_types: &dyn ResourceTypes) -> Vec<Diagnostic> {
        let blueprint = self.blueprint.as_ref();
        let findings = blueprint.map(|blueprint| types::check(blueprint, Some(resource_types)));
        sorted(findings.unwrap_or_default())
    }

    /// Which elements there are and what each makes use of, cycles included: for whoever draws it. Not
    /// everything is in it unless [`Draft::has_topology`].
    pub fn topology(&self) -> Topology {
        topology::of(self)
    }

    /// The second look, at types; those of resources are judged where they are known.
    pub fn check(self, resource_types: Option<&dyn ResourceTypes>) -> Checked {
        let mut findings = self.findings;
        if let Some(blueprint) = &self.blueprint {
            findings.extend(types::check(blueprint, resource_types));
        }
        let diagnostics = sorted(findings);
        let sound = is_sound(&diagnostics);
        Checked {
            blueprint: self.blueprint.filter(|_| sound),
            diagnostics,
        }
    }
}

fn is_sound(findings: &[Diagnostic]) -> bool {
    findings.iter().all(|finding| finding.severity != Severity::Error)
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
