//! Events that come twice, and functions that die with one in their hands.

use crate::small;
use formwork_sandbox::{Call, Latency, Sandbox};
use formwork_tests::{Setup, World};
use std::time::Duration;

#[tokio::test]
async fn an_event_delivered_again_has_one_effect_and_one_answer() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    let calls = world.calls("CreateResource");
    world.send(&create).await.unwrap();
    assert_eq!(
        (world.calls("CreateResource"), world.calls("Respond")),
        (calls, 1)
    );
    world.finish().await;
}

#[tokio::test]
async fn an_event_delivered_twice_at_once_has_one_effect_and_one_answer() {
    let world = World::start(slow(Duration::from_millis(400))).await;
    let create = small::create(&world);
    let (first, second) = tokio::join!(world.send(&create), world.send(&create));
    first.and(second).unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    world.settle().await;
    assert_eq!(
        (world.calls("CreateResource"), world.sandbox.resources().len()),
        (2, 2)
    );
    world.finish().await;
}

#[tokio::test]
async fn a_late_duplicate_of_an_older_request_undoes_nothing() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    let delete = small::delete(&world, small::id(&created));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    world.send(&create).await.unwrap();
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}

#[tokio::test]
async fn a_request_id_that_comes_back_with_another_url_is_another_request() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    let delete = small::delete(&world, small::id(&created));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    // CloudFormation reuses the id when a deployment is tried again, never within the second that a ResponseURL tells.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let again = small::create(&world);
    assert_eq!(again["RequestId"], create["RequestId"]);
    world.send(&again).await.unwrap();
    assert_eq!(world.answer(&again).await["Status"], "SUCCESS");
    assert_eq!(world.sandbox.resources().len(), 2);
    world.finish().await;
}

#[tokio::test]
async fn killed_while_deploying_the_retry_carries_on() {
    // What a killed function held is free again when its own time would have been over.
    let world = World::start(Setup {
        timeout: Duration::from_secs(6),
        ..slow(Duration::from_millis(300))
    })
    .await;
    let create = small::create(&world);
    let sandbox = world.sandbox.clone();
    world.on_event.kill_when(1, move || created(&sandbox) > 0);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!((created(&world.sandbox), world.sandbox.resources().len()), (2, 2));
    world.finish().await;
}

#[tokio::test]
async fn killed_three_times_before_it_began_the_destination_answers() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.on_event.kill_when(3, || true);
    assert!(world.send(&create).await.is_err());
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    assert_eq!(
        (world.on_event.invocations(), world.is_complete.invocations()),
        (3, 1)
    );
    // CloudFormation does not know that nothing was made.
    let delete = small::delete(&world, small::id(&answer));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    world.finish().await;
}

#[tokio::test]
async fn killed_three_times_after_it_began_the_destination_answers() {
    // Lambda's retries outlast what the first attempt held, as with the timeouts of `template.yaml`.
    let setup = Setup {
        timeout: Duration::from_secs(3),
        retry_after: [Duration::from_secs(2), Duration::from_secs(4)],
        ..slow(Duration::from_millis(100))
    };
    let world = World::start(setup).await;
    let create = small::create(&world);
    let sandbox = world.sandbox.clone();
    world.on_event.kill_when(3, move || created(&sandbox) > 0);
    assert!(world.send(&create).await.is_err());
    let answer = world.answer(&create).await;
    assert_eq!(world.on_event.invocations(), 3);
    let delete = small::delete(&world, small::id(&answer));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}

#[tokio::test]
async fn delete_of_a_create_that_still_runs_leaves_nothing() {
    let world = World::start(slow(Duration::from_millis(700))).await;
    let create = small::create(&world);
    let delete = small::delete(&world, "small-Small-1QMVX9QVT4TBX");
    let (first, ()) = tokio::join!(world.send(&create), async {
        formwork_tests::eventually("the Create has begun", || created(&world.sandbox) > 0).await;
        world.send(&delete).await.unwrap();
    });
    first.unwrap();
    // CloudFormation has given the Create up, but it is owed an answer all the same.
    world.answer(&create).await;
    let answer = world.answer(&delete).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}

fn slow(latency: Duration) -> Setup {
    let mut setup = Setup::default();
    setup.sandbox.latency = Latency::fixed(latency);
    setup
}

/// How many creates the cloud accepted. (One that is asked for again with the same token is refused.)
fn created(sandbox: &Sandbox) -> usize {
    sandbox
        .requests()
        .iter()
        .filter(|call| call.call == Call::CreateResource && call.status == 200)
        .count()
}
