//! awsJson1.0: Cloud Control and Step Functions.

use super::{Exchange, Exchanged, exchange, log, lost, respond, unheard};
use crate::cloud::error::ApiError;
use crate::drive;
use crate::fault::{Call, Target};
use crate::world::World;
use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq)]
enum Service {
    CloudControl,
    StepFunctions,
}

pub(super) fn handle(
    world: &Arc<World>,
    service: &str,
    operation: &str,
    request: &Exchanged,
) -> Response<Body> {
    let id = world.state().cloud.uuid();
    let service = match service {
        "CloudApiService" => Service::CloudControl,
        "AWSStepFunctions" => Service::StepFunctions,
        _ => return refuse(&unknown_operation(), Service::CloudControl, &id),
    };
    let known = Call::from_name(operation).filter(|call| match service {
        Service::CloudControl => matches!(
            call,
            Call::CreateResource
                | Call::UpdateResource
                | Call::DeleteResource
                | Call::GetResource
                | Call::ListResources
                | Call::GetResourceRequestStatus
                | Call::ListResourceRequests
                | Call::CancelResourceRequest
        ),
        Service::StepFunctions => {
            matches!(
                call,
                Call::StartExecution | Call::DescribeExecution | Call::StopExecution
            )
        }
    });
    let Some(call) = known else {
        return refuse(&unknown_operation(), service, &id);
    };
    let Ok(input) = serde_json::from_slice::<Value>(&request.body) else {
        return refuse(
            &ApiError::new("SerializationException", "the body is not JSON"),
            service,
            &id,
        );
    };
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let subject = match service {
        Service::CloudControl => text("TypeName"),
        Service::StepFunctions => text("stateMachineArn"),
    };
    let about = match call {
        Call::CreateResource => text("DesiredState"),
        Call::StartExecution => text("input"),
        _ => text("Identifier"),
    };
    let exchange = exchange(
        world,
        Target {
            call,
            type_name: subject,
            text: about,
        },
    );
    let response = match exchange {
        Exchange::Broken(status) => respond(status, &[("x-amzn-requestid", &id)], Body::empty()),
        Exchange::Refused(code, message) => refuse(&ApiError { code, message }, service, &id),
        Exchange::Unheard => unheard(),
        Exchange::Normal | Exchange::AnswerLost(_) => match (carry_out(world, call, &input), exchange) {
            (_, Exchange::AnswerLost(loss)) => lost(loss),
            (Ok(output), _) => {
                let headers = [
                    ("content-type", "application/x-amz-json-1.0"),
                    ("x-amzn-requestid", &id),
                ];
                respond(StatusCode::OK, &headers, output.to_string())
            }
            (Err(error), _) => refuse(&error, service, &id),
        },
    };
    log(world, call, subject, &response);
    response
}

fn carry_out(world: &Arc<World>, call: Call, input: &Value) -> Result<Value, ApiError> {
    let now = world.now();
    if call == Call::StopExecution {
        return drive::stop(world, input, now);
    }
    if let Call::StartExecution | Call::DescribeExecution = call {
        let mut state = world.state();
        return match call {
            Call::StartExecution => {
                let fresh_name = state.cloud.uuid();
                let (output, begun) = state.executions.start(input, &fresh_name, now)?;
                world.keep_executions(&state);
                let machine = begun.as_deref().and_then(|arn| {
                    let machine = state.executions.find(arn)?.machine.clone();
                    state.executions.machine(&machine)
                });
                drop(state);
                if let (Some(arn), Some(definition)) = (begun, machine) {
                    drive::spawn(world, &arn, definition);
                }
                Ok(output)
            }
            _ => state.executions.describe(input),
        };
    }
    world.state().cloud.throttle(now)?;
    let mut state = world.settled(now);
    match call {
        Call::GetResource => state.cloud.get_resource(input),
        Call::ListResources => state.cloud.list_resources(input),
        Call::GetResourceRequestStatus => state.cloud.get_resource_request_status(input, now),
        Call::ListResourceRequests => state.cloud.list_resource_requests(input, now),
        changing => {
            let output = match changing {
                Call::CreateResource => state.cloud.create_resource(input, now)?,
                Call::UpdateResource => state.cloud.update_resource(input, now)?,
                Call::DeleteResource => state.cloud.delete_resource(input, now)?,
                _ => state.cloud.cancel_resource_request(input, now)?,
            };
            world.keep_cloud(&state);
            Ok(output)
        }
    }
}

fn unknown_operation() -> ApiError {
    ApiError::new("UnknownOperationException", "the sandbox has no such operation")
}

fn refuse(error: &ApiError, service: Service, id: &str) -> Response<Body> {
    let (kind, member) = match service {
        Service::CloudControl => (error.wire_type(), "Message"),
        Service::StepFunctions => (
            format!("com.amazonaws.swf.service.v2.model#{}", error.code),
            "message",
        ),
    };
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let headers = [
        ("content-type", "application/x-amz-json-1.0"),
        ("x-amzn-requestid", id),
    ];
    respond(
        status,
        &headers,
        json!({"__type": kind, member: error.message}).to_string(),
    )
}
