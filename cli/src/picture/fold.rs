//! Many of a kind: resources that make use of the same and are made use of by the same are drawn as one block, with
//! one arrow for all of them.

use super::{Edge, Picture, Shape};
use std::collections::HashMap;

/// Fewer than this many are drawn one by one.
const MANY: usize = 9;

/// What is laid out in place of the nodes and edges of a picture.
pub struct Folded {
    /// Each with the numbers of its nodes, one or many.
    pub blocks: Vec<Vec<usize>>,
    /// From block to block.
    pub edges: Vec<Bundle>,
}

/// Edges that are drawn as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    pub from: usize,
    pub to: usize,
    /// The first of them, by nodes.
    pub edge: Edge,
}

pub fn fold(picture: &Picture) -> Folded {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut block_of: Vec<usize> = Vec::new();
    let mut known: HashMap<(Shape, Option<Vec<Contact>>), usize> = HashMap::new();
    let contacts = contacts(picture);
    let mut alike: HashMap<(Shape, &[Contact]), usize> = HashMap::new();
    for (node, contacts) in picture.nodes.iter().zip(&contacts) {
        if let Some(contacts) = contacts {
            *alike.entry((node.shape, contacts)).or_default() += 1;
        }
    }
    for (number, (node, contacts)) in picture.nodes.iter().zip(&contacts).enumerate() {
        let key = contacts.as_ref().filter(|contacts| {
            alike
                .get(&(node.shape, contacts.as_slice()))
                .is_some_and(|count| *count >= MANY)
        });
        let fresh = blocks.len();
        let block = match key {
            None => fresh,
            Some(contacts) => *known.entry((node.shape, Some(contacts.clone()))).or_insert(fresh),
        };
        block_of.push(block);
        match blocks.get_mut(block) {
            Some(block) => block.push(number),
            None => blocks.push(vec![number]),
        }
    }
    let mut seen = std::collections::HashSet::new();
    let bundles = picture.edges.iter().filter_map(|edge| {
        let (from, to) = (*block_of.get(edge.from)?, *block_of.get(edge.to)?);
        let fresh = seen.insert((from, to, edge.link, edge.cyclic));
        fresh.then_some(Bundle {
            from,
            to,
            edge: *edge,
        })
    });
    Folded {
        edges: bundles.collect(),
        blocks,
    }
}

/// An edge as one of its ends sees it: whether it leads there, to or from whom, and whether it is a link.
type Contact = (bool, usize, bool);

/// The edges of each node, or `None` if it has to be drawn by itself: because it has none, or has a part in a cycle.
fn contacts(picture: &Picture) -> Vec<Option<Vec<Contact>>> {
    let mut contacts: Vec<Option<Vec<Contact>>> = vec![Some(Vec::new()); picture.nodes.len()];
    for edge in &picture.edges {
        let alone = edge.cyclic || edge.from == edge.to;
        for (node, contact) in [
            (edge.from, (true, edge.to, edge.link)),
            (edge.to, (false, edge.from, edge.link)),
        ] {
            match contacts.get_mut(node) {
                Some(own) if alone => *own = None,
                Some(Some(list)) => list.push(contact),
                _ => {}
            }
        }
    }
    for list in &mut contacts {
        if let Some(list) = list {
            list.sort_unstable();
        }
        list.take_if(|list| list.is_empty());
    }
    contacts
}

#[cfg(test)]
mod tests {
    use super::super::Node;
    use super::*;

    #[track_caller]
    fn check(nodes: usize, edges: &[(usize, usize)], blocks: &[&[usize]], bundles: &[(usize, usize)]) {
        let node = Node {
            shape: Shape::Resource,
            id: String::new(),
            name: String::new(),
            what: String::new(),
        };
        let edge = |(from, to): &(usize, usize)| Edge {
            from: *from,
            to: *to,
            link: false,
            cyclic: false,
        };
        let picture = Picture {
            title: String::new(),
            nodes: vec![node; nodes],
            edges: edges.iter().map(edge).collect(),
        };
        let folded = fold(&picture);
        assert_eq!(folded.blocks, blocks);
        let found: Vec<(usize, usize)> = folded
            .edges
            .iter()
            .map(|bundle| (bundle.from, bundle.to))
            .collect();
        assert_eq!(found, bundles);
    }

    #[test]
    fn many_of_a_kind_are_one_block() {
        let fan: Vec<(usize, usize)> = (1..=9).map(|node| (node, 0)).collect();
        check(10, &fan, &[&[0], &[1, 2, 3, 4, 5, 6, 7, 8, 9]], &[(1, 0)]);
        // Another edge makes one of them different, and the others too few.
        let mut other = fan.clone();
        other.push((10, 4));
        let single: Vec<Vec<usize>> = (0..11).map(|node| vec![node]).collect();
        let single: Vec<&[usize]> = single.iter().map(Vec::as_slice).collect();
        check(11, &other, &single, &other);
        // What has nothing to do with anything is no kind.
        check(11, &[], &single, &[]);
    }

    #[test]
    fn every_one_with_every_one_is_one_arrow() {
        let edges: Vec<(usize, usize)> = (0..9)
            .flat_map(|from| (9..18).map(move |to| (from, to)))
            .collect();
        check(
            18,
            &edges,
            &[&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[9, 10, 11, 12, 13, 14, 15, 16, 17]],
            &[(0, 1)],
        );
    }
}
