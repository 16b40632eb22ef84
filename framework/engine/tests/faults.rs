//! What goes wrong in the cloud, and what becomes of it.

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::{Clock, Operation};
use formwork_engine::{Action, Advance, Goal, Status};
use jiff::SignedDuration;
use serde_json::json;
use std::time::Duration;
use world::{AUTO, INSTANCE, THING, World, blueprint, report, target};

fn chain() -> String {
    blueprint(
        &[
            ("first", THING, "{name: first}"),
            (
                "second",
                THING,
                r#"{name: second, ref: "${resources.first.state.arn}"}"#,
            ),
            (
                "third",
                THING,
                r#"{name: third, ref: "${resources.second.state.arn}"}"#,
            ),
        ],
        &[],
    )
}

#[tokio::test(start_paused = true)]
async fn a_failure_stops_new_work_and_says_everything() {
    let world = World::new();
    world.cloud.fault(
        Operation::Create,
        "second",
        Fault::Fail("InvalidRequest", "Model validation failed (#/Ref: bad)"),
    );
    let outcome = world.deploy("create", &chain()).await;
    assert!(!outcome.succeeded);
    let shown: Vec<String> = outcome.failures.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "`second` (Test::Fake::Thing) create failed at orders.yaml:13:31, Ref: InvalidRequest: Model validation failed (#/Ref: bad)"
        ]
    );
    let expected = [
        ("first", Action::Create, Status::Done),
        ("second", Action::Create, Status::Failed),
        ("third", Action::Create, Status::Skipped),
    ];
    assert_eq!(report(&outcome), expected);

    world.settle().await;
    assert!(world.destroy("delete").await.succeeded);
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn running_operations_are_waited_for_after_a_failure() {
    let world = World::with_latency(Duration::from_secs(20));
    world.cloud.fault(
        Operation::Create,
        "bad",
        Fault::Refuse("ValidationException", "no"),
    );
    let text = blueprint(
        &[("bad", THING, "{name: bad}"), ("good", THING, "{name: good}")],
        &[],
    );
    let outcome = world.deploy("create", &text).await;
    assert_eq!(
        report(&outcome),
        [
            ("bad", Action::Create, Status::Failed),
            ("good", Action::Create, Status::Done)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_creation_left_is_deleted() {
    for kind in [THING, AUTO] {
        let world = World::new();
        world.cloud.fault(
            Operation::Create,
            "half",
            Fault::FailHalfway("NotStabilized", "took too long"),
        );
        let spec = if kind == THING {
            "{name: half}"
        } else {
            "{value: half}"
        };
        let outcome = world
            .deploy_and_settle("create", &blueprint(&[("it", kind, spec)], &[]))
            .await;
        assert!(!outcome.succeeded && world.ids().len() == 1);
        assert!(outcome.resources[0].identifier.is_some());
        assert!(world.destroy("delete").await.succeeded);
        assert!(world.ids().is_empty(), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_of_somebody_else_is_neither_taken_nor_deleted() {
    let world = World::new();
    world
        .cloud
        .put(THING, "first", json!({"Name": "first", "Value": "theirs"}));
    let outcome = world.deploy_and_settle("create", &chain()).await;
    assert!(!outcome.succeeded);
    let shown = outcome.failures[0].to_string();
    assert!(
        shown.contains("AlreadyExists") && shown.contains("import it"),
        "{shown}"
    );
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), ["first"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_recovered_from_the_token_conflict() {
    for replay in [false, true] {
        let world = World::new();
        if replay {
            world.cloud.replay_repeated_tokens();
        }
        world.cloud.fault(Operation::Create, "first", Fault::LoseAnswer);
        world.cloud.fault(Operation::Create, "second", Fault::LoseCall);
        let outcome = world.deploy("create", &chain()).await;
        assert!(outcome.succeeded, "{:?}", outcome.failures);
        assert_eq!(world.cloud.begun(Operation::Create), 3, "nothing was begun twice");
    }
}

#[tokio::test(start_paused = true)]
async fn throttling_and_service_faults_are_tried_again() {
    let world = World::new();
    world.cloud.fault(
        Operation::Create,
        "first",
        Fault::Refuse("ThrottlingException", "Rate exceeded"),
    );
    world.cloud.fault(
        Operation::Create,
        "first",
        Fault::Fail("Throttling", "Rate exceeded"),
    );
    world.cloud.fault(
        Operation::Create,
        "second",
        Fault::Fail("ServiceInternalError", "oops"),
    );
    world.cloud.fault(
        Operation::Create,
        "third",
        Fault::Fail("InvalidRequest", "The role cannot be assumed by the service"),
    );
    let outcome = world.deploy("create", &chain()).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(outcome.failures.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_retried_creation_that_had_worked_is_adopted() {
    for kind in [THING, AUTO] {
        let world = World::new();
        world.cloud.fault(
            Operation::Create,
            "one",
            Fault::FailHalfway("ServiceInternalError", "oops"),
        );
        let spec = if kind == THING {
            "{name: one}"
        } else {
            "{value: one}"
        };
        let outcome = world
            .deploy("create", &blueprint(&[("it", kind, spec)], &[]))
            .await;
        assert!(outcome.succeeded, "{:?}", outcome.failures);
        assert_eq!(world.ids().len(), 1, "{kind}");
        assert_eq!(report(&outcome), [("it", Action::Create, Status::Done)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_cannot_be_read_at_once_is_waited_for() {
    let world = World::new();
    world.cloud.fault(
        Operation::Create,
        "first",
        Fault::Unsettled(Duration::from_secs(12)),
    );
    let outcome = world.deploy("create", &chain()).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
}

#[tokio::test(start_paused = true)]
async fn a_resource_deleted_behind_our_back_is_made_anew() {
    let world = World::new();
    world.deploy_and_settle("create", &chain()).await;
    world.cloud.take(THING, "second");
    let outcome = world.deploy("update", &chain()).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(report(&outcome)[1], ("second", Action::Create, Status::Done));
    assert_eq!(world.ids(), ["first", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_others_hold_up_is_tried_again() {
    let world = World::new();
    world.deploy_and_settle("create", &chain()).await;
    for _ in 0..3 {
        world.cloud.fault(
            Operation::Delete,
            "second",
            Fault::Fail("GeneralServiceException", "it has a dependent object"),
        );
    }
    let outcome = world.destroy("delete").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
}

#[tokio::test(start_paused = true)]
async fn a_failed_deletion_keeps_what_it_needs_and_a_second_destroy_finishes() {
    let world = World::new();
    world.deploy_and_settle("create", &chain()).await;
    world
        .cloud
        .fault(Operation::Delete, "second", Fault::Fail("AccessDenied", "no"));
    let outcome = world.destroy("delete").await;
    assert!(!outcome.succeeded);
    assert_eq!(world.ids(), ["first", "second"]);
    world.settle().await;
    assert!(world.destroy("delete again").await.succeeded);
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_rollback_takes_the_replaced_resource_back() {
    let world = World::new();
    let text = |kind: &str, value: &str| {
        let user = format!(r#"{{name: user, value: {value}, ref: "${{resources.auto}}"}}"#);
        blueprint(
            &[
                ("auto", AUTO, &format!("{{kind: {kind}}}")),
                ("user", THING, &user),
            ],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one", "x")).await;
    world
        .cloud
        .fault(Operation::Update, "user", Fault::Fail("InvalidRequest", "no"));
    let outcome = world.deploy_and_settle("update", &text("two", "y")).await;
    assert!(
        !outcome.succeeded && world.ids().len() == 3,
        "old and new stand side by side"
    );
    let outcome = world.deploy_and_settle("rollback", &text("one", "x")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        world.ids(),
        ["made-1", "user"],
        "the old one is the current one again"
    );
    assert!(world.destroy("delete").await.succeeded);
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_leftover_that_cannot_be_deleted_is_reported_and_tried_again_next_time() {
    let world = World::new();
    let text = |kind: &str| blueprint(&[("auto", AUTO, &format!("{{kind: {kind}}}"))], &[]);
    world.deploy_and_settle("create", &text("one")).await;
    world
        .cloud
        .fault(Operation::Delete, "made-1", Fault::Fail("AccessDenied", "no"));
    let outcome = world.deploy_and_settle("update", &text("two")).await;
    assert!(
        outcome.succeeded && outcome.failures[0].leftover,
        "{:?}",
        outcome.failures
    );
    let outcome = world.deploy_and_settle("update again", &text("two")).await;
    assert!(outcome.succeeded && outcome.failures.is_empty());
    assert_eq!(world.ids(), ["made-2"]);
}

#[tokio::test(start_paused = true)]
async fn a_destroy_during_a_create_awaits_what_is_in_flight() {
    let world = World::with_latency(Duration::from_secs(60));
    let engine = world.engine();
    let created = engine
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&chain()))))
        .await
        .unwrap();
    assert!(matches!(
        engine.advance(INSTANCE, created, world.soon(5)).await.unwrap(),
        Advance::Again { .. }
    ));
    let deleted = engine
        .begin(INSTANCE, world.order("delete", Goal::Destroy { retain: false }))
        .await
        .unwrap();
    assert!(matches!(
        engine.advance(INSTANCE, created, world.soon(5)).await.unwrap(),
        Advance::Superseded
    ));
    let outcome = world.finish(&engine, deleted).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!((world.cloud.begun(Operation::Create), world.ids().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_cancels_and_says_what_was_pending() {
    let mut world = World::new();
    world.timeout = SignedDuration::from_secs(30);
    world.cloud.fault(Operation::Create, "second", Fault::Stuck);
    let outcome = world.deploy("create", &chain()).await;
    assert!(!outcome.succeeded);
    let shown: Vec<String> = outcome.failures.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown[0],
        "deploy failed: Timeout: the deadline passed with resources pending: `second`, `third`"
    );
    assert!(
        world.clock.elapsed() < Duration::from_secs(45),
        "{:?}",
        world.clock.elapsed()
    );
    world.settle().await;
    assert!(world.destroy("delete").await.succeeded);
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_outlives_the_deadline_is_awaited_by_the_next_order() {
    let mut world = World::with_latency(Duration::from_secs(120));
    world
        .deploy_and_settle("create", &blueprint(&[("one", THING, "{name: one}")], &[]))
        .await;
    world.timeout = SignedDuration::from_secs(30);
    assert!(
        !world.destroy("delete").await.succeeded,
        "a deletion is not cancelled"
    );
    world.timeout = SignedDuration::from_secs(300);
    assert!(world.destroy("delete again").await.succeeded);
    assert_eq!((world.cloud.begun(Operation::Delete), world.ids().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn two_processes_at_once_do_nothing_twice() {
    let world = World::new();
    let (one, two) = (world.engine(), world.engine());
    let generation = one
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&chain()))))
        .await
        .unwrap();
    let (first, second) = tokio::join!(world.finish(&one, generation), world.finish(&two, generation));
    assert!(
        first.succeeded && second.succeeded,
        "{:?} {:?}",
        first.failures,
        second.failures
    );
    assert_eq!(world.cloud.begun(Operation::Create), 3);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_out_of_order_for_a_moment_is_waited_for() {
    let world = World::new();
    let engine = world.engine();
    let generation = engine
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&chain()))))
        .await
        .unwrap();
    world.store.fail_saves(2);
    assert!(world.finish(&engine, generation).await.succeeded);
    world.store.fail_saves(1_000);
    let generation = world.store.text(INSTANCE).map(|_| generation).unwrap();
    assert!(engine.settle(INSTANCE, generation).await.is_err());
    world.clock.sleep(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_replacement_that_failed_halfway_and_is_retried_leaves_one_resource() {
    let world = World::new();
    let text = |kind: &str| blueprint(&[("auto", AUTO, &format!("{{kind: {kind}}}"))], &[]);
    world.deploy_and_settle("create", &text("one")).await;
    world.cloud.fault(
        Operation::Create,
        "two",
        Fault::FailHalfway("ServiceInternalError", "oops"),
    );
    let outcome = world.deploy_and_settle("update", &text("two")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        world.ids(),
        ["made-2"],
        "what the first attempt made is used, the old one is gone"
    );
    assert_eq!(world.cloud.resources()[0].2["Kind"], "two");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_overtaken_does_not_repeat_its_calls() {
    let world = World::new();
    let (old, new) = (world.engine(), world.engine());
    // Its first call is refused for a while, so that the old process waits to call again.
    world.cloud.fault(Operation::Create, "first", Fault::LoseCall);
    let created = old
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&chain()))))
        .await
        .unwrap();
    let overtake = async {
        world.clock.sleep(Duration::from_millis(10)).await;
        // As often as it is asked what became of the call.
        for _ in 0..9 {
            let denied = Fault::Refuse("AccessDeniedException", "no");
            world.cloud.fault(Operation::Create, "first", denied);
        }
        let order = world.order("delete", Goal::Destroy { retain: false });
        let deleted = new.begin(INSTANCE, order).await.unwrap();
        let outcome = world.follow(&new, deleted).await;
        // The old one does not learn of it by its first write.
        world.store.fail_saves(1);
        outcome
    };
    let (outcome, superseded) = tokio::join!(overtake, world.follow(&old, created));
    assert!(outcome.unwrap().succeeded && superseded.is_none());
    assert_eq!((world.cloud.begun(Operation::Create), world.ids().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_creation_left_is_known_to_an_order_that_comes_before_it_was_looked_at() {
    for passage in 0..40 {
        let world = World::new();
        world.cloud.fault(
            Operation::Create,
            "half",
            Fault::FailHalfway("ServiceInternalError", "oops"),
        );
        let text = blueprint(&[("it", AUTO, "{value: half}")], &[]);
        world.fuse.light(passage);
        tokio::select! {
            biased;
            _ = world.deploy("create", &text) => {}
            () = world.fuse.blown() => {}
        }
        world.fuse.douse();
        world
            .deploy(
                "update",
                &blueprint(
                    &[("it", AUTO, "{value: half}"), ("more", THING, "{name: more}")],
                    &[],
                ),
            )
            .await;
        assert!(world.destroy("delete").await.succeeded);
        assert!(world.ids().is_empty(), "ended at {passage}");
    }
}
