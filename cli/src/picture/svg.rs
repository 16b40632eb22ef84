//! SVG: a picture for documents, complete in itself, in light and dark.

use super::layout::{Area, Input, Layout, Point, layout};
use super::{Edge, Node, Picture, Shape, text};
use std::fmt::Write;

const NAME_SIZE: i32 = 13;
const SMALL_SIZE: i32 = 11;
const NAME_LINE: i32 = 17;
const SMALL_LINE: i32 = 14;
/// Between text and border.
const PADDING: (i32, i32) = (12, 8);
/// The lid of a cylinder takes room of its own, and so does the sheet behind a child.
const LID: i32 = 5;
const SHEET: i32 = 4;
const LONGEST_LINE: i32 = 240;
const NARROWEST: i32 = 96;
/// Above a box, for the arrow to itself.
const LOOP: i32 = 18;
const ARROW: (i32, i32) = (8, 4);
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
    let widths: Vec<i32> = boxes.iter().map(Lines::width).collect();
    let heights: Vec<i32> = boxes.iter().map(Lines::height).collect();
    let edges: Vec<(usize, usize)> = picture.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let placed = layout(&Input {
        widths: &widths,
        heights: &heights,
        edges: &edges,
    });

    let keys = keys(picture);
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
        for (edge, route) in picture.edges.iter().zip(&placed.routes) {
            if edge.cyclic == cyclic {
                arrow(&mut text, picture, edge, route, &placed);
            }
        }
    }
    for ((node, lines), area) in picture.nodes.iter().zip(&boxes).zip(&placed.nodes) {
        draw(&mut text, node, lines, *area);
    }
    let mut x = 0;
    for key in &keys {
        key.draw(&mut text, x, placed.height + legend - 8);
        x += key.width();
    }
    text.push_str("</svg>\n");
    text
}

/// What is written into a box.
struct Lines {
    name: Vec<String>,
    what: Vec<String>,
    shape: Shape,
    has_loop: bool,
}

impl Lines {
    fn of(node: &Node) -> Self {
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

fn draw(text: &mut String, node: &Node, lines: &Lines, area: Area) {
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

fn outline(text: &mut String, shape: Shape, Area { x, y, width, height }: Area) {
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

fn arrow(text: &mut String, picture: &Picture, edge: &Edge, route: &[Point], placed: &Layout) {
    let name = |number: usize| picture.nodes.get(number).map_or("", |node| node.name.as_str());
    let verb = if edge.link { "is linked to" } else { "refers to" };
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
    let title = format!("{} {verb} {}", name(edge.from), name(edge.to));
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

/// What a reader may not know by sight.
enum Key {
    Shape(Shape),
    Link,
    Cycle,
}

fn keys(picture: &Picture) -> Vec<Key> {
    let has = |shape: Shape| picture.nodes.iter().any(|node| node.shape == shape);
    let mut keys = Vec::new();
    if picture.edges.iter().any(|edge| edge.link) {
        keys.push(Key::Link);
    }
    for shape in [Shape::DataSource, Shape::Child] {
        if has(shape) {
            keys.push(Key::Shape(shape));
        }
    }
    if picture.edges.iter().any(|edge| edge.cyclic) {
        keys.push(Key::Cycle);
    }
    keys
}

impl Key {
    fn text(&self) -> &'static str {
        match self {
            Key::Shape(Shape::Resource) => "resource",
            Key::Shape(Shape::DataSource) => "data source: exists already",
            Key::Shape(Shape::Child) => "included blueprint",
            Key::Link => "link: selected by labels",
            Key::Cycle => "cycle: cannot be deployed",
        }
    }

    fn width(&self) -> i32 {
        text::width(self.text(), SMALL_SIZE) + 46
    }

    fn draw(&self, text: &mut String, x: i32, y: i32) {
        let middle = y - 4;
        let line = |link: &str| {
            let (length, half) = ARROW;
            let end = x + 26;
            format!(
                "<path class=\"line{link}\" d=\"M{x} {middle}H{}\"/><path class=\"head\" d=\"M{end} {middle}l-{length} \
                 {half}v-{}z\"/>",
                end - length,
                2 * half
            )
        };
        match self {
            Key::Shape(shape) => {
                let _ = write!(text, "<g class=\"{}\">", class(*shape));
                let (y, width, height) = (middle - 8, 22, 16);
                outline(text, *shape, Area { x, y, width, height });
            }
            Key::Link => {
                let _ = write!(text, "<g>{}", line(" link"));
            }
            Key::Cycle => {
                let _ = write!(text, "<g class=\"cyclic\">{}", line(""));
            }
        }
        let _ = writeln!(
            text,
            "<text class=\"small key\" x=\"{}\" y=\"{y}\">{}</text></g>",
            x + 32,
            self.text()
        );
    }
}

fn class(shape: Shape) -> &'static str {
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
