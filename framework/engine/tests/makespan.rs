//! The bound on how long deployments take, in virtual time: `examples/makespan` shows the numbers.
#![allow(dead_code, unreachable_pub, reason = "the example uses all of it")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a test that breaks off fails"
)]

#[path = "../examples/makespan/graphs.rs"]
mod graphs;
#[path = "../examples/makespan/ours.rs"]
mod ours;

use fastrand::Rng;
use graphs::{Graph, always, chain, diamonds, fan, layered, mixed, typed};
use ours::Circumstances;
use std::time::Duration;

/// A tenth and a second more than the critical path.
fn check(graph: &Graph) {
    let run = ours::run(
        graph,
        Circumstances {
            max_concurrency: 1_000,
            requests_per_second: 25,
            call: Duration::ZERO,
            write: Duration::ZERO,
        },
    );
    let critical = Duration::from_millis(graph.critical_path());
    let bound = critical * 11 / 10 + Duration::from_secs(1);
    assert!(run.makespan >= critical, "{}: {run:?}", graph.name);
    assert!(run.makespan <= bound, "{}: {critical:?}, {run:?}", graph.name);
}

#[test]
fn chains_of_short_operations_come_close_to_their_critical_path() {
    for millis in [500, 520, 577, 640, 1_000, 1_400, 5_500, 20_000] {
        check(&chain(30, always(millis)));
    }
}

#[test]
fn chains_of_any_operations_come_close_to_their_critical_path() {
    for seed in 0..20 {
        let mut random = Rng::with_seed(seed);
        let count = random.usize(1..=30);
        check(&chain(count, mixed(&mut random)));
        check(&chain(count, typed(&mut random)));
    }
}

#[test]
fn fans_and_diamonds_come_close_to_their_critical_path() {
    for seed in 0..10 {
        let mut random = Rng::with_seed(seed);
        check(&fan(random.usize(2..30), mixed(&mut random)));
        check(&diamonds(
            random.usize(1..6),
            random.usize(2..10),
            mixed(&mut random),
        ));
        check(&diamonds(
            random.usize(1..6),
            random.usize(2..10),
            typed(&mut random),
        ));
    }
    check(&diamonds(10, 3, always(500)));
}

#[test]
fn hundreds_of_resources_come_close_to_their_critical_path() {
    let mut random = Rng::with_seed(5);
    let mut times = Rng::with_seed(6);
    check(&layered(300, 10, &mut random, mixed(&mut times)));
}
