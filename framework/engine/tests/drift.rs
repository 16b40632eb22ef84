//! Drift: what others did is told, and what services do is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::{Clock, Operation};
use formwork_engine::{DriftReport, DriftStatus, Goal, Shown};
use jiff::Timestamp;
use serde_json::{Value, json};
use world::{AUTO, BLIND, FIXED, INSTANCE, THING, World, blueprint, target};

const SECRET: &str = "hunter2-correct-horse";

async fn drift(world: &World) -> DriftReport {
    let report = world
        .engine()
        .drift(INSTANCE, Timestamp::MAX)
        .await
        .unwrap()
        .unwrap();
    let text = format!("{report:?} {}", report.to_json());
    assert!(!text.contains(SECRET) && !text.contains("other-secret"), "{text}");
    report
}

/// `name status: /Pointer applied -> live, ...`
fn told(report: &DriftReport) -> Vec<String> {
    let shown = |value: &Option<Shown>| match value {
        None => "-".to_owned(),
        Some(Shown::Value(value)) => value.to_string(),
        Some(Shown::Secret) => "(secret)".to_owned(),
        Some(Shown::Hidden) => "(hidden)".to_owned(),
        Some(Shown::AfterDeploy) => "(later)".to_owned(),
    };
    let resources = report.resources.iter().map(|resource| {
        let differences = resource.properties.iter().map(|found| {
            format!(
                "{} {} -> {}",
                found.pointer,
                shown(&found.applied),
                shown(&found.live)
            )
        });
        let differences: Vec<String> = differences.collect();
        format!(
            "{} {}: {}",
            resource.name,
            resource.status.code(),
            differences.join(", ")
        )
    });
    resources.collect()
}

fn live(world: &World, type_name: &str, name: &str) -> (String, Value) {
    let found = world.cloud.resources().into_iter().find(|(kind, id, model)| {
        kind == type_name && (id == name || model["Name"] == name || model["Value"] == name)
    });
    let (_, id, model) = found.unwrap();
    (id, model)
}

/// Somebody else changes a resource: members are set, `null` takes them away.
fn tamper(world: &World, type_name: &str, name: &str, changes: Value) {
    let (id, mut model) = live(world, type_name, name);
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(model.as_object_mut().unwrap().remove(key)),
            value => model[key] = value.clone(),
        }
    }
    world.cloud.put(type_name, &id, model);
}

#[tokio::test(start_paused = true)]
async fn changed_removed_and_deleted_are_told_and_what_was_never_said_is_not() {
    let world = World::new();
    let text = blueprint(
        &[
            ("a", THING, "{name: a, value: x, count: 3, refs: [p, q]}"),
            ("b", THING, "{name: b, value: y}"),
            ("c", AUTO, "{value: z}"),
        ],
        &[],
    );
    assert!(
        world
            .engine()
            .drift(INSTANCE, Timestamp::MAX)
            .await
            .unwrap()
            .is_none()
    );
    world.deploy_and_settle("create", &text).await;
    assert!(drift(&world).await.is_in_sync());

    tamper(
        &world,
        THING,
        "a",
        json!({"Value": "w", "Count": null, "Refs": ["p", "q", "r"]}),
    );
    tamper(&world, THING, "b", json!({"Ref": "the service's own"}));
    let (id, _) = live(&world, AUTO, "z");
    world.cloud.take(AUTO, &id);
    let report = drift(&world).await;
    assert_eq!(
        told(&report),
        [
            r#"a changed: /Value "x" -> "w", /Refs ["p","q"] -> ["p","q","r"], /Count 3 -> -"#,
            "b in-sync: ",
            "c deleted: ",
        ]
    );
    assert_eq!(
        report.to_json()["summary"],
        json!({"inSync": 1, "changed": 1, "deleted": 1, "unknown": 0})
    );
    // A deploy sets it back, and the plan of the same moment says so.
    let (plan, same) = world
        .engine()
        .plan_refreshed(INSTANCE, &target(&text))
        .await
        .unwrap();
    assert_eq!(same, report);
    assert_eq!((plan.summary().update, plan.summary().create), (1, 1));
    world.deploy_and_settle("again", &text).await;
    assert!(drift(&world).await.is_in_sync());
    assert!(world.cloud.log().iter().all(|call| !call.starts_with("delete")));
}

#[tokio::test(start_paused = true)]
async fn secrets_are_compared_by_their_hashes_and_never_shown() {
    let world = World::new();
    let text = blueprint(
        &[(
            "db",
            THING,
            r#"{name: db, value: "url://${variables.password}@host", secret: "${variables.password}", refs: [plain, "${variables.password}"]}"#,
        )],
        &[],
    );
    let mut secret = target(&text);
    secret.variables.insert("password".into(), SECRET.into());
    let outcome = world.carry_out("create", Goal::Deploy(secret)).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    world.settle().await;
    assert_eq!(told(&drift(&world).await), ["db in-sync: "]);

    // Nobody can see a write-only value.
    tamper(&world, THING, "db", json!({"Secret": "other-secret"}));
    assert_eq!(told(&drift(&world).await), ["db in-sync: "]);
    tamper(&world, THING, "db", json!({"Value": "other-secret"}));
    assert_eq!(
        told(&drift(&world).await),
        ["db changed: /Value (secret) -> (secret)"]
    );
    tamper(&world, THING, "db", json!({"Value": null}));
    assert_eq!(told(&drift(&world).await), ["db changed: /Value (secret) -> -"]);
    tamper(&world, THING, "db", json!({"Refs": ["plain", "other-secret"]}));
    let report = drift(&world).await;
    assert_eq!(report.resources[0].status, DriftStatus::Changed);
    assert!(
        told(&report)[0].contains("/Refs/1 (secret)"),
        "{:?}",
        told(&report)
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_told_is_unknown_and_says_why() {
    let world = World::new();
    let text = blueprint(
        &[("blind", BLIND, "{name: x}"), ("slow", THING, "{name: slow}")],
        &[],
    );
    world.deploy_and_settle("create", &text).await;
    let report = drift(&world).await;
    assert_eq!(
        report.resources[0].problem.as_deref(),
        Some("its type cannot be read")
    );
    assert_eq!(told(&report), ["blind unknown: ", "slow in-sync: "]);
    let late = world
        .engine()
        .drift(INSTANCE, world.clock.now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        late.resources[1].problem.as_deref(),
        Some("it cannot be read: Timeout: there was no time left to read it")
    );

    world.cloud.fault(
        Operation::Create,
        "half",
        Fault::FailHalfway("GeneralServiceException", "half-way"),
    );
    let half = blueprint(&[("half", THING, "{name: half}")], &[]);
    let outcome = world.deploy_and_settle("half", &half).await;
    assert!(!outcome.succeeded);
    let report = drift(&world).await;
    let found = report.resources.iter().find(|found| found.name == "half");
    assert_eq!(
        found.map(|found| found.status),
        Some(DriftStatus::Unknown),
        "{report:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn types_that_cannot_be_updated_and_create_only_properties_are_told_as_well() {
    let world = World::new();
    let text = blueprint(
        &[
            ("fixed", FIXED, "{name: f, value: x}"),
            ("kind", THING, "{name: k, kind: one}"),
        ],
        &[],
    );
    world.deploy_and_settle("create", &text).await;
    tamper(&world, FIXED, "f", json!({"Value": "y"}));
    tamper(&world, THING, "k", json!({"Kind": "two"}));
    assert_eq!(
        told(&drift(&world).await),
        [
            r#"fixed changed: /Value "x" -> "y""#,
            r#"kind changed: /Kind "one" -> "two""#
        ]
    );
}
