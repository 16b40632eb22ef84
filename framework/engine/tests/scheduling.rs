//! Who goes first, and how operations are looked at.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that breaks off fails")]

mod world;

use formwork_engine::fakes::Rules;
use formwork_engine::ports::Clock;
use formwork_engine::{Advance, Goal, Limits, Target};
use std::fmt::Write as _;
use std::time::Duration;
use world::{AUTO, INSTANCE, THING, World, target};

/// Things that need no other.
fn fan(count: usize) -> String {
    let mut text = String::from("version: 2023-04-20\nresources:\n");
    for index in 0..count {
        writeln!(
            text,
            "  thing{index}:\n    type: \"{THING}\"\n    spec: {{name: n{index}}}"
        )
        .unwrap();
    }
    text
}

fn wide(text: &str) -> Goal {
    Goal::Deploy(Target {
        max_concurrency: Some(1_000),
        ..target(text)
    })
}

#[tokio::test(start_paused = true)]
async fn what_has_taken_long_goes_first_the_next_time() {
    let world = World::new();
    world.cloud.define(
        AUTO,
        Rules {
            latency: Duration::from_secs(60),
            ..Rules::default()
        },
    );
    let both = |count: usize| {
        let mut text = String::from("version: 2023-04-20\nresources:\n");
        for index in 0..count {
            writeln!(text, "  thing{index}:\n    type: \"{THING}\"\n    spec: {{name: n{index}}}\n  auto{index}:\n    type: \"{AUTO}\"\n    spec: {{}}").unwrap();
        }
        Goal::Deploy(Target {
            max_concurrency: Some(1),
            ..target(&text)
        })
    };
    world.carry_out("create", both(1)).await;
    world.settle().await;
    world.carry_out("update", both(3)).await;
    let created: Vec<String> = world
        .cloud
        .log()
        .into_iter()
        .filter(|line| line.starts_with("create"))
        .collect();
    let kinds: Vec<bool> = created.iter().map(|line| line.contains(AUTO)).collect();
    assert_eq!(kinds, [false, true, true, true, false, false], "{created:?}");
}

#[tokio::test(start_paused = true)]
async fn many_operations_are_looked_at_with_lists() {
    let world = World::with_latency(Duration::from_secs(20));
    let outcome = world.carry_out("create", wide(&fan(200))).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    let calls = world.cloud.calls();
    assert_eq!((calls.mutations, calls.reads), (200, 200));
    // The end of each is asked for; until then lists show more than a hundred at a time.
    assert!(calls.polls <= 210, "{calls:?}");
    assert!(calls.lists <= 200, "{calls:?}");
    assert!(
        world.clock.elapsed() <= Duration::from_secs(23),
        "{:?}",
        world.clock.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn who_may_not_list_asks_one_by_one() {
    let world = World::with_latency(Duration::from_secs(20));
    world.cloud.refuse_lists();
    let outcome = world.carry_out("create", wide(&fan(50))).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    let calls = world.cloud.calls();
    assert_eq!(calls.lists, 1, "a refusal is remembered");
    assert!(calls.polls > 50, "{calls:?}");
    assert!(
        world.clock.elapsed() <= Duration::from_secs(23),
        "{:?}",
        world.clock.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn looks_leave_room_for_what_gets_on() {
    let world = World::with_latency(Duration::from_secs(30));
    let engine = world.engine_with(Limits {
        max_concurrency: 1_000,
        requests_per_second: 10,
    });
    let order = world.order("create", wide(&fan(300)));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    world.finish(&engine, generation).await;
    let calls = world.cloud.calls();
    // Three calls each at ten per second, and at most one list per second before others.
    assert!(
        world.clock.elapsed() <= Duration::from_secs(110),
        "{:?} {calls:?}",
        world.clock.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn windows_too_short_for_anything_get_on_all_the_same() {
    let world = World::with_latency(Duration::from_secs(10));
    let order = world.order("create", wide(&fan(10)));
    let generation = world.engine().begin(INSTANCE, order).await.unwrap();
    let mut windows = 0;
    loop {
        windows += 1;
        assert!(windows < 100, "{:?}", world.cloud.calls());
        // Each by a process of its own.
        match world
            .engine()
            .advance(INSTANCE, generation, world.clock.now())
            .await
        {
            Ok(Advance::Again { .. }) => world.clock.sleep(Duration::from_secs(1)).await,
            Ok(Advance::Done(outcome)) => break assert!(outcome.succeeded, "{:?}", outcome.failures),
            other => panic!("{other:?}"),
        }
    }
    assert!(windows <= 16, "{windows}");
}
