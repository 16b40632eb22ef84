//! Plans and drift, for people and for scripts.

mod drift;
mod json;
mod text;

pub use drift::drift;
pub use json::json;
pub use text::{Detail, text};

#[cfg(test)]
mod tests;
