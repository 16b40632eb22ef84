//! The body of the two Lambda functions.

use crate::{App, Settings};
use formwork_engine::NoObserver;
use formwork_provider::Invocation;
use jiff::Timestamp;
use lambda_runtime::{Context, Error, LambdaEvent, service_fn};
use serde_json::Value;
use std::sync::Arc;

/// Which of the two functions runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Invoked by CloudFormation.
    OnEvent,
    /// Invoked by the waiter, the on-failure destination and the rule on failed executions.
    IsComplete,
}

/// Runs a function until Lambda ends it.
///
/// One thread is enough: the work is waiting for the network, and a second one costs start-up time.
///
/// # Errors
/// When the Runtime API cannot be reached.
pub fn run(function: Function) -> Result<(), Error> {
    log_json();
    hide_panic_payloads();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let app = &Settings::from_env().and_then(|settings| App::new(&settings, Arc::new(NoObserver)));
            let response_hosts = &Settings::response_hosts_from_env();
            if let Err(error) = app {
                tracing::error!(%error, "every request will be answered FAILED");
            }
            lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| async move {
                let invocation = invocation(&event.context);
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
                result.inspect_err(|error| tracing::error!(%error, "the invocation failed"))
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

/// A panic's message may hold what was being worked on, secrets included; the place is enough to find it.
fn hide_panic_payloads() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(place, "panicked");
    }));
}

#[expect(
    clippy::disallowed_methods,
    reason = "handlers is one of the two packages that read the environment"
)]
fn log_json() {
    let level = std::env::var("RUST_LOG").unwrap_or_else(|_| "info".into());
    let filter = tracing_subscriber::EnvFilter::try_new(&level)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    // A second subscriber cannot come: nothing else in this process installs one.
    let _ = tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter)
        .with_target(false)
        .without_time()
        .try_init();
}
