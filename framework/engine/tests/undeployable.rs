//! What the language has and the engine cannot deploy yet is refused before anything is touched.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod world;

use formwork_blueprint::Severity;
use formwork_engine::{EngineError, Goal, Problem};
use world::{INSTANCE, World, target};

const BLUEPRINT: &str = r#"
version: 2023-04-20
datasources:
  network:
    type: aws/vpc
    filter: {field: tags, operator: has key, search: stage}
    exports: {vpc: {type: string, aliasFor: vpcId}}
include:
  core: {path: core.yaml}
resources:
  user:
    type: "Test::Fake::Thing"
    metadata: {labels: {app: orders}}
    linkSelector: {byLabel: {role: table}}
    spec: {name: user, value: "${datasources.network.vpc}"}
  table:
    type: "Test::Fake::Thing"
    metadata: {labels: {role: table}}
    spec: {name: table, value: "${children.core.topic}"}
  alone:
    type: "Test::Fake::Thing"
    linkSelector: {byLabel: {role: nobody}}
    spec: {name: alone}
"#;

fn shown(problems: &[Problem]) -> Vec<(&str, Severity, String)> {
    problems
        .iter()
        .map(|problem| (problem.code.as_str(), problem.severity, problem.to_string()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_check_warns_of_it_and_a_deployment_refuses_it() {
    let world = World::new();
    let engine = world.engine();
    let target = target(BLUEPRINT);

    let warnings = engine.check(&target).await.unwrap();
    let (expected, other): (Vec<_>, Vec<_>) = warnings
        .into_iter()
        .partition(|problem| problem.code == "not-deployable-yet");
    assert_eq!(
        shown(&expected),
        [
            (
                "not-deployable-yet",
                Severity::Warning,
                "orders.yaml:4:3: data sources are part of the language, but this version cannot look them up \
                 yet (pass what they would find in variables)"
                    .to_owned()
            ),
            (
                "not-deployable-yet",
                Severity::Warning,
                "orders.yaml:9:3: child blueprints are part of the language, but this version cannot deploy them \
                 yet (deploy them by themselves, and pass their exports in variables)"
                    .to_owned()
            ),
            (
                "not-deployable-yet",
                Severity::Warning,
                "orders.yaml:14:29: `user` is linked to `table`, but this version cannot establish links yet \
                 (remove the selector, and write out what the link stands for)"
                    .to_owned()
            ),
        ]
    );
    let other: Vec<&str> = other.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(other, ["nothing-selected"]);

    let order = world.order("create", Goal::Deploy(target.clone()));
    for refused in [
        engine.begin(INSTANCE, order).await.map(|_| ()),
        engine.plan(INSTANCE, &target).await.map(|_| ()),
    ] {
        let Err(EngineError::Invalid { problems }) = refused else {
            panic!("{refused:?}");
        };
        let errors: Vec<String> = problems.iter().map(Problem::to_string).collect();
        let warned: Vec<String> = expected.iter().map(Problem::to_string).collect();
        assert_eq!(errors, warned);
        assert!(problems.iter().all(|problem| problem.severity == Severity::Error));
    }
    assert!(world.ids().is_empty(), "nothing was made");
    assert!(
        engine.load(INSTANCE).await.unwrap().is_none(),
        "nothing was written"
    );
}
