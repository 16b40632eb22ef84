//! `Custom::Blueprint` as a custom resource: CloudFormation's requests turned into orders for the engine.
//!
//! # Flow
//! Create and Update begin a Deploy, Delete begins a Destroy; all three, and every later poll, carry the
//! begun generation on until the end of this invocation's window and then hand back.
//!
//! # Guarantees
//! The order's cause is the request's key, so a request that comes twice finds its own generation and
//! resumes it. A Delete with an id that nobody issued finds the instance by stack and logical id.

use super::{DeletionPolicy, Document, Properties, attributes, identity};
use async_trait::async_trait;
use formwork_blueprint::Source;
use formwork_engine::ports::BlueprintSource;
use formwork_engine::{Advance, Engine, EngineError, Generation, Goal, Order, Outcome as Deployed, Target};
use formwork_provider::{
    Context, Create, CustomResource, Delete, Failure, Head, Outcome, Poll, Progress, RequestType, Update,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Kept free between the engine's deadline and the provider's, for reporting what was pending.
const REPORT_MARGIN: Duration = Duration::from_secs(15);
/// Longer than a call that nobody waits for any more may be under way.
const UNDER_WAY: Duration = Duration::from_secs(5);
const OVERTAKEN: &str = "nothing is left of it: the resource was deleted by a later request";

/// Serves `Custom::Blueprint`.
pub struct BlueprintResource {
    engine: Engine,
    blueprints: Arc<dyn BlueprintSource>,
    poll_window: Duration,
    new_salt: fn() -> String,
}

/// What one poll hands to the next: the generations being carried on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    instances: Vec<InstanceWork>,
    /// A Delete has overtaken the request: what it had begun is taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    overtaken: bool,
    /// Nothing is done before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_before: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct InstanceWork {
    name: String,
    generation: Generation,
}

impl BlueprintResource {
    /// A resource over an engine. One invocation carries a deployment on for at most `poll_window`.
    /// `new_salt` answers fresh random hexadecimal text for each new instance.
    pub fn new(
        engine: Engine,
        blueprints: Arc<dyn BlueprintSource>,
        poll_window: Duration,
        new_salt: fn() -> String,
    ) -> Self {
        BlueprintResource {
            engine,
            blueprints,
            poll_window,
            new_salt,
        }
    }

    async fn deploy(
        &self,
        head: &Head,
        id: &str,
        given: &Map<String, Value>,
        cx: &Context,
    ) -> Result<Progress<Work>, Failure> {
        let properties =
            Properties::read(given).map_err(|error| Failure::new(error.to_string()).with_id(id))?;
        let deadline = deadline(cx, properties.timeout);
        let target = target(properties, self.blueprints.as_ref())
            .await
            .map_err(|reason| Failure::new(reason).with_id(id))?;
        let name = identity::instance(head, id);
        let work = self
            .begin(head, name.clone(), Goal::Deploy(target), deadline)
            .await
            .map_err(|failure| failure.with_id(id))?;
        // A Delete notes that it has come before it looks for instances, so either it has found this one by now
        // or it is seen here.
        let overtaken = cx.is_overtaken().await.map_err(|failure| failure.with_id(id))?;
        if overtaken {
            let work = self
                .take_back(head, name, cx)
                .await
                .map_err(|error| failure(error).with_id(id))?;
            // A write of ours that nobody heard of may still be under way: the document stays until it is not.
            return Ok(Progress::Pending {
                outcome: Outcome::new().with_id(id),
                state: Work {
                    instances: vec![work],
                    overtaken,
                    not_before: Some(later(cx.now(), UNDER_WAY)),
                },
                after: UNDER_WAY,
            });
        }
        let work = Work {
            instances: vec![work],
            overtaken,
            not_before: None,
        };
        self.carry_on(id, work, cx).await
    }

    /// Begins to destroy what an overtaken request has begun, in this delivery or an earlier one.
    async fn take_back(&self, head: &Head, name: String, cx: &Context) -> Result<InstanceWork, EngineError> {
        let order = Order {
            cause: taken_back(head),
            issued: head.issued,
            deadline: deadline(cx, None),
            salt: (self.new_salt)(),
            goal: Goal::Destroy { retain: false },
        };
        let generation = self.engine.take_back(&name, &head.request_key, order).await?;
        Ok(InstanceWork { name, generation })
    }

    async fn begin(
        &self,
        head: &Head,
        name: String,
        goal: Goal,
        deadline: Timestamp,
    ) -> Result<InstanceWork, Failure> {
        let order = Order {
            cause: head.request_key.clone(),
            issued: head.issued,
            deadline,
            salt: (self.new_salt)(),
            goal,
        };
        let generation = self.engine.begin(&name, order).await.map_err(failure)?;
        Ok(InstanceWork { name, generation })
    }

    /// The instances a Delete is about: the one of its id, or, when CloudFormation invented the id, all that
    /// stack and logical id have.
    async fn instances_of(&self, head: &Head, id: &str) -> Result<Vec<String>, EngineError> {
        let own = identity::instance(head, id);
        if self.engine.load(&own).await?.is_some() {
            return Ok(vec![own]);
        }
        if identity::is_ours(head, id) {
            Ok(Vec::new())
        } else {
            self.engine.instances(&head.instance_folder).await
        }
    }

    async fn carry_on(&self, id: &str, work: Work, cx: &Context) -> Result<Progress<Work>, Failure> {
        if let Some(time) = work.not_before.filter(|time| *time > cx.now()) {
            let after = Duration::try_from(time.duration_since(cx.now())).unwrap_or_default();
            return Ok(Progress::Pending {
                outcome: Outcome::new().with_id(id),
                state: work,
                after,
            });
        }
        let until = cx.invocation_end().min(later(cx.now(), self.poll_window));
        let mut after = None;
        let mut finished = Vec::new();
        for instance in &work.instances {
            match self
                .engine
                .advance(&instance.name, instance.generation, until)
                .await
            {
                Ok(Advance::Done(deployed)) => finished.push(deployed),
                Ok(Advance::Again { after: wait }) => {
                    after = Some(after.map_or(wait, |shortest| wait.min(shortest)))
                }
                Ok(Advance::Superseded) => {
                    return Err(
                        Failure::new("superseded by a newer request for the same resource").with_id(id),
                    );
                }
                // Removed by an earlier, cut-off attempt of this very Delete.
                Err(EngineError::NoInstance { .. }) => {}
                Err(error) => return Err(failure(error).with_id(id)),
            }
        }
        let mut outcome = Outcome::new().with_id(id);
        if let Some(after) = after {
            // An instance that has finished answers its outcome again when all have.
            return Ok(Progress::Pending {
                outcome,
                state: work,
                after,
            });
        }
        if work.overtaken {
            return Err(Failure::new(OVERTAKEN).with_id(id));
        }
        if let Some(reason) = failures(&finished) {
            return Err(Failure::new(reason).with_id(id));
        }
        if let [deployed] = finished.as_slice() {
            let attributes = attributes(&deployed.exports);
            outcome = outcome
                .with_data(attributes.data)
                .with_no_echo(attributes.no_echo);
        }
        Ok(Progress::Done(outcome))
    }
}

/// What the properties ask for.
pub(super) async fn target(
    properties: Properties,
    blueprints: &dyn BlueprintSource,
) -> Result<Target, String> {
    let source = match &properties.document {
        Document::Inline(object) => Source::inline("Blueprint", object),
        Document::Body(text) => Source::new("BlueprintBody", text.as_str()),
        Document::Location(location) => Source::new(location.as_str(), blueprints.fetch(location).await?),
    };
    Ok(Target {
        source,
        variables: properties.variables,
        exports: properties.exports,
        role_arn: properties.role_arn,
        tags: properties.tags,
        max_concurrency: properties.max_concurrency,
    })
}

#[async_trait]
impl CustomResource for BlueprintResource {
    /// Read by [`Properties::read`], which knows what to say about unknown ones.
    type Properties = Map<String, Value>;
    type State = Work;

    fn physical_resource_id(&self, head: &Head) -> Option<String> {
        Some(identity::physical_resource_id(head))
    }

    fn resumes(&self) -> bool {
        true
    }

    async fn create(
        &self,
        request: Create<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Work>, Failure> {
        let id = identity::physical_resource_id(&request.head);
        self.deploy(&request.head, &id, &request.properties, cx).await
    }

    async fn update(
        &self,
        request: Update<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Work>, Failure> {
        self.deploy(
            &request.head,
            &request.physical_resource_id,
            &request.properties,
            cx,
        )
        .await
    }

    async fn delete(
        &self,
        request: Delete<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Work>, Failure> {
        let id = request.physical_resource_id.as_str();
        let policy = request
            .properties
            .as_ref()
            .map_or(DeletionPolicy::Delete, Properties::deletion_policy_of);
        let names = self
            .instances_of(&request.head, id)
            .await
            .map_err(|error| failure(error).with_id(id))?;
        let mut instances = Vec::with_capacity(names.len());
        for name in names {
            let goal = Goal::Destroy {
                retain: policy == DeletionPolicy::Retain,
            };
            match self.begin(&request.head, name, goal, deadline(cx, None)).await {
                Ok(work) => instances.push(work),
                Err(failure) => return Err(failure.with_id(id)),
            }
        }
        let work = Work {
            instances,
            overtaken: false,
            not_before: None,
        };
        self.carry_on(id, work, cx).await
    }

    async fn poll(
        &self,
        request: Poll<Self::Properties>,
        state: Work,
        cx: &Context,
    ) -> Result<Progress<Work>, Failure> {
        let id = request
            .physical_resource_id
            .unwrap_or_else(|| identity::physical_resource_id(&request.head));
        self.carry_on(&id, state, cx).await
    }

    async fn answered(
        &self,
        head: &Head,
        physical_resource_id: &str,
        succeeded: bool,
        cx: &Context,
    ) -> Result<(), Failure> {
        if !succeeded && head.request_type != RequestType::Delete {
            self.take_back_what_is_left(head, physical_resource_id, cx)
                .await?;
        }
        self.settle(head, physical_resource_id).await.map_err(failure)
    }
}

impl BlueprintResource {
    /// A request that was answered FAILED because nobody could go on with it may have been overtaken by a Delete
    /// that did not see what it had begun.
    async fn take_back_what_is_left(&self, head: &Head, id: &str, cx: &Context) -> Result<(), Failure> {
        let name = identity::instance(head, id);
        let deployment = self.engine.load(&name).await.map_err(failure)?;
        let is_latest = deployment.is_some_and(|deployment| {
            deployment.cause == head.request_key || deployment.cause == taken_back(head)
        });
        if !is_latest || !cx.is_overtaken().await? {
            return Ok(());
        }
        let work = match self.take_back(head, name, cx).await {
            // The Delete has found it after all.
            Err(EngineError::Overtaken) => return Ok(()),
            work => work.map_err(failure)?,
        };
        match self
            .engine
            .advance(&work.name, work.generation, cx.invocation_end())
            .await
        {
            Ok(Advance::Again { .. }) => Err(Failure::passing("what it had begun is being deleted")),
            Ok(Advance::Done(_) | Advance::Superseded) | Err(EngineError::NoInstance { .. }) => Ok(()),
            Err(error) => Err(failure(error)),
        }
    }

    /// Settles every instance whose latest order the request caused; one that still runs was answered FAILED
    /// because nobody could go on with it.
    async fn settle(&self, head: &Head, id: &str) -> Result<(), EngineError> {
        let own = identity::instance(head, id);
        let names = if identity::is_ours(head, id) {
            vec![own]
        } else {
            self.engine.instances(&head.instance_folder).await?
        };
        for name in names {
            let causes = [head.request_key.as_str(), &taken_back(head)];
            self.engine.conclude(&name, &causes).await?;
        }
        Ok(())
    }
}

fn later(now: Timestamp, duration: Duration) -> Timestamp {
    now.checked_add(duration).unwrap_or(Timestamp::MAX)
}

fn deadline(cx: &Context, timeout: Option<Duration>) -> Timestamp {
    let due = cx
        .deadline()
        .checked_sub(REPORT_MARGIN)
        .unwrap_or_else(|_| cx.deadline());
    timeout.map_or(due, |timeout| due.min(later(cx.now(), timeout)))
}

/// What stands in the way of the engine now may be gone a moment later.
fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Store(_) | EngineError::TooMuchContention => Failure::passing(error.to_string()),
        _ => Failure::new(error.to_string()),
    }
}

/// The cause of the order that takes an overtaken request back.
fn taken_back(head: &Head) -> String {
    format!("{}/taken-back", head.request_key)
}

/// Every failure of every deployment, `None` if all succeeded.
fn failures(deployed: &[Deployed]) -> Option<String> {
    if deployed.iter().all(|one| one.succeeded) {
        return None;
    }
    let lines: Vec<String> = deployed
        .iter()
        .flat_map(|one| &one.failures)
        .map(ToString::to_string)
        .collect();
    Some(if lines.is_empty() {
        "the deployment failed".into()
    } else {
        lines.join("; ")
    })
}
