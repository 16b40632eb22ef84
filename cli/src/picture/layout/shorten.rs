//! Short edges: the network simplex method of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed
//! Graphs" (1993), over a connected graph without cycles.
//!
//! A tree of edges of length 1 holds all nodes together. Cutting one of its edges leaves two halves; if more edges
//! lead back over the cut than along it, it pays to make that one longer, until another edge over the cut has
//! length 1 and takes its place in the tree. What leads over a cut is what leaves the nodes of a subtree beyond what
//! enters them, so that all cuts are known after one walk through the tree.

use super::{at, put};

/// A bound on all steps together; pictures of a few thousand nodes do not get there.
const WORK: usize = 30_000_000;

/// Moves nodes to the right until the lengths of all edges have the least sum. Edges lead to higher ranks, before and
/// after.
pub(super) fn shorten(ranks: &mut [usize], edges: &[(usize, usize)]) {
    if ranks.is_empty() {
        return;
    }
    let mut tree = span(ranks, edges);
    for _ in 0..WORK / (ranks.len() + edges.len()) {
        if !improve(ranks, edges, &mut tree) {
            break;
        }
    }
}

/// How much longer an edge is than it has to be.
fn slack(ranks: &[usize], (from, to): (usize, usize)) -> usize {
    at(ranks, to).saturating_sub(at(ranks, from) + 1)
}

/// The numbers of the tree's edges at each node.
type Tree = Vec<Vec<usize>>;

/// Moves nodes until edges of length 1 hold all of them together.
fn span(ranks: &mut [usize], edges: &[(usize, usize)]) -> Tree {
    let mut incident = vec![Vec::new(); ranks.len()];
    for (edge, (from, to)) in edges.iter().enumerate() {
        for node in [from, to] {
            if let Some(list) = incident.get_mut(*node) {
                list.push(edge);
            }
        }
    }
    let mut tree: Tree = vec![Vec::new(); ranks.len()];
    let mut inside = vec![false; ranks.len()];
    let mut open = vec![0];
    put(&mut inside, 0, true);
    loop {
        while let Some(node) = open.pop() {
            for edge in incident.get(node).into_iter().flatten() {
                let ends = at(edges, *edge);
                let other = if ends.0 == node { ends.1 } else { ends.0 };
                if slack(ranks, ends) == 0 && !at(&inside, other) {
                    put(&mut inside, other, true);
                    join(&mut tree, *edge, ends);
                    open.push(other);
                }
            }
        }
        let across = edges
            .iter()
            .filter(|(from, to)| at(&inside, *from) != at(&inside, *to));
        let Some(nearest) = across.min_by_key(|ends| slack(ranks, **ends)).copied() else {
            return tree;
        };
        let by = slack(ranks, nearest);
        let moves = at(&inside, nearest.0);
        for (node, rank) in ranks.iter_mut().enumerate() {
            if at(&inside, node) == moves {
                *rank += by;
            }
        }
        open.push(if moves { nearest.0 } else { nearest.1 });
    }
}

fn join(tree: &mut Tree, edge: usize, (from, to): (usize, usize)) {
    for node in [from, to] {
        if let Some(list) = tree.get_mut(node) {
            list.push(edge);
        }
    }
}

/// A walk through the tree from its first node.
struct Walk {
    /// Nodes in the order of the walk: each subtree is a stretch of it.
    order: Vec<usize>,
    place: Vec<usize>,
    size: Vec<usize>,
    /// The edge that each node was reached by; the first by none.
    by: Vec<Option<usize>>,
    /// How many more edges leave a node's subtree than enter it.
    excess: Vec<i64>,
}

impl Walk {
    fn through(tree: &Tree, edges: &[(usize, usize)]) -> Self {
        let nodes = tree.len();
        let mut walk = Walk {
            order: Vec::with_capacity(nodes),
            place: vec![0; nodes],
            size: vec![1; nodes],
            by: vec![None; nodes],
            excess: vec![0; nodes],
        };
        for (from, to) in edges {
            let (leaving, entering) = (at(&walk.excess, *from), at(&walk.excess, *to));
            put(&mut walk.excess, *from, leaving + 1);
            put(&mut walk.excess, *to, entering - 1);
        }
        let mut open = vec![(0, None)];
        let mut parents = vec![0; nodes];
        while let Some((node, by)) = open.pop() {
            put(&mut walk.place, node, walk.order.len());
            put(&mut walk.by, node, by);
            walk.order.push(node);
            for edge in tree.get(node).into_iter().flatten() {
                if by != Some(*edge) {
                    let (from, to) = at(edges, *edge);
                    let next = if from == node { to } else { from };
                    put(&mut parents, next, node);
                    open.push((next, Some(*edge)));
                }
            }
        }
        for node in walk.order.iter().skip(1).rev() {
            let parent = at(&parents, *node);
            let size = at(&walk.size, parent) + at(&walk.size, *node);
            put(&mut walk.size, parent, size);
            let excess = at(&walk.excess, parent) + at(&walk.excess, *node);
            put(&mut walk.excess, parent, excess);
        }
        walk
    }

    fn is_under(&self, node: usize, top: usize) -> bool {
        let first = at(&self.place, top);
        (first..first + at(&self.size, top)).contains(&at(&self.place, node))
    }
}

/// Exchanges one edge of the tree, if that makes edges shorter.
fn improve(ranks: &mut [usize], edges: &[(usize, usize)], tree: &mut Tree) -> bool {
    let walk = Walk::through(tree, edges);
    let cuts = walk.order.iter().filter_map(|top| {
        let edge = at(&walk.by, *top)?;
        let leads_out = at(edges, edge).0 == *top;
        let excess = at(&walk.excess, *top);
        // What leads along the cut edge less what leads back over the cut.
        Some((if leads_out { excess } else { -excess }, *top, edge, leads_out))
    });
    let Some((_, top, old, leads_out)) = cuts
        .filter(|(along, ..)| *along < 0)
        .min_by_key(|(along, ..)| *along)
    else {
        return false;
    };
    let back = edges.iter().enumerate().filter(|(_, (from, to))| {
        let (from, to) = (walk.is_under(*from, top), walk.is_under(*to, top));
        from != to && to == leads_out
    });
    let Some((new, ends)) = back.min_by_key(|(_, ends)| slack(ranks, **ends)) else {
        return false;
    };
    let by = slack(ranks, *ends);
    for (node, rank) in ranks.iter_mut().enumerate() {
        if walk.is_under(node, top) != leads_out {
            *rank += by;
        }
    }
    let (from, to) = at(edges, old);
    for node in [from, to] {
        if let Some(list) = tree.get_mut(node) {
            list.retain(|edge| *edge != old);
        }
    }
    join(tree, new, *ends);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ranks: &[usize], edges: &[(usize, usize)], expected: usize) {
        let mut moved = ranks.to_vec();
        shorten(&mut moved, edges);
        assert!(
            edges.iter().all(|(from, to)| moved[*from] < moved[*to]),
            "{moved:?}"
        );
        let total: usize = edges.iter().map(|(from, to)| moved[*to] - moved[*from]).sum();
        assert_eq!(total, expected, "{moved:?}");
    }

    #[test]
    fn what_hangs_together_moves_together() {
        check(&[0], &[], 0);
        check(&[0, 5], &[(0, 1)], 1);
        check(&[0, 1, 2, 0], &[(0, 1), (1, 2), (3, 2)], 3);
        // 4 and 5 both refer to 6 and to the end of the chain: all three belong beside it.
        let edges = [(0, 1), (1, 2), (2, 3), (4, 6), (5, 6), (4, 3), (5, 3)];
        check(&[0, 1, 2, 3, 0, 0, 1], &edges, 7);
        // Two ways of different length.
        check(&[0, 1, 2, 3, 1], &[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)], 6);
    }
}
