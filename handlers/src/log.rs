//! The log: one flat JSON object per line, on standard output, which is Lambda's log.

use std::io::Write;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry};

/// Says at every attempt without an answer, as an error, that our HTTP client keeps its connections itself.
const NOISE: &str = "aws_smithy_runtime::client::http::connection_poisoning=off";

/// Writes what the filter lets through: `timestamp`, `level`, `message`, the line's own fields, and those of
/// the spans around it (`requestId`, `xrayTraceId`, `instance`, `request`, `requestType`).
///
/// Lambda takes a line's level for INFO unless the line says when it was written.
pub(crate) fn start(filter: &str) {
    let quiet = |filter: &str| format!("{filter},{NOISE}");
    let filter = EnvFilter::try_new(quiet(filter)).unwrap_or_else(|_| EnvFilter::new(quiet("info")));
    let lines = json_subscriber::layer()
        .flatten_event(true)
        .with_current_span(false)
        .flatten_span_list_on_top_level(true)
        .with_target(true);
    // A second subscriber cannot come: nothing else in this process installs one.
    let _ = Registry::default().with(filter).with(lines).try_init();
}

/// Writes a line beside the log's. Lost when standard output is.
pub(crate) fn write_line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}
