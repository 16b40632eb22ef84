//! Pictures of blueprints: what is drawn, and one module for each way of writing it down. All of it is pure: the
//! same blueprint gives the same bytes.

mod block;
mod dot;
mod fold;
mod json;
mod layout;
mod legend;
mod mermaid;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use dot::dot;
pub use json::json;
pub use mermaid::mermaid;
pub use svg::svg;

use formwork_blueprint::{Need, Root, Topology};

/// What is drawn: a box for each element, and an arrow from each to what it makes use of.
#[derive(Debug, Clone)]
pub struct Picture {
    pub title: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug, Clone)]
pub struct Node {
    pub shape: Shape,
    /// As references are written to it: names of different sections may be the same.
    pub id: String,
    pub name: String,
    /// A type, or the path of a child.
    pub what: String,
}

/// Elements look like what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    Resource,
    DataSource,
    Child,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// It is a link and no reference.
    pub link: bool,
    /// It is a part of a cycle that is an error.
    pub cyclic: bool,
}

impl Picture {
    pub fn of(title: &str, topology: &Topology) -> Self {
        let nodes = topology.elements.iter().map(|element| Node {
            shape: match element.root {
                Root::DataSource(_) => Shape::DataSource,
                Root::Child(_) => Shape::Child,
                Root::Resource(_) | Root::Variable(_) => Shape::Resource,
            },
            id: element.root.to_string(),
            name: line(element.root.name()),
            what: line(&element.what),
        });
        let mut edges: Vec<Edge> = topology
            .edges
            .iter()
            .map(|edge| Edge {
                from: edge.from,
                to: edge.to,
                link: edge.need == Need::Link,
                cyclic: false,
            })
            .collect();
        for number in topology.cycles.iter().flatten() {
            if let Some(edge) = edges.get_mut(*number) {
                edge.cyclic = true;
            }
        }
        Picture {
            title: line(title),
            nodes: nodes.collect(),
            edges,
        }
    }
}

/// One line of text: what would break it, or is no part of any text, becomes a space.
fn line(text: &str) -> String {
    let fit = |character: char| {
        let is_text = !character.is_control()
            && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
        if is_text { character } else { ' ' }
    };
    text.chars().map(fit).collect()
}
