//! Cycles among elements that refer to each other or are linked, found in linear time.

use crate::Span;
use std::collections::VecDeque;

/// A directed graph over elements numbered from 0.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: Vec<Vec<Edge>>,
}

/// Why an element needs another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// It refers to it.
    Reference,
    /// It selects it by its labels.
    Link,
}

/// An edge remembers where it is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    pub(crate) need: Need,
    pub(crate) span: Span,
}

/// A step of a cycle: from this element to that of the next step; the last one leads to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) need: Need,
    pub(crate) span: Span,
}

/// Which edges count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    References,
    Both,
}

impl By {
    fn counts(self, edge: &Edge) -> bool {
        self == By::Both || edge.need == Need::Reference
    }
}

impl Graph {
    pub(crate) fn new(nodes: usize) -> Self {
        Graph {
            edges: vec![Vec::new(); nodes],
        }
    }

    pub(crate) fn connect(&mut self, from: usize, to: usize, need: Need, span: Span) {
        if let Some(edges) = self.edges.get_mut(from) {
            edges.push(Edge { to, need, span });
        }
    }

    /// All edges with the elements that they start from, in the order of these.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, &Edge)> {
        let numbered = self.edges.iter().enumerate();
        numbered.flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge)))
    }

    /// One cycle of references for each group of elements that reach each other by them: a shortest one
    /// through the group's lowest element. Self references are not cycles here: they are reported where they
    /// stand.
    pub(crate) fn reference_cycles(&self) -> Vec<Vec<Step>> {
        let groups = self.groups(By::References);
        let mut search = Search::new(self, By::References, &groups);
        let firsts = groups.firsts();
        firsts.filter_map(|node| search.path(node, node)).collect()
    }

    /// One cycle that a link is part of for each group of elements that reach each other by references and
    /// links, unless references alone form one there. It has a reference wherever that is possible, and begins
    /// with a link.
    pub(crate) fn link_cycles(&self) -> Vec<Vec<Step>> {
        let by_references = self.groups(By::References);
        let groups = self.groups(By::Both);
        let mut has_reference_cycle = vec![false; self.edges.len()];
        for node in by_references.firsts() {
            if let Some(told) = has_reference_cycle.get_mut(groups.of(node)) {
                *told = true;
            }
        }
        // The first reference within each group.
        let mut references: Vec<Option<(usize, Edge)>> = vec![None; self.edges.len()];
        for (node, edges) in self.edges.iter().enumerate() {
            let inside = |edge: &&Edge| {
                edge.need == Need::Reference && edge.to != node && groups.of(edge.to) == groups.of(node)
            };
            if let (Some(edge), Some(slot @ None)) =
                (edges.iter().find(inside), references.get_mut(groups.of(node)))
            {
                *slot = Some((node, *edge));
            }
        }
        let mut search = Search::new(self, By::Both, &groups);
        let mut cycles = Vec::new();
        for node in groups.firsts() {
            let group = groups.of(node);
            if has_reference_cycle.get(group).is_some_and(|told| *told) {
                continue;
            }
            let cycle = match references.get(group).copied().flatten() {
                None => search.path(node, node),
                Some((from, Edge { to, need, span })) => search.path(to, from).map(|mut steps| {
                    steps.push(Step { from, need, span });
                    steps
                }),
            };
            cycles.extend(cycle.map(|mut cycle| {
                let link = cycle.iter().position(|step| step.need == Need::Link);
                cycle.rotate_left(link.unwrap_or_default());
                cycle
            }));
        }
        cycles
    }

    /// Tarjan's strongly connected components, without recursion: a group number for every node.
    fn groups(&self, by: By) -> Groups {
        const NEW: usize = usize::MAX;
        let nodes = self.edges.len();
        let (mut index, mut low, mut group) = (vec![NEW; nodes], vec![NEW; nodes], vec![NEW; nodes]);
        let (mut open, mut next_index, mut next_group) = (Vec::new(), 0, 0);
        let get = |list: &[usize], node: usize| list.get(node).copied().unwrap_or(NEW);
        let set = |list: &mut [usize], node: usize, value: usize| {
            if let Some(slot) = list.get_mut(node) {
                *slot = value;
            }
        };
        for root in 0..nodes {
            if get(&index, root) != NEW {
                continue;
            }
            // Each entry is a node and how many of its edges are done.
            let mut path = vec![(root, 0_usize)];
            while let Some((node, done)) = path.pop() {
                if done == 0 {
                    set(&mut index, node, next_index);
                    set(&mut low, node, next_index);
                    next_index += 1;
                    open.push(node);
                }
                match self.edges.get(node).and_then(|edges| edges.get(done)) {
                    Some(edge) => {
                        path.push((node, done + 1));
                        if !by.counts(edge) {
                            continue;
                        }
                        if get(&index, edge.to) == NEW {
                            path.push((edge.to, 0));
                        } else if get(&group, edge.to) == NEW {
                            let lower = get(&low, node).min(get(&index, edge.to));
                            set(&mut low, node, lower);
                        }
                    }
                    None => {
                        if get(&low, node) == get(&index, node) {
                            while let Some(member) = open.pop() {
                                set(&mut group, member, next_group);
                                if member == node {
                                    break;
                                }
                            }
                            next_group += 1;
                        }
                        if let Some((parent, _)) = path.last() {
                            let lower = get(&low, *parent).min(get(&low, node));
                            set(&mut low, *parent, lower);
                        }
                    }
                }
            }
        }
        Groups { of: group }
    }
}

/// Elements that reach each other have the same number.
struct Groups {
    of: Vec<usize>,
}

impl Groups {
    fn of(&self, node: usize) -> usize {
        self.of.get(node).copied().unwrap_or(usize::MAX)
    }

    /// The lowest element of each group of at least two.
    fn firsts(&self) -> impl Iterator<Item = usize> {
        let mut size = vec![0_usize; self.of.len()];
        for group in &self.of {
            if let Some(count) = size.get_mut(*group) {
                *count += 1;
            }
        }
        // A group counts once: its size is taken away with its first element.
        self.of.iter().enumerate().filter_map(move |(node, group)| {
            let size = size.get_mut(*group)?;
            (std::mem::take(size) > 1).then_some(node)
        })
    }
}

/// Breadth first within groups. Each group is searched once: groups are disjoint, so the steps that were taken
/// need no cleaning in between.
struct Search<'g> {
    graph: &'g Graph,
    by: By,
    groups: &'g Groups,
    taken: Vec<Option<Step>>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, by: By, groups: &'g Groups) -> Self {
        Search {
            graph,
            by,
            groups,
            taken: vec![None; graph.edges.len()],
        }
    }

    /// A shortest way of at least one step from one element to another of its group.
    fn path(&mut self, start: usize, goal: usize) -> Option<Vec<Step>> {
        let group = self.groups.of(start);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in self.graph.edges.get(node)? {
                if edge.to == node || self.groups.of(edge.to) != group || !self.by.counts(edge) {
                    continue;
                }
                let step = Step {
                    from: node,
                    need: edge.need,
                    span: edge.span,
                };
                if edge.to == goal {
                    let mut steps = vec![step];
                    while let Some(first) = steps.last().filter(|step| step.from != start) {
                        steps.push((*self.taken.get(first.from)?)?);
                    }
                    steps.reverse();
                    return Some(steps);
                }
                let slot = self.taken.get_mut(edge.to)?;
                if slot.is_none() && edge.to != start {
                    *slot = Some(step);
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes_of(cycles: &[Vec<Step>]) -> Vec<Vec<usize>> {
        let nodes = |cycle: &Vec<Step>| cycle.iter().map(|step| step.from).collect();
        cycles.iter().map(nodes).collect()
    }

    #[track_caller]
    fn check(nodes: usize, edges: &[(usize, usize)], expected: &[&[usize]]) {
        let mut graph = Graph::new(nodes);
        for (at, (from, to)) in edges.iter().enumerate() {
            graph.connect(*from, *to, Need::Reference, Span::new(at, at + 1));
        }
        let cycles = graph.reference_cycles();
        assert_eq!(nodes_of(&cycles), expected, "{edges:?}");
        for cycle in &cycles {
            for (position, step) in cycle.iter().enumerate() {
                let to = cycle[(position + 1) % cycle.len()].from;
                assert_eq!(
                    edges[step.span.start],
                    (step.from, to),
                    "each place is that of its edge"
                );
            }
        }
    }

    #[test]
    fn cycles_are_found_once_per_group() {
        check(3, &[(0, 1), (1, 2)], &[]);
        check(2, &[(0, 1), (1, 0)], &[&[0, 1]]);
        check(1, &[(0, 0)], &[]);
        check(4, &[(1, 2), (2, 3), (3, 1), (0, 1)], &[&[1, 2, 3]]);
        check(4, &[(0, 1), (1, 2), (2, 0), (1, 0)], &[&[0, 1]]);
        check(
            5,
            &[(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (1, 2)],
            &[&[0, 1], &[2, 3, 4]],
        );
        check(3, &[(0, 2), (2, 1), (1, 0), (0, 0)], &[&[0, 2, 1]]);
    }

    #[test]
    fn a_ladder_of_many_paths_is_no_work() {
        // 2^10,000 paths lead through this graph: only a search that visits nodes once ends.
        let mut graph = Graph::new(20_002);
        for step in 0..10_000 {
            for (from, to) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
                graph.connect(step * 2 + from, step * 2 + to, Need::Reference, Span::default());
            }
        }
        assert!(graph.reference_cycles().is_empty());
        graph.connect(20_000, 0, Need::Link, Span::default());
        assert!(graph.reference_cycles().is_empty());
        assert_eq!(graph.link_cycles()[0].len(), 10_001);
        graph.connect(20_000, 0, Need::Reference, Span::default());
        assert_eq!(graph.reference_cycles()[0].len(), 10_001);
        assert!(graph.link_cycles().is_empty());
    }

    #[track_caller]
    fn check_links(references: &[(usize, usize)], links: &[(usize, usize)], expected: &str) {
        let mut graph = Graph::new(6);
        for (from, to) in references {
            graph.connect(*from, *to, Need::Reference, Span::default());
        }
        for (from, to) in links {
            graph.connect(*from, *to, Need::Link, Span::default());
        }
        let found: Vec<String> = graph
            .link_cycles()
            .iter()
            .map(|cycle| {
                let steps = cycle.iter().map(|step| match step.need {
                    Need::Reference => format!("{}-", step.from),
                    Need::Link => format!("{}=", step.from),
                });
                steps.collect()
            })
            .collect();
        assert_eq!(found.join(" "), expected, "{references:?} {links:?}");
    }

    #[test]
    fn links_close_cycles_that_begin_with_them() {
        check_links(&[(0, 1)], &[(0, 1), (2, 3)], "");
        check_links(&[(0, 1)], &[(1, 0)], "1=0-");
        check_links(&[(0, 1), (1, 2)], &[(2, 0)], "2=0-1-");
        check_links(&[], &[(0, 1), (1, 0)], "0=1=");
        check_links(&[], &[(1, 2), (2, 3), (3, 1), (1, 3)], "1=3=");
        // A reference is told of wherever there is one in the group.
        check_links(&[(3, 2)], &[(0, 1), (1, 0), (1, 3), (2, 1)], "2=1=3-");
        // Where references alone form a cycle, that is told and nothing else.
        check_links(&[(0, 1), (1, 0)], &[(1, 0), (0, 2), (2, 0)], "");
        check_links(&[(0, 1), (4, 5)], &[(1, 0), (5, 4)], "1=0- 5=4-");
        check_links(&[], &[(0, 0)], "");
    }
}
