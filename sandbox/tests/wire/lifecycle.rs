//! The rules of creating, updating and deleting.

use crate::client::Cloud;
use formwork_sandbox::{Latency, Options};
use serde_json::{Value, json};
use std::time::Duration;

const QUEUE: &str = "AWS::SQS::Queue";
const FUNCTION: &str = "AWS::Lambda::Function";

fn function() -> Value {
    json!({
        "FunctionName": "f",
        "Role": "arn:aws:iam::123456789012:role/r",
        "Runtime": "python3.13",
        "Handler": "index.handler",
        "Code": {"ZipFile": "the-code"},
    })
}

#[tokio::test]
async fn an_operation_moves_with_the_clock() {
    let cloud = Cloud::start(Options {
        latency: Latency::fixed(Duration::from_secs(10)),
        ..Options::default()
    })
    .await;
    let accepted = cloud.create(QUEUE, json!({"QueueName": "orders"})).await;
    assert_eq!(accepted.event()["OperationStatus"], "IN_PROGRESS");
    assert!(accepted.event().get("Identifier").is_none(), "{accepted:?}");
    cloud.clock.advance(5_000);
    // Half way through it exists, and its identifier is known.
    let event = cloud.settled(&accepted).await;
    assert_eq!(event["OperationStatus"], "IN_PROGRESS");
    assert_eq!(
        event["Identifier"],
        "https://sqs.eu-west-1.amazonaws.com/123456789012/orders"
    );
    assert!(event["EventTime"].as_f64() > accepted.event()["EventTime"].as_f64());
    cloud.clock.advance(4_999);
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "IN_PROGRESS");
    cloud.clock.advance(1);
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "SUCCESS");
}

#[tokio::test]
async fn services_fill_in_names_arns_and_ids() {
    let cloud = Cloud::start(Options::default()).await;
    let cases = [
        (
            QUEUE,
            json!({"QueueName": "q"}),
            "Arn",
            "arn:aws:sqs:eu-west-1:123456789012:q",
        ),
        (
            "AWS::SNS::Topic",
            json!({"TopicName": "t"}),
            "TopicArn",
            "arn:aws:sns:eu-west-1:123456789012:t",
        ),
        (
            FUNCTION,
            function(),
            "Arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:f",
        ),
        (
            "AWS::Logs::LogGroup",
            json!({"LogGroupName": "/app"}),
            "Arn",
            "arn:aws:logs:eu-west-1:123456789012:log-group:/app:*",
        ),
        (
            "AWS::SSM::Parameter",
            json!({"Name": "/app/p", "Type": "String", "Value": "v"}),
            "Arn",
            "arn:aws:ssm:eu-west-1:123456789012:parameter/app/p",
        ),
        (
            "AWS::Events::Rule",
            json!({"Name": "r", "ScheduleExpression": "rate(1 day)"}),
            "Arn",
            "arn:aws:events:eu-west-1:123456789012:rule/r",
        ),
        (
            "AWS::IAM::Role",
            json!({"RoleName": "r", "Path": "/x/", "AssumeRolePolicyDocument": {}}),
            "Arn",
            "arn:aws:iam::123456789012:role/x/r",
        ),
    ];
    for (type_name, desired, property, expected) in cases {
        let identifier = cloud.created(type_name, desired).await;
        assert_eq!(
            cloud.properties(type_name, &identifier).await[property],
            expected,
            "{type_name}"
        );
    }
    let nameless = cloud.created(QUEUE, json!({"FifoQueue": true})).await;
    let name = cloud.properties(QUEUE, &nameless).await["QueueName"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(name.starts_with("queue-") && name.ends_with(".fifo"), "{name}");
}

#[tokio::test]
async fn updates_lose_write_only_values_that_are_not_sent_again() {
    let cloud = Cloud::start(Options::default()).await;
    cloud.created(FUNCTION, function()).await;
    // Write-only: never read back.
    assert_eq!(cloud.properties(FUNCTION, "f").await["Code"], json!({}));
    let stored = || cloud.sandbox.resources().remove(0).properties["Code"].clone();
    assert_eq!(stored(), json!({"ZipFile": "the-code"}));
    let patch = json!([{"op": "add", "path": "/MemorySize", "value": 256}]);
    let accepted = cloud.update(FUNCTION, "f", patch).await;
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "SUCCESS");
    assert_eq!(stored(), json!({}));
    assert_eq!(cloud.properties(FUNCTION, "f").await["MemorySize"], 256);
    let patch = json!([{"op": "add", "path": "/Code/ZipFile", "value": "again"}]);
    let accepted = cloud.update(FUNCTION, "f", patch).await;
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "SUCCESS");
    assert_eq!(stored(), json!({"ZipFile": "again"}));
}

#[tokio::test]
async fn refusals_have_their_codes_and_texts() {
    let cloud = Cloud::start(Options::default()).await;
    let url = cloud.created(QUEUE, json!({"QueueName": "q"})).await;
    cloud.created(FUNCTION, function()).await;
    let add = |path: &str, value: Value| json!([{"op": "add", "path": path, "value": value}]);
    let cases = [
        (
            cloud.update(QUEUE, &url, add("/Arn", json!("other"))).await,
            "ValidationException",
            "Invalid patch update: readOnlyProperties [/properties/Arn] cannot be updated",
        ),
        (
            cloud
                .update(
                    QUEUE,
                    &url,
                    json!([{"op": "replace", "path": "/Tags", "value": []}]),
                )
                .await,
            "ValidationException",
            "[REPLACE Operation] noSuchPath in source, path provided : //Tags",
        ),
        (
            cloud.update(QUEUE, &url, add("/QueueName", json!("r"))).await,
            "NotUpdatableException",
            "Invalid patch update: createOnlyProperties [/properties/QueueName] cannot be updated",
        ),
        (
            cloud.update(QUEUE, &url, add("/Nonsense", json!(1))).await,
            "ValidationException",
            "Model validation failed (#: extraneous key [Nonsense] is not permitted)",
        ),
        (
            cloud.create("AWS::SSM::Parameter", json!({"Name": "p"})).await,
            "ValidationException",
            "Model validation failed (#: required key [Value] not found\n#: required key [Type] not found)",
        ),
        (
            cloud.update("AWS::Lambda::Permission", "f|p", json!([])).await,
            "UnsupportedActionException",
            "Resource type AWS::Lambda::Permission does not support UPDATE action",
        ),
        (
            cloud.get("AWS::IAM::Policy", "p").await,
            "UnsupportedActionException",
            "Resource type AWS::IAM::Policy does not support READ action",
        ),
        (
            cloud.create("nonsense", json!({})).await,
            "ValidationException",
            "1 validation error detected: Value at 'typeName' failed to satisfy constraint: Member must satisfy \
             regular expression pattern: [A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}",
        ),
        (
            cloud
                .create(QUEUE, json!({"QueueName": "x".repeat(262_144)}))
                .await,
            "ValidationException",
            "1 validation error detected: Value at 'desiredState' failed to satisfy constraint: Member must have \
             length less than or equal to 262144",
        ),
    ];
    for (answer, code, message) in cases {
        assert_eq!(
            (answer.status, answer.code(), answer.message()),
            (400, code, message)
        );
    }
    let missing = cloud.update(QUEUE, "nothing", json!([])).await;
    assert_eq!(missing.code(), "ResourceNotFoundException", "{missing:?}");
    let needs_model = cloud
        .call("ListResources", json!({"TypeName": "AWS::Lambda::Permission"}))
        .await;
    assert_eq!(needs_model.code(), "InvalidRequestException", "{needs_model:?}");
    // Nothing of this changed anything.
    assert_eq!(cloud.sandbox.resources().len(), 2);
}

#[tokio::test]
async fn one_operation_per_resource() {
    let cloud = Cloud::start(Options {
        latency: Latency::fixed(Duration::from_secs(1)),
        ..Options::default()
    })
    .await;
    cloud
        .create("AWS::S3::Bucket", json!({"BucketName": "bucket-a"}))
        .await
        .event();
    for answer in [
        cloud
            .create("AWS::S3::Bucket", json!({"BucketName": "bucket-a"}))
            .await,
        cloud.delete("AWS::S3::Bucket", "bucket-a").await,
    ] {
        assert_eq!(answer.code(), "ConcurrentOperationException");
    }
    cloud.clock.advance(1_000);
    cloud.delete("AWS::S3::Bucket", "bucket-a").await.event();
}

#[tokio::test]
async fn deleting_what_is_not_there_fails_later() {
    let cloud = Cloud::start(Options::default()).await;
    let accepted = cloud.delete(QUEUE, "nothing").await;
    assert_eq!(accepted.event()["OperationStatus"], "IN_PROGRESS");
    let event = cloud.settled(&accepted).await;
    assert_eq!(
        (&event["OperationStatus"], &event["ErrorCode"]),
        (&json!("FAILED"), &json!("NotFound"))
    );
}

#[tokio::test]
async fn identifiers_are_read_in_every_form() {
    let cloud = Cloud::start(Options::default()).await;
    let mapping =
        json!({"FunctionName": "f", "Action": "lambda:InvokeFunction", "Principal": "s3.amazonaws.com"});
    let identifier = cloud.created("AWS::Lambda::Permission", mapping).await;
    let (function, id) = identifier.split_once('|').unwrap();
    assert_eq!(function, "f");
    for form in [
        identifier.clone(),
        json!({"Id": id, "FunctionName": "f"}).to_string(),
        json!({"/properties/FunctionName": "f", "/properties/Id": id}).to_string(),
    ] {
        let answer = cloud.get("AWS::Lambda::Permission", &form).await;
        assert_eq!(
            answer.body["ResourceDescription"]["Identifier"], identifier,
            "{form}"
        );
    }
}

#[tokio::test]
async fn identical_requests_can_be_replayed() {
    let cloud = Cloud::start(Options {
        token_replay: true,
        ..Options::default()
    })
    .await;
    let input = |name: &str| json!({"TypeName": QUEUE, "DesiredState": json!({"QueueName": name}).to_string(), "ClientToken": "t"});
    let first = cloud.call("CreateResource", input("a")).await;
    let second = cloud.call("CreateResource", input("a")).await;
    assert_eq!(first.token(), second.token());
    assert_eq!(
        cloud.call("CreateResource", input("b")).await.code(),
        "ClientTokenConflictException"
    );
    // Forgotten after a day and a half.
    cloud.clock.advance(37 * 3_600_000);
    let late = cloud.call("CreateResource", input("a")).await;
    assert_ne!(late.token(), first.token());
}

#[tokio::test]
async fn lists_come_in_pages() {
    let cloud = Cloud::start(Options::default()).await;
    for number in 0..30 {
        cloud
            .created(
                "AWS::S3::Bucket",
                json!({"BucketName": format!("bucket-{number:02}")}),
            )
            .await;
    }
    let first = cloud
        .call(
            "ListResources",
            json!({"TypeName": "AWS::S3::Bucket", "MaxResults": 3}),
        )
        .await
        .body;
    assert_eq!(first["ResourceDescriptions"].as_array().unwrap().len(), 25);
    let next = json!({"TypeName": "AWS::S3::Bucket", "NextToken": first["NextToken"]});
    let second = cloud.call("ListResources", next).await.body;
    assert_eq!(second["ResourceDescriptions"].as_array().unwrap().len(), 5);
    assert_eq!(second["ResourceDescriptions"][0]["Identifier"], "bucket-25");
    assert!(second.get("NextToken").is_none());
}

#[tokio::test]
async fn more_operations_than_allowed_are_pending() {
    let options = Options {
        latency: Latency::fixed(Duration::from_secs(2)),
        concurrent_operations: Some(1),
        ..Options::default()
    };
    let cloud = Cloud::start(options).await;
    let first = cloud.create(QUEUE, json!({"QueueName": "a"})).await;
    let second = cloud.create(QUEUE, json!({"QueueName": "b"})).await;
    let states = || async {
        let first = cloud.settled(&first).await["OperationStatus"].clone();
        let second = cloud.settled(&second).await["OperationStatus"].clone();
        [first, second]
    };
    assert_eq!(states().await, ["IN_PROGRESS", "PENDING"]);
    cloud.clock.advance(2_000);
    assert_eq!(states().await, ["SUCCESS", "IN_PROGRESS"]);
    cloud.clock.advance(2_000);
    assert_eq!(states().await, ["SUCCESS", "SUCCESS"]);
}

#[tokio::test]
async fn the_rate_is_shared_by_all_calls() {
    let cloud = Cloud::start(Options {
        calls_per_second: Some(2),
        ..Options::default()
    })
    .await;
    let codes = |count: usize| {
        let cloud = &cloud;
        async move {
            let mut codes = Vec::new();
            for _ in 0..count {
                codes.push(cloud.status("x").await.code().to_owned());
            }
            codes
        }
    };
    let (other, throttled) = ("RequestTokenNotFoundException", "ThrottlingException");
    assert_eq!(codes(3).await, [other, other, throttled]);
    cloud.clock.advance(500);
    assert_eq!(codes(2).await, [other, throttled]);
}

#[tokio::test]
async fn hostile_reads_fill_in_and_add() {
    let cloud = Cloud::start(Options {
        hostile_reads: true,
        ..Options::default()
    })
    .await;
    let desired = json!({"QueueName": "q", "Tags": [{"Key": "a", "Value": "b"}]});
    let url = cloud.created(QUEUE, desired).await;
    let tags = cloud.properties(QUEUE, &url).await["Tags"].clone();
    assert!(
        tags.as_array()
            .unwrap()
            .iter()
            .any(|tag| tag["Key"] == "aws:cloudformation:stack-name"),
        "{tags}"
    );
    let missing = cloud.get("AWS::Logs::LogGroup", "none").await;
    assert_eq!(missing.code(), "InvalidRequestException");
}

#[tokio::test]
async fn artefacts_of_a_read_must_be_taken_out_by_the_patch() {
    const JOB: &str = "AWS::Glue::Job";
    let cloud = Cloud::start(Options {
        hostile_reads: true,
        ..Options::default()
    })
    .await;
    let desired =
        json!({"Name": "j", "Role": "r", "Command": {}, "WorkerType": "G.1X", "NumberOfWorkers": 2});
    cloud.created(JOB, desired).await;
    let read = cloud.properties(JOB, "j").await;
    assert_eq!(
        (&read["MaxCapacity"], &read["Connections"]),
        (&json!(10), &json!(null))
    );

    let change = json!({"op": "replace", "path": "/NumberOfWorkers", "value": 3});
    let refused = cloud.update(JOB, "j", json!([change])).await;
    let refused = cloud.status(&refused.token()).await;
    assert_eq!(refused.event()["ErrorCode"], "InvalidRequest", "{refused:?}");

    let without = json!({"op": "remove", "path": "/MaxCapacity"});
    let done = cloud.update(JOB, "j", json!([change, without])).await;
    assert_eq!(
        cloud.status(&done.token()).await.event()["OperationStatus"],
        "SUCCESS"
    );
    let read = cloud.properties(JOB, "j").await;
    assert_eq!(
        (&read["NumberOfWorkers"], &read["MaxCapacity"]),
        (&json!(3), &json!(10))
    );
}

#[tokio::test]
async fn hostile_reads_are_spelt_the_services_way_and_show_what_is_not_there() {
    const GROUP: &str = "AWS::RDS::DBSubnetGroup";
    let cloud = Cloud::start(Options {
        hostile_reads: true,
        ..Options::default()
    })
    .await;
    let desired =
        json!({"DBSubnetGroupName": "Mine", "DBSubnetGroupDescription": "Ours", "SubnetIds": ["a"]});
    let name = cloud.created(GROUP, desired).await;
    let read = cloud.properties(GROUP, &name).await;
    assert_eq!(
        (&read["DBSubnetGroupName"], &read["DBSubnetGroupDescription"]),
        (&json!("mine"), &json!("Ours"))
    );

    let url = cloud.created(QUEUE, json!({"QueueName": "q"})).await;
    let tags = cloud.properties(QUEUE, &url).await["Tags"].clone();
    assert_eq!(tags.as_array().map(Vec::len), Some(1), "{tags}");
    let topic = cloud.created("AWS::SNS::Topic", json!({"TopicName": "t"})).await;
    assert_eq!(
        cloud.properties("AWS::SNS::Topic", &topic).await["Subscription"],
        json!([])
    );
}
