//! Where CDK's provider framework is wrong, row by row: what must be better here.

use crate::support::{Act, Log, Probe, Script, TYPE, URL, World, event};
use formwork_provider::fakes::Fakes;
use formwork_provider::ports::{Clock, SendError, WaiterError};
use formwork_provider::{CREATE_FAILED_ID, Failure, FlowError, Invocation, MISSING_ID, Provider};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn x1_handlers_cannot_redirect_the_answer() {
    let foreign = json!({
        "StackId": "x", "RequestId": "x", "LogicalResourceId": "x", "ResponseURL": "https://evil.example/",
        "RequestType": "Delete", "PhysicalResourceId": "id",
    });
    let world = World::sync(&Script::ok([foreign.clone()]));
    world.on_event(&event("Create")).await.unwrap();
    world.succeeded("id");
    let is_complete = Script::ok([
        json!({ "IsComplete": false, "StackId": "x" }),
        json!({ "IsComplete": true }),
    ]);
    let world = World::polled(&Script::ok([foreign]), &is_complete);
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    world.succeeded("id");
    for input in is_complete.inputs() {
        assert_eq!(
            (input["RequestType"].as_str(), input.get("ResponseURL")),
            (Some("Create"), None)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn x2_too_large_data_fails_with_the_size_and_the_real_id() {
    let world = World::sync(&Script::ok([
        json!({ "PhysicalResourceId": "id", "Data": { "Big": "x".repeat(6000) } }),
    ]));
    world.on_event(&event("Create")).await.unwrap();
    let body = world.answer();
    assert_eq!(
        (body["Status"].as_str(), body["PhysicalResourceId"].as_str()),
        (Some("FAILED"), Some("id"))
    );
    assert!(
        body["Reason"]
            .as_str()
            .unwrap()
            .ends_with("the largest Data keys are `Big` (6002 bytes)"),
        "{body}"
    );
}

#[tokio::test(start_paused = true)]
async fn x3_refused_put_is_not_repeated_and_calls_nothing_again() {
    let on_event = Script::ok([json!({})]);
    let world = World::sync(&on_event);
    world.fakes.sender.fail_always(Some(SendError::Status(403)));
    for delivery in 1..=3 {
        let error = world.on_event(&event("Create")).await.unwrap_err();
        assert_eq!(error, FlowError::Undelivered(SendError::Status(403)));
        assert_eq!(
            (world.fakes.sender.attempts(), on_event.inputs().len()),
            (delivery, 1)
        );
    }
    world.fakes.sender.fail_always(None);
    world.on_event(&event("Create")).await.unwrap();
    world.succeeded("request-1");
}

#[tokio::test(start_paused = true)]
async fn put_is_repeated_where_that_helps() {
    for failure in [
        SendError::Network("reset".into()),
        SendError::Status(408),
        SendError::Status(429),
        SendError::Status(500),
        SendError::Status(503),
    ] {
        let world = World::sync(&Script::ok([json!({})]));
        world.fakes.sender.fail_next([failure.clone(), failure]);
        world.on_event(&event("Create")).await.unwrap();
        assert_eq!(world.fakes.sender.attempts(), 3);
        world.succeeded("request-1");
    }
    let world = World::sync(&Script::ok([json!({})]));
    world
        .fakes
        .sender
        .fail_always(Some(SendError::Refused("host".into())));
    world.on_event(&event("Create")).await.unwrap_err();
    assert_eq!(world.fakes.sender.attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn put_is_given_up_before_the_invocation_ends() {
    let world = World::sync(&Script::ok([json!({})]));
    world.fakes.sender.fail_always(Some(SendError::Status(503)));
    let invocation = world.invocation();
    let deadline = invocation.deadline;
    world
        .provider
        .on_event(event("Create"), invocation)
        .await
        .unwrap_err();
    assert!(world.fakes.clock.now() < deadline);
    assert!(world.fakes.sender.attempts() > 3);
}

#[tokio::test(start_paused = true)]
async fn x4_no_waiter_fails_with_the_real_id() {
    let world = World::polled(
        &Script::ok([json!({ "PhysicalResourceId": "id" })]),
        &Script::default(),
    );
    world.fakes.waiter.fail(Some(WaiterError("access denied".into())));
    world.on_event(&event("Create")).await.unwrap();
    world.failed("id", "the waiter could not be started: access denied");
    let world = World::without_waiter(Probe::new([Act::Pend]));
    world.on_event(&event("Create")).await.unwrap();
    world.failed(
        "pending-id",
        "the operation is pending, but there is no waiter to go on with it",
    );
}

#[tokio::test(start_paused = true)]
async fn x5_dead_polls_are_answered_from_the_waiters_input() {
    let world = World::of(Probe::new([Act::Pend]));
    world.on_event(&event("Create")).await.unwrap();
    let mut input = world.fakes.waiter.input().unwrap();
    input["Error"] = json!({ "Error": "Lambda.Unknown", "Cause": "{\"errorMessage\": \"signal: killed\"}" });
    let output = world.is_complete(input.clone()).await.unwrap();
    assert_eq!(output["IsComplete"], true);
    world.failed(
        "pending-id",
        "waiting for the operation failed: Lambda.Unknown: signal: killed",
    );
    // The rule on failed executions comes behind it.
    let detail =
        json!({ "detail": { "status": "FAILED", "input": world.fakes.waiter.input().unwrap().to_string() } });
    world.is_complete(detail).await.unwrap();
    world.answer();
}

#[tokio::test(start_paused = true)]
async fn x6_unreadable_requests_fail_shortly() {
    let mut unknown = event("Replace");
    unknown.as_object_mut().unwrap().remove("PhysicalResourceId");
    let mut no_id = event("Delete");
    no_id.as_object_mut().unwrap().remove("PhysicalResourceId");
    let mut odd = event("Create");
    odd["ResourceProperties"] = json!([1]);
    for (event, id, problem) in [
        (
            unknown,
            MISSING_ID,
            "RequestType is none of `Create`, `Update` and `Delete`",
        ),
        (no_id, MISSING_ID, "PhysicalResourceId is missing"),
        (odd, CREATE_FAILED_ID, "ResourceProperties is not an object"),
    ] {
        let world = World::of(Probe::new([]));
        world.on_event(&event).await.unwrap();
        world.failed(id, &format!("the request cannot be read: {problem}"));
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_types_and_unreadable_properties_fail_with_what_was_expected() {
    let mut other = event("Create");
    other["ResourceType"] = json!("Custom::Other");
    let world = World::of(Probe::new([]));
    world.on_event(&other).await.unwrap();
    world.failed(
        CREATE_FAILED_ID,
        "the resource type `Custom::Other` is not served here; served: `Custom::Thing`",
    );
    let mut odd = event("Create");
    odd["ResourceProperties"] = json!({ "Size": "big", "Name": {} });
    let reason = "the properties cannot be read: `Size`: expected a whole number, not negative, found text; \
                  `Name`: expected text, found an object";
    let world = World::of(Probe::new([]));
    world.on_event(&odd).await.unwrap();
    world.failed(CREATE_FAILED_ID, reason);
    let world = World::of(Probe::new([]).with_derived_id("derived"));
    world.on_event(&odd).await.unwrap();
    world.failed("derived", reason);
}

#[tokio::test(start_paused = true)]
async fn old_shapes_hold_up_neither_update_nor_delete() {
    let mut update = event("Update");
    update["OldResourceProperties"] = json!({ "Size": "big" });
    let probe = Probe::new([Act::Done]);
    World::of(probe.clone()).on_event(&update).await.unwrap();
    assert_eq!(probe.calls()[0], "update current-id false");
    let mut delete = event("Delete");
    delete["ResourceProperties"] = json!("odd");
    let probe = Probe::new([Act::Done]);
    World::of(probe.clone()).on_event(&delete).await.unwrap();
    assert_eq!(probe.calls()[0], "delete current-id false");
}

#[tokio::test(start_paused = true)]
async fn x7_polls_cannot_change_the_id_of_a_delete_either() {
    for complete in [true, false] {
        let other = json!({ "IsComplete": complete, "PhysicalResourceId": "other" });
        let world = World::polled(&Script::ok([json!({})]), &Script::ok([other]));
        world.on_event(&event("Delete")).await.unwrap();
        world.wait().await;
        let reason =
            "DELETE: cannot change the physical resource ID from \"current-id\" to \"other\" during deletion";
        world.failed("current-id", reason);
    }
}

#[tokio::test(start_paused = true)]
async fn x8_completion_is_a_boolean() {
    let world = World::polled(
        &Script::ok([json!({})]),
        &Script::ok([
            json!({ "IsComplete": "false" }),
            json!({}),
            json!({ "IsComplete": "true" }),
        ]),
    );
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    world.succeeded("request-1");
    for (odd, found) in [
        (json!("yes"), "another string"),
        (json!(1), "number"),
        (json!([]), "array"),
    ] {
        let world = World::polled(
            &Script::ok([json!({})]),
            &Script::ok([json!({ "IsComplete": odd })]),
        );
        world.on_event(&event("Create")).await.unwrap();
        world.wait().await;
        let reason = format!("the handler returned a `IsComplete` that is not true or false: found {found}");
        world.failed("request-1", &reason);
    }
}

#[tokio::test(start_paused = true)]
async fn x10_ids_are_strings_of_at_most_1024_bytes() {
    let world = World::sync(&Script::ok([json!({ "PhysicalResourceId": 42 })]));
    world.on_event(&event("Create")).await.unwrap();
    world.succeeded("42");
    for pending in [false, true] {
        let long = Script::ok([json!({ "PhysicalResourceId": "x".repeat(1025) })]);
        let world = if pending {
            World::polled(&long, &Script::default())
        } else {
            World::sync(&long)
        };
        world.on_event(&event("Create")).await.unwrap();
        world.failed(
            "request-1",
            "the physical resource id has 1025 bytes, more than the 1024 allowed",
        );
    }
    let world = World::sync(&Script::ok([json!({ "PhysicalResourceId": ["x"] })]));
    world.on_event(&event("Update")).await.unwrap();
    world.failed(
        "current-id",
        "the handler returned a `PhysicalResourceId` that is not a string: found array",
    );
}

#[tokio::test(start_paused = true)]
async fn data_that_get_att_cannot_read_fails_with_the_real_id() {
    let world = World::sync(&Script::ok([
        json!({ "PhysicalResourceId": "id", "Data": "text" }),
    ]));
    world.on_event(&event("Create")).await.unwrap();
    world.failed(
        "id",
        "the handler returned a `Data` that is not an object: found another string",
    );
    let world = World::sync(&Script::ok([
        json!({ "PhysicalResourceId": "id", "NoEcho": "maybe" }),
    ]));
    world.on_event(&event("Create")).await.unwrap();
    world.failed(
        "id",
        "the handler returned a `NoEcho` that is not true or false: found another string",
    );
}

/// No property, no Data, no URL. The log is the whole process's: whatever the other tests do is checked with it.
#[tokio::test(start_paused = true)]
async fn x11_secrets_and_urls_stay_out_of_log_waiter_and_closed_record() {
    let log = Log::of_the_process();
    let world = World::polled(
        &Script::ok([json!({ "Data": { "Key": "hunter3" } })]),
        &Script::ok([json!({ "IsComplete": true, "Data": { "Other": "hunter4" }, "NoEcho": true })]),
    );
    world.fakes.sender.fail_next([SendError::Status(503)]);
    world.on_event(&event("Create")).await.unwrap();
    assert!(world.fakes.store.dump().contains(URL));
    world.wait().await;
    world.succeeded("request-1");
    let (log, input) = (log.text(), world.fakes.waiter.input().unwrap().to_string());
    for line in [
        "a request came in",
        "the answer is sent again",
        "the request is answered",
    ] {
        assert!(log.contains(line), "{line} is not in {log}");
    }
    for text in [log, input, world.fakes.store.dump()] {
        for secret in ["hunter", "s1gnature", "amazonaws.com/answer"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn x14_reasons_are_clean_and_end_with_the_log_stream() {
    let long = format!("\u{1b}[31mbad\u{7}\n{}", "é".repeat(20_000));
    let world = World::sync(&Script::new([Err(Failure::new(long))]));
    let invocation = Invocation {
        log_stream: Some("2026/01/01/[1]abc".into()),
        ..world.invocation()
    };
    world
        .provider
        .on_event(event("Update"), invocation)
        .await
        .unwrap();
    let body = world.answer();
    assert!(body.to_string().len() <= 4096);
    let reason = body["Reason"].as_str().unwrap();
    assert!(
        reason.starts_with("bad; éé") && reason.ends_with("é… (log stream: 2026/01/01/[1]abc)"),
        "{reason}"
    );
}

#[tokio::test(start_paused = true)]
async fn failures_keep_the_id_they_tell() {
    for (request_type, id) in [("Create", "half"), ("Update", "half"), ("Delete", "current-id")] {
        let world = World::of(Probe::new([Act::FailWithId]));
        world.on_event(&event(request_type)).await.unwrap();
        world.failed(id, "half made");
    }
}

#[tokio::test(start_paused = true)]
async fn several_types_are_served_by_their_names() {
    let (left, right) = (Probe::new([Act::Done]), Probe::new([Act::Done]));
    let fakes = Fakes::new();
    let provider = Provider::builder(fakes.ports())
        .resource(TYPE, left.clone())
        .resource("Custom::Right", right.clone())
        .build();
    let mut event = event("Create");
    event["ResourceType"] = json!("Custom::Right");
    event["ResourceProperties"]["Size"] = json!("7");
    let invocation = Invocation {
        deadline: fakes.clock.now() + Duration::from_secs(60),
        log_stream: None,
    };
    provider.on_event(event, invocation).await.unwrap();
    assert_eq!(
        right.calls(),
        ["create n Some(7)", "answered Create request-1 true"]
    );
    assert!(left.calls().is_empty());
}

/// A function that cannot be set up (crhelper's init_failure) still answers, once per request.
#[tokio::test(start_paused = true)]
async fn c3_refusal_answers_without_store_and_user_code() {
    let fakes = Fakes::new();
    let invocation = Invocation {
        deadline: fakes.clock.now() + Duration::from_secs(60),
        log_stream: None,
    };
    let output = Provider::refuse(
        fakes.ports(),
        event("Update"),
        "`FORMWORK_STATE_URL` is missing",
        invocation,
    )
    .await;
    assert_eq!(output.unwrap()["IsComplete"], true);
    let body: Value = fakes.sender.bodies().remove(0);
    assert_eq!(
        (&body["PhysicalResourceId"], &body["Reason"]),
        (&json!("current-id"), &json!("`FORMWORK_STATE_URL` is missing"))
    );
}

#[tokio::test(start_paused = true)]
async fn unanswerable_events_are_an_error_without_their_content() {
    let world = World::of(Probe::new([]));
    let mut event = event("Create");
    event["StackId"] = json!({ "secret": 1 });
    let error = world.on_event(&event).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the event cannot be answered: StackId is not a string"
    );
}
