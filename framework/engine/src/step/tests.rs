//! Laws of the stepper, on random graphs with random answers in random order.

use super::{Answer, Command, Context, Listing, Next, Observation, Step, step};
use crate::classify::after;
use crate::deployment::{Deployment, Phase, Stage};
use crate::durations::Paths;
use crate::engine::assign;
use crate::fakes::MemorySchemas;
use crate::mask::Mask;
use crate::model::Model;
use crate::order::{Goal, Target};
use crate::ports::{Call, CloudError, OperationStatus, ProgressEvent};
use formwork_blueprint::Source;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

const SCHEMA: &str = r##"{
  "typeName": "Test::Fake::Thing", "description": "a thing", "additionalProperties": false,
  "properties": {"Name": {"type": "string"}, "Refs": {"type": "array", "items": {"type": "string"}}, "Arn": {"type": "string"}},
  "primaryIdentifier": ["/properties/Name"], "createOnlyProperties": ["/properties/Name"], "readOnlyProperties": ["/properties/Arn"],
  "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "update": {"permissions": []}, "delete": {"permissions": []}}
}"##;

/// A graph in which every resource refers to some earlier ones.
fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..7).prop_map(|nodes| {
        let earlier = |(at, picks): (usize, Vec<prop::sample::Index>)| {
            let picks: BTreeSet<usize> = picks
                .iter()
                .filter(|_| at > 0)
                .map(|pick| pick.index(at.max(1)))
                .collect();
            picks.into_iter().collect()
        };
        nodes.into_iter().enumerate().map(earlier).collect()
    })
}

fn text(graph: &[Vec<usize>]) -> String {
    let mut text = String::from("version: 2023-04-20\nresources:\n");
    for (index, needs) in graph.iter().enumerate() {
        let refs: Vec<String> = needs
            .iter()
            .map(|need| format!("\"${{resources.r{need}.state.arn}}\""))
            .collect();
        text += &format!(
            "  r{index}:\n    type: \"Test::Fake::Thing\"\n    spec: {{name: n{index}, refs: [{}]}}\n",
            refs.join(", ")
        );
    }
    text
}

fn model(target: &Target) -> Model {
    let schemas = MemorySchemas::parse([SCHEMA]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Model::build(target, &schemas)).unwrap()
}

fn deployment(goal: &Goal, model: Option<&Model>, earlier: Option<Deployment>) -> Deployment {
    let mut deployment = earlier.unwrap_or_else(|| Deployment::new("stack/Blueprint/one", "5a17"));
    let deadline = after(Timestamp::UNIX_EPOCH, SignedDuration::from_secs(3_600));
    let cause = format!("order {}", deployment.generation);
    deployment.supersede(&cause, deadline, goal, &Mask::default());
    assign(&mut deployment, model);
    deployment
}

fn refusal<T>(code: &str) -> Result<T, CloudError> {
    Err(CloudError {
        code: code.into(),
        message: "no".into(),
    })
}

/// An answer to a command, picked by a number.
fn answer(command: &Command, dice: u8) -> Observation {
    let event = |token: &str, status: OperationStatus, identifier: Option<String>, error: Option<&str>| {
        ProgressEvent {
            request_token: token.to_owned(),
            status,
            identifier,
            error_code: error.map(str::to_owned),
            message: error.map(|error| format!("{error} happened")),
            retry_after: None,
        }
    };
    let lane = command.key().0;
    let answer = match command {
        Command::Mutate { mutation, .. } => {
            let identifier = match &mutation.call {
                Call::Create { desired_state } => {
                    let document: serde_json::Value = serde_json::from_str(desired_state).unwrap();
                    document["Name"].as_str().map(str::to_owned)
                }
                Call::Update { identifier, .. } | Call::Delete { identifier } => Some(identifier.clone()),
            };
            let result = match dice % 8 {
                0 => refusal("ThrottlingException"),
                1 => refusal("Network"),
                2 if dice > 200 => refusal("AccessDeniedException"),
                _ => Ok(event(
                    &mutation.client_token,
                    OperationStatus::InProgress,
                    identifier,
                    None,
                )),
            };
            Answer::Mutated {
                client_token: mutation.client_token.clone(),
                result,
            }
        }
        Command::Poll { request_token, .. } => {
            let result = match dice % 8 {
                0 => refusal("Timeout"),
                1 => Ok(event(
                    request_token,
                    OperationStatus::Failed,
                    None,
                    Some("ServiceInternalError"),
                )),
                2 if dice > 200 => Ok(event(
                    request_token,
                    OperationStatus::Failed,
                    None,
                    Some("InvalidRequest"),
                )),
                3 => Ok(event(request_token, OperationStatus::InProgress, None, None)),
                _ => Ok(event(request_token, OperationStatus::Success, None, None)),
            };
            Answer::Polled {
                request_token: request_token.clone(),
                result,
            }
        }
        Command::Cancel { request_token, .. } => {
            let result = Ok(event(request_token, OperationStatus::CancelComplete, None, None));
            Answer::Cancelled {
                request_token: request_token.clone(),
                result,
            }
        }
        Command::Read { identifier, .. } => {
            let result = match dice % 5 {
                0 => refusal("ResourceNotFoundException"),
                _ => Ok(json!({"Name": identifier, "Arn": format!("arn:{identifier}")})),
            };
            Answer::Read {
                identifier: identifier.clone(),
                result,
            }
        }
        // Some are refused, others not whole; what they lack is asked about.
        Command::List { asked, .. } => Answer::Listed {
            asked: *asked,
            result: match dice % 8 {
                0 => refusal("ThrottlingException"),
                1 => refusal("AccessDeniedException"),
                other => Ok(Listing {
                    events: Vec::new(),
                    is_whole: other > 3,
                    calls: 1,
                }),
            },
        },
    };
    Observation { lane, answer }
}

fn shape(step: &Step) -> (Vec<(String, u8)>, Next, Deployment) {
    (
        step.commands.iter().map(Command::key).collect(),
        step.next,
        step.deployment.clone(),
    )
}

/// Runs a generation to its end, holding every step to the laws.
fn run(
    context: Context<'_>,
    mut deployment: Deployment,
    mut dice: impl Iterator<Item = u8>,
) -> Result<Deployment, TestCaseError> {
    let mut now = Timestamp::UNIX_EPOCH;
    let mut observations = Vec::new();
    for _ in 0..20_000 {
        let stepped = step(context, deployment, std::mem::take(&mut observations), now);
        let again = step(context, stepped.deployment.clone(), Vec::new(), now);
        prop_assert_eq!(
            shape(&again),
            shape(&stepped),
            "a step without news changes something"
        );
        for command in &stepped.commands {
            if let Command::Mutate { lane, mutation, .. } = command {
                let resource = stepped.deployment.lane(lane).unwrap();
                let intended = resource
                    .operation
                    .as_ref()
                    .is_some_and(|op| op.client_token == mutation.client_token);
                prop_assert!(intended, "a call that was not written ahead");
                if let (Call::Create { .. }, Some(model)) = (&mutation.call, context.model) {
                    for need in &model.nodes[lane.as_str()].depends_on {
                        prop_assert_eq!(
                            stepped.deployment.resources[need].work.stage,
                            Stage::Done,
                            "{} before {}",
                            lane,
                            need
                        );
                    }
                }
            }
        }
        deployment = stepped.deployment;
        if stepped.next == Next::Done {
            prop_assert!(stepped.commands.is_empty());
            prop_assert_eq!(deployment.phase, Phase::Done);
            let late = after(now, SignedDuration::from_secs(9_999));
            let after_end = step(context, deployment.clone(), Vec::new(), late);
            prop_assert!(
                after_end.deployment == deployment && after_end.events.is_empty(),
                "a step after the end does something"
            );
            return Ok(deployment);
        }
        let roll = dice.next().unwrap_or(255);
        match stepped
            .commands
            .get(usize::from(roll) % (stepped.commands.len() + 1))
        {
            Some(command) => observations.push(answer(command, dice.next().unwrap_or(255))),
            None => match stepped.next {
                Next::At(time) if stepped.commands.is_empty() || roll.is_multiple_of(2) => now = time,
                _ => observations.extend(stepped.commands.first().map(|command| answer(command, 255))),
            },
        }
        // A document survives being written and read at any moment.
        if roll.is_multiple_of(16) {
            deployment = Deployment::read(&deployment.write().unwrap()).unwrap();
        }
    }
    Err(TestCaseError::fail("it never ends"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_plan_ends_and_keeps_the_laws(graph in graph(), dice in prop::collection::vec(any::<u8>(), 0..600), limit in 1_usize..5) {
        let target = Target::new(Source::new("orders.yaml", text(&graph)));
        let model = model(&target);
        let goal = Goal::Deploy(target);
        let mut dice = dice.into_iter();
        let begun = deployment(&goal, Some(&model), None);
        let (paths, pace) = (Paths::of(Some(&model), &begun), SignedDuration::from_millis(67));
        let context = Context { model: Some(&model), max_concurrency: limit, paths: &paths, pace };
        let deployed = run(context, begun, dice.by_ref())?;
        let succeeded = deployed.result.as_ref().unwrap().succeeded;
        prop_assert_eq!(succeeded, deployed.failures.is_empty());
        if succeeded {
            prop_assert!(deployed.resources.values().all(|resource| resource.identifier.is_some() && resource.operation.is_none()));
        }

        let goal = Goal::Destroy { retain: false };
        let begun = deployment(&goal, None, Some(deployed));
        let paths = Paths::of(None, &begun);
        let context = Context { model: None, max_concurrency: limit, paths: &paths, pace };
        let destroyed = run(context, begun, dice.by_ref())?;
        if destroyed.result.as_ref().unwrap().succeeded {
            prop_assert!(destroyed.is_empty());
        }
    }
}
