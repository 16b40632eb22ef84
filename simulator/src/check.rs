//! What must hold: after every success, and when everything has come to rest.

use crate::blueprints::Blueprint;
use crate::cloud::Resource;
use crate::functions::Account;
use crate::stack::{Sent, Stack};
use crate::types;
use formwork_engine::Deployment;
use serde_json::{Value, json};
use std::time::Duration;

/// CloudFormation's limits of an answer.
const LONGEST_ANSWER: usize = 4_096;

/// After a Create or Update has succeeded: the cloud is what the blueprint says, and the state knows it.
pub(crate) fn deployed(account: &Account, blueprint: &Blueprint) {
    let world = &account.world;
    let mut known = Vec::new();
    let mut current = Vec::new();
    for (key, document) in account.bucket.documents("instances/") {
        match Deployment::read(&document) {
            Ok(deployment) => {
                for resource in deployment.resources.values().chain(deployment.retired.values()) {
                    let named = resource
                        .operation
                        .as_ref()
                        .and_then(|operation| operation.identifier.as_ref());
                    known.extend(resource.identifier.iter().chain(named).cloned());
                }
                current.extend(
                    deployment
                        .resources
                        .iter()
                        .filter_map(|(name, resource)| Some((name.clone(), resource.identifier.clone()?))),
                );
            }
            Err(error) => world.violated(format!("{key} cannot be read: {error}")),
        }
    }
    let resources = account.cloud.resources();
    for (type_name, identifier, resource) in &resources {
        if blueprint.owns(mark_of(resource)) && !known.contains(identifier) {
            world.violated(format!(
                "after a success nobody knows of {type_name} {identifier}"
            ));
        }
    }
    for node in &blueprint.nodes {
        let identifier = current
            .iter()
            .find(|(name, _)| *name == node.name)
            .map(|(_, identifier)| identifier);
        let found = resources
            .iter()
            .find(|(type_name, id, _)| type_name == node.type_name && Some(id) == identifier);
        let Some((_, _, found)) = found else {
            world.violated(format!("after a success `{}` is not there", node.name));
            continue;
        };
        let arn_of = |name: &String| {
            let (_, identifier) = current.iter().find(|(other, _)| other == name)?;
            Some(json!(format!("arn:sim:{identifier}")))
        };
        let expected = [
            ("Mark", Some(json!(node.name))),
            ("Kind", Some(json!(format!("k{}", node.kind)))),
            ("Value", Some(json!(format!("v{}", node.value)))),
            ("Ref", node.refers_to.as_ref().and_then(arn_of)),
            (
                node.secret_property(),
                node.has_secret.then(|| json!(world.password)),
            ),
        ];
        for (property, value) in expected {
            // What can be set at the creation only stays when it is said no more, and so may what cannot be read.
            let may_stay = types::is_create_only(node.type_name, property)
                || types::is_write_only(property)
                || !types::has_handler(node.type_name, "read");
            if value.is_none() && may_stay {
                continue;
            }
            if found.model.get(property) != value.as_ref() {
                world.violated(format!(
                    "after a success {property} of `{}` is {:?} instead of {value:?}",
                    node.name,
                    found.model.get(property)
                ));
            }
        }
    }
}

fn mark_of(resource: &Resource) -> &str {
    let mark = resource.model.get("Mark").and_then(Value::as_str);
    mark.unwrap_or_default()
}

/// When nothing moves any more and the stacks are deleted.
pub(crate) fn at_rest(account: &Account, stacks: &[Stack], foreign: &Value) {
    let world = &account.world;
    for request in stacks.iter().flat_map(Stack::sent) {
        answered(account, request);
    }
    for (type_name, identifier, resource) in account.cloud.resources() {
        if !resource.foreign {
            if stacks.iter().any(|stack| stack.may_leave(mark_of(&resource))) {
                continue;
            }
            world.violated(format!(
                "{type_name} {identifier} is left in the cloud: {:?}",
                resource.model
            ));
        } else if Value::Object(resource.model.clone()) != *foreign {
            world.violated(format!(
                "somebody else's {identifier} was changed: {:?}",
                resource.model
            ));
        }
    }
    for (key, document) in account.bucket.documents("") {
        let text = String::from_utf8_lossy(&document);
        world.read_by_people(&key, &text);
        if key.starts_with("instances/") {
            world.violated(format!("{key} is left in the state: {text}"));
        } else if !text.contains(r#""Answered""#) && !key.ends_with("/deleted") {
            world.violated(format!("{key} is left open: {text}"));
        }
    }
}

/// When the stack is deleted and was to leave what it had deployed.
pub(crate) fn retained(account: &Account, blueprint: &Blueprint) {
    let resources = account.cloud.resources();
    for node in &blueprint.nodes {
        let is_it = |(type_name, _, found): &(String, String, Resource)| {
            let shows = |property: &str, value: String| found.model.get(property) == Some(&json!(value));
            type_name == node.type_name
                && !found.foreign
                && shows("Mark", node.name.clone())
                && shows("Value", format!("v{}", node.value))
        };
        if !resources.iter().any(is_it) {
            account
                .world
                .violated(format!("`{}` was not retained", node.name));
        }
    }
}

fn answered(account: &Account, request: &Sent) {
    let world = &account.world;
    let Some(answer) = account.sink.answer(&request.url) else {
        world.violated(format!("the {} has no answer at all", request.kind));
        return;
    };
    let took = Duration::try_from(answer.at.duration_since(request.at)).unwrap_or_default();
    if took > request.service_timeout {
        world.violated(format!("the answer to the {} came after {took:?}", request.kind));
    }
    let text = answer.body.to_string();
    world.read_by_people("an answer", &text);
    if text.len() > LONGEST_ANSWER {
        world.violated(format!("an answer of {} bytes", text.len()));
    }
    let field = |name: &str| answer.body.get(name).and_then(Value::as_str).unwrap_or_default();
    if field("RequestId") != request.request_id || field("PhysicalResourceId").is_empty() {
        world.violated(format!("an answer that answers nothing: {text}"));
    }
    if let Some(id) = &request.physical_id
        && id != field("PhysicalResourceId")
    {
        world.violated(format!(
            "the {} of {id} is answered for another: {text}",
            request.kind
        ));
    }
}
