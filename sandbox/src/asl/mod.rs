//! State machines in the Amazon States Language: the subset that a poller needs, and a refusal of the rest.
//!
//! ```text
//! text -> Definition (checked) -> step(definition, frame, event) -> Action, until it ended
//! ```

mod definition;
mod fields;
mod step;

pub use definition::Definition;
pub use fields::DefinitionError;
pub use step::{Action, Event, Frame, Problem, step};
