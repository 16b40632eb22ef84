//! What is stored while a request is open, and after: every stored byte is searched at every moment.

use crate::small;
use formwork_sandbox::{Latency, Options};
use formwork_tests::{SECRET_VARIABLE, Setup, World};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The folders of the store in which some document has held the secret.
fn holders(world: &World) -> BTreeSet<String> {
    let objects = world.sandbox.objects();
    let found = objects
        .iter()
        .filter(|object| String::from_utf8_lossy(&object.body).contains(SECRET_VARIABLE));
    found
        .map(|object| {
            let mut parts = object
                .key
                .split('/')
                .filter(|part| ["instances", "requests"].contains(part));
            parts.next().unwrap_or(&object.key).to_owned()
        })
        .collect()
}

async fn carry_out(world: &Arc<World>, event: &Value) -> (Value, BTreeSet<String>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let watching = tokio::spawn({
        let (world, seen) = (world.clone(), seen.clone());
        async move {
            loop {
                seen.lock().unwrap().extend(holders(&world));
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    });
    world.send(event).await.unwrap();
    let answer = world.answer(event).await;
    world.settle().await;
    watching.abort();
    let _ = watching.await;
    let seen = seen.lock().unwrap().clone();
    (answer, seen)
}

#[tokio::test]
async fn secrets_are_stored_while_a_request_is_open_and_no_longer() {
    let setup = Setup {
        sandbox: Options {
            latency: Latency::fixed(Duration::from_millis(200)),
            ..Setup::default().sandbox
        },
        timeout: Duration::from_secs(6),
        ..Setup::default()
    };
    let world = Arc::new(World::start(setup).await);
    assert_eq!(holders(&world), BTreeSet::new());
    let both = BTreeSet::from(["instances".to_owned(), "requests".to_owned()]);

    // Killed half-way: what is left has to do for whoever goes on.
    let create = small::create(&world);
    let sandbox = world.sandbox.clone();
    world
        .on_event
        .kill_when(1, move || !sandbox.resources().is_empty());
    let (created, seen) = carry_out(&world, &create).await;
    assert_eq!(created["Status"], "SUCCESS", "{created}");
    assert_eq!(seen, both, "both keep what a later process needs");
    assert_eq!(holders(&world), BTreeSet::new(), "after the Create");

    let update = small::update(&world, small::id(&created));
    let (updated, _) = carry_out(&world, &update).await;
    assert_eq!(updated["Status"], "SUCCESS", "{updated}");
    assert_eq!(holders(&world), BTreeSet::new(), "after the Update");

    let delete = small::delete(&world, small::id(&created));
    let (deleted, seen) = carry_out(&world, &delete).await;
    assert_eq!(deleted["Status"], "SUCCESS", "{deleted}");
    assert!(!seen.contains("instances"), "a destroy needs no inputs: {seen:?}");
    assert_eq!(holders(&world), BTreeSet::new(), "after the Delete");
    let world = Arc::into_inner(world).unwrap();
    world.finish().await;
}
