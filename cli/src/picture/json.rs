//! The graph itself, for scripts.

use formwork_blueprint::{Element, Need, Root, Source, Topology};
use formwork_schema::resolve_type;
use serde_json::{Value, json};

/// Nodes, edges, and each cycle as the references to what it leads through. Edges start and end at the `id` of a
/// node; lines and columns count from 1.
pub fn json(topology: &Topology, source: &Source) -> Value {
    let id = |number: usize| {
        topology
            .elements
            .get(number)
            .map(|element| element.root.to_string())
    };
    let edges = topology.edges.iter().map(|edge| {
        let at = source.location(edge.span);
        let kind = match edge.need {
            Need::Reference => "reference",
            Need::Link => "link",
        };
        json!({
            "from": id(edge.from), "to": id(edge.to), "kind": kind, "line": at.line, "column": at.column,
        })
    });
    let cycles = topology.cycles.iter().map(|cycle| {
        let edges = cycle.iter().filter_map(|number| topology.edges.get(*number));
        edges.map(|edge| id(edge.from)).collect::<Value>()
    });
    json!({
        "nodes": topology.elements.iter().map(|element| node(element, source)).collect::<Value>(),
        "edges": edges.collect::<Value>(),
        "cycles": cycles.collect::<Value>(),
    })
}

fn node(element: &Element, source: &Source) -> Value {
    let at = source.location(element.span);
    let (kind, key, what) = match element.root {
        Root::Child(_) => ("child", "path", element.what.clone()),
        Root::DataSource(_) => ("datasource", "type", canonical(&element.what)),
        Root::Resource(_) | Root::Variable(_) => ("resource", "type", canonical(&element.what)),
    };
    json!({
        "id": element.root.to_string(), "kind": kind, "name": element.root.name(), key: what,
        "line": at.line, "column": at.column,
    })
}

/// The type's own name, where it is known.
fn canonical(written: &str) -> String {
    resolve_type(written).unwrap_or_else(|_| written.to_owned())
}
