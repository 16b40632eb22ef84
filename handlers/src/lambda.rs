//! The body of the two Lambda functions.

use crate::telemetry::Telemetry;
use crate::{App, Settings, log};
use formwork_aws::SystemClock;
use formwork_engine::ports::Clock;
use formwork_provider::Invocation;
use jiff::Timestamp;
use lambda_runtime::{Context, Diagnostic, Error, LambdaEvent, service_fn};
use serde_json::Value;
use std::sync::Arc;
use tracing::{Instrument, Span};

/// Which of the two functions runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Invoked by CloudFormation.
    OnEvent,
    /// Invoked by the waiter, the on-failure destination and the rule on failed executions.
    IsComplete,
}

/// What Lambda and Step Functions call a failed invocation. People read it: it comes to be in a Reason.
const ERROR_TYPE: &str = "Formwork.NotNow";

/// Runs a function until Lambda ends it.
///
/// One thread is enough: the work is waiting for the network, and a second one costs start-up time.
///
/// # Errors
/// When the Runtime API cannot be reached.
pub fn run(function: Function) -> Result<(), Error> {
    log::start(&Settings::log_filter_from_env());
    hide_panic_payloads();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let app = &Settings::from_env().and_then(|settings| {
                let write = settings.metrics.then_some(log::write_line as fn(&str));
                let telemetry = Arc::new(Telemetry::new(|| SystemClock.now(), write));
                App::new(&settings, telemetry.clone(), Some(telemetry))
            });
            let response_hosts = &Settings::response_hosts_from_env();
            if let Err(error) = app {
                tracing::error!(%error, "every request will be answered FAILED");
            }
            lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| async move {
                let (invocation, span) = (invocation(&event.context), span(&event.context));
                let work = async {
                    let result = match (app, function) {
                        (Ok(app), Function::OnEvent) => {
                            app.on_event(event.payload, invocation).await.map_err(Error::from)
                        }
                        (Ok(app), Function::IsComplete) => app
                            .is_complete(event.payload, invocation)
                            .await
                            .map_err(Error::from),
                        (Err(error), _) => {
                            crate::app::refuse(event.payload, error, response_hosts, invocation).await
                        }
                    };
                    result.map_err(|error| {
                        tracing::error!(%error, "the invocation failed");
                        Diagnostic {
                            error_type: ERROR_TYPE.to_owned(),
                            error_message: error.to_string(),
                        }
                    })
                };
                work.instrument(span).await
            }))
            .await
        })
}

fn invocation(context: &Context) -> Invocation {
    let deadline = i64::try_from(context.deadline)
        .ok()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok());
    Invocation {
        deadline: deadline.unwrap_or(Timestamp::MAX),
        log_stream: Some(context.env_config.log_stream.clone()),
    }
}

/// Lambda's names for its own request and trace, the same as in the lines that it writes itself.
fn span(context: &Context) -> Span {
    tracing::info_span!(
        "invocation",
        requestId = context.request_id,
        xrayTraceId = context.xray_trace_id,
    )
}

/// A panic's message may hold what was being worked on, secrets included; the place is enough to find it.
fn hide_panic_payloads() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(place, "panicked");
    }));
}
