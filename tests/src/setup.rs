//! What a world is made of, and how the functions in it are told.

use crate::binaries;
use crate::function::{Function, FunctionSetup};
use formwork_sandbox::{Options, Sandbox};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const SECRET_KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
pub(crate) const SESSION_TOKEN: &str = "IQoJb3JpZ2luX2VjEXAMPLETOKEN";
const BUCKET: &str = "formwork-state";

/// How a world differs from the usual one.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The sandbox's behaviour.
    pub sandbox: Options,
    /// `FORMWORK_POLL_WINDOW_SECONDS`.
    pub poll_window_seconds: u32,
    /// How long one invocation of a function may take.
    pub timeout: Duration,
    /// How long after a failed asynchronous invocation it is tried again; Lambda waits one minute, then two.
    pub retry_after: [Duration; 2],
    /// More variables for both functions; an empty value unsets one.
    pub variables: Vec<(&'static str, String)>,
}

impl Default for Setup {
    /// No latency, and a poll window that every small deployment fits in.
    fn default() -> Self {
        Setup {
            sandbox: Options {
                time_scale: 0.02,
                ..Options::default()
            },
            poll_window_seconds: 40,
            timeout: Duration::from_secs(60),
            retry_after: [Duration::ZERO; 2],
            variables: Vec::new(),
        }
    }
}

pub(crate) fn waiter_definition() -> String {
    let path = binaries::workspace().join("handlers/waiter.asl.json");
    std::fs::read_to_string(path).expect("the waiter's definition is there")
}

pub(crate) fn function(
    binary: &'static str,
    setup: &Setup,
    variables: BTreeMap<String, String>,
) -> Arc<Function> {
    let name = function_name(binary);
    Function::new(FunctionSetup {
        name,
        binary: binaries::handler(binary),
        variables,
        timeout: setup.timeout,
        retry_after: setup.retry_after,
    })
}

pub(crate) fn function_name(binary: &str) -> String {
    format!("formwork-{}", binary.replace('_', "-"))
}

pub(crate) fn variables(sandbox: &Sandbox, machine: &str, setup: &Setup) -> BTreeMap<String, String> {
    let own = [
        (
            "FORMWORK_POLL_WINDOW_SECONDS",
            setup.poll_window_seconds.to_string(),
        ),
        ("WAITER_STATE_MACHINE_ARN", machine.to_owned()),
        // The most that a user can turn on: nothing secret may be seen there either.
        ("RUST_LOG", "debug".to_owned()),
    ];
    let mut variables = usual_variables(sandbox);
    let changes = own.into_iter().chain(setup.variables.clone());
    variables.extend(changes.map(|(name, value)| (name.to_owned(), value)));
    variables.retain(|_, value| !value.is_empty());
    variables
}

/// What a function needs to know to find a sandbox in place of AWS.
#[must_use]
pub fn usual_variables(sandbox: &Sandbox) -> BTreeMap<String, String> {
    [
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.to_owned()),
        ("AWS_SESSION_TOKEN", SESSION_TOKEN.to_owned()),
        ("AWS_ENDPOINT_URL", sandbox.endpoint()),
        ("FORMWORK_STATE_URL", format!("s3://{BUCKET}/prod")),
        ("FORMWORK_RESPONSE_HOSTS", sandbox.host()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
