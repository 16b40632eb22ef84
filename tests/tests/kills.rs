//! The real functions survive being killed; `examples/kills.rs` does it for longer.

use formwork_tests::kills;

#[tokio::test]
async fn killed_at_random_moments_every_request_is_answered_once_and_nothing_is_left() {
    let tally = kills::run(1, 30, 6, |_, _| {}).await;
    assert!(tally.violations.is_empty() && tally.kills() >= 30, "{tally}");
}
