//! A resource type without its types, so that a provider can serve several.

use crate::context::Context;
use crate::outcome::{Failure, Progress};
use crate::resource::{Create, CustomResource, Delete, Head, Poll, Update};
use async_trait::async_trait;
use formwork_protocol::{Operation, Request, properties};
use serde_json::Value;

#[async_trait]
pub(crate) trait Erased: Send + Sync {
    fn physical_resource_id(&self, head: &Head) -> Option<String>;
    fn resumes(&self) -> bool;
    async fn begin(&self, call: Call<'_>) -> Result<Progress<Value>, Failure>;
    async fn poll(&self, call: Call<'_>, state: Value) -> Result<Progress<Value>, Failure>;
    async fn timed_out(&self, call: Call<'_>, state: Value) -> Failure;
    async fn answered(
        &self,
        head: &Head,
        physical_resource_id: &str,
        succeeded: bool,
        cx: &Context,
    ) -> Result<(), Failure>;
}

/// What every call is about.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) head: &'a Head,
    pub(crate) request: &'a Request,
    pub(crate) cx: &'a Context,
}

#[async_trait]
impl<R: CustomResource> Erased for R {
    fn physical_resource_id(&self, head: &Head) -> Option<String> {
        CustomResource::physical_resource_id(self, head)
    }

    fn resumes(&self) -> bool {
        CustomResource::resumes(self)
    }

    async fn begin(&self, Call { head, request, cx }: Call<'_>) -> Result<Progress<Value>, Failure> {
        let head = head.clone();
        let properties = properties::decode(&request.properties);
        let progress = match &request.operation {
            Operation::Create => {
                self.create(
                    Create {
                        head,
                        properties: properties.map_err(Undecoded)?,
                    },
                    cx,
                )
                .await?
            }
            Operation::Update {
                physical_resource_id,
                old_properties,
            } => {
                let update = Update {
                    head,
                    physical_resource_id: physical_resource_id.clone(),
                    properties: properties.map_err(Undecoded)?,
                    old_properties: properties::decode(old_properties),
                };
                self.update(update, cx).await?
            }
            Operation::Delete { physical_resource_id } => {
                let delete = Delete {
                    head,
                    physical_resource_id: physical_resource_id.clone(),
                    properties,
                };
                self.delete(delete, cx).await?
            }
        };
        erase(progress)
    }

    async fn poll(&self, call: Call<'_>, state: Value) -> Result<Progress<Value>, Failure> {
        let state = serde_json::from_value(state).map_err(|_| unreadable_state())?;
        erase(CustomResource::poll(self, poll_of(call), state, call.cx).await?)
    }

    async fn timed_out(&self, call: Call<'_>, state: Value) -> Failure {
        match serde_json::from_value(state) {
            Ok(state) => CustomResource::timed_out(self, poll_of(call), state, call.cx).await,
            Err(_) => unreadable_state(),
        }
    }

    async fn answered(
        &self,
        head: &Head,
        physical_resource_id: &str,
        succeeded: bool,
        cx: &Context,
    ) -> Result<(), Failure> {
        CustomResource::answered(self, head, physical_resource_id, succeeded, cx).await
    }
}

struct Undecoded(properties::DecodeErrors);

impl From<Undecoded> for Failure {
    fn from(Undecoded(errors): Undecoded) -> Self {
        Failure::new(format!("the properties cannot be read: {errors}"))
    }
}

fn unreadable_state() -> Failure {
    Failure::new("what an earlier poll left cannot be read by this version of the provider")
}

fn poll_of<P: serde::de::DeserializeOwned>(call: Call<'_>) -> Poll<P> {
    Poll {
        head: call.head.clone(),
        physical_resource_id: call.cx.known_id(),
        properties: properties::decode(&call.request.properties),
        request_type: call.head.request_type,
    }
}

fn erase<S: serde::Serialize>(progress: Progress<S>) -> Result<Progress<Value>, Failure> {
    Ok(match progress {
        Progress::Done(outcome) => Progress::Done(outcome),
        Progress::Pending {
            outcome,
            state,
            after,
        } => Progress::Pending {
            state: serde_json::to_value(state)
                .map_err(|error| Failure::new(format!("the state cannot be stored: {error}")))?,
            outcome,
            after,
        },
    })
}
