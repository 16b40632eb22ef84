//! What an operator asks of `on_event` by invoking it directly (docs/operations.md).
//!
//! # Guarantees
//! - Nothing that CloudFormation sends is taken for an operator's event: that has a member `formwork`, and none of those
//!   that every event of CloudFormation has. A template's author cannot add members beside these.
//! - Nothing is changed: neither a resource nor a stored document.
//! - The answer is always a document; what is wrong with the question is its `error`.

use formwork_engine::{DriftReport, Engine, EngineError};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

const MARK: &str = "formwork";
const DETECT_DRIFT: &str = "detect-drift";
/// What every event of CloudFormation has.
const ENVELOPE: [&str; 5] = [
    "RequestType",
    "ResponseURL",
    "StackId",
    "RequestId",
    "LogicalResourceId",
];
/// Kept free at the end of the invocation for the answer.
const MARGIN: SignedDuration = SignedDuration::from_secs(3);

/// What is asked.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    formwork: String,
    /// An instance, or the folder of several: a stack's uuid, with or without a logical id. All if it is not given.
    #[serde(default)]
    instance: Option<String>,
}

/// The operator's question in an event, `None` for an event of anybody else.
pub(crate) fn read(event: &Value) -> Option<Result<Question, String>> {
    let members = event.as_object()?;
    if !members.contains_key(MARK) || ENVELOPE.iter().any(|name| members.contains_key(*name)) {
        return None;
    }
    let question = Question::deserialize(event).map_err(|error| error.to_string());
    Some(question.and_then(|question| match question.formwork.as_str() {
        DETECT_DRIFT => Ok(question),
        other => Err(format!(
            "`{other}` is nothing that can be asked; `{DETECT_DRIFT}` is"
        )),
    }))
}

/// Answers a question. What could not be read until shortly before `deadline` is unknown.
pub(crate) async fn answer(
    engine: &Engine,
    question: Result<Question, String>,
    deadline: Timestamp,
) -> Value {
    let found = match question {
        Ok(question) => detect_drift(engine, question, deadline).await,
        Err(problem) => Err(problem),
    };
    found.unwrap_or_else(|problem| refusal(&problem))
}

/// The answer to a question that cannot be answered.
pub(crate) fn refusal(problem: &str) -> Value {
    json!({ "error": problem })
}

async fn detect_drift(engine: &Engine, question: Question, deadline: Timestamp) -> Result<Value, String> {
    let until = deadline.checked_sub(MARGIN).unwrap_or(deadline);
    let mut reports = Vec::new();
    for name in instances(engine, question.instance.as_deref())
        .await
        .map_err(told)?
    {
        reports.push(match engine.drift(&name, until).await {
            Ok(Some(report)) => Ok(report),
            // It was destroyed a moment ago.
            Ok(None) => continue,
            Err(error) => Err((name, told(error))),
        });
    }
    if let (true, Some(instance)) = (reports.is_empty(), question.instance) {
        return Err(format!("there is no deployment `{instance}`"));
    }
    let in_sync = reports
        .iter()
        .all(|report| report.as_ref().is_ok_and(DriftReport::is_in_sync));
    let reports = reports.into_iter().map(|report| match report {
        Ok(report) => report.to_json(),
        Err((instance, problem)) => json!({ "instance": instance, "error": problem }),
    });
    Ok(json!({ "inSync": in_sync, "instances": reports.collect::<Vec<_>>() }))
}

async fn instances(engine: &Engine, named: Option<&str>) -> Result<Vec<String>, EngineError> {
    let Some(named) = named else {
        return engine.instances("").await;
    };
    let below = engine.instances(named).await?;
    Ok(match below.is_empty() {
        true => vec![named.to_owned()],
        false => below,
    })
}

fn told(error: EngineError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_cloudformation_is_never_an_operators() {
        let question = json!({ "formwork": "detect-drift" });
        assert!(read(&question).is_some_and(|question| question.is_ok()));
        for name in ENVELOPE {
            let mut event = question.clone();
            event[name] = "x".into();
            assert_eq!(read(&event), None, "{name}");
        }
        let event = json!({ "RequestType": "Create", "ResourceProperties": { "formwork": "detect-drift" } });
        assert_eq!(read(&event), None);
        assert_eq!(read(&json!("formwork")), None);
        assert_eq!(read(&json!({ "Instance": "i", "Request": "r" })), None);
    }

    #[test]
    fn a_question_that_is_none_is_told() {
        let cases = [
            (
                json!({ "formwork": "destroy" }),
                "`destroy` is nothing that can be asked; `detect-drift` is",
            ),
            (
                json!({ "formwork": "detect-drift", "instances": "i" }),
                "unknown field `instances`, expected `formwork` or `instance`",
            ),
            (
                json!({ "formwork": 1 }),
                "invalid type: number, expected a string",
            ),
        ];
        for (event, problem) in cases {
            assert_eq!(read(&event), Some(Err(problem.to_owned())));
        }
    }
}
