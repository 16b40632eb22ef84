//! A sandbox kept in a folder.

use crate::client::Cloud;
use formwork_sandbox::Options;
use serde_json::json;

#[tokio::test]
async fn everything_is_there_again() {
    let dir = tempfile::tempdir().unwrap();
    let options = || Options {
        dir: Some(dir.path().to_owned()),
        ..Options::default()
    };
    let cloud = Cloud::start(options()).await;
    let input = json!({
        "TypeName": "AWS::SQS::Queue", "DesiredState": "{\"QueueName\":\"q\"}", "ClientToken": "t"});
    let accepted = cloud.call("CreateResource", input.clone()).await;
    let object = format!("{}/bucket/a/b.json", cloud.sandbox.endpoint());
    cloud.http.put(object).body("content").send().await.unwrap();
    // Not even stopped in an orderly way.
    drop(cloud);

    let cloud = Cloud::start(options()).await;
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "SUCCESS");
    assert_eq!(
        cloud.call("CreateResource", input).await.code(),
        "ClientTokenConflictException"
    );
    let names: Vec<_> = cloud
        .sandbox
        .resources()
        .into_iter()
        .map(|resource| resource.type_name)
        .collect();
    assert_eq!(names, ["AWS::SQS::Queue"]);
    let objects = cloud.sandbox.objects();
    assert_eq!(objects.len(), 1);
    assert_eq!(
        (objects[0].key.as_str(), objects[0].body.as_ref()),
        ("a/b.json", b"content".as_ref())
    );
    cloud.sandbox.stop().await;
}

#[tokio::test]
async fn one_that_only_looked_takes_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let options = || Options {
        dir: Some(dir.path().to_owned()),
        ..Options::default()
    };
    let (onlooker, cloud) = (Cloud::start(options()).await, Cloud::start(options()).await);
    let input = json!({"TypeName": "AWS::SQS::Queue", "DesiredState": "{\"QueueName\":\"q\"}"});
    let accepted = cloud.call("CreateResource", input).await;
    onlooker.sandbox.stop().await;
    drop(cloud);
    let cloud = Cloud::start(options()).await;
    assert_eq!(cloud.settled(&accepted).await["OperationStatus"], "SUCCESS");
}

#[tokio::test]
async fn a_stopped_sandbox_is_gone() {
    let cloud = Cloud::start(Options::default()).await;
    let endpoint = cloud.sandbox.endpoint();
    cloud.get("AWS::SQS::Queue", "q").await;
    cloud.sandbox.stop().await;
    assert!(cloud.http.get(endpoint).send().await.is_err());
}
