//! What operators see: log lines about resources and requests, and the metrics made of them.

use crate::emf::{Line, Unit};
use formwork_engine::{Action, Event, EventKind, Observer, Status};
use formwork_provider::ports::{self, Answered};
use jiff::Timestamp;
use std::time::Duration;

/// Watches the engine and the provider for the log and, if wanted, for the metrics.
pub(crate) struct Telemetry {
    now: fn() -> Timestamp,
    /// Takes a metrics line; `None` without metrics.
    write: Option<fn(&str)>,
}

impl Telemetry {
    pub(crate) fn new(now: fn() -> Timestamp, write: Option<fn(&str)>) -> Self {
        Telemetry { now, write }
    }

    fn measure(
        &self,
        dimensions: &[(&'static str, &str)],
        metrics: &[(&'static str, Unit, f64)],
        properties: &[(&'static str, &str)],
    ) {
        if let Some(write) = self.write {
            let at = (self.now)();
            let line = Line {
                at,
                dimensions,
                metrics,
                properties,
            };
            write(&line.text());
        }
    }

    fn operated(&self, event: &Event, operation: &str, metrics: &[(&'static str, Unit, f64)]) {
        self.measure(
            &[("ResourceType", &event.type_name), ("Operation", operation)],
            metrics,
            &[("resource", &event.name)],
        );
    }
}

impl Observer for Telemetry {
    fn event(&self, event: &Event) {
        log(event);
        match event.kind {
            EventKind::Ended {
                operation,
                succeeded,
                took,
            } => self.operated(
                event,
                operation.verb(),
                &[
                    ("Operations", Unit::Count, 1.0),
                    ("OperationFailures", Unit::Count, count(!succeeded)),
                    ("OperationSeconds", Unit::Seconds, seconds(took)),
                ],
            ),
            EventKind::Retried { throttled } => self.operated(
                event,
                &event.action.to_string(),
                &[
                    ("Retries", Unit::Count, 1.0),
                    ("Throttles", Unit::Count, count(throttled)),
                ],
            ),
            EventKind::Started | EventKind::Progress | EventKind::Finished(_) => {}
        }
    }
}

impl ports::Observer for Telemetry {
    fn answered(&self, answered: &Answered<'_>) {
        let failed = count(answered.status != formwork_protocol::Status::Success);
        let mut metrics = vec![
            ("Requests", Unit::Count, 1.0),
            ("FailedRequests", Unit::Count, failed),
        ];
        if let Some(took) = answered.took {
            metrics.push(("RequestSeconds", Unit::Seconds, seconds(took)));
        }
        let request_type = answered
            .request_type
            .map_or("unknown", formwork_provider::RequestType::as_str);
        let dimensions = [
            ("ResourceType", answered.resource_type.unwrap_or("unknown")),
            ("RequestType", request_type),
        ];
        self.measure(&dimensions, &metrics, &[]);
    }
}

fn count(is_one: bool) -> f64 {
    f64::from(u8::from(is_one))
}

/// To the millisecond: more is noise.
fn seconds(duration: Duration) -> f64 {
    Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)).as_secs_f64()
}

/// What a line about a resource is called with, whatever its level.
macro_rules! resource {
    ($level:ident, $event:expr, $($rest:tt)*) => {
        tracing::$level!(
            resource = $event.lane,
            resourceType = $event.type_name,
            action = %$event.action,
            identifier = $event.identifier,
            attempt = $event.attempt,
            $($rest)*
        )
    };
}

fn log(event: &Event) {
    let detail = event.message.as_deref();
    match event.kind {
        EventKind::Started => resource!(info, event, "work on the resource begins"),
        EventKind::Progress => resource!(debug, event, detail, "work on the resource goes on"),
        EventKind::Retried { throttled } => {
            resource!(warn, event, detail, throttled, "the operation is tried again");
        }
        EventKind::Ended {
            operation,
            succeeded,
            took,
        } => resource!(
            info,
            event,
            operation = operation.verb(),
            succeeded,
            seconds = seconds(took),
            "the operation has ended"
        ),
        EventKind::Finished(Status::Failed) => {
            resource!(error, event, detail, "work on the resource has failed");
        }
        EventKind::Finished(_) if event.action == Action::Unchanged => {
            resource!(debug, event, "the resource is as it should be");
        }
        EventKind::Finished(status) => {
            resource!(info, event, status = %status, "work on the resource has ended");
        }
    }
}
