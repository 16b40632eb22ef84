//! Heights on the page, after Brandes and Köpf: "Fast and Simple Horizontal Coordinate Assignment" (2001), turned by
//! a quarter. Items are lined up with the middle one of their neighbours, in four ways (from the left or the right,
//! preferring the upper or the lower), and each gets the mean of the two middle ones of its four places. Long edges
//! come out straight.

use super::{Columns, at, put};
use std::collections::HashSet;

/// Between two boxes, between a box and a passing arrow, between two arrows.
const BOX_GAP: i32 = 22;
const PASSING_GAP: i32 = 16;
const BEND_GAP: i32 = 14;

/// The middle of each item; the uppermost box or bend begins at 0.
pub(super) fn place(columns: &Columns) -> Vec<i32> {
    let conflicts = conflicts(columns);
    let mut ways: Vec<Vec<i32>> = Vec::new();
    for from_left in [true, false] {
        for upper in [true, false] {
            let view = View::new(columns, from_left, upper);
            let mut places = view.place(&conflicts);
            if !upper {
                places.iter_mut().for_each(|place| *place = -*place);
            }
            ways.push(places);
        }
    }
    align(columns, &mut ways);
    let items = columns.heights.len();
    let mut middles: Vec<i32> = (0..items)
        .map(|item| {
            let mut places: Vec<i32> = ways.iter().map(|way| at(way, item)).collect();
            places.sort_unstable();
            (at(&places, 1) + at(&places, 2)).div_euclid(2)
        })
        .collect();
    let tops = (0..items).map(|item| at(&middles, item) - at(&columns.heights, item) / 2);
    let top = tops.min().unwrap_or_default();
    middles.iter_mut().for_each(|middle| *middle -= top);
    middles
}

/// Edges that must give way: they cross one that passes several columns and has to be straight.
fn conflicts(columns: &Columns) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    let mut positions = vec![0; columns.heights.len()];
    for items in &columns.columns {
        for (position, item) in items.iter().enumerate() {
            put(&mut positions, *item, position);
        }
    }
    for pair in columns.columns.windows(2) {
        let [left, right] = pair else { continue };
        // Between two straight edges, only what stays between their left ends may be lined up.
        let (mut lowest, mut open) = (0, Vec::new());
        for (position, item) in right.iter().enumerate() {
            let straight = columns.is_bend(*item).then(|| {
                let before = columns.before.get(*item).and_then(|list| list.first().copied());
                before.filter(|before| columns.is_bend(*before))
            });
            open.push(*item);
            let straight = straight.flatten();
            if straight.is_none() && position + 1 < right.len() {
                continue;
            }
            let highest = straight.map_or(left.len(), |before| at(&positions, before));
            for item in open.drain(..) {
                for before in columns.before.get(item).into_iter().flatten() {
                    let is_straight = columns.is_bend(item) && columns.is_bend(*before);
                    let place = at(&positions, *before);
                    if !is_straight && (place < lowest || place > highest) {
                        found.insert((*before, item));
                    }
                }
            }
            lowest = highest;
        }
    }
    found
}

/// The columns as seen from one of the four corners.
struct View<'c> {
    columns: &'c Columns,
    /// From the corner on.
    lists: Vec<Vec<usize>>,
    from_left: bool,
    positions: Vec<usize>,
}

impl<'c> View<'c> {
    fn new(columns: &'c Columns, from_left: bool, upper: bool) -> Self {
        let mut lists = columns.columns.clone();
        if !from_left {
            lists.reverse();
        }
        let mut positions = vec![0; columns.heights.len()];
        for list in &mut lists {
            if !upper {
                list.reverse();
            }
            for (position, item) in list.iter().enumerate() {
                put(&mut positions, *item, position);
            }
        }
        View {
            columns,
            lists,
            from_left,
            positions,
        }
    }

    /// The first of the block that each item is lined up with.
    fn blocks(&self, conflicts: &HashSet<(usize, usize)>) -> Vec<usize> {
        let items = self.columns.heights.len();
        let mut roots: Vec<usize> = (0..items).collect();
        let neighbours = if self.from_left {
            &self.columns.before
        } else {
            &self.columns.after
        };
        for list in &self.lists {
            let mut free = 0;
            for item in list {
                let mut found: Vec<usize> = neighbours.get(*item).cloned().unwrap_or_default();
                found.sort_by_key(|neighbour| at(&self.positions, *neighbour));
                let middle = found.len().saturating_sub(1) / 2;
                for middle in found.iter().skip(middle).take(2 - found.len() % 2) {
                    let edge = if self.from_left {
                        (*middle, *item)
                    } else {
                        (*item, *middle)
                    };
                    let position = at(&self.positions, *middle);
                    if at(&roots, *item) != *item || position < free || conflicts.contains(&edge) {
                        continue;
                    }
                    let root = at(&roots, *middle);
                    put(&mut roots, *item, root);
                    free = position + 1;
                }
            }
        }
        roots
    }

    fn place(&self, conflicts: &HashSet<(usize, usize)>) -> Vec<i32> {
        let items = self.columns.heights.len();
        let roots = self.blocks(conflicts);
        // Which block is below which, and how far at least.
        let (mut below, mut above) = (vec![Vec::new(); items], vec![Vec::new(); items]);
        for list in &self.lists {
            for pair in list.windows(2) {
                let [upper, lower] = pair else { continue };
                let distance = self.distance(*upper, *lower);
                let (upper, lower) = (at(&roots, *upper), at(&roots, *lower));
                if let (Some(below), Some(above)) = (below.get_mut(upper), above.get_mut(lower)) {
                    below.push((lower, distance));
                    above.push((upper, distance));
                }
            }
        }
        let mut missing: Vec<usize> = above.iter().map(Vec::len).collect();
        let mut order: Vec<usize> = (0..items)
            .filter(|item| at(&roots, *item) == *item && at(&missing, *item) == 0)
            .collect();
        let mut places = vec![0; items];
        let mut next = 0;
        while let Some(block) = order.get(next).copied() {
            next += 1;
            let least = above.get(block).into_iter().flatten();
            let least = least
                .map(|(upper, distance)| at(&places, *upper) + distance)
                .max();
            put(&mut places, block, least.unwrap_or_default());
            for (lower, _) in below.get(block).into_iter().flatten() {
                let left = at(&missing, *lower).saturating_sub(1);
                put(&mut missing, *lower, left);
                if left == 0 {
                    order.push(*lower);
                }
            }
        }
        // What has room goes down to what is below it: otherwise blocks without anything above stay at the edge.
        for block in order.iter().rev() {
            let most = below.get(*block).into_iter().flatten();
            let most = most.map(|(lower, distance)| at(&places, *lower) - distance).min();
            if let Some(most) = most.filter(|most| *most > at(&places, *block)) {
                put(&mut places, *block, most);
            }
        }
        (0..items).map(|item| at(&places, at(&roots, item))).collect()
    }

    /// From middle to middle.
    fn distance(&self, upper: usize, lower: usize) -> i32 {
        let gap = match (self.columns.is_bend(upper), self.columns.is_bend(lower)) {
            (false, false) => BOX_GAP,
            (true, true) => BEND_GAP,
            _ => PASSING_GAP,
        };
        // Half of an odd height is rounded up on both sides.
        (at(&self.columns.heights, upper) + 1) / 2 + (at(&self.columns.heights, lower) + 1) / 2 + gap
    }
}

/// Moves the four ways over the narrowest of them: those that prefer the upper by their upper ends, the others by
/// their lower ones.
fn align(columns: &Columns, ways: &mut [Vec<i32>]) {
    let ends = |way: &[i32]| -> (i32, i32) {
        let half = |item: usize| at(&columns.heights, item) / 2;
        let tops = way.iter().enumerate().map(|(item, place)| place - half(item));
        let bottoms = way.iter().enumerate().map(|(item, place)| place + half(item));
        (tops.min().unwrap_or_default(), bottoms.max().unwrap_or_default())
    };
    let all: Vec<(i32, i32)> = ways.iter().map(|way| ends(way)).collect();
    let Some((top, bottom)) = all.iter().min_by_key(|(top, bottom)| bottom - top).copied() else {
        return;
    };
    for (number, (way, (own_top, own_bottom))) in ways.iter_mut().zip(all).enumerate() {
        let shift = if number % 2 == 0 {
            top - own_top
        } else {
            bottom - own_bottom
        };
        way.iter_mut().for_each(|place| *place += shift);
    }
}
