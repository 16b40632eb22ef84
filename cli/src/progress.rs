//! Progress of a deployment, resource by resource: a line for each that ends, and on a terminal a spinner
//! for each that is under way.

use formwork_engine::{Action, Event, EventKind, Observer, Status};
use indexmap::IndexMap;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Watches deployments. One for a whole command; [`Progress::take`] separates the events.
pub struct Progress {
    shown: bool,
    bars: MultiProgress,
    now: fn() -> Timestamp,
    rows: Mutex<IndexMap<String, Row>>,
}

struct Row {
    started: Timestamp,
    bar: Option<ProgressBar>,
    last: Event,
}

impl Progress {
    /// Shows nothing unless `shown`; spinners only where standard error is a terminal.
    pub fn new(shown: bool, now: fn() -> Timestamp) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Progress {
            shown,
            bars: MultiProgress::with_draw_target(target),
            now,
            rows: Mutex::default(),
        }
    }

    /// What became of each resource since the last call, as the JSON output has it.
    pub fn take(&self) -> Vec<Value> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rows)
            .into_values()
            .map(|row| resource(&row.last))
            .collect()
    }

    fn line(&self, text: &str) {
        if self.bars.is_hidden() {
            crate::terminal::print_error(text);
        } else {
            // A terminal that has gone away takes no more lines.
            let _ = self.bars.println(text);
        }
    }
}

impl Observer for Progress {
    fn event(&self, event: &Event) {
        // What comes of the resource follows.
        if matches!(event.kind, EventKind::Ended { .. }) {
            return;
        }
        let now = (self.now)();
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows.entry(event.lane.clone()).or_insert_with(|| Row {
            started: now,
            bar: None,
            last: event.clone(),
        });
        let known = row.last.identifier.take();
        row.last = event.clone();
        // A deleted resource is still the one that had this identifier.
        row.last.identifier = event.identifier.clone().or(known);
        if !self.shown {
            return;
        }
        match event.kind {
            EventKind::Finished(status) => {
                if let Some(bar) = row.bar.take() {
                    bar.finish_and_clear();
                }
                let took = Duration::try_from(now.duration_since(row.started)).unwrap_or_default();
                let line = finished(&row.last, status, took);
                drop(rows);
                self.line(&line);
            }
            EventKind::Started
            | EventKind::Progress
            | EventKind::Retried { .. }
            | EventKind::Ended { .. } => {
                let bar = row.bar.get_or_insert_with(|| spinner(&self.bars));
                bar.set_message(under_way(event));
            }
        }
    }
}

fn spinner(bars: &MultiProgress) -> ProgressBar {
    let bar = bars.add(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("  {spinner:.cyan} {wide_msg} {elapsed:>4.dim}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn under_way(event: &Event) -> String {
    let mut text = format!(
        "{:<9} {}  {}",
        event.action.to_string(),
        event.name,
        event.type_name
    );
    if event.attempt > 1 {
        text.push_str(&format!("  (attempt {})", event.attempt));
    }
    if let Some(message) = &event.message {
        text.push_str(&format!("  {message}"));
    }
    text
}

fn finished(event: &Event, status: Status, took: Duration) -> String {
    let mark = match (status, event.action) {
        (Status::Failed, _) => console::style("✗").red(),
        (Status::Done, Action::Unchanged) => console::style("=").dim(),
        (Status::Done, Action::Delete) => console::style("-").yellow(),
        (Status::Done, _) => console::style("✓").green(),
        (Status::Pending | Status::Skipped, _) => console::style("·").dim(),
    }
    .for_stderr();
    let identifier = event.identifier.as_deref().unwrap_or_default();
    let dim = |text: String| console::style(text).dim().for_stderr();
    let mut line = format!(
        "  {mark} {:<9} {:<20} {:<32} {identifier} {}",
        event.action.to_string(),
        event.name,
        event.type_name,
        dim(format!("{:.1} s", took.as_secs_f64()))
    );
    if status != Status::Done {
        line.push_str(&format!("  {status}"));
        if let Some(message) = &event.message {
            line.push_str(&format!(": {message}"));
        }
    }
    line
}

fn resource(event: &Event) -> Value {
    let status = match event.kind {
        EventKind::Finished(status) => status,
        EventKind::Started | EventKind::Progress | EventKind::Retried { .. } | EventKind::Ended { .. } => {
            Status::Pending
        }
    };
    json!({
        "name": event.name,
        "type": event.type_name,
        "identifier": event.identifier,
        "action": event.action.to_string(),
        "status": status.to_string(),
    })
}
