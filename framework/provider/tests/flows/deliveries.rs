//! Deliveries that come twice, beside each other, or through a side door; stores that fail.

use crate::support::{Act, Probe, Script, URL, World, event};
use formwork_provider::ports::{Clock, WaiterError};
use formwork_provider::{CREATE_FAILED_ID, FlowError};
use serde_json::{Value, json};
use std::time::Duration;

fn on_failure(event: &Value) -> Value {
    json!({
        "version": "1.0",
        "requestContext": { "condition": "RetriesExhausted", "approximateInvokeCount": 3 },
        "requestPayload": event,
        "responseContext": { "statusCode": 200, "functionError": "Unhandled" },
        "responsePayload": { "errorType": "Runtime.ExitError", "errorMessage": "signal: killed" },
    })
}

const GIVEN_UP: &str = "the function failed (RetriesExhausted): Runtime.ExitError: signal: killed";

#[tokio::test(start_paused = true)]
async fn x12_x15_second_delivery_has_no_second_effect() {
    let on_event = Script::ok([json!({ "PhysicalResourceId": "id" })]);
    let world = World::sync(&on_event);
    for _ in 0..3 {
        world.on_event(&event("Create")).await.unwrap();
    }
    world.succeeded("id");
    assert_eq!(on_event.inputs().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn x15_second_delivery_of_a_pending_request_starts_no_second_waiter() {
    let probe = Probe::new([Act::Pend, Act::Done]);
    let world = World::of(probe.clone());
    world.on_event(&event("Create")).await.unwrap();
    world.on_event(&event("Create")).await.unwrap();
    assert_eq!(world.fakes.waiter.started().len(), 1);
    world.wait().await;
    world.on_event(&event("Create")).await.unwrap();
    world.poll().await;
    world.succeeded("pending-id");
    assert_eq!(
        probe.calls(),
        ["create n None", "poll 1", "answered Create pending-id true"]
    );
}

#[tokio::test(start_paused = true)]
async fn reused_request_id_of_a_retried_deployment_is_another_request() {
    let probe = Probe::new([Act::Pend, Act::Pend]);
    let world = World::of(probe.clone());
    world.on_event(&event("Create")).await.unwrap();
    let mut retried = event("Create");
    retried["ResponseURL"] = json!("https://bucket.s3.amazonaws.com/answer?X-Amz-Signature=another");
    world.on_event(&retried).await.unwrap();
    let started = world.fakes.waiter.started();
    assert_eq!(started.len(), 2);
    assert_ne!(started[0].1.request, started[1].1.request);
}

#[tokio::test(start_paused = true)]
async fn two_deliveries_at_once_have_one_effect_and_one_answer() {
    let probe = Probe::new([Act::Slow(Duration::from_secs(3))]);
    let world = World::of(probe.clone());
    let event = event("Create");
    let (left, right) = tokio::join!(world.on_event(&event), world.on_event(&event));
    assert_eq!(
        (
            left.unwrap()["IsComplete"].clone(),
            right.unwrap()["IsComplete"].clone()
        ),
        (json!(true), json!(false))
    );
    world.wait().await;
    world.succeeded("request-1");
    assert_eq!(probe.calls().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn two_polls_at_once_give_one_answer() {
    let slow = Act::Slow(Duration::from_secs(3));
    let world = World::of(Probe::new([Act::Pend, slow, slow]));
    world.on_event(&event("Create")).await.unwrap();
    tokio::join!(world.poll(), world.poll());
    let bodies = world.fakes.sender.bodies();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert!(!world.fakes.store.dump().contains("s1gnature"));
}

#[tokio::test(start_paused = true)]
async fn failed_for_good_before_the_record_is_answered() {
    let world = World::of(Probe::new([]));
    world.is_complete(on_failure(&event("Create"))).await.unwrap();
    world.failed(CREATE_FAILED_ID, GIVEN_UP);
    // Lambda may try the event once more, late.
    world.on_event(&event("Create")).await.unwrap();
    world.answer();
}

#[tokio::test(start_paused = true)]
async fn failed_for_good_in_the_middle_is_answered_with_the_id_known() {
    let world = World::of(Probe::new([Act::HangWithId]));
    let event = event("Create");
    let killed = tokio::time::timeout(Duration::from_secs(1), world.on_event(&event)).await;
    assert!(killed.is_err());
    world.fakes.clock.sleep(Duration::from_secs(120)).await;
    world.is_complete(on_failure(&event)).await.unwrap();
    world.failed("early", GIVEN_UP);
}

#[tokio::test(start_paused = true)]
async fn failed_for_good_while_the_lease_lasts_is_left_to_the_waiter() {
    let world = World::of(Probe::new([Act::HangWithId]));
    let event = event("Create");
    let killed = tokio::time::timeout(Duration::from_secs(1), world.on_event(&event)).await;
    assert!(killed.is_err());
    let output = world.is_complete(on_failure(&event)).await.unwrap();
    assert_eq!(output["IsComplete"], false);
    assert_eq!(world.fakes.waiter.started().len(), 1);
    world.wait().await;
    world.answer();
}

#[tokio::test(start_paused = true)]
async fn failed_for_good_beside_a_running_waiter_leaves_it_alone() {
    let world = World::of(Probe::new([Act::Pend, Act::Done]));
    world.on_event(&event("Create")).await.unwrap();
    let output = world.is_complete(on_failure(&event("Create"))).await.unwrap();
    assert_eq!(output["IsComplete"], false);
    world.wait().await;
    world.succeeded("pending-id");
}

#[tokio::test(start_paused = true)]
async fn failed_for_good_without_a_waiter_to_start_is_answered() {
    let world = World::of(Probe::new([Act::Pend]));
    world.on_event(&event("Create")).await.unwrap();
    world.fakes.waiter.fail(Some(WaiterError("denied".into())));
    world.on_event(&event("Create")).await.unwrap_err();
    world.is_complete(on_failure(&event("Create"))).await.unwrap();
    world.failed("pending-id", GIVEN_UP);
}

#[tokio::test(start_paused = true)]
async fn ended_execution_is_answered_once() {
    for status in ["FAILED", "TIMED_OUT", "ABORTED"] {
        let world = World::of(Probe::new([Act::Pend]));
        world.on_event(&event("Update")).await.unwrap();
        let input = world.fakes.waiter.input().unwrap();
        let ended =
            json!({ "source": "aws.states", "detail": { "status": status, "input": input.to_string() } });
        world.is_complete(ended.clone()).await.unwrap();
        world.is_complete(ended).await.unwrap();
        world.failed("pending-id", &format!("the waiter ended with {status}"));
    }
}

#[tokio::test(start_paused = true)]
async fn extra_fields_of_the_waiters_input_are_ignored() {
    let world = World::of(Probe::new([Act::Pend, Act::Pend, Act::Done]));
    world.on_event(&event("Create")).await.unwrap();
    let mut input = world.fakes.waiter.input().unwrap();
    let output = world.is_complete(input.clone()).await.unwrap();
    assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 2 }));
    input["Poll"] = output;
    world.is_complete(input).await.unwrap();
    world.succeeded("pending-id");
}

#[tokio::test(start_paused = true)]
async fn unknown_request_is_an_error() {
    let world = World::of(Probe::new([]));
    let input = json!({ "Instance": "a/b", "Request": "c", "Deadline": "2026-01-01T00:00:00Z" });
    assert_eq!(world.is_complete(input).await.unwrap_err(), FlowError::NoRecord);
}

#[tokio::test(start_paused = true)]
async fn store_out_of_reach_fails_before_anything_is_done() {
    for (probe, id) in [
        (Probe::new([]), CREATE_FAILED_ID),
        (Probe::new([]).with_derived_id("derived"), "derived"),
    ] {
        let world = World::of(probe.clone());
        world.fakes.store.fail(0, 1000);
        world.on_event(&event("Create")).await.unwrap();
        world.failed(
            id,
            "nothing was done: the request store cannot be used: it was told to fail",
        );
        assert!(probe.calls().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn store_that_recovers_soon_goes_unnoticed() {
    for passes in 0..3 {
        let world = World::of(Probe::new([Act::Done]));
        world.fakes.store.fail(passes, 2);
        world.on_event(&event("Create")).await.unwrap();
        world.succeeded("request-1");
    }
}

#[tokio::test(start_paused = true)]
async fn store_lost_after_the_effect_still_lets_the_answer_out() {
    let world = World::of(Probe::new([Act::Done]));
    world.fakes.store.fail(1, 1000);
    world.on_event(&event("Create")).await.unwrap();
    world.succeeded("request-1");
    let world = World::of(Probe::new([Act::Pend]));
    world.fakes.store.fail(1, 1000);
    world.on_event(&event("Create")).await.unwrap();
    let reason = "the operation cannot be carried on: the request store cannot be used: it was told to fail";
    world.failed("pending-id", reason);
}

#[tokio::test(start_paused = true)]
async fn store_lost_during_a_poll_is_left_to_the_state_machine() {
    let world = World::of(Probe::new([Act::Pend, Act::Pend, Act::Done]));
    world.on_event(&event("Create")).await.unwrap();
    world.fakes.store.fail(1, usize::MAX);
    let input = world.fakes.waiter.input().unwrap();
    assert!(matches!(
        world.is_complete(input).await.unwrap_err(),
        FlowError::Store(_)
    ));
    world.fakes.store.fail(0, 0);
    world.wait().await;
    world.succeeded("pending-id");
}

#[tokio::test(start_paused = true)]
async fn undelivered_answer_of_a_poll_is_delivered_by_the_next() {
    let probe = Probe::new([Act::Pend, Act::Done]);
    let world = World::of(probe.clone());
    world.on_event(&event("Create")).await.unwrap();
    world
        .fakes
        .sender
        .fail_always(Some(formwork_provider::ports::SendError::Status(503)));
    world
        .is_complete(world.fakes.waiter.input().unwrap())
        .await
        .unwrap_err();
    world.fakes.sender.fail_always(None);
    let mut input = world.fakes.waiter.input().unwrap();
    input["Error"] = json!({ "Error": "States.TaskFailed" });
    world.is_complete(input).await.unwrap();
    world.succeeded("pending-id");
    assert_eq!(
        probe.calls(),
        ["create n None", "poll 1", "answered Create pending-id true"]
    );
}

/// Whatever hangs, and wherever: the answer is out before the function ends.
#[tokio::test(start_paused = true)]
async fn hanging_store_or_waiter_leaves_time_for_the_answer() {
    for (act, passes, status) in [
        (Act::Done, 0, "FAILED"),
        (Act::Done, 1, "SUCCESS"),
        (Act::Done, 2, "SUCCESS"),
        (Act::Pend, 1, "FAILED"),
        (Act::Hang, 1, "FAILED"),
        (Act::HangWithId, 1, "FAILED"),
    ] {
        let world = World::of(Probe::new([act]));
        world.fakes.store.hang(passes);
        world.fakes.sender.delay(Duration::from_millis(500));
        let invocation = world.invocation();
        let deadline = invocation.deadline;
        world.provider.on_event(event("Create"), invocation).await.ok();
        assert_eq!(world.answer()["Status"], status, "{act:?} {passes}");
        assert!(world.fakes.clock.now() < deadline, "{act:?} {passes}");
    }
    let world = World::of(Probe::new([Act::Pend]));
    world.fakes.waiter.hang();
    world.fakes.sender.delay(Duration::from_millis(500));
    let invocation = world.invocation();
    let deadline = invocation.deadline;
    world
        .provider
        .on_event(event("Create"), invocation)
        .await
        .unwrap();
    world.failed("pending-id", "the waiter could not be started: no answer in time");
    assert!(world.fakes.clock.now() < deadline);
}

/// The poll would succeed, but the request was answered FAILED in the meantime: that answer stays.
#[tokio::test(start_paused = true)]
async fn answer_that_was_given_meanwhile_stays() {
    let world = World::of(Probe::new([Act::Pend, Act::Slow(Duration::from_secs(3))]));
    world.on_event(&event("Create")).await.unwrap();
    let input = world.fakes.waiter.input().unwrap().to_string();
    let aborted = async {
        world.fakes.clock.sleep(Duration::from_secs(1)).await;
        world
            .is_complete(json!({ "detail": { "status": "ABORTED", "input": input } }))
            .await
            .unwrap();
    };
    let (output, ()) = tokio::join!(world.poll(), aborted);
    assert_eq!(output["IsComplete"], true);
    world.failed("pending-id", "the waiter ended with ABORTED");
}

/// The same where the other's answer is stored but was not delivered: it is that one which is sent.
#[tokio::test(start_paused = true)]
async fn undelivered_answer_that_was_given_meanwhile_is_delivered() {
    let world = World::of(Probe::new([Act::Pend, Act::Slow(Duration::from_secs(3))]));
    world.on_event(&event("Create")).await.unwrap();
    let input = world.fakes.waiter.input().unwrap().to_string();
    world
        .fakes
        .sender
        .fail_next([formwork_provider::ports::SendError::Status(403)]);
    let aborted = async {
        world.fakes.clock.sleep(Duration::from_secs(1)).await;
        world
            .is_complete(json!({ "detail": { "status": "ABORTED", "input": input } }))
            .await
            .unwrap_err();
    };
    tokio::join!(world.poll(), aborted);
    world.failed("pending-id", "the waiter ended with ABORTED");
}

fn signed(request_type: &str, second: u32) -> serde_json::Value {
    let mut event = event(request_type);
    event["ResponseURL"] = json!(format!("{URL}&X-Amz-Date=20260101T0000{second:02}Z"));
    event["RequestId"] = json!(format!("request-{second}"));
    event
}

/// A Create that is delivered only after its Delete would make what nobody ever deletes.
#[tokio::test(start_paused = true)]
async fn a_create_that_comes_after_its_delete_has_no_effect() {
    let probe = Probe::new([Act::Done, Act::Done]);
    let world = World::of(probe.clone());
    world.fakes.clock.advance(Duration::from_secs(60));
    world.on_event(&signed("Delete", 20)).await.unwrap();
    world.on_event(&signed("Create", 10)).await.unwrap();
    let bodies = world.fakes.sender.bodies();
    assert_eq!(bodies[1]["Status"], "FAILED", "{bodies:?}");
    assert_eq!(probe.calls().len(), 2, "{:?}", probe.calls());
    // A later Create of the same resource is another matter.
    world.on_event(&signed("Create", 30)).await.unwrap();
    assert_eq!(world.fakes.sender.bodies()[2]["Status"], "SUCCESS");
}

/// An answer without a record could be contradicted by whoever goes on from the record that there is.
#[tokio::test(start_paused = true)]
async fn a_request_that_will_be_tried_again_is_not_answered_without_a_record() {
    let world = World::of(Probe::new([Act::Done]));
    world.fakes.store.fail(0, usize::MAX);
    let event = signed("Create", 0);
    assert!(matches!(
        world.on_event(&event).await.unwrap_err(),
        FlowError::Store(_)
    ));
    assert_eq!(world.fakes.sender.attempts(), 0);
    world.fakes.store.fail(0, 0);
    world.on_event(&event).await.unwrap();
    assert_eq!(world.fakes.sender.bodies()[0]["Status"], "SUCCESS");
    // The last resort waits for others as long as there may be some; then nobody else answers.
    let world = World::of(Probe::new([]));
    world.fakes.store.fail(0, usize::MAX);
    let record = json!({ "requestContext": { "condition": "RetriesExhausted" }, "requestPayload": event });
    world.is_complete(record.clone()).await.unwrap_err();
    assert_eq!(world.fakes.sender.attempts(), 0);
    world.fakes.clock.advance(Duration::from_secs(400));
    world.is_complete(record).await.unwrap();
    assert_eq!(world.fakes.sender.bodies()[0]["Status"], "FAILED");
}

/// Seed 101672: the last process that came to a request gave up on a store that was away for a few seconds.
#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_for_seconds_is_waited_out() {
    let world = World::of(Probe::new([Act::Done]));
    world.fakes.store.fail(0, 10);
    world.on_event(&signed("Create", 0)).await.unwrap();
    assert_eq!(world.fakes.sender.bodies()[0]["Status"], "SUCCESS");
    assert!(!world.fakes.store.dump().contains("ResponseURL"));
}

/// Seeds 101672 and 110635: after an answer that could not be recorded the record of the request stayed open.
#[tokio::test(start_paused = true)]
async fn after_an_answer_without_a_record_the_record_is_closed_when_the_store_is_back() {
    fastrand::seed(7);
    let world = World::of(Probe::new([Act::Pend]));
    let event = signed("Create", 0);
    world.on_event(&event).await.unwrap();
    assert!(world.fakes.store.dump().contains("ResponseURL"));
    world.fakes.clock.advance(Duration::from_secs(400));
    // About as long as the half of its time in which it waits for the store, and some more.
    world.fakes.store.fail(0, 30);
    let record = json!({ "requestContext": { "condition": "RetriesExhausted" }, "requestPayload": event });
    world.is_complete(record).await.unwrap();
    let answer = &world.fakes.sender.bodies()[0];
    assert!(
        answer["Reason"].as_str().unwrap().contains("request store"),
        "{answer}"
    );
    assert!(!world.fakes.store.dump().contains("ResponseURL"));
}

/// Seed 325751: one delivery noted that the answer was delivered, and left the rest to a waiter that had been stopped; the
/// other met that note, and took it for the end.
#[tokio::test(start_paused = true)]
async fn who_has_done_what_is_left_after_an_answer_closes_the_record_whoever_else_was_there() {
    let slow = Act::Slow(Duration::from_secs(10));
    let world = World::of(Probe::new([Act::Done]).closing([slow, Act::FailWithId]));
    let event = event("Create");
    let second = async {
        world.fakes.clock.sleep(Duration::from_secs(1)).await;
        world.on_event(&event).await
    };
    let (first, second) = tokio::join!(world.on_event(&event), second);
    assert_eq!(first.unwrap()["IsComplete"], true);
    assert_eq!(second.unwrap()["IsComplete"], false);
    assert!(!world.fakes.store.dump().contains("ResponseURL"));
}

/// Seed 573378: the last attempt at closing a request had left it to a waiter, and did not know that it had.
#[tokio::test(start_paused = true)]
async fn a_waiter_that_cannot_be_started_is_started_a_moment_later() {
    let world = World::of(Probe::new([Act::Pend, Act::Done]));
    let failure = formwork_provider::ports::WaiterError("connection reset".into());
    world.fakes.waiter.fail(Some(failure));
    let recovery = async {
        world.fakes.clock.sleep(Duration::from_millis(500)).await;
        world.fakes.waiter.fail(None);
    };
    let event = event("Create");
    let (output, ()) = tokio::join!(world.on_event(&event), recovery);
    assert_eq!(output.unwrap()["IsComplete"], false);
    world.wait().await;
    world.succeeded("pending-id");
}
