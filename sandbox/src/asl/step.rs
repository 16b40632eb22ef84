//! Running a definition, one event at a time.

use super::definition::{Catcher, Definition, Length, ResultPath, Retrier, Rule, State, Task, Test, Then};
use fastrand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Where an execution is. Can be stored and gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The state it is in.
    pub state: String,
    /// The state's input.
    pub data: Value,
    /// Retries made in this state, by retrier.
    attempts: Vec<u32>,
}

impl Frame {
    /// At the beginning, with the execution's input.
    pub fn start(definition: &Definition, input: Value) -> Self {
        Frame {
            state: definition.start.clone(),
            data: input,
            attempts: Vec::new(),
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The execution was started, or is gone on with after an interruption: the state is entered.
    Entered,
    /// The wait of a Wait state is over.
    Waited,
    /// The function answered.
    Returned(Result<Value, Problem>),
}

/// What has to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Invoke the function, then tell what it returned.
    Invoke {
        /// Its ARN.
        function: String,
        /// What it is given.
        input: Value,
        /// How long it may take, if the definition says so.
        timeout: Option<Duration>,
    },
    /// Wait, then tell.
    Wait(Duration),
    /// Wait, then enter the state again.
    Retry(Duration),
    /// It ended well.
    Succeed(Value),
    /// It ended.
    Fail(Problem),
}

/// An error as the States Language names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Its name, such as `Lambda.Unknown`.
    pub error: String,
    /// What happened.
    pub cause: String,
}

impl Problem {
    /// A problem of this name.
    pub fn new(error: &str, cause: impl Into<String>) -> Self {
        Problem {
            error: error.into(),
            cause: cause.into(),
        }
    }
}

/// More states in a row than any definition passes without doing something.
const LONGEST_RUN: usize = 1_000;

/// Takes in what happened and says what has to be done next.
pub fn step(definition: &Definition, frame: &mut Frame, event: Event, rng: &mut Rng) -> Action {
    let mut event = event;
    for _ in 0..LONGEST_RUN {
        let Some(state) = definition.states.get(&frame.state) else {
            return runtime(format!("there is no state `{}`", frame.state));
        };
        let then = match (state, event) {
            (State::Task(task), Event::Returned(Ok(value))) => {
                put(&task.result_path, &mut frame.data, value);
                task.then.clone()
            }
            (State::Task(task), Event::Returned(Err(problem))) => match recover(task, frame, problem, rng) {
                Recovery::Go(next) => Then::Next(next),
                Recovery::Act(action) => return action,
            },
            (State::Task(task), _) => {
                return Action::Invoke {
                    function: task.function.clone(),
                    input: frame.data.clone(),
                    timeout: task.timeout_seconds.map(Duration::from_secs),
                };
            }
            (State::Wait { then, .. }, Event::Waited) => then.clone(),
            (State::Wait { length, .. }, _) => {
                return match length {
                    Length::Seconds(seconds) => Action::Wait(Duration::from_secs(*seconds)),
                    Length::At(path) => match path.get(&frame.data).and_then(Value::as_u64) {
                        Some(seconds) => Action::Wait(Duration::from_secs(seconds)),
                        None => runtime("the SecondsPath leads to no whole number".into()),
                    },
                };
            }
            (State::Choice { rules, default }, _) => {
                let chosen = rules
                    .iter()
                    .find(|(rule, _)| holds(rule, &frame.data))
                    .map(|(_, next)| next);
                match chosen.or(default.as_ref()) {
                    Some(next) => Then::Next(next.clone()),
                    None => {
                        let cause = format!("no rule of `{}` holds", frame.state);
                        return Action::Fail(Problem::new("States.NoChoiceMatched", cause));
                    }
                }
            }
            (
                State::Pass {
                    result,
                    result_path,
                    then,
                },
                _,
            ) => {
                let value = result.clone().unwrap_or_else(|| frame.data.clone());
                put(result_path, &mut frame.data, value);
                then.clone()
            }
            (State::Succeed, _) => return Action::Succeed(frame.data.clone()),
            (State::Fail { error, cause }, _) => return Action::Fail(Problem::new(error, cause)),
        };
        match then {
            Then::End => return Action::Succeed(frame.data.clone()),
            Then::Next(next) => {
                frame.state = next;
                frame.attempts.clear();
            }
        }
        event = Event::Entered;
    }
    runtime("the states go round without doing anything".into())
}

fn runtime(cause: String) -> Action {
    Action::Fail(Problem::new("States.Runtime", cause))
}

fn put(path: &ResultPath, data: &mut Value, value: Value) {
    if let Some(path) = &path.0 {
        path.set(data, value);
    }
}

enum Recovery {
    Go(String),
    Act(Action),
}

fn recover(task: &Task, frame: &mut Frame, problem: Problem, rng: &mut Rng) -> Recovery {
    frame.attempts.resize(task.retry.len(), 0);
    let mut matching = task.retry.iter().zip(frame.attempts.iter_mut());
    if let Some((retrier, made)) = matching.find(|(retrier, _)| covers(&retrier.errors, &problem))
        && *made < retrier.attempts
    {
        let delay = delay(retrier, *made, rng);
        *made += 1;
        return Recovery::Act(Action::Retry(delay));
    }
    match task
        .catch
        .iter()
        .find(|catcher| covers(&catcher.errors, &problem))
    {
        Some(Catcher {
            result_path, next, ..
        }) => {
            let caught = json!({"Error": problem.error, "Cause": problem.cause});
            put(result_path, &mut frame.data, caught);
            Recovery::Go(next.clone())
        }
        None => Recovery::Act(Action::Fail(problem)),
    }
}

fn delay(retrier: &Retrier, made: u32, rng: &mut Rng) -> Duration {
    let interval = Duration::from_secs(retrier.interval_seconds);
    let growth = retrier.backoff.powf(f64::from(made));
    let longest = retrier.longest_seconds.map_or(Duration::MAX, Duration::from_secs);
    let delay = Duration::try_from_secs_f64(interval.as_secs_f64() * growth)
        .unwrap_or(longest)
        .min(longest);
    if retrier.jitter {
        delay.mul_f64(rng.f64())
    } else {
        delay
    }
}

fn covers(names: &[String], problem: &Problem) -> bool {
    names.iter().any(|name| match name.as_str() {
        "States.ALL" => true,
        "States.TaskFailed" => problem.error != "States.Timeout",
        name => name == problem.error,
    })
}

fn holds(rule: &Rule, data: &Value) -> bool {
    match rule {
        Rule::And(rules) => rules.iter().all(|rule| holds(rule, data)),
        Rule::Or(rules) => rules.iter().any(|rule| holds(rule, data)),
        Rule::Not(rule) => !holds(rule, data),
        Rule::Test(path, test) => match (test, path.get(data)) {
            (Test::Present(expected), found) => found.is_some() == *expected,
            (Test::Null(expected), Some(found)) => found.is_null() == *expected,
            (Test::Boolean(expected), Some(found)) => found.as_bool() == Some(*expected),
            (Test::Text(expected), Some(found)) => found.as_str() == Some(expected),
            (_, None) => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTION: &str = "arn:aws:lambda:eu-west-1:123456789012:function:poll";

    fn poller() -> Definition {
        let text = json!({
            "StartAt": "Poll",
            "TimeoutSeconds": 60,
            "States": {
                "Poll": {
                    "Type": "Task",
                    "Resource": "${Function}",
                    "ResultPath": "$.Poll",
                    "Retry": [
                        {"ErrorEquals": ["Lambda.Unknown"], "IntervalSeconds": 1, "MaxAttempts": 3, "BackoffRate": 2, "MaxDelaySeconds": 3},
                        {"ErrorEquals": ["States.TaskFailed"], "MaxAttempts": 1, "IntervalSeconds": 5}
                    ],
                    "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.Error", "Next": "Answer"}],
                    "Next": "Done?"
                },
                "Done?": {
                    "Type": "Choice",
                    "Choices": [{"Variable": "$.Poll.IsComplete", "BooleanEquals": true, "Next": "Done"}],
                    "Default": "Wait"
                },
                "Wait": {"Type": "Wait", "SecondsPath": "$.Poll.WaitSeconds", "Next": "Poll"},
                "Answer": {"Type": "Task", "Resource": "${Function}", "ResultPath": null, "End": true},
                "Done": {"Type": "Succeed"}
            }
        });
        Definition::parse(&text.to_string(), &[("Function", FUNCTION)]).unwrap()
    }

    fn run(definition: &Definition, events: Vec<Event>) -> Vec<Action> {
        let mut frame = Frame::start(definition, json!({"Instance": "i"}));
        let mut rng = Rng::with_seed(7);
        events
            .into_iter()
            .map(|event| step(definition, &mut frame, event, &mut rng))
            .collect()
    }

    fn returned(value: Value) -> Event {
        Event::Returned(Ok(value))
    }

    fn failed(error: &str) -> Event {
        Event::Returned(Err(Problem::new(error, "why")))
    }

    fn invoke(input: Value) -> Action {
        Action::Invoke {
            function: FUNCTION.into(),
            input,
            timeout: None,
        }
    }

    #[test]
    fn polls_until_complete() {
        let open = json!({"IsComplete": false, "WaitSeconds": 4});
        let done = json!({"IsComplete": true});
        let actions = run(
            &poller(),
            vec![
                Event::Entered,
                returned(open.clone()),
                Event::Waited,
                returned(done.clone()),
            ],
        );
        assert_eq!(
            actions,
            [
                invoke(json!({"Instance": "i"})),
                Action::Wait(Duration::from_secs(4)),
                invoke(json!({"Instance": "i", "Poll": open})),
                Action::Succeed(json!({"Instance": "i", "Poll": done})),
            ]
        );
    }

    #[test]
    fn retries_back_off_up_to_the_longest_delay_and_are_then_caught() {
        let actions = run(
            &poller(),
            vec![
                Event::Entered,
                failed("Lambda.Unknown"),
                failed("Lambda.Unknown"),
                failed("Lambda.Unknown"),
                failed("Lambda.Unknown"),
                returned(json!("ignored")),
            ],
        );
        let retry = |seconds| Action::Retry(Duration::from_secs(seconds));
        let caught = json!({"Instance": "i", "Error": {"Error": "Lambda.Unknown", "Cause": "why"}});
        assert_eq!(
            actions.get(1..),
            Some(
                [
                    retry(1),
                    retry(2),
                    retry(3),
                    invoke(caught.clone()),
                    Action::Succeed(caught)
                ]
                .as_slice()
            )
        );
    }

    #[test]
    fn task_failed_covers_any_error_but_a_timeout() {
        let actions = run(&poller(), vec![Event::Entered, failed("MyError")]);
        assert_eq!(actions.last(), Some(&Action::Retry(Duration::from_secs(5))));
        let actions = run(&poller(), vec![Event::Entered, failed("States.Timeout")]);
        assert!(matches!(actions.last(), Some(Action::Invoke { input, .. }) if input.get("Error").is_some()));
    }

    #[test]
    fn uncaught_errors_end_the_execution() {
        let actions = run(
            &poller(),
            vec![Event::Entered, failed("States.Timeout"), failed("Broken")],
        );
        assert_eq!(actions.last(), Some(&Action::Fail(Problem::new("Broken", "why"))));
    }

    #[test]
    fn a_wait_without_a_number_is_a_runtime_error() {
        let actions = run(
            &poller(),
            vec![Event::Entered, returned(json!({"IsComplete": false}))],
        );
        assert!(matches!(actions.last(), Some(Action::Fail(problem)) if problem.error == "States.Runtime"));
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name() {
        let task = |more: Value| {
            let mut state = json!({"Type": "Task", "Resource": FUNCTION, "End": true});
            state
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            json!({"StartAt": "A", "States": {"A": state}})
        };
        for (definition, expected) in [
            (
                task(json!({"HeartbeatSeconds": 3})),
                "state `A`: the field `HeartbeatSeconds` is not supported",
            ),
            (
                task(json!({"ResultPath": "$.a[0]"})),
                "state `A`: the path `$.a[0]` is not supported; use `$.Name.Name`",
            ),
            (
                task(json!({"Resource": "arn:aws:states:::sqs:sendMessage"})),
                "state `A`: the resource `arn:aws:states:::sqs:sendMessage` is not supported; expected a Lambda function's ARN",
            ),
            (
                task(json!({"Retry": [{"ErrorEquals": ["A", "States.ALL"]}]})),
                "state `A`: `States.ALL` has to stand alone",
            ),
            (
                json!({"StartAt": "A", "States": {"A": {"Type": "Parallel"}}}),
                "state `A`: the type `Parallel` is not supported",
            ),
            (
                json!({"StartAt": "B", "States": {}}),
                "definition: there is no state `B`",
            ),
            (
                json!({"StartAt": "A", "States": {"A": {"Type": "Choice", "Choices": [
                    {"Variable": "$.a", "NumericEquals": 1, "Next": "A"}]}}}),
                "state `A`: the field `NumericEquals` is not supported",
            ),
            (
                task(json!({"Resource": "${Nope}"})),
                "definition: no substitution for `Nope`",
            ),
        ] {
            let error = Definition::parse(&definition.to_string(), &[]).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn rules_compose() {
        let definition = json!({"StartAt": "A", "States": {
            "A": {"Type": "Choice", "Choices": [
                {"And": [
                    {"Variable": "$.x", "IsPresent": true},
                    {"Not": {"Variable": "$.x", "StringEquals": "no"}},
                    {"Or": [{"Variable": "$.y", "IsNull": true}, {"Variable": "$.x", "StringEquals": "yes"}]}
                ], "Next": "Yes"}]},
            "Yes": {"Type": "Pass", "Result": "yes", "End": true}
        }});
        let definition = Definition::parse(&definition.to_string(), &[]).unwrap();
        for (data, expected) in [
            (json!({"x": "yes"}), true),
            (json!({"x": "no", "y": null}), false),
            (json!({"x": 1, "y": null}), true),
            (json!({}), false),
        ] {
            let mut frame = Frame::start(&definition, data.clone());
            let action = step(&definition, &mut frame, Event::Entered, &mut Rng::with_seed(1));
            assert_eq!(action == Action::Succeed(json!("yes")), expected, "{data}");
        }
    }
}
