//! What an operator sees of a request: the log, the metrics, and where the answer says to look.

use crate::small;
use formwork_sandbox::{Call, Effect, Fault};
use formwork_tests::logs::Line;
use formwork_tests::{Function, Setup, World};
use std::sync::Arc;

/// What the harness calls every log stream.
const LOG_STREAM: &str = "(log stream: 2026/11/20/[$LATEST]0123456789abcdef0123456789abcdef)";

#[tokio::test]
async fn every_line_is_json_and_says_what_it_belongs_to() {
    let world = World::start(throttled()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    world.settle().await;
    let (on_event, is_complete) = (world.on_event.clone(), world.is_complete.clone());
    world.finish().await;

    for function in [&on_event, &is_complete] {
        let errors: Vec<Line> = lines(function)
            .into_iter()
            .filter(|line| line.text("level") == Some("ERROR"))
            .collect();
        assert_eq!(errors, [], "what passes by itself is no error");
        let own = own_lines(function);
        assert!(own.len() > 2, "{own:?}");
        for line in &own {
            for name in [
                "timestamp",
                "level",
                "message",
                "requestId",
                "xrayTraceId",
                "instance",
                "request",
            ] {
                assert!(line.0.contains_key(name), "`{name}` is missing in {line:?}");
            }
            let time: Result<jiff::Timestamp, _> = line.text("timestamp").unwrap().parse();
            assert!(time.is_ok(), "{line:?}");
        }
        let about_resources: Vec<_> = own
            .iter()
            .filter(|line| line.0.contains_key("resourceType"))
            .collect();
        assert!(
            about_resources
                .iter()
                .any(|line| line.text("resource") == Some("topic")
                    || line.text("resource") == Some("parameter")),
            "{about_resources:?}"
        );
    }
    // Both functions name one request of one instance.
    let names = |name: &str| {
        let mut all: Vec<String> = [&on_event, &is_complete]
            .iter()
            .flat_map(|function| own_lines(function))
            .filter_map(|line| line.text(name).map(str::to_owned))
            .collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(names("request").len(), 1);
    assert_eq!(names("instance"), ["77aa0c10-ce11-11ea-90d5-0a9cd3354c10/Small"]);
    assert!(names("requestId").len() > 1, "each invocation has one");
}

#[tokio::test]
async fn metrics_count_operations_retries_throttles_and_answers() {
    let world = World::start(throttled()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    world.settle().await;
    let functions = [world.on_event.clone(), world.is_complete.clone()];
    world.finish().await;

    let metrics: Vec<Line> = functions.iter().flat_map(metric_lines).collect();
    let of = |dimension: &str, value: &str| -> Vec<&Line> {
        metrics
            .iter()
            .filter(|line| line.text(dimension) == Some(value))
            .collect()
    };
    let topic = of("ResourceType", "AWS::SNS::Topic");
    assert_eq!(
        (sum(&topic, "Operations"), sum(&topic, "OperationFailures")),
        (1.0, 0.0)
    );
    assert!(
        sum(&topic, "OperationSeconds") >= 1.2,
        "it took as long as the service did"
    );
    assert_eq!((sum(&topic, "Retries"), sum(&topic, "Throttles")), (2.0, 2.0));
    assert!(
        topic.iter().all(|line| line.text("Operation") == Some("create")),
        "{topic:?}"
    );
    let requests = of("ResourceType", "Custom::Blueprint");
    assert_eq!(
        (sum(&requests, "Requests"), sum(&requests, "FailedRequests")),
        (1.0, 0.0)
    );
    assert!(
        sum(&requests, "RequestSeconds") >= 2.4,
        "both operations, one after the other"
    );
    assert_eq!(of("RequestType", "Create").len(), 1);
}

#[tokio::test]
async fn a_failure_is_counted_and_its_reason_ends_with_the_log_stream() {
    let mut setup = Setup::default();
    setup.sandbox.faults = vec![
        Fault::fail("AccessDenied", &"not allowed. ".repeat(1000))
            .on(Call::CreateResource)
            .of_type("AWS::SNS::Topic"),
    ];
    let world = World::start(setup).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let answer = world.answer(&create).await;
    let reason = answer["Reason"].as_str().unwrap();
    assert!(
        reason.contains("not allowed.") && reason.ends_with(LOG_STREAM),
        "{reason}"
    );
    let on_event = world.on_event.clone();
    world.finish().await;
    let metrics = metric_lines(&on_event);
    let lines: Vec<&Line> = metrics.iter().collect();
    assert_eq!(
        (sum(&lines, "OperationFailures"), sum(&lines, "FailedRequests")),
        (1.0, 1.0)
    );
    assert!(
        own_lines(&on_event)
            .iter()
            .any(|line| line.text("level") == Some("ERROR") && line.text("resource") == Some("topic"))
    );
}

#[tokio::test]
async fn an_invocation_that_fails_has_an_error_of_our_own_name() {
    let world = World::start(Setup::default()).await;
    let error = world
        .is_complete
        .invoke(&serde_json::json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.kind, "Formwork.NotNow");
    assert!(error.message.contains("`Instance`"), "{error:?}");
    world.finish().await;
}

#[tokio::test]
async fn metrics_can_be_turned_off() {
    let world = World::start(Setup {
        variables: vec![("FORMWORK_METRICS", "off".into())],
        ..Setup::default()
    })
    .await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    assert_eq!(world.answer(&create).await["Status"], "SUCCESS");
    let on_event = world.on_event.clone();
    world.finish().await;
    assert_eq!(metric_lines(&on_event), []);
}

/// Two operations that outlast the window, the first of them throttled twice.
fn throttled() -> Setup {
    let mut setup = crate::waiter::handing_over();
    setup.sandbox.faults = vec![
        Fault::refuse("ThrottlingException", "Rate exceeded")
            .on(Call::CreateResource)
            .of_type("AWS::SNS::Topic")
            .times(2),
        Fault::new(Effect::ServerError(503))
            .on(Call::GetResourceRequestStatus)
            .times(1),
    ];
    setup
}

/// Every line that a function wrote, checked.
fn lines(function: &Arc<Function>) -> Vec<Line> {
    let read = |text: &String| Line::read(text).unwrap_or_else(|problem| panic!("{problem}"));
    function.log().iter().map(read).collect()
}

/// The lines of Formwork's own code, at the level that is deployed.
fn own_lines(function: &Arc<Function>) -> Vec<Line> {
    let mut lines = lines(function);
    lines.retain(|line| {
        line.text("target")
            .is_some_and(|target| target.starts_with("formwork"))
            && line.text("level") != Some("DEBUG")
    });
    lines
}

fn metric_lines(function: &Arc<Function>) -> Vec<Line> {
    let mut lines = lines(function);
    lines.retain(Line::is_metrics);
    for line in &lines {
        assert_eq!(line.broken_metric_rules(), Vec::<String>::new(), "{line:?}");
    }
    lines
}

fn sum(lines: &[&Line], metric: &str) -> f64 {
    lines.iter().filter_map(|line| line.metric(metric)).sum()
}
