//! The harness itself: invocations end as they do in Lambda.

use formwork_tests::{Function, FunctionSetup};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn function(timeout: Duration) -> Arc<Function> {
    Function::new(FunctionSetup {
        name: "misbehaving".into(),
        binary: env!("CARGO_BIN_EXE_misbehaving_function").into(),
        variables: BTreeMap::from([("OWN".into(), "1".into())]),
        timeout,
        retry_after: [Duration::ZERO; 2],
    })
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_result_comes_back() {
    let function = function(LONG);
    let event = json!({"do": "echo", "text": "ünïcode", "number": 1});
    assert_eq!(function.invoke(&event).await, Ok(event.clone()));
    assert_eq!(function.invoke(&event).await, Ok(event));
    function.end().await;
    assert_eq!(
        function
            .log()
            .iter()
            .filter(|line| line.contains("asked to"))
            .count(),
        2
    );
}

#[tokio::test]
async fn a_function_is_told_its_context_and_nothing_of_this_process() {
    let function = function(LONG);
    let context = function.invoke(&json!({"do": "tell context"})).await.unwrap();
    assert_eq!(context["arn"], function.arn());
    assert!(context["deadline"].as_u64().unwrap() > 1_700_000_000_000);
    let variables = context["variables"].as_array().unwrap();
    assert!(variables.contains(&json!("OWN")) && variables.contains(&json!("AWS_REGION")));
    assert!(
        !variables.contains(&json!("PATH")) && !variables.contains(&json!("HOME")),
        "{variables:?}"
    );
}

#[tokio::test]
async fn an_error_keeps_the_process_and_a_death_replaces_it() {
    let function = function(LONG);
    let error = function.invoke(&json!({"do": "fail"})).await.unwrap_err();
    assert_eq!(error.message, "as asked");
    let error = function.invoke(&json!({"do": "panic"})).await.unwrap_err();
    assert!(error.message.contains("panicked"), "{error:?}");
    let error = function.invoke(&json!({"do": "exit"})).await.unwrap_err();
    assert_eq!(error.kind, "Runtime.ExitError");
    assert!(error.message.contains("exit status: 3"), "{error:?}");
    assert!(function.invoke(&json!({"do": "echo"})).await.is_ok());
}

#[tokio::test]
async fn an_invocation_out_of_time_is_killed() {
    let function = function(Duration::from_millis(50));
    let error = function.invoke(&json!({"do": "hang"})).await.unwrap_err();
    assert_eq!(error.kind, "Sandbox.Timedout");
}

#[tokio::test]
async fn invocations_run_beside_each_other_and_can_be_killed() {
    let function = function(LONG);
    let over = Arc::new(AtomicBool::new(false));
    let is_over = over.clone();
    function.kill_when(1, move || is_over.load(Ordering::SeqCst));
    let (hanging, echo) = (json!({"do": "hang"}), json!({"do": "echo"}));
    let (hung, ()) = tokio::join!(function.invoke(&hanging), async {
        assert!(function.invoke(&echo).await.is_ok());
        over.store(true, Ordering::SeqCst);
    });
    assert_eq!(hung.unwrap_err().kind, "Runtime.ExitError");
    assert!(function.invoke(&echo).await.is_ok(), "only one was to be killed");
}

#[tokio::test]
async fn an_asynchronous_invocation_is_tried_three_times_and_handed_on() {
    let (function, destination) = (function(LONG), function(LONG));
    let event = json!({"do": "fail"});
    assert!(
        function
            .invoke_asynchronously(&event, Some(&destination))
            .await
            .is_err()
    );
    assert_eq!((function.invocations(), destination.invocations()), (3, 3));
    destination.end().await;
    let log = destination.log().join("\n");
    assert!(
        log.contains(r#""condition":"RetriesExhausted""#)
            && log.contains(r#""requestPayload":{"do":"fail"}"#),
        "{log}"
    );
}
