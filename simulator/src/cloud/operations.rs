//! Operations: what becomes of them, when they take effect, and when they end.

use super::{Inner, PROPAGATION, Resource, SimulatedCloud};
use crate::dice::Fault;
use crate::types;
use crate::world::World;
use formwork_engine::ports::{Call, Mutation, Operation, OperationStatus, ProgressEvent};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What will become of an operation.
pub(super) struct Fate {
    takes_effect: Timestamp,
    ends: Timestamp,
    queued_until: Timestamp,
    failure: Option<(&'static str, &'static str)>,
    named_late: bool,
    read_missing: Duration,
    read_stale: Duration,
}

impl Fate {
    pub(super) fn draw(world: &World, operation: Operation, now: Timestamp, latency: (u64, u64)) -> Self {
        let dice = &world.dice;
        let duration = dice.draw(latency.0, latency.1.max(latency.0));
        let queue = if dice.strikes(Fault::OperationQueued) {
            dice.draw(500, 60_000)
        } else {
            0
        };
        let at = |millis: u64| {
            now.checked_add(Duration::from_millis(millis))
                .unwrap_or(Timestamp::MAX)
        };
        let mut fate = Fate {
            takes_effect: at(queue + dice.draw(0, duration)),
            ends: at(queue + duration),
            queued_until: at(queue),
            failure: None,
            named_late: dice.strikes(Fault::IdentifierLate),
            read_missing: Duration::ZERO,
            read_stale: Duration::ZERO,
        };
        if dice.strikes(Fault::OperationStuck) {
            fate.ends = Timestamp::MAX;
            if dice.draw(0, 1) == 0 {
                fate.takes_effect = Timestamp::MAX;
            }
        } else if dice.strikes(Fault::OperationFails) {
            fate.takes_effect = Timestamp::MAX;
            fate.failure = Some(("InvalidRequest", "the value is not to the service's liking"));
        } else if dice.strikes(Fault::OperationThrottled) {
            fate.takes_effect = Timestamp::MAX;
            fate.failure = Some(("Throttling", "Rate exceeded"));
        } else if dice.strikes(Fault::OperationFailsHalfway) {
            fate.failure = Some(("NotStabilized", "it took too long"));
        } else if dice.strikes(Fault::OperationHiccups) {
            if dice.draw(0, 1) == 0 {
                fate.takes_effect = Timestamp::MAX;
            }
            fate.failure = Some(("ServiceInternalError", "something went wrong"));
        }
        if operation != Operation::Delete && dice.strikes(Fault::ReadMissing) {
            fate.read_missing = Duration::from_millis(dice.draw(500, 20_000));
        }
        if operation == Operation::Update && dice.strikes(Fault::ReadStale) {
            fate.read_stale = Duration::from_millis(dice.draw(500, 20_000));
        }
        fate
    }

    /// It fails for another reason before any of this.
    pub(super) fn at_once(self, now: Timestamp) -> Self {
        Fate {
            takes_effect: now,
            ends: now,
            queued_until: now,
            ..self
        }
    }
}

/// One request of Cloud Control.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) token: String,
    pub(super) operation: Operation,
    pub(super) type_name: String,
    pub(super) identifier: Option<String>,
    pub(super) status: OperationStatus,
    pub(super) takes_effect: Timestamp,
    pub(super) ends: Timestamp,
    queued_until: Timestamp,
    document: Map<String, Value>,
    call: String,
    failure: Option<(String, String)>,
    had_effect: bool,
    /// Whether the caller has named the resource: then the first event names it too.
    named_by_caller: bool,
    named_late: bool,
    read_missing: Duration,
    read_stale: Duration,
}

impl Request {
    pub(super) fn new(
        token: String,
        mutation: &Mutation,
        operation: Operation,
        identifier: Option<String>,
        document: Map<String, Value>,
        fate: &Fate,
        now: Timestamp,
    ) -> Self {
        let status = if fate.queued_until > now {
            OperationStatus::Pending
        } else {
            OperationStatus::InProgress
        };
        Request {
            token,
            operation,
            type_name: mutation.type_name.clone(),
            identifier,
            status,
            takes_effect: fate.takes_effect,
            ends: fate.ends,
            queued_until: fate.queued_until,
            document,
            call: text_of(&mutation.call),
            failure: fate
                .failure
                .map(|(code, message)| (code.to_owned(), message.to_owned())),
            had_effect: false,
            named_by_caller: operation != Operation::Create
                || types::name_property(&mutation.type_name).is_some(),
            named_late: fate.named_late,
            read_missing: fate.read_missing,
            read_stale: fate.read_stale,
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(
            self.status,
            OperationStatus::Success | OperationStatus::Failed | OperationStatus::CancelComplete
        )
    }

    /// Whether the call is the very one that began it.
    pub(super) fn is_for(&self, mutation: &Mutation) -> bool {
        self.type_name == mutation.type_name && self.call == text_of(&mutation.call)
    }

    pub(super) fn describe(&self) -> String {
        let identifier = self.identifier.as_deref().unwrap_or("-");
        format!(
            "{:?} {} {identifier} {}",
            self.operation,
            self.type_name,
            Value::Object(self.document.clone())
        )
    }

    pub(super) fn event(&self, now: Timestamp) -> ProgressEvent {
        let status = match self.status {
            OperationStatus::Pending if self.queued_until <= now => OperationStatus::InProgress,
            status => status,
        };
        let is_named = self.named_by_caller || (self.had_effect && (self.has_ended() || !self.named_late));
        let failed = status == OperationStatus::Failed;
        let failure = self.failure.as_ref().filter(|_| failed);
        ProgressEvent {
            request_token: self.token.clone(),
            status,
            identifier: self.identifier.clone().filter(|_| is_named),
            error_code: failure.map(|(code, _)| code.clone()),
            message: failure.map(|(_, message)| message.clone()),
            retry_after: None,
        }
    }

    fn fail(&mut self, code: &str, message: &str) {
        self.status = OperationStatus::Failed;
        self.failure = Some((code.to_owned(), message.to_owned()));
    }
}

impl SimulatedCloud {
    /// The moment at which a request changes something.
    pub(super) fn take_effect(&self, inner: &mut Inner, index: usize, time: Timestamp) {
        let Some(mut request) = inner.requests.get(index).cloned() else {
            return;
        };
        if request.has_ended() || request.had_effect {
            return;
        }
        self.change(inner, &mut request, time);
        if let Some(place) = inner.requests.get_mut(index) {
            *place = request;
        }
    }

    fn change(&self, inner: &mut Inner, request: &mut Request, time: Timestamp) {
        let identifier = request.identifier.clone().unwrap_or_default();
        let key = (request.type_name.clone(), identifier.clone());
        let after = |by: Duration| time.checked_add(by).unwrap_or(Timestamp::MAX);
        match request.operation {
            Operation::Create => {
                let holder = types::unique_property(&request.type_name).and_then(|property| {
                    let wanted = request.document.get(property)?;
                    let found = inner.resources.iter().find(|((kind, _), other)| {
                        *kind == request.type_name && other.model.get(property) == Some(wanted)
                    })?;
                    Some(found.0.1.clone())
                });
                if holder.is_some() || inner.resources.contains_key(&key) {
                    if let Some(holder) = holder {
                        request.identifier = Some(holder);
                        request.named_by_caller = true;
                    }
                    request.fail("AlreadyExists", "a resource of this name already exists");
                    return;
                }
                if let Some((code, message)) = self.unusable_reference(inner, request, time) {
                    request.fail(code, &message);
                    return;
                }
                let mut model = request.document.clone();
                model.insert("Arn".into(), json!(format!("arn:sim:{identifier}")));
                if types::name_property(&request.type_name).is_none() {
                    model.insert("Id".into(), json!(identifier));
                }
                let hidden_until = (!request.read_missing.is_zero()).then(|| after(request.read_missing));
                let resource = Resource {
                    model,
                    foreign: false,
                    since: time,
                    hidden_until,
                    stale: None,
                };
                inner.resources.insert(key, resource);
                request.had_effect = true;
                self.count_copies(inner, request);
            }
            Operation::Update => {
                if let Some((code, message)) = self.unusable_reference(inner, request, time) {
                    request.fail(code, &message);
                    return;
                }
                let Some(found) = inner.resources.get_mut(&key) else {
                    request.fail("NotFound", "gone");
                    return;
                };
                if found.foreign {
                    self.world
                        .violated(format!("{} of somebody else's {identifier}", request.token));
                }
                let before = std::mem::replace(&mut found.model, request.document.clone());
                found.stale = (!request.read_stale.is_zero()).then(|| (before, after(request.read_stale)));
                found.hidden_until = (!request.read_missing.is_zero()).then(|| after(request.read_missing));
                request.had_effect = true;
            }
            Operation::Delete => {
                let Some(found) = inner.resources.get(&key) else {
                    request.fail("NotFound", "there is no such resource");
                    return;
                };
                if found.foreign {
                    self.world
                        .violated(format!("{} of somebody else's {identifier}", request.token));
                }
                let arn = found.model.get("Arn").cloned();
                let needed = inner
                    .resources
                    .iter()
                    .any(|(other, user)| *other != key && user.model.get("Ref") == arn.as_ref());
                if needed {
                    request.fail(
                        "GeneralServiceException",
                        "DependencyViolation: it has a dependent object",
                    );
                    return;
                }
                inner.resources.remove(&key);
                request.had_effect = true;
            }
        }
        self.world
            .tell(|| format!("cloud: {} takes effect on {identifier}", request.token));
    }

    /// What a document refers to must be there, and a role be known.
    fn unusable_reference(
        &self,
        inner: &Inner,
        request: &Request,
        time: Timestamp,
    ) -> Option<(&'static str, String)> {
        let arn = request
            .document
            .get("Ref")
            .and_then(Value::as_str)
            .filter(|arn| arn.starts_with("arn:"))?;
        let found = inner
            .resources
            .iter()
            .find(|(_, other)| other.model.get("Arn").and_then(Value::as_str) == Some(arn));
        let Some(((type_name, _), target)) = found else {
            return Some(("InvalidRequest", format!("{arn} does not exist")));
        };
        let is_new = Duration::try_from(time.duration_since(target.since)).is_ok_and(|age| age < PROPAGATION);
        if type_name == types::ROLE && is_new && self.world.dice.strikes(Fault::RoleUnknown) {
            return Some((
                "InvalidRequest",
                "The role defined for the function cannot be assumed by Lambda.".into(),
            ));
        }
        None
    }

    /// More copies of one resource than any replacement needs are a violation at once.
    fn count_copies(&self, inner: &Inner, request: &Request) {
        let Some(mark) = request.document.get("Mark") else {
            return;
        };
        let copies = inner
            .resources
            .values()
            .filter(|other| other.model.get("Mark") == Some(mark))
            .count();
        if copies > 10 {
            self.world.violated(format!("{copies} copies of {mark} at once"));
        }
    }

    /// The moment at which a request ends.
    pub(super) fn end(&self, inner: &mut Inner, index: usize, time: Timestamp) {
        let Some(mut request) = inner.requests.get(index).cloned() else {
            return;
        };
        if request.has_ended() {
            return;
        }
        request.status = match (&request.failure, request.had_effect) {
            (Some(_), _) => OperationStatus::Failed,
            (None, true) => OperationStatus::Success,
            (None, false) => {
                request.fail("InternalFailure", "it ended without effect");
                OperationStatus::Failed
            }
        };
        // Reads lag behind the end, not behind the effect.
        let key = (
            request.type_name.clone(),
            request.identifier.clone().unwrap_or_default(),
        );
        if let Some(found) = inner.resources.get_mut(&key)
            && found.hidden_until.is_some()
        {
            found.hidden_until = time.checked_add(request.read_missing).ok();
        }
        self.world.tell(|| {
            format!(
                "cloud: {} ends {:?} {:?}",
                request.token, request.status, request.failure
            )
        });
        if let Some(place) = inner.requests.get_mut(index) {
            *place = request;
        }
    }
}

fn text_of(call: &Call) -> String {
    match call {
        Call::Create { desired_state } => desired_state.clone(),
        Call::Update {
            identifier,
            patch_document,
        } => format!("{identifier} {patch_document}"),
        Call::Delete { identifier } => identifier.clone(),
    }
}
