//! A cloud in memory.

mod requests;

use self::requests::{End, Request, State, Stored, refusal, shown};
use super::{Fuse, VirtualClock};
use crate::classify::after;
use crate::ports::{
    Active, Call, Clock, Cloud, CloudError, Mutation, Operation, OperationStatus, ProgressEvent,
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How resources of a type behave.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The property that is the identifier, if the author gives it; else one is made up under `Id`.
    pub identifier: Option<String>,
    /// A property of which no two resources of the type have the same value.
    pub unique: Option<String>,
    /// Properties that are kept but not read back.
    pub write_only: Vec<String>,
    /// How long an operation takes.
    pub latency: Duration,
    /// A property that says in milliseconds how long an operation takes beyond that.
    pub timed_by: Option<String>,
}

/// Calls that were made, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Operations begun, or tried to begin.
    pub mutations: u32,
    /// Operations asked about.
    pub polls: u32,
    /// Pages of active operations.
    pub lists: u32,
    /// Resources read.
    pub reads: u32,
    /// Operations asked to stop.
    pub cancels: u32,
}

impl Calls {
    /// All of them.
    pub fn total(self) -> u32 {
        self.mutations + self.polls + self.lists + self.reads + self.cancels
    }
}

/// Of a list of active operations, those on a page.
const PAGE: usize = 100;

/// What goes wrong, once.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The call is refused with this code and message, and has no effect: also one that was made before.
    Refuse(&'static str, &'static str),
    /// The call has its effect, but its answer never comes.
    LoseAnswer,
    /// The call never reaches the cloud.
    LoseCall,
    /// The operation fails with this code and message, and changes nothing.
    Fail(&'static str, &'static str),
    /// The operation fails with this code and message, but leaves its resource.
    FailHalfway(&'static str, &'static str),
    /// The same, and the resource cannot be read for this long after it.
    FailUnseen(&'static str, &'static str, Duration),
    /// The operation never ends.
    Stuck,
    /// The resource cannot be read for this long after the operation.
    Unsettled(Duration),
    /// It cannot be read for the first time after the operation, and is read as it was before it for the second.
    Lags(Duration, Duration),
}

/// A cloud that knows no schema: it makes up an `Arn` for everything, and does what its [`Rules`] say.
#[derive(Debug)]
pub struct SimCloud {
    clock: VirtualClock,
    fuse: Arc<Fuse>,
    state: Mutex<State>,
}

impl SimCloud {
    /// An empty cloud.
    pub fn new(clock: VirtualClock) -> Self {
        SimCloud::with_fuse(clock, Arc::default())
    }

    /// An empty cloud behind a fuse.
    pub fn with_fuse(clock: VirtualClock, fuse: Arc<Fuse>) -> Self {
        SimCloud {
            clock,
            fuse,
            state: Mutex::default(),
        }
    }

    /// Says how resources of a type behave.
    pub fn define(&self, type_name: &str, rules: Rules) {
        self.state().rules.insert(type_name.to_owned(), rules);
    }

    /// The next operation of this kind on a document or identifier that contains `text` goes wrong.
    pub fn fault(&self, operation: Operation, text: &str, fault: Fault) {
        self.state().faults.push((operation, text.to_owned(), fault));
    }

    /// Nothing goes wrong any more.
    pub fn forget_faults(&self) {
        self.state().faults.clear();
    }

    /// Operations that never end, end now, with success.
    pub fn end_stuck(&self) {
        let now = self.clock.now();
        for request in self
            .state()
            .requests
            .iter_mut()
            .filter(|request| request.ends == Timestamp::MAX)
        {
            request.ends = now;
        }
    }

    /// From now on a repeated client token is answered with the earlier request instead of a conflict.
    pub fn replay_repeated_tokens(&self) {
        self.state().replays = true;
    }

    /// Puts a resource there, as if somebody else had made it.
    pub fn put(&self, type_name: &str, identifier: &str, model: Value) {
        self.state().resources.insert(
            (type_name.to_owned(), identifier.to_owned()),
            Stored {
                model,
                hidden_until: None,
                before: None,
            },
        );
    }

    /// Takes a resource away behind everybody's back.
    pub fn take(&self, type_name: &str, identifier: &str) {
        self.state()
            .resources
            .remove(&(type_name.to_owned(), identifier.to_owned()));
    }

    /// Every resource: type, identifier, and the whole model with what is not read back.
    pub fn resources(&self) -> Vec<(String, String, Value)> {
        self.settle();
        self.state()
            .resources
            .iter()
            .map(|((type_name, id), stored)| (type_name.clone(), id.clone(), stored.model.clone()))
            .collect()
    }

    /// Every operation that was begun and every read: `create Test::Fake::Thing`, in order.
    pub fn log(&self) -> Vec<String> {
        self.state().log.clone()
    }

    /// How many calls were made.
    pub fn calls(&self) -> Calls {
        self.state().calls
    }

    /// Operations cannot be listed any more, as with a role that may not.
    pub fn refuse_lists(&self) {
        self.state().refuses_lists = true;
    }

    /// How many operations of a kind were begun.
    pub fn begun(&self, operation: Operation) -> usize {
        self.state()
            .requests
            .iter()
            .filter(|request| request.operation == operation)
            .count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everything that is due have its effect.
    fn settle(&self) {
        let now = self.clock.now();
        let mut state = self.state();
        let mut due: Vec<usize> = Vec::new();
        for (index, request) in state.requests.iter().enumerate() {
            if request.status == OperationStatus::InProgress && request.ends <= now {
                due.push(index);
            }
        }
        due.sort_by_key(|index| state.requests.get(*index).map(|request| request.ends));
        for index in due {
            let Some(mut request) = state.requests.get(index).cloned() else {
                continue;
            };
            state.end(&mut request);
            if let Some(place) = state.requests.get_mut(index) {
                *place = request;
            }
        }
    }
}

impl SimCloud {
    fn begin(
        &self,
        mutation: &Mutation,
        operation: Operation,
        now: Timestamp,
    ) -> Result<(ProgressEvent, bool), CloudError> {
        let mut state = self.state();
        let text = match &mutation.call {
            Call::Create { desired_state } => desired_state.clone(),
            Call::Update {
                identifier,
                patch_document,
            } => format!("{identifier} {patch_document}"),
            Call::Delete { identifier } => identifier.clone(),
        };
        let script = state
            .faults
            .iter()
            .position(|(kind, part, _)| *kind == operation && text.contains(part.as_str()));
        // Whether the caller may is asked before anything else.
        if let Some(index) = script
            && let Some(Fault::Refuse(code, message)) = state.faults.get(index).map(|(_, _, fault)| *fault)
        {
            state.faults.remove(index);
            return Err(refusal(code, message));
        }
        if let Some(earlier) = state.client_tokens.get(&mutation.client_token).cloned() {
            if state.replays {
                return state.find(&earlier).map(|event| (event, false));
            }
            let token = &mutation.client_token;
            let message = format!(
                "ClientToken {token} is already associated with an existing operation with RequestToken {earlier}"
            );
            return Err(refusal("ClientTokenConflictException", message));
        }
        let fault = script.map(|index| state.faults.remove(index).2);
        let rules = state.rules.get(&mutation.type_name).cloned().unwrap_or_default();
        let (identifier, document) = match &mutation.call {
            Call::Create { desired_state } => {
                let document: Value = serde_json::from_str(desired_state)
                    .map_err(|error| refusal("InvalidRequestException", error.to_string()))?;
                let given = rules
                    .identifier
                    .as_ref()
                    .and_then(|property| document.get(property))
                    .and_then(Value::as_str);
                (given.map(str::to_owned), document)
            }
            Call::Update {
                identifier,
                patch_document,
            } => {
                let stored = state
                    .resources
                    .get(&(mutation.type_name.clone(), identifier.clone()));
                let mut document = match stored {
                    Some(stored) => shown(&stored.model, &rules),
                    None => return Err(refusal("ResourceNotFoundException", "there is no such resource")),
                };
                let patch: json_patch::Patch = serde_json::from_str(patch_document)
                    .map_err(|error| refusal("ValidationException", error.to_string()))?;
                json_patch::patch(&mut document, &patch)
                    .map_err(|error| refusal("ValidationException", error.to_string()))?;
                (Some(identifier.clone()), document)
            }
            Call::Delete { identifier } => (Some(identifier.clone()), Value::Null),
        };
        let mut lost = false;
        let timed = rules.timed_by.as_deref().and_then(|property| {
            let stored = identifier
                .as_ref()
                .and_then(|id| state.resources.get(&(mutation.type_name.clone(), id.clone())));
            let model = stored.map(|stored| &stored.model);
            document.get(property).or_else(|| model?.get(property))?.as_u64()
        });
        let latency = rules.latency + Duration::from_millis(timed.unwrap_or_default());
        let mut ends = after(now, SignedDuration::try_from(latency).unwrap_or_default());
        let end = match fault {
            Some(Fault::LoseCall) => return Err(refusal("Network", "connection reset")),
            Some(Fault::LoseAnswer) => {
                lost = true;
                End::Success
            }
            Some(Fault::Fail(code, message)) => End::Fail(code.into(), message.into()),
            Some(Fault::FailHalfway(code, message)) => {
                End::Halfway(code.into(), message.into(), Duration::ZERO)
            }
            Some(Fault::FailUnseen(code, message, time)) => End::Halfway(code.into(), message.into(), time),
            Some(Fault::Stuck) => {
                ends = Timestamp::MAX;
                End::Success
            }
            Some(Fault::Unsettled(time)) => End::Unsettled(time),
            Some(Fault::Lags(hidden, stale)) => End::Lags(hidden, stale),
            None | Some(Fault::Refuse(..)) => End::Success,
        };
        let token = format!("request-{}", state.requests.len() + 1);
        state.log.push(format!(
            "{} {} {}",
            operation.verb(),
            mutation.type_name,
            identifier.as_deref().unwrap_or("-")
        ));
        state
            .client_tokens
            .insert(mutation.client_token.clone(), token.clone());
        let (type_name, status) = (mutation.type_name.clone(), OperationStatus::InProgress);
        let request = Request {
            token,
            operation,
            type_name,
            identifier,
            document,
            ends,
            end,
            status,
            error: None,
        };
        let event = request.event();
        state.requests.push(request);
        Ok((event, lost))
    }
}

#[async_trait]
impl Cloud for SimCloud {
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        self.fuse.pass().await;
        self.settle();
        self.state().calls.mutations += 1;
        let operation = match mutation.call {
            Call::Create { .. } => Operation::Create,
            Call::Update { .. } => Operation::Update,
            Call::Delete { .. } => Operation::Delete,
        };
        let answer = self.begin(mutation, operation, self.clock.now());
        self.fuse.pass().await;
        match answer? {
            (_, true) => Err(refusal("Timeout", "no answer")),
            (event, false) => Ok(event),
        }
    }

    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.fuse.pass().await;
        self.settle();
        let mut state = self.state();
        state.calls.polls += 1;
        state.find(request_token)
    }

    async fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        self.fuse.pass().await;
        self.settle();
        let mut state = self.state();
        state.calls.lists += 1;
        if state.refuses_lists {
            return Err(refusal("AccessDeniedException", "not authorized to list"));
        }
        let start = page.and_then(|page| page.parse().ok()).unwrap_or(0_usize);
        let active = |request: &&Request| !request.status.is_end();
        let mut events: Vec<ProgressEvent> = state
            .requests
            .iter()
            .filter(active)
            .skip(start)
            .take(PAGE + 1)
            .map(Request::event)
            .collect();
        let next = (events.len() > PAGE).then(|| (start + PAGE).to_string());
        events.truncate(PAGE);
        Ok(Active { events, next })
    }

    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        self.fuse.pass().await;
        self.settle();
        let mut state = self.state();
        state.calls.cancels += 1;
        match state
            .requests
            .iter_mut()
            .find(|request| request.token == request_token)
        {
            Some(request) if request.status == OperationStatus::InProgress => {
                request.status = OperationStatus::CancelComplete;
                Ok(request.event())
            }
            Some(_) => Err(refusal("ValidationException", "the request has ended")),
            None => Err(refusal(
                "RequestTokenNotFoundException",
                "there is no such request",
            )),
        }
    }

    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
        _role_arn: Option<&str>,
    ) -> Result<Value, CloudError> {
        self.fuse.pass().await;
        self.settle();
        let now = self.clock.now();
        let mut state = self.state();
        state.calls.reads += 1;
        state.log.push(format!("read {type_name} {identifier}"));
        let rules = state.rules.get(type_name).cloned().unwrap_or_default();
        match state
            .resources
            .get(&(type_name.to_owned(), identifier.to_owned()))
        {
            Some(stored) if stored.hidden_until.is_none_or(|time| time <= now) => {
                let before = stored.before.as_ref().filter(|(_, until)| *until > now);
                Ok(shown(before.map_or(&stored.model, |(model, _)| model), &rules))
            }
            _ => Err(refusal("ResourceNotFoundException", "there is no such resource")),
        }
    }
}
