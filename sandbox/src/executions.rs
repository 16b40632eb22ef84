//! Executions of state machines: what was started, and what became of it.

use crate::asl::{Definition, Frame, Problem};
use crate::cloud::error::ApiError;
use crate::cloud::operation::epoch;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where an execution stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExecutionStatus {
    /// Going on.
    Running,
    /// Ended in a Succeed state.
    Succeeded,
    /// Ended in an error nobody caught.
    Failed,
    /// Took longer than its definition allows.
    TimedOut,
    /// Stopped from outside.
    Aborted,
}

impl ExecutionStatus {
    /// As the wire has it.
    pub fn name(self) -> &'static str {
        match self {
            ExecutionStatus::Running => "RUNNING",
            ExecutionStatus::Succeeded => "SUCCEEDED",
            ExecutionStatus::Failed => "FAILED",
            ExecutionStatus::TimedOut => "TIMED_OUT",
            ExecutionStatus::Aborted => "ABORTED",
        }
    }
}

/// One execution of a state machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Its ARN.
    pub arn: String,
    /// Its state machine's ARN.
    pub machine: String,
    /// Its name.
    pub name: String,
    /// Its input.
    pub input: Value,
    /// Where it stands.
    pub status: ExecutionStatus,
    /// What each invocation of a function returned, in order: its answer, or `{"Error", "Cause"}`.
    pub outputs: Vec<Value>,
    /// Error and cause, if it ended in one.
    pub error: Option<(String, String)>,
    /// What it ended with, if it succeeded.
    pub output: Option<Value>,
    pub(crate) started: Timestamp,
    pub(crate) stopped: Option<Timestamp>,
    pub(crate) frame: Frame,
}

/// What outlives the process. Definitions do not: they are registered anew.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Executions {
    pub(crate) all: Vec<Execution>,
    #[serde(skip)]
    machines: BTreeMap<String, Arc<Definition>>,
}

impl Executions {
    pub(crate) fn register(&mut self, arn: &str, definition: Definition) {
        self.machines.insert(arn.to_owned(), Arc::new(definition));
    }

    pub(crate) fn machine(&self, arn: &str) -> Option<Arc<Definition>> {
        self.machines.get(arn).cloned()
    }

    pub(crate) fn find_mut(&mut self, arn: &str) -> Option<&mut Execution> {
        self.all.iter_mut().find(|execution| execution.arn == arn)
    }

    pub(crate) fn find(&self, arn: &str) -> Option<&Execution> {
        self.all.iter().find(|execution| execution.arn == arn)
    }

    /// `StartExecution`: the answer, and the ARN of an execution to begin with unless it runs already.
    pub(crate) fn start(
        &mut self,
        input: &Value,
        fresh_name: &str,
        now: Timestamp,
    ) -> Result<(Value, Option<String>), ApiError> {
        let machine = input
            .get("stateMachineArn")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let Some(definition) = self.machine(machine) else {
            return Err(ApiError::new(
                "StateMachineDoesNotExist",
                format!("State Machine Does Not Exist: '{machine}'"),
            ));
        };
        let name = input.get("name").and_then(Value::as_str).unwrap_or(fresh_name);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || name.len() > 80 || !name.chars().all(plain) {
            return Err(ApiError::new("InvalidName", format!("Invalid Name: '{name}'")));
        }
        let text = input.get("input").and_then(Value::as_str).unwrap_or("{}");
        if text.len() > 262_144 {
            return Err(ApiError::new(
                "InvalidExecutionInput",
                "Invalid State Machine Execution Input: too long",
            ));
        }
        let data: Value = serde_json::from_str(text).map_err(|_| {
            ApiError::new(
                "InvalidExecutionInput",
                "Invalid State Machine Execution Input: not JSON",
            )
        })?;
        let arn = format!("{}:{name}", machine.replacen(":stateMachine:", ":execution:", 1));
        if let Some(found) = self.find(&arn) {
            if found.status == ExecutionStatus::Running && found.input == data {
                return Ok((
                    json!({"executionArn": arn, "startDate": epoch(found.started)}),
                    None,
                ));
            }
            return Err(ApiError::new(
                "ExecutionAlreadyExists",
                format!("Execution Already Exists: '{arn}'"),
            ));
        }
        self.all.push(Execution {
            arn: arn.clone(),
            machine: machine.to_owned(),
            name: name.to_owned(),
            frame: Frame::start(&definition, data.clone()),
            input: data,
            status: ExecutionStatus::Running,
            outputs: Vec::new(),
            error: None,
            output: None,
            started: now,
            stopped: None,
        });
        Ok((json!({"executionArn": arn, "startDate": epoch(now)}), Some(arn)))
    }

    /// `DescribeExecution`.
    pub(crate) fn describe(&self, input: &Value) -> Result<Value, ApiError> {
        let arn = input
            .get("executionArn")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let found = self.find(arn).ok_or_else(|| unknown(arn))?;
        let mut output = json!({
            "executionArn": found.arn,
            "stateMachineArn": found.machine,
            "name": found.name,
            "status": found.status.name(),
            "startDate": epoch(found.started),
            "input": found.input.to_string(),
        });
        if let Some(members) = output.as_object_mut() {
            if let Some(stopped) = found.stopped {
                members.insert("stopDate".into(), epoch(stopped));
            }
            if let Some(value) = &found.output {
                members.insert("output".into(), json!(value.to_string()));
            }
            if let Some((error, cause)) = &found.error {
                members.insert("error".into(), json!(error));
                members.insert("cause".into(), json!(cause));
            }
        }
        Ok(output)
    }

    /// `StopExecution`.
    pub(crate) fn stop(&mut self, input: &Value, now: Timestamp) -> Result<Value, ApiError> {
        let text = |key: &str| {
            input
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let arn = text("executionArn");
        let problem = Problem {
            error: text("error"),
            cause: text("cause"),
        };
        let found = self.find_mut(&arn).ok_or_else(|| unknown(&arn))?;
        found.end(ExecutionStatus::Aborted, Err(problem), now);
        Ok(json!({"stopDate": epoch(found.stopped.unwrap_or(now))}))
    }
}

impl Execution {
    /// Ends it, unless it has ended.
    pub(crate) fn end(&mut self, status: ExecutionStatus, result: Result<Value, Problem>, now: Timestamp) {
        if self.status != ExecutionStatus::Running {
            return;
        }
        self.status = status;
        self.stopped = Some(now);
        match result {
            Ok(output) => self.output = Some(output),
            Err(problem) => self.error = Some((problem.error, problem.cause)),
        }
    }
}

fn unknown(arn: &str) -> ApiError {
    ApiError::new(
        "ExecutionDoesNotExist",
        format!("Execution Does Not Exist: '{arn}'"),
    )
}
