//! Cloud Control as it is when it is at its worst, and honest all the same.
//!
//! Operations take time, work on a resource one at a time, and leave what they did when they fail. A resource may
//! be there before its operation ends and stays when that is cancelled. What is read may lag behind.

mod operations;
mod port;

pub(crate) use port::CloudAccess;

use self::operations::{Fate, Request};
use crate::dice::Fault;
use crate::types;
use crate::world::{World, lock};
use formwork_engine::ports::{Active, Call, CloudError, Mutation, Operation, OperationStatus, ProgressEvent};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a new role may be unknown to others.
const PROPAGATION: Duration = Duration::from_secs(8);

/// Operations on a page: few, so that lists are cut off.
const LISTED_AT_ONCE: usize = 4;

/// The cloud of one run.
pub(crate) struct SimulatedCloud {
    world: Arc<World>,
    inner: Mutex<Inner>,
    /// How long operations take, in milliseconds.
    latency: (u64, u64),
    /// A repeated client token is answered with the earlier request instead of a conflict.
    replays: bool,
}

#[derive(Default)]
struct Inner {
    resources: BTreeMap<Key, Resource>,
    requests: Vec<Request>,
    client_tokens: HashMap<String, usize>,
    /// What happens when: the effect (0) and the end (1) of a request.
    agenda: BTreeSet<(Timestamp, u8, usize)>,
    made: u64,
    calls: u64,
}

type Key = (String, String);
/// What a call wants: of which resource, if it names one, and with which model.
type Wanted = (Operation, Option<String>, Map<String, Value>);

/// A resource that exists.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) model: Map<String, Value>,
    /// Not one of ours.
    pub(crate) foreign: bool,
    since: Timestamp,
    hidden_until: Option<Timestamp>,
    /// What is read instead, until then.
    stale: Option<(Map<String, Value>, Timestamp)>,
}

impl SimulatedCloud {
    pub(crate) fn new(world: Arc<World>, latency: (u64, u64), replays: bool) -> Arc<Self> {
        Arc::new(SimulatedCloud {
            world,
            inner: Mutex::default(),
            latency,
            replays,
        })
    }

    /// Puts a resource there that belongs to somebody else.
    pub(crate) fn put_foreign(&self, type_name: &str, identifier: &str, model: Map<String, Value>) {
        let since = self.world.now();
        let resource = Resource {
            model,
            foreign: true,
            since,
            hidden_until: None,
            stale: None,
        };
        lock(&self.inner)
            .resources
            .insert((type_name.to_owned(), identifier.to_owned()), resource);
    }

    /// Everything that exists: type, identifier, resource.
    pub(crate) fn resources(&self) -> Vec<(String, String, Resource)> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner
            .resources
            .iter()
            .map(|((kind, id), found)| (kind.clone(), id.clone(), found.clone()))
            .collect()
    }

    /// How many calls were made.
    pub(crate) fn calls(&self) -> u64 {
        lock(&self.inner).calls
    }

    /// Operations that never end, end now.
    pub(crate) fn end_stuck(&self) {
        let mut inner = lock(&self.inner);
        let now = self.world.now();
        let stuck: Vec<usize> = inner
            .requests
            .iter()
            .enumerate()
            .filter(|(_, request)| !request.has_ended() && request.ends == Timestamp::MAX)
            .map(|(index, _)| index)
            .collect();
        for index in stuck {
            if let Some(request) = inner.requests.get_mut(index) {
                request.ends = now;
                request.takes_effect = request.takes_effect.min(now);
            }
            inner.agenda.insert((now, 0, index));
            inner.agenda.insert((now, 1, index));
        }
    }

    /// Takes a mutating call that has reached the service.
    fn accept(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner.calls += 1;
        let now = self.world.now();
        if let Some(earlier) = inner.client_tokens.get(&mutation.client_token).copied() {
            let Some(earlier) = inner.requests.get(earlier) else {
                return Err(refusal("InternalFailure", ""));
            };
            if self.replays && earlier.is_for(mutation) {
                return Ok(earlier.event(now));
            }
            return Err(refusal(
                "ClientTokenConflictException",
                &format!(
                    "ClientToken {} is already associated with an existing operation with RequestToken {}",
                    mutation.client_token, earlier.token
                ),
            ));
        }
        let (operation, identifier, document) = Self::read_call(&inner, mutation)?;
        if let Some(identifier) = &identifier
            && inner.requests.iter().rev().take(200).any(|open| {
                !open.has_ended()
                    && open.type_name == mutation.type_name
                    && open.identifier.as_deref() == Some(identifier.as_str())
            })
        {
            return Err(refusal(
                "ConcurrentOperationException",
                "another operation works on the resource",
            ));
        }
        let taken = identifier.as_ref().is_some_and(|identifier| {
            inner
                .resources
                .contains_key(&(mutation.type_name.clone(), identifier.clone()))
        });
        let fate = Fate::draw(&self.world, operation, now, self.latency);
        // That a name is taken is seen before anything else can go wrong.
        let fate = if taken && operation == Operation::Create {
            fate.at_once(now)
        } else {
            fate
        };
        let index = inner.requests.len();
        let identifier = match (operation, identifier) {
            (_, Some(identifier)) => Some(identifier),
            (Operation::Create, None) => {
                inner.made += 1;
                Some(format!("made-{}", inner.made))
            }
            (_, None) => None,
        };
        let token = format!("request-{}", index + 1);
        let request = Request::new(token, mutation, operation, identifier, document, &fate, now);
        self.world
            .tell(|| format!("cloud: {} begins {}", request.token, request.describe()));
        inner.agenda.insert((request.takes_effect, 0, index));
        inner.agenda.insert((request.ends, 1, index));
        inner.client_tokens.insert(mutation.client_token.clone(), index);
        let event = request.event(now);
        inner.requests.push(request);
        Ok(event)
    }

    /// What a call wants: checked as the service checks it before it begins.
    fn read_call(inner: &Inner, mutation: &Mutation) -> Result<Wanted, CloudError> {
        let type_name = mutation.type_name.as_str();
        match &mutation.call {
            Call::Create { desired_state } => {
                let Ok(Value::Object(document)) = serde_json::from_str(desired_state) else {
                    return Err(refusal(
                        "InvalidRequestException",
                        "the desired state is no object",
                    ));
                };
                let name = match types::name_property(type_name) {
                    None => None,
                    Some(property) => match document.get(property).and_then(Value::as_str) {
                        Some(name) => Some(name.to_owned()),
                        None => {
                            return Err(refusal("ValidationException", "#: required key [Name] not found"));
                        }
                    },
                };
                Ok((Operation::Create, name, document))
            }
            Call::Update {
                identifier,
                patch_document,
            } => {
                if !types::has_handler(type_name, "update") {
                    return Err(refusal(
                        "UnsupportedActionException",
                        "the type has no update handler",
                    ));
                }
                let Some(stored) = inner.resources.get(&(type_name.to_owned(), identifier.clone())) else {
                    return Err(refusal("ResourceNotFoundException", "there is no such resource"));
                };
                let mut document = Value::Object(shown(&stored.model));
                let patched = serde_json::from_str::<json_patch::Patch>(patch_document)
                    .map_err(|error| error.to_string())
                    .and_then(|patch| {
                        json_patch::patch(&mut document, &patch).map_err(|error| error.to_string())
                    });
                patched.map_err(|error| refusal("ValidationException", &error))?;
                let Value::Object(document) = document else {
                    return Err(refusal("ValidationException", "the patched model is no object"));
                };
                let names = stored.model.keys().chain(document.keys());
                let fixed = names
                    .filter(|name| types::is_create_only(type_name, name))
                    .find(|name| stored.model.get(*name) != document.get(*name));
                if let Some(name) = fixed {
                    let text = format!(
                        "Invalid patch update: createOnlyProperties [/properties/{name}] cannot be updated"
                    );
                    return Err(refusal("NotUpdatableException", &text));
                }
                Ok((Operation::Update, Some(identifier.clone()), document))
            }
            Call::Delete { identifier } => Ok((Operation::Delete, Some(identifier.clone()), Map::new())),
        }
    }

    fn status(&self, token: &str) -> Result<ProgressEvent, CloudError> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner.calls += 1;
        let now = self.world.now();
        match inner.requests.iter().rev().find(|request| request.token == token) {
            Some(request) => Ok(request.event(now)),
            None => Err(refusal(
                "RequestTokenNotFoundException",
                "there is no such request",
            )),
        }
    }

    /// What has not ended, or so it says.
    fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner.calls += 1;
        let now = self.world.now();
        let mut events: Vec<ProgressEvent> = inner
            .requests
            .iter()
            .filter(|request| !request.has_ended())
            .map(|request| request.event(now))
            .collect();
        if self.world.dice.strikes(Fault::ListLags) {
            events.pop();
            let ended = inner.requests.iter().rev().find(|request| request.has_ended());
            events.extend(ended.map(|request| ProgressEvent {
                status: OperationStatus::InProgress,
                error_code: None,
                message: None,
                ..request.event(now)
            }));
        }
        let start = page.and_then(|page| page.parse().ok()).unwrap_or(0_usize);
        let next = start + LISTED_AT_ONCE;
        Ok(Active {
            next: (next < events.len()).then(|| next.to_string()),
            events: events.into_iter().skip(start).take(LISTED_AT_ONCE).collect(),
        })
    }

    fn cancel(&self, token: &str) -> Result<ProgressEvent, CloudError> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner.calls += 1;
        let now = self.world.now();
        let ignored = self.world.dice.strikes(Fault::CancelIgnored);
        let Some(request) = inner.requests.iter_mut().find(|request| request.token == token) else {
            return Err(refusal(
                "RequestTokenNotFoundException",
                "there is no such request",
            ));
        };
        if request.status == OperationStatus::CancelComplete {
            return Ok(request.event(now));
        }
        if request.has_ended() {
            return Err(refusal("ValidationException", "the request has ended"));
        }
        if !ignored {
            self.world.tell(|| format!("cloud: {token} is cancelled"));
            request.status = OperationStatus::CancelComplete;
        }
        Ok(request.event(now))
    }

    fn read(&self, type_name: &str, identifier: &str) -> Result<Value, CloudError> {
        let mut inner = lock(&self.inner);
        self.settle(&mut inner);
        inner.calls += 1;
        let now = self.world.now();
        if !types::has_handler(type_name, "read") {
            return Err(refusal(
                "UnsupportedActionException",
                "the type has no read handler",
            ));
        }
        match inner
            .resources
            .get(&(type_name.to_owned(), identifier.to_owned()))
        {
            Some(found) if found.hidden_until.is_none_or(|until| until <= now) => {
                let model = match &found.stale {
                    Some((earlier, until)) if *until > now => earlier,
                    _ => &found.model,
                };
                Ok(Value::Object(shown(model)))
            }
            _ => Err(refusal("ResourceNotFoundException", "there is no such resource")),
        }
    }

    /// Lets everything happen whose time has come, in its order.
    fn settle(&self, inner: &mut Inner) {
        let now = self.world.now();
        while let Some((time, what, index)) = inner.agenda.first().copied() {
            if time > now {
                break;
            }
            inner.agenda.pop_first();
            if what == 0 {
                self.take_effect(inner, index, time);
            } else {
                self.end(inner, index, time);
            }
        }
    }
}

pub(crate) fn refusal(code: &str, message: &str) -> CloudError {
    CloudError {
        code: code.to_owned(),
        message: message.to_owned(),
    }
}

/// What is read of a model.
fn shown(model: &Map<String, Value>) -> Map<String, Value> {
    model
        .iter()
        .filter(|(name, _)| !types::is_write_only(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
