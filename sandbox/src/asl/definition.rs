//! A checked definition.

use super::fields::{DefinitionError, Fields, Path};
use serde_json::Value;
use std::collections::BTreeMap;

/// A state machine that can be run: every state it names exists, every field is supported.
#[derive(Debug, Clone)]
pub struct Definition {
    pub(crate) start: String,
    /// How long an execution may take.
    pub timeout_seconds: Option<u64>,
    pub(super) states: BTreeMap<String, State>,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    Task(Task),
    Choice {
        rules: Vec<(Rule, String)>,
        default: Option<String>,
    },
    Wait {
        length: Length,
        then: Then,
    },
    Pass {
        result: Option<Value>,
        result_path: ResultPath,
        then: Then,
    },
    Succeed,
    Fail {
        error: String,
        cause: String,
    },
}

#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) function: String,
    pub(super) timeout_seconds: Option<u64>,
    pub(super) result_path: ResultPath,
    pub(super) retry: Vec<Retrier>,
    pub(super) catch: Vec<Catcher>,
    pub(super) then: Then,
}

#[derive(Debug, Clone)]
pub(super) enum Then {
    Next(String),
    End,
}

#[derive(Debug, Clone)]
pub(super) enum Length {
    Seconds(u64),
    At(Path),
}

/// Where a result goes: nowhere for a `null` ResultPath.
#[derive(Debug, Clone)]
pub(super) struct ResultPath(pub(super) Option<Path>);

#[derive(Debug, Clone)]
pub(super) struct Retrier {
    pub(super) errors: Vec<String>,
    pub(super) interval_seconds: u64,
    pub(super) attempts: u32,
    pub(super) backoff: f64,
    pub(super) longest_seconds: Option<u64>,
    pub(super) jitter: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Catcher {
    pub(super) errors: Vec<String>,
    pub(super) result_path: ResultPath,
    pub(super) next: String,
}

#[derive(Debug, Clone)]
pub(super) enum Rule {
    And(Vec<Rule>),
    Or(Vec<Rule>),
    Not(Box<Rule>),
    Test(Path, Test),
}

#[derive(Debug, Clone)]
pub(super) enum Test {
    Boolean(bool),
    Text(String),
    Present(bool),
    Null(bool),
}

impl Definition {
    /// Reads a definition, its `${Name}` substitutions filled in.
    ///
    /// # Errors
    /// Names the first field, state type or state name that cannot be had here.
    pub fn parse(text: &str, substitutions: &[(&str, &str)]) -> Result<Self, DefinitionError> {
        let whole = |message: String| DefinitionError {
            place: "definition".into(),
            message,
        };
        let mut text = text.to_owned();
        for (name, value) in substitutions {
            // Into JSON text: quotes and backslashes are escaped.
            let quoted = Value::String((*value).to_owned()).to_string();
            text = text.replace(&format!("${{{name}}}"), quoted.trim_matches('"'));
        }
        if let Some((_, rest)) = text.split_once("${") {
            let name = rest.split('}').next().unwrap_or_default();
            return Err(whole(format!("no substitution for `{name}`")));
        }
        let value: Value =
            serde_json::from_str(&text).map_err(|error| whole(format!("not JSON: {error}")))?;
        let mut fields = Fields::of("definition", &value)?;
        fields.take("Comment");
        fields.take("Version");
        let language = fields.text("QueryLanguage")?;
        if language.is_some_and(|language| language != "JSONPath") {
            return Err(fields.error("only the query language `JSONPath` is supported"));
        }
        let start = fields.required("StartAt")?;
        let timeout_seconds = fields.whole("TimeoutSeconds")?;
        let Some(Value::Object(members)) = fields.take("States") else {
            return Err(fields.error("the field `States` is missing"));
        };
        fields.nothing_left()?;
        let mut states = BTreeMap::new();
        for (name, value) in &members {
            states.insert(name.clone(), state(name, value)?);
        }
        let definition = Definition {
            start,
            timeout_seconds,
            states,
        };
        definition.check_names()?;
        Ok(definition)
    }

    fn check_names(&self) -> Result<(), DefinitionError> {
        let check = |place: &str, name: &str| {
            if self.states.contains_key(name) {
                return Ok(());
            }
            let message = format!("there is no state `{name}`");
            Err(DefinitionError {
                place: place.into(),
                message,
            })
        };
        check("definition", &self.start)?;
        for (name, state) in &self.states {
            let place = format!("state `{name}`");
            let mut targets: Vec<&String> = Vec::new();
            let follow = |then: &Then| match then {
                Then::Next(next) => Some(next.clone()),
                Then::End => None,
            };
            let followed = match state {
                State::Task(task) => {
                    targets.extend(task.catch.iter().map(|catcher| &catcher.next));
                    follow(&task.then)
                }
                State::Wait { then, .. } | State::Pass { then, .. } => follow(then),
                State::Choice { rules, default } => {
                    targets.extend(rules.iter().map(|(_, next)| next).chain(default));
                    None
                }
                State::Succeed | State::Fail { .. } => None,
            };
            for target in targets.into_iter().chain(&followed) {
                check(&place, target)?;
            }
        }
        Ok(())
    }
}

fn state(name: &str, value: &Value) -> Result<State, DefinitionError> {
    let mut fields = Fields::of(&format!("state `{name}`"), value)?;
    fields.take("Comment");
    let kind = fields.required("Type")?;
    let state = match kind.as_str() {
        "Task" => State::Task(task(&mut fields)?),
        "Choice" => {
            let mut rules = Vec::new();
            for value in fields.list("Choices")? {
                let mut choice = Fields::of(fields.place(), &value)?;
                let next = choice.required("Next")?;
                rules.push((rule(choice)?, next));
            }
            State::Choice {
                rules,
                default: fields.text("Default")?,
            }
        }
        "Wait" => {
            let length = match (fields.whole("Seconds")?, fields.path("SecondsPath")?) {
                (Some(seconds), None) => Length::Seconds(seconds),
                (None, Some(path)) => Length::At(path),
                _ => return Err(fields.error("expected one of `Seconds` and `SecondsPath`")),
            };
            State::Wait {
                length,
                then: then(&mut fields)?,
            }
        }
        "Pass" => State::Pass {
            result: fields.take("Result"),
            result_path: result_path(&mut fields)?,
            then: then(&mut fields)?,
        },
        "Succeed" => State::Succeed,
        "Fail" => State::Fail {
            error: fields.text("Error")?.unwrap_or_default(),
            cause: fields.text("Cause")?.unwrap_or_default(),
        },
        other => return Err(fields.error(format!("the type `{other}` is not supported"))),
    };
    fields.nothing_left()?;
    Ok(state)
}

fn task(fields: &mut Fields) -> Result<Task, DefinitionError> {
    let function = fields.required("Resource")?;
    if !(function.starts_with("arn:") && function.contains(":lambda:") && function.contains(":function:")) {
        let message = format!("the resource `{function}` is not supported; expected a Lambda function's ARN");
        return Err(fields.error(message));
    }
    let result_path = result_path(fields)?;
    let mut retry = Vec::new();
    for value in fields.list("Retry")? {
        retry.push(retrier(Fields::of(fields.place(), &value)?)?);
    }
    let mut catch = Vec::new();
    for value in fields.list("Catch")? {
        let mut catcher = Fields::of(fields.place(), &value)?;
        catch.push(Catcher {
            errors: errors(&mut catcher)?,
            result_path: self::result_path(&mut catcher)?,
            next: catcher.required("Next")?,
        });
        catcher.nothing_left()?;
    }
    Ok(Task {
        function,
        timeout_seconds: fields.whole("TimeoutSeconds")?,
        result_path,
        retry,
        catch,
        then: then(fields)?,
    })
}

fn retrier(mut fields: Fields) -> Result<Retrier, DefinitionError> {
    let jitter = match fields.text("JitterStrategy")?.as_deref() {
        None | Some("NONE") => false,
        Some("FULL") => true,
        Some(other) => return Err(fields.error(format!("the jitter strategy `{other}` is not supported"))),
    };
    let backoff = fields.number("BackoffRate")?.unwrap_or(2.0);
    if backoff < 1.0 {
        return Err(fields.error("expected a `BackoffRate` of 1 or more"));
    }
    let retrier = Retrier {
        errors: errors(&mut fields)?,
        interval_seconds: fields.whole("IntervalSeconds")?.unwrap_or(1),
        attempts: u32::try_from(fields.whole("MaxAttempts")?.unwrap_or(3)).unwrap_or(u32::MAX),
        backoff,
        longest_seconds: fields.whole("MaxDelaySeconds")?,
        jitter,
    };
    fields.nothing_left()?;
    Ok(retrier)
}

fn errors(fields: &mut Fields) -> Result<Vec<String>, DefinitionError> {
    let names: Vec<String> = fields
        .list("ErrorEquals")?
        .iter()
        .map(|name| name.as_str().map(String::from))
        .collect::<Option<_>>()
        .ok_or_else(|| fields.error("expected names of errors in `ErrorEquals`"))?;
    if names.is_empty() {
        return Err(fields.error("the field `ErrorEquals` is missing"));
    }
    if names.len() > 1 && names.iter().any(|name| name == "States.ALL") {
        return Err(fields.error("`States.ALL` has to stand alone"));
    }
    Ok(names)
}

fn result_path(fields: &mut Fields) -> Result<ResultPath, DefinitionError> {
    if fields.has("ResultPath") {
        return match fields.take("ResultPath") {
            Some(Value::Null) | None => Ok(ResultPath(None)),
            Some(value) => {
                let mut again = Fields::of(fields.place(), &serde_json::json!({"ResultPath": value}))?;
                Ok(ResultPath(again.path("ResultPath")?))
            }
        };
    }
    Ok(ResultPath(Some(Path::root())))
}

fn then(fields: &mut Fields) -> Result<Then, DefinitionError> {
    let end = fields.take("End") == Some(Value::Bool(true));
    match (fields.text("Next")?, end) {
        (Some(next), false) => Ok(Then::Next(next)),
        (None, true) => Ok(Then::End),
        _ => Err(fields.error("expected one of `Next` and `End`")),
    }
}

fn rule(mut fields: Fields) -> Result<Rule, DefinitionError> {
    fields.take("Comment");
    let nested = |fields: &Fields, values: Vec<Value>| -> Result<Vec<Rule>, DefinitionError> {
        values
            .iter()
            .map(|value| rule(Fields::of(fields.place(), value)?))
            .collect()
    };
    let rule = if fields.has("And") {
        let values = fields.list("And")?;
        Rule::And(nested(&fields, values)?)
    } else if fields.has("Or") {
        let values = fields.list("Or")?;
        Rule::Or(nested(&fields, values)?)
    } else if let Some(value) = fields.take("Not") {
        Rule::Not(Box::new(self::rule(Fields::of(fields.place(), &value)?)?))
    } else {
        let path = fields
            .path("Variable")?
            .ok_or_else(|| fields.error("the field `Variable` is missing"))?;
        let flag = |key: &str, fields: &mut Fields| match fields.take(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(fields.error(format!("expected true or false in `{key}`"))),
        };
        let test = if let Some(flag) = flag("BooleanEquals", &mut fields)? {
            Test::Boolean(flag)
        } else if let Some(flag) = flag("IsPresent", &mut fields)? {
            Test::Present(flag)
        } else if let Some(flag) = flag("IsNull", &mut fields)? {
            Test::Null(flag)
        } else if let Some(text) = fields.text("StringEquals")? {
            Test::Text(text)
        } else {
            // Names the operator nobody knows here.
            fields.nothing_left()?;
            return Err(DefinitionError {
                place: "choice".into(),
                message: "a rule without a comparison".into(),
            });
        };
        Rule::Test(path, test)
    };
    fields.nothing_left()?;
    Ok(rule)
}
