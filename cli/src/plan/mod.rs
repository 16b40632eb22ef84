//! Plans, for people and for scripts.

mod json;
mod text;

pub use json::json;
pub use text::{Detail, text};

#[cfg(test)]
mod tests;
