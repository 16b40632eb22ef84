//! The order within columns: few crossings, found by sweeping to and fro and sorting each column by where its
//! neighbours are.

use super::{Columns, at, put};

/// Sweeps over small pictures; large ones get fewer, by their size.
const SWEEPS: usize = 24;
const WORK: usize = 1_500_000;

pub(super) fn order(columns: &mut Columns) {
    let mut positions = vec![0; columns.heights.len()];
    begin(columns);
    number(columns, &mut positions);
    let mut fewest = crossings(columns, &positions);
    let mut best = columns.columns.clone();
    let size = columns.heights.len() + columns.after.iter().map(Vec::len).sum::<usize>();
    let sweeps = (WORK / size.max(1)).clamp(2, SWEEPS);
    for sweep in 0..sweeps {
        if fewest == 0 {
            break;
        }
        // Two sweeps in a row leave neighbours of equal rank as they are, the next two turn them round.
        let turn = sweep % 4 > 1;
        let count = columns.columns.len();
        let rightwards = sweep % 2 == 0;
        for step in 1..count {
            let column = if rightwards { step } else { count - 1 - step };
            sort(columns, column, rightwards, turn, &mut positions);
        }
        swap(columns, &mut positions);
        let found = crossings(columns, &positions);
        if found < fewest {
            fewest = found;
            best.clone_from(&columns.columns);
        }
    }
    columns.columns = best;
}

/// The first order: items in which a walk from the left comes by, so that what hangs together stays together.
fn begin(columns: &mut Columns) {
    let mut seen = vec![false; columns.heights.len()];
    let mut ordered = vec![Vec::new(); columns.columns.len()];
    let mut column_of = vec![0; columns.heights.len()];
    for (number, column) in columns.columns.iter().enumerate() {
        for item in column {
            put(&mut column_of, *item, number);
        }
    }
    for start in columns.columns.iter().flatten() {
        let mut open = vec![*start];
        while let Some(item) = open.pop() {
            if at(&seen, item) {
                continue;
            }
            put(&mut seen, item, true);
            if let Some(column) = ordered.get_mut(at(&column_of, item)) {
                column.push(item);
            }
            open.extend(columns.after.get(item).into_iter().flatten().rev());
        }
    }
    columns.columns = ordered;
}

fn number(columns: &Columns, positions: &mut [usize]) {
    for column in &columns.columns {
        for (position, item) in column.iter().enumerate() {
            put(positions, *item, position);
        }
    }
}

/// Sorts a column by the mean position of each item's neighbours; items without any keep their places.
fn sort(columns: &mut Columns, column: usize, rightwards: bool, turn: bool, positions: &mut [usize]) {
    let neighbours = if rightwards {
        &columns.before
    } else {
        &columns.after
    };
    let Some(items) = columns.columns.get_mut(column) else {
        return;
    };
    // The mean as a fraction: sum and count.
    let mut moving: Vec<(usize, usize, usize)> = Vec::new();
    for item in items.iter() {
        let list = neighbours.get(*item).map(Vec::as_slice).unwrap_or_default();
        if !list.is_empty() {
            let sum = list.iter().map(|neighbour| at(positions, *neighbour)).sum();
            moving.push((sum, list.len(), *item));
        }
    }
    if turn {
        moving.reverse();
    }
    moving.sort_by(|(sum, count, _), (other, others, _)| (sum * others).cmp(&(other * count)));
    let mut moving = moving.into_iter();
    for item in items.iter_mut() {
        if neighbours.get(*item).is_some_and(|list| !list.is_empty())
            && let Some((_, _, next)) = moving.next()
        {
            *item = next;
        }
    }
    for (position, item) in items.iter().enumerate() {
        put(positions, *item, position);
    }
}

/// Swaps neighbours in a column as long as that saves crossings.
fn swap(columns: &mut Columns, positions: &mut [usize]) {
    let Columns {
        columns: lists,
        before,
        after,
        ..
    } = columns;
    for items in lists {
        for upper in 0..items.len().saturating_sub(1) {
            let (first, second) = (at(items, upper), at(items, upper + 1));
            let mut now = 0;
            let mut then = 0;
            for neighbours in [&*before, &*after] {
                let list = |item: usize| neighbours.get(item).map(Vec::as_slice).unwrap_or_default();
                if list(first).len() * list(second).len() > 400 {
                    continue;
                }
                for one in list(first) {
                    for other in list(second) {
                        let (one, other) = (at(positions, *one), at(positions, *other));
                        now += usize::from(one > other);
                        then += usize::from(one < other);
                    }
                }
            }
            if then < now {
                items.swap(upper, upper + 1);
                put(positions, first, upper + 1);
                put(positions, second, upper);
            }
        }
    }
}

/// How many pairs of edges between neighbouring columns cross.
fn crossings(columns: &Columns, positions: &[usize]) -> usize {
    let mut total = 0;
    for pair in columns.columns.windows(2) {
        let [left, right] = pair else { continue };
        // A Fenwick tree counts the ends seen so far.
        let mut tree = vec![0_usize; right.len() + 1];
        let mut seen = 0;
        for item in left {
            let ends = columns.after.get(*item).into_iter().flatten();
            let mut ends: Vec<usize> = ends.map(|end| at(positions, *end) + 1).collect();
            ends.sort_unstable();
            for end in &ends {
                let (mut at_or_above, mut node) = (0, *end);
                while node > 0 {
                    at_or_above += at(&tree, node);
                    node -= node & node.wrapping_neg();
                }
                total += seen - at_or_above;
            }
            for end in &ends {
                let mut node = *end;
                while node < tree.len() {
                    let count = at(&tree, node);
                    put(&mut tree, node, count + 1);
                    node += node & node.wrapping_neg();
                }
                seen += 1;
            }
        }
    }
    total
}
