//! Parts of AWS that do not answer, and functions that are not set up.

use crate::small;
use formwork_sandbox::{Call, Effect, Fault};
use formwork_tests::{Setup, World, eventually};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::time::Duration;

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn unreachable_cloud_control_is_answered_within_the_timeout() {
    let world = with(&[("AWS_ENDPOINT_URL_CLOUDCONTROL", NOWHERE)]).await;
    let mut create = small::create(&world);
    create["ResourceProperties"]["Timeout"] = "4".into();
    let reason = failed(&world, &create).await;
    assert!(reason.contains("topic"), "{reason}");
    world.finish().await;
}

#[tokio::test]
async fn unreachable_state_store_is_named() {
    let world = without_a_store(&[("AWS_ENDPOINT_URL_S3", NOWHERE)]).await;
    let create = of_ten_minutes_ago(small::create(&world));
    let reason = failed(&world, &create).await;
    assert!(reason.contains("store"), "{reason}");
    assert_eq!(
        world.sandbox.resources().len(),
        0,
        "nothing may be made that cannot be remembered"
    );
    world.finish().await;
}

#[tokio::test]
async fn unreachable_everything_is_answered() {
    let world = without_a_store(&[("AWS_ENDPOINT_URL", NOWHERE)]).await;
    let create = of_ten_minutes_ago(small::create(&world));
    failed(&world, &create).await;
    world.finish().await;
}

#[tokio::test]
async fn unreachable_waiter_fails_with_the_real_id() {
    let mut setup = Setup {
        poll_window_seconds: 2,
        ..Setup::default()
    };
    setup.variables.push(("AWS_ENDPOINT_URL_SFN", NOWHERE.into()));
    let slow = Fault::new(Effect::Slow(Duration::from_secs(5)));
    setup.sandbox.faults.push(slow.on(Call::CreateResource).times(1));
    let world = World::start(setup).await;
    let create = small::create(&world);
    assert!(world.send(&create).await.is_err());
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    assert!(small::id(&answer).starts_with("small-Small-"), "{answer}");
    eventually("the topic was made all the same", || {
        world.sandbox.resources().len() == 1
    })
    .await;
    let delete = small::delete(&world, small::id(&answer));
    world.send(&delete).await.unwrap();
    let answer = world.answer(&delete).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 0);
    world.finish().await;
}

#[tokio::test]
async fn a_function_without_its_settings_answers_which() {
    let world = with(&[("FORMWORK_STATE_URL", "")]).await;
    let create = small::create(&world);
    let reason = failed(&world, &create).await;
    assert!(reason.contains("`FORMWORK_STATE_URL`"), "{reason}");
    world.finish().await;
}

#[tokio::test]
async fn a_response_sink_in_trouble_is_tried_again() {
    let mut setup = Setup::default();
    setup
        .sandbox
        .faults
        .push(Fault::new(Effect::ServerError(503)).on(Call::Respond).times(2));
    let world = World::start(setup).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    assert_eq!(world.calls("Respond"), 3);
    world.finish().await;
}

#[tokio::test]
async fn throttled_and_stumbling_services_only_cost_time() {
    let mut setup = Setup::default();
    let throttled = Fault::refuse("ThrottlingException", "Rate exceeded");
    setup.sandbox.faults = vec![
        throttled.clone().on(Call::CreateResource).times(2),
        throttled.on(Call::GetResourceRequestStatus).times(1),
        Fault::new(Effect::ServerError(500))
            .on(Call::GetResource)
            .times(1),
        Fault::new(Effect::ServerError(503)).on(Call::PutObject).times(1),
    ];
    let world = World::start(setup).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 2);
    world.finish().await;
}

#[tokio::test]
async fn a_lost_answer_of_the_cloud_duplicates_nothing() {
    let mut setup = Setup::default();
    setup
        .sandbox
        .faults
        .push(Fault::new(Effect::LoseResponse).on(Call::CreateResource).times(2));
    let world = World::start(setup).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    assert_eq!(answer["Status"], "SUCCESS", "{answer}");
    assert_eq!(world.sandbox.resources().len(), 2);
    world.finish().await;
}

async fn with(variables: &[(&'static str, &str)]) -> World {
    start(variables, Setup::default()).await
}

/// Functions wait for a store while they have time, so they have little.
async fn without_a_store(variables: &[(&'static str, &str)]) -> World {
    let timeout = Duration::from_secs(4);
    start(
        variables,
        Setup {
            timeout,
            ..Setup::default()
        },
    )
    .await
}

async fn start(variables: &[(&'static str, &str)], setup: Setup) -> World {
    let variables = variables
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    World::start(Setup { variables, ..setup }).await
}

/// Lambda's attempts take minutes, and an answer that cannot be written down waits for them: somebody may still
/// write it down. Here they follow each other at once.
fn of_ten_minutes_ago(mut event: Value) -> Value {
    let url = event["ResponseURL"].as_str().unwrap();
    let (before, rest) = url.split_once("X-Amz-Date=").unwrap();
    let (date, after) = rest.split_once('&').unwrap();
    let date = date.parse::<Timestamp>().unwrap() - SignedDuration::from_mins(10);
    event["ResponseURL"] = format!("{before}X-Amz-Date={}&{after}", date.strftime("%Y%m%dT%H%M%SZ")).into();
    event
}

/// Where nothing can be written down, the attempts fail and the last resort answers.
async fn failed(world: &World, event: &Value) -> String {
    let _ = world.send(event).await;
    let answer = world.answer(event).await;
    assert_eq!(answer["Status"], "FAILED", "{answer}");
    answer["Reason"]
        .as_str()
        .expect("a failure has a reason")
        .to_owned()
}
