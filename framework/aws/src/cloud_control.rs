//! Cloud Control through its SDK client.

use crate::connection::{Connection, Service};
use crate::http::Http;
use crate::sdk::{Failure, service_config};
use async_trait::async_trait;
use aws_sdk_cloudcontrol::Client;
use aws_sdk_cloudcontrol::config::retry::RetryConfig;
use aws_sdk_cloudcontrol::types;
use formwork_engine::ports::{Active, Call, Cloud, CloudError, Mutation, OperationStatus, ProgressEvent};
use std::sync::OnceLock;

/// Attempts of a call that changes nothing, made by the SDK itself: enough for a dropped connection. More
/// would hide throttling from the engine, whose rate limiter adapts to it.
const READ_ATTEMPTS: u32 = 2;

/// The most operations that one page of a list can have.
const PAGE: i32 = 100;

/// The real cloud.
///
/// # Guarantees
/// A mutation is sent once. Repeated by the SDK it could meet a `ClientTokenConflictException` about
/// itself; the engine repeats it knowingly, and recovers the lost request from that very answer.
///
/// # Errors
/// Codes are those of the service, modelled or not, without namespace and with the service's own message.
/// `Network` and `Timeout` leave open whether the service has accepted the call. `ClientError` means that
/// nothing was sent. No error holds a document that was sent.
#[derive(Debug)]
pub struct CloudControl {
    connection: Connection,
    http: Http,
    clients: OnceLock<Clients>,
}

#[derive(Debug)]
struct Clients {
    mutations: Client,
    reads: Client,
}

impl CloudControl {
    /// Makes the adapter; its clients are built on the first call.
    pub fn new(connection: &Connection, http: &Http) -> Self {
        CloudControl {
            connection: connection.clone(),
            http: http.clone(),
            clients: OnceLock::new(),
        }
    }

    fn clients(&self) -> &Clients {
        self.clients.get_or_init(|| {
            let config = service_config(&self.connection, &self.http, Service::CloudControl);
            let with = |retries: RetryConfig| {
                Client::from_conf(
                    aws_sdk_cloudcontrol::config::Builder::from(&config)
                        .retry_config(retries)
                        .build(),
                )
            };
            Clients {
                mutations: with(RetryConfig::disabled()),
                reads: with(RetryConfig::standard().with_max_attempts(READ_ATTEMPTS)),
            }
        })
    }

    async fn ask(&self, request_token: &str) -> Result<Status, CloudError> {
        let call = self
            .clients()
            .reads
            .get_resource_request_status()
            .request_token(request_token);
        let answer = call.send().await.map_err(refused)?;
        Ok(Status {
            hooks: answer.hooks_progress_event.unwrap_or_default(),
            event: answer.progress_event,
        })
    }

    /// The event, and if hooks made it fail, which and why: the event itself does not say.
    async fn explained(
        &self,
        event: Option<types::ProgressEvent>,
        hooks: &[types::HookProgressEvent],
    ) -> Result<ProgressEvent, CloudError> {
        let asks_hooks = event.as_ref().is_some_and(|event| {
            event.operation_status == Some(types::OperationStatus::Failed)
                && event.hooks_request_token.is_some()
        });
        let mut progress = progress(event)?;
        if !asks_hooks {
            return Ok(progress);
        }
        let mut failures = failed_hooks(hooks);
        if failures.is_empty() {
            // The hooks' results can lag behind the event. Without an answer the event must do.
            if let Ok(again) = self.ask(&progress.request_token).await {
                failures = failed_hooks(&again.hooks);
            }
        }
        if !failures.is_empty() {
            let said = progress.message.into_iter().chain(failures);
            progress.message = Some(said.collect::<Vec<_>>().join("; "));
        }
        Ok(progress)
    }
}

struct Status {
    event: Option<types::ProgressEvent>,
    hooks: Vec<types::HookProgressEvent>,
}

#[async_trait]
impl Cloud for CloudControl {
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        let client = &self.clients().mutations;
        let role_arn = mutation.role_arn.clone();
        let event = match &mutation.call {
            Call::Create { desired_state } => {
                let call = client
                    .create_resource()
                    .type_name(&mutation.type_name)
                    .client_token(&mutation.client_token)
                    .set_role_arn(role_arn)
                    .desired_state(desired_state);
                call.send().await.map_err(refused)?.progress_event
            }
            Call::Update {
                identifier,
                patch_document,
            } => {
                let call = client
                    .update_resource()
                    .type_name(&mutation.type_name)
                    .client_token(&mutation.client_token)
                    .set_role_arn(role_arn)
                    .identifier(identifier)
                    .patch_document(patch_document);
                call.send().await.map_err(refused)?.progress_event
            }
            Call::Delete { identifier } => {
                let call = client
                    .delete_resource()
                    .type_name(&mutation.type_name)
                    .client_token(&mutation.client_token)
                    .set_role_arn(role_arn)
                    .identifier(identifier);
                call.send().await.map_err(refused)?.progress_event
            }
        };
        self.explained(event, &[]).await
    }

    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        let status = self.ask(request_token).await?;
        self.explained(status.event, &status.hooks).await
    }

    async fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        let unfinished = [
            types::OperationStatus::Pending,
            types::OperationStatus::InProgress,
            types::OperationStatus::CancelInProgress,
        ];
        let filter = types::ResourceRequestStatusFilter::builder()
            .set_operation_statuses(Some(unfinished.to_vec()))
            .build();
        let call = self
            .clients()
            .reads
            .list_resource_requests()
            .resource_request_status_filter(filter)
            .max_results(PAGE)
            .set_next_token(page.map(str::to_owned));
        let answer = call.send().await.map_err(refused)?;
        let summaries = answer.resource_request_status_summaries.unwrap_or_default();
        Ok(Active {
            // Others' are among them; one that cannot be read is none of ours.
            events: summaries
                .into_iter()
                .filter_map(|event| progress(Some(event)).ok())
                .collect(),
            next: answer.next_token.filter(|token| !token.is_empty()),
        })
    }

    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        let call = self
            .clients()
            .reads
            .cancel_resource_request()
            .request_token(request_token);
        let answer = call.send().await.map_err(refused)?;
        progress(answer.progress_event)
    }

    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
        role_arn: Option<&str>,
    ) -> Result<serde_json::Value, CloudError> {
        let call = self
            .clients()
            .reads
            .get_resource()
            .type_name(type_name)
            .identifier(identifier)
            .set_role_arn(role_arn.map(str::to_owned));
        let answer = call.send().await.map_err(refused)?;
        let properties = answer
            .resource_description
            .and_then(|description| description.properties)
            .ok_or_else(|| unreadable("the answer has no properties"))?;
        // The parser's message quotes the text, which may hold secrets.
        serde_json::from_str(&properties).map_err(|_| unreadable("the properties are not JSON"))
    }
}

fn refused(error: impl Into<Failure>) -> CloudError {
    let Failure { code, message } = error.into();
    CloudError { code, message }
}

/// An answer that breaks the protocol. Whether the call took effect is as open as without any answer.
fn unreadable(message: &str) -> CloudError {
    CloudError {
        code: "Network".into(),
        message: message.into(),
    }
}

fn progress(event: Option<types::ProgressEvent>) -> Result<ProgressEvent, CloudError> {
    let event = event.ok_or_else(|| unreadable("the answer has no progress event"))?;
    let request_token = event
        .request_token
        .ok_or_else(|| unreadable("the answer has no request token"))?;
    Ok(ProgressEvent {
        request_token,
        status: event
            .operation_status
            .as_ref()
            .map_or(OperationStatus::InProgress, status),
        identifier: event.identifier.filter(|identifier| !identifier.is_empty()),
        error_code: event.error_code.map(|code| code.as_str().to_owned()),
        message: event.status_message.filter(|message| !message.is_empty()),
        retry_after: event.retry_after.and_then(timestamp),
    })
}

fn status(status: &types::OperationStatus) -> OperationStatus {
    match status {
        types::OperationStatus::Pending => OperationStatus::Pending,
        types::OperationStatus::Success => OperationStatus::Success,
        types::OperationStatus::Failed => OperationStatus::Failed,
        types::OperationStatus::CancelInProgress => OperationStatus::CancelInProgress,
        types::OperationStatus::CancelComplete => OperationStatus::CancelComplete,
        // A status newer than we are is not known to be an end.
        _ => OperationStatus::InProgress,
    }
}

fn timestamp(time: aws_smithy_types::DateTime) -> Option<jiff::Timestamp> {
    let nanos = i32::try_from(time.subsec_nanos()).ok()?;
    jiff::Timestamp::new(time.secs(), nanos).ok()
}

fn failed_hooks(hooks: &[types::HookProgressEvent]) -> Vec<String> {
    hooks
        .iter()
        .filter(|hook| matches!(hook.hook_status(), Some("HOOK_COMPLETE_FAILED" | "HOOK_FAILED")))
        // A hook that only warns has not made the operation fail.
        .filter(|hook| hook.failure_mode() != Some("WARN"))
        .map(|hook| {
            let name = hook.hook_type_name().unwrap_or("unknown");
            let message = hook.hook_status_message().unwrap_or("no reason given");
            format!("hook `{name}` failed: {message}")
        })
        .collect()
}

#[cfg(test)]
mod tests;
