//! The legend: only what is in the picture, and only what a reader may not know.

use super::block::{SMALL_SIZE, class, outline};
use super::layout::Area;
use super::svg::ARROW;
use super::{Picture, Shape, text};
use std::fmt::Write;

/// What a reader may not know by sight.
pub enum Key {
    Shape(Shape),
    Link,
    Cycle,
    Frame,
}

pub fn keys(picture: &Picture, has_frames: bool) -> Vec<Key> {
    let has = |shape: Shape| picture.nodes.iter().any(|node| node.shape == shape);
    let mut keys = Vec::new();
    if picture.edges.iter().any(|edge| edge.link) {
        keys.push(Key::Link);
    }
    if has_frames {
        keys.push(Key::Frame);
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
            Key::Frame => "frame: an arrow for each in it",
        }
    }

    pub fn width(&self) -> i32 {
        text::width(self.text(), SMALL_SIZE) + 46
    }

    pub fn draw(&self, text: &mut String, x: i32, y: i32) {
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
            Key::Frame => {
                let y = middle - 8;
                let _ = write!(
                    text,
                    "<g><rect class=\"frame\" x=\"{x}\" y=\"{y}\" width=\"22\" height=\"16\" rx=\"4\"/>"
                );
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
