use super::*;
use crate::testing::{Seen, Server, closed_port, connection, http, log, silent};
use serde_json::json;
use std::time::Duration;

const TOKEN: &str = "0b5fca1e-3f4f-4b0c-8a4d-6c7ad7f6e001";

fn cloud(server: &Server) -> CloudControl {
    CloudControl::new(&server.connection(), &http())
}

fn mutation(call: Call) -> Mutation {
    Mutation {
        type_name: "AWS::SQS::Queue".into(),
        client_token: "client-token".into(),
        role_arn: Some("arn:aws:iam::123456789012:role/deploy".into()),
        call,
    }
}

fn delete() -> Mutation {
    mutation(Call::Delete {
        identifier: "orders".into(),
    })
}

fn event(fields: serde_json::Value) -> String {
    let mut event = json!({ "RequestToken": TOKEN, "TypeName": "AWS::SQS::Queue" });
    event
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    json!({ "ProgressEvent": event }).to_string()
}

#[tokio::test]
async fn mutations_carry_type_token_role_and_document() {
    let in_progress = event(json!({ "OperationStatus": "IN_PROGRESS" }));
    let server = Server::answering([(200, &in_progress), (200, &in_progress), (200, &in_progress)]).await;
    let cloud = cloud(&server);
    let calls = [
        Call::Create {
            desired_state: r#"{"DelaySeconds":5}"#.into(),
        },
        Call::Update {
            identifier: "orders".into(),
            patch_document: "[1]".into(),
        },
        Call::Delete {
            identifier: "orders".into(),
        },
    ];
    for call in calls {
        let progress = cloud.mutate(&mutation(call)).await.unwrap();
        assert_eq!(
            (progress.request_token.as_str(), progress.status),
            (TOKEN, OperationStatus::InProgress)
        );
    }
    let common = |fields: serde_json::Value| {
        let mut body = json!({
            "TypeName": "AWS::SQS::Queue",
            "ClientToken": "client-token",
            "RoleArn": "arn:aws:iam::123456789012:role/deploy",
        });
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        body
    };
    let expected = [
        (
            "CloudApiService.CreateResource",
            common(json!({ "DesiredState": "{\"DelaySeconds\":5}" })),
        ),
        (
            "CloudApiService.UpdateResource",
            common(json!({ "Identifier": "orders", "PatchDocument": "[1]" })),
        ),
        (
            "CloudApiService.DeleteResource",
            common(json!({ "Identifier": "orders" })),
        ),
    ];
    let seen = server.seen();
    assert_eq!(seen.len(), expected.len());
    for (request, (target, body)) in seen.iter().zip(expected) {
        assert_eq!((request.header("x-amz-target"), request.json()), (target, body));
        assert!(
            request
                .header("authorization")
                .contains("/eu-central-1/cloudcontrolapi/aws4_request")
        );
    }
}

#[tokio::test]
async fn progress_is_read_whole() {
    let server = Server::answering([(
        200,
        &event(json!({
            "OperationStatus": "FAILED", "Identifier": "orders", "ErrorCode": "AlreadyExists",
            "StatusMessage": "there is one", "RetryAfter": 1_700_000_000.5,
        })),
    )])
    .await;
    let progress = cloud(&server).status(TOKEN).await.unwrap();
    let expected = ProgressEvent {
        request_token: TOKEN.into(),
        status: OperationStatus::Failed,
        identifier: Some("orders".into()),
        error_code: Some("AlreadyExists".into()),
        message: Some("there is one".into()),
        retry_after: Some("2023-11-14T22:13:20.5Z".parse().unwrap()),
    };
    assert_eq!(progress, expected);
    assert_eq!(server.seen()[0].json(), json!({ "RequestToken": TOKEN }));
}

#[tokio::test]
async fn every_status_is_known_and_a_new_one_is_not_an_end() {
    let cases = [
        ("PENDING", OperationStatus::Pending),
        ("IN_PROGRESS", OperationStatus::InProgress),
        ("SUCCESS", OperationStatus::Success),
        ("FAILED", OperationStatus::Failed),
        ("CANCEL_IN_PROGRESS", OperationStatus::CancelInProgress),
        ("CANCEL_COMPLETE", OperationStatus::CancelComplete),
        ("HIBERNATING", OperationStatus::InProgress),
    ];
    for (text, expected) in cases {
        let server = Server::answering([(200, &event(json!({ "OperationStatus": text })))]).await;
        assert_eq!(
            cloud(&server).cancel(TOKEN).await.unwrap().status,
            expected,
            "{text}"
        );
    }
}

#[tokio::test]
async fn refusals_keep_code_and_message() {
    let cases = [
        (
            r##"{"__type":"com.amazon.cloudapiservice#ClientTokenConflictException","Message":"ClientToken c is already associated"}"##,
            "ClientTokenConflictException",
            "ClientToken c is already associated",
        ),
        // Not in the service's model.
        (
            r##"{"__type":"com.amazon.coral.validate#ValidationException","message":"Model validation failed (#/BucketName: expected type: String, found: Boolean)"}"##,
            "ValidationException",
            "Model validation failed (#/BucketName: expected type: String, found: Boolean)",
        ),
        (
            r##"{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}"##,
            "AccessDeniedException",
            "not authorized",
        ),
        (
            r#"{"__type":"ThrottlingException","message":"Rate exceeded"}"#,
            "ThrottlingException",
            "Rate exceeded",
        ),
        ("<html>", "UnknownError", "the service answered with status 400"),
    ];
    for (body, code, message) in cases {
        let server = Server::answering([(400, body)]).await;
        let error = cloud(&server).mutate(&delete()).await.unwrap_err();
        assert_eq!(
            error,
            CloudError {
                code: code.into(),
                message: message.into()
            }
        );
        assert_eq!(server.seen().len(), 1, "a mutation is sent once");
    }
}

#[tokio::test]
async fn a_mutation_is_never_repeated_and_a_read_once() {
    let server = Server::answering([(500, "<html>"), (500, "<html>"), (500, "<html>")]).await;
    let cloud = cloud(&server);
    assert_eq!(cloud.mutate(&delete()).await.unwrap_err().code, "Network");
    assert_eq!(server.seen().len(), 1);
    assert_eq!(cloud.status(TOKEN).await.unwrap_err().code, "Network");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn hook_failures_are_said() {
    let failed = json!({
        "OperationStatus": "FAILED", "ErrorCode": "NonCompliant", "HooksRequestToken": "hooks",
        "StatusMessage": "The hook(s) failed",
    });
    let without = event(failed.clone());
    let mut with: serde_json::Value = serde_json::from_str(&without).unwrap();
    with["HooksProgressEvent"] = json!([
        { "HookTypeName": "Acme::Tags::Check", "HookStatus": "HOOK_COMPLETE_FAILED",
          "HookStatusMessage": "tag `owner` is missing", "FailureMode": "FAIL" },
        { "HookTypeName": "Acme::Advice", "HookStatus": "HOOK_COMPLETE_FAILED",
          "HookStatusMessage": "consider a DLQ", "FailureMode": "WARN" },
        { "HookTypeName": "Acme::Fine", "HookStatus": "HOOK_COMPLETE_SUCCEEDED" },
    ]);
    let with = with.to_string();
    let said = "The hook(s) failed; hook `Acme::Tags::Check` failed: tag `owner` is missing";

    let at_once = Server::answering([(200, &with)]).await;
    assert_eq!(
        cloud(&at_once).status(TOKEN).await.unwrap().message.as_deref(),
        Some(said)
    );

    let later = Server::answering([(200, &without), (200, &with)]).await;
    assert_eq!(
        cloud(&later).status(TOKEN).await.unwrap().message.as_deref(),
        Some(said)
    );
    assert_eq!(later.seen().len(), 2);

    let never = Server::answering([(200, &without), (400, r#"{"__type":"ThrottlingException"}"#)]).await;
    let message = cloud(&never).status(TOKEN).await.unwrap().message;
    assert_eq!(message.as_deref(), Some("The hook(s) failed"));
}

#[tokio::test]
async fn properties_are_read_with_exact_numbers() {
    let description = json!({ "Identifier": "orders", "Properties": r#"{"Weight":1.10,"Arn":"a"}"# });
    let answer = json!({ "TypeName": "AWS::SQS::Queue", "ResourceDescription": description }).to_string();
    let server = Server::answering([(200, &answer)]).await;
    let properties = cloud(&server)
        .read("AWS::SQS::Queue", "orders", None)
        .await
        .unwrap();
    assert_eq!(properties.to_string(), r#"{"Weight":1.10,"Arn":"a"}"#);
    assert_eq!(
        server.seen()[0].json(),
        json!({ "TypeName": "AWS::SQS::Queue", "Identifier": "orders" })
    );
}

#[tokio::test]
async fn an_answer_that_breaks_the_protocol_is_no_answer_and_is_not_quoted() {
    let broken = json!({ "ResourceDescription": { "Properties": "{\"Password\": hunter2" } }).to_string();
    let server = Server::answering([(200, "{}"), (200, &broken), (200, r#"{"ProgressEvent":{}}"#)]).await;
    let cloud = cloud(&server);
    let errors = [
        cloud.read("AWS::SQS::Queue", "orders", None).await.unwrap_err(),
        cloud.read("AWS::SQS::Queue", "orders", None).await.unwrap_err(),
        cloud.status(TOKEN).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code, "Network");
        assert!(!error.message.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn no_server_is_a_network_error_and_silence_a_timeout() {
    let (_taken, closed) = closed_port();
    let nobody = CloudControl::new(&connection(&closed), &http());
    let error = nobody.mutate(&delete()).await.unwrap_err();
    assert_eq!(error.code, "Network");
    assert!(
        error.message.starts_with("the service could not be reached: "),
        "{error}"
    );
    assert!(error.message.contains("refused"), "{error}");

    let mut connection = connection(&silent().await);
    connection.timeouts.handler_attempt = Duration::from_millis(50);
    let error = CloudControl::new(&connection, &http())
        .mutate(&delete())
        .await
        .unwrap_err();
    assert_eq!(error.code, "Timeout");
}

#[tokio::test]
async fn without_credentials_nothing_is_sent() {
    #[derive(Debug)]
    struct Nobody;
    impl aws_credential_types::provider::ProvideCredentials for Nobody {
        fn provide_credentials<'a>(&'a self) -> aws_credential_types::provider::future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let error = aws_credential_types::provider::error::CredentialsError::not_loaded("no profile `x`");
            aws_credential_types::provider::future::ProvideCredentials::ready(Err(error))
        }
    }
    let server = Server::answering([]).await;
    let mut connection = server.connection();
    connection.credentials = crate::Credentials::provider(Nobody);
    let error = CloudControl::new(&connection, &http())
        .mutate(&delete())
        .await
        .unwrap_err();
    assert_eq!(error.code, "ClientError", "{error}");
    assert!(error.message.contains("no profile `x`"), "{error}");
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn no_log_level_shows_documents_and_tokens() {
    let description = json!({ "Identifier": "orders", "Properties": r#"{"Password":"read-secret"}"# });
    let read = json!({ "ResourceDescription": description }).to_string();
    let refusal = r#"{"__type":"ThrottlingException","message":"Rate exceeded"}"#;
    let others = json!({ "RequestToken": TOKEN, "ResourceModel": r#"{"Password":"others-secret"}"# });
    let list = json!({ "ResourceRequestStatusSummaries": [others] }).to_string();
    let server = Server::answering([
        (200, &event(json!({}))),
        (200, &read),
        (200, &list),
        (400, refusal),
    ])
    .await;
    let mut connection = server.connection();
    connection.credentials =
        crate::Credentials::keys("AKIDEXAMPLE", "key-secret", Some("token-secret".into()));
    let cloud = CloudControl::new(&connection, &http());
    let create = mutation(Call::Create {
        desired_state: r#"{"Password":"sent-secret"}"#.into(),
    });

    let (log, _guard) = log();
    cloud.mutate(&create).await.unwrap();
    cloud.read("AWS::SQS::Queue", "orders", None).await.unwrap();
    cloud.active(None).await.unwrap();
    cloud.mutate(&create).await.unwrap_err();
    let text = log.text();
    assert!(
        text.contains("transmitting request"),
        "the SDK has changed what it logs: {text}"
    );
    for secret in [
        "read-secret",
        "sent-secret",
        "others-secret",
        "key-secret",
        "token-secret",
        "Signature=",
    ] {
        assert!(!text.contains(secret), "`{secret}` in {text}");
    }
}

#[tokio::test]
async fn active_operations_are_listed_page_by_page() {
    let others = json!({ "OperationStatus": "IN_PROGRESS" });
    let ours = json!({
        "RequestToken": TOKEN, "TypeName": "AWS::SQS::Queue", "OperationStatus": "PENDING", "RetryAfter": 1_700_000_000.5,
    });
    let first = json!({ "ResourceRequestStatusSummaries": [others, ours], "NextToken": "more" }).to_string();
    let last = json!({ "ResourceRequestStatusSummaries": [] }).to_string();
    let server = Server::answering([(200, &first), (200, &last)]).await;
    let cloud = cloud(&server);
    let page = cloud.active(None).await.unwrap();
    assert_eq!(page.next.as_deref(), Some("more"));
    let [event] = page.events.as_slice() else {
        panic!("{page:?}")
    };
    assert_eq!(
        (event.request_token.as_str(), event.status),
        (TOKEN, OperationStatus::Pending)
    );
    assert!(event.retry_after.is_some());
    assert_eq!(
        cloud.active(page.next.as_deref()).await.unwrap(),
        Active::default()
    );

    let filter = json!({ "OperationStatuses": ["PENDING", "IN_PROGRESS", "CANCEL_IN_PROGRESS"] });
    let asked: Vec<serde_json::Value> = server.seen().iter().map(Seen::json).collect();
    assert_eq!(
        asked,
        [
            json!({ "MaxResults": 100, "ResourceRequestStatusFilter": filter }),
            json!({ "MaxResults": 100, "ResourceRequestStatusFilter": filter, "NextToken": "more" }),
        ]
    );
}
