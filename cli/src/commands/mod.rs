//! One file per subcommand. Each answers `true` for yes, `false` for no (exit status 1).

pub mod completions;
pub mod deploy;
pub mod destroy;
pub mod eval;
pub mod graph;
pub mod patch;
pub mod plan;
pub mod run;
pub mod sandbox;
pub mod state;
pub mod types;
pub mod validate;
