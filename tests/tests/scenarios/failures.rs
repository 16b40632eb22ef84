//! Requests that cannot succeed: answered FAILED, with what a reader needs, and nothing left behind.

use crate::small;
use formwork_sandbox::{Call, Fault};
use formwork_tests::{Setup, World};
use serde_json::{Value, json};

#[tokio::test]
async fn failing_create_tells_where_and_why_and_its_delete_leaves_nothing() {
    let world = World::start(Setup::default()).await;
    let answer = world.expect("create-failing").await;
    let reason = answer["Reason"].as_str().unwrap();
    for part in [
        "orderQueue",
        "AWS::SQS::Queue",
        "AlreadyExists",
        "QueueName",
        "already exists",
        "BlueprintBody:24:18",
    ] {
        assert!(reason.contains(part), "`{part}` is missing in: {reason}");
    }
    assert!(
        !world.sandbox.resources().is_empty(),
        "the failure comes after others were created"
    );
    world.expect("delete-after-failure").await;
    assert_eq!(identifiers(&world), Vec::<String>::new());
    world.finish().await;
}

#[tokio::test]
async fn a_refused_property_is_named() {
    let world = World::start(Setup::default()).await;
    let mut create = small::create(&world);
    // The length is the service's business to refuse: no schema states it for this property.
    world.sandbox.fault(
        Fault::fail(
            "InvalidRequest",
            "Invalid parameter: DisplayName (Service: Sns, Status Code: 400)",
        )
        .on(Call::CreateResource)
        .of_type("AWS::SNS::Topic"),
    );
    create["ResourceProperties"]["ServiceTimeout"] = "120".into();
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    let reason = failed(&answer);
    for part in ["topic", "AWS::SNS::Topic", "InvalidRequest", "DisplayName"] {
        assert!(reason.contains(part), "`{part}` is missing in: {reason}");
    }
    let delete = small::delete(&world, small::id(&answer));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    assert_eq!(identifiers(&world), Vec::<String>::new());
    world.finish().await;
}

#[tokio::test]
async fn invalid_blueprint_creates_nothing_and_lists_its_problems() {
    let world = World::start(Setup::default()).await;
    world.expect("create-invalid").await;
    assert_eq!(world.calls("CreateResource"), 0);
    world.finish().await;
}

#[tokio::test]
async fn malformed_event_is_answered() {
    let world = World::start(Setup::default()).await;
    world.expect("malformed").await;
    assert_eq!(world.calls("CreateResource"), 0);
    world.finish().await;
}

#[tokio::test]
async fn unknown_property_gets_a_suggestion() {
    let world = World::start(Setup::default()).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["Varables"] = json!({});
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    let reason = failed(&answer);
    assert!(
        reason.contains("`Varables`") && reason.contains("did you mean `Variables`?"),
        "{reason}"
    );
    world.finish().await;
}

#[tokio::test]
async fn failed_update_is_rolled_back_by_the_update_that_follows() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    let before = properties(&world);

    world.sandbox.fault(
        Fault::fail("GeneralServiceException", "no")
            .on(Call::UpdateResource)
            .of_type("AWS::SNS::Topic")
            .times(1),
    );
    let update = small::update(&world, small::id(&created));
    world.send(&update).await.unwrap();
    let answer = world.answer(&update).await;
    failed(&answer);
    assert_eq!(
        small::id(&answer),
        small::id(&created),
        "a changed id would be taken for a replacement"
    );

    let rollback = small::rollback(&world, small::id(&created));
    world.send(&rollback).await.unwrap();
    let answer = world.answer(&rollback).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(properties(&world), before);
    world.finish().await;
}

#[tokio::test]
async fn a_create_that_failed_after_it_was_done_is_still_deleted() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    let mut fault = Fault::fail("NotStabilized", "it did not settle")
        .on(Call::CreateResource)
        .of_type("AWS::SNS::Topic");
    if let formwork_sandbox::Effect::Fail { done, .. } = &mut fault.effect {
        *done = true;
    }
    world.sandbox.fault(fault);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    failed(&answer);
    let delete = small::delete(&world, small::id(&answer));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    assert_eq!(identifiers(&world), Vec::<String>::new());
    world.finish().await;
}

fn failed(answer: &Value) -> &str {
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    answer["Reason"].as_str().expect("a failure has a reason")
}

fn identifiers(world: &World) -> Vec<String> {
    world
        .sandbox
        .resources()
        .into_iter()
        .map(|resource| resource.identifier)
        .collect()
}

fn properties(world: &World) -> Vec<Value> {
    world
        .sandbox
        .resources()
        .into_iter()
        .map(|resource| resource.properties)
        .collect()
}
