//! The two binaries as processes: without Lambda's environment they end with an error, they do not hang.
//!
//! That this package has an integration test also makes `cargo test` build both, for the scenarios.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Stdio};

#[test]
fn a_binary_outside_lambda_ends_with_an_error() {
    for binary in [env!("CARGO_BIN_EXE_on_event"), env!("CARGO_BIN_EXE_is_complete")] {
        let output = Command::new(binary)
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(!output.status.success(), "{binary}");
    }
}
