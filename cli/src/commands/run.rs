//! `formwork run`: CloudFormation events through both Lambda handlers, against the embedded sandbox.

use crate::arguments::{Format, Run};
use crate::deployments::{self, STATE_URL, elapsed_ms, now};
use crate::events;
use crate::plan::{self, Detail};
use crate::progress::Progress;
use crate::terminal::{Failure, print, print_error, print_json};
use async_trait::async_trait;
use formwork_aws::{AllowedHostError, Http, ResponsePut};
use formwork_handlers::{App, Settings, WAITER_DEFINITION};
use formwork_protocol::{ResponseBody, ResponseUrl};
use formwork_provider::Invocation;
use formwork_provider::ports::ResponseSender;
use formwork_sandbox::{InvokeError, Invoker, Latency, Options, Sandbox};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const FUNCTION_ARN: &str = "arn:aws:lambda:eu-west-1:123456789012:function:formwork-is-complete";
/// Lambda's own longest time for one invocation.
const INVOCATION: Duration = Duration::from_secs(900);
/// Longer than CloudFormation waits.
const PATIENCE: Duration = Duration::from_secs(3700);

pub fn run(options: &Run) -> Result<bool, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::outside("no asynchronous runtime", error))?;
    runtime.block_on(handle_all(options))
}

async fn handle_all(options: &Run) -> Result<bool, Failure> {
    // All files first: a misspelt name should not be noticed after half the work.
    let parsed: Vec<(&Path, Value)> = options
        .events
        .iter()
        .map(|path| Ok((path.as_path(), events::read(path)?)))
        .collect::<Result<_, Failure>>()?;
    let stage = Stage::set(options).await?;
    let mut reports = Vec::new();
    let mut all_succeeded = true;
    for (path, event) in parsed {
        let report = stage.handle(path, event).await?;
        all_succeeded &= report.pointer("/response/Status").and_then(Value::as_str) == Some("SUCCESS");
        reports.push(report);
    }
    let left = stage.sandbox.resources().len();
    if options.format == Format::Json {
        print_json(&Value::Array(reports));
    } else {
        let noun = if left == 1 { "resource" } else { "resources" };
        print_error(&format!("the sandbox holds {left} {noun}"));
    }
    stage.sandbox.stop().await;
    Ok(all_succeeded)
}

/// The sandbox as AWS, and the handlers on it.
struct Stage {
    sandbox: Sandbox,
    app: Arc<App>,
    progress: Arc<Progress>,
    format: Format,
}

impl Stage {
    async fn set(options: &Run) -> Result<Self, Failure> {
        let sandbox = Sandbox::start(Options {
            dir: options.sandbox.clone(),
            latency: Latency::fixed(Duration::from_millis(options.latency)),
            hostile_reads: options.hostile_reads,
            ..Options::default()
        })
        .await
        .map_err(|error| Failure::outside("the sandbox cannot be started", error))?;
        let machine = sandbox
            .state_machine(WAITER_DEFINITION, &[("IsCompleteFunctionArn", FUNCTION_ARN)])
            .map_err(|error| Failure::outside("the waiter's definition cannot be run", error))?;
        let progress = Arc::new(Progress::new(options.format == Format::Text, now));
        let app = App::new(&settings(&sandbox, machine)?, progress.clone(), None)
            .map_err(|error| Failure::outside("the handlers cannot be set up", error))?;
        let app = Arc::new(app);
        sandbox.on_invoke(Arc::new(IsComplete(app.clone())));
        Ok(Stage {
            sandbox,
            app,
            progress,
            format: options.format,
        })
    }

    async fn handle(&self, path: &Path, mut event: Value) -> Result<Value, Failure> {
        if self.format == Format::Text {
            let kind = event
                .get("RequestType")
                .and_then(Value::as_str)
                .unwrap_or("request");
            print_error(&format!(
                "{} {}",
                console::style(path.display()).bold().for_stderr(),
                kind
            ));
        }
        let url = self.sandbox.response_url();
        let own_url = events::take_response_url(&mut event, &url)?;
        if self.format == Format::Text
            && let Some(plan) = self.app.plan(&event).await
        {
            let shown = plan::text(&plan, Detail::Compact, console::colors_enabled_stderr());
            print_error(&format!("{shown}\n"));
        }
        let started = now();
        if let Err(error) = self.app.on_event(event, invocation()).await {
            return Err(Failure::outside(
                format!("the event `{}` was not answered", path.display()),
                error,
            ));
        }
        let Some(delivery) = self.sandbox.response(&url, PATIENCE).await else {
            return Err(Failure::outside(
                format!("the event `{}` was not answered", path.display()),
                "no response document arrived",
            ));
        };
        let response: Value = serde_json::from_slice(&delivery.body)
            .map_err(|error| Failure::outside("the response document is not JSON", error))?;
        let elapsed = elapsed_ms(started);
        if let Some(own_url) = own_url {
            pass_on(own_url, &delivery.body).await?;
        }
        let resources = self.progress.take();
        if self.format == Format::Text {
            print(&serde_json::to_string_pretty(&response).unwrap_or_default());
        }
        Ok(json!({
            "event": path.display().to_string(),
            "response": response,
            "elapsedMs": elapsed,
            "resources": resources,
        }))
    }
}

/// Delivers a response to the event's own URL as well, if that is a sink of the caller's
/// (`FORMWORK_RESPONSE_HOSTS`). Never to CloudFormation, which would believe it.
async fn pass_on(url: String, body: &[u8]) -> Result<(), Failure> {
    let hosts = Settings::response_hosts_from_env();
    if !url.starts_with("http://") || hosts.is_empty() {
        print_error("note: the event's own ResponseURL is not used: the sandbox took the response");
        return Ok(());
    }
    let broken = |error: Box<dyn std::error::Error>| {
        Failure::outside("the response was not delivered to the event's ResponseURL", error)
    };
    let Some(body) = ResponseBody::read(body.to_vec()) else {
        return Err(broken("it is no response document".into()));
    };
    let http = Http::new().map_err(|error| broken(error.into()))?;
    let sender = ResponsePut::new(&http, hosts);
    sender
        .put(&ResponseUrl::new(url), &body)
        .await
        .map_err(|error| broken(error.into()))
}

/// The function that the waiter invokes, in this process.
struct IsComplete(Arc<App>);

#[async_trait]
impl Invoker for IsComplete {
    async fn invoke(&self, _function_arn: &str, input: Value) -> Result<Value, InvokeError> {
        self.0
            .is_complete(input, invocation())
            .await
            .map_err(|error| InvokeError {
                error: "Formwork.NotNow".into(),
                cause: error.to_string(),
            })
    }
}

fn settings(sandbox: &Sandbox, waiter_arn: String) -> Result<Settings, Failure> {
    let host = sandbox
        .host()
        .parse()
        .map_err(|error: AllowedHostError| Failure::outside("the sandbox has no usable address", error))?;
    Ok(Settings {
        state_url: STATE_URL.into(),
        waiter_arn: Some(waiter_arn),
        response_hosts: vec![host],
        poll_window: formwork_handlers::DEFAULT_POLL_WINDOW,
        max_concurrency: formwork_handlers::DEFAULT_MAX_CONCURRENCY,
        metrics: false,
        connection: deployments::connection(sandbox),
    })
}

fn invocation() -> Invocation {
    let deadline = now().checked_add(INVOCATION).unwrap_or(Timestamp::MAX);
    Invocation {
        deadline,
        log_stream: None,
    }
}
