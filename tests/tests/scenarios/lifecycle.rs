//! Create, Update, rollback and Delete when nothing goes wrong.

use crate::small;
use formwork_tests::{Setup, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[tokio::test]
async fn create_then_update_then_rollback_then_delete_leaves_nothing() {
    let world = World::start(Setup::default()).await;
    world.expect("create").await;
    let created = snapshot(&world);
    assert_eq!(created.len(), 14, "{:?}", created.keys());

    world.expect("update").await;
    let updated = snapshot(&world);
    let changed: Vec<&str> = updated
        .iter()
        .filter(|(key, properties)| created.get(*key) != Some(properties))
        .map(|((type_name, _), _)| type_name.as_str())
        .collect();
    // The queue changed; its dead-letter queue was replaced; one parameter is new.
    assert_eq!(
        changed,
        ["AWS::SQS::Queue", "AWS::SQS::Queue", "AWS::SSM::Parameter"]
    );
    let gone: Vec<&str> = created
        .keys()
        .filter(|key| !updated.contains_key(*key))
        .map(|(type_name, _)| type_name.as_str())
        .collect();
    assert_eq!(gone, ["AWS::CloudWatch::Alarm", "AWS::SQS::Queue"]);

    world.expect("update-rollback").await;
    let rolled_back = snapshot(&world);
    assert_eq!(
        rolled_back.keys().collect::<Vec<_>>(),
        created.keys().collect::<Vec<_>>()
    );
    let queue = world.resources_of("AWS::SQS::Queue");
    assert!(
        queue
            .iter()
            .any(|queue| queue.properties["VisibilityTimeout"] == json!(180)),
        "{queue:#?}"
    );

    world.expect("delete").await;
    assert_eq!(snapshot(&world).into_keys().collect::<Vec<_>>(), []);
    world.finish().await;
}

#[tokio::test]
async fn update_touches_nothing_that_did_not_change() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    let update = small::update(&world, small::id(&created));
    world.send(&update).await.unwrap();
    let updated = world.answer(&update).await;
    assert_eq!(updated["Status"], "SUCCESS", "{updated}");
    assert_eq!(small::id(&updated), small::id(&created));
    assert_eq!(
        (
            world.calls("CreateResource"),
            world.calls("UpdateResource"),
            world.calls("DeleteResource")
        ),
        (2, 1, 0)
    );
    let topic = &world.resources_of("AWS::SNS::Topic")[0];
    assert_eq!(topic.properties["DisplayName"], "second");
    world.finish().await;
}

#[tokio::test]
async fn create_through_blueprint_body() {
    let world = World::start(Setup::default()).await;
    world.expect("create-body").await;
    assert_eq!(world.sandbox.resources().len(), 14);
    world.finish().await;
}

#[tokio::test]
async fn numbers_and_booleans_reach_the_cloud_as_such() {
    let world = World::start(Setup::default()).await;
    world.expect("create").await;
    let function = &world.resources_of("AWS::Lambda::Function")[0].properties;
    assert_eq!(
        (&function["Timeout"], &function["MemorySize"]),
        (&json!(30), &json!(256))
    );
    let table = &world.resources_of("AWS::DynamoDB::Table")[0].properties;
    assert_eq!(
        table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"],
        json!(true)
    );
    // The environment's values are texts, whatever they look like.
    assert_eq!(function["Environment"]["Variables"]["TRACING"], json!("false"));
    world.finish().await;
}

#[tokio::test]
async fn delete_with_an_id_nobody_issued_finds_its_instance() {
    let world = World::start(Setup::default()).await;
    world.expect("create").await;
    world.expect("delete-cancelled").await;
    assert_eq!(snapshot(&world).into_keys().collect::<Vec<_>>(), []);
    world.finish().await;
}

#[tokio::test]
async fn delete_of_what_never_was_succeeds() {
    let world = World::start(Setup::default()).await;
    let delete = small::delete(&world, "small-Small-1QMVX9QVT4TBX");
    world.send(&delete).await.unwrap();
    let answer = world.answer(&delete).await;
    assert_eq!(
        (&answer["Status"], small::id(&answer)),
        (&json!("SUCCESS"), "small-Small-1QMVX9QVT4TBX")
    );
    world.finish().await;
}

#[tokio::test]
async fn a_secret_export_is_answered_with_no_echo() {
    let world = World::start(Setup::default()).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["Blueprint"]["exports"]["key"] =
        json!({"type": "string", "field": "variables.key"});
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(
        (&answer["Status"], &answer["NoEcho"]),
        (&json!("SUCCESS"), &json!(true))
    );
    assert_eq!(answer["Data"]["key"], formwork_tests::SECRET_VARIABLE);
    world.finish().await;
}

#[tokio::test]
async fn exports_that_were_not_asked_for_are_not_returned() {
    let world = World::start(Setup::default()).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["Blueprint"]["exports"]["name"] =
        json!({"type": "string", "field": "resources.topic.state.topicName"});
    create["ResourceProperties"]["Exports"] = json!(["name"]);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Data"], json!({"name": "small"}), "{answer}");
    world.finish().await;
}

#[tokio::test]
async fn a_retained_deployment_outlives_its_delete() {
    let world = World::start(Setup::default()).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["DeletionPolicy"] = "Retain".into();
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    let mut delete = small::delete(&world, small::id(&created));
    delete["ResourceProperties"]["DeletionPolicy"] = "Retain".into();
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    assert_eq!(world.sandbox.resources().len(), 2);
    world.finish().await;
}

/// Everything in the sandbox, by type and identifier.
fn snapshot(world: &World) -> BTreeMap<(String, String), Value> {
    let resources = world.sandbox.resources().into_iter();
    resources
        .map(|resource| ((resource.type_name, resource.identifier), resource.properties))
        .collect()
}
