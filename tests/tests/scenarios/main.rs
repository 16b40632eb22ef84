//! A CloudFormation event in, an answer out: through the real binaries, with the sandbox as AWS.
//!
//! Every scenario ends with `World::finish`, which checks that each request was answered exactly once
//! and that nothing secret was logged, stored or put into an execution.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic is how a scenario fails"
)]

mod delivery;
mod drift;
mod failures;
mod lifecycle;
mod observability;
mod outages;
mod secrets_at_rest;
mod small;
mod waiter;
