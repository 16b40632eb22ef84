//! Calls that a step wants, and what they have answered.

use crate::ports::{CloudError, Mutation, ProgressEvent};
use jiff::Timestamp;

/// A call that the deployment wants.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// The turn tells repetitions of the same call apart.
    Mutate {
        lane: String,
        mutation: Mutation,
        turn: u32,
    },
    Poll {
        lane: String,
        request_token: String,
    },
    Cancel {
        lane: String,
        request_token: String,
    },
    Read {
        lane: String,
        type_name: String,
        identifier: String,
        role_arn: Option<String>,
    },
    /// Of operations that have not ended, of which about so many are `expected`.
    List {
        asked: Timestamp,
        expected: usize,
    },
}

impl Command {
    /// The lane and the kind of call: no two such calls run at once.
    pub(crate) fn key(&self) -> (String, u8) {
        match self {
            Command::Mutate { lane, .. } => (lane.clone(), 0),
            Command::Poll { lane, .. } => (lane.clone(), 1),
            Command::Cancel { lane, .. } => (lane.clone(), 2),
            Command::Read { lane, .. } => (lane.clone(), 3),
            Command::List { .. } => (String::new(), 4),
        }
    }
}

/// The answer to a [`Command`].
#[derive(Debug, Clone)]
pub(crate) struct Observation {
    pub(crate) lane: String,
    pub(crate) answer: Answer,
}

/// Operations of the account that have not ended.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    pub(crate) events: Vec<ProgressEvent>,
    /// True if there are no others.
    pub(crate) is_whole: bool,
    /// How many calls it took.
    pub(crate) calls: u32,
}

#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Mutated {
        client_token: String,
        result: Result<ProgressEvent, CloudError>,
    },
    Polled {
        request_token: String,
        result: Result<ProgressEvent, CloudError>,
    },
    Cancelled {
        request_token: String,
        result: Result<ProgressEvent, CloudError>,
    },
    Read {
        identifier: String,
        result: Result<serde_json::Value, CloudError>,
    },
    /// About every lane.
    Listed {
        asked: Timestamp,
        result: Result<Listing, CloudError>,
    },
}
