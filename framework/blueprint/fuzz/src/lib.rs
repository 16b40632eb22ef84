//! What must hold of the blueprint language for any input whatsoever.
//!
//! Each module has one function `run`, which takes bytes and panics where a promise is broken. The fuzz
//! targets call it with what libFuzzer makes up; `tests/fuzzed.rs` of the language calls it with the inputs
//! kept in `seeds/`, so that what fuzzing once found stays found without a fuzzer.

pub mod document;
pub mod evaluation;
mod findings;
pub mod kept;
mod known;
mod scopes;
pub mod substitution;
