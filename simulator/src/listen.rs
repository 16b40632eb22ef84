//! Reads every log line, at every level, as somebody with access to the logs would.

use crate::world::World;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Hears all of Formwork's log lines.
pub(crate) struct Ear {
    world: Arc<World>,
    spans: AtomicU64,
}

impl Ear {
    pub(crate) fn new(world: Arc<World>) -> Self {
        Ear {
            world,
            spans: AtomicU64::new(1),
        }
    }

    fn hear(&self, text: &str) {
        self.world.read_by_people("a log line", text);
        if text.contains("panicked") {
            self.world.violated(format!("a panic: {text}"));
        }
    }
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a text never fails.
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}

impl Subscriber for Ear {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("formwork")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line::default();
        span.record(&mut line);
        self.hear(&line.0);
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _span: &Id, values: &Record<'_>) {
        let mut line = Line::default();
        values.record(&mut line);
        self.hear(&line.0);
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.hear(&line.0);
        self.world.tell(|| format!("log:{}", line.0));
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}
