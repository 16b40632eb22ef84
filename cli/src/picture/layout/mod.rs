//! Where boxes and arrows go: a layered layout from left to right, in whole pixels.
//!
//! ```text
//! components -> ranks (columns) -> order within a column -> y -> x -> routes -> components side by side
//!               rank.rs,          order.rs                 place.rs            pack.rs
//!               shorten.rs
//! ```
//!
//! Arrows that pass a column are given a place in it like boxes (a *bend*), so they go around what is there. All of
//! it is integer arithmetic over lists in the author's order: the same on every machine. The time grows with the
//! number of boxes and bends, and bends are bounded.

mod order;
mod pack;
mod place;
mod rank;
mod shorten;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

/// Pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

/// Where a node is: its upper left corner and its size, in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Area {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// What is to be laid out.
pub struct Input<'a> {
    /// The least width of each node; nodes of a column are made equally wide as far as that looks well.
    pub widths: &'a [i32],
    /// The height of each node.
    pub heights: &'a [i32],
    /// From, to. An arrow of a node to itself is left to whoever draws.
    pub edges: &'a [(usize, usize)],
}

/// Nodes and edges in the order of the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    pub width: i32,
    pub height: i32,
    pub nodes: Vec<Area>,
    /// From the first node's side to the second's. Points of one height are joined by a line, others by a curve that
    /// begins and ends level.
    pub routes: Vec<Vec<Point>>,
}

/// Boxes of a column are widened to the widest, but not beyond this.
const COMMON_WIDTH: i32 = 205;
/// Between columns: at least, and at most where arrows have a long way up or down.
const COLUMN_GAPS: (i32, i32) = (48, 180);
/// Between arrows that join the same two boxes.
const LANE: i32 = 9;
/// More bends than any picture that can be read.
const MAX_BENDS: usize = 60_000;

pub fn layout(input: &Input<'_>) -> Layout {
    let parts = components(input);
    let singles = parts.iter().filter(|part| part.nodes.len() == 1);
    let singles = singles
        .flat_map(|part| &part.nodes)
        .map(|node| at(input.widths, *node));
    let common = singles.max().unwrap_or_default().min(COMMON_WIDTH);
    let laid: Vec<Layout> = parts.iter().map(|part| component(input, part, common)).collect();
    let sizes: Vec<(i32, i32)> = laid.iter().map(|part| (part.width, part.height)).collect();
    let single: Vec<bool> = parts.iter().map(|part| part.nodes.len() == 1).collect();
    let packed = pack::pack(&sizes, &single);
    let mut whole = Layout {
        width: packed.width,
        height: packed.height,
        nodes: vec![Area::default(); input.widths.len()],
        routes: vec![Vec::new(); input.edges.len()],
    };
    for ((part, laid), corner) in parts.iter().zip(laid).zip(&packed.corners) {
        for (node, area) in part.nodes.iter().zip(laid.nodes) {
            let (x, y) = (area.x + corner.x, area.y + corner.y);
            put(&mut whole.nodes, *node, Area { x, y, ..area });
        }
        for (edge, mut route) in part.edges.iter().zip(laid.routes) {
            for point in &mut route {
                point.x += corner.x;
                point.y += corner.y;
            }
            put(&mut whole.routes, *edge, route);
        }
    }
    whole
}

/// Nodes that hang together, and the edges among them, by their numbers.
#[derive(Default)]
struct Part {
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

fn components(input: &Input<'_>) -> Vec<Part> {
    // Union by the lowest number: each node leads to a lower one, or is the first of its component.
    let mut above: Vec<usize> = (0..input.widths.len()).collect();
    fn first(above: &mut [usize], mut node: usize) -> usize {
        while at(above, node) != node {
            let next = at(above, at(above, node));
            put(above, node, next);
            node = next;
        }
        node
    }
    for (from, to) in input.edges {
        let (from, to) = (first(&mut above, *from), first(&mut above, *to));
        put(&mut above, from.max(to), from.min(to));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut numbers = HashMap::new();
    for node in 0..input.widths.len() {
        let number = *numbers.entry(first(&mut above, node)).or_insert_with(|| {
            parts.push(Part::default());
            parts.len() - 1
        });
        if let Some(part) = parts.get_mut(number) {
            part.nodes.push(node);
        }
    }
    for (edge, (from, _)) in input.edges.iter().enumerate() {
        let number = numbers.get(&first(&mut above, *from)).copied();
        if let Some(part) = number.and_then(|number| parts.get_mut(number)) {
            part.edges.push(edge);
        }
    }
    parts
}

/// What stands in columns: first the nodes, then the bends.
struct Columns {
    /// From left to right, each from top to bottom.
    columns: Vec<Vec<usize>>,
    /// Neighbours in the column before, and in the one after.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    heights: Vec<i32>,
    /// From here on they are bends.
    nodes: usize,
}

impl Columns {
    fn is_bend(&self, item: usize) -> bool {
        item >= self.nodes
    }

    fn connect(&mut self, left: usize, right: usize) {
        if let Some(after) = self.after.get_mut(left) {
            after.push(right);
        }
        if let Some(before) = self.before.get_mut(right) {
            before.push(left);
        }
    }
}

/// Lays out one component; if it is a single node, it is that wide at least.
fn component(input: &Input<'_>, part: &Part, single: i32) -> Layout {
    let local: HashMap<usize, usize> = part
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (*node, at))
        .collect();
    let number = |node: usize| local.get(&node).copied().unwrap_or_default();
    let least = if part.nodes.len() == 1 { single } else { 0 };
    let widths = part.nodes.iter().map(|node| at(input.widths, *node).max(least));
    let widths: Vec<i32> = widths.collect();
    let heights: Vec<i32> = part.nodes.iter().map(|node| at(input.heights, *node)).collect();
    let edges: Vec<(usize, usize)> = part
        .edges
        .iter()
        .map(|edge| at(input.edges, *edge))
        .map(|(from, to)| (number(from), number(to)))
        .collect();

    let ranked = rank::rank(part.nodes.len(), &edges);
    let (mut columns, chains) = build(&ranked, &edges, heights);
    order::order(&mut columns);
    let middles = place::place(&columns);
    draw(&columns, &widths, &middles, &chains, &ranked)
}

/// Puts nodes into the columns of their ranks, and bends where edges pass. Answers for each edge what it goes through,
/// from left to right.
fn build(ranked: &rank::Ranked, edges: &[(usize, usize)], heights: Vec<i32>) -> (Columns, Vec<Vec<usize>>) {
    let nodes = heights.len();
    let mut columns = Columns {
        columns: vec![Vec::new(); ranked.count],
        before: vec![Vec::new(); nodes],
        after: vec![Vec::new(); nodes],
        heights,
        nodes,
    };
    for node in 0..nodes {
        if let Some(column) = columns.columns.get_mut(at(&ranked.ranks, node)) {
            column.push(node);
        }
    }
    let span = |edge: usize| {
        let (left, right) = ranked.ends(edge, edges);
        (at(&ranked.ranks, left), at(&ranked.ranks, right))
    };
    // The longest edges of a picture that has too many go straight through.
    let mut by_length: Vec<usize> = (0..edges.len()).collect();
    by_length.sort_by_key(|edge| {
        let (left, right) = span(*edge);
        right.saturating_sub(left)
    });
    let mut left_over = MAX_BENDS;
    let mut chains = vec![Vec::new(); edges.len()];
    for edge in by_length {
        let (left, right) = ranked.ends(edge, edges);
        let (first, last) = span(edge);
        if first >= last {
            continue;
        }
        let mut chain = vec![left];
        let bends = last - first - 1;
        if let Some(rest) = left_over.checked_sub(bends) {
            left_over = rest;
            for rank in first + 1..last {
                let bend = columns.heights.len();
                columns.heights.push(0);
                columns.before.push(Vec::new());
                columns.after.push(Vec::new());
                if let Some(column) = columns.columns.get_mut(rank) {
                    column.push(bend);
                }
                chain.push(bend);
            }
        }
        chain.push(right);
        if chain.len() == bends + 2 {
            for (left, right) in chain.iter().zip(chain.iter().skip(1)) {
                columns.connect(*left, *right);
            }
        }
        put(&mut chains, edge, chain);
    }
    (columns, chains)
}

/// Gives columns their places, boxes their widths, and edges their ways.
fn draw(
    columns: &Columns,
    widths: &[i32],
    middles: &[i32],
    chains: &[Vec<usize>],
    ranked: &rank::Ranked,
) -> Layout {
    let mut layout = Layout {
        nodes: vec![Area::default(); columns.nodes],
        ..Layout::default()
    };
    // Left and right side of each item's column.
    let mut sides = vec![(0, 0); columns.heights.len()];
    let mut x = 0;
    for column in &columns.columns {
        let natural = |item: &usize| at(widths, *item);
        let common = column.iter().map(natural).max().unwrap_or_default();
        for item in column {
            put(&mut sides, *item, (x, x + common));
            if !columns.is_bend(*item) {
                let height = at(&columns.heights, *item);
                let area = Area {
                    x,
                    y: at(middles, *item) - height / 2,
                    width: at(widths, *item).max(common.min(COMMON_WIDTH)),
                    height,
                };
                layout.height = layout.height.max(area.y + height);
                layout.width = layout.width.max(area.x + area.width);
                put(&mut layout.nodes, *item, area);
            }
        }
        let climbs = column.iter().flat_map(|item| {
            let from = at(middles, *item);
            let after = columns.after.get(*item).into_iter().flatten();
            after.map(move |next| (at(middles, *next) - from).abs())
        });
        let climb = climbs.max().unwrap_or_default();
        x += common + (COLUMN_GAPS.0 + climb / 7).min(COLUMN_GAPS.1);
    }

    let mut between: HashMap<(usize, usize), i32> = HashMap::new();
    for (edge, chain) in chains.iter().enumerate() {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
            layout.routes.push(Vec::new());
            continue;
        };
        let earlier = between.entry((*first, *last)).or_insert(0);
        // What leads back keeps clear of what leads to the right, even where it is the only one.
        if at(&ranked.reversed, edge) && *earlier == 0 {
            *earlier = 1;
        }
        // In turn below and above the first, as far as both boxes reach.
        let side = if *earlier % 2 == 1 { LANE } else { -LANE };
        let reach = at(&columns.heights, *first).min(at(&columns.heights, *last)) / 2 - LANE / 2;
        let lane = ((*earlier + 1) / 2 * side).clamp(-reach.max(0), reach.max(0));
        *earlier += 1;
        let mut route: Vec<Point> = Vec::new();
        for item in chain {
            let (left, right) = at(&sides, *item);
            let y = at(middles, *item) + if columns.is_bend(*item) { 0 } else { lane };
            let area = layout.nodes.get(*item);
            // A box may be narrower than its column: the way out of it is level.
            let end = area.map_or(right, |area| area.x + area.width);
            if item == first {
                route.push(Point { x: end, y });
                route.push(Point { x: right, y });
            } else if item == last {
                route.push(Point { x: left, y });
            } else {
                route.push(Point { x: left, y });
                route.push(Point { x: right, y });
            }
        }
        route.dedup();
        if at(&ranked.reversed, edge) {
            route.reverse();
        }
        let bottom = route.iter().map(|point| point.y).max().unwrap_or_default();
        layout.height = layout.height.max(bottom);
        layout.routes.push(route);
    }
    layout
}

/// An element of a list, or nothing in particular where there is none: numbers are made here, and always fit.
fn at<T: Copy + Default>(list: &[T], number: usize) -> T {
    list.get(number).copied().unwrap_or_default()
}

fn put<T>(list: &mut [T], number: usize, value: T) {
    if let Some(slot) = list.get_mut(number) {
        *slot = value;
    }
}
