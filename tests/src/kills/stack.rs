//! The events of one life: a blueprint that an Update changes in every way.

use crate::World;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct Stack {
    id: String,
    requests: AtomicUsize,
}

impl Stack {
    pub(super) fn new(seed: u64) -> Self {
        Stack {
            id: format!(
                "arn:aws:cloudformation:{}:{}:stack/kills/77aa0c10-ce11-11ea-90d5-{seed:012x}",
                crate::REGION,
                crate::ACCOUNT
            ),
            requests: AtomicUsize::new(1),
        }
    }

    pub(super) fn create(&self, world: &World) -> Value {
        self.request(world, "Create", first(), None, None)
    }

    pub(super) fn update(&self, world: &World, id: &str) -> Value {
        self.request(world, "Update", second(), Some(first()), Some(id))
    }

    pub(super) fn rollback(&self, world: &World, id: &str) -> Value {
        self.request(world, "Update", first(), Some(second()), Some(id))
    }

    pub(super) fn delete(&self, world: &World, id: &str) -> Value {
        self.request(world, "Delete", first(), None, Some(id))
    }

    fn request(&self, world: &World, kind: &str, new: Value, old: Option<Value>, id: Option<&str>) -> Value {
        let number = self.requests.fetch_add(1, Ordering::SeqCst);
        let mut event = json!({
            "RequestType": kind,
            "ServiceToken": world.on_event.arn(),
            "StackId": self.id,
            "RequestId": format!("request-{number}"),
            "LogicalResourceId": "Orders",
            "ResourceType": "Custom::Blueprint",
            "ResourceProperties": new,
        });
        if let Some(old) = old {
            event["OldResourceProperties"] = old;
        }
        if let Some(id) = id {
            event["PhysicalResourceId"] = id.into();
        }
        world.address(event)
    }
}

fn first() -> Value {
    properties("first", "orders-1", "/orders/one")
}

/// The topic is changed in place, the queue replaced, one log group removed and another made.
fn second() -> Value {
    properties("second", "orders-2", "/orders/two")
}

fn properties(display_name: &str, queue: &str, log_group: &str) -> Value {
    // The resource's name goes with the group's, so that another group is another resource.
    let logs = log_group.replace('/', "");
    let mut properties = json!({
        "ServiceToken": "arn:aws:lambda:eu-west-1:123456789012:function:formwork-on-event",
        "Blueprint": {
            "version": "2023-04-20",
            "variables": {"key": {"type": "string", "secret": "true"}},
            "resources": {
                "topic": {
                    "type": "aws/sns/topic",
                    "spec": {"topicName": "orders", "displayName": display_name},
                },
                "queue": {"type": "aws/sqs/queue", "spec": {"queueName": queue}},
                "secret": {
                    "type": "aws/ssm/parameter",
                    "spec": {
                        "name": "/orders/key",
                        "type": "String",
                        "value": "${resources.topic.state.topicArn} ${variables.key}",
                    },
                },
                "address": {
                    "type": "aws/ssm/parameter",
                    "spec": {
                        "name": "/orders/queue",
                        "type": "String",
                        "value": "${resources.queue.state.arn}",
                    },
                },
            },
            "exports": {"queueArn": {"type": "string", "field": "resources.queue.state.arn"}},
        },
        "Variables": {"key": crate::SECRET_VARIABLE},
    });
    properties["Blueprint"]["resources"][logs] =
        json!({"type": "aws/logs/logGroup", "spec": {"logGroupName": log_group}});
    properties
}
