//! Deployments that outlast an invocation: the shipped state machine carries them on.

use crate::small;
use formwork_sandbox::{ExecutionStatus, Latency};
use formwork_tests::{Setup, World};
use std::time::Duration;

/// How often the waiter tries a poll before its Catch: once, and as its Retry for `States.TaskFailed` says.
const POLL_ATTEMPTS: usize = 6;
/// How often it tries to answer FAILED.
const ANSWER_ATTEMPTS: usize = 7;

#[tokio::test]
async fn a_long_deployment_is_handed_to_the_waiter() {
    let world = World::start(handing_over()).await;
    world.expect("create").await;
    assert_eq!(world.sandbox.executions().len(), 1);
    assert!(world.is_complete.invocations() > 1, "it takes more than one poll");
    world.expect("delete").await;
    world.settle().await;
    let statuses: Vec<_> = world
        .sandbox
        .executions()
        .into_iter()
        .map(|execution| execution.status)
        .collect();
    assert_eq!(statuses, [ExecutionStatus::Succeeded, ExecutionStatus::Succeeded]);
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}

#[tokio::test]
async fn a_duplicate_beside_a_running_waiter_starts_no_second_one() {
    let world = World::start(handing_over()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    world.settle().await;
    assert_eq!(
        (world.sandbox.executions().len(), world.calls("CreateResource")),
        (1, 2)
    );
    world.finish().await;
}

#[tokio::test]
async fn a_window_of_no_seconds_still_gets_on() {
    let world = World::start(Setup {
        poll_window_seconds: 0,
        ..Setup::default()
    })
    .await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.calls("CreateResource"), 2);
    world.finish().await;
}

#[tokio::test]
async fn a_poll_that_dies_is_repeated() {
    let world = World::start(handing_over()).await;
    let create = small::create(&world);
    world.is_complete.kill_when(2, || true);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 2);
    world.finish().await;
}

#[tokio::test]
async fn a_poll_that_keeps_dying_is_caught_and_answered() {
    let world = World::start(handing_over()).await;
    let create = small::create(&world);
    world.is_complete.kill_when(POLL_ATTEMPTS, || true);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    assert_eq!(world.is_complete.invocations(), POLL_ATTEMPTS + 1);
    clear_up(world, small::id(&answer)).await;
}

#[tokio::test]
async fn an_execution_that_fails_is_answered_through_the_rule() {
    let world = World::start(handing_over()).await;
    let create = small::create(&world);
    world
        .is_complete
        .kill_when(POLL_ATTEMPTS + ANSWER_ATTEMPTS, || true);
    world.send(&create).await.unwrap();
    world.settle().await;
    let events = world.execution_events();
    assert_eq!(events.len(), 1, "{:#?}", world.sandbox.executions());
    world
        .is_complete
        .invoke_asynchronously(&events[0], None)
        .await
        .unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    // EventBridge delivers at least once.
    world
        .is_complete
        .invoke_asynchronously(&events[0], None)
        .await
        .unwrap();
    clear_up(world, small::id(&answer)).await;
}

#[tokio::test]
async fn at_its_deadline_a_deployment_is_answered_with_what_was_pending() {
    let mut setup = handing_over();
    setup.sandbox.latency = Latency::fixed(Duration::from_secs(3600));
    let world = World::start(setup).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["Timeout"] = "5".into();
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    assert!(answer["Reason"].as_str().unwrap().contains("topic"), "{answer}");
    world.finish().await;
}

/// Operations outlast the poll window, so that on_event leaves them to the waiter.
pub(crate) fn handing_over() -> Setup {
    let mut setup = Setup {
        poll_window_seconds: 1,
        ..Setup::default()
    };
    setup.sandbox.latency = Latency::fixed(Duration::from_millis(1200));
    setup
}

async fn clear_up(world: World, id: &str) {
    let delete = small::delete(&world, id);
    world.send(&delete).await.unwrap();
    let answer = world.answer(&delete).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}
