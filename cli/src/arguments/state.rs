//! What can be asked of `formwork state`.

use super::Format;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `formwork state`
#[derive(Debug, Args)]
pub struct State {
    /// What to do
    #[command(subcommand)]
    pub command: StateCommand,
}

#[derive(Debug, Subcommand)]
pub enum StateCommand {
    /// List the deployments that are stored
    List(List),
    /// Show a deployment, or one of its resources with its properties; secrets are masked
    Show(Show),
    /// List operations under way: since when, by which token, and what is waited for
    Pending(Pending),
    /// End a deployment that nobody carries on any more
    ///
    /// No lock keeps the next deploy out: it takes over from an unfinished one, and awaits what is under way. This
    /// is for ending one without another: it fails, its inputs are erased, and what is under way stays in the state
    /// for the next deploy. A CloudFormation request that waits for it is answered FAILED.
    Unlock(Unlock),
    /// Drop a resource from the state and leave it in the cloud
    Forget(Forget),
    /// Take a resource that exists into the state, so that the next deploy updates it instead of making one
    Adopt(Adopt),
}

/// Where deployments are stored.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("store").required(true).args(["sandbox", "state_url"])))]
pub struct Store {
    /// The folder of a sandbox, as given to `deploy` and `run`
    #[arg(long, value_name = "DIR")]
    pub sandbox: Option<PathBuf>,
    /// A store that the functions use: `s3://bucket/prefix` or `file:///folder`. Region, credentials and endpoints
    /// are found as every AWS tool finds them
    #[arg(long, value_name = "URL")]
    pub state_url: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Show {
    /// The deployment: its whole name, or its last part
    #[arg(value_name = "INSTANCE")]
    pub instance: String,
    /// One of its resources, with its properties
    #[arg(value_name = "RESOURCE")]
    pub resource: Option<String>,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Pending {
    /// The deployment; all if it is not given
    #[arg(value_name = "INSTANCE")]
    pub instance: Option<String>,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Unlock {
    /// The deployment: its whole name, or its last part
    #[arg(value_name = "INSTANCE")]
    pub instance: String,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Forget {
    /// The deployment: its whole name, or its last part
    #[arg(value_name = "INSTANCE")]
    pub instance: String,
    /// The resource, as `show` names it
    #[arg(value_name = "RESOURCE")]
    pub resource: String,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub store: Store,
}

#[derive(Debug, Args)]
pub struct Adopt {
    /// The deployment; one that does not exist yet is begun under this name
    #[arg(value_name = "INSTANCE")]
    pub instance: String,
    /// The resource's name in the blueprint
    #[arg(value_name = "RESOURCE")]
    pub resource: String,
    /// Its primary identifier
    #[arg(value_name = "IDENTIFIER")]
    pub identifier: String,
    /// Its type: `aws/sqs/queue` or `AWS::SQS::Queue`
    #[arg(long = "type", value_name = "TYPE")]
    pub type_name: String,
    #[command(flatten)]
    pub store: Store,
}
