//! Columns: every edge leads to the right, and edges are short.

use super::shorten::shorten;
use super::{at, put};

/// The column of each node.
pub(super) struct Ranked {
    /// From 0; no column is empty.
    pub(super) ranks: Vec<usize>,
    pub(super) count: usize,
    /// Edges that lead back, to the left: without them there are no cycles.
    pub(super) reversed: Vec<bool>,
}

impl Ranked {
    /// What an edge leads to the right from, and to.
    pub(super) fn ends(&self, edge: usize, edges: &[(usize, usize)]) -> (usize, usize) {
        let (from, to) = at(edges, edge);
        if at(&self.reversed, edge) {
            (to, from)
        } else {
            (from, to)
        }
    }
}

/// Columns for the nodes of a connected graph.
pub(super) fn rank(nodes: usize, edges: &[(usize, usize)]) -> Ranked {
    let mut ranked = Ranked {
        ranks: vec![0; nodes],
        count: 0,
        reversed: backward(nodes, edges),
    };
    let (mut before, mut after) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for (edge, (from, to)) in edges.iter().enumerate() {
        if from == to {
            continue;
        }
        let (left, right) = ranked.ends(edge, edges);
        if let (Some(after), Some(before)) = (after.get_mut(left), before.get_mut(right)) {
            after.push(right);
            before.push(left);
        }
    }
    let order = sorted(&before, &after);
    let ranks = &mut ranked.ranks;
    for node in &order {
        let least = neighbours(&before, *node).map(|left| at(ranks, left) + 1).max();
        put(ranks, *node, least.unwrap_or_default());
    }
    let rightwards: Vec<(usize, usize)> = after
        .iter()
        .enumerate()
        .flat_map(|(left, rights)| rights.iter().map(move |right| (left, *right)))
        .collect();
    shorten(ranks, &rightwards);
    let mut used: Vec<usize> = ranks.clone();
    used.sort_unstable();
    used.dedup();
    for rank in ranks.iter_mut() {
        *rank = used.binary_search(rank).unwrap_or_default();
    }
    ranked.count = used.len();
    ranked
}

fn neighbours(list: &[Vec<usize>], node: usize) -> impl Iterator<Item = usize> {
    list.get(node).into_iter().flatten().copied()
}

/// Which edges close cycles, for whoever follows all edges from where nothing leads to.
fn backward(nodes: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut leaving = vec![Vec::new(); nodes];
    let mut is_start = vec![true; nodes];
    for (edge, (from, to)) in edges.iter().enumerate() {
        if let Some(leaving) = leaving.get_mut(*from) {
            leaving.push((edge, *to));
        }
        if from != to {
            put(&mut is_start, *to, false);
        }
    }
    #[derive(Clone, Copy, Default, PartialEq)]
    enum Visit {
        #[default]
        New,
        Open,
        Done,
    }
    let mut visits = vec![Visit::New; nodes];
    let mut reversed = vec![false; edges.len()];
    let (starts, others): (Vec<usize>, Vec<usize>) = (0..nodes).partition(|node| at(&is_start, *node));
    for start in starts.into_iter().chain(others) {
        if at(&visits, start) != Visit::New {
            continue;
        }
        put(&mut visits, start, Visit::Open);
        // Each entry is a node and how many of its edges are done.
        let mut path = vec![(start, 0)];
        while let Some((node, done)) = path.pop() {
            let Some((edge, to)) = leaving.get(node).and_then(|edges| edges.get(done)).copied() else {
                put(&mut visits, node, Visit::Done);
                continue;
            };
            path.push((node, done + 1));
            match at(&visits, to) {
                Visit::New => {
                    put(&mut visits, to, Visit::Open);
                    path.push((to, 0));
                }
                Visit::Open => put(&mut reversed, edge, node != to),
                Visit::Done => {}
            }
        }
    }
    reversed
}

/// Each node after all that lead to it.
fn sorted(before: &[Vec<usize>], after: &[Vec<usize>]) -> Vec<usize> {
    let mut missing: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..before.len())
        .filter(|node| at(&missing, *node) == 0)
        .collect();
    let mut next = 0;
    while let Some(node) = order.get(next).copied() {
        next += 1;
        for right in neighbours(after, node) {
            let left = at(&missing, right).saturating_sub(1);
            put(&mut missing, right, left);
            if left == 0 {
                order.push(right);
            }
        }
    }
    order
}
