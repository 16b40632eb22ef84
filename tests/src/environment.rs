//! One execution environment: a child process with a cleared environment and its own Runtime API.

use crate::clock;
use crate::function::{Death, FunctionSetup, InvocationError};
use crate::runtime_api::{Posted, RuntimeApi, Stage, Task};
use futures_util::FutureExt;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::pin::pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long a process may take to ask for its first invocation; Lambda gives it as long.
const INIT_LIMIT: Duration = Duration::from_secs(10);
/// Slow test machines start many processes at once.
const INIT_PATIENCE: u32 = 6;

/// Everything that the processes of a function wrote, line by line.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// The lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn follow(&self, stream: impl AsyncRead + Unpin + Send + 'static) -> JoinHandle<()> {
        let log = self.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(stream).split(b'\n');
            while let Ok(Some(line)) = lines.next_segment().await {
                log.0
                    .lock()
                    .unwrap()
                    .push(String::from_utf8_lossy(&line).into_owned());
            }
        })
    }
}

/// A running process of a function; killed when dropped.
pub struct Environment {
    api: RuntimeApi,
    process: Child,
    readers: Vec<JoinHandle<()>>,
    function_arn: String,
}

impl Environment {
    /// Starts the process.
    ///
    /// # Panics
    /// When the binary cannot be started.
    pub async fn start(setup: &FunctionSetup, log: &Log) -> Self {
        let api = RuntimeApi::listen().await;
        let mut process = Command::new(&setup.binary)
            .env_clear()
            .envs(lambda_variables(setup))
            .env("AWS_LAMBDA_RUNTIME_API", api.address.to_string())
            .envs(&setup.variables)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("`{}` does not start: {error}", setup.binary.display()));
        let readers = vec![
            log.follow(process.stdout.take().expect("stdout is a pipe")),
            log.follow(process.stderr.take().expect("stderr is a pipe")),
        ];
        Environment {
            api,
            process,
            readers,
            function_arn: setup.arn(),
        }
    }

    /// Waits until the process asks for its first invocation.
    ///
    /// # Errors
    /// When it exits first, or takes too long.
    pub async fn ready(&mut self) -> Result<(), InvocationError> {
        tokio::select! {
            biased;
            _ = self.api.stage.wait_for(|stage| *stage >= Stage::Idle) => Ok(()),
            status = self.process.wait() => Err(exited(status)),
            () = tokio::time::sleep(INIT_LIMIT * INIT_PATIENCE) => Err(InvocationError {
                kind: "Sandbox.Timedout".into(),
                message: "the function did not start in time".into(),
            }),
        }
    }

    /// Carries out one invocation, until `doom` comes or the time is over. When it has come already, the
    /// process gets no event at all.
    ///
    /// # Errors
    /// What the function posted as its error, or how it ended. It is still usable only after the former.
    pub async fn invoke(
        &mut self,
        request_id: &str,
        event: &Value,
        timeout: Duration,
        doom: impl Future<Output = Death>,
    ) -> Result<Value, InvocationError> {
        let mut doom = pin!(doom.fuse());
        match doom.as_mut().now_or_never() {
            Some(Death::Killed) => return Err(killed(request_id)),
            Some(Death::Frozen) => self.freeze(),
            None => {}
        }
        let (result, posted) = oneshot::channel();
        let task = Task {
            request_id: request_id.to_owned(),
            payload: event.to_string().into_bytes(),
            deadline_millis: (clock::now() + timeout).as_millisecond(),
            function_arn: self.function_arn.clone(),
            result,
        };
        let given = self.api.tasks.send(task);
        assert!(
            given.is_ok(),
            "the Runtime API serves as long as the environment lives"
        );
        let (mut posted, mut time) = (pin!(posted), pin!(tokio::time::sleep(timeout)));
        loop {
            tokio::select! {
                biased;
                Ok(posted) = &mut posted => return match posted {
                    Posted::Response(value) => Ok(value),
                    Posted::Error { kind, message } => Err(InvocationError { kind, message }),
                },
                status = self.process.wait() => return Err(exited(status)),
                () = &mut time => return Err(InvocationError {
                    kind: "Sandbox.Timedout".into(),
                    message: format!("RequestId: {request_id} Error: Task timed out after {:.2} seconds", timeout.as_secs_f64()),
                }),
                death = &mut doom => match death {
                    Death::Killed => return Err(killed(request_id)),
                    Death::Frozen => self.freeze(),
                },
            }
        }
    }

    /// Stops the process where it stands, so that it runs out of time without noticing.
    fn freeze(&self) {
        let pid = self.process.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(pid) = pid {
            // It may be dead already.
            let _ = kill_process(pid, Signal::STOP);
        }
    }

    /// When the process asked for its first invocation.
    #[must_use]
    pub fn first_asked(&self) -> Option<Instant> {
        self.api.first_asked.get().copied()
    }

    /// Whether another invocation can be given to the process.
    #[must_use]
    pub fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// The most memory the process has held so far, in KiB (`VmHWM`).
    #[must_use]
    pub fn peak_memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// The CPU time that the process has taken so far, all of its threads together.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process.id()?)).ok()?;
        let nanos = tasks.flatten().filter_map(|task| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        });
        Some(Duration::from_nanos(nanos.sum()))
    }

    /// Kills the process with SIGKILL and reads its last words.
    pub async fn end(mut self) {
        // It may be dead already.
        let _ = self.process.kill().await;
        for reader in self.readers.drain(..) {
            let _ = reader.await;
        }
    }
}

fn killed(request_id: &str) -> InvocationError {
    InvocationError {
        kind: "Runtime.ExitError".into(),
        message: format!("RequestId: {request_id} Error: Runtime exited with error: signal: killed"),
    }
}

fn exited(status: std::io::Result<std::process::ExitStatus>) -> InvocationError {
    let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
    InvocationError {
        kind: "Runtime.ExitError".into(),
        message: format!("Runtime exited with error: {status}"),
    }
}

/// What Lambda itself sets.
fn lambda_variables(setup: &FunctionSetup) -> [(&'static str, String); 13] {
    [
        ("AWS_LAMBDA_FUNCTION_NAME", setup.name.clone()),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST".into()),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256".into()),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand".into()),
        ("AWS_LAMBDA_LOG_GROUP_NAME", format!("/aws/lambda/{}", setup.name)),
        (
            "AWS_LAMBDA_LOG_STREAM_NAME",
            "2026/11/20/[$LATEST]0123456789abcdef0123456789abcdef".into(),
        ),
        ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023".into()),
        ("AWS_REGION", crate::REGION.into()),
        ("AWS_DEFAULT_REGION", crate::REGION.into()),
        ("LAMBDA_TASK_ROOT", "/var/task".into()),
        ("LAMBDA_RUNTIME_DIR", "/var/runtime".into()),
        ("_HANDLER", "bootstrap".into()),
        ("TZ", ":UTC".into()),
    ]
}
