//! Starting the state machine that waits.

use crate::connection::{Connection, Service};
use crate::http::Http;
use crate::sdk::{Failure, service_config};
use async_trait::async_trait;
use aws_sdk_sfn::Client;
use formwork_provider::ports::{WaitInput, Waiter, WaiterError};
use std::sync::OnceLock;

/// Starts executions of one state machine.
///
/// # Guarantees
/// A start is repeated by the SDK, and safely: an execution is known by its name, and
/// `ExecutionAlreadyExists` is success.
#[derive(Debug)]
pub struct StepFunctions {
    connection: Connection,
    http: Http,
    state_machine_arn: String,
    client: OnceLock<Client>,
}

impl StepFunctions {
    /// Makes the adapter for a state machine; its client is built on the first start.
    pub fn new(connection: &Connection, http: &Http, state_machine_arn: impl Into<String>) -> Self {
        StepFunctions {
            connection: connection.clone(),
            http: http.clone(),
            state_machine_arn: state_machine_arn.into(),
            client: OnceLock::new(),
        }
    }
}

#[async_trait]
impl Waiter for StepFunctions {
    async fn start(&self, name: &str, input: &WaitInput) -> Result<(), WaiterError> {
        let client = self.client.get_or_init(|| {
            Client::new(&service_config(
                &self.connection,
                &self.http,
                Service::StepFunctions,
            ))
        });
        let input = serde_json::to_string(input).map_err(|error| WaiterError(error.to_string()))?;
        let call = client
            .start_execution()
            .state_machine_arn(&self.state_machine_arn)
            .name(name)
            .input(input);
        match call.send().await.map_err(Failure::from) {
            Ok(_) => Ok(()),
            Err(Failure { code, .. }) if code == "ExecutionAlreadyExists" => Ok(()),
            Err(Failure { code, message }) => Err(WaiterError(format!("{code}: {message}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Server, http};
    use serde_json::json;

    const ARN: &str = "arn:aws:states:eu-central-1:123456789012:stateMachine:waiter";

    async fn start(answer: (u16, &str)) -> (Result<(), WaiterError>, Vec<crate::testing::Seen>) {
        let server = Server::answering([answer]).await;
        let input = WaitInput {
            instance: "stack/Orders".into(),
            request: "key".into(),
            deadline: "2026-11-20T12:00:00Z".parse().unwrap(),
        };
        let waiter = StepFunctions::new(&server.connection(), &http(), ARN);
        (waiter.start("key-1", &input).await, server.seen())
    }

    #[tokio::test]
    async fn an_execution_is_started_by_name() {
        let (result, seen) = start((200, r#"{"executionArn":"arn","startDate":1}"#)).await;
        assert_eq!(result, Ok(()));
        assert_eq!(seen[0].header("x-amz-target"), "AWSStepFunctions.StartExecution");
        assert_eq!(
            seen[0].json(),
            json!({
                "stateMachineArn": ARN,
                "name": "key-1",
                "input": r#"{"Instance":"stack/Orders","Request":"key","Deadline":"2026-11-20T12:00:00Z"}"#,
            })
        );
    }

    #[tokio::test]
    async fn one_that_exists_is_success_and_anything_else_an_error() {
        let cases = [
            (
                r#"{"__type":"ExecutionAlreadyExists","message":"there is one"}"#,
                Ok(()),
            ),
            (
                r##"{"__type":"com.amazonaws.states#StateMachineDoesNotExist","message":"no such machine"}"##,
                Err(WaiterError("StateMachineDoesNotExist: no such machine".into())),
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(start((400, body)).await.0, expected);
        }
    }
}
