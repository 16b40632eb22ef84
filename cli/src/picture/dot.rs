//! DOT, for Graphviz.

use super::{Picture, Shape};
use std::fmt::Write;

/// A directed graph from left to right.
pub fn dot(picture: &Picture) -> String {
    let mut text = format!("digraph {} {{\n", quoted(&picture.title));
    text.push_str(
        "    rankdir=LR\n    \
         node [shape=box, style=rounded, fontname=\"Helvetica,Arial,sans-serif\", fontsize=12]\n    \
         edge [color=\"#57606a\", arrowsize=0.7]\n",
    );
    let ids: Vec<String> = picture.nodes.iter().map(|node| quoted(&node.id)).collect();
    for (node, id) in picture.nodes.iter().zip(&ids) {
        let look = match node.shape {
            Shape::Resource => "",
            Shape::DataSource => ", shape=cylinder, style=solid",
            Shape::Child => ", shape=component, style=solid",
        };
        let (name, what) = (escaped(&node.name), escaped(&node.what));
        let small = match what.as_str() {
            "" => String::new(),
            what => format!("<br/><font point-size=\"10\">{what}</font>"),
        };
        let _ = writeln!(text, "    {id} [label=<<b>{name}</b>{small}>{look}]");
    }
    for edge in &picture.edges {
        let look = match (edge.link, edge.cyclic) {
            (false, false) => "",
            (true, false) => " [style=dashed]",
            (false, true) => " [color=\"#d1242f\", penwidth=2]",
            (true, true) => " [style=dashed, color=\"#d1242f\", penwidth=2]",
        };
        if let (Some(from), Some(to)) = (ids.get(edge.from), ids.get(edge.to)) {
            let _ = writeln!(text, "    {from} -> {to}{look}");
        }
    }
    text.push_str("}\n");
    text
}

/// A quoted id: only a quote is escaped in it, and a backslash at the end would escape the closing one.
fn quoted(text: &str) -> String {
    let text = text.replace('"', "\\\"");
    let space = if text.ends_with('\\') { " " } else { "" };
    format!("\"{text}{space}\"")
}

/// Text within an HTML-like label.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
