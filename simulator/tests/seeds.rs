//! What a seed does.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use formwork_simulator::{Mask, run};

#[test]
fn a_seed_does_the_same_again() {
    for seed in 0..10 {
        let (first, second) = (
            run(seed, 1, &Mask::default(), true).unwrap(),
            run(seed, 1, &Mask::default(), true).unwrap(),
        );
        assert_eq!(first.story, second.story, "seed {seed}");
        assert_eq!(first.struck, second.struck, "seed {seed}");
    }
}

/// A fixed number of seeds, on all processors. Long runs: `formwork-simulator simulate --seeds N`.
#[test]
fn two_hundred_seeds_violate_nothing() {
    live_through(200, 1);
}

/// Three custom resources at once, two of them in one stack, share functions, bucket, waiter and cloud.
#[test]
fn neighbours_do_not_disturb_each_other() {
    live_through(40, 3);
}

fn live_through(seeds: u64, stacks: u64) {
    let next = std::sync::atomic::AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let report = run(seed, stacks, &Mask::default(), false).unwrap();
                    assert_eq!(report.violations, Vec::<String>::new(), "seed {seed}");
                }
            });
        }
    });
}
