//! What goes wrong on purpose.

use crate::client::Cloud;
use formwork_sandbox::{Call, Effect, Fault, Options};
use serde_json::json;
use std::time::Duration;

const BUCKET: &str = "AWS::S3::Bucket";

#[tokio::test]
async fn operations_fail_before_or_after_their_change() {
    let cloud = Cloud::start(Options::default()).await;
    let unsettled = Effect::Fail {
        code: "NotStabilized".into(),
        message: "too slow".into(),
        done: true,
    };
    cloud.sandbox.fault(
        Fault::fail("AccessDenied", "no")
            .on(Call::CreateResource)
            .times(1),
    );
    cloud
        .sandbox
        .fault(Fault::new(unsettled).on(Call::CreateResource).times(1));
    for (error, left) in [("AccessDenied", 0), ("NotStabilized", 1)] {
        let accepted = cloud.create(BUCKET, json!({"BucketName": "bucket-a"})).await;
        let event = cloud.settled(&accepted).await;
        assert_eq!(
            (&event["OperationStatus"], &event["ErrorCode"]),
            (&json!("FAILED"), &json!(error))
        );
        assert_eq!(cloud.sandbox.resources().len(), left);
    }
}

#[tokio::test]
async fn a_lost_answer_is_found_again_by_its_token() {
    let cloud = Cloud::start(Options::default()).await;
    cloud
        .sandbox
        .fault(Fault::new(Effect::LoseResponse).on(Call::CreateResource).times(1));
    let input =
        json!({"TypeName": BUCKET, "DesiredState": "{\"BucketName\":\"bucket-a\"}", "ClientToken": "t"});
    let lost = cloud
        .http
        .post(cloud.sandbox.endpoint())
        .header("x-amz-target", "CloudApiService.CreateResource")
        .body(input.to_string())
        .send()
        .await;
    let unreadable = match lost {
        Err(_) => true,
        Ok(response) => response.bytes().await.is_err(),
    };
    assert!(unreadable);
    let conflict = cloud.call("CreateResource", input).await;
    assert_eq!(conflict.code(), "ClientTokenConflictException");
    let token = conflict.message().rsplit(' ').next().unwrap();
    assert_eq!(cloud.status(token).await.event()["OperationStatus"], "SUCCESS");
}

#[tokio::test]
async fn services_break_refuse_hide_and_stick() {
    let cloud = Cloud::start(Options::default()).await;
    cloud.sandbox.fault(
        Fault::new(Effect::ServerError(503))
            .on(Call::GetResource)
            .times(1),
    );
    cloud.sandbox.fault(
        Fault::refuse("ThrottlingException", "Rate exceeded")
            .on(Call::GetResource)
            .times(1),
    );
    cloud
        .sandbox
        .fault(Fault::new(Effect::HideFromReads(1)).with_text("hidden").times(1));
    cloud.sandbox.fault(Fault::new(Effect::Stick).with_text("stuck"));
    cloud
        .sandbox
        .fault(Fault::new(Effect::Slow(Duration::from_secs(3))).with_text("slow"));
    cloud.created(BUCKET, json!({"BucketName": "hidden"})).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        let answer = cloud.get(BUCKET, "hidden").await;
        answers.push((answer.status, answer.code().to_owned()));
    }
    assert_eq!(
        answers,
        [
            (503, String::new()),
            (400, "ThrottlingException".into()),
            (400, "ResourceNotFoundException".into()),
            (200, String::new()),
        ]
    );
    let stuck = cloud.create(BUCKET, json!({"BucketName": "stuck"})).await;
    let slow = cloud.create(BUCKET, json!({"BucketName": "slow"})).await;
    cloud.clock.advance(2_999);
    assert_eq!(cloud.settled(&slow).await["OperationStatus"], "IN_PROGRESS");
    cloud.clock.advance(86_400_000);
    assert_eq!(cloud.settled(&slow).await["OperationStatus"], "SUCCESS");
    assert_eq!(cloud.settled(&stuck).await["OperationStatus"], "IN_PROGRESS");
}

#[tokio::test]
async fn calls_are_counted() {
    let cloud = Cloud::start(Options::default()).await;
    cloud.created(BUCKET, json!({"BucketName": "bucket-a"})).await;
    cloud.get(BUCKET, "nothing").await;
    let calls: Vec<_> = cloud
        .sandbox
        .requests()
        .into_iter()
        .map(|call| (call.call.name(), call.subject, call.status))
        .collect();
    let expected = [
        ("CreateResource", BUCKET.to_owned(), 200),
        ("GetResourceRequestStatus", String::new(), 200),
        ("GetResource", BUCKET.to_owned(), 400),
    ];
    assert_eq!(calls, expected);
}

#[tokio::test]
async fn a_hanging_call_is_carried_out_or_not_and_has_no_answer() {
    for (done, left) in [(true, 1), (false, 0)] {
        let cloud = Cloud::start(Options::default()).await;
        let fault = Fault::new(Effect::Hang { done }).on(Call::CreateResource);
        cloud.sandbox.fault(fault.times(1));
        let create = cloud.create(BUCKET, json!({"BucketName": "bucket-a"}));
        let answer = tokio::time::timeout(Duration::from_millis(300), create);
        let (answer, hanging) = tokio::join!(answer, async {
            while cloud.sandbox.hanging() == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            cloud.sandbox.hanging()
        });
        assert!(answer.is_err());
        assert_eq!(hanging, 1);
        assert_eq!(cloud.sandbox.resources().len(), left);
        while cloud.sandbox.hanging() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
