//! What a decision costs for resources of about 10 kB: `cargo bench -p formwork-schema --bench decide`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first thing that is wrong"
)]

use divan::Bencher;
use formwork_schema::{Decision, Remembered, ResourceSchema, decide, load, remember};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One resource as it was applied, as it is live, and as it is desired next.
struct Case {
    schema: ResourceSchema,
    applied: Remembered,
    live: Value,
    same: Value,
    other: Value,
}

impl Case {
    fn new(type_name: &str, desired: Value, change: impl Fn(&mut Value)) -> Self {
        let schema = load(type_name).unwrap().expect("a bundled type");
        assert!(
            schema.validate_model(&desired).is_empty(),
            "{:?}",
            schema.validate_model(&desired)
        );
        let size = desired.to_string().len();
        assert!((9_500..10_500).contains(&size), "{type_name} has {size} bytes");
        let mut other = desired.clone();
        change(&mut other);
        Self {
            applied: remember(&schema, &desired, &BTreeSet::new(), "salt"),
            live: desired.clone(),
            same: desired,
            other,
            schema,
        }
    }
}

/// A bucket with many lifecycle rules and tags: nested objects in an ordered list.
fn bucket() -> Case {
    let rules: Vec<Value> = (0..56)
        .map(|index| {
            json!({
                "Id": format!("rule-{index}"), "Status": "Enabled", "Prefix": format!("logs/{index}/"),
                "ExpirationInDays": 365, "Transitions": [{"StorageClass": "GLACIER", "TransitionInDays": 30}],
            })
        })
        .collect();
    let tags: Vec<Value> = (0..60)
        .map(|index| json!({"Key": format!("tag-{index}"), "Value": "value"}))
        .collect();
    let desired = json!({"BucketName": "orders", "LifecycleConfiguration": {"Rules": rules}, "Tags": tags});
    Case::new("AWS::S3::Bucket", desired, |other| {
        other["LifecycleConfiguration"]["Rules"][7]["ExpirationInDays"] = json!(30);
    })
}

/// A security group with many rules: an unordered list of objects, with property transforms.
fn group() -> Case {
    let rules: Vec<Value> = (0..140)
        .map(|index| {
            json!({"IpProtocol": "TCP", "FromPort": index, "ToPort": index, "CidrIp": format!("10.0.{index}.0/24")})
        })
        .collect();
    let desired = json!({"GroupDescription": "orders", "GroupName": "orders", "SecurityGroupIngress": rules});
    Case::new("AWS::EC2::SecurityGroup", desired, |other| {
        other["SecurityGroupIngress"][7]["FromPort"] = json!(1);
    })
}

/// A web ACL: the largest rules that a schema has, deep and recursive.
fn acl() -> Case {
    let visible = |name: &str| json!({"CloudWatchMetricsEnabled": true, "SampledRequestsEnabled": true, "MetricName": name});
    let rules: Vec<Value> = (0..25)
        .map(|index| {
            json!({
                "Name": format!("rule-{index}"), "Priority": index, "Action": {"Block": {}},
                "VisibilityConfig": visible("m"),
                "Statement": {"NotStatement": {"Statement": {"ByteMatchStatement": {
                    "FieldToMatch": {"SingleHeader": {"Name": "host"}}, "PositionalConstraint": "EXACTLY",
                    "SearchString": format!("host-{index}.example.com"),
                    "TextTransformations": [{"Priority": 0, "Type": "LOWERCASE"}],
                }}}},
            })
        })
        .collect();
    let desired = json!({
        "DefaultAction": {"Allow": {}}, "Scope": "REGIONAL", "Name": "acl", "VisibilityConfig": visible("acl"), "Rules": rules,
    });
    Case::new("AWS::WAFv2::WebACL", desired, |other| {
        other["Rules"][3]["Action"] = json!({"Count": {}});
    })
}

fn case(name: &str) -> Case {
    match name {
        "bucket" => bucket(),
        "group" => group(),
        _ => acl(),
    }
}

#[divan::bench(args = ["bucket", "group", "acl"])]
fn unchanged(bencher: Bencher<'_, '_>, name: &str) {
    let case = case(name);
    bencher.bench_local(|| {
        let decision = decide(&case.schema, Some(&case.applied), &case.live, &case.same);
        assert_eq!(decision, Decision::None);
    });
}

#[divan::bench(args = ["bucket", "group", "acl"])]
fn changed(bencher: Bencher<'_, '_>, name: &str) {
    let case = case(name);
    bencher.bench_local(|| {
        let decision = decide(&case.schema, Some(&case.applied), &case.live, &case.other);
        assert!(matches!(decision, Decision::Update { .. }));
        decision
    });
}

fn main() {
    divan::main();
}
