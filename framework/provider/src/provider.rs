//! The provider: resource types put behind the two flows.

use crate::erased::Erased;
use crate::flow_error::FlowError;
use crate::operate::Flow;
use crate::ports::{Clock, Observer, RequestStore, ResponseSender, Waiter};
use crate::resource::CustomResource;
use crate::turn::{Next, Turn};
use crate::{is_complete, wait_event};
use formwork_protocol::redact;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

const DEFAULT_MARGIN: Duration = Duration::from_secs(5);

/// The outside world.
#[derive(Clone)]
pub struct Ports {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Delivers answers.
    pub sender: Arc<dyn ResponseSender>,
    /// Calls is_complete again and again. Without one every request has to be finished by its first call.
    pub waiter: Option<Arc<dyn Waiter>>,
    /// Remembers requests.
    pub store: Arc<dyn RequestStore>,
}

/// What is known about one invocation of a function.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// When the platform ends it. [`Timestamp::MAX`] if it does not.
    pub deadline: Timestamp,
    /// Where its log is; told at the end of a FAILED answer's Reason.
    pub log_stream: Option<String>,
}

/// Serves custom resource types: every request gets one answer, whatever happens.
///
/// # Guarantees
/// * A request whose ResponseURL and ids can be read is answered, be its properties unreadable, the operation in
///   panic or cut off, the waiter aborted, or the store out of reach.
/// * A delivery that comes twice resumes the request or sends the stored answer again; it starts no second effect.
/// * User code cannot change where an answer goes or whom it names.
///
/// # Errors
/// Both flows return an error when trying again can help; Lambda and the state machine then do so. What is left
/// after that comes to is_complete through the on-failure destination and the rule on failed executions.
pub struct Provider {
    pub(crate) ports: Ports,
    pub(crate) resources: BTreeMap<String, Arc<dyn Erased>>,
    pub(crate) margin: Duration,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

/// Puts a [`Provider`] together.
pub struct ProviderBuilder {
    provider: Provider,
}

impl ProviderBuilder {
    /// Serves a resource type, such as `Custom::S3File`.
    #[must_use]
    pub fn resource(mut self, resource_type: impl Into<String>, resource: impl CustomResource) -> Self {
        self.provider
            .resources
            .insert(resource_type.into(), Arc::new(resource));
        self
    }

    /// Sets how long before an invocation's end an operation is cut off, to have time for the answer. 5 s unless
    /// set; never more than a fifth of the invocation.
    #[must_use]
    pub fn margin(mut self, margin: Duration) -> Self {
        self.provider.margin = margin;
        self
    }

    /// Tells somebody how requests end.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.provider.observer = Some(observer);
        self
    }

    /// The provider.
    pub fn build(self) -> Provider {
        self.provider
    }
}

impl Provider {
    /// Begins with the ports; resource types follow.
    pub fn builder(ports: Ports) -> ProviderBuilder {
        ProviderBuilder {
            provider: Provider {
                ports,
                resources: BTreeMap::new(),
                margin: DEFAULT_MARGIN,
                observer: None,
            },
        }
    }

    /// Takes CloudFormation's event: carries the operation out, or as far as it comes in this invocation, and
    /// answers or leaves the rest to a waiter.
    ///
    /// Returns `{"IsComplete": bool, "WaitSeconds": n}`, which only a human looks at.
    ///
    /// # Errors
    /// When the request was neither answered nor left to a waiter. Nothing in the error is from the event.
    pub async fn on_event(&self, event: Value, invocation: Invocation) -> Result<Value, FlowError> {
        let told = redact(&event);
        let turn = Turn::new(self, event, &invocation, Flow::OnEvent)
            .inspect_err(|_| tracing::error!(event = %told, "the request cannot be answered"))?;
        let work = async {
            tracing::info!(event = %told, "a request came in");
            turn.begin().await
        };
        work.instrument(turn.span()).await.map(|next| self.output(&next))
    }

    /// Looks again at a request that on_event left, or answers FAILED for one that was given up.
    ///
    /// Takes a waiter's input, the same with the `Error` its state machine caught, Lambda's on-failure record of
    /// on_event, and EventBridge's event on a failed execution. Returns `{"IsComplete": bool, "WaitSeconds": n}`.
    ///
    /// # Errors
    /// When it could not do so now.
    pub async fn is_complete(&self, event: Value, invocation: Invocation) -> Result<Value, FlowError> {
        let event = wait_event::read(event)?;
        is_complete::run(self, event, &invocation)
            .await
            .map(|next| self.output(&next))
    }

    /// Answers FAILED without calling user code or the store: for a function that cannot be set up.
    ///
    /// # Errors
    /// When the event cannot be answered or the answer not be delivered.
    pub async fn refuse(
        ports: Ports,
        event: Value,
        reason: &str,
        invocation: Invocation,
    ) -> Result<Value, FlowError> {
        let provider = Provider::builder(ports).build();
        let turn = Turn::new(&provider, event, &invocation, Flow::OnEvent)?;
        let span = turn.span();
        let refused = turn.refuse(reason).instrument(span).await;
        refused.map(|next| provider.output(&next))
    }

    fn output(&self, next: &Next) -> Value {
        match next {
            Next::Answered => json!({ "IsComplete": true, "WaitSeconds": 1 }),
            Next::Wait { after, deadline } => {
                let left = until(self.ports.clock.now(), *deadline);
                json!({ "IsComplete": false, "WaitSeconds": seconds_up((*after).min(left)).max(1) })
            }
        }
    }
}

fn seconds_up(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// How long it is from one moment to another, nothing if that is past.
pub(crate) fn until(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}
