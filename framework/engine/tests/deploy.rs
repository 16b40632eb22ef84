//! Create, update, replace, remove and destroy in a world without faults.

mod world;

use formwork_engine::ports::{Operation, StateStore};
use formwork_engine::{Action, Advance, EngineError, Generation, Goal, Status};
use std::time::Duration;
use world::{AUTO, INSTANCE, THING, World, blueprint, report, target};

fn diamond() -> String {
    blueprint(
        &[
            ("top", THING, "{name: top, value: one}"),
            (
                "left",
                THING,
                r#"{name: left, ref: "${resources.top.state.arn}"}"#,
            ),
            (
                "right",
                THING,
                r#"{name: right, ref: "${resources.top.state.arn}"}"#,
            ),
            (
                "bottom",
                THING,
                r#"{name: bottom, refs: ["${resources.left.state.arn}", "${resources.right.spec.name}"]}"#,
            ),
        ],
        &[
            ("bottomArn", "resources.bottom.state.arn"),
            ("name", "resources.top.spec.name"),
        ],
    )
}

#[tokio::test(start_paused = true)]
async fn a_create_follows_references_and_runs_the_rest_in_parallel() {
    let world = World::new();
    let outcome = world.deploy("create", &diamond()).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.recorder.finished(), ["top", "left", "right", "bottom"]);
    // Three waves of one second each, polled every 250 ms at first.
    assert!(
        world.clock.elapsed() < Duration::from_secs(4),
        "{:?}",
        world.clock.elapsed()
    );
    assert_eq!(outcome.exports["bottomArn"].to_json(), "arn:fake:bottom");
    assert_eq!(outcome.exports["name"].to_json(), "top");
    let bottom = world
        .cloud
        .resources()
        .into_iter()
        .find(|(_, id, _)| id == "bottom")
        .unwrap()
        .2;
    assert_eq!(bottom["Refs"], serde_json::json!(["arn:fake:left", "right"]));
    assert!(
        report(&outcome)
            .iter()
            .all(|(_, action, status)| (*action, *status) == (Action::Create, Status::Done))
    );
}

#[tokio::test(start_paused = true)]
async fn a_small_deployment_needs_few_writes() {
    let world = World::new();
    world.deploy("create", &diamond()).await;
    // The order, the intents of three waves, the request tokens of three waves, the outcome.
    assert!(world.store.saves() <= 8, "{}", world.store.saves());
}

#[tokio::test(start_paused = true)]
async fn the_same_again_changes_nothing() {
    let world = World::new();
    world.deploy_and_settle("create", &diamond()).await;
    let outcome = world.deploy("update", &diamond()).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(
        report(&outcome)
            .iter()
            .all(|(_, action, status)| (*action, *status) == (Action::Unchanged, Status::Done))
    );
    assert_eq!(
        (
            world.cloud.begun(Operation::Create),
            world.cloud.begun(Operation::Update)
        ),
        (4, 0)
    );
    assert_eq!(outcome.exports["bottomArn"].to_json(), "arn:fake:bottom");
}

#[tokio::test(start_paused = true)]
async fn a_changed_property_is_patched_and_a_removed_resource_deleted_after_its_dependents() {
    let world = World::new();
    world.deploy_and_settle("create", &diamond()).await;
    let smaller = blueprint(&[("top", THING, "{name: top, value: two}")], &[]);
    let outcome = world.deploy("update", &smaller).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.ids(), ["top"]);
    assert_eq!(world.cloud.resources()[0].2["Value"], "two");
    let operations: Vec<String> = world
        .cloud
        .log()
        .into_iter()
        .filter(|line| !line.starts_with("read") && !line.starts_with("create"))
        .collect();
    let position = |name: &str| operations.iter().position(|line| line.ends_with(name)).unwrap();
    assert_eq!(position(" top"), 0, "updates come before deletions");
    assert!(
        position(" bottom") < position(" left") && position(" bottom") < position(" right"),
        "{operations:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_service_named_resource_is_replaced_create_first() {
    let world = World::new();
    let text = |kind: &str| {
        let user = r#"{name: user, ref: "${resources.auto}"}"#;
        blueprint(
            &[
                ("auto", AUTO, &format!("{{kind: {kind}}}")),
                ("user", THING, user),
            ],
            &[("id", "resources.auto")],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    let outcome = world.deploy_and_settle("update", &text("two")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.ids(), ["made-2", "user"]);
    assert_eq!(outcome.exports["id"].to_json(), "made-2");
    let log = world.cloud.log();
    let position = |line: &str| {
        log.iter()
            .rposition(|found| found == line)
            .unwrap_or_else(|| panic!("{line} in {log:?}"))
    };
    assert!(position("create Test::Fake::Auto -") < position("update Test::Fake::Thing user"));
    assert!(
        position("update Test::Fake::Thing user") < position("delete Test::Fake::Auto made-1"),
        "dependents are re-pointed first"
    );
}

#[tokio::test(start_paused = true)]
async fn a_resource_whose_name_stays_is_deleted_first() {
    let world = World::new();
    let text = |kind: &str| {
        blueprint(
            &[("thing", THING, &format!("{{name: fixed, kind: {kind}}}"))],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    let outcome = world.deploy("update", &text("two")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(report(&outcome), [("thing", Action::Replace, Status::Done)]);
    assert_eq!(world.cloud.resources()[0].2["Kind"], "two");
}

#[tokio::test(start_paused = true)]
async fn a_changed_type_makes_a_new_resource_and_deletes_the_old_one() {
    let world = World::new();
    world
        .deploy_and_settle("create", &blueprint(&[("it", AUTO, "{value: x}")], &[]))
        .await;
    let outcome = world
        .deploy_and_settle("update", &blueprint(&[("it", THING, "{name: x}")], &[]))
        .await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.ids(), ["x"]);
}

#[tokio::test(start_paused = true)]
async fn a_destroy_goes_in_reverse_and_leaves_no_document() {
    let world = World::new();
    world.deploy_and_settle("create", &diamond()).await;
    let outcome = world.destroy("delete").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.ids(), Vec::<String>::new());
    let deletes: Vec<String> = world
        .cloud
        .log()
        .into_iter()
        .filter(|line| line.starts_with("delete"))
        .collect();
    assert!(
        deletes[0].ends_with("bottom") && deletes[3].ends_with("top"),
        "{deletes:?}"
    );
    world.settle().await;
    assert_eq!(world.store.text(INSTANCE), None);
}

#[tokio::test(start_paused = true)]
async fn a_destroy_of_nothing_and_of_what_is_already_gone_succeeds() {
    let world = World::new();
    assert!(world.destroy("delete nothing").await.succeeded);
    world.deploy_and_settle("create", &diamond()).await;
    world.cloud.take(THING, "left");
    let outcome = world.destroy("delete").await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_retained_instance_keeps_its_resources_and_loses_its_document() {
    let world = World::new();
    world.deploy_and_settle("create", &diamond()).await;
    let outcome = world.carry_out("delete", Goal::Destroy { retain: true }).await;
    assert!(
        outcome.succeeded
            && report(&outcome)
                .iter()
                .all(|(_, action, _)| *action == Action::Retain)
    );
    world.settle().await;
    assert_eq!((world.ids().len(), world.store.text(INSTANCE)), (4, None));
}

#[tokio::test(start_paused = true)]
async fn the_same_cause_has_one_generation_even_after_a_later_one() {
    let world = World::new();
    let engine = world.engine();
    let order = || world.order("create", Goal::Deploy(target(&diamond())));
    let first = engine.begin(INSTANCE, order()).await.unwrap();
    assert_eq!(engine.begin(INSTANCE, order()).await.unwrap(), first);
    let second = engine
        .begin(INSTANCE, world.order("delete", Goal::Destroy { retain: false }))
        .await
        .unwrap();
    assert!(second > first);
    assert_eq!(engine.begin(INSTANCE, order()).await.unwrap(), first);
    assert!(matches!(
        engine.advance(INSTANCE, first, world.soon(30)).await.unwrap(),
        Advance::Superseded
    ));
}

#[tokio::test(start_paused = true)]
async fn an_order_that_cannot_be_carried_out_names_every_problem_and_writes_nothing() {
    let world = World::new();
    let text = blueprint(
        &[
            ("a", THING, "{name: a, colour: red}"),
            ("b", THING, r#"{name: b, ref: "${resources.a.state.arm}"}"#),
            ("c", "Test::Fake::Nothing", "{}"),
            ("d", THING, "{name: d, count: many}"),
        ],
        &[],
    );
    let error = world
        .engine()
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&text))))
        .await
        .unwrap_err();
    let EngineError::Invalid { problems } = error else {
        panic!("{error}")
    };
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 4, "{shown:#?}");
    assert!(
        shown.iter().all(|problem| problem.starts_with("orders.yaml:")),
        "{shown:#?}"
    );
    assert!(
        shown[1].contains("did you mean") && shown[1].to_lowercase().contains("`arn`"),
        "{}",
        shown[1]
    );
    assert_eq!(world.store.text(INSTANCE), None);
}

#[tokio::test(start_paused = true)]
async fn concurrency_is_bounded_and_the_longest_way_goes_first() {
    let world = World::new();
    let mut resources = vec![
        ("alone", THING, "{name: alone}".to_owned()),
        ("head", THING, "{name: head}".to_owned()),
    ];
    resources.push((
        "tail",
        THING,
        r#"{name: tail, ref: "${resources.head.state.arn}"}"#.to_owned(),
    ));
    let resources: Vec<(&str, &str, &str)> = resources
        .iter()
        .map(|(name, kind, spec)| (*name, *kind, spec.as_str()))
        .collect();
    let mut target = target(&blueprint(&resources, &[]));
    target.max_concurrency = Some(1);
    let outcome = world.carry_out("create", Goal::Deploy(target)).await;
    assert!(outcome.succeeded);
    assert_eq!(world.recorder.finished()[0], "head");
    assert!(world.clock.elapsed() >= Duration::from_secs(3), "one at a time");
}

#[tokio::test(start_paused = true)]
async fn advance_hands_back_when_its_time_is_up_and_goes_on_from_there() {
    let world = World::with_latency(Duration::from_secs(100));
    let engine = world.engine();
    let generation = engine
        .begin(INSTANCE, world.order("create", Goal::Deploy(target(&diamond()))))
        .await
        .unwrap();
    let Advance::Again { after } = engine
        .advance(INSTANCE, generation, world.soon(10))
        .await
        .unwrap()
    else {
        panic!("not done yet")
    };
    assert!(after <= Duration::from_secs(5));
    assert!(world.clock.elapsed() < Duration::from_secs(14));
    let outcome = world.finish(&world.engine(), generation).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(world.cloud.begun(Operation::Create), 4);
}

#[tokio::test(start_paused = true)]
async fn an_update_reads_waiting_resources_ahead_of_their_turn() {
    let world = World::with_latency(Duration::from_secs(10));
    world.deploy_and_settle("create", &diamond()).await;
    let reads = |world: &World| {
        world
            .cloud
            .log()
            .iter()
            .filter(|line| line.starts_with("read"))
            .count()
    };
    let (before, began) = (reads(&world), world.clock.elapsed());
    assert!(world.deploy("update", &diamond()).await.succeeded);
    assert_eq!(reads(&world) - before, 4, "each resource is read once");
    assert_eq!(world.clock.elapsed() - began, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_document_of_a_newer_version_is_left_as_it_is() {
    let world = World::new();
    world.deploy_and_settle("create", &diamond()).await;
    let newer = world
        .store
        .text(INSTANCE)
        .unwrap()
        .replace("formwork.state/1", "formwork.state/2");
    let (_, version) = world.store.load(INSTANCE).await.unwrap().unwrap();
    world
        .store
        .save(INSTANCE, newer.clone().into_bytes(), Some(&version))
        .await
        .unwrap();
    let engine = world.engine();
    let order = world.order("delete", Goal::Destroy { retain: false });
    assert!(matches!(
        engine.begin(INSTANCE, order).await,
        Err(EngineError::NewerFormat { .. })
    ));
    assert!(matches!(
        engine.advance(INSTANCE, Generation(1), world.soon(1)).await,
        Err(EngineError::NewerFormat { .. })
    ));
    assert_eq!(world.store.text(INSTANCE).unwrap(), newer);
}

#[tokio::test(start_paused = true)]
async fn a_destroy_runs_as_wide_as_the_deploy_before_it() {
    let world = World::with_latency(Duration::from_secs(10));
    let names: Vec<(String, String)> = (0..20)
        .map(|index| (format!("r{index}"), format!("{{name: n{index}}}")))
        .collect();
    let resources: Vec<_> = names
        .iter()
        .map(|(name, spec)| (name.as_str(), THING, spec.as_str()))
        .collect();
    let mut target = target(&blueprint(&resources, &[]));
    target.max_concurrency = Some(20);
    assert!(world.carry_out("create", Goal::Deploy(target)).await.succeeded);
    world.settle().await;
    assert!(world.destroy("delete").await.succeeded);
    assert!(
        world.clock.elapsed() < Duration::from_secs(24),
        "{:?}",
        world.clock.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn the_engine_can_be_used_from_any_thread() {
    fn sendable<T: Send>(future: T) -> T {
        future
    }
    let world = World::new();
    let engine = world.engine();
    let target = target(&diamond());
    let order = world.order("create", Goal::Deploy(target.clone()));
    let generation = sendable(engine.begin(INSTANCE, order)).await.unwrap();
    assert!(matches!(
        sendable(engine.advance(INSTANCE, generation, world.soon(60))).await,
        Ok(Advance::Done(_))
    ));
    assert!(sendable(engine.settle(INSTANCE, generation)).await.is_ok());
    assert!(sendable(engine.plan(INSTANCE, &target)).await.unwrap().is_empty());
    assert!(sendable(engine.check(&target)).await.unwrap().is_empty());
}
