//! A type's pointer lists as one tree: a walk over a document knows at every step which of them apply.

use crate::PropertyPointer;
use crate::transform::Transform;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Which lists of the schema name a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const READ_ONLY: Self = Self(1);
    pub(crate) const WRITE_ONLY: Self = Self(2);
    pub(crate) const CREATE_ONLY: Self = Self(4);
    pub(crate) const CONDITIONAL: Self = Self(8);

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The tree; node 0 is the resource itself.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    here: Kinds,
    inside: Kinds,
    members: HashMap<String, usize>,
    each: Option<usize>,
    transform: Option<Transform>,
}

impl Rules {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![Node::default()],
        }
    }

    pub(crate) fn add(&mut self, pointers: &[PropertyPointer], kind: Kinds) {
        for pointer in pointers {
            let at = self.node(pointer, kind);
            if let Some(node) = self.nodes.get_mut(at) {
                node.here = node.here.or(kind);
            }
        }
    }

    pub(crate) fn add_transform(&mut self, pointer: &PropertyPointer, transform: Transform) {
        let at = self.node(pointer, Kinds::default());
        if let Some(node) = self.nodes.get_mut(at) {
            node.transform = Some(transform);
        }
    }

    /// The node of a pointer, made if it is new; those on the way learn what lies inside of them.
    fn node(&mut self, pointer: &PropertyPointer, kind: Kinds) -> usize {
        let mut at = 0;
        for segment in pointer.segments() {
            let fresh = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { break };
            node.inside = node.inside.or(kind);
            at = match segment.as_str() {
                "*" => *node.each.get_or_insert(fresh),
                name => *node.members.entry(name.to_owned()).or_insert(fresh),
            };
            if at == fresh {
                self.nodes.push(Node::default());
            }
        }
        at
    }

    pub(crate) fn root(&self) -> Rule<'_> {
        Rule {
            rules: self,
            node: self.nodes.first(),
            outer: Kinds::default(),
        }
    }
}

/// What applies to one place of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'s> {
    rules: &'s Rules,
    node: Option<&'s Node>,
    /// Of everything that the place lies inside of.
    outer: Kinds,
}

impl<'s> Rule<'s> {
    /// What applies to a member of an object or map, or to the element at an index.
    pub(crate) fn member(&self, key: &str) -> Self {
        self.step(
            self.node
                .and_then(|node| node.members.get(key).copied().or(node.each)),
        )
    }

    /// What applies to every element of an array.
    pub(crate) fn element(&self) -> Self {
        self.step(self.node.and_then(|node| node.each))
    }

    fn step(&self, to: Option<usize>) -> Self {
        Self {
            rules: self.rules,
            node: to.and_then(|index| self.rules.nodes.get(index)),
            outer: self.outer.or(self.node.map(|node| node.here).unwrap_or_default()),
        }
    }

    /// True if the place is, or lies inside of, a property of one of the kinds.
    pub(crate) fn is(&self, kinds: Kinds) -> bool {
        self.outer.meet(kinds) || self.node.is_some_and(|node| node.here.meet(kinds))
    }

    /// True if properties of one of the kinds may lie inside of the place.
    pub(crate) fn holds(&self, kinds: Kinds) -> bool {
        self.node.is_some_and(|node| node.inside.meet(kinds))
    }

    /// How the service may show a value that is given here.
    pub(crate) fn transform(&self) -> Option<&'s Transform> {
        self.node.and_then(|node| node.transform.as_ref())
    }

    /// The values of these kinds inside of `value`, in document order.
    pub(crate) fn values<'v>(&self, value: &'v Value, kinds: Kinds) -> Vec<&'v Value> {
        let mut found = Vec::new();
        self.visit(value, kinds, &mut |value| found.push(value));
        found
    }

    fn visit<'v>(&self, value: &'v Value, kinds: Kinds, found: &mut impl FnMut(&'v Value)) {
        let mut step = |rule: Self, value: &'v Value| {
            if rule.is(kinds) {
                found(value);
            } else {
                rule.visit(value, kinds, found);
            }
        };
        match value {
            _ if !self.holds(kinds) => {}
            Value::Object(members) => members
                .iter()
                .for_each(|(key, member)| step(self.member(key), member)),
            Value::Array(elements) => elements.iter().for_each(|element| step(self.element(), element)),
            _ => {}
        }
    }

    /// `value` without the members, and elements, of these kinds.
    pub(crate) fn without(&self, value: &Value, kinds: Kinds) -> Value {
        match value {
            _ if !self.holds(kinds) => value.clone(),
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| (key, member, self.member(key)))
                .filter(|(_, _, rule)| !rule.is(kinds))
                .map(|(key, member, rule)| (key.clone(), rule.without(member, kinds)))
                .collect::<Map<String, Value>>()
                .into(),
            Value::Array(_) if self.element().is(kinds) => Value::Array(Vec::new()),
            Value::Array(elements) => {
                let rule = self.element();
                elements
                    .iter()
                    .map(|element| rule.without(element, kinds))
                    .collect()
            }
            scalar => scalar.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules() -> Rules {
        let pointers = |texts: &[&str]| -> Vec<PropertyPointer> {
            texts
                .iter()
                .map(|text| PropertyPointer::parse(text).unwrap())
                .collect()
        };
        let mut rules = Rules::new();
        rules.add(
            &pointers(&["/properties/Arn", "/properties/A/*/B"]),
            Kinds::READ_ONLY,
        );
        rules.add(
            &pointers(&["/properties/A/*/C", "/properties/D"]),
            Kinds::CREATE_ONLY,
        );
        rules
    }

    #[test]
    fn every_step_knows_what_it_is_and_what_it_holds() {
        let rules = rules();
        let (read_only, create_only) = (Kinds::READ_ONLY, Kinds::CREATE_ONLY);
        let root = rules.root();
        assert!(root.holds(read_only) && !root.is(read_only));
        assert!(root.member("Arn").is(read_only) && root.member("Arn").member("inside").is(read_only));
        let element = root.member("A").element();
        assert!(root.member("A").holds(read_only.or(create_only)) && !element.is(read_only));
        assert!(element.member("B").is(read_only) && !element.member("B").is(create_only));
        assert!(!element.member("Other").is(read_only.or(create_only)));
        assert!(root.member("D").element().element().is(create_only));
        assert!(!root.member("Nowhere").holds(read_only));
    }

    #[test]
    fn values_are_found_and_left_out_by_kind() {
        let rules = rules();
        let document = json!({"Arn": 1, "A": [{"B": 2, "C": 3}, {"C": 4, "E": 5}], "D": {"F": 6}});
        let root = rules.root();
        assert_eq!(root.values(&document, Kinds::READ_ONLY), [&json!(1), &json!(2)]);
        assert_eq!(
            root.values(&document, Kinds::CREATE_ONLY),
            [&json!(3), &json!(4), &json!({"F": 6})]
        );
        assert_eq!(
            root.without(&document, Kinds::READ_ONLY.or(Kinds::CREATE_ONLY)),
            json!({"A": [{}, {"E": 5}]})
        );
        assert_eq!(root.without(&document, Kinds::WRITE_ONLY), document);
    }
}
