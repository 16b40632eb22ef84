//! Replacing resources: in which order, what happens to dependents, and what a failure leaves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::Operation;
use formwork_engine::{Action, Goal, Outcome, Status};
use world::{AUTO, FIXED, FUSSY, INSTANCE, LABEL, SOLO, THING, TOPIC, World, blueprint, report, target};

/// One resource `it`, and a `user` that refers to it.
fn pair(type_name: &str, spec: &str, value: &str) -> String {
    let user = format!(r#"{{name: user, value: {value}, ref: "${{resources.it.state.arn}}"}}"#);
    blueprint(&[("it", type_name, spec), ("user", THING, &user)], &[])
}

/// What was begun since, without reads.
fn begun(world: &World, since: usize) -> Vec<String> {
    let mut log = world.cloud.log().split_off(since);
    log.retain(|line| !line.starts_with("read"));
    log.into_iter()
        .map(|line| line.replace("Test::Fake::", ""))
        .collect()
}

async fn replaced(type_name: &str, before: &str, after: &str) -> (World, Outcome, Vec<String>) {
    let world = World::new();
    world
        .deploy_and_settle("create", &pair(type_name, before, "x"))
        .await;
    let since = world.cloud.log().len();
    let outcome = world
        .deploy_and_settle("update", &pair(type_name, after, "x"))
        .await;
    let begun = begun(&world, since);
    (world, outcome, begun)
}

#[tokio::test(start_paused = true)]
async fn the_successor_comes_first_then_dependents_then_the_old_one_goes() {
    let (world, outcome, begun) = replaced(AUTO, "{kind: one}", "{kind: two}").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        begun,
        ["create Auto -", "update Thing user", "delete Auto made-1"]
    );
    assert_eq!(
        report(&outcome),
        [
            ("it", Action::Replace, Status::Done),
            ("user", Action::Update, Status::Done),
            ("it", Action::Delete, Status::Done)
        ]
    );
    assert_eq!(world.cloud.resources()[1].2["Ref"], "arn:fake:made-2");
}

#[tokio::test(start_paused = true)]
async fn a_type_that_asks_for_it_and_a_name_that_stays_are_deleted_first() {
    for (type_name, before, after) in [
        (SOLO, "{name: s, kind: one}", "{name: s, kind: two}"),
        (TOPIC, "{topicName: t, kind: one}", "{topicName: t, kind: two}"),
    ] {
        let (world, outcome, begun) = replaced(type_name, before, after).await;
        assert!(outcome.succeeded, "{:?}", outcome.failures);
        let kind = type_name.replace("Test::Fake::", "");
        assert_eq!(
            begun,
            [
                format!("delete {kind} made-1"),
                format!("create {kind} -"),
                "update Thing user".to_owned()
            ]
        );
        assert_eq!(world.ids().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_name_frees_nothing_and_is_created_first() {
    let (_, outcome, begun) = replaced(TOPIC, "{topicName: t}", "{topicName: u}").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        begun,
        ["create Topic -", "update Thing user", "delete Topic made-1"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_collision_with_the_one_to_be_replaced_deletes_it_first() {
    let (world, outcome, begun) = replaced(LABEL, "{label: l, kind: one}", "{label: l, kind: two}").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        begun,
        [
            "create Label -",
            "delete Label made-1",
            "create Label -",
            "update Thing user"
        ]
    );
    assert_eq!(world.ids(), ["made-2", "user"]);
    assert!(
        world
            .deploy_and_settle("again", &pair(LABEL, "{label: l, kind: two}", "x"))
            .await
            .succeeded
    );
    assert_eq!(world.ids(), ["made-2", "user"]);
}

#[tokio::test(start_paused = true)]
async fn a_collision_with_somebody_else_s_is_an_error_and_deletes_nothing() {
    let world = World::new();
    world
        .deploy_and_settle("create", &pair(LABEL, "{label: l}", "x"))
        .await;
    world.cloud.put(
        LABEL,
        "foreign",
        serde_json::json!({"Label": "theirs", "Id": "foreign"}),
    );
    let outcome = world
        .deploy_and_settle("update", &pair(LABEL, "{label: theirs, kind: two}", "x"))
        .await;
    assert!(!outcome.succeeded);
    assert!(
        outcome.failures[0]
            .message
            .contains("does not belong to this deployment"),
        "{:?}",
        outcome.failures
    );
    assert_eq!(world.ids(), ["foreign", "made-1", "user"]);
}

#[tokio::test(start_paused = true)]
async fn a_type_without_update_is_replaced() {
    let (world, outcome, begun) = replaced(FIXED, "{value: one}", "{value: two}").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(
        begun,
        ["create Fixed -", "update Thing user", "delete Fixed made-1"]
    );
    assert_eq!(world.ids(), ["made-2", "user"]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_update_replaces() {
    for (code, refuse) in [("NotUpdatableException", true), ("InvalidRequest", false)] {
        let world = World::new();
        world
            .deploy_and_settle("create", &pair(FUSSY, "{mode: a}", "x"))
            .await;
        let fault = if refuse {
            Fault::Refuse(code, "no")
        } else {
            Fault::Fail(code, "no")
        };
        world.cloud.fault(Operation::Update, "made-1", fault);
        let since = world.cloud.log().len();
        let outcome = world
            .deploy_and_settle("update", &pair(FUSSY, "{mode: b}", "x"))
            .await;
        assert!(outcome.succeeded, "{:?}", outcome.failures);
        let after = ["create Fussy -", "update Thing user", "delete Fussy made-1"];
        let before: &[&str] = if refuse { &[] } else { &["update Fussy made-1"] };
        assert_eq!(begun(&world, since), [before, &after].concat());
        assert_eq!(report(&outcome)[0], ("it", Action::Replace, Status::Done));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_update_is_not_asked_for_again_when_the_replacement_has_to_be_retried() {
    let world = World::new();
    world
        .deploy_and_settle("create", &pair(FUSSY, "{mode: a}", "x"))
        .await;
    world
        .cloud
        .fault(Operation::Update, "made-1", Fault::Fail("NotUpdatable", "no"));
    world.cloud.fault(
        Operation::Create,
        r#""Mode":"b""#,
        Fault::Fail("ServiceInternalError", "later"),
    );
    let outcome = world
        .deploy_and_settle("update", &pair(FUSSY, "{mode: b}", "x"))
        .await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    // The second update is the user's.
    assert_eq!(world.cloud.begun(Operation::Update), 2);
    assert_eq!(world.ids().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_may_be_about_a_wrong_value_deletes_nothing() {
    let world = World::new();
    let text = |mode: &str| {
        blueprint(
            &[(
                "it",
                "Test::Fake::FussyThing",
                &format!("{{name: n, mode: {mode}}}"),
            )],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("a")).await;
    world.cloud.fault(
        Operation::Update,
        "n",
        Fault::Fail("InvalidRequest", "no such mode"),
    );
    let outcome = world.deploy_and_settle("update", &text("b")).await;
    assert!(!outcome.succeeded);
    assert!(
        outcome.failures[0].message.contains("give it another name"),
        "{:?}",
        outcome.failures
    );
    assert_eq!(world.cloud.begun(Operation::Delete), 0);
    world
        .cloud
        .fault(Operation::Update, "n", Fault::Fail("NotUpdatable", "create-only"));
    let outcome = world.deploy_and_settle("update again", &text("b")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.cloud.resources()[0].2["Mode"], "b");
}

#[tokio::test(start_paused = true)]
async fn a_rollback_after_any_kind_of_replacement_converges_and_leaves_no_orphan() {
    for (type_name, before, after) in [
        (AUTO, "{kind: one}", "{kind: two}"),
        (THING, "{name: n, kind: one}", "{name: n, kind: two}"),
        (THING, "{name: n}", "{name: m}"),
        (SOLO, "{name: s, kind: one}", "{name: s, kind: two}"),
        (TOPIC, "{topicName: t, kind: one}", "{topicName: t, kind: two}"),
        (LABEL, "{label: l, kind: one}", "{label: l, kind: two}"),
        (FIXED, "{value: one}", "{value: two}"),
    ] {
        let world = World::new();
        let create = pair(type_name, before, "x");
        world.deploy_and_settle("create", &create).await;
        world
            .cloud
            .fault(Operation::Update, "user", Fault::Fail("InvalidRequest", "no"));
        let failed = world
            .deploy_and_settle("update", &pair(type_name, after, "y"))
            .await;
        assert!(!failed.succeeded, "{type_name}");
        let outcome = world.deploy_and_settle("rollback", &create).await;
        assert!(
            outcome.succeeded && outcome.failures.is_empty(),
            "{type_name}: {:?}",
            outcome.failures
        );
        let left = world.cloud.resources();
        assert_eq!(left.len(), 2, "{type_name}: {left:?}");
        let spec = &left.iter().find(|(_, id, _)| id != "user").unwrap().2;
        assert!(
            ["Kind", "Value"].iter().any(|key| spec[*key] == "one") || spec["Name"] == "n",
            "{type_name}: {spec}"
        );
        assert!(
            world
                .engine()
                .plan(INSTANCE, &target(&create))
                .await
                .unwrap()
                .is_empty()
        );
        assert!(world.destroy("delete").await.succeeded);
        assert!(world.ids().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_rollback_to_the_earlier_type_takes_the_earlier_resource_back() {
    let world = World::new();
    let text = |type_name: &str, spec: &str, value: &str| pair(type_name, spec, value);
    world
        .deploy_and_settle("create", &text(THING, "{name: n}", "x"))
        .await;
    world
        .cloud
        .fault(Operation::Update, "user", Fault::Fail("InvalidRequest", "no"));
    assert!(
        !world
            .deploy_and_settle("update", &text(AUTO, "{kind: one}", "y"))
            .await
            .succeeded
    );
    assert_eq!(world.ids().len(), 3, "old and new stand side by side");
    let outcome = world
        .deploy_and_settle("rollback", &text(THING, "{name: n}", "x"))
        .await;
    assert!(
        outcome.succeeded && outcome.failures.is_empty(),
        "{:?}",
        outcome.failures
    );
    assert_eq!(world.ids(), ["n", "user"]);
    assert_eq!(
        world.cloud.begun(Operation::Create),
        3,
        "nothing is made a second time"
    );
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_fails_after_its_predecessor_was_deleted_is_made_up_for_by_the_rollback() {
    let world = World::new();
    let before = pair(SOLO, "{name: s, kind: one}", "x");
    world.deploy_and_settle("create", &before).await;
    world.cloud.fault(
        Operation::Create,
        r#""Kind":"two""#,
        Fault::Fail("InvalidRequest", "no"),
    );
    let failed = world
        .deploy_and_settle("update", &pair(SOLO, "{name: s, kind: two}", "x"))
        .await;
    assert!(!failed.succeeded);
    assert_eq!(world.ids(), ["user"]);
    let outcome = world.deploy_and_settle("rollback", &before).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.cloud.resources()[0].2["Kind"], "one");
}

#[tokio::test(start_paused = true)]
async fn what_is_retained_is_retained_with_its_leftovers() {
    let world = World::new();
    world
        .deploy_and_settle("create", &pair(AUTO, "{kind: one}", "x"))
        .await;
    world
        .cloud
        .fault(Operation::Delete, "made-1", Fault::Fail("AccessDenied", "no"));
    let outcome = world
        .deploy_and_settle("update", &pair(AUTO, "{kind: two}", "x"))
        .await;
    assert!(outcome.succeeded && outcome.failures[0].leftover);
    let began = world.cloud.begun(Operation::Delete);
    let outcome = world.carry_out("delete", Goal::Destroy { retain: true }).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(
        report(&outcome)
            .iter()
            .all(|(_, action, _)| *action == Action::Retain)
    );
    assert_eq!(
        (world.cloud.begun(Operation::Delete), world.ids().len()),
        (began, 3)
    );
    world.settle().await;
    assert_eq!(world.store.text(INSTANCE), None);
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_replacement_survives_a_crash_anywhere() {
    for (type_name, before, after, refuse) in [
        (SOLO, "{name: s, kind: one}", "{name: s, kind: two}", false),
        (LABEL, "{label: l, kind: one}", "{label: l, kind: two}", false),
        (FUSSY, "{mode: a}", "{mode: b}", true),
    ] {
        for passage in 0.. {
            let world = World::new();
            world
                .deploy_and_settle("create", &pair(type_name, before, "x"))
                .await;
            if refuse {
                world
                    .cloud
                    .fault(Operation::Update, "made-1", Fault::Fail("NotUpdatable", "no"));
            }
            let goal = || Goal::Deploy(target(&pair(type_name, after, "x")));
            world.fuse.light(passage);
            let crashed = tokio::select! {
                _ = world.carry_out("update", goal()) => false,
                () = world.fuse.blown() => true,
            };
            world.fuse.douse();
            let outcome = world.carry_out("update", goal()).await;
            assert!(outcome.succeeded, "{type_name} {passage}: {:?}", outcome.failures);
            assert_eq!(world.ids().len(), 2, "{type_name}: crash at {passage}");
            let it = &world.cloud.resources()[0].2;
            assert!(
                it["Kind"] == "two" || it["Mode"] == "b",
                "{type_name}: crash at {passage}: {it}"
            );
            if !crashed {
                assert!(passage > 5, "{type_name}");
                break;
            }
        }
    }
}
