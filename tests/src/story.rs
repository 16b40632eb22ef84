//! What happened in a world, for the message of a scenario that failed.

use crate::World;
use crate::clock;
use crate::function::Function;
use crate::logs::Line;
use formwork_sandbox::Execution;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// What is done to a world from outside, and when.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, text: impl fmt::Display) {
        self.0.lock().unwrap().push(format!("{} {text}", clock::now()));
    }
}

/// Everything that people look at, in the order of time.
pub(crate) fn of(world: &World) -> String {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for call in world.sandbox.requests() {
        *calls
            .entry(format!("{} {}", call.call.name(), call.status))
            .or_default() += 1;
    }
    let mut lines = world.notes.0.lock().unwrap().clone();
    lines.extend(messages("on_event", &world.on_event));
    lines.extend(messages("is_complete", &world.is_complete));
    // Each begins with its time.
    lines.sort();
    let executions: Vec<_> = world.sandbox.executions().iter().map(summary).collect();
    format!("calls: {calls:?}\nlog: {lines:#?}\nexecutions: {executions:#?}")
}

fn summary(execution: &Execution) -> String {
    let Execution {
        status,
        outputs,
        error,
        ..
    } = execution;
    format!(
        "{status:?} after {} invocations, the last: {:?}, error: {error:?}",
        outputs.len(),
        outputs.last()
    )
}

/// The log above debug level, without its circumstances.
fn messages(name: &str, function: &Function) -> Vec<String> {
    const CIRCUMSTANCES: [&str; 6] = [
        "timestamp",
        "target",
        "instance",
        "requestId",
        "xrayTraceId",
        "name",
    ];
    let lines = function.log().into_iter().filter_map(|text| {
        let Ok(mut line) = Line::read(&text) else {
            return Some(format!("{name} {text}"));
        };
        let is_news = line.text("level") != Some("DEBUG")
            && line.text("message") != Some("a request came in")
            && !line.is_metrics();
        let time = line.text("timestamp").unwrap_or_default().to_owned();
        line.0.retain(|name, _| !CIRCUMSTANCES.contains(&name.as_str()));
        is_news.then(|| format!("{time} {name} {}", Value::Object(line.0)))
    });
    lines.collect()
}
