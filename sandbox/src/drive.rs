//! Runs executions: carries out what the state machine asks for.

use crate::InvokeError;
use crate::asl::{Action, Definition, Event, Problem, step};
use crate::cloud::error::ApiError;
use crate::executions::ExecutionStatus;
use crate::world::World;
use fastrand::Rng;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Starts, or goes on with, an execution in the background.
pub(crate) fn spawn(world: &Arc<World>, arn: &str, definition: Arc<Definition>) {
    let task = run(world.clone(), arn.to_owned(), definition);
    let handle = world.runtime.spawn(task).abort_handle();
    world.state().running.insert(arn.to_owned(), handle);
}

/// Ends an execution from outside. A function that it has invoked goes on.
pub(crate) fn stop(world: &World, input: &Value, now: Timestamp) -> Result<Value, ApiError> {
    let mut state = world.state();
    let output = state.executions.stop(input, now)?;
    let arn = input
        .get("executionArn")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if let Some(running) = state.running.remove(arn) {
        running.abort();
    }
    world.keep_executions(&state);
    Ok(output)
}

async fn run(world: Arc<World>, arn: String, definition: Arc<Definition>) {
    let mut rng = Rng::new();
    let mut event = Event::Entered;
    let limit = definition
        .timeout_seconds
        .map_or(Duration::MAX, Duration::from_secs);
    // Counts the waits at their full length, whatever the scale of time.
    let mut waited = Duration::ZERO;
    loop {
        let Some(action) = take_step(&world, &arn, &definition, event, &mut rng) else {
            return;
        };
        event = match action {
            Action::Invoke {
                function,
                input,
                timeout,
            } => {
                let left = limit.saturating_sub(waited);
                let patience = timeout.unwrap_or(Duration::MAX).min(left);
                let result = tokio::time::timeout(patience, invoke(&world, function, input)).await;
                if result.is_err() && patience == left {
                    return end(&world, &arn, ExecutionStatus::TimedOut, Err(timed_out()));
                }
                let result = result.unwrap_or_else(|_| Err(timed_out()));
                record(&world, &arn, &result);
                Event::Returned(result)
            }
            Action::Wait(length) => {
                waited = waited.saturating_add(length);
                if waited > limit {
                    return end(&world, &arn, ExecutionStatus::TimedOut, Err(timed_out()));
                }
                pause(&world, length).await;
                Event::Waited
            }
            Action::Retry(length) => {
                waited = waited.saturating_add(length);
                if waited > limit {
                    return end(&world, &arn, ExecutionStatus::TimedOut, Err(timed_out()));
                }
                pause(&world, length).await;
                Event::Entered
            }
            Action::Succeed(output) => return end(&world, &arn, ExecutionStatus::Succeeded, Ok(output)),
            Action::Fail(problem) => return end(&world, &arn, ExecutionStatus::Failed, Err(problem)),
        };
    }
}

fn timed_out() -> Problem {
    Problem::new("States.Timeout", "")
}

/// One step on the stored frame; nothing if the execution was ended from outside.
fn take_step(
    world: &World,
    arn: &str,
    definition: &Definition,
    event: Event,
    rng: &mut Rng,
) -> Option<Action> {
    let mut state = world.state();
    let execution = state.executions.find_mut(arn)?;
    if execution.status != ExecutionStatus::Running {
        return None;
    }
    let action = step(definition, &mut execution.frame, event, rng);
    world.keep_executions(&state);
    Some(action)
}

async fn pause(world: &World, length: Duration) {
    let scale = world.options.time_scale.clamp(0.0, 1e6);
    let scaled = Duration::try_from_secs_f64(length.as_secs_f64() * scale).unwrap_or(Duration::MAX);
    if !scaled.is_zero() {
        tokio::time::sleep(scaled).await;
    }
}

async fn invoke(world: &World, function: String, input: Value) -> Result<Value, Problem> {
    let Some(invoker) = world.state().invoker.clone() else {
        return Err(Problem::new(
            "Lambda.ResourceNotFoundException",
            "no function is connected to the sandbox",
        ));
    };
    // On a task of its own: a function that panics is a function that failed.
    let call = world
        .runtime
        .spawn(async move { invoker.invoke(&function, input).await });
    match call.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(InvokeError { error, cause })) => Err(Problem { error, cause }),
        Err(_) => Err(Problem::new(
            "Lambda.Unknown",
            "the function ended without an answer",
        )),
    }
}

fn record(world: &World, arn: &str, result: &Result<Value, Problem>) {
    let output = match result {
        Ok(value) => value.clone(),
        Err(problem) => json!({"Error": problem.error, "Cause": problem.cause}),
    };
    if let Some(execution) = world.state().executions.find_mut(arn) {
        execution.outputs.push(output);
    }
}

fn end(world: &World, arn: &str, status: ExecutionStatus, result: Result<Value, Problem>) {
    let now = world.now();
    let mut state = world.state();
    if let Some(execution) = state.executions.find_mut(arn) {
        execution.end(status, result, now);
    }
    state.running.remove(arn);
    world.keep_executions(&state);
}
