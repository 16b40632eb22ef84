//! Updates against a cloud whose reads are as untidy as the worst services': through the engine, the SDK and
//! HTTP, for resource types of many services.
//!
//! `types.json` has for each type a desired state, one property to change, one to remove, and one that can only
//! be had by a new resource. `beside` lists what a patch must hold beside the change itself: write-only values
//! that would be lost, and artefacts of the read that the service would refuse. A slip in the desired state is
//! found by the sandbox, which checks it against the official schema.
#![expect(
    clippy::unwrap_used,
    reason = "all of this crate is tests, the functions they share included"
)]

mod cloud;

use cloud::{Change, Cloud};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A line of `types.json`.
struct Case {
    type_name: String,
    spec: Value,
    update: (String, Value),
    remove: Option<String>,
    replace: Option<(String, Value)>,
    beside: Vec<String>,
}

fn cases() -> Vec<Case> {
    let cases: Value = serde_json::from_str(include_str!("types.json")).unwrap();
    let pair = |pair: &Value| (pair[0].as_str().unwrap().to_owned(), pair[1].clone());
    let text = |text: &Value| text.as_str().unwrap().to_owned();
    let read = |case: &Value| Case {
        type_name: text(&case["type"]),
        spec: case["spec"].clone(),
        update: pair(&case["update"]),
        remove: case.get("remove").map(text),
        replace: case.get("replace").map(pair),
        beside: case
            .get("beside")
            .map(|beside| beside.as_array().unwrap().iter().map(text).collect())
            .unwrap_or_default(),
    };
    cases.as_array().unwrap().iter().map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_changes_that_nobody_changed() {
    let cases = cases();
    let services: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case.type_name.split("::").nth(1))
        .collect();
    assert!(
        cases.len() >= 50 && services.len() >= 40,
        "{} of {} services",
        cases.len(),
        services.len()
    );

    let cloud = Cloud::start().await;
    let mut wrong = Vec::new();
    for case in &cases {
        if let Err(problem) = live(&cloud, case).await {
            wrong.push(format!("{}: {problem}", case.type_name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    assert_eq!(cloud.left(), Vec::<String>::new());
}

/// One resource from its creation to its end.
async fn live(cloud: &Cloud, case: &Case) -> Result<(), String> {
    let resource = cloud.instance(&case.type_name);
    let mut spec = case.spec.clone();
    expect("a create", &resource.deploy(&spec).await?, &[Change::Create])?;
    expect("the same again", &resource.deploy(&spec).await?, &[])?;

    let (path, value) = &case.update;
    *spec
        .pointer_mut(&format!("/{path}"))
        .ok_or("`update` is not in the spec")? = value.clone();
    let patch = patch(&[format!("set /{path}")], &case.beside);
    expect("one property", &resource.deploy(&spec).await?, &[patch])?;
    expect("the same after that", &resource.deploy(&spec).await?, &[])?;

    if let Some(path) = &case.remove {
        take_out(&mut spec, path);
        let patch = self::patch(&[format!("remove /{path}")], &case.beside);
        expect("a removal", &resource.deploy(&spec).await?, &[patch])?;
        expect("the same after a removal", &resource.deploy(&spec).await?, &[])?;
    }
    if let Some((path, value)) = &case.replace {
        *spec
            .pointer_mut(&format!("/{path}"))
            .ok_or("`replace` is not in the spec")? = value.clone();
        let changes = resource.deploy(&spec).await?;
        let sorted: BTreeSet<&Change> = changes.iter().collect();
        if sorted != BTreeSet::from([&Change::Create, &Change::Delete]) || changes.len() != 2 {
            return Err(format!("a replacement was {changes:?}"));
        }
        expect(
            "the same after a replacement",
            &resource.deploy(&spec).await?,
            &[],
        )?;
    }
    expect("a deletion", &resource.destroy().await?, &[Change::Delete])
}

fn patch(change: &[String], beside: &[String]) -> Change {
    Change::Patch(change.iter().chain(beside).cloned().collect())
}

fn expect(what: &str, found: &[Change], expected: &[Change]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} was {found:?} instead of {expected:?}"))
}

fn take_out(spec: &mut Value, path: &str) {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = if parent.is_empty() {
        String::new()
    } else {
        format!("/{parent}")
    };
    let removed = spec
        .pointer_mut(&parent)
        .and_then(Value::as_object_mut)
        .unwrap()
        .remove(name);
    assert!(removed.is_some(), "`remove` is not in the spec: {path}");
}

/// The test would be worth nothing if reads were tidy.
#[tokio::test(flavor = "multi_thread")]
async fn the_reads_are_hostile() {
    let cloud = Cloud::start().await;
    let tags: Vec<Value> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|key| json!({"Key": key, "Value": "1"}))
        .collect();
    let topic = cloud.instance("AWS::SNS::Topic");
    topic
        .deploy(&json!({"TopicName": "hostile", "Tags": tags}))
        .await
        .unwrap();
    let arn = "arn:aws:sns:eu-west-1:123456789012:hostile";
    let mut orders = BTreeSet::new();
    for _ in 0..20 {
        let read = cloud.read("AWS::SNS::Topic", arn).await;
        let tags = read["Tags"].as_array().unwrap().iter();
        let keys: Vec<&str> = tags.map(|tag| tag["Key"].as_str().unwrap()).collect();
        assert!(keys.contains(&"aws:cloudformation:stack-name"), "{keys:?}");
        assert_eq!(read["Subscription"], json!([]));
        orders.insert(keys.join(" "));
    }
    assert!(orders.len() > 5, "{orders:?}");
}
