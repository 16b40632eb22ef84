//! The events of one life: a blueprint that an Update changes in every way.

use crate::World;
use formwork_sandbox::StoredResource;
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
        self.request(world, "Create", FIRST.properties(), None, None)
    }

    pub(super) fn update(&self, world: &World, id: &str) -> Value {
        self.request(
            world,
            "Update",
            SECOND.properties(),
            Some(FIRST.properties()),
            Some(id),
        )
    }

    pub(super) fn rollback(&self, world: &World, id: &str) -> Value {
        self.request(
            world,
            "Update",
            FIRST.properties(),
            Some(SECOND.properties()),
            Some(id),
        )
    }

    pub(super) fn delete(&self, world: &World, id: &str) -> Value {
        self.request(world, "Delete", FIRST.properties(), None, Some(id))
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

/// What a template asks for.
pub(super) struct Wanted {
    display_name: &'static str,
    queue: &'static str,
    log_group: &'static str,
}

pub(super) const FIRST: Wanted = Wanted {
    display_name: "first",
    queue: "orders-1",
    log_group: "/orders/one",
};

/// The topic is changed in place, the queue replaced, one log group removed and another made.
pub(super) const SECOND: Wanted = Wanted {
    display_name: "second",
    queue: "orders-2",
    log_group: "/orders/two",
};

impl Wanted {
    fn properties(&self) -> Value {
        // The resource's name goes with the group's, so that another group is another resource.
        let logs = self.log_group.replace('/', "");
        let mut properties = json!({
            "ServiceToken": "arn:aws:lambda:eu-west-1:123456789012:function:formwork-on-event",
            "Blueprint": {
                "version": "2023-04-20",
                "variables": {"key": {"type": "string", "secret": "true"}},
                "resources": {
                    "topic": {
                        "type": "aws/sns/topic",
                        "spec": {"topicName": "orders", "displayName": self.display_name},
                    },
                    "queue": {"type": "aws/sqs/queue", "spec": {"queueName": self.queue}},
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
            json!({"type": "aws/logs/logGroup", "spec": {"logGroupName": self.log_group}});
        properties
    }

    /// Which resources are not there as they are wanted.
    pub(super) fn missing(&self, there: &[StoredResource]) -> Vec<&'static str> {
        let arn = |service: &str, name: &str| {
            format!("arn:aws:{service}:{}:{}:{name}", crate::REGION, crate::ACCOUNT)
        };
        let key = format!("{} {}", arn("sns", "orders"), crate::SECRET_VARIABLE);
        let wanted = [
            (
                "AWS::SNS::Topic",
                json!({"TopicName": "orders", "DisplayName": self.display_name}),
            ),
            ("AWS::SQS::Queue", json!({"QueueName": self.queue})),
            (
                "AWS::SSM::Parameter",
                json!({"Name": "/orders/key", "Value": key}),
            ),
            (
                "AWS::SSM::Parameter",
                json!({"Name": "/orders/queue", "Value": arn("sqs", self.queue)}),
            ),
            ("AWS::Logs::LogGroup", json!({"LogGroupName": self.log_group})),
        ];
        wanted
            .into_iter()
            .filter(|(type_name, some)| {
                !there
                    .iter()
                    .any(|one| one.type_name == *type_name && has(&one.properties, some))
            })
            .map(|(type_name, _)| type_name)
            .collect()
    }
}

/// Whether an object has all these members.
fn has(object: &Value, members: &Value) -> bool {
    let mut members = members.as_object().into_iter().flatten();
    members.all(|(name, value)| object.get(name) == Some(value))
}
