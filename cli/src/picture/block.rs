//! Boxes: their texts, sizes and outlines, alone or many in a frame.

use super::layout::Area;
use super::svg::escaped;
use super::{Node, Shape, text};
use std::fmt::Write;

const NAME_SIZE: i32 = 13;
const NAME_LINE: i32 = 17;
const SMALL_LINE: i32 = 14;
/// Between text and border.
const PADDING: (i32, i32) = (12, 8);
/// The lid of a cylinder takes room of its own, and so does the sheet behind a child.
const LID: i32 = 5;
const SHEET: i32 = 4;
const LONGEST_LINE: i32 = 240;
/// Between boxes in a frame, and around them.
const FRAME: i32 = 14;
pub(super) const NARROWEST: i32 = 96;
pub(super) const SMALL_SIZE: i32 = 11;
/// Above a box, for the arrow to itself.
pub(super) const LOOP: i32 = 18;

/// One box, or a frame around many of one size, in rows.
pub(super) struct Block {
    pub(super) width: i32,
    pub(super) height: i32,
    /// Of each box.
    size: (i32, i32),
    columns: usize,
    framed: bool,
}

impl Block {
    pub(super) fn of(nodes: &[usize], boxes: &[Lines]) -> Self {
        let lines = || nodes.iter().filter_map(|number| boxes.get(*number));
        let width = lines().map(Lines::width).max().unwrap_or_default();
        let height = lines().map(Lines::height).max().unwrap_or_default();
        let mut block = Block {
            width,
            height,
            size: (width, height),
            columns: 1,
            framed: nodes.len() > 1,
        };
        if block.framed {
            // A third wider than high.
            let count = i32::try_from(nodes.len()).unwrap_or(i32::MAX / 1000);
            let columns = (count * (height + FRAME) / (width + FRAME) * 4 / 3)
                .max(1)
                .isqrt();
            let rows = (count + columns - 1) / columns;
            block.columns = usize::try_from(columns).unwrap_or(1);
            block.width = columns * (width + FRAME) + FRAME;
            block.height = rows * (height + FRAME) + FRAME;
        }
        block
    }

    pub(super) fn frame(&self, text: &mut String, Area { x, y, width, height }: Area) {
        if self.framed {
            let _ = writeln!(
                text,
                "<rect class=\"frame\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"12\"/>"
            );
        }
    }

    /// Where one of its boxes is.
    pub(super) fn cell(&self, area: Area, place: usize, lines: &Lines) -> Area {
        if !self.framed {
            return area;
        }
        let (width, height) = self.size;
        let number = |count: usize| i32::try_from(count).unwrap_or_default();
        let (column, row) = (number(place % self.columns), number(place / self.columns));
        Area {
            x: area.x + FRAME + column * (width + FRAME),
            y: area.y + FRAME + row * (height + FRAME) + (height - lines.height()) / 2,
            width,
            height,
        }
    }
}

/// What is written into a box.
pub(super) struct Lines {
    name: Vec<String>,
    what: Vec<String>,
    shape: Shape,
    pub(super) has_loop: bool,
}

impl Lines {
    pub(super) fn of(node: &Node) -> Self {
        Lines {
            name: text::wrap(&node.name, NAME_SIZE, LONGEST_LINE, 3),
            what: text::wrap(&node.what, SMALL_SIZE, LONGEST_LINE, 2),
            shape: node.shape,
            has_loop: false,
        }
    }

    fn width(&self) -> i32 {
        let names = self.name.iter().map(|line| text::width(line, NAME_SIZE));
        let whats = self.what.iter().map(|line| text::width(line, SMALL_SIZE));
        (names.chain(whats).max().unwrap_or_default() + 2 * PADDING.0).max(NARROWEST)
    }

    /// With the room around it that its shape takes, the same above and below: arrows end at the middle.
    fn height(&self) -> i32 {
        self.inner() + 2 * self.around()
    }

    fn inner(&self) -> i32 {
        let lid = if self.shape == Shape::DataSource {
            2 * LID
        } else {
            0
        };
        total(self.name.len(), NAME_LINE) + total(self.what.len(), SMALL_LINE) + 2 * PADDING.1 + lid
    }

    fn around(&self) -> i32 {
        if self.has_loop { LOOP } else { 0 }
    }
}

fn total(lines: usize, height: i32) -> i32 {
    i32::try_from(lines)
        .unwrap_or(i32::MAX / height)
        .saturating_mul(height)
}

pub(super) fn draw(text: &mut String, node: &Node, lines: &Lines, area: Area) {
    let (x, y, width, height) = (area.x, area.y + lines.around(), area.width, lines.inner());
    let class = class(node.shape);
    let what = if node.what.is_empty() {
        String::new()
    } else {
        format!(": {}", node.what)
    };
    let title = format!("{} {}{what}", noun(node.shape), node.name);
    let _ = writeln!(text, "<g class=\"{class}\"><title>{}</title>", escaped(&title));
    outline(text, node.shape, Area { x, y, width, height });
    let middle = x + width / 2;
    let lid = if node.shape == Shape::DataSource {
        2 * LID
    } else {
        0
    };
    let mut baseline = y + PADDING.1 + lid;
    for line in &lines.name {
        let _ = writeln!(
            text,
            "<text class=\"name\" x=\"{middle}\" y=\"{}\">{}</text>",
            baseline + 13,
            escaped(line)
        );
        baseline += NAME_LINE;
    }
    for line in &lines.what {
        let _ = writeln!(
            text,
            "<text class=\"small\" x=\"{middle}\" y=\"{}\">{}</text>",
            baseline + 10,
            escaped(line)
        );
        baseline += SMALL_LINE;
    }
    text.push_str("</g>\n");
}

pub(super) fn outline(text: &mut String, shape: Shape, Area { x, y, width, height }: Area) {
    let _ = match shape {
        Shape::Resource => writeln!(
            text,
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
        ),
        Shape::DataSource => writeln!(
            text,
            "<path class=\"box\" d=\"M{x} {top}a{half} {LID} 0 0 1 {width} 0v{side}a{half} {LID} 0 0 1 -{width} 0z\
             m0 0a{half} {LID} 0 0 0 {width} 0\"/>",
            top = y + LID,
            half = width / 2,
            side = height - 2 * LID,
        ),
        Shape::Child => writeln!(
            text,
            "<path class=\"box\" d=\"M{} {y}v-{SHEET}h{width}v{height}h-{SHEET}\"/>\n\
             <rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"2\"/>",
            x + SHEET,
        ),
    };
}

pub(super) fn class(shape: Shape) -> &'static str {
    match shape {
        Shape::Resource => "resource",
        Shape::DataSource => "data-source",
        Shape::Child => "child",
    }
}

fn noun(shape: Shape) -> &'static str {
    match shape {
        Shape::Resource => "resource",
        Shape::DataSource => "data source",
        Shape::Child => "included blueprint",
    }
}
