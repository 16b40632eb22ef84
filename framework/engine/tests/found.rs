//! What the simulator has found, each as small as it goes. The seeds are those it was found with.

#![allow(clippy::unwrap_used, reason = "a test that breaks off fails")]

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::Operation;
use formwork_engine::{EngineError, Goal, Order};
use world::{AUTO, BLIND, INSTANCE, THING, World, blueprint, target};

fn one(spec: &str) -> String {
    blueprint(&[("it", THING, spec)], &[])
}

fn dated(world: &World, cause: &str, second: i64, goal: Goal) -> Order {
    Order {
        issued: jiff::Timestamp::from_second(second).ok(),
        ..world.order(cause, goal)
    }
}

/// Seeds 6 and 127: a Create that was tried again after its Delete made everything anew.
#[tokio::test(start_paused = true)]
async fn an_order_older_than_the_last_one_is_refused() {
    let world = World::new();
    let engine = world.engine();
    let deploy = || Goal::Deploy(target(&one("{name: a}")));
    engine
        .begin(INSTANCE, dated(&world, "first", 100, deploy()))
        .await
        .unwrap();
    engine
        .begin(
            INSTANCE,
            dated(&world, "delete", 200, Goal::Destroy { retain: false }),
        )
        .await
        .unwrap();
    for (cause, second) in [("late", 150), ("in the same second", 200)] {
        let refused = engine
            .begin(INSTANCE, dated(&world, cause, second, deploy()))
            .await;
        assert_eq!(refused.unwrap_err(), EngineError::Overtaken, "{cause}");
    }
    engine
        .begin(INSTANCE, dated(&world, "next", 201, deploy()))
        .await
        .unwrap();
}

/// Someone who reads that a Delete has failed may be quicker with the next one than the clock of ResponseURLs.
#[tokio::test(start_paused = true)]
async fn a_delete_in_the_second_of_one_that_failed_is_carried_out() {
    let world = World::new();
    let engine = world.engine();
    assert!(
        world
            .deploy_and_settle("create", &one("{name: a}"))
            .await
            .succeeded
    );
    world
        .cloud
        .fault(Operation::Delete, "", Fault::Fail("AccessDenied", "no"));
    let delete = |cause| dated(&world, cause, 200, Goal::Destroy { retain: false });
    let generation = engine.begin(INSTANCE, delete("delete")).await.unwrap();
    let beside = engine.begin(INSTANCE, delete("beside")).await;
    assert_eq!(beside.unwrap_err(), EngineError::Overtaken);
    assert!(!world.follow(&engine, generation).await.unwrap().succeeded);
    engine.settle(INSTANCE, generation).await.unwrap();
    let again = engine.begin(INSTANCE, delete("again")).await.unwrap();
    assert!(world.follow(&engine, again).await.unwrap().succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Seeds 1545 and 2645: two generations whose references go in opposite directions.
#[tokio::test(start_paused = true)]
async fn deletions_that_wait_for_each_other_by_name_are_begun() {
    let world = World::new();
    let there = blueprint(
        &[
            ("a", AUTO, "{kind: one}"),
            ("b", AUTO, r#"{kind: one, ref: "${resources.a.state.arn}"}"#),
        ],
        &[],
    );
    let back = blueprint(
        &[
            ("b", AUTO, "{kind: two}"),
            ("a", AUTO, r#"{kind: two, ref: "${resources.b.state.arn}"}"#),
        ],
        &[],
    );
    assert!(world.deploy_and_settle("there", &there).await.succeeded);
    // Both are replaced, and what they replaced cannot be deleted before the stack is.
    for _ in 0..2 {
        world
            .cloud
            .fault(Operation::Delete, "", Fault::Fail("AccessDenied", "no"));
    }
    world.deploy_and_settle("back", &back).await;
    assert_eq!(world.ids().len(), 4);
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// A creation with a secret whose answer stays lost until the deadline is found by the Delete, although its
/// document may not be kept.
#[tokio::test(start_paused = true)]
async fn a_creation_with_secrets_is_found_although_its_document_is_erased() {
    let text = blueprint(&[("it", AUTO, r#"{value: "${variables.password}"}"#)], &[]);
    let mut unheard = 0;
    for passage in 0..20 {
        let world = World::new();
        let mut secret = target(&text);
        secret
            .variables
            .insert("password".into(), "hunter2-correct-horse".into());
        let engine = world.engine();
        let order = world.order("create", Goal::Deploy(secret));
        let generation = engine.begin(INSTANCE, order).await.unwrap();
        // The process ends, and nobody comes back before the order is given up.
        world.fuse.light(passage);
        tokio::select! {
            biased;
            _ = world.follow(&engine, generation) => {}
            () = world.fuse.blown() => {}
        }
        world.fuse.douse();
        let heard = world.store.text(INSTANCE).unwrap().contains("request_token");
        unheard += usize::from(world.cloud.begun(Operation::Create) == 1 && !heard);
        world.engine().conclude(INSTANCE, &["create"]).await.unwrap();
        let stored = world.store.text(INSTANCE).unwrap();
        assert!(!stored.contains("hunter2"), "{passage}: {stored}");
        assert!(world.destroy("delete").await.succeeded, "{passage}");
        assert_eq!(world.ids(), Vec::<String>::new(), "{passage}");
    }
    assert!(unheard > 0, "no passage lies between the call and its answer");
}

/// Seed 397: an update that was to remove a secret failed; then nobody remembered whose the secret was.
#[tokio::test(start_paused = true)]
async fn what_a_failed_update_was_to_remove_is_removed_by_the_next() {
    let world = World::new();
    let with = blueprint(&[("it", AUTO, r#"{value: "${variables.password}"}"#)], &[]);
    let without = blueprint(&[("it", AUTO, "{kind: k}")], &[]);
    let with = with.replace("{value", "{kind: k, value");
    assert!(world.deploy_and_settle("create", &with).await.succeeded);
    world
        .cloud
        .fault(Operation::Update, "", Fault::Fail("Throttling", "Rate exceeded"));
    assert!(world.deploy_and_settle("update", &without).await.succeeded);
    assert_eq!(world.cloud.resources()[0].2.get("Value"), None);
}

/// Seed 23: what cannot be read was replaced by every update, because its secret seemed to be missing.
#[tokio::test(start_paused = true)]
async fn a_secret_of_what_cannot_be_read_is_no_change() {
    let world = World::new();
    let text = blueprint(
        &[("it", BLIND, r#"{name: a, value: "${variables.password}"}"#)],
        &[],
    );
    assert!(world.deploy_and_settle("create", &text).await.succeeded);
    assert!(world.deploy_and_settle("again", &text).await.succeeded);
    let begun = |operation| world.cloud.begun(operation);
    assert_eq!((begun(Operation::Create), begun(Operation::Update)), (1, 0));
}
