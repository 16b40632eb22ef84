//! `formwork completions`: what makes a shell complete the command.

use crate::arguments::{Arguments, Completions};
use crate::terminal::{Failure, write};
use clap::CommandFactory;

pub fn run(options: &Completions) -> Result<bool, Failure> {
    // Written at once: a reader that has gone away must not be a panic of the generator's.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "formwork", &mut script);
    write(&String::from_utf8_lossy(&script));
    Ok(true)
}
