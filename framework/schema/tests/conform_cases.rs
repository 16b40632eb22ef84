//! Names, types and validation, case by case, on official types.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

use formwork_schema::{Conformed, load};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn conform(type_name: &str, document: &Value, unknown: &[&str]) -> Conformed {
    let unknown: BTreeSet<String> = unknown.iter().map(|pointer| (*pointer).to_owned()).collect();
    load(type_name).unwrap().unwrap().conform(document, &unknown)
}

/// `given | keyword | message | help` of every violation.
fn complaints(conformed: &Conformed) -> Vec<String> {
    let lines = conformed.violations.iter().map(|violation| {
        let help = violation
            .help
            .as_ref()
            .map_or_else(String::new, |help| format!(" | {help}"));
        format!(
            "{} | {} | {}{help}",
            violation.given, violation.keyword, violation.message
        )
    });
    lines.collect()
}

#[test]
fn names_and_types_are_fitted_at_any_depth() {
    for (type_name, given, expected) in [
        (
            "AWS::SQS::Queue",
            json!({"delaySeconds": "5", "fifoQueue": "true"}),
            json!({"DelaySeconds": 5, "FifoQueue": true}),
        ),
        (
            "AWS::SQS::Queue",
            json!({"queueName": 12, "tags": [{"key": 1.10, "value": true}]}),
            json!({"QueueName": "12", "Tags": [{"Key": "1.1", "Value": "true"}]}),
        ),
        (
            "AWS::SQS::Queue",
            json!({"redrivePolicy": {"maxReceiveCount": "3"}}),
            json!({"RedrivePolicy": {"maxReceiveCount": "3"}}),
        ),
        (
            "AWS::DynamoDB::Table",
            json!({"keySchema": [{"attributeName": "id", "keyType": "HASH"}], "provisionedThroughput": {"readCapacityUnits": "1", "writeCapacityUnits": 1.0}}),
            json!({"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}),
        ),
        (
            "AWS::SSM::Parameter",
            json!({"type": "String", "value": "v", "tags": {"team": 1, "Stage": "x"}}),
            json!({"Type": "String", "Value": "v", "Tags": {"team": "1", "Stage": "x"}}),
        ),
        (
            "AWS::IAM::Role",
            json!({"assumeRolePolicyDocument": {"version": "2012-10-17", "statement": []}, "maxSessionDuration": "3600"}),
            json!({"AssumeRolePolicyDocument": {"version": "2012-10-17", "statement": []}, "MaxSessionDuration": 3600}),
        ),
        (
            "AWS::Lambda::Function",
            json!({"role": "arn:aws:iam::123456789012:role/r", "code": {"zipFile": "x"}, "environment": {"variables": {"lower": 1}}}),
            json!({"Role": "arn:aws:iam::123456789012:role/r", "Code": {"ZipFile": "x"}, "Environment": {"Variables": {"lower": "1"}}}),
        ),
        (
            "AWS::EC2::VPC",
            json!({"cidrBlock": "10.0.0.0/16", "enableDnsSupport": "false"}),
            json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": false}),
        ),
    ] {
        let conformed = conform(type_name, &given, &[]);
        assert_eq!(conformed.value, expected, "{type_name}");
        assert_eq!(complaints(&conformed), [""; 0], "{type_name}");
    }
}

#[test]
fn numbers_keep_their_own_text() {
    let given: Value = serde_json::from_str(r#"{"Type": "String", "Value": 1.10}"#).unwrap();
    assert_eq!(
        conform("AWS::SSM::Parameter", &given, &[]).value["Value"],
        json!("1.10")
    );
}

#[test]
fn misfits_are_told_without_their_values() {
    for (type_name, given, expected) in [
        (
            "AWS::SQS::Queue",
            json!({"queueNam": "hunter2"}),
            vec![
                "/queueNam | additionalProperties | unknown property `queueNam` | did you mean `queueName`?",
            ],
        ),
        (
            "AWS::SQS::Queue",
            json!({"delaySeconds": "hunter2"}),
            vec!["/delaySeconds | type | expected an integer, found a string"],
        ),
        (
            "AWS::SQS::Queue",
            json!({"delaySeconds": "1.5"}),
            vec!["/delaySeconds | type | expected an integer, found a string"],
        ),
        (
            "AWS::SQS::Queue",
            json!({"delaySeconds": 1.5}),
            vec!["/delaySeconds | type | expected an integer, found a number with a fraction"],
        ),
        (
            "AWS::SQS::Queue",
            json!({"delaySeconds": "007"}),
            vec!["/delaySeconds | type | expected an integer, found a string"],
        ),
        (
            "AWS::SQS::Queue",
            json!({"tags": [{"key": "a"}]}),
            vec!["/tags/0 | required | missing property `Value`"],
        ),
        (
            "AWS::SQS::Queue",
            json!({"queueUrl": "hunter2"}),
            vec![
                "/queueUrl | readOnly | property `QueueUrl` is read-only | remove it: the service sets this value",
            ],
        ),
        (
            "AWS::SQS::Queue",
            json!({"queueName": "a", "QueueName": "b"}),
            vec![
                "/QueueName | duplicate | property `QueueName` is given twice, once in another spelling | remove one of them",
            ],
        ),
        (
            "AWS::SSM::Parameter",
            json!({"type": "hunter2"}),
            vec![
                " | required | missing property `Value`",
                "/type | enum | expected one of `String`, `StringList`, found another value",
            ],
        ),
        (
            "AWS::SSM::Parameter",
            json!({"type": "String", "value": null}),
            vec![" | required | missing property `Value`"],
        ),
        (
            "AWS::Logs::LogGroup",
            json!({"logGroupName": "hunter 2"}),
            vec![
                "/logGroupName | pattern | expected text matching `^[.\\-_/#A-Za-z0-9]{1,512}\\Z`, found another",
            ],
        ),
        (
            "AWS::SQS::Queue",
            json!([]),
            vec![" | type | expected an object, found an array"],
        ),
    ] {
        let conformed = conform(type_name, &given, &[]);
        assert_eq!(complaints(&conformed), expected, "{type_name}");
        assert!(!format!("{:?}", conformed.violations).contains("hunter"));
    }
}

#[test]
fn what_is_not_known_yet_is_taken_to_be_right() {
    let given =
        json!({"delaySeconds": "${a}", "tags": [{"key": "a", "value": "${b}"}], "redrivePolicy": "${c}"});
    let unknown = ["/delaySeconds", "/tags/0/value", "/redrivePolicy"];
    let conformed = conform("AWS::SQS::Queue", &given, &unknown);
    assert_eq!(complaints(&conformed), [""; 0]);
    assert_eq!(conformed.value["DelaySeconds"], json!("${a}"));
    let expected = ["/DelaySeconds", "/RedrivePolicy", "/Tags/0/Value"];
    assert_eq!(conformed.unknown.iter().collect::<Vec<_>>(), expected);
    assert_eq!(conformed.renamed["/tags/0/value"], "/Tags/0/Value");
    assert_eq!(conformed.renamed.len(), 6);

    let whole = conform("AWS::SQS::Queue", &json!("${all}"), &[""]);
    assert_eq!(complaints(&whole), [""; 0]);
}

#[test]
fn required_read_only_properties_are_not_demanded_and_some_may_be_given_once() {
    let endpoint = load("AWS::SageMaker::Endpoint").unwrap().unwrap();
    let given = json!({"EndpointName": "e", "EndpointConfigName": "c"});
    assert_eq!(complaints(&endpoint.conform(&given, &BTreeSet::new())), [""; 0]);

    let own = formwork_schema::ResourceSchema::parse(
        &json!({
            "typeName": "A::B::C", "properties": {"Id": {}, "Name": {}}, "required": ["Id", "Name"],
            "readOnlyProperties": ["/properties/Id"], "additionalProperties": false,
        })
        .to_string(),
    )
    .unwrap();
    assert_eq!(
        complaints(&own.conform(&json!({"Name": "n"}), &BTreeSet::new())),
        [""; 0]
    );
}

#[test]
fn nulls_are_kept_for_updates_and_left_out_of_creates() {
    let queue = load("AWS::SQS::Queue").unwrap().unwrap();
    let conformed = queue.conform(
        &json!({"delaySeconds": null, "redrivePolicy": {"a": null}}),
        &BTreeSet::new(),
    );
    assert_eq!(complaints(&conformed), [""; 0]);
    assert_eq!(
        conformed.value,
        json!({"DelaySeconds": null, "RedrivePolicy": {"a": null}})
    );
    assert_eq!(
        queue.without_nulls(&conformed.value),
        json!({"RedrivePolicy": {"a": null}})
    );
}

#[test]
fn alternatives_are_judged_with_the_unknown_in_mind() {
    let schema = formwork_schema::ResourceSchema::parse(
        &json!({
            "typeName": "A::B::C",
            "properties": {"X": {"type": "string"}, "Y": {"type": "string"}, "Z": {"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["a"]}]}},
            "oneOf": [{"required": ["X"]}, {"required": ["Y"]}],
        })
        .to_string(),
    )
    .unwrap();
    let judge = |document: Value, unknown: &[&str]| {
        let unknown = unknown.iter().map(|pointer| (*pointer).to_owned()).collect();
        complaints(&schema.conform(&document, &unknown)).join("; ")
    };
    assert_eq!(judge(json!({"X": "1"}), &[]), "");
    assert_eq!(
        judge(json!({}), &[]),
        " | oneOf | expected one of 2 alternatives, found none of them"
    );
    assert_eq!(
        judge(json!({"X": "1", "Y": "1"}), &[]),
        " | oneOf | expected exactly one of 2 alternatives, found 2 of them at once"
    );
    assert_eq!(judge(json!({"X": "1", "Z": "${z}"}), &["/Z"]), "");
    assert_eq!(
        judge(json!({"X": "1", "Z": "b"}), &[]),
        "/Z | oneOf | expected one of 2 alternatives, found none of them"
    );
}

#[test]
fn a_text_of_the_wrong_length_is_not_told_of_its_pattern_as_well() {
    let conformed = conform("AWS::Logs::LogGroup", &json!({"logGroupName": ""}), &[]);
    assert_eq!(
        complaints(&conformed),
        ["/logGroupName | minLength | expected at least 1 character, found 0"]
    );
}
