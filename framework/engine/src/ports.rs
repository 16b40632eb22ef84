//! What the driver needs of the outside: narrow traits, implemented by `formwork-aws` and by the in-memory fakes.

use async_trait::async_trait;
use formwork_schema::ResourceSchema;
use std::sync::Arc;
use std::time::Duration;

/// The time and the passing of it.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> jiff::Timestamp;
    /// Waits.
    async fn sleep(&self, duration: Duration);
}

/// The kind of an asynchronous operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// CreateResource
    Create,
    /// UpdateResource
    Update,
    /// DeleteResource
    Delete,
}

/// Cloud Control's OperationStatus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationStatus {
    /// Queued by the service.
    Pending,
    /// Running.
    InProgress,
    /// Done.
    Success,
    /// Failed; the resource may exist all the same.
    Failed,
    /// A cancel was asked for.
    CancelInProgress,
    /// Cancelled; nothing is rolled back.
    CancelComplete,
}

impl OperationStatus {
    /// True if nothing more will happen.
    pub fn is_end(self) -> bool {
        matches!(
            self,
            OperationStatus::Success | OperationStatus::Failed | OperationStatus::CancelComplete
        )
    }
}

/// Cloud Control's ProgressEvent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressEvent {
    /// Names the request for 7 days.
    pub request_token: String,
    /// Status.
    pub status: OperationStatus,
    /// The resource's identifier as soon as one is known.
    pub identifier: Option<String>,
    /// HandlerErrorCode (`AlreadyExists`, `NotFound`, `Throttling`, ...).
    pub error_code: Option<String>,
    /// Message, hook failures appended.
    pub message: Option<String>,
    /// Do not ask again before.
    pub retry_after: Option<jiff::Timestamp>,
}

/// A mutating call.
#[derive(Clone)]
pub struct Mutation {
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// 1..128 of `[-A-Za-z0-9+/=]`; derived, so that a repeated call is recognised.
    pub client_token: String,
    /// Role for Cloud Control to use.
    pub role_arn: Option<String>,
    /// The call.
    pub call: Call,
}

/// What a [`Mutation`] calls. Documents may hold secrets: `Debug` of [`Mutation`] shows none of them.
#[derive(Clone)]
pub enum Call {
    /// CreateResource with this desired state.
    Create {
        /// Full desired state, JSON text of at most 262,144 characters.
        desired_state: String,
    },
    /// UpdateResource with this patch document.
    Update {
        /// Primary identifier.
        identifier: String,
        /// RFC 6902, JSON text.
        patch_document: String,
    },
    /// DeleteResource.
    Delete {
        /// Primary identifier.
        identifier: String,
    },
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mutation")
            .field("type_name", &self.type_name)
            .field("client_token", &self.client_token)
            .finish_non_exhaustive()
    }
}

/// A call that Cloud Control (or the way to it) refused synchronously.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct CloudError {
    /// Exception name without namespace (`ValidationException`, `ThrottlingException`,
    /// `ClientTokenConflictException`, `ResourceNotFoundException`, ...); `Network` or `Timeout` when no
    /// answer came.
    pub code: String,
    /// Message of the service; never a document we sent.
    pub message: String,
}

/// A page of the operations that are under way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Active {
    /// Everybody's of the account, in no particular order. One that has just begun or ended may be missing or
    /// still be there.
    pub events: Vec<ProgressEvent>,
    /// Names the next page.
    pub next: Option<String>,
}

/// The Cloud Control API, without its lists of resources.
#[async_trait]
pub trait Cloud: Send + Sync {
    /// CreateResource, UpdateResource or DeleteResource.
    ///
    /// # Errors
    /// What the service refuses synchronously.
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError>;
    /// GetResourceRequestStatus.
    ///
    /// # Errors
    /// `RequestTokenNotFoundException` for one that is unknown or older than 7 days.
    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError>;
    /// ListResourceRequests, filtered for what has not ended: up to 100 operations with one call. A cloud that
    /// cannot do it need not: operations are then asked about one by one.
    ///
    /// # Errors
    /// What the service refuses synchronously.
    async fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        let _ = page;
        Err(CloudError {
            code: "UnsupportedActionException".into(),
            message: "operations cannot be listed".into(),
        })
    }
    /// CancelResourceRequest.
    ///
    /// # Errors
    /// `ValidationException` when it has ended already.
    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError>;
    /// GetResource: the properties.
    ///
    /// # Errors
    /// `ResourceNotFoundException` when there is none.
    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
        role_arn: Option<&str>,
    ) -> Result<serde_json::Value, CloudError>;
}

/// Finds the schema of a resource type: the bundle first, then the account's type registry.
#[async_trait]
pub trait SchemaSource: Send + Sync {
    /// The schema of a CloudFormation type name, `None` if there is no such type.
    ///
    /// # Errors
    /// When the registry cannot be asked. A failure is never an empty schema.
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError>;
}

/// The type registry could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema of {type_name} could not be fetched: {message}")]
pub struct SchemaSourceError {
    /// The type.
    pub type_name: String,
    /// What happened.
    pub message: String,
}

/// Reads blueprints that are stored elsewhere.
#[async_trait]
pub trait BlueprintSource: Send + Sync {
    /// The text at a location (`s3://bucket/key`).
    ///
    /// # Errors
    /// One line that names the location and what is wrong.
    async fn fetch(&self, location: &str) -> Result<String, String>;
}

/// A version of a stored document, as the store tells it (an ETag). No two documents of an instance have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(pub String);

/// Keeps deployments, one versioned JSON document per instance. Instance names are slash-separated
/// (`<stack uuid>/<logical id>/<physical id>`); the store adds its own prefix and ending.
#[async_trait]
pub trait StateStore: Send + Sync {
    /// Reads a document.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError>;
    /// Writes a document: creates when `expected` is `None`, else replaces exactly that version.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when somebody else was first; nothing is overwritten then.
    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError>;
    /// Removes exactly this version of a document; one that is gone already is success.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it is another version; nothing is removed then.
    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError>;
    /// Names of the instances below a folder (`<stack uuid>/<logical id>`), sorted.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError>;
}

/// A store that did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another writer was first: load and decide again.
    #[error("the deployment was changed by somebody else")]
    Conflict,
    /// The store cannot be used now.
    #[error("the state store cannot be used: {0}")]
    Unavailable(String),
}
