//! Components side by side: in rows, the largest first and what stands alone last, so that the whole is no strip.

use super::Point;
use std::cmp::Reverse;

/// Between components.
const GAP: i32 = 36;
/// A page is that much wider than high: 8 to 5.
const SHAPE: (i64, i64) = (8, 5);

pub(super) struct Packed {
    pub(super) width: i32,
    pub(super) height: i32,
    /// The upper left corner of each component.
    pub(super) corners: Vec<Point>,
}

/// Places components of these widths and heights; those that are single come last, in
/// their order and in rows of their own.
pub(super) fn pack(sizes: &[(i32, i32)], single: &[bool]) -> Packed {
    let widest = sizes.iter().map(|(width, _)| *width).max().unwrap_or_default();
    let room: i64 = sizes
        .iter()
        .map(|(width, height)| i64::from(width + GAP) * i64::from(height + GAP))
        .sum();
    let ideal = (room * SHAPE.0 / SHAPE.1).isqrt();
    let limit = i32::try_from(ideal).unwrap_or(i32::MAX / 2).max(widest);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    let size = |number: &usize| sizes.get(*number).copied().unwrap_or_default();
    order.sort_by_key(|number| match single.get(*number) {
        Some(true) => (1, Reverse(0)),
        _ => (0, Reverse(size(number).1)),
    });
    let mut packed = Packed {
        width: 0,
        height: 0,
        corners: vec![Point::default(); sizes.len()],
    };
    let (mut x, mut y, mut row) = (0, 0, 0);
    let mut before = false;
    for number in order {
        let (width, height) = size(&number);
        let alone = single.get(number).copied().unwrap_or_default();
        let turns = alone != std::mem::replace(&mut before, alone);
        if x > 0 && (turns || x + width > limit) {
            (x, y, row) = (0, y + row + GAP, 0);
        }
        if let Some(corner) = packed.corners.get_mut(number) {
            *corner = Point { x, y };
        }
        row = row.max(height);
        packed.width = packed.width.max(x + width);
        packed.height = packed.height.max(y + row);
        x += width + GAP;
    }
    packed
}
