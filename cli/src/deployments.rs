//! Blueprints deployed without CloudFormation: an engine on the embedded sandbox, or on an account.

use crate::arguments::{Format, Inputs, Instance, Place};
use crate::files;
use crate::progress::Progress;
use crate::render;
use crate::terminal::{Failure, confirm, print, print_error, print_json};
use crate::{account, stores, variables};
use formwork_aws::{Connection, Credentials, Endpoints, Http, Timeouts};
use formwork_blueprint::{Source, codes};
use formwork_engine::{Advance, Engine, EngineError, Goal, Order, Outcome, Problem, Target};
use formwork_sandbox::{Latency, Options, Sandbox};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The sandbox's region.
pub const REGION: &str = "eu-west-1";
/// Where deployments are kept: in the sandbox's S3, beside those of `formwork run`.
pub const STATE_URL: &str = "s3://formwork-state/formwork";

/// How long one piece of a deployment is carried on.
const WINDOW: SignedDuration = SignedDuration::from_secs(45);

/// Runs a command's work.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::outside("no asynchronous runtime", error))?;
    runtime.block_on(work)
}

/// How the sandbox is reached.
pub fn connection(sandbox: &Sandbox) -> Connection {
    Connection {
        region: REGION.into(),
        credentials: Credentials::keys("sandbox", "sandbox", None),
        endpoints: Endpoints {
            all: Some(sandbox.endpoint()),
            ..Endpoints::default()
        },
        timeouts: Timeouts::default(),
    }
}

/// The sandbox of a place.
pub async fn sandbox(place: &Place) -> Result<Sandbox, Failure> {
    Sandbox::start(Options {
        dir: place.sandbox.clone(),
        latency: Latency::fixed(Duration::from_millis(place.latency)),
        hostile_reads: place.hostile_reads,
        ..Options::default()
    })
    .await
    .map_err(|error| Failure::outside("the sandbox cannot be started", error))
}

/// The blueprint and its variables.
pub fn target(inputs: &Inputs) -> Result<Target, Failure> {
    let name = inputs.blueprint.display().to_string();
    let mut target = Target::new(Source::from_bytes(name, files::bytes(&inputs.blueprint)?));
    target.variables = variables::read(&inputs.variables)?;
    Ok(target)
}

/// The name an instance goes by: the one given, or that of the blueprint's file.
pub fn instance_name(instance: &Instance, blueprint: Option<&Path>) -> Result<String, Failure> {
    let name = match (&instance.instance, blueprint.and_then(Path::file_stem)) {
        (Some(name), _) => name.clone(),
        (None, Some(stem)) => stem.to_string_lossy().into_owned(),
        (None, None) => {
            return Err(Failure::usage_with_hint(
                "it is not said what to destroy",
                "name the blueprint that was deployed, or the instance: `--instance NAME`",
            ));
        }
    };
    check_name(&name)?;
    Ok(name)
}

/// Refuses what cannot be the name of an instance.
pub fn check_name(name: &str) -> Result<(), Failure> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.starts_with('.') || name.len() > 100 || !name.bytes().all(is_plain) {
        return Err(Failure::usage_with_hint(
            format!("`{name}` cannot be the name of an instance"),
            "give one with `--instance NAME`: at most 100 letters, digits, `-`, `_` and `.`",
        ));
    }
    Ok(())
}

/// An engine, and one instance.
pub struct Deployments {
    pub engine: Engine,
    pub progress: Arc<Progress>,
    /// What the instance is called.
    pub name: String,
    region: String,
    /// None if an account is worked on.
    sandbox: Option<Sandbox>,
}

impl Deployments {
    /// Starts the sandbox, or signs in to the account. Progress is shown where `format` is for people.
    pub async fn open(place: &Place, name: String, format: Format) -> Result<Self, Failure> {
        let http = Http::new().map_err(|error| Failure::outside("no HTTP client", error))?;
        let progress = Arc::new(Progress::new(format == Format::Text, now));
        let (connection, state_url, sandbox) = if place.aws {
            let state_url = account::state_url(place.state_url.as_deref())?;
            (account::connection(&http).await?, state_url, None)
        } else {
            let sandbox = sandbox(place).await?;
            (connection(&sandbox), STATE_URL.to_owned(), Some(sandbox))
        };
        Ok(Deployments {
            engine: stores::engine(&state_url, &connection, &http, progress.clone())?,
            progress,
            name,
            region: connection.region,
            sandbox,
        })
    }

    /// Asks before an account is changed; a sandbox may always be.
    pub fn is_agreed(&self, yes: bool) -> Result<bool, Failure> {
        match self.sandbox {
            Some(_) => Ok(true),
            None => confirm(&format!("do this in the account, in {}?", self.region), yes),
        }
    }

    /// The instance's key in the state store; `cli` stands where a stack has its id.
    pub fn instance(&self) -> String {
        stores::own(&self.name)
    }

    /// Gives an order and carries it out.
    pub async fn carry_out(&self, goal: Goal, timeout: Duration) -> Result<Outcome, EngineError> {
        let instance = self.instance();
        let order = Order {
            cause: random(),
            issued: None,
            deadline: later(
                now(),
                SignedDuration::try_from(timeout).unwrap_or(SignedDuration::MAX),
            ),
            salt: random(),
            goal,
        };
        let generation = self.engine.begin(&instance, order).await?;
        loop {
            match self
                .engine
                .advance(&instance, generation, later(now(), WINDOW))
                .await?
            {
                Advance::Again { after } => tokio::time::sleep(after).await,
                Advance::Done(outcome) => {
                    self.engine.settle(&instance, generation).await?;
                    return Ok(outcome);
                }
                Advance::Superseded => {
                    return Err(EngineError::TooMuchContention);
                }
            }
        }
    }

    /// Stops the sandbox; what it holds is kept if it has a folder.
    pub async fn close(self) {
        if let Some(sandbox) = self.sandbox {
            sandbox.stop().await;
        }
    }
}

/// Shows why a blueprint cannot be deployed, and answers `false`; anything else is a failure of the command.
pub fn refuse(error: EngineError, target: &Target, format: Format) -> Result<bool, Failure> {
    match error {
        EngineError::Invalid { problems } => {
            show_problems(&problems, &target.source, format);
            Ok(false)
        }
        error => Err(Failure::outside("the deployment cannot go on", error)),
    }
}

/// Shows what is wrong with a blueprint.
pub fn show_problems(problems: &[Problem], source: &Source, format: Format) {
    match format {
        Format::Json => print_json(&json!({
            "valid": false,
            "diagnostics": problems.iter().map(|problem| render::json(problem, source.name())).collect::<Vec<_>>(),
        })),
        Format::Text => {
            for problem in problems {
                print(&render::text(problem, source, console::colors_enabled()));
                print("");
            }
            if problems
                .iter()
                .any(|problem| problem.code == codes::MISSING_VARIABLE_VALUE)
            {
                let hint = console::style("hint:").cyan().for_stderr();
                print_error(&format!(
                    "{hint} values come with `--variables NAME=VALUE`, or in a file: `--variables FILE`"
                ));
            }
            print_error(&format!("{}: it cannot be deployed as it is", source.name()));
        }
    }
}

/// Shows how an order ended.
pub fn show_outcome(outcome: &Outcome, format: Format, more: Value, resources: Vec<Value>) {
    match format {
        Format::Json => {
            let mut report = more;
            if let Some(members) = report.as_object_mut() {
                members.insert("succeeded".into(), outcome.succeeded.into());
                let exports: serde_json::Map<String, Value> = outcome
                    .exports
                    .iter()
                    .map(|(name, value)| (name.clone(), value.to_masked_json()))
                    .collect();
                members.insert("exports".into(), exports.into());
                let failures = outcome.failures.iter().map(failure).collect::<Vec<_>>();
                members.insert("failures".into(), failures.into());
                members.insert("resources".into(), resources.into());
            }
            print_json(&report);
        }
        Format::Text => {
            for failure in &outcome.failures {
                let label = match failure.leftover {
                    true => console::style("warning:").yellow().bold().for_stderr(),
                    false => console::style("error:").red().bold().for_stderr(),
                };
                print_error(&format!("{label} {failure}"));
            }
            let width = outcome.exports.keys().map(String::len).max().unwrap_or_default();
            for (name, value) in &outcome.exports {
                let text = match value.to_masked_json() {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                print(&format!("{name:<width$}  {text}"));
            }
        }
    }
}

fn failure(failure: &formwork_engine::Failure) -> Value {
    json!({
        "resource": failure.resource,
        "type": failure.type_name,
        "operation": failure.operation,
        "code": failure.code,
        "message": failure.message,
        "property": failure.property,
        "location": failure.location,
        "leftover": failure.leftover,
    })
}

/// Random hex.
pub fn random() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

fn later(time: Timestamp, duration: SignedDuration) -> Timestamp {
    time.checked_add(duration).unwrap_or(Timestamp::MAX)
}

/// The command's own clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the command's own clock, for deadlines and for showing how long things took"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// Milliseconds since.
pub fn elapsed_ms(began: Timestamp) -> i64 {
    i64::try_from(now().duration_since(began).as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(given: Option<&str>, blueprint: Option<&str>) -> Option<String> {
        let instance = Instance {
            instance: given.map(str::to_owned),
        };
        instance_name(&instance, blueprint.map(Path::new)).ok()
    }

    #[test]
    fn an_instance_goes_by_its_own_name_or_that_of_the_file() {
        assert_eq!(
            name(None, Some("a/orders.prod.yaml")).as_deref(),
            Some("orders.prod")
        );
        assert_eq!(name(Some("mine"), Some("a/orders.yaml")).as_deref(), Some("mine"));
        for wrong in ["", "..", "a/b", "ü", "a b"] {
            assert_eq!(name(Some(wrong), None), None, "{wrong}");
        }
        assert_eq!(name(None, None), None);
    }
}
