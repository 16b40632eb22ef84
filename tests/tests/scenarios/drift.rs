//! An operator asks `on_event` for drift, by invoking it directly.

use crate::small;
use formwork_tests::{SECRET_VARIABLE, Setup, World};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Cloud Control, as somebody without Formwork uses it.
async fn by_hand(world: &World, call: &str, input: Value) {
    let address = world.sandbox.host();
    let body = input.to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: CloudApiService.{call}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

async fn ask(world: &World, question: Value) -> Value {
    let answer = world.on_event.invoke(&question).await.unwrap();
    assert!(!answer.to_string().contains(SECRET_VARIABLE), "{answer:#}");
    answer
}

#[tokio::test]
async fn drift_is_reported_to_an_operator_and_nothing_is_touched() {
    let world = World::start(Setup::default()).await;
    let create = small::create(&world);
    world.send(&create).await.unwrap();
    let created = world.answer(&create).await;
    world.settle().await;
    let documents = |world: &World| world.sandbox.objects();
    let before = documents(&world);

    let quiet = ask(&world, json!({ "formwork": "detect-drift" })).await;
    assert_eq!(quiet["inSync"], true, "{quiet:#}");
    assert_eq!(
        quiet["instances"][0]["summary"],
        json!({ "inSync": 2, "changed": 0, "deleted": 0, "unknown": 0 })
    );
    let instance = quiet["instances"][0]["instance"].as_str().unwrap().to_owned();
    assert!(instance.ends_with(small::id(&created)), "{instance}");

    let topic = world.resources_of("AWS::SNS::Topic").remove(0);
    let patch = json!([{ "op": "replace", "path": "/DisplayName", "value": "by hand" }]).to_string();
    let input =
        json!({ "TypeName": topic.type_name, "Identifier": topic.identifier, "PatchDocument": patch });
    by_hand(&world, "UpdateResource", input).await;
    let input = json!({ "TypeName": "AWS::SSM::Parameter", "Identifier": "/small/topic" });
    by_hand(&world, "DeleteResource", input).await;
    formwork_tests::eventually("both operations have ended", || {
        world.resources_of("AWS::SSM::Parameter").is_empty()
            && world.resources_of("AWS::SNS::Topic")[0].properties["DisplayName"] == "by hand"
    })
    .await;

    let (stack, _) = instance.split_once('/').unwrap();
    let report = ask(&world, json!({ "formwork": "detect-drift", "instance": stack })).await;
    assert_eq!(report["inSync"], false);
    let resources = &report["instances"][0]["resources"];
    assert_eq!(
        resources[0]["properties"],
        json!([{ "pointer": "/DisplayName", "applied": { "value": "first" }, "live": { "value": "by hand" } }]),
        "{report:#}"
    );
    assert_eq!(
        (&resources[1]["name"], &resources[1]["status"]),
        (&json!("parameter"), &json!("deleted"))
    );

    let nothing = ask(&world, json!({ "formwork": "detect-drift", "instance": "other" })).await;
    assert_eq!(nothing, json!({ "error": "there is no deployment `other`" }));
    let unknown = ask(&world, json!({ "formwork": "mend" })).await;
    assert!(
        unknown["error"].as_str().unwrap().contains("`detect-drift` is"),
        "{unknown}"
    );

    assert_eq!(documents(&world), before, "nothing was written");
    assert_eq!(
        (
            world.calls("CreateResource"),
            world.calls("UpdateResource"),
            world.calls("DeleteResource")
        ),
        (2, 1, 1),
        "the latter two by hand"
    );
    let delete = small::delete(&world, small::id(&created));
    world.send(&delete).await.unwrap();
    assert_eq!(world.answer(&delete).await["Status"], "SUCCESS");
    world.finish().await;
}

#[tokio::test]
async fn an_operator_is_told_what_is_wrong_with_the_settings() {
    let world = World::start(Setup {
        variables: vec![("FORMWORK_STATE_URL", String::new())],
        ..Setup::default()
    })
    .await;
    let answer = ask(&world, json!({ "formwork": "detect-drift" })).await;
    let problem = answer["error"].as_str().unwrap();
    assert!(problem.contains("`FORMWORK_STATE_URL` is not set"), "{problem}");
    world.finish().await;
}
