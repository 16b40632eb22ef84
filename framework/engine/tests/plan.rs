//! What a plan says, and that a deploy then does just that.
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
use formwork_engine::{Action, Change, Note, Plan, Sequence, Shown, Status};
use serde_json::json;
use world::{AUTO, BLIND, FIXED, FUSSY, INSTANCE, SOLO, THING, TOPIC, World, blueprint, target};

async fn plan(world: &World, text: &str) -> Plan {
    world.engine().plan(INSTANCE, &target(text)).await.unwrap()
}

/// A plan in few words: `name: action[?]`.
fn actions(plan: &Plan) -> Vec<String> {
    let sure = |change: &Change| if change.certain { "" } else { "?" };
    plan.changes
        .iter()
        .map(|change| format!("{}: {}{}", change.name, change.action, sure(change)))
        .collect()
}

fn change<'p>(plan: &'p Plan, name: &str) -> &'p Change {
    plan.changes
        .iter()
        .find(|change| change.name == name)
        .unwrap_or_else(|| panic!("{name} in {plan:?}"))
}

/// The properties of a change: `/Pointer: before -> after`.
fn properties(change: &Change) -> Vec<String> {
    let shown = |value: &Option<Shown>| match value {
        None => "-".to_owned(),
        Some(Shown::Value(value)) => value.to_string(),
        Some(Shown::Secret) => "(secret)".to_owned(),
        Some(Shown::Hidden) => "(hidden)".to_owned(),
        Some(Shown::AfterDeploy) => "(later)".to_owned(),
    };
    let mark = |property: &formwork_engine::PropertyChange| match (property.replaces, property.drifted) {
        (true, _) => " !",
        (_, true) => " ~",
        _ => "",
    };
    change
        .properties
        .iter()
        .map(|property| {
            let (before, after) = (shown(&property.before), shown(&property.after));
            format!("{}: {before} -> {after}{}", property.pointer, mark(property))
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_plan_says_what_a_deploy_would_do_and_does_nothing() {
    let world = World::new();
    let before = [
        ("same", THING, "{name: same}"),
        ("patched", THING, "{name: patched, value: one, count: 1}"),
        ("replaced", AUTO, "{kind: one}"),
        ("gone", THING, "{name: gone}"),
    ];
    world.deploy_and_settle("create", &blueprint(&before, &[])).await;
    let after = [
        ("same", THING, "{name: same}"),
        ("patched", THING, "{name: patched, value: two}"),
        ("new", THING, r#"{name: new, ref: "${resources.replaced}"}"#),
        ("replaced", AUTO, "{kind: two}"),
    ];
    let after = blueprint(&after, &[]);
    let began = world.cloud.log().len();
    let plan = plan(&world, &after).await;
    assert_eq!(
        actions(&plan),
        [
            "same: unchanged",
            "patched: update",
            "replaced: replace",
            "new: create",
            "gone: delete"
        ],
        "in the order of work"
    );
    assert_eq!(
        properties(change(&plan, "patched")),
        [r#"/Value: "one" -> "two""#, "/Count: 1 -> -"]
    );
    assert_eq!(
        properties(change(&plan, "replaced")),
        [r#"/Kind: "one" -> "two" !"#]
    );
    assert_eq!(
        properties(change(&plan, "new")),
        [r#"/Name: - -> "new""#, "/Ref: - -> (later)"]
    );
    assert_eq!(change(&plan, "new").after, ["replaced"]);
    assert_eq!(change(&plan, "replaced").sequence, Some(Sequence::CreateFirst));
    let summary = plan.summary();
    assert_eq!((summary.create, summary.update, summary.replace), (1, 1, 1));
    assert_eq!((summary.delete, summary.unchanged, summary.uncertain), (1, 1, 0));
    let reads = world.cloud.log().split_off(began);
    assert!(
        reads.len() == 3 && reads.iter().all(|line| line.starts_with("read")),
        "{reads:?}"
    );
}

/// Blueprints of everything, before and after an update.
fn everything() -> [String; 2] {
    let text = |kind: &str, value: &str, last: &str| {
        let resources = [
            ("named", THING, format!("{{name: fixed, kind: {kind}}}")),
            ("auto", AUTO, format!("{{kind: {kind}}}")),
            ("solo", SOLO, format!("{{kind: {kind}}}")),
            ("topic", TOPIC, format!("{{topicName: t, kind: {kind}}}")),
            ("fixed", FIXED, format!("{{value: {value}}}")),
            ("blind", BLIND, format!("{{value: {value}}}")),
            (
                "user",
                THING,
                format!(r#"{{name: user, value: {value}, ref: "${{resources.auto.state.arn}}"}}"#),
            ),
            (
                "reader",
                THING,
                r#"{name: reader, ref: "${resources.user.state.arn}"}"#.to_owned(),
            ),
            (last, AUTO, "{value: x}".to_owned()),
        ];
        let resources: Vec<_> = resources
            .iter()
            .map(|(name, type_name, spec)| (*name, *type_name, spec.as_str()))
            .collect();
        blueprint(&resources, &[])
    };
    [text("one", "x", "old"), text("two", "y", "new")]
}

#[tokio::test(start_paused = true)]
async fn a_deploy_does_what_its_plan_has_said() {
    let world = World::new();
    let [before, after] = everything();
    world.deploy_and_settle("create", &before).await;
    let plan = plan(&world, &after).await;
    let outcome = world.deploy_and_settle("update", &after).await;
    assert!(
        outcome.succeeded && outcome.failures.is_empty(),
        "{:?}",
        outcome.failures
    );
    for report in outcome.resources {
        let Some(planned) = plan.changes.iter().find(|change| {
            change.name == report.name
                && (change.action == Action::Delete) == (report.action == Action::Delete)
        }) else {
            // What a replacement leaves is deleted, and told with the replacement.
            let replaced = change(&plan, &report.name);
            assert_eq!(
                (replaced.action, replaced.sequence),
                (Action::Replace, Some(Sequence::CreateFirst))
            );
            continue;
        };
        assert_eq!(report.status, Status::Done);
        assert!(planned.certain, "{planned:?}");
        assert_eq!(report.action, planned.action, "{}", report.name);
    }
    assert_eq!(
        actions(&plan),
        [
            "named: replace",
            "auto: replace",
            "solo: replace",
            "topic: replace",
            "fixed: replace",
            "blind: update",
            "new: create",
            "user: update",
            "reader: unchanged",
            "old: delete",
        ]
    );
    let sequences =
        ["named", "auto", "solo", "topic", "fixed"].map(|name| change(&plan, name).sequence.unwrap());
    let (first, after) = (Sequence::DeleteFirst, Sequence::CreateFirst);
    assert_eq!(sequences, [first, after, first, first, after]);
    assert_eq!(
        change(&plan, "fixed").reasons[0].message,
        "this type cannot be updated in place"
    );
    assert_eq!(change(&plan, "blind").notes, [Note::Unreadable]);
    assert!(plan_is_empty_after(&world, &everything()[1]).await);
}

async fn plan_is_empty_after(world: &World, text: &str) -> bool {
    plan(world, text).await.is_empty()
}

#[tokio::test(start_paused = true)]
async fn what_an_update_cannot_touch_stays_known_to_dependents() {
    let world = World::new();
    let text = |value: &str| {
        let user = format!(
            r#"{{name: user, ref: "${{resources.base.state.arn}} ${{resources.base.state.value}} {value}"}}"#
        );
        blueprint(
            &[
                ("base", THING, &format!("{{name: base, value: {value}}}")),
                ("user", THING, &user),
            ],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    let plan = plan(&world, &text("two")).await;
    assert_eq!(actions(&plan), ["base: update", "user: update"]);
    let [change] = properties(change(&plan, "user")).try_into().unwrap();
    assert!(
        change.ends_with("base two two\"") && change.contains("base one one\" -> "),
        "{change}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_follows_from_a_replacement_is_open_and_may_replace_in_turn() {
    let world = World::new();
    let text = |kind: &str| {
        let resources = [
            ("base", AUTO, format!("{{kind: {kind}}}")),
            (
                "changed",
                THING,
                r#"{name: changed, ref: "${resources.base.state.arn}"}"#.to_owned(),
            ),
            ("bound", AUTO, r#"{kind: "${resources.base}"}"#.to_owned()),
            ("named", THING, format!("{{name: n-{kind}}}")),
            (
                "told",
                THING,
                r#"{name: told, ref: "${resources.named}"}"#.to_owned(),
            ),
        ];
        let resources: Vec<_> = resources
            .iter()
            .map(|(name, of, spec)| (*name, *of, spec.as_str()))
            .collect();
        blueprint(&resources, &[])
    };
    world.deploy_and_settle("create", &text("one")).await;
    let plan = plan(&world, &text("two")).await;
    assert_eq!(
        actions(&plan),
        [
            "base: replace",
            "named: replace",
            "changed: update?",
            "bound: replace?",
            "told: update"
        ]
    );
    assert!(properties(change(&plan, "changed"))[0].ends_with("-> (later)"));
    assert_eq!(
        properties(change(&plan, "bound")),
        [r#"/Kind: "made-1" -> (later) !"#]
    );
    assert_eq!(
        properties(change(&plan, "told")),
        [r#"/Ref: "n-one" -> "n-two""#],
        "a name that its author chose is known before it is given"
    );
    assert_eq!(plan.summary().uncertain, 2);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_may_come_is_told() {
    let world = World::new();
    let text = |mode: &str| blueprint(&[("fussy", FUSSY, &format!("{{mode: {mode}}}"))], &[]);
    world.deploy_and_settle("create", &text("a")).await;
    let plan = plan(&world, &text("b")).await;
    let fussy = change(&plan, "fussy");
    assert_eq!((fussy.action, fussy.replaces_if_refused), (Action::Update, true));
    assert_eq!(properties(fussy), [r#"/Mode: "a" -> "b" !"#]);
}

#[tokio::test(start_paused = true)]
async fn drift_is_told_from_what_the_author_has_changed() {
    let world = World::new();
    let text = |value: &str| {
        blueprint(
            &[("thing", THING, &format!("{{name: t, value: {value}, count: 1}}"))],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    world.cloud.put(
        THING,
        "t",
        json!({"Name": "t", "Value": "one", "Count": 7, "Arn": "arn:t"}),
    );
    let plan = plan(&world, &text("two")).await;
    assert_eq!(
        properties(change(&plan, "thing")),
        [r#"/Value: "one" -> "two""#, "/Count: 7 -> 1 ~"]
    );
}

#[tokio::test(start_paused = true)]
async fn secrets_and_write_only_values_are_never_in_a_plan() {
    let world = World::new();
    let text = |secret: &str, more: &str| {
        blueprint(
            &[(
                "thing",
                THING,
                &format!(
                    r#"{{name: t, secret: {secret}, value: "${{variables.password}}", refs: [a, "x-${{variables.password}}"{more}]}}"#
                ),
            )],
            &[],
        )
    };
    let with = |text: &str, password: &str| {
        let mut target = target(text);
        target.variables.insert("password".into(), password.into());
        target
    };
    let engine = world.engine();
    let (before, after) = (
        with(&text("first-one", ""), "hunter2"),
        with(&text("second-one", ", b"), "swordfish"),
    );
    let created = engine.plan(INSTANCE, &before).await.unwrap();
    assert_eq!(
        properties(change(&created, "thing")),
        [
            r#"/Name: - -> "t""#,
            "/Secret: - -> (hidden)",
            "/Value: - -> (secret)",
            r#"/Refs/0: - -> "a""#,
            "/Refs/1: - -> (secret)"
        ]
    );
    world
        .carry_out("create", formwork_engine::Goal::Deploy(before.clone()))
        .await;
    world.settle().await;
    assert!(engine.plan(INSTANCE, &before).await.unwrap().is_empty());
    let plan = engine.plan(INSTANCE, &after).await.unwrap();
    let told = format!("{plan:?}");
    for secret in ["hunter2", "swordfish", "first-one", "second-one"] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
    let changed = properties(change(&plan, "thing"));
    assert!(
        changed.contains(&"/Secret: (hidden) -> (hidden)".to_owned()),
        "{changed:?}"
    );
    assert!(
        changed.contains(&"/Value: (secret) -> (secret)".to_owned()),
        "{changed:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_a_guess_and_what_is_gone_is_made_anew() {
    let world = World::new();
    let text = blueprint(&[("a", THING, "{name: a}"), ("b", THING, "{name: b}")], &[]);
    world.deploy_and_settle("create", &text).await;
    world.cloud.take(THING, "a");
    let again = plan(&world, &text).await;
    assert_eq!(actions(&again), ["a: create", "b: unchanged"]);
    assert_eq!(change(&again, "a").notes, [Note::Gone]);
}

#[tokio::test(start_paused = true)]
async fn a_plan_of_a_destroy_goes_in_reverse_and_tells_leftovers() {
    let world = World::new();
    let text = |kind: &str| {
        let user = r#"{name: user, ref: "${resources.auto}"}"#;
        blueprint(
            &[
                ("auto", AUTO, &format!("{{kind: {kind}}}")),
                ("user", THING, user),
            ],
            &[],
        )
    };
    world.deploy_and_settle("create", &text("one")).await;
    world
        .cloud
        .fault(Operation::Delete, "made-1", Fault::Fail("AccessDenied", "no"));
    world.deploy_and_settle("update", &text("two")).await;
    let again = plan(&world, &text("two")).await;
    assert_eq!(
        actions(&again),
        ["auto: unchanged", "user: unchanged", "auto: delete"]
    );
    assert_eq!(again.changes[2].notes, [Note::Leftover]);
    let destroy = world.engine().plan_destroy(INSTANCE, false).await.unwrap();
    assert_eq!(
        actions(&destroy),
        ["user: delete", "auto: delete", "auto: delete"]
    );
    assert_eq!(change(&destroy, "auto").after, ["user"]);
    let retain = world.engine().plan_destroy(INSTANCE, true).await.unwrap();
    assert!(
        retain
            .changes
            .iter()
            .all(|change| change.action == Action::Retain)
    );
    assert!(
        world
            .engine()
            .plan_destroy("no/such/instance", false)
            .await
            .unwrap()
            .is_empty()
    );
}
