//! The names that a document declares, collected before anything is judged.

use crate::Root;
use crate::syntax::{Data, Entry, Node};
use std::collections::HashMap;

/// Names by section, in the author's order. A name is declared even if its definition is wrong, so that
/// one mistake is reported once.
///
/// The elements that can form cycles, resources, data sources and children, are numbered in this order.
#[derive(Debug, Default)]
pub(super) struct Declared {
    variables: Names,
    resources: Names,
    data_sources: Names,
    /// The exported fields of each data source.
    data_source_fields: Vec<Vec<String>>,
    children: Names,
}

#[derive(Debug, Default)]
struct Names {
    order: Vec<String>,
    index: HashMap<String, usize>,
}

impl Names {
    fn collect(entries: &[Entry]) -> Self {
        let order: Vec<String> = entries.iter().map(|entry| entry.key.text.to_string()).collect();
        let index = order
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        Names { order, index }
    }
}

/// Collects the names of a document.
pub(super) fn collect(root: &Node) -> Declared {
    let data_sources = entries(root, "datasources");
    Declared {
        variables: Names::collect(entries(root, "variables")),
        resources: Names::collect(entries(root, "resources")),
        data_source_fields: data_sources.iter().map(|entry| exported(&entry.value)).collect(),
        data_sources: Names::collect(data_sources),
        children: Names::collect(entries(root, "include")),
    }
}

impl Declared {
    fn names(&self, root: &Root) -> &Names {
        match root {
            Root::Variable(_) => &self.variables,
            Root::Resource(_) => &self.resources,
            Root::DataSource(_) => &self.data_sources,
            Root::Child(_) => &self.children,
        }
    }

    /// Whether what a reference starts from is declared.
    pub(super) fn contains(&self, root: &Root) -> bool {
        self.names(root).index.contains_key(root.name())
    }

    /// All names of the section that a reference starts from.
    pub(super) fn candidates(&self, root: &Root) -> impl Iterator<Item = &str> {
        self.names(root).order.iter().map(String::as_str)
    }

    /// The exported fields of a data source.
    pub(super) fn data_source_fields(&self, name: &str) -> &[String] {
        let index = self.data_sources.index.get(name);
        index
            .and_then(|index| self.data_source_fields.get(*index))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// How many elements can form cycles.
    pub(super) fn elements(&self) -> usize {
        self.resources.order.len() + self.data_sources.order.len() + self.children.order.len()
    }

    /// The number of an element; variables have none.
    pub(super) fn number(&self, root: &Root) -> Option<usize> {
        let before = match root {
            Root::Variable(_) => return None,
            Root::Resource(_) => 0,
            Root::DataSource(_) => self.resources.order.len(),
            Root::Child(_) => self.resources.order.len() + self.data_sources.order.len(),
        };
        self.names(root)
            .index
            .get(root.name())
            .map(|index| before + index)
    }

    /// The name of a numbered element.
    pub(super) fn element(&self, number: usize) -> &str {
        let mut number = number;
        for names in [&self.resources, &self.data_sources, &self.children] {
            match names.order.get(number) {
                Some(name) => return name,
                None => number = number.saturating_sub(names.order.len()),
            }
        }
        ""
    }
}

fn entries<'n>(root: &'n Node, section: &str) -> &'n [Entry] {
    field(root, section).map(map_entries).unwrap_or_default()
}

fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    map_entries(node)
        .iter()
        .find(|entry| entry.key.text == key)
        .map(|entry| &entry.value)
}

fn map_entries(node: &Node) -> &[Entry] {
    match &node.data {
        Data::Map(entries) => entries,
        _ => &[],
    }
}

fn exported(data_source: &Node) -> Vec<String> {
    let exports = field(data_source, "exports").map(map_entries).unwrap_or_default();
    exports.iter().map(|entry| entry.key.text.to_string()).collect()
}
