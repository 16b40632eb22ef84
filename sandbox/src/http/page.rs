//! What there is, for people. Names and states only: no properties, inputs or documents.

use super::respond;
use crate::world::World;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

pub(super) fn handle(world: &World) -> Response<Body> {
    let now = world.now();
    let state = world.settled(now);
    let memory = &state.cloud.memory;
    let resources: Vec<Value> = memory
        .resources
        .iter()
        .flat_map(|(type_name, all)| {
            all.iter().map(move |(identifier, resource)| {
                json!({"type": type_name, "identifier": identifier, "created": resource.created.to_string()})
            })
        })
        .collect();
    let operations: Vec<Value> = memory
        .operations
        .iter()
        .map(|operation| operation.event())
        .collect();
    let executions: Vec<Value> = state
        .executions
        .all
        .iter()
        .map(|execution| {
            json!({
                "name": execution.name,
                "status": execution.status.name(),
                "state": execution.frame.state,
                "invocations": execution.outputs.len(),
            })
        })
        .collect();
    let objects: Vec<Value> = state
        .objects
        .all()
        .map(|(bucket, key, object)| json!({"bucket": bucket, "key": key, "bytes": object.body.len()}))
        .collect();
    let page = json!({
        "resources": resources,
        "operations": operations,
        "executions": executions,
        "objects": objects,
        "calls": state.log.len(),
    });
    let text = serde_json::to_string_pretty(&page).unwrap_or_default();
    respond(StatusCode::OK, &[("content-type", "application/json")], text)
}
