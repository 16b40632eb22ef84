//! What CDK's provider framework does for its users, row by row: what must work here too.

use crate::support::{Script, World, event};
use formwork_provider::{CREATE_FAILED_ID, Failure};
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a1_create_is_polled_to_its_end_with_everything_passed_on() {
    let on_event =
        Script::ok([json!({ "PhysicalResourceId": "id-1", "Data": { "A": 1, "B": 1 }, "Anything": ["x"] })]);
    let is_complete = Script::ok([
        json!({ "IsComplete": false }),
        json!({ "IsComplete": false }),
        json!({ "IsComplete": true, "Data": { "B": 2, "C": 3 } }),
    ]);
    let world = World::polled(&on_event, &is_complete);
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    assert_eq!(on_event.inputs()[0].get("PhysicalResourceId"), None);
    assert_eq!(is_complete.inputs().len(), 3);
    for input in is_complete.inputs() {
        assert_eq!(input["PhysicalResourceId"], "id-1");
        assert_eq!(input["Anything"], json!(["x"]));
        assert_eq!(input["Data"], json!({ "A": 1, "B": 1 }));
        assert_eq!(
            input["ResourceProperties"],
            json!({ "Name": "n", "Password": "hunter2" })
        );
    }
    assert_eq!(world.succeeded("id-1")["Data"], json!({ "A": 1, "B": 2, "C": 3 }));
}

#[tokio::test(start_paused = true)]
async fn a2_failed_poll_is_answered_with_its_reason_and_the_real_id() {
    let world = World::polled(
        &Script::ok([json!({ "PhysicalResourceId": "id-1" })]),
        &Script::new([Err(Failure::new("it broke\n\nLogs: /aws/lambda/fn\n"))]),
    );
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    world.failed("id-1", "it broke; Logs: /aws/lambda/fn");
}

#[tokio::test(start_paused = true)]
async fn a3_failed_operation_starts_no_waiter() {
    let world = World::polled(&Script::new([Err("no such thing".into())]), &Script::default());
    world.on_event(&event("Update")).await.unwrap();
    world.failed("current-id", "no such thing");
    assert!(world.fakes.waiter.started().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a4_a5_a6_ids_default() {
    for (request_type, id) in [
        ("Create", "request-1"),
        ("Update", "current-id"),
        ("Delete", "current-id"),
    ] {
        for nothing in [json!(null), json!({}), json!({ "PhysicalResourceId": "" })] {
            let world = World::sync(&Script::ok([nothing]));
            world.on_event(&event(request_type)).await.unwrap();
            world.succeeded(id);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a7_update_can_change_the_id() {
    let world = World::polled(
        &Script::ok([json!({ "PhysicalResourceId": "new" })]),
        &Script::ok([json!({ "IsComplete": true })]),
    );
    world.on_event(&event("Update")).await.unwrap();
    world.wait().await;
    world.succeeded("new");
}

#[tokio::test(start_paused = true)]
async fn a8_is_complete_can_give_the_final_id() {
    let is_complete = Script::ok([json!({ "IsComplete": true, "PhysicalResourceId": "final" })]);
    let world = World::polled(
        &Script::ok([json!({ "PhysicalResourceId": "temporary" })]),
        &is_complete,
    );
    world.on_event(&event("Update")).await.unwrap();
    world.wait().await;
    assert_eq!(is_complete.inputs()[0]["PhysicalResourceId"], "temporary");
    world.succeeded("final");
}

#[tokio::test(start_paused = true)]
async fn a9_delete_cannot_change_the_id() {
    let world = World::polled(
        &Script::ok([json!({ "PhysicalResourceId": "other" })]),
        &Script::default(),
    );
    world.on_event(&event("Delete")).await.unwrap();
    world.failed(
        "current-id",
        "DELETE: cannot change the physical resource ID from \"current-id\" to \"other\" during deletion",
    );
    assert!(world.fakes.waiter.started().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a10_what_never_completes_times_out() {
    let never = Script::ok(std::iter::repeat_n(json!({ "IsComplete": false }), 1000));
    let world = World::polled(&Script::ok([json!({ "PhysicalResourceId": "id-1" })]), &never);
    let mut event = event("Create");
    event["ServiceTimeout"] = json!("300");
    world.on_event(&event).await.unwrap();
    world.wait().await;
    world.failed("id-1", "operation timed out");
    // 270 s of 300, one poll after 1 s and then one in 5.
    assert_eq!(never.inputs().len(), 54);
}

#[tokio::test(start_paused = true)]
async fn a11_data_comes_only_with_completion() {
    let unfinished = Script::ok([
        json!({ "IsComplete": false, "Data": {} }),
        json!({ "IsComplete": false, "Data": { "A": 1 } }),
    ]);
    let world = World::polled(&Script::ok([json!({})]), &unfinished);
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    world.failed(
        "request-1",
        "\"Data\" is not allowed if \"IsComplete\" is \"False\"",
    );
}

#[tokio::test(start_paused = true)]
async fn a12_without_is_complete_no_waiter_starts() {
    let world = World::sync(&Script::ok([json!({ "PhysicalResourceId": "id-1" })]));
    assert_eq!(
        world.on_event(&event("Create")).await.unwrap(),
        json!({ "IsComplete": true, "WaitSeconds": 1 })
    );
    world.succeeded("id-1");
    assert!(world.fakes.waiter.started().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a13_no_echo_of_a_finished_operation() {
    let world = World::sync(&Script::ok([
        json!({ "Data": { "Secret": "s" }, "NoEcho": true }),
    ]));
    world.on_event(&event("Create")).await.unwrap();
    let body = world.succeeded("request-1");
    assert_eq!(
        (&body["NoEcho"], &body["Data"]),
        (&json!(true), &json!({ "Secret": "s" }))
    );
}

#[tokio::test(start_paused = true)]
async fn a14_no_echo_stays_through_the_polls() {
    for (first, second) in [(true, false), (false, true)] {
        let world = World::polled(
            &Script::ok([json!({ "Data": { "A": 1 }, "NoEcho": first })]),
            &Script::ok([json!({ "IsComplete": true, "Data": { "B": 2 }, "NoEcho": second })]),
        );
        world.on_event(&event("Create")).await.unwrap();
        world.wait().await;
        let body = world.succeeded("request-1");
        assert_eq!(
            (&body["NoEcho"], &body["Data"]),
            (&json!(true), &json!({ "A": 1, "B": 2 }))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a15_x9_only_objects_are_results() {
    for (result, found) in [
        (json!("text"), "string"),
        (json!([1]), "array"),
        (json!(4), "number"),
        (json!(true), "boolean"),
    ] {
        let reason = format!("return values from user-handlers must be JSON objects. got: \"{found}\"");
        let world = World::sync(&Script::ok([result.clone()]));
        world.on_event(&event("Update")).await.unwrap();
        world.failed("current-id", &reason);
        let world = World::polled(&Script::ok([json!({})]), &Script::ok([result]));
        world.on_event(&event("Update")).await.unwrap();
        world.wait().await;
        world.failed("current-id", &reason);
    }
    let world = World::polled(&Script::ok([json!({})]), &Script::ok([json!(null)]));
    world.on_event(&event("Update")).await.unwrap();
    world.wait().await;
    world.failed(
        "current-id",
        "return values from user-handlers must be JSON objects. got: \"null\"",
    );
}

#[tokio::test(start_paused = true)]
async fn a16_create_that_made_nothing_gets_the_marker() {
    let world = World::sync(&Script::new([Err("no".into())]));
    world.on_event(&event("Create")).await.unwrap();
    world.failed(CREATE_FAILED_ID, "no");
}

#[tokio::test(start_paused = true)]
async fn a17_delete_of_the_marker_calls_nothing() {
    for marker in [
        CREATE_FAILED_ID,
        "AWSCDK::CustomResourceProviderFramework::CREATE_FAILED",
    ] {
        let on_event = Script::default();
        let world = World::sync(&on_event);
        let mut event = event("Delete");
        event["PhysicalResourceId"] = json!(marker);
        event["ResourceType"] = json!("Custom::Unknown");
        world.on_event(&event).await.unwrap();
        world.succeeded(marker);
        assert!(on_event.inputs().is_empty());
    }
}

/// CDK hands the URL to handlers; whoever has it can answer in our place, so here nobody gets it.
#[tokio::test(start_paused = true)]
async fn a18_a19_handlers_do_not_get_the_response_url() {
    let (on_event, is_complete) = (
        Script::ok([json!({})]),
        Script::ok([json!({ "IsComplete": true })]),
    );
    let world = World::polled(&on_event, &is_complete);
    world.on_event(&event("Create")).await.unwrap();
    world.wait().await;
    for input in on_event.inputs().iter().chain(&is_complete.inputs()) {
        assert!(!input.to_string().contains("amazonaws") && input.get("ResponseURL").is_none());
    }
}

/// CDK starts without a name and so twice for two deliveries; here the request's key is the name.
#[tokio::test(start_paused = true)]
async fn a20_waiter_is_named_after_the_request_and_given_references_only() {
    let world = World::polled(&Script::ok([json!({ "Secret": "hunter3" })]), &Script::default());
    world.on_event(&event("Create")).await.unwrap();
    let [(name, _)] = world.fakes.waiter.started().try_into().expect("one execution");
    assert!(
        name.len() <= 80
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        "{name}"
    );
    let input = world.fakes.waiter.input().unwrap();
    assert_eq!(
        input.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["Instance", "Request", "Deadline"]
    );
    assert_eq!(input["Instance"], "5b918d10-cd98-11ea-90d5/Thing");
    assert_eq!(input["Deadline"], "2026-01-01T00:59:00Z");
}
