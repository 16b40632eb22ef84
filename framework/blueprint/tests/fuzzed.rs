//! The inputs that fuzzing has kept: what held for them then must hold now.
//!
//! The checks are the fuzz targets' own (`fuzz/src`), so that they cannot drift apart; `fuzz/README.md` tells
//! how the inputs are made.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    dead_code,
    unreachable_pub,
    reason = "tests fail by panicking; the module is another package's library"
)]

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::path::Path;

/// Runs every kept input and names the one that fails by its line.
#[track_caller]
fn replay(target: &str, run: fn(&[u8])) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/seeds/{target}.txt"));
    let inputs = fuzz::kept::read(&std::fs::read_to_string(&path).unwrap());
    assert!(
        inputs.len() >= 50,
        "{} has {} inputs only",
        path.display(),
        inputs.len()
    );
    for (index, input) in inputs.iter().enumerate() {
        if std::panic::catch_unwind(|| run(input)).is_err() {
            panic!("{}:{} fails, see above", path.display(), index + 1);
        }
    }
}

#[test]
fn documents() {
    replay("document", fuzz::document::run);
}

#[test]
fn substitutions() {
    replay("substitution", fuzz::substitution::run);
}

#[test]
fn evaluations() {
    replay("evaluation", fuzz::evaluation::run);
}

#[test]
fn any_bytes_can_be_kept() {
    let bytes: Vec<u8> = (0..=255).chain(*b"\\n \\\\x41 \"'").collect();
    let file = fuzz::kept::line(&bytes) + &fuzz::kept::line(b"") + &fuzz::kept::line(b"x\n");
    assert_eq!(fuzz::kept::read(&file), [bytes, Vec::new(), b"x\n".to_vec()]);
}
