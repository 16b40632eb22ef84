//! Secrets go to the cloud and nowhere else.

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::Operation;
use formwork_engine::{Advance, EngineError, Goal, Target};
use std::time::Duration;
use world::{INSTANCE, THING, World, blueprint, target};

const SECRET: &str = "hunter2-correct-horse";

fn secret_target(extra: &str) -> Target {
    let text = blueprint(
        &[
            (
                "db",
                THING,
                r#"{name: db, secret: "${variables.password}", value: "url://${variables.password}@host"}"#,
            ),
            (
                "app",
                THING,
                &format!(r#"{{name: app, ref: "${{resources.db.state.value}}", value: "{extra}"}}"#),
            ),
        ],
        &[
            ("url", "resources.db.state.value"),
            ("arn", "resources.db.state.arn"),
        ],
    );
    let mut target = target(&text);
    target.variables.insert("password".into(), SECRET.into());
    target
}

#[tokio::test(start_paused = true)]
async fn a_settled_document_holds_no_secret() {
    let world = World::new();
    let outcome = world.carry_out("create", Goal::Deploy(secret_target("x"))).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(outcome.exports["url"].has_secret() && !outcome.exports["arn"].has_secret());
    let app = world
        .cloud
        .resources()
        .into_iter()
        .find(|(_, id, _)| id == "app")
        .unwrap()
        .2;
    assert_eq!(
        app["Ref"],
        format!("url://{SECRET}@host"),
        "the cloud gets it in clear"
    );
    world.settle().await;
    let document = world.store.text(INSTANCE).unwrap();
    assert!(!document.contains(SECRET), "{document}");
    assert!(!format!("{outcome:?}").contains(SECRET), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_generation_keeps_what_is_in_flight_and_no_secret() {
    let world = World::with_latency(Duration::from_secs(60));
    let engine = world.engine();
    let order = world.order("create", Goal::Deploy(secret_target("x")));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    let left = engine.advance(INSTANCE, generation, world.soon(5)).await.unwrap();
    assert!(matches!(left, Advance::Again { .. }), "{left:?}");
    assert_eq!(
        engine.settle(INSTANCE, generation).await,
        Err(EngineError::Unfinished)
    );

    engine.abandon(INSTANCE, generation).await.unwrap();

    let document = world.store.text(INSTANCE).unwrap();
    assert!(!document.contains(SECRET), "{document}");
    let outcome = world.destroy("delete").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.ids(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn no_failure_event_or_debug_text_holds_a_secret() {
    let world = World::new();
    world.cloud.fault(
        Operation::Create,
        "app",
        Fault::Fail("InvalidRequest", "cannot reach url://hunter2-correct-horse@host"),
    );
    let outcome = world.carry_out("create", Goal::Deploy(secret_target("x"))).await;
    assert!(
        outcome.failures[0].to_string().contains("*****"),
        "{}",
        outcome.failures[0]
    );
    let deployment = world.engine().load(INSTANCE).await.unwrap().unwrap();
    for text in [
        format!("{:?}", outcome.failures),
        format!("{:?}", world.recorder.events()),
        format!("{deployment:?}"),
    ] {
        assert!(!text.contains(SECRET), "{text}");
    }
    world.settle().await;
    assert!(!world.store.text(INSTANCE).unwrap().contains(SECRET));
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_secret_is_no_change_and_a_changed_one_is_sent() {
    let world = World::new();
    world.carry_out("create", Goal::Deploy(secret_target("x"))).await;
    world.settle().await;
    assert!(
        world
            .carry_out("same", Goal::Deploy(secret_target("x")))
            .await
            .succeeded
    );
    world.settle().await;
    assert_eq!(world.cloud.begun(Operation::Update), 0);
    let mut changed = secret_target("x");
    changed
        .variables
        .insert("password".into(), "another-battery-staple".into());
    assert!(world.carry_out("changed", Goal::Deploy(changed)).await.succeeded);
    let db = world
        .cloud
        .resources()
        .into_iter()
        .find(|(_, id, _)| id == "db")
        .unwrap()
        .2;
    assert_eq!(db["Secret"], "another-battery-staple");
}

#[tokio::test(start_paused = true)]
async fn a_superseded_order_leaves_no_secret_behind() {
    let world = World::new();
    let engine = world.engine();
    engine
        .begin(INSTANCE, world.order("create", Goal::Deploy(secret_target("x"))))
        .await
        .unwrap();
    assert!(
        world.store.text(INSTANCE).unwrap().contains(SECRET),
        "inputs are kept while the order runs"
    );
    world.destroy("delete").await;
    assert!(!world.store.text(INSTANCE).unwrap().contains(SECRET));
}
