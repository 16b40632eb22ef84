//! Cycles among elements that refer to each other, found in linear time.

use crate::Span;

/// A directed graph over elements numbered from 0. An edge remembers where it is written.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: Vec<Vec<(usize, Span)>>,
}

impl Graph {
    pub(crate) fn new(nodes: usize) -> Self {
        Graph {
            edges: vec![Vec::new(); nodes],
        }
    }

    pub(crate) fn connect(&mut self, from: usize, to: usize, span: Span) {
        if let Some(edges) = self.edges.get_mut(from) {
            edges.push((to, span));
        }
    }

    /// One cycle for each group of elements that reach each other: the elements in order, each with the
    /// place where it refers to the next; the last refers to the first. A shortest one through the group's
    /// lowest element. Self references are not cycles here: they are reported where they stand.
    pub(crate) fn cycles(&self) -> Vec<Vec<(usize, Span)>> {
        let group = self.groups();
        let mut size = vec![0_usize; self.edges.len()];
        for id in &group {
            if let Some(count) = size.get_mut(*id) {
                *count += 1;
            }
        }
        let mut told = vec![false; self.edges.len()];
        let mut from = vec![None; self.edges.len()];
        let mut cycles = Vec::new();
        for (node, id) in group.iter().copied().enumerate() {
            let first_of_group = told
                .get_mut(id)
                .is_some_and(|told| !std::mem::replace(told, true));
            if first_of_group && size.get(id).is_some_and(|size| *size > 1) {
                cycles.extend(self.shortest_cycle(node, &group, &mut from));
            }
        }
        cycles
    }

    /// Breadth first from `start` back to it, within its group. `from` is scratch space: groups are
    /// disjoint, so it needs no cleaning in between.
    fn shortest_cycle(
        &self,
        start: usize,
        group: &[usize],
        from: &mut [Option<(usize, Span)>],
    ) -> Option<Vec<(usize, Span)>> {
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for (to, span) in self.edges.get(node)?.iter().copied() {
                if group.get(to) != group.get(start) || to == node {
                    continue;
                }
                if to == start {
                    let mut cycle = vec![(node, span)];
                    while let Some((earlier, span)) = cycle.last().and_then(|(node, _)| *from.get(*node)?) {
                        cycle.push((earlier, span));
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                let slot = from.get_mut(to)?;
                if slot.is_none() {
                    *slot = Some((node, span));
                    queue.push_back(to);
                }
            }
        }
        None
    }

    /// Tarjan's strongly connected components, without recursion: a group number for every node.
    fn groups(&self) -> Vec<usize> {
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
                    Some((to, _)) => {
                        path.push((node, done + 1));
                        if get(&index, *to) == NEW {
                            path.push((*to, 0));
                        } else if get(&group, *to) == NEW {
                            let lower = get(&low, node).min(get(&index, *to));
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
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(nodes: usize, edges: &[(usize, usize)], expected: &[&[usize]]) {
        let mut graph = Graph::new(nodes);
        for (at, (from, to)) in edges.iter().enumerate() {
            graph.connect(*from, *to, Span::new(at, at + 1));
        }
        let cycles = graph.cycles();
        let found: Vec<Vec<usize>> = cycles
            .iter()
            .map(|cycle| cycle.iter().map(|(node, _)| *node).collect())
            .collect();
        assert_eq!(found, expected, "{edges:?}");
        for cycle in &cycles {
            for (position, (from, span)) in cycle.iter().enumerate() {
                let to = cycle[(position + 1) % cycle.len()].0;
                assert_eq!(edges[span.start], (*from, to), "each place is that of its edge");
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
                graph.connect(step * 2 + from, step * 2 + to, Span::default());
            }
        }
        assert!(graph.cycles().is_empty());
        graph.connect(20_000, 0, Span::default());
        assert_eq!(graph.cycles()[0].len(), 10_001);
    }
}
