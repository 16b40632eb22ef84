//! What can be asked of the command.

mod state;

pub use state::{Adopt, Forget, List, Pending, Show, State, StateCommand, Store, Unlock};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Deploys blueprints as CloudFormation custom resources, and tries them out without an account.
///
/// Exit status: 0 done, 1 the thing asked about failed (invalid blueprint, FAILED response), 2 wrong usage,
/// 3 something outside broke.
#[derive(Debug, Parser)]
#[command(name = "formwork", version, max_term_width = 100)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Handle CloudFormation events with both Lambda handlers against the embedded sandbox
    Run(Run),
    /// Check a blueprint against its language and the resource type schemas
    Validate(Validate),
    /// Show what a deploy of a blueprint would do, property by property
    ///
    /// Reads what is deployed and changes nothing. Exit status 0, whether there is something to do or not.
    Plan(Plan),
    /// Deploy a blueprint without CloudFormation, in the embedded sandbox or in an account
    Deploy(Deploy),
    /// Delete what `deploy` has made
    Destroy(Destroy),
    /// Draw a blueprint: what there is, and what makes use of what
    ///
    /// An arrow goes from a resource, data source or child to what it refers to; a dashed one is a link, to a
    /// resource selected by its labels. A blueprint with cycles is drawn too, with the cycles red, and so is one whose
    /// types or properties are wrong (exit status 1).
    Graph(Graph),
    /// Look at what is stored of deployments, and mend it by hand
    State(State),
    /// Evaluate the substitutions in a text
    Eval(Eval),
    /// List resource types, or show the properties of one
    Types(Types),
    /// Show how a live resource would be brought to its desired state
    Patch(Patch),
    /// Serve the local cloud for any AWS client
    Sandbox(Sandbox),
    /// Print what makes a shell complete this command
    ///
    /// For bash: `formwork completions bash > ~/.local/share/bash-completion/completions/formwork`
    Completions(Completions),
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For scripts
    Json,
}

#[derive(Debug, Args)]
pub struct Run {
    /// CloudFormation custom resource events, handled one after the other; a ResponseURL of
    /// `{{ResponseURL}}` gets the sandbox's
    #[arg(required = true, value_name = "EVENT.json")]
    pub events: Vec<PathBuf>,
    /// Keep the sandbox in this folder, so that an Update can follow a Create
    #[arg(long, value_name = "DIR")]
    pub sandbox: Option<PathBuf>,
    /// How long each Cloud Control operation takes in the sandbox
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub latency: u64,
    /// Let the sandbox read like the less tidy services: defaults filled in, lists shuffled, artefacts
    #[arg(long)]
    pub hostile_reads: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Where blueprints are deployed.
#[derive(Debug, Args)]
pub struct Place {
    /// Keep the sandbox in this folder, so that the next command finds what this one has deployed
    #[arg(long, value_name = "DIR")]
    pub sandbox: Option<PathBuf>,
    /// Work on a real account instead of the sandbox; region, credentials and endpoints are found as every AWS
    /// tool finds them (`AWS_PROFILE`, `AWS_REGION`, ...)
    #[arg(long, conflicts_with_all = ["sandbox", "latency", "hostile_reads"])]
    pub aws: bool,
    /// Where deployments in the account are kept: `s3://bucket/prefix` or `file:///folder` [default: as
    /// `FORMWORK_STATE_URL` says]
    #[arg(long, value_name = "URL", requires = "aws")]
    pub state_url: Option<String>,
    /// How long each Cloud Control operation takes in the sandbox
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub latency: u64,
    /// Let the sandbox read like the less tidy services: defaults filled in, lists shuffled, artefacts
    #[arg(long)]
    pub hostile_reads: bool,
}

/// What is deployed.
#[derive(Debug, Args)]
pub struct Inputs {
    /// The blueprint, YAML or JSON
    #[arg(value_name = "BLUEPRINT")]
    pub blueprint: PathBuf,
    /// Values of variables: a JSON or YAML file, or `name=value`
    #[arg(long, value_name = "FILE|NAME=VALUE", num_args = 1..)]
    pub variables: Vec<String>,
}

/// Under which name.
#[derive(Debug, Args)]
pub struct Instance {
    /// Tells deployments of one blueprint apart [default: the name of the blueprint's file]
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,
}

#[derive(Debug, Args)]
pub struct Plan {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub instance: Instance,
    #[command(flatten)]
    pub place: Place,
    /// Show resources that stay as they are, too
    #[arg(long)]
    pub all: bool,
    /// Read every resource, and show first what is not as it was deployed: changed or deleted by somebody else
    #[arg(long)]
    pub refresh: bool,
    /// How the result is written; docs/plan.md describes the JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Deploy {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub instance: Instance,
    #[command(flatten)]
    pub place: Place,
    /// Do not ask before an account is changed
    #[arg(long)]
    pub yes: bool,
    /// How long it may take
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub timeout: u64,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Destroy {
    /// The blueprint that was deployed: its file's name is the instance's
    #[arg(value_name = "BLUEPRINT")]
    pub blueprint: Option<PathBuf>,
    #[command(flatten)]
    pub instance: Instance,
    #[command(flatten)]
    pub place: Place,
    /// Leave the resources where they are and forget them
    #[arg(long)]
    pub retain: bool,
    /// Do not ask before an account is changed
    #[arg(long)]
    pub yes: bool,
    /// How long it may take
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub timeout: u64,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Validate {
    /// The blueprint, YAML or JSON; `-` reads it from standard input
    #[arg(value_name = "BLUEPRINT")]
    pub blueprint: PathBuf,
    /// Values of variables: a JSON or YAML file, or `name=value`; those not given are taken to be right
    #[arg(long, value_name = "FILE|NAME=VALUE", num_args = 1..)]
    pub variables: Vec<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Graph {
    /// The blueprint, YAML or JSON; `-` reads it from standard input
    #[arg(value_name = "BLUEPRINT")]
    pub blueprint: PathBuf,
    /// What to draw it as
    #[arg(long, value_enum, default_value_t)]
    pub to: Notation,
    /// How the result is written; the JSON has nodes, edges and cycles, and no picture
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What pictures are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Notation {
    /// For Markdown: GitHub and others draw it
    #[default]
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture for documents, in light and dark
    Svg,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// The text, e.g. `'orders-${variables.environment}'`; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// What references mean: `{"variables": {}, "resources": {NAME: {"spec", "state", "metadata"}},
    /// "datasources": {}, "children": {}}`, in JSON or YAML
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Types {
    /// Part of a type's name (`sqs`), or a whole one (`aws/sqs/queue`) for its properties
    #[arg(value_name = "FILTER")]
    pub filter: Option<String>,
    /// Print the IAM policy that deploying this blueprint takes, by what its types' handlers declare
    #[arg(long, value_name = "BLUEPRINT", conflicts_with = "filter")]
    pub permissions: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("of").required(true).args(["type_name", "schema"])))]
pub struct Patch {
    /// A bundled resource type
    #[arg(long = "type", value_name = "AWS::X::Y")]
    pub type_name: Option<String>,
    /// A resource type's schema
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// The properties that GetResource answers
    #[arg(long, value_name = "FILE")]
    pub live: PathBuf,
    /// The properties wanted
    #[arg(long, value_name = "FILE")]
    pub desired: PathBuf,
    /// The properties wanted last time: what they had and the desired ones have not is removed
    #[arg(long, value_name = "FILE")]
    pub applied: Option<PathBuf>,
    /// Begin the patch with tests of the values it replaces or removes, so that the service refuses it if they
    /// have changed since
    #[arg(long)]
    pub guard: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Sandbox {
    /// The port to listen on, on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 4577)]
    pub port: u16,
    /// Keep everything in this folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// How long each Cloud Control operation takes
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub latency: u64,
    /// Make operations fail: `TYPE:OPERATION:CODE[:MESSAGE]`, e.g. `AWS::SQS::Queue:create:AccessDenied`
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<String>,
    /// Read like the less tidy services do: defaults filled in, unordered lists shuffled, `aws:` tags, artefacts
    #[arg(long)]
    pub hostile_reads: bool,
    /// How the address is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
