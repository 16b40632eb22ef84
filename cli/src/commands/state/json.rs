//! Stored deployments as scripts read them (docs/operations.md).

use formwork_engine::{InstanceView, OperationView, Phase, ResourceView, Wait};
use serde_json::{Map, Value, json};

/// One line of the list. What cannot be read has a `problem` and no more.
pub fn line(name: &str, view: &Result<Option<InstanceView>, String>) -> Value {
    match view {
        Ok(Some(view)) => {
            let mut line = head(view);
            let leftovers = view.resources.iter().filter(|resource| resource.leftover).count();
            line.insert("resources".into(), (view.resources.len() - leftovers).into());
            line.insert("leftovers".into(), leftovers.into());
            line.insert("pending".into(), view.pending().count().into());
            line.insert("problem".into(), Value::Null);
            line.into()
        }
        Ok(None) => json!({ "instance": name, "problem": "it was removed a moment ago" }),
        Err(problem) => json!({ "instance": name, "problem": problem }),
    }
}

/// A deployment with everything that may be shown.
pub fn instance(view: &InstanceView) -> Value {
    let mut members = head(view);
    members.insert("roleArn".into(), json!(view.role_arn));
    let failures = view.failures.iter().map(ToString::to_string).collect::<Vec<_>>();
    members.insert("failures".into(), failures.into());
    let resources = view.resources.iter().map(resource).collect::<Vec<_>>();
    members.insert("resources".into(), resources.into());
    members.into()
}

/// A deployment with what is under way in it.
pub fn pending(view: &InstanceView) -> Value {
    let mut members = head(view);
    members.insert("resources".into(), view.pending().map(resource).collect());
    members.into()
}

/// A resource, or a leftover.
pub fn resource(resource: &ResourceView) -> Value {
    json!({
        "resource": resource.lane,
        "name": resource.name,
        "type": resource.type_name,
        "identifier": resource.identifier,
        "leftover": resource.leftover,
        "action": resource.action,
        "stage": resource.stage,
        "dependsOn": resource.depends_on,
        "applied": resource.applied,
        "live": resource.live,
        "hidden": resource.hidden,
        "operation": resource.operation.as_ref().map(operation),
        "waitsFor": resource.waits.as_ref().map(wait),
    })
}

fn head(view: &InstanceView) -> Map<String, Value> {
    let has_order = view.generation.0 > 0;
    let head = json!({
        "instance": view.instance,
        "serial": view.serial,
        "generation": view.generation,
        "phase": match view.phase {
            Phase::Running => "running",
            Phase::Done => "done",
            Phase::Settled => "settled",
        },
        "goal": has_order.then_some(view.goal),
        "cause": has_order.then_some(view.cause.as_str()),
        "deadline": has_order.then(|| view.deadline.to_string()),
        "succeeded": view.succeeded,
    });
    match head {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn operation(operation: &OperationView) -> Value {
    json!({
        "operation": operation.operation,
        "generation": operation.generation,
        "started": operation.started.to_string(),
        "clientToken": operation.client_token,
        "requestToken": operation.request_token,
        "identifier": operation.identifier,
    })
}

fn wait(wait: &Wait) -> Value {
    match wait {
        Wait::Operation => json!({ "for": "operation" }),
        Wait::Answer => json!({ "for": "answer" }),
        Wait::Read => json!({ "for": "read" }),
        Wait::Resources(names) => json!({ "for": "resources", "resources": names }),
        Wait::Until(time) => json!({ "for": "time", "until": time.to_string() }),
        Wait::Turn => json!({ "for": "turn" }),
    }
}
