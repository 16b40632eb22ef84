//! The process ends before or after any call to the outside; the next one goes on.

mod world;

use formwork_engine::ports::Operation;
use formwork_engine::{Goal, Outcome};
use world::{AUTO, INSTANCE, THING, World, blueprint, target};

fn before() -> String {
    blueprint(
        &[
            ("first", THING, "{name: first, value: one}"),
            (
                "auto",
                AUTO,
                r#"{kind: one, ref: "${resources.first.state.arn}"}"#,
            ),
            (
                "third",
                THING,
                r#"{name: third, ref: "${resources.auto.state.arn}"}"#,
            ),
        ],
        &[("arn", "resources.third.state.arn")],
    )
}

fn after() -> String {
    blueprint(
        &[
            ("first", THING, "{name: first, value: two}"),
            (
                "auto",
                AUTO,
                r#"{kind: two, ref: "${resources.first.state.arn}"}"#,
            ),
        ],
        &[],
    )
}

/// Carries an order out with a crash at one passage, then in a new process. `None` once there is no such
/// passage any more.
async fn with_crash(world: &World, cause: &str, goal: Goal, passage: u32) -> (Outcome, bool) {
    world.fuse.light(passage);
    let crashed = tokio::select! {
        outcome = world.carry_out(cause, goal.clone()) => { world.fuse.douse(); return (outcome, false) }
        () = world.fuse.blown() => true,
    };
    world.fuse.douse();
    (world.carry_out(cause, goal).await, crashed)
}

#[tokio::test(start_paused = true)]
async fn nothing_is_created_twice_after_a_crash_anywhere_in_a_create() {
    let mut passages = 0;
    for passage in 0.. {
        let world = World::new();
        let (outcome, crashed) = with_crash(&world, "create", Goal::Deploy(target(&before())), passage).await;
        assert!(outcome.succeeded, "{passage}: {:?}", outcome.failures);
        assert_eq!(world.cloud.begun(Operation::Create), 3, "crash at {passage}");
        assert_eq!(world.ids().len(), 3, "crash at {passage}");
        assert!(outcome.exports.contains_key("arn"));
        if !crashed {
            passages = passage;
            break;
        }
    }
    assert!(passages > 20, "the fuse was passed {passages} times");
}

#[tokio::test(start_paused = true)]
async fn an_update_with_replacement_and_removal_survives_a_crash_anywhere() {
    for passage in 0.. {
        let world = World::new();
        world.deploy_and_settle("create", &before()).await;
        let (outcome, crashed) = with_crash(&world, "update", Goal::Deploy(target(&after())), passage).await;
        assert!(outcome.succeeded, "{passage}: {:?}", outcome.failures);
        assert_eq!(world.ids(), ["made-2", "first"], "crash at {passage}");
        assert_eq!(
            (
                world.cloud.begun(Operation::Create),
                world.cloud.begun(Operation::Update)
            ),
            (4, 1),
            "crash at {passage}"
        );
        if !crashed {
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_destroy_after_a_crash_anywhere_in_a_create_leaves_nothing() {
    for passage in 0.. {
        let (world, text) = (World::new(), before());
        world.fuse.light(passage);
        let crashed = tokio::select! {
            _ = world.deploy("create", &text) => false,
            () = world.fuse.blown() => true,
        };
        world.fuse.douse();
        let outcome = world.destroy("delete").await;
        assert!(outcome.succeeded, "{passage}: {:?}", outcome.failures);
        assert_eq!(world.ids(), Vec::<String>::new(), "crash at {passage}");
        world.settle().await;
        assert_eq!(world.store.text(INSTANCE), None);
        if !crashed {
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_destroy_survives_a_crash_anywhere() {
    for passage in 0.. {
        let world = World::new();
        world.deploy_and_settle("create", &before()).await;
        let (outcome, crashed) = with_crash(&world, "delete", Goal::Destroy { retain: false }, passage).await;
        assert!(outcome.succeeded, "{passage}: {:?}", outcome.failures);
        assert!(world.ids().is_empty());
        assert_eq!(world.cloud.begun(Operation::Delete), 3, "crash at {passage}");
        if !crashed {
            break;
        }
    }
}
