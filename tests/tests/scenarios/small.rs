//! A blueprint of two resources, one after the other, for scenarios about the way rather than the goods.

use formwork_tests::World;
use serde_json::{Value, json};

const STACK: &str =
    "arn:aws:cloudformation:eu-west-1:123456789012:stack/small/77aa0c10-ce11-11ea-90d5-0a9cd3354c10";

/// A Create of a topic, and a parameter that holds its ARN and a secret.
pub(crate) fn create(world: &World) -> Value {
    request(world, "Create", "c1", "first")
}

/// An Update of what [`create`] made: the topic gets another display name.
pub(crate) fn update(world: &World, physical_id: &str) -> Value {
    let mut event = request(world, "Update", "c2", "second");
    event["PhysicalResourceId"] = physical_id.into();
    event["OldResourceProperties"] = properties("first");
    event
}

/// What CloudFormation sends after an Update that failed: the old properties as the new ones.
pub(crate) fn rollback(world: &World, physical_id: &str) -> Value {
    let mut event = request(world, "Update", "c3", "first");
    event["PhysicalResourceId"] = physical_id.into();
    event["OldResourceProperties"] = properties("second");
    event
}

/// The Delete.
pub(crate) fn delete(world: &World, physical_id: &str) -> Value {
    let mut event = request(world, "Delete", "c4", "first");
    event["PhysicalResourceId"] = physical_id.into();
    event
}

/// The id that an answer carries.
pub(crate) fn id(answer: &Value) -> &str {
    answer["PhysicalResourceId"]
        .as_str()
        .expect("every answer has an id")
}

fn request(world: &World, kind: &str, request_id: &str, display_name: &str) -> Value {
    world.address(json!({
        "RequestType": kind,
        "ServiceToken": world.on_event.arn(),
        "StackId": STACK,
        "RequestId": request_id,
        "LogicalResourceId": "Small",
        "ResourceType": "Custom::Blueprint",
        "ResourceProperties": properties(display_name),
    }))
}

fn properties(display_name: &str) -> Value {
    json!({
        "ServiceToken": "arn:aws:lambda:eu-west-1:123456789012:function:formwork-on-event",
        "Blueprint": {
            "version": "2023-04-20",
            "variables": {"key": {"type": "string", "secret": "true"}},
            "resources": {
                "topic": {
                    "type": "aws/sns/topic",
                    "spec": {"topicName": "small", "displayName": display_name},
                },
                "parameter": {
                    "type": "aws/ssm/parameter",
                    "spec": {
                        "name": "/small/topic",
                        "type": "String",
                        "value": "${resources.topic.state.topicArn} ${variables.key}",
                    },
                },
            },
            "exports": {"topicArn": {"type": "string", "field": "resources.topic.state.topicArn"}},
        },
        "Variables": {"key": formwork_tests::SECRET_VARIABLE},
    })
}
