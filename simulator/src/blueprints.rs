//! Random blueprints, and what the cloud has to look like once one is deployed.

use crate::types;
use fastrand::Rng;
use std::fmt::Write;

/// A blueprint of some resources.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blueprint {
    /// What the names of its resources begin with, so that several stacks can be told apart.
    prefix: String,
    pub(crate) nodes: Vec<Node>,
}

/// One resource of it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    /// Create-only.
    pub(crate) kind: u8,
    pub(crate) value: u8,
    pub(crate) has_secret: bool,
    /// The name of an earlier resource.
    pub(crate) refers_to: Option<String>,
    /// Takes the name of somebody else's resource.
    pub(crate) is_squatter: bool,
}

/// The name of somebody else's resource.
pub(crate) const FOREIGN: &str = "theirs";

impl Blueprint {
    pub(crate) fn random(random: &mut Rng, prefix: &str) -> Self {
        let count = random.usize(1..6);
        let mut blueprint = Blueprint::of(prefix);
        for index in 0..count {
            let node = blueprint.random_node(random, blueprint.name(index));
            blueprint.nodes.push(node);
        }
        blueprint
    }

    fn of(prefix: &str) -> Self {
        Blueprint {
            prefix: prefix.to_owned(),
            nodes: Vec::new(),
        }
    }

    fn name(&self, index: usize) -> String {
        format!("{}r{index}", self.prefix)
    }

    /// Whether a resource with this mark is of this stack.
    pub(crate) fn owns(&self, mark: &str) -> bool {
        let rest = mark.strip_prefix(&self.prefix);
        rest.is_some_and(|rest| rest.starts_with('r'))
    }

    fn random_node(&self, random: &mut Rng, name: String) -> Node {
        let refers_to = (random.u8(0..3) > 0)
            .then(|| random.choice(&self.nodes))
            .flatten()
            .filter(|node| node.can_be_referred_to())
            .map(|node| node.name.clone());
        Node {
            name,
            type_name: random.choice(types::ALL).unwrap_or(types::NAMED),
            kind: random.u8(0..2),
            value: random.u8(0..3),
            has_secret: random.bool(),
            refers_to,
            is_squatter: random.u8(0..60) == 0,
        }
    }

    /// Another blueprint for the same stack: some resources changed, removed, added.
    pub(crate) fn changed(&self, random: &mut Rng) -> Self {
        let mut next = Blueprint::of(&self.prefix);
        for node in &self.nodes {
            let mut node = node.clone();
            // Only what is still there can be referred to.
            let is_there = |target: &String| {
                let mut others = next.nodes.iter();
                others.any(|other| other.name == *target && other.can_be_referred_to())
            };
            if !node.refers_to.as_ref().is_none_or(is_there) {
                node.refers_to = None;
            }
            match random.u8(0..10) {
                0 => continue,
                1 => node.kind = 1 - node.kind.min(1),
                2 | 3 => node.value = (node.value + 1) % 3,
                4 => node = next.random_node(random, node.name),
                5 => node.has_secret = !node.has_secret,
                _ => {}
            }
            next.nodes.push(node);
        }
        let taken = |name: &String| next.nodes.iter().any(|node| node.name == *name);
        let free = (0..7).map(|index| self.name(index)).find(|name| !taken(name));
        // A blueprint has to have something in it.
        let adds = random.u8(0..8) < 3 || next.nodes.is_empty();
        if let Some(name) = free.filter(|_| adds) {
            let node = next.random_node(random, name);
            next.nodes.push(node);
        }
        next
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(
            "version: 2023-04-20\nvariables:\n  password:\n    type: string\n    secret: true\n    default: unset\n",
        );
        if self.nodes.is_empty() {
            return text + "resources: {}\n";
        }
        text += "resources:\n";
        for node in &self.nodes {
            // Writing to a text never fails.
            let _ = writeln!(
                text,
                "  {}:\n    type: \"{}\"\n    spec: {{{}}}",
                node.name,
                node.type_name,
                node.spec()
            );
        }
        if let Some(last) = self.nodes.iter().rev().find(|node| node.can_be_referred_to()) {
            let _ = writeln!(
                text,
                "exports:\n  arn:\n    type: string\n    field: resources.{}.state.arn",
                last.name
            );
        }
        text
    }
}

impl Node {
    fn spec(&self) -> String {
        let mut spec = format!(
            "mark: {}, kind: k{}, value: v{}",
            self.name, self.kind, self.value
        );
        match self.type_name {
            types::NAMED if self.is_squatter => spec += &format!(", name: {FOREIGN}"),
            types::NAMED => spec += &format!(", name: n-{}", self.name),
            types::SOLO => spec += &format!(", label: l-{}", self.name),
            _ => {}
        }
        if let Some(target) = &self.refers_to {
            spec += &format!(", ref: \"${{resources.{target}.state.arn}}\"");
        }
        if self.has_secret {
            let property = if self.type_name == types::NAMED {
                "secret"
            } else {
                "open"
            };
            spec += &format!(", {property}: \"${{variables.password}}\"");
        }
        spec
    }

    /// What cannot be read back tells nothing of what the service made up.
    fn can_be_referred_to(&self) -> bool {
        types::has_handler(self.type_name, "read")
    }

    /// The property that holds the secret.
    pub(crate) fn secret_property(&self) -> &'static str {
        if self.type_name == types::NAMED {
            "Secret"
        } else {
            "Open"
        }
    }
}
