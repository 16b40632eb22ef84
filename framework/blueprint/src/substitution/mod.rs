//! The language inside `${...}`: expressions, their parser and their printed form.

mod expression;
#[cfg(test)]
mod grammar;
#[cfg(test)]
mod laws;
mod parser;
mod strangers;
mod text;

pub(crate) use expression::is_quoted_name;
pub(crate) use expression::{Call, Expression, Literal};
pub use expression::{Reference, Root, Segment};
pub(crate) use parser::parse_reference;
pub(crate) use text::{Part, escape, find_opening, parse_text, unescape};
