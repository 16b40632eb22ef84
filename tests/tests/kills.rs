//! The real functions survive being killed; `examples/kills.rs` does it for longer.

use formwork_tests::kills;

#[tokio::test]
async fn killed_at_random_moments_every_request_is_answered_once_and_nothing_is_left() {
    // Four histories that are all begun at once, and none of them long: some 30 kills.
    let tally = kills::run(11_019, 1, 4, |_, _| {}).await;
    assert!(tally.violations.is_empty() && tally.kills() >= 20, "{tally}");
}
