//! What an author implements: a custom resource type.

use crate::context::Context;
use crate::outcome::{Failure, Progress};
use async_trait::async_trait;
use formwork_protocol::RequestType;
use formwork_protocol::properties::DecodeErrors;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A custom resource type: how it is made, changed and removed.
///
/// # Guarantees
/// * Each operation is called at most once for a request, however often CloudFormation's event is delivered,
///   unless [`CustomResource::resumes`] says that calling it again continues it.
/// * What it returns is always answered; so are an error, a panic and running out of time.
/// * An id set with [`Context::set_physical_resource_id`] or returned in a [`Failure`] is in the answer, so that
///   the Delete that CloudFormation sends after a failed Create finds what was made.
///
/// # Caveats
/// An operation that blocks its thread cannot be interrupted: use asynchronous calls.
#[async_trait]
pub trait CustomResource: Send + Sync + 'static {
    /// The resource's properties. CloudFormation's text scalars are decoded into its numbers and booleans.
    type Properties: DeserializeOwned + Send + Sync;
    /// What one poll hands to the next; `()` if the resource is not polled.
    type State: Serialize + DeserializeOwned + Send + Sync;

    /// The id a Create will have, where it can be told beforehand: then every answer, failures included,
    /// carries it.
    fn physical_resource_id(&self, _request: &Head) -> Option<String> {
        None
    }

    /// True if calling an operation again after it was cut off resumes it instead of doing it twice.
    fn resumes(&self) -> bool {
        false
    }

    /// Makes the resource. Without an id in the outcome it gets the RequestId.
    async fn create(
        &self,
        request: Create<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Self::State>, Failure>;

    /// Changes the resource. Another id in the outcome means that it was replaced: CloudFormation deletes the
    /// old one afterwards.
    async fn update(
        &self,
        request: Update<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Self::State>, Failure>;

    /// Removes the resource. What is gone already is success.
    async fn delete(
        &self,
        request: Delete<Self::Properties>,
        cx: &Context,
    ) -> Result<Progress<Self::State>, Failure>;

    /// Looks again at an operation that was [`Progress::Pending`]. Two polls can run at once.
    async fn poll(
        &self,
        _request: Poll<Self::Properties>,
        _state: Self::State,
        _cx: &Context,
    ) -> Result<Progress<Self::State>, Failure> {
        Err(Failure::new(
            "the resource type left an operation pending but has no poll to go on with",
        ))
    }

    /// Gives the last word before the deadline answers FAILED.
    async fn timed_out(
        &self,
        _request: Poll<Self::Properties>,
        _state: Self::State,
        _cx: &Context,
    ) -> Failure {
        Failure::new("operation timed out")
    }

    /// Called once the answer is stored and delivered: time to forget inputs. Called again, after the same answer
    /// was delivered once more, until it succeeds.
    ///
    /// # Errors
    /// When it could not do so now.
    async fn answered(
        &self,
        _head: &Head,
        _physical_resource_id: &str,
        _succeeded: bool,
        _cx: &Context,
    ) -> Result<(), Failure> {
        Ok(())
    }
}

/// What is known about any request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// ARN of the stack.
    pub stack_id: String,
    /// Its name.
    pub stack_name: String,
    /// Logical id of the custom resource.
    pub logical_resource_id: String,
    /// Id of the request; CloudFormation can use it again when a deployment is retried.
    pub request_id: String,
    /// `Custom::...`
    pub resource_type: String,
    /// Names this request and no other, in each of its deliveries.
    pub request_key: String,
    /// `<stack uuid>/<logical id>`, safe in an object key.
    pub instance_folder: String,
    /// When CloudFormation made the request, to the second; `None` if the ResponseURL does not tell.
    pub issued: Option<Timestamp>,
    /// How long CloudFormation waits for the answer.
    pub service_timeout: Duration,
    /// What is asked.
    pub request_type: RequestType,
}

/// A request to make a resource.
#[derive(Debug, Clone)]
pub struct Create<P> {
    /// What is known about any request.
    pub head: Head,
    /// The resource's properties.
    pub properties: P,
}

/// A request to change a resource.
#[derive(Debug, Clone)]
pub struct Update<P> {
    /// What is known about any request.
    pub head: Head,
    /// The id it has.
    pub physical_resource_id: String,
    /// The properties it is to have.
    pub properties: P,
    /// Those it had. An earlier version of the provider may have taken another shape.
    pub old_properties: Result<P, DecodeErrors>,
}

/// A request to remove a resource.
#[derive(Debug, Clone)]
pub struct Delete<P> {
    /// What is known about any request.
    pub head: Head,
    /// The id it has. CloudFormation invents one when it did not wait for the answer to the Create.
    pub physical_resource_id: String,
    /// Its properties. An earlier version of the provider may have taken another shape.
    pub properties: Result<P, DecodeErrors>,
}

/// A look at what is pending.
#[derive(Debug, Clone)]
pub struct Poll<P> {
    /// What is known about any request.
    pub head: Head,
    /// The id known so far.
    pub physical_resource_id: Option<String>,
    /// The resource's properties.
    pub properties: Result<P, DecodeErrors>,
    /// What was asked.
    pub request_type: RequestType,
}
