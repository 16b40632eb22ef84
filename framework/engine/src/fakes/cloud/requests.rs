//! Requests of the fake cloud, and their effects when their time has come.

use super::{Fault, Rules};
use crate::classify::after;
use crate::ports::{CloudError, Operation, OperationStatus, ProgressEvent};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) rules: HashMap<String, Rules>,
    pub(super) faults: Vec<(Operation, String, Fault)>,
    pub(super) resources: BTreeMap<(String, String), Stored>,
    pub(super) requests: Vec<Request>,
    pub(super) client_tokens: HashMap<String, String>,
    pub(super) log: Vec<String>,
    pub(super) made: u32,
    pub(super) replays: bool,
    pub(super) refuses_lists: bool,
    pub(super) calls: super::Calls,
}

#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) model: Value,
    pub(super) hidden_until: Option<Timestamp>,
    /// What is read until then.
    pub(super) before: Option<(Value, Timestamp)>,
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) token: String,
    pub(super) operation: Operation,
    pub(super) type_name: String,
    pub(super) identifier: Option<String>,
    pub(super) document: Value,
    pub(super) ends: Timestamp,
    pub(super) end: End,
    pub(super) status: OperationStatus,
    pub(super) error: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    Success,
    Unsettled(Duration),
    Lags(Duration, Duration),
    Fail(String, String),
    Halfway(String, String, Duration),
}

impl State {
    /// The effect of a request whose time has come.
    pub(super) fn end(&mut self, request: &mut Request) {
        let mut fail = |code: &str, message: &str| {
            request.status = OperationStatus::Failed;
            request.error = Some((code.to_owned(), message.to_owned()));
        };
        match &request.end {
            End::Fail(code, message) => return fail(&code.clone(), &message.clone()),
            End::Halfway(code, message, _) => fail(&code.clone(), &message.clone()),
            End::Success | End::Unsettled(_) | End::Lags(..) => request.status = OperationStatus::Success,
        }
        let until = |time: Duration| {
            let time = SignedDuration::try_from(time).ok()?;
            Some(after(request.ends, time))
        };
        let hidden_until = match request.end {
            End::Unsettled(time) | End::Halfway(_, _, time) | End::Lags(time, _) => until(time),
            _ => None,
        };
        let stale_until = match request.end {
            End::Lags(hidden, stale) => until(hidden + stale),
            _ => None,
        };
        let rules = self.rules.get(&request.type_name).cloned().unwrap_or_default();
        match request.operation {
            Operation::Create => {
                let identifier = match self.holder(request, &rules).or(request.identifier.clone()) {
                    Some(identifier) => identifier,
                    None => {
                        self.made += 1;
                        format!("made-{}", self.made)
                    }
                };
                let key = (request.type_name.clone(), identifier.clone());
                request.identifier = Some(identifier.clone());
                if self.resources.contains_key(&key) {
                    request.status = OperationStatus::Failed;
                    request.error = Some((
                        "AlreadyExists".into(),
                        format!("Resource '{identifier}' already exists"),
                    ));
                    return;
                }
                let mut model = request.document.clone();
                if let Some(members) = model.as_object_mut() {
                    members.insert("Arn".into(), json!(format!("arn:fake:{identifier}")));
                    if rules.identifier.is_none() {
                        members.insert("Id".into(), json!(identifier));
                    }
                }
                self.resources.insert(
                    key,
                    Stored {
                        model,
                        hidden_until,
                        before: None,
                    },
                );
            }
            Operation::Update => {
                let key = (
                    request.type_name.clone(),
                    request.identifier.clone().unwrap_or_default(),
                );
                let Some(stored) = self.resources.get_mut(&key) else {
                    request.status = OperationStatus::Failed;
                    request.error = Some(("NotFound".into(), "gone".into()));
                    return;
                };
                let before = std::mem::replace(&mut stored.model, request.document.clone());
                stored.hidden_until = hidden_until;
                stored.before = stale_until.map(|until| (before, until));
            }
            Operation::Delete => {
                let key = (
                    request.type_name.clone(),
                    request.identifier.clone().unwrap_or_default(),
                );
                if self.resources.remove(&key).is_none() {
                    request.status = OperationStatus::Failed;
                    request.error = Some(("NotFound".into(), "gone".into()));
                }
            }
        }
    }

    /// Who already has what may be there only once.
    fn holder(&self, request: &Request, rules: &Rules) -> Option<String> {
        let unique = rules.unique.as_deref()?;
        let wanted = request.document.get(unique)?;
        self.resources
            .iter()
            .find(|((type_name, _), stored)| {
                *type_name == request.type_name && stored.model.get(unique) == Some(wanted)
            })
            .map(|((_, identifier), _)| identifier.clone())
    }

    pub(super) fn find(&self, token: &str) -> Result<ProgressEvent, CloudError> {
        match self.requests.iter().find(|request| request.token == token) {
            Some(request) => Ok(request.event()),
            None => Err(refusal(
                "RequestTokenNotFoundException",
                format!("Request with token {token} was not found"),
            )),
        }
    }
}

impl Request {
    pub(super) fn event(&self) -> ProgressEvent {
        ProgressEvent {
            request_token: self.token.clone(),
            status: self.status,
            identifier: self.identifier.clone(),
            error_code: self.error.as_ref().map(|(code, _)| code.clone()),
            message: self.error.as_ref().map(|(_, message)| message.clone()),
            retry_after: None,
        }
    }
}

pub(super) fn refusal(code: &str, message: impl Into<String>) -> CloudError {
    CloudError {
        code: code.to_owned(),
        message: message.into(),
    }
}

/// What is read: the model without write-only properties.
pub(super) fn shown(model: &Value, rules: &Rules) -> Value {
    let mut model = model.clone();
    if let Some(members) = model.as_object_mut() {
        members.retain(|name, _| !rules.write_only.contains(name));
    }
    model
}
