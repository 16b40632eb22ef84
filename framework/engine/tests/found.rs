//! What the simulator has found, each as small as it goes. The seeds are those it was found with.

#![allow(clippy::unwrap_used, reason = "a test that breaks off fails")]

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::{Call, Cloud, Mutation, Operation};
use formwork_engine::{EngineError, Goal, Order, Stage};
use std::time::Duration;
use world::{AUTO, BLIND, FIXED, INSTANCE, LABEL, THING, World, blueprint, target};

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
    assert!(!world.follow(&engine, generation).await.unwrap().succeeded);
    engine.settle(INSTANCE, generation).await.unwrap();
    let again = engine.begin(INSTANCE, delete("again")).await.unwrap();
    assert!(world.follow(&engine, again).await.unwrap().succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Kills, 2000 and 32000: a Delete was refused because the Create of the same second had begun to take itself back.
#[tokio::test(start_paused = true)]
async fn a_delete_goes_before_what_takes_the_create_of_the_same_second_back() {
    let world = World::new();
    let engine = world.engine();
    let destroy = |cause| dated(&world, cause, 200, Goal::Destroy { retain: false });
    let create = dated(&world, "create", 200, Goal::Deploy(target(&one("{name: a}"))));
    engine.begin(INSTANCE, create).await.unwrap();
    let back = || engine.take_back(INSTANCE, "create", destroy("create/back"));
    let generation = back().await.unwrap();
    let deleted = engine.begin(INSTANCE, destroy("delete")).await.unwrap();
    assert!(deleted > generation);
    assert_eq!(back().await.unwrap(), generation, "it has begun before");
    let late = engine.take_back(INSTANCE, "create", destroy("late")).await;
    assert_eq!(late.unwrap_err(), EngineError::Overtaken);
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

/// A call whose answer was lost, then refused when it was made again: the service may have carried out the first.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_not_forgotten_when_it_is_then_refused() {
    let of = |value: &str| blueprint(&[("it", AUTO, &format!("{{kind: k, value: {value}}}"))], &[]);
    let denied = || Fault::Refuse("AccessDeniedException", "no");
    for operation in [Operation::Create, Operation::Update, Operation::Delete] {
        let world = World::new();
        if operation != Operation::Create {
            assert!(world.deploy_and_settle("before", &of("one")).await.succeeded);
        }
        world.cloud.fault(operation, "", Fault::LoseAnswer);
        world.cloud.fault(operation, "", denied());
        let outcome = match operation {
            Operation::Delete => world.destroy("it").await,
            _ => world.deploy_and_settle("it", &of("two")).await,
        };
        assert!(!outcome.succeeded, "{operation:?}");
        // The next order finds out, whatever it wants.
        assert!(
            world.deploy_and_settle("after", &of("one")).await.succeeded,
            "{operation:?}"
        );
        assert_eq!(world.ids().len(), 1, "{operation:?}");
        assert_eq!(world.cloud.resources()[0].2["Value"], "one", "{operation:?}");
        assert!(world.destroy("delete").await.succeeded);
        assert_eq!(world.ids(), Vec::<String>::new(), "{operation:?}");
    }
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

/// Seed 162747: nobody remembered what a creation that had failed half-way was given.
#[tokio::test(start_paused = true)]
async fn what_a_failed_creation_gave_is_removed_by_the_next_update() {
    let of = |spec: &str| blueprint(&[("it", AUTO, spec)], &[]);
    let with = of(r#"{kind: k, value: "${variables.password}"}"#);
    for failed_update in [false, true] {
        let world = World::new();
        let unstable = || Fault::FailHalfway("NotStabilized", "it did not come up");
        world.cloud.fault(Operation::Create, "", unstable());
        let first = if failed_update {
            of("{kind: k}")
        } else {
            with.clone()
        };
        assert!(!world.deploy_and_settle("create", &first).await.succeeded);
        if failed_update {
            world.cloud.fault(Operation::Update, "", unstable());
            assert!(!world.deploy_and_settle("with", &with).await.succeeded);
        }
        assert_eq!(world.ids().len(), 1);
        assert!(
            world
                .deploy_and_settle("without", &of("{kind: k}"))
                .await
                .succeeded
        );
        let left = world.cloud.resources();
        assert_eq!((left.len(), left[0].2.get("Value")), (1, None), "{failed_update}");
    }
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

/// Seed 55021: a leftover's deletion was forgotten when the next order met what it had still not given free.
#[tokio::test(start_paused = true)]
async fn what_a_leftover_has_is_waited_for() {
    let world = World::new();
    let labelled = blueprint(&[("it", LABEL, "{label: one, kind: a}")], &[]);
    let other = blueprint(&[("it", AUTO, "{kind: a}")], &[]);
    assert!(world.deploy_and_settle("create", &labelled).await.succeeded);
    world.cloud.fault(Operation::Delete, "", Fault::Stuck);
    let engine = world.engine();
    let order = world.order("update", Goal::Deploy(target(&other)));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    let until = world.soon(20);
    engine.advance(INSTANCE, generation, until).await.unwrap();
    assert_eq!(world.cloud.begun(Operation::Delete), 1);
    let cloud = world.cloud.clone();
    let ends = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        cloud.end_stuck();
    });
    let outcome = world.deploy_and_settle("rollback", &labelled).await;
    ends.await.unwrap();
    assert!(outcome.succeeded, "{outcome:?}");
    assert_eq!(world.ids().len(), 1);
    assert_eq!(world.cloud.resources()[0].0, LABEL);
    let known = world.engine().load(INSTANCE).await.unwrap().unwrap();
    assert_eq!(known.resources["it"].identifier, world.ids().first().cloned());
}

/// A leftover that has what there can be only once goes before what is to have it.
#[tokio::test(start_paused = true)]
async fn a_leftover_makes_room() {
    let world = World::new();
    let labelled = |kind| blueprint(&[("it", LABEL, &format!("{{label: one, kind: {kind}}}"))], &[]);
    let other = blueprint(&[("it", AUTO, "{kind: a}")], &[]);
    assert!(world.deploy_and_settle("create", &labelled("a")).await.succeeded);
    world
        .cloud
        .fault(Operation::Delete, "", Fault::Fail("AccessDenied", "no"));
    assert!(world.deploy_and_settle("update", &other).await.succeeded);
    assert_eq!(world.ids().len(), 2);
    let outcome = world.deploy_and_settle("again", &labelled("b")).await;
    assert!(outcome.succeeded, "{outcome:?}");
    assert_eq!(world.ids().len(), 1);
    assert_eq!(world.cloud.resources()[0].2["Kind"], "b");
}

/// Seed 529226: a leftover that could not be deleted was taken for the new one, and kept what the author had dropped.
#[tokio::test(start_paused = true)]
async fn a_leftover_that_cannot_be_deleted_is_not_taken_for_the_new_one() {
    let world = World::new();
    let labelled = |spec| blueprint(&[("it", LABEL, spec)], &[]);
    let other = blueprint(&[("it", AUTO, "{kind: a}")], &[]);
    let create = labelled("{label: one, kind: a, value: v}");
    assert!(world.deploy_and_settle("create", &create).await.succeeded);
    for _ in 0..2 {
        let denied = Fault::Refuse("AccessDeniedException", "no");
        world.cloud.fault(Operation::Delete, "", denied);
    }
    assert!(world.deploy_and_settle("update", &other).await.succeeded);
    let outcome = world
        .deploy_and_settle("again", &labelled("{label: one, kind: b}"))
        .await;
    assert!(!outcome.succeeded);
    let says = |failure: &formwork_engine::Failure| {
        let why = "which could not be deleted: AccessDenied";
        failure.operation == "create" && failure.message.contains(why)
    };
    assert!(outcome.failures.iter().any(says), "{:?}", outcome.failures);
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Seeds 63729 and 79303: what an earlier attempt had made was taken for somebody else's because its secret cannot be
/// read.
#[tokio::test(start_paused = true)]
async fn what_an_earlier_attempt_made_is_known_again_although_its_secret_is_not_read() {
    let world = World::new();
    let text = blueprint(
        &[("it", THING, r#"{name: a, secret: "${variables.password}"}"#)],
        &[],
    );
    let unseen = Fault::FailUnseen("ServiceInternalError", "no", Duration::from_secs(10));
    world.cloud.fault(Operation::Create, "", unseen);
    let outcome = world.deploy_and_settle("create", &text).await;
    assert!(outcome.succeeded, "{outcome:?}");
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Seed 74069: what an attempt had made could not be read yet, and the next attempt was not allowed to look.
#[tokio::test(start_paused = true)]
async fn what_an_earlier_attempt_may_have_made_is_deleted_although_nobody_has_seen_it() {
    let world = World::new();
    let text = blueprint(&[("it", THING, "{name: a}")], &[]);
    let unseen = Fault::FailUnseen("ServiceInternalError", "no", Duration::from_secs(10));
    world.cloud.fault(Operation::Create, "", unseen);
    world.cloud.fault(
        Operation::Create,
        "",
        Fault::Refuse("AccessDeniedException", "no"),
    );
    assert!(!world.deploy_and_settle("create", &text).await.succeeded);
    assert_eq!(world.ids(), ["a"]);
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Seed 83456: an update arrived after the rollback had asked about it, and had its effect in spite of that.
#[tokio::test(start_paused = true)]
async fn a_call_that_arrives_late_is_still_undone() {
    let world = World::new();
    let of = |value| blueprint(&[("it", AUTO, &format!("{{value: {value}}}"))], &[]);
    assert!(world.deploy_and_settle("create", &of("one")).await.succeeded);
    world.cloud.fault(Operation::Update, "", Fault::LoseCall);
    world.cloud.fault(
        Operation::Update,
        "",
        Fault::Refuse("AccessDeniedException", "no"),
    );
    let engine = world.engine();
    let order = world.order("update", Goal::Deploy(target(&of("two"))));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    assert!(!world.finish(&engine, generation).await.succeeded);
    let known = engine.load(INSTANCE).await.unwrap().unwrap();
    let operation = known.resources["it"].operation.clone().unwrap();
    let late = Mutation {
        type_name: AUTO.into(),
        client_token: operation.client_token,
        role_arn: None,
        call: Call::Update {
            identifier: operation.identifier.unwrap(),
            patch_document: operation.payload.unwrap(),
        },
    };
    world.settle().await;
    let cloud = world.cloud.clone();
    let arrives = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(28)).await;
        cloud.mutate(&late).await.unwrap();
    });
    assert!(world.deploy_and_settle("rollback", &of("one")).await.succeeded);
    arrives.await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(world.cloud.resources()[0].2["Value"], "one");
}

/// Seeds 49511 and 103714: a deletion that failed after it was done left something that cannot be read, and so was taken
/// to be there.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_and_may_be_deleted_is_made_anew() {
    let world = World::new();
    let both = blueprint(&[("it", BLIND, "{name: a}"), ("other", AUTO, "{kind: k}")], &[]);
    let one = blueprint(&[("other", AUTO, "{kind: k}")], &[]);
    assert!(world.deploy_and_settle("create", &both).await.succeeded);
    world
        .cloud
        .fault(Operation::Delete, "", Fault::FailHalfway("NotStabilized", "no"));
    assert!(world.deploy_and_settle("update", &one).await.succeeded);
    assert!(world.deploy_and_settle("again", &both).await.succeeded);
    assert_eq!(world.ids().len(), 2);
    assert!(world.destroy("delete").await.succeeded);
    assert_eq!(world.ids(), Vec::<String>::new());
}

/// Seeds 57579, 59925, 79876, 93109 and 94618: two resources came to refer to each other, so that none could be deleted.
#[tokio::test(start_paused = true)]
async fn what_still_refers_to_its_dependent_is_replaced() {
    for passages in [1, 2] {
        let world = World::new();
        let there = blueprint(
            &[
                ("a", AUTO, "{value: one}"),
                ("b", FIXED, r#"{kind: "${resources.a.state.arn}"}"#),
            ],
            &[],
        );
        let apart = blueprint(&[("a", AUTO, "{value: one}"), ("b", FIXED, "{}")], &[]);
        let back = blueprint(
            &[
                ("b", FIXED, "{}"),
                ("a", AUTO, r#"{value: one, ref: "${resources.b.state.arn}"}"#),
            ],
            &[],
        );
        assert!(world.deploy_and_settle("there", &there).await.succeeded);
        let bound = world.ids();
        if passages == 2 {
            assert!(world.deploy_and_settle("apart", &apart).await.succeeded);
            assert_eq!(world.ids(), bound, "to drop it changes nothing");
        }
        let plan = world.engine().plan(INSTANCE, &target(&back)).await.unwrap();
        let planned = plan.changes.iter().find(|change| change.name == "b").unwrap();
        assert_eq!(planned.action, formwork_engine::Action::Replace);
        assert!(
            planned.reasons[0].message.contains("still refers to `a`"),
            "{planned:?}"
        );
        assert!(world.deploy_and_settle("back", &back).await.succeeded);
        let resources = world.cloud.resources();
        let b = resources.iter().find(|(kind, _, _)| kind == FIXED).unwrap();
        assert_eq!(b.2.get("Kind"), None, "{resources:?}");
        assert!(world.destroy("delete").await.succeeded);
        assert_eq!(world.ids(), Vec::<String>::new());
    }
}

/// Seed 237197: a rollback that came between an update and its confirmation read what was there before the update.
#[tokio::test(start_paused = true)]
async fn a_rollback_does_not_believe_a_read_that_lags_behind_the_update() {
    let world = World::new();
    let of = |value| blueprint(&[("it", AUTO, &format!("{{value: {value}}}"))], &[]);
    assert!(world.deploy_and_settle("create", &of("one")).await.succeeded);
    let lags = Fault::Lags(Duration::from_secs(5), Duration::from_secs(10));
    world.cloud.fault(Operation::Update, "", lags);
    let engine = world.engine();
    let order = world.order("update", Goal::Deploy(target(&of("two"))));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    let until = world.soon(4);
    engine.advance(INSTANCE, generation, until).await.unwrap();
    let known = engine.load(INSTANCE).await.unwrap().unwrap();
    assert_eq!(known.resources["it"].work.stage, Stage::Confirm);
    assert!(world.deploy_and_settle("rollback", &of("one")).await.succeeded);
    assert_eq!(world.cloud.resources()[0].2["Value"], "one");
}
