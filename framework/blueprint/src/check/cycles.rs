//! Cycles of references and links, with their full path and the place of every step.

use super::context::Context;
use crate::graph::{Need, Step};
use crate::{Diagnostic, Link, codes};

/// Further steps of a cycle get no label.
const MAX_LABELS: usize = 20;

/// Enters the links into the graph, which has the references already, and reports every cycle in it.
pub(super) fn check(context: &mut Context<'_>, links: &[Link]) {
    for link in links {
        let ends = context
            .declared
            .resource(&link.from)
            .zip(context.declared.resource(&link.to));
        if let Some((from, to)) = ends {
            context.graph.connect(from, to, Need::Link, link.span);
        }
    }
    for cycle in context.graph.reference_cycles() {
        let finding = told(context, &cycle, |path, span| {
            let message = format!("references form a cycle: {path}");
            Diagnostic::error(codes::REFERENCE_CYCLE, span, message)
                .help("break it: one of them must do without the other")
        });
        finding.into_iter().for_each(|finding| context.report(finding));
    }
    if links.is_empty() {
        return;
    }
    for cycle in context.graph.link_cycles() {
        let mixed = cycle.iter().any(|step| step.need == Need::Reference);
        let finding = told(context, &cycle, |path, span| {
            if mixed {
                // What refers needs the other to be there, and so does what makes use of it by a link.
                let message = format!("links and references form a cycle: {path}");
                Diagnostic::error(codes::LINK_CYCLE, span, message)
                    .help("narrow the selector down with a further label, or do without the reference")
            } else {
                let message = format!("resources select each other in a circle: {path}");
                Diagnostic::warning(codes::LINK_CYCLE, span, message)
                    .help("these links give no order; narrow a selector down if one should come first")
            }
        });
        finding.into_iter().for_each(|finding| context.report(finding));
    }
}

/// A finding at the first step of a cycle, with a label for each of the others, as far as anybody reads.
fn told(
    context: &Context<'_>,
    cycle: &[Step],
    finding: impl FnOnce(&str, crate::Span) -> Diagnostic,
) -> Option<Diagnostic> {
    let first = cycle.first()?;
    let steps = cycle.iter().chain([first]);
    let names: Vec<String> = steps
        .map(|step| format!("`{}`", context.declared.element(step.from)))
        .collect();
    let mut finding = finding(&names.join(" -> "), first.span);
    for (step, pair) in cycle.iter().zip(names.windows(2)).skip(1).take(MAX_LABELS) {
        if let [from, to] = pair {
            let label = match step.need {
                Need::Reference => format!("{from} refers to {to} here"),
                Need::Link => format!("{from} selects {to} here"),
            };
            finding = finding.label(step.span, label);
        }
    }
    Some(finding)
}
