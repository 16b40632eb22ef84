//! The sandbox as clients see it: over HTTP, in AWS's own protocols.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "all of this crate is tests, the functions they share included"
)]

mod client;
mod executions;
mod faults;
mod lifecycle;
mod persistence;
mod recordings;
mod registry;
mod responses;
mod s3;
