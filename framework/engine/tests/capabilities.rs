//! What a type's handlers allow: refused, replaced, taken as applied.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod world;

use formwork_engine::fakes::MemorySchemas;
use formwork_engine::{EngineError, check};
use world::{BLIND, FIXED, INSTANCE, World, blueprint, target};

#[tokio::test(start_paused = true)]
async fn every_type_that_cannot_be_created_is_refused_at_its_type_with_a_reason() {
    let mut refused = 0;
    for known in formwork_schema::bundled_types() {
        let schema = formwork_schema::load_text(known.name).unwrap().unwrap();
        let parsed = formwork_schema::load(known.name).unwrap().unwrap();
        if parsed.handlers().create {
            continue;
        }
        refused += 1;
        let schemas = MemorySchemas::parse([schema.as_str()]).unwrap();
        let text = format!(
            "version: 2023-04-20\nresources:\n  it:\n    type: \"{}\"\n",
            known.name
        );
        let Err(EngineError::Invalid { problems }) = check(&target(&text), &schemas).await else {
            panic!("{} is not refused", known.name)
        };
        assert_eq!(problems.len(), 1, "{problems:?}");
        let (problem, at) = (&problems[0], problems[0].position.as_ref().unwrap());
        assert_eq!(
            (problem.code.as_str(), at.line, at.column),
            ("unsupported-type", 4, 11)
        );
        assert!(
            problem.message.contains("no create handler") && problem.help.is_some(),
            "{problem}"
        );
    }
    assert_eq!(refused, 175);
}

#[tokio::test(start_paused = true)]
async fn a_type_that_cannot_be_updated_is_replaced_also_when_a_property_is_dropped_or_drifts() {
    let world = World::new();
    let text = |spec: &str| blueprint(&[("it", FIXED, spec)], &[]);
    world
        .deploy_and_settle("create", &text("{name: n, value: one}"))
        .await;
    assert!(
        world
            .deploy_and_settle("same", &text("{name: n, value: one}"))
            .await
            .succeeded
    );
    assert_eq!(world.ids(), ["made-1"]);
    assert!(
        world
            .deploy_and_settle("dropped", &text("{name: n}"))
            .await
            .succeeded
    );
    assert_eq!(world.ids(), ["made-2"]);
    let drifted = serde_json::json!({"Id": "made-2", "Name": "changed", "Arn": "arn:fake:made-2"});
    world.cloud.put(FIXED, "made-2", drifted);
    let plan = world
        .engine()
        .plan(INSTANCE, &target(&text("{name: n}")))
        .await
        .unwrap();
    assert_eq!(
        plan.changes[0].reasons[0].message,
        "this type cannot be updated in place"
    );
    assert!(
        world
            .deploy_and_settle("drifted", &text("{name: n}"))
            .await
            .succeeded
    );
    assert_eq!(world.ids(), ["made-3"]);
}

#[tokio::test(start_paused = true)]
async fn a_type_that_cannot_be_read_is_never_read_and_known_by_what_was_applied() {
    let world = World::new();
    let text = |value: &str| {
        let user = r#"{name: u, ref: "${resources.it} ${resources.it.spec.value}"}"#;
        blueprint(
            &[
                ("it", BLIND, &format!("{{value: {value}}}")),
                ("user", world::THING, user),
            ],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    assert!(world.deploy_and_settle("same", &text("one")).await.succeeded);
    let outcome = world.deploy_and_settle("update", &text("two")).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    let log = world.cloud.log();
    assert!(
        !log.iter().any(|line| line.starts_with("read Test::Fake::Blind")),
        "{log:?}"
    );
    assert_eq!(world.cloud.resources()[1].2["Ref"], "made-1 two");
    assert_eq!(world.cloud.resources()[0].2["Value"], "two");
}
