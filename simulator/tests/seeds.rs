//! What a seed does.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use formwork_simulator::{Mask, run};

#[test]
fn a_seed_does_the_same_again() {
    for seed in 0..10 {
        let (first, second) = (
            run(seed, &Mask::default(), true).unwrap(),
            run(seed, &Mask::default(), true).unwrap(),
        );
        assert_eq!(first.story, second.story, "seed {seed}");
        assert_eq!(first.struck, second.struck, "seed {seed}");
    }
}
