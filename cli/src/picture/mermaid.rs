//! Mermaid: drawn by whatever shows Markdown, GitHub among others.

use super::{Picture, Shape};
use std::collections::HashSet;
use std::fmt::Write;

/// A flowchart. Names are kept as node ids where Mermaid allows it, so that a change of the blueprint is a small
/// change of the text.
pub fn mermaid(picture: &Picture) -> String {
    let mut text = String::from("flowchart LR\n");
    let ids = ids(picture);
    for (node, id) in picture.nodes.iter().zip(&ids) {
        let (open, close) = match node.shape {
            Shape::Resource => ("(", ")"),
            Shape::DataSource => ("[(", ")]"),
            Shape::Child => ("[[", "]]"),
        };
        let small = match escaped(&node.what) {
            what if what.is_empty() => what,
            what => format!("<br/><small>{what}</small>"),
        };
        let name = escaped(&node.name);
        let _ = writeln!(text, "    {id}{open}\"<b>{name}</b>{small}\"{close}");
    }
    for edge in &picture.edges {
        let arrow = if edge.link { "-.->" } else { "-->" };
        if let (Some(from), Some(to)) = (ids.get(edge.from), ids.get(edge.to)) {
            let _ = writeln!(text, "    {from} {arrow} {to}");
        }
    }
    let numbered = picture.edges.iter().enumerate();
    let cyclic: Vec<String> = numbered
        .filter(|(_, edge)| edge.cyclic)
        .map(|(number, _)| number.to_string())
        .collect();
    if !cyclic.is_empty() {
        let _ = writeln!(
            text,
            "    linkStyle {} stroke:#d1242f,stroke-width:3px",
            cyclic.join(",")
        );
    }
    text
}

/// An id for each node, in their order. The first letter says what it is and keeps ids from being keywords (`end`).
fn ids(picture: &Picture) -> Vec<String> {
    let mut taken = HashSet::new();
    let ids = picture.nodes.iter().map(|node| {
        let letter = match node.shape {
            Shape::Resource => 'r',
            Shape::DataSource => 'd',
            Shape::Child => 'c',
        };
        let plain = |character: char| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        };
        let name: String = node.name.chars().map(plain).collect();
        let mut id = format!("{letter}_{name}");
        while !taken.insert(id.clone()) {
            id.push('_');
        }
        id
    });
    ids.collect()
}

/// Characters that mean something in a quoted label, or in the Markdown and HTML that it becomes, as Mermaid's
/// entities.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        match character {
            '"' => escaped.push_str("#quot;"),
            '&' => escaped.push_str("#amp;"),
            '<' => escaped.push_str("#lt;"),
            '>' => escaped.push_str("#gt;"),
            // Two of them enclose a formula, even as entities: a word joiner keeps them apart.
            '$' if before == '$' => escaped.push_str("#8288;$"),
            // Within a word it is no emphasis.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => escaped.push('_'),
            '#' | '`' | '*' | '_' | '\\' | '[' => {
                let _ = write!(escaped, "#{};", u32::from(character));
            }
            other => escaped.push(other),
        }
        before = character;
    }
    escaped
}
