//! Secrets go to the cloud and nowhere else.

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::Operation;
use formwork_engine::{Advance, EngineError, Goal, Target, UpkeepError};
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

    engine.conclude(INSTANCE, &["create"]).await.unwrap();

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

/// Whatever a service makes up may be secret as well, and nobody says so.
#[tokio::test(start_paused = true)]
async fn a_settled_document_holds_nothing_that_a_service_has_added() {
    const GENERATED: &str = "generated-by-the-service";
    let world = World::new();
    world.carry_out("create", Goal::Deploy(secret_target("x"))).await;
    world.settle().await;
    let (_, _, mut model) = world
        .cloud
        .resources()
        .into_iter()
        .find(|(_, id, _)| id == "db")
        .unwrap();
    model["Password"] = GENERATED.into();
    world.cloud.put(THING, "db", model);
    world.carry_out("again", Goal::Deploy(secret_target("x"))).await;
    let text = || world.store.text(INSTANCE).unwrap();
    assert!(
        text().contains(GENERATED),
        "what others may refer to is kept while the order is open"
    );
    world.settle().await;
    assert!(!text().contains(GENERATED), "{}", text());
    // It is read again when it is needed.
    let outcome = world.carry_out("third", Goal::Deploy(secret_target("y"))).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(text().contains(GENERATED));
}

/// A new process for every look, and for every moment of the work.
#[tokio::test(start_paused = true)]
async fn an_operator_sees_no_secret_at_any_moment() {
    let world = World::with_latency(Duration::from_secs(5));
    let order = world.order("create", Goal::Deploy(secret_target("x")));
    let generation = world.engine().begin(INSTANCE, order).await.unwrap();
    let mut moments = 0;
    loop {
        let view = world.engine().view(INSTANCE).await.unwrap().unwrap();
        assert!(!format!("{view:?}").contains(SECRET), "{view:?}");
        assert!(
            world.store.text(INSTANCE).unwrap().contains(SECRET),
            "there is something to hide"
        );
        moments += 1;
        match world
            .engine()
            .advance(INSTANCE, generation, world.soon(1))
            .await
            .unwrap()
        {
            Advance::Again { .. } => {}
            Advance::Done(_) => break,
            Advance::Superseded => panic!("nobody else is here"),
        }
    }
    assert!(moments > 5, "{moments}");
    for settled in [false, true] {
        let view = world.engine().view(INSTANCE).await.unwrap().unwrap();
        assert!(!format!("{view:?}").contains(SECRET), "{view:?}");
        assert!(
            view.resources
                .iter()
                .all(|resource| resource.live.is_none() == settled)
        );
        let db = view
            .resources
            .iter()
            .find(|resource| resource.name == "db")
            .unwrap();
        assert_eq!(db.applied.as_ref().unwrap()["Value"], "*****");
        assert_eq!(db.hidden, ["/Secret", "/Value"]);
        if !settled {
            world.settle().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_that_an_operator_has_ended_leaves_no_secret() {
    let world = World::with_latency(Duration::from_secs(60));
    let engine = world.engine();
    let order = world.order("create", Goal::Deploy(secret_target("x")));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    engine.advance(INSTANCE, generation, world.soon(5)).await.unwrap();
    let serial = engine.view(INSTANCE).await.unwrap().unwrap().serial;
    assert_eq!(
        engine.release(INSTANCE, serial + 1).await,
        Err(UpkeepError::Changed),
        "another document than the one that was looked at"
    );
    engine.release(INSTANCE, serial).await.unwrap();
    let document = world.store.text(INSTANCE).unwrap();
    assert!(!document.contains(SECRET), "{document}");
    // Whoever carries it on all the same is told that it has ended.
    let told = engine.advance(INSTANCE, generation, world.soon(5)).await.unwrap();
    let Advance::Done(outcome) = told else {
        panic!("{told:?}")
    };
    assert!(!outcome.succeeded);
    assert_eq!(outcome.failures[0].code, "Released");
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}
