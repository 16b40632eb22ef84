//! Panics, limits of time, and functions that die: there is an answer all the same.

use crate::support::{Act, Probe, World, event};
use formwork_provider::ports::Clock;
use serde_json::json;
use std::time::Duration;

const PANICKED: &str = "the handler panicked; its log tells where";
const TOO_LONG: &str = "the operation did not finish within the time limit of the function";

#[tokio::test(start_paused = true)]
async fn panics_are_answered_without_their_payload() {
    // Something may exist after a panic, so the id is not the marker that the Delete would skip.
    for (act, id) in [(Act::Panic, "request-1"), (Act::PanicWithId, "early")] {
        let world = World::of(Probe::new([act]));
        world.on_event(&event("Create")).await.unwrap();
        world.failed(id, PANICKED);
    }
    let world = World::of(Probe::new([Act::Pend, Act::Panic]));
    world.on_event(&event("Update")).await.unwrap();
    world.wait().await;
    world.failed("pending-id", PANICKED);
}

#[tokio::test(start_paused = true)]
async fn what_runs_too_long_is_answered_before_the_function_ends() {
    for (act, id) in [(Act::Hang, "request-1"), (Act::HangWithId, "early")] {
        let world = World::of(Probe::new([act]));
        let invocation = world.invocation();
        let deadline = invocation.deadline;
        world
            .provider
            .on_event(event("Create"), invocation)
            .await
            .unwrap();
        world.failed(id, TOO_LONG);
        assert!(world.fakes.clock.now() < deadline);
    }
}

#[tokio::test(start_paused = true)]
async fn short_service_timeout_ends_the_operation_sooner() {
    let world = World::of(Probe::new([Act::Hang]).resuming());
    let mut event = event("Create");
    event["ServiceTimeout"] = json!("20");
    let begun = world.fakes.clock.now();
    world.on_event(&event).await.unwrap();
    world.failed("request-1", "operation timed out");
    assert_eq!(world.fakes.clock.now().duration_since(begun).as_secs(), 18);
}

#[tokio::test(start_paused = true)]
async fn what_resumes_is_left_to_the_waiter_instead() {
    let probe = Probe::new([Act::Hang, Act::Hang, Act::Done])
        .resuming()
        .with_derived_id("derived");
    let world = World::of(probe.clone());
    let output = world.on_event(&event("Create")).await.unwrap();
    assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 1 }));
    world.poll().await;
    assert_eq!(probe.calls().len(), 2);
    world.wait().await;
    world.succeeded("derived");
    assert_eq!(
        probe.calls(),
        [
            "create n None",
            "create n None",
            "create n None",
            "answered Create derived true"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn hanging_poll_is_polled_again_with_the_same_state() {
    let probe = Probe::new([Act::Pend, Act::Pend, Act::Hang, Act::Done]);
    let world = World::of(probe.clone());
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    assert_eq!(
        probe.calls(),
        [
            "create n None",
            "poll 1",
            "poll 2",
            "poll 2",
            "answered Create pending-id true"
        ]
    );
    assert_eq!(
        world.succeeded("pending-id")["Data"],
        json!({ "poll-0": 0, "poll-1": 1, "state": 2 })
    );
}

#[tokio::test(start_paused = true)]
async fn at_the_deadline_the_resource_has_the_last_word() {
    let probe = Probe::new([Act::Pend; 1000]);
    let world = World::of(probe.clone());
    let mut event = event("Create");
    event["ServiceTimeout"] = json!("10");
    world.on_event(&event).await.unwrap();
    world.wait().await;
    world.failed("pending-id", "Some(\"pending-id\") was still at 6");
    // 2 s apart, 9 s in all: the last wait is cut to end with the deadline.
    assert_eq!(
        probe
            .calls()
            .iter()
            .filter(|call| call.starts_with("poll"))
            .count(),
        5
    );
    let world = World::of(Probe::new([Act::Pend, Act::Hang]));
    world.on_event(&event).await.unwrap();
    world.wait().await;
    world.failed("pending-id", "Some(\"pending-id\") was still at 1");
}

#[tokio::test(start_paused = true)]
async fn waits_are_rounded_up_and_end_with_the_deadline() {
    let world = World::of(Probe::new([Act::Pend; 3]));
    let mut event = event("Create");
    event["ServiceTimeout"] = json!("4");
    assert_eq!(world.on_event(&event).await.unwrap()["WaitSeconds"], 2);
    world.fakes.clock.sleep(Duration::from_millis(3000)).await;
    assert_eq!(world.poll().await["WaitSeconds"], 1);
}

/// The future is dropped in the middle: that is what a killed function looks like.
async fn killed(world: &World, event: &serde_json::Value) {
    let killed = tokio::time::timeout(Duration::from_secs(1), world.on_event(event)).await;
    assert!(killed.is_err(), "it was not killed");
}

#[tokio::test(start_paused = true)]
async fn second_delivery_after_a_kill_does_not_repeat_the_effect() {
    for (act, id) in [(Act::Hang, "request-1"), (Act::HangWithId, "early")] {
        let probe = Probe::new([act]);
        let world = World::of(probe.clone());
        killed(&world, &event("Create")).await;
        world.fakes.clock.sleep(Duration::from_secs(120)).await;
        world.on_event(&event("Create")).await.unwrap();
        world.failed(id, "an earlier attempt was cut off");
        assert_eq!(probe.calls()[1..], [format!("answered Create {id} false")]);
    }
}

#[tokio::test(start_paused = true)]
async fn second_delivery_after_a_kill_resumes_what_resumes() {
    let probe = Probe::new([Act::Hang, Act::Done]).resuming();
    let world = World::of(probe.clone());
    killed(&world, &event("Update")).await;
    world.fakes.clock.sleep(Duration::from_secs(120)).await;
    world.on_event(&event("Update")).await.unwrap();
    world.succeeded("current-id");
}

/// What is left to do after an answer is not lost with the process that gave it.
#[tokio::test(start_paused = true)]
async fn second_delivery_after_a_kill_behind_the_answer_closes_the_record() {
    let probe = Probe::new([Act::Done]).closing([Act::Hang]);
    let world = World::of(probe.clone());
    killed(&world, &event("Create")).await;
    world.succeeded("request-1");
    assert!(world.fakes.store.dump().contains("hunter2"));
    world.fakes.clock.sleep(Duration::from_secs(120)).await;
    world.on_event(&event("Create")).await.unwrap();
    // That the answer was delivered was not written down: it is given again, word for word.
    let answers = world.fakes.sender.bodies();
    assert!(answers.len() == 2 && answers[0] == answers[1], "{answers:?}");
    let answered = "answered Create request-1 true";
    assert_eq!(probe.calls(), ["create n None", answered, answered]);
    assert!(!world.fakes.store.dump().contains("hunter2"));
}

#[tokio::test(start_paused = true)]
async fn delivery_beside_a_running_one_waits_for_its_lease() {
    let probe = Probe::new([Act::Hang, Act::Done]).resuming();
    let world = World::of(probe.clone());
    killed(&world, &event("Create")).await;
    world.on_event(&event("Create")).await.unwrap();
    assert_eq!(probe.calls().len(), 1);
    let output = world.poll().await;
    assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 61 }));
    world.wait().await;
    world.succeeded("request-1");
}

#[tokio::test(start_paused = true)]
async fn record_of_a_later_format_is_left_alone() {
    use formwork_provider::ports::RequestStore;
    let world = World::of(Probe::new([]));
    let stored = br#"{"format":"formwork.request/2"}"#.to_vec();
    let key = formwork_protocol::Envelope::read(&event("Create"))
        .unwrap()
        .request_key();
    world
        .fakes
        .store
        .save("5b918d10-cd98-11ea-90d5/Thing", key.as_str(), stored, None)
        .await
        .unwrap();
    let error = world.on_event(&event("Create")).await.unwrap_err();
    assert!(error.to_string().contains("formwork.request/2"));
    assert_eq!(world.fakes.store.dump(), r#"{"format":"formwork.request/2"}"#);
}

/// A killed function holds its request for longer than Lambda tries to tell of an execution that has ended.
#[tokio::test(start_paused = true)]
async fn a_waiter_that_is_stopped_beside_a_killed_function_is_replaced() {
    let world = World::of(Probe::new([Act::Hang, Act::Done]).resuming());
    killed(&world, &event("Create")).await;
    world.on_event(&event("Create")).await.unwrap();
    let (name, input) = world.fakes.waiter.started().remove(0);
    let input = serde_json::to_string(&input).unwrap();
    let stopped = json!({ "detail": { "name": name, "status": "ABORTED", "input": input } });
    for _ in 0..2 {
        let output = world.is_complete(stopped.clone()).await.unwrap();
        assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 61 }));
    }
    let started = world.fakes.waiter.started();
    assert_eq!(
        started.len(),
        2,
        "one in place of the other, however often it is told"
    );
    assert_ne!(started[0].0, started[1].0);
    world.wait().await;
    world.succeeded("request-1");
}

/// Kills 5026 and 6032: Lambda's attempts were over before that was, and the record stayed open with all its secrets.
#[tokio::test(start_paused = true)]
async fn what_takes_longer_after_an_answer_is_left_to_a_waiter() {
    let probe = Probe::new([Act::Done]).closing([Act::FailWithId, Act::Hang, Act::FailWithId]);
    let world = World::of(probe.clone());
    let output = world.on_event(&event("Create")).await.unwrap();
    assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 5 }));
    // Once more by another delivery, which hangs.
    world.on_event(&event("Create")).await.unwrap();
    assert!(world.fakes.store.dump().contains("hunter2"));
    world.wait().await;
    // Delivered once, however often somebody came back.
    world.succeeded("request-1");
    assert_eq!(probe.calls().len(), 5);
    assert!(!world.fakes.store.dump().contains("hunter2"));
}

#[tokio::test(start_paused = true)]
async fn what_is_left_after_an_answer_for_a_stopped_waiter_gets_another_one() {
    let world = World::of(Probe::new([Act::Pend]).closing([Act::FailWithId]));
    world.on_event(&event("Create")).await.unwrap();
    let (name, input) = world.fakes.waiter.started().remove(0);
    let input = serde_json::to_string(&input).unwrap();
    let stopped = json!({ "detail": { "name": name, "status": "ABORTED", "input": input } });
    let output = world.is_complete(stopped).await.unwrap();
    assert_eq!(output, json!({ "IsComplete": false, "WaitSeconds": 5 }));
    assert_ne!(world.fakes.waiter.started()[1].0, name);
    world.wait().await;
    world.failed("pending-id", "the waiter ended with ABORTED");
}
