//! One invocation's work on one request: who asked, what was asked, and how much time there is.

use crate::erased::Erased;
use crate::flow_error::FlowError;
use crate::operate::Flow;
use crate::ports::{Version, WaitInput, WaiterError};
use crate::provider::{Invocation, Provider, until};
use crate::record::{Journal, Record};
use crate::resource::Head;
use crate::tombstone::Graveyard;
use formwork_protocol::{Envelope, Request, RequestType};
use jiff::Timestamp;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tracing::Span;

/// The id of a Create that made nothing: the Delete that follows is answered without calling anything.
pub const CREATE_FAILED_ID: &str = "Formwork::CREATE_FAILED";
/// The same of CDK's provider framework, for resources that were its before.
const CDK_CREATE_FAILED_ID: &str = "AWSCDK::CustomResourceProviderFramework::CREATE_FAILED";
/// The id of an answer to a request that names none where it should.
pub const MISSING_ID: &str = "Formwork::MISSING_PHYSICAL_ID";

/// No function runs longer than this on Lambda; elsewhere it ends a lease too.
const LONGEST_INVOCATION: Duration = Duration::from_secs(15 * 60);
/// A lease is over this long after its invocation was ended.
const LEASE_SLACK: Duration = Duration::from_secs(2);
/// A store that does not answer for longer than this is not waited for.
pub(crate) const LONGEST_OUTAGE: Duration = Duration::from_secs(20);
/// The pauses before a waiter that could not be started is started once more.
const START_PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(1_000)];
/// At most this long before CloudFormation gives up, the answer is due.
const LONGEST_ANSWER_MARGIN: Duration = Duration::from_secs(60);

/// Lambda makes its last attempt at an event three minutes after the first, and as long at the record of its failure.
const TRIED_AGAIN_WITHIN: Duration = Duration::from_secs(300);

pub(crate) struct Turn<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) envelope: Envelope,
    pub(crate) event: Value,
    pub(crate) instance: String,
    pub(crate) key: String,
    pub(crate) times: Times,
    pub(crate) log_stream: Option<String>,
    pub(crate) flow: Flow,
    /// The name of the waiter's execution whose end led here.
    pub(crate) ended: Option<String>,
}

/// The moments of an invocation.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    /// The operation is asked to hand back.
    pub(crate) hand_back: Timestamp,
    /// It is cut off.
    pub(crate) cut_off: Timestamp,
    /// Delivering is given up.
    pub(crate) end: Timestamp,
    /// Whatever this invocation had in hand is surely not being worked on any more.
    pub(crate) lease_until: Timestamp,
}

/// How a turn ends.
pub(crate) enum Next {
    Answered,
    Wait { after: Duration, deadline: Timestamp },
}

/// A request that can be handed to a resource type.
pub(crate) struct Understood {
    pub(crate) head: Head,
    pub(crate) request: Request,
    pub(crate) resource: Arc<dyn Erased>,
    pub(crate) derived_id: Option<String>,
}

/// A record and where it stands.
pub(crate) struct Tracked {
    pub(crate) record: Record,
    pub(crate) at: Place,
}

#[derive(Clone)]
pub(crate) enum Place {
    At(Version),
    /// The store cannot be used: go on without it.
    Nowhere,
}

/// Whether something may exist of a Create that failed without telling an id.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Made {
    Nothing,
    Perhaps,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        provider: &'a Provider,
        event: Value,
        invocation: &Invocation,
        flow: Flow,
    ) -> Result<Self, FlowError> {
        let envelope = Envelope::read(&event)?;
        let now = provider.ports.clock.now();
        Ok(Turn {
            provider,
            instance: envelope.instance_folder(),
            key: envelope.request_key().to_string(),
            envelope,
            event,
            times: Times::of(now, invocation.deadline, provider.margin),
            log_stream: invocation.log_stream.clone(),
            flow,
            ended: None,
        })
    }

    /// What every line logged in this turn says.
    pub(crate) fn span(&self) -> Span {
        let request_type = self.request_type().map(RequestType::as_str);
        tracing::info_span!(
            "request",
            instance = self.instance,
            request = self.key,
            requestType = request_type,
        )
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.provider.ports.clock.now()
    }

    pub(crate) fn journal(&self) -> Journal<'_> {
        Journal {
            store: &self.provider.ports.store,
            clock: &self.provider.ports.clock,
            instance: &self.instance,
            request: &self.key,
            patience: self.times.patience(self.now()),
        }
    }

    /// Where Deletes of the same resource leave word.
    pub(crate) fn graveyard(&self) -> Graveyard {
        Graveyard {
            store: Arc::clone(&self.provider.ports.store),
            clock: Arc::clone(&self.provider.ports.clock),
            instance: self.instance.clone(),
            issued: self.envelope.response_url.signed_at(),
            patience: self.times.patience(self.now()),
        }
    }

    /// Whether a request that cannot be recorded may be answered all the same, because nobody will try it again
    /// in time: an answer without a record can be contradicted by whoever goes on from the record that there is.
    pub(crate) fn answers_unrecorded(&self, deadline: Timestamp) -> bool {
        let issued = self.envelope.response_url.signed_at();
        match self.flow {
            Flow::OnEvent => issued.is_none(),
            Flow::LastResort => {
                let now = self.now();
                now >= deadline || issued.is_none_or(|issued| now >= later(issued, TRIED_AGAIN_WITHIN))
            }
            Flow::IsComplete | Flow::GivenUp => self.now() >= deadline,
        }
    }

    /// Halves the time left: what is done after a call that hangs must still have some.
    pub(crate) fn half_way(&self) -> Timestamp {
        let now = self.now();
        later(now, until(now, self.times.end) / 2)
    }

    /// When the answer to a request that begins now is due.
    pub(crate) fn due(&self) -> Timestamp {
        let now = self.now();
        let issued = self.envelope.response_url.signed_at();
        later(issued.unwrap_or(now).min(now), self.time_to_answer())
    }

    /// How long ago a request began that is due then.
    pub(crate) fn elapsed(&self, due: Timestamp) -> Duration {
        self.time_to_answer().saturating_sub(until(self.now(), due))
    }

    fn time_to_answer(&self) -> Duration {
        let timeout = Request::service_timeout_of(&self.event);
        timeout - LONGEST_ANSWER_MARGIN.min(timeout / 10)
    }

    /// Finds the resource type, or says why the request cannot be handed to any.
    pub(crate) fn understand(&self) -> Result<Understood, String> {
        let request = Request::parse(&self.event).map_err(|error| error.to_string())?;
        let resources = &self.provider.resources;
        let Some(resource) = resources.get(&request.resource_type) else {
            let served: Vec<String> = resources.keys().map(|name| format!("`{name}`")).collect();
            let served = if served.is_empty() {
                "none".to_owned()
            } else {
                served.join(", ")
            };
            return Err(format!(
                "the resource type `{}` is not served here; served: {served}",
                request.resource_type
            ));
        };
        let head = Head {
            stack_id: self.envelope.stack_id.clone(),
            stack_name: self.envelope.stack_name().to_owned(),
            logical_resource_id: self.envelope.logical_resource_id.clone(),
            request_id: self.envelope.request_id.clone(),
            resource_type: request.resource_type.clone(),
            request_key: self.key.clone(),
            instance_folder: self.instance.clone(),
            issued: self.envelope.response_url.signed_at(),
            service_timeout: request.service_timeout,
            request_type: request.operation.request_type(),
        };
        let derived_id = match head.request_type {
            RequestType::Create => catch_unwind(AssertUnwindSafe(|| resource.physical_resource_id(&head)))
                .map_err(|_| "the handler panicked when asked for the physical resource id".to_owned())?,
            RequestType::Update | RequestType::Delete => {
                request.operation.physical_resource_id().map(str::to_owned)
            }
        };
        Ok(Understood {
            resource: Arc::clone(resource),
            head,
            request,
            derived_id,
        })
    }

    pub(crate) fn request_type(&self) -> Option<RequestType> {
        self.envelope
            .request_type
            .as_deref()
            .and_then(RequestType::of_name)
    }

    /// Whether this is the Delete of a Create that made nothing.
    pub(crate) fn deletes_nothing(&self) -> bool {
        let id = self.envelope.physical_resource_id.as_deref();
        self.request_type() == Some(RequestType::Delete)
            && (id == Some(CREATE_FAILED_ID) || id == Some(CDK_CREATE_FAILED_ID))
    }

    /// The id of a success.
    pub(crate) fn id_of_success(&self, told: Option<String>) -> String {
        let told = told.filter(|id| !id.is_empty());
        told.or_else(|| self.envelope.physical_resource_id.clone())
            .unwrap_or_else(|| self.envelope.request_id.clone())
    }

    /// The id of a failure: a Delete's never changes, an Update's only when it was told.
    pub(crate) fn id_of_failure(&self, told: Option<String>, made: Made) -> String {
        let told = told.filter(|id| !id.is_empty());
        let requested = || {
            self.envelope
                .physical_resource_id
                .clone()
                .unwrap_or_else(|| MISSING_ID.to_owned())
        };
        match self.request_type() {
            Some(RequestType::Create) => told.unwrap_or_else(|| match made {
                Made::Nothing => CREATE_FAILED_ID.to_owned(),
                Made::Perhaps => self.envelope.request_id.clone(),
            }),
            Some(RequestType::Update) => told.unwrap_or_else(requested),
            Some(RequestType::Delete) | None => requested(),
        }
    }

    /// Makes sure that somebody comes back to the request.
    pub(crate) async fn start_waiter(&self, record: &Record) -> Result<(), FlowError> {
        // The key is hexadecimal, so the name is one that Step Functions takes.
        let name = format!("{}-{}", self.key, record.generation);
        self.start_waiter_as(&name, record).await
    }

    /// Makes sure that somebody comes back to the request after this invocation, whoever began it.
    pub(crate) async fn see_to_waiter(&self, record: &Record) -> Result<(), FlowError> {
        match (self.flow, &self.ended) {
            // The waiter is the caller.
            (Flow::IsComplete, _) => Ok(()),
            // A waiter that has ended cannot be started again under its name.
            (Flow::GivenUp, Some(ended)) => self.start_waiter_as(&format!("{ended}-"), record).await,
            // The waiter ends after this, and only then can be replaced.
            (Flow::GivenUp, None) => Err(FlowError::Busy),
            (Flow::OnEvent | Flow::LastResort, _) => self.start_waiter(record).await,
        }
    }

    async fn start_waiter_as(&self, name: &str, record: &Record) -> Result<(), FlowError> {
        let Some(waiter) = &self.provider.ports.waiter else {
            return Err(FlowError::Busy);
        };
        let input = WaitInput {
            instance: self.instance.clone(),
            request: self.key.clone(),
            deadline: record.deadline,
        };
        let clock = &self.provider.ports.clock;
        let mut pauses = START_PAUSES.iter();
        loop {
            let started = tokio::select! {
                biased;
                started = waiter.start(name, &input) => started,
                () = clock.sleep(until(self.now(), self.half_way())) => Err(WaiterError("no answer in time".into())),
            };
            // Under the same name it is started once, also when only the answer was lost.
            match (started, pauses.next()) {
                (Ok(()), _) => return Ok(()),
                (Err(error), None) => return Err(error.into()),
                (Err(_), Some(pause)) => clock.sleep(*pause).await,
            }
        }
    }
}

impl Times {
    /// Until when a store that does not answer is tried from now on: longer than most outages, and not so long that what
    /// has to be done without it comes too late.
    pub(crate) fn patience(&self, now: Timestamp) -> Timestamp {
        later(now, (until(now, self.end) / 2).min(LONGEST_OUTAGE))
    }

    pub(crate) fn of(now: Timestamp, invocation_end: Timestamp, margin: Duration) -> Self {
        let left = until(now, invocation_end).min(LONGEST_INVOCATION);
        let reserve = margin.min(left / 5);
        Times {
            hand_back: later(now, left - reserve * 2),
            cut_off: later(now, left - reserve),
            end: later(now, left - reserve / 5),
            lease_until: later(now, left + LEASE_SLACK),
        }
    }
}

impl Tracked {
    pub(crate) fn version(&self) -> Option<&Version> {
        match &self.at {
            Place::At(version) => Some(version),
            Place::Nowhere => None,
        }
    }
}

pub(crate) fn later(from: Timestamp, by: Duration) -> Timestamp {
    from.checked_add(by).unwrap_or(Timestamp::MAX)
}
