//! SVG: a picture for documents, complete in itself, in light and dark.

use super::block::{Block, LOOP, Lines, NARROWEST, draw};
use super::fold::{Bundle, Folded, fold};
use super::layout::{Area, Input, Layout, Point, layout};
use super::legend::{Key, keys};
use super::{Picture, Shape};
use std::fmt::Write;

/// Length of an arrow's head, and half of its width.
pub(super) const ARROW: (i32, i32) = (8, 4);
const MARGIN: i32 = 20;
const LEGEND: i32 = 44;

/// System fonts: nothing is loaded. Rules hold inside of this picture only, also where it becomes a part of a page.
const STYLE: &str = "\
.formwork text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Ubuntu,Cantarell,'Helvetica Neue',Arial,sans-serif;text-anchor:middle}
.formwork .page{fill:#fff}
.formwork .name{font-size:13px;font-weight:600;fill:#1f2328}
.formwork .small{font-size:11px;fill:#59636e}
.formwork .key{text-anchor:start}
.formwork .box{stroke-width:1.25}
.formwork .resource .box{fill:#f2f7fe;stroke:#7d9cc8}
.formwork .data-source .box{fill:#eef8f1;stroke:#6ea685}
.formwork .child .box{fill:#f7f3fd;stroke:#9c86c8}
.formwork .frame{fill:none;stroke:#c3cad2;stroke-width:1.25}
.formwork .line{fill:none;stroke:#8b95a1;stroke-width:1.4}
.formwork .head{fill:#8b95a1}
.formwork .link{stroke-dasharray:5 4}
.formwork .cyclic .line{stroke:#cf222e;stroke-width:2}
.formwork .cyclic .head{fill:#cf222e}
@media (prefers-color-scheme:dark){
.formwork .page{fill:#0d1117}
.formwork .name{fill:#e6edf3}
.formwork .small{fill:#9198a1}
.formwork .resource .box{fill:#14233b;stroke:#4d74ad}
.formwork .data-source .box{fill:#12281d;stroke:#3f8560}
.formwork .child .box{fill:#231a37;stroke:#7a5fb3}
.formwork .frame{stroke:#3d444d}
.formwork .line{stroke:#737c86}
.formwork .head{fill:#737c86}
.formwork .cyclic .line{stroke:#f85149}
.formwork .cyclic .head{fill:#f85149}
}";

/// The picture, in pixels of its natural size.
pub fn svg(picture: &Picture) -> String {
    let mut boxes: Vec<Lines> = picture.nodes.iter().map(Lines::of).collect();
    for edge in picture.edges.iter().filter(|edge| edge.from == edge.to) {
        if let Some(lines) = boxes.get_mut(edge.from) {
            lines.has_loop = true;
        }
    }
    let folded = fold(picture);
    let blocks: Vec<Block> = folded
        .blocks
        .iter()
        .map(|nodes| Block::of(nodes, &boxes))
        .collect();
    let widths: Vec<i32> = blocks.iter().map(|block| block.width).collect();
    let heights: Vec<i32> = blocks.iter().map(|block| block.height).collect();
    let edges: Vec<(usize, usize)> = folded
        .edges
        .iter()
        .map(|bundle| (bundle.from, bundle.to))
        .collect();
    let placed = layout(&Input {
        widths: &widths,
        heights: &heights,
        edges: &edges,
    });

    let keys = keys(picture, folded.blocks.iter().any(|nodes| nodes.len() > 1));
    let legend = if keys.is_empty() { 0 } else { LEGEND };
    let keys_width = keys.iter().map(Key::width).sum();
    let width = placed.width.max(keys_width).max(NARROWEST) + 2 * MARGIN;
    let height = placed.height + legend + 2 * MARGIN;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"formwork\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"{0} {0} {width} {height}\">",
        -MARGIN
    );
    let _ = writeln!(text, "<title>{}</title>", escaped(&picture.title));
    let _ = writeln!(text, "<desc>{}</desc>", describe(picture));
    let _ = writeln!(text, "<style>\n{STYLE}\n</style>");
    let _ = writeln!(
        text,
        "<rect class=\"page\" x=\"{0}\" y=\"{0}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>",
        -MARGIN
    );
    // What is red lies above what is not.
    for cyclic in [false, true] {
        for (bundle, route) in folded.edges.iter().zip(&placed.routes) {
            if bundle.edge.cyclic == cyclic {
                arrow(&mut text, picture, &folded, bundle, route, &placed);
            }
        }
    }
    for ((nodes, block), area) in folded.blocks.iter().zip(&blocks).zip(&placed.nodes) {
        block.frame(&mut text, *area);
        for (place, number) in nodes.iter().enumerate() {
            if let (Some(node), Some(lines)) = (picture.nodes.get(*number), boxes.get(*number)) {
                draw(&mut text, node, lines, block.cell(*area, place, lines));
            }
        }
    }
    let mut x = 0;
    for key in &keys {
        key.draw(&mut text, x, placed.height + legend - 8);
        x += key.width();
    }
    text.push_str("</svg>\n");
    text
}

fn arrow(
    text: &mut String,
    picture: &Picture,
    folded: &Folded,
    bundle: &Bundle,
    route: &[Point],
    placed: &Layout,
) {
    let edge = bundle.edge;
    let name = |block: usize, number: usize| {
        let name = picture.nodes.get(number).map_or("", |node| node.name.as_str());
        match folded
            .blocks
            .get(block)
            .map_or(0, |nodes| nodes.len().saturating_sub(1))
        {
            0 => (name.to_owned(), false),
            more => (format!("{name} and {more} more"), true),
        }
    };
    let ((from, many), (to, _)) = (name(bundle.from, edge.from), name(bundle.to, edge.to));
    let verb = match (edge.link, many) {
        (false, false) => "refers to",
        (false, true) => "refer to",
        (true, false) => "is linked to",
        (true, true) => "are linked to",
    };
    let (path, end) = if edge.from == edge.to {
        let Some(area) = placed.nodes.get(edge.from) else {
            return;
        };
        own(area)
    } else {
        let Some(way) = way(route) else { return };
        way
    };
    let class = if edge.cyclic { " class=\"cyclic\"" } else { "" };
    let link = if edge.link { " link" } else { "" };
    let title = format!("{from} {verb} {to}");
    let _ = writeln!(
        text,
        "<g{class}><title>{}</title><path class=\"line{link}\" d=\"{path}\"/><path class=\"head\" d=\"{end}\"/></g>",
        escaped(&title)
    );
}

/// The line up to the arrow's head, and the head.
fn way(route: &[Point]) -> Option<(String, String)> {
    let (first, last) = (route.first()?, route.last()?);
    let before = route.iter().rev().nth(1)?;
    let (length, half) = ARROW;
    let back = if before.x <= last.x { -length } else { length };
    let mut path = format!("M{} {}", first.x, first.y);
    for (number, (from, to)) in route.iter().zip(route.iter().skip(1)).enumerate() {
        let x = if number + 2 == route.len() {
            to.x + back
        } else {
            to.x
        };
        if from.y == to.y {
            let _ = write!(path, "H{x}");
        } else {
            let middle = (from.x + x) / 2;
            let _ = write!(path, "C{middle} {} {middle} {} {x} {}", from.y, to.y, to.y);
        }
    }
    let head = format!("M{} {}l{back} {half}v-{}z", last.x, last.y, 2 * half);
    Some((path, head))
}

/// From a box to itself: over its upper right corner.
fn own(area: &Area) -> (String, String) {
    let (length, half) = ARROW;
    let (right, top) = (area.x + area.width - 16, area.y + LOOP);
    let (left, up) = (right - 28, top - 22);
    let path = format!("M{right} {top}C{right} {up} {left} {up} {left} {}", top - length);
    (path, format!("M{left} {top}l-{half} -{length}h{}z", 2 * half))
}

/// For those who cannot see it.
fn describe(picture: &Picture) -> String {
    let count = |shape: Shape| picture.nodes.iter().filter(|node| node.shape == shape).count();
    let links = picture.edges.iter().filter(|edge| edge.link).count();
    let counted = [
        (count(Shape::Resource), "resource"),
        (count(Shape::DataSource), "data source"),
        (count(Shape::Child), "included blueprint"),
        (picture.edges.len() - links, "reference"),
        (links, "link"),
    ];
    let parts: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    parts.join(", ")
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
