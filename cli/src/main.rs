//! The `formwork` command: one file per subcommand over the libraries.

#![expect(unreachable_pub, reason = "in a binary `pub` says that other modules use it")]

mod account;
mod arguments;
mod children;
mod commands;
mod deployments;
mod events;
mod files;
mod permissions;
mod picture;
mod plan;
mod progress;
mod render;
mod stores;
mod terminal;
mod variables;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;
use terminal::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Run(options) => commands::run::run(options),
        Command::Validate(options) => commands::validate::run(options),
        Command::Plan(options) => commands::plan::run(options),
        Command::Deploy(options) => commands::deploy::run(options),
        Command::Destroy(options) => commands::destroy::run(options),
        Command::Graph(options) => commands::graph::run(options),
        Command::State(options) => commands::state::run(options),
        Command::Eval(options) => commands::eval::run(options),
        Command::Types(options) => commands::types::run(options),
        Command::Patch(options) => commands::patch::run(options),
        Command::Sandbox(options) => commands::sandbox::run(options),
        Command::Completions(options) => commands::completions::run(options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => {
            terminal::print_failure(&failure);
            ExitCode::from(match failure {
                Failure::Usage { .. } => 2,
                Failure::Outside { .. } => 3,
            })
        }
    }
}
