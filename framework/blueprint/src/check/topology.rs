//! A blueprint as a picture shows it: what there is, and what makes use of what.

use super::Draft;
use crate::graph::{Need, Step};
use crate::{Reference, Root, Span, WORKING_DIR, codes};
use std::collections::HashMap;

/// The elements of a blueprint and how they depend on each other. Variables and exports are no part of it.
///
/// ```
/// use formwork_blueprint::{Checker, Need, Source};
///
/// let source = Source::new(
///     "orders.yaml",
///     "
/// version: 2023-04-20
/// resources:
///   queue: {type: aws/sqs/queue}
///   alarm: {type: aws/cloudwatch/alarm, spec: {alarmName: 'for-${queue.state.queueName}'}}
/// ",
/// );
/// let topology = Checker::new().read(&source).topology();
/// let [edge] = topology.edges.as_slice() else { panic!("one reference") };
/// assert_eq!(topology.elements[edge.from].root.to_string(), "resources.alarm");
/// assert_eq!(topology.elements[edge.to].what, "aws/sqs/queue");
/// assert_eq!(edge.need, Need::Reference);
/// assert!(topology.cycles.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Resources, then data sources, then children, each in the author's order.
    pub elements: Vec<Element>,
    /// By the element they start from, then in the order in which they are written. However often an element
    /// refers to another, it is one edge.
    pub edges: Vec<Edge>,
    /// The cycles that keep the blueprint from being deployed, each as the numbers of its edges, in their order;
    /// one for each group of elements that reach each other.
    pub cycles: Vec<Vec<usize>>,
}

/// A resource, a data source or a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// What it is and its name. It is printed as references to it are written: `resources.queue`.
    pub root: Root,
    /// Its type as written, or the path of a child; empty if that could not be read.
    pub what: String,
    /// The name, where it is declared.
    pub span: Span,
}

/// One element makes use of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The number of the element that makes use of the other.
    pub from: usize,
    /// The number of the other.
    pub to: usize,
    /// How.
    pub need: Need,
    /// The first place that says so.
    pub span: Span,
}

/// What is wrong with a blueprint that can be drawn all the same, and is best understood as a picture.
pub(super) const CYCLES: [&str; 3] = [codes::REFERENCE_CYCLE, codes::LINK_CYCLE, codes::SELF_REFERENCE];

pub(super) fn of(draft: &Draft) -> Topology {
    let mut edges: Vec<Edge> = Vec::new();
    let mut numbers = HashMap::new();
    for (from, edge) in draft.graph.edges() {
        let (to, need, span) = (edge.to, edge.need, edge.span);
        numbers.entry((from, to, need)).or_insert_with(|| {
            edges.push(Edge { from, to, need, span });
            edges.len() - 1
        });
    }
    let turn = |cycle: &Vec<Step>| -> Vec<usize> {
        let ends = cycle.iter().skip(1).chain(cycle.first());
        let steps = cycle.iter().zip(ends);
        steps
            .filter_map(|(step, next)| numbers.get(&(step.from, next.from, step.need)).copied())
            .collect()
    };
    let mut mixed = draft.graph.link_cycles();
    mixed.retain(|cycle| cycle.iter().any(|step| step.need == Need::Reference));
    let selves = edges.iter().enumerate().filter(|(_, edge)| edge.from == edge.to);
    let mut cycles: Vec<Vec<usize>> = selves.map(|(number, _)| vec![number]).collect();
    cycles.extend(draft.graph.reference_cycles().iter().chain(&mixed).map(turn));
    Topology {
        elements: elements(draft),
        edges,
        cycles,
    }
}

fn elements(draft: &Draft) -> Vec<Element> {
    let roots = draft.declared.roots();
    roots
        .map(|root| {
            let (what, span) = read(draft, &root).unwrap_or_default();
            Element { root, what, span }
        })
        .collect()
}

/// Type or path, and place.
fn read(draft: &Draft, root: &Root) -> Option<(String, Span)> {
    let blueprint = draft.blueprint.as_ref()?;
    match root {
        Root::Variable(_) => None,
        Root::Resource(name) => {
            let resource = blueprint.resources.get(name)?;
            Some((resource.type_name.clone(), resource.span))
        }
        Root::DataSource(name) => {
            let data_source = blueprint.data_sources.get(name)?;
            Some((data_source.type_name.clone(), data_source.span))
        }
        Root::Child(name) => {
            let child = blueprint.children.get(name)?;
            // References are printed by their full names, and this one is no resource.
            let predefined = Reference {
                root: Root::Resource(WORKING_DIR.to_owned()),
                path: Vec::new(),
                span: Span::default(),
            };
            let path = child.path.to_text().unwrap_or_default();
            let path = path.replace(&format!("${{{predefined}}}"), &format!("${{{WORKING_DIR}}}"));
            Some((path, child.span))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Checker, Need, Source};

    /// Every edge as `from>to` (reference) or `from~to` (link), and after `|` every cycle.
    #[track_caller]
    fn check(sections: &str, expected: &str) {
        let source = Source::new("a.yaml", format!("version: 2023-04-20\n{sections}"));
        let topology = Checker::new().read(&source).topology();
        let name = |number: usize| topology.elements[number].root.to_string();
        let edge = |number: &usize| {
            let edge = &topology.edges[*number];
            let sign = if edge.need == Need::Link { '~' } else { '>' };
            format!("{}{sign}{}", name(edge.from), name(edge.to))
        };
        let all: Vec<String> = (0..topology.edges.len()).map(|number| edge(&number)).collect();
        let cycles: Vec<String> = topology
            .cycles
            .iter()
            .map(|cycle| format!(" | {}", cycle.iter().map(edge).collect::<Vec<_>>().join(" ")))
            .collect();
        assert_eq!(all.join(" ") + &cycles.concat(), expected);
    }

    #[test]
    fn elements_of_every_section_are_told_apart() {
        check(
            "
datasources:
  core: {type: aws/vpc, filter: {field: tags, operator: '=', search: '${children.core.name}'}, exports: {id: {type: string}}}
resources:
  core: {type: aws/sqs/queue, spec: {name: '${datasources.core.id}', again: 'x${datasources.core.id}'}}
include:
  core: {path: core.yaml, variables: {queue: '${variables.queue}'}}
variables:
  queue: {type: string}
",
            "resources.core>datasources.core datasources.core>children.core",
        );
    }

    #[test]
    fn cycles_are_those_that_are_errors() {
        check(
            "
resources:
  a: {type: aws/sqs/queue, spec: {name: '${b}'}}
  b: {type: aws/sqs/queue, spec: {name: '${c}', own: '${b.state.arn}'}}
  c: {type: aws/sqs/queue, spec: {name: '${a}'}}
",
            "resources.a>resources.b resources.b>resources.c resources.b>resources.b resources.c>resources.a \
             | resources.b>resources.b \
             | resources.a>resources.b resources.b>resources.c resources.c>resources.a",
        );
        check(
            "
resources:
  a: {type: aws/sqs/queue, metadata: {labels: {x: y}}, linkSelector: {byLabel: {x: y}}}
  b: {type: aws/sqs/queue, metadata: {labels: {x: y}}, linkSelector: {byLabel: {x: y}}}
",
            "resources.a~resources.b resources.b~resources.a",
        );
        check(
            "
resources:
  a: {type: aws/sqs/queue, metadata: {labels: {x: y}}, spec: {name: '${b}'}}
  b: {type: aws/sqs/queue, linkSelector: {byLabel: {x: y}}}
",
            "resources.a>resources.b resources.b~resources.a | resources.b~resources.a resources.a>resources.b",
        );
    }

    #[test]
    fn what_cannot_be_read_has_a_name_at_least() {
        let source = Source::new(
            "a.yaml",
            "version: 2023-04-20\nresources: {a: [], b: {type: x/y}}\n",
        );
        let topology = Checker::new().read(&source).topology();
        let elements: Vec<String> = topology
            .elements
            .iter()
            .map(|element| format!("{} {}", element.root, element.what))
            .collect();
        assert_eq!(elements, ["resources.a ", "resources.b x/y"]);
        let nothing = Checker::new().read(&Source::new("a.yaml", "[")).topology();
        assert!(nothing.elements.is_empty());
    }

    #[test]
    fn children_show_their_path_as_it_is_written() {
        let text = "version: 2023-04-20\ninclude: {core: {path: '${workingDir}/core.yaml'}}\n";
        let topology = Checker::new().read(&Source::new("a.yaml", text)).topology();
        assert_eq!(topology.elements[0].what, "${workingDir}/core.yaml");
    }
}
