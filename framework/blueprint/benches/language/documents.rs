//! Documents to measure with, made by rule: the same on every run, in YAML and in JSON.

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// A blueprint of so many resources, about 500 bytes of YAML each: queues with policies, functions that work on
/// them, their roles and log groups; with nested specs, references back, labels and link selectors.
pub(crate) fn blueprint(resources: usize) -> Value {
    let named = (0..resources).map(|index| {
        let group = index / 4;
        let (name, resource) = match index % 4 {
            0 => (format!("queue{group}"), queue(group)),
            1 => (format!("role{group}"), role(group)),
            2 => (format!("function{group}"), function(group)),
            _ => (format!("logs{group}"), logs(group)),
        };
        (name, resource)
    });
    json!({
        "version": "2023-04-20",
        "variables": {
            "environment": {"type": "string", "description": "The environment that the system belongs to", "default": "dev"},
            "retentionDays": {"type": "integer", "description": "How long logs are kept", "default": 14},
        },
        "resources": named.collect::<Map<String, Value>>(),
        "exports": {
            "firstQueue": {"type": "string", "field": "resources.queue0.state.arn"},
        },
    })
}

fn queue(group: usize) -> Value {
    let mut spec = json!({
        "queueName": format!("orders-${{variables.environment}}-{group}"),
        "visibilityTimeout": 180,
        "messageRetentionPeriod": 1_209_600,
        "tags": [
            {"key": "team", "value": "orders"},
            {"key": "environment", "value": "${variables.environment}"},
        ],
    });
    if let (Some(before), Some(spec)) = (group.checked_sub(1), spec.as_object_mut()) {
        let arn = format!("${{resources.queue{before}.state.arn}}");
        spec.insert(
            "redrivePolicy".into(),
            json!({"deadLetterTargetArn": arn, "maxReceiveCount": 5}),
        );
    }
    json!({
        "type": "aws/sqs/queue",
        "description": "Orders that wait to be saved",
        "metadata": {
            "displayName": format!("Orders {group}"),
            "labels": {"app": "orders", "group": format!("g{group}")},
            "annotations": {"cost.center": "4711"},
        },
        "spec": spec,
    })
}

fn role(group: usize) -> Value {
    json!({
        "type": "aws/iam/role",
        "spec": {
            "roleName": format!("orders-${{variables.environment}}-save-{group}"),
            "assumeRolePolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"},
                ],
            },
            "policies": [{
                "policyName": "save-orders",
                "policyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [{
                        "Effect": "Allow",
                        "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage"],
                        "Resource": format!("${{resources.queue{group}.state.arn}}"),
                    }],
                },
            }],
        },
    })
}

fn function(group: usize) -> Value {
    json!({
        "type": "aws/lambda/function",
        "description": "Saves every order it is given",
        "linkSelector": {"byLabel": {"app": "orders", "group": format!("g{group}")}},
        "spec": {
            "functionName": format!("save-order-{group}"),
            "runtime": "nodejs22.x",
            "handler": "index.handler",
            "memorySize": 256,
            "role": format!("${{resources.role{group}.state.arn}}"),
            "environment": {
                "variables": {
                    "STAGE": "${variables.environment}",
                    "QUEUE_URL": format!("${{resources.queue{group}.state.queueUrl}}"),
                    "TABLE": format!("${{trimprefix(\"orders-{group}\", \"orders-\")}}-${{variables.environment}}"),
                },
            },
            "code": {"zipFile": "exports.handler = async event => {\n  console.log(event.Records.length);\n};\n"},
        },
    })
}

fn logs(group: usize) -> Value {
    json!({
        "type": "aws/logs/logGroup",
        "metadata": {"labels": {"app": "orders", "kind": "logs"}},
        "spec": {
            "logGroupName": format!("/aws/lambda/${{function{group}.spec.functionName}}"),
            "retentionInDays": "${variables.retentionDays}",
            "tags": [{"key": "team", "value": "orders"}],
        },
    })
}

/// A ladder: every rung's two resources refer to both of the rung before, four edges a rung. So many paths lead
/// through it that only a search that visits nothing twice ends.
pub(crate) fn ladder(edges: usize) -> Value {
    let rungs = edges / 4 + 1;
    let resources = (0..rungs).flat_map(|rung| {
        ["left", "right"].map(|side| {
            let spec = match rung.checked_sub(1) {
                Some(before) => json!({
                    "a": format!("${{left{before}.state.arn}}"),
                    "b": format!("${{right{before}.state.arn}}"),
                }),
                None => json!({}),
            };
            (
                format!("{side}{rung}"),
                json!({"type": "aws/sns/topic", "spec": spec}),
            )
        })
    });
    json!({"version": "2023-04-20", "resources": resources.collect::<Map<String, Value>>()})
}

/// Block style YAML, as people write it: plain where it may be, quoted where it must, texts of lines as literals.
pub(crate) fn yaml(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                let _infallible = write!(out, "{pad}{key}:");
                nested(value, indent + 2, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut text = String::new();
                match item {
                    Value::Object(_) | Value::Array(_) => block(item, indent + 2, &mut text),
                    scalar => text = format!("  {}\n", scalar_text(scalar)),
                }
                // The first line of an item stands on the line of its dash.
                let _infallible = write!(out, "{pad}- {}", text.trim_start());
            }
        }
        other => {
            let _infallible = writeln!(out, "{pad}{}", scalar_text(other));
        }
    }
}

/// What stands behind a key's colon.
fn nested(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            out.push('\n');
            block(value, indent, out);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            block(value, indent, out);
        }
        Value::String(text) if text.contains('\n') => {
            out.push_str(" |\n");
            for line in text.lines() {
                let _infallible = writeln!(out, "{}{line}", " ".repeat(indent));
            }
        }
        scalar => {
            let _infallible = writeln!(out, " {}", scalar_text(scalar));
        }
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let odd = text.contains(": ")
                || text.contains(" #")
                || text.starts_with(|first: char| first.is_ascii_digit());
            if odd { format!("{text:?}") } else { text.clone() }
        }
        other => other.to_string(),
    }
}

/// JSON with indentation, as people and tools write it.
pub(crate) fn json_text(value: &Value) -> String {
    format!("{value:#}")
}
