//! The names that a document declares, collected before anything is judged.

use super::document;
use crate::Root;
use crate::syntax::{Data, Entry, Node};
use indexmap::IndexSet;
use std::collections::HashMap;

/// Names by section, in the author's order. A name is declared even if its definition is wrong or its section is
/// misspelt, and any name is if nobody can tell the names of its section: so one mistake is reported once.
///
/// The elements that can form cycles, resources, data sources and children, are numbered in this order.
#[derive(Debug, Default)]
pub(super) struct Declared {
    variables: Names,
    resources: Names,
    data_sources: Names,
    /// The exported fields of each data source, where they can be told.
    data_source_fields: Vec<Option<IndexSet<String>>>,
    children: Names,
}

#[derive(Debug, Default)]
struct Names {
    order: Vec<String>,
    index: HashMap<String, usize>,
    /// The section has no names that could be told: it is a list, say.
    any: bool,
}

impl Names {
    fn collect(section: Option<&Node>) -> Self {
        let entries = section.map(map_entries).unwrap_or_default();
        let any = section.is_some_and(|node| !matches!(node.data, Data::Map(_)) && !node.is_null());
        let order: Vec<String> = entries.iter().map(|entry| entry.key.text.to_string()).collect();
        let index = order
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        Names { order, index, any }
    }
}

/// Collects the names of a document.
pub(super) fn collect(root: &Node) -> Declared {
    let data_sources = section(root, "datasources");
    let fields = data_sources.map(map_entries).unwrap_or_default();
    Declared {
        variables: Names::collect(section(root, "variables")),
        resources: Names::collect(section(root, "resources")),
        data_source_fields: fields.iter().map(|entry| exported(&entry.value)).collect(),
        data_sources: Names::collect(data_sources),
        children: Names::collect(section(root, "include")),
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
        let names = self.names(root);
        names.any || names.index.contains_key(root.name())
    }

    /// Whether the document has that name, written out.
    pub(super) fn has_name(&self, root: &Root) -> bool {
        self.names(root).index.contains_key(root.name())
    }

    /// All names of the section that a reference starts from.
    pub(super) fn candidates(&self, root: &Root) -> impl Iterator<Item = &str> {
        self.names(root).order.iter().map(String::as_str)
    }

    /// The exported fields of a data source, if they can be told.
    pub(super) fn data_source_fields(&self, name: &str) -> Option<&IndexSet<String>> {
        let index = self.data_sources.index.get(name)?;
        self.data_source_fields.get(*index)?.as_ref()
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

    /// The number of a resource.
    pub(super) fn resource(&self, name: &str) -> Option<usize> {
        self.resources.index.get(name).copied()
    }

    /// All elements, in the order of their numbers.
    pub(super) fn roots(&self) -> impl Iterator<Item = Root> {
        let resources = self.resources.order.iter().cloned().map(Root::Resource);
        let data_sources = self.data_sources.order.iter().cloned().map(Root::DataSource);
        let children = self.children.order.iter().cloned().map(Root::Child);
        resources.chain(data_sources).chain(children)
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

/// A section of the document, or what was probably meant to be it.
fn section<'n>(root: &'n Node, name: &str) -> Option<&'n Node> {
    field(root, name).or_else(|| {
        let meant = |entry: &&Entry| document::section_meant(entry) == Some(name);
        map_entries(root).iter().find(meant).map(|entry| &entry.value)
    })
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

fn exported(data_source: &Node) -> Option<IndexSet<String>> {
    let exports = field(data_source, "exports")?;
    let names = map_entries(exports)
        .iter()
        .map(|entry| entry.key.text.to_string());
    matches!(exports.data, Data::Map(_)).then(|| names.collect())
}
