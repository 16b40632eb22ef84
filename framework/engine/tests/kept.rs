//! What a process has written itself it does not read again, unless somebody else has written since.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod world;

use async_trait::async_trait;
use formwork_engine::fakes::{MemorySchemas, MemoryStore};
use formwork_engine::ports::{Clock, StateStore, StoreError, Version};
use formwork_engine::{Adapters, Advance, Engine, EngineError, Goal, Limits};
use std::sync::Arc;
use std::time::Duration;
use world::{INSTANCE, THING, World, blueprint, target};

/// A store that tells the version of what it holds, but not what that is.
struct Illegible(Arc<MemoryStore>);

#[async_trait]
impl StateStore for Illegible {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        let found = self.0.load(instance).await?;
        Ok(found.map(|(_, version)| (b"illegible".to_vec(), version)))
    }

    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError> {
        self.0.save(instance, document, expected).await
    }

    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError> {
        self.0.remove(instance, expected).await
    }

    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        self.0.list(folder).await
    }
}

fn engine(world: &World) -> Engine {
    let schemas = world::schemas();
    let adapters = Adapters {
        cloud: world.cloud.clone(),
        store: Arc::new(Illegible(world.store.clone())),
        schemas: Arc::new(MemorySchemas::parse(schemas.iter().map(String::as_str)).unwrap()),
        clock: Arc::new(world.clock.clone()),
        observer: world.recorder.clone(),
    };
    Engine::new(adapters, Limits::default())
}

fn things() -> String {
    let spec = |name: &str| format!("{{name: {name}}}");
    let (a, b) = (spec("a"), "{name: b, value: '${resources.a.spec.name}'}");
    blueprint(&[("a", THING, &a), ("b", THING, b)], &[])
}

#[tokio::test(start_paused = true)]
async fn a_process_goes_on_from_what_it_has_written() {
    let world = World::with_latency(Duration::from_secs(60));
    let engine = engine(&world);
    let order = world.order("create", Goal::Deploy(target(&things())));
    let generation = engine.begin(INSTANCE, order).await.unwrap();

    let mut visits = 0;
    let outcome = loop {
        visits += 1;
        match engine.advance(INSTANCE, generation, world.soon(5)).await.unwrap() {
            Advance::Again { after } => world.clock.sleep(after).await,
            Advance::Done(outcome) => break outcome,
            Advance::Superseded => panic!("nobody supersedes it"),
        }
    };
    assert!(visits > 3, "{visits}");
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    engine.settle(INSTANCE, generation).await.unwrap();

    let stored = world.engine().load(INSTANCE).await.unwrap().unwrap();
    assert!(stored.target().is_none() && stored.resources.len() == 2);
}

#[tokio::test(start_paused = true)]
async fn what_another_process_has_written_is_read() {
    let world = World::with_latency(Duration::from_secs(60));
    let engine = engine(&world);
    let order = world.order("create", Goal::Deploy(target(&things())));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    let other = world.engine();
    other.advance(INSTANCE, generation, world.soon(5)).await.unwrap();

    let error = engine.advance(INSTANCE, generation, world.soon(5)).await;

    assert!(matches!(error, Err(EngineError::Unreadable { .. })), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn an_order_that_came_since_the_end_is_not_settled() {
    let world = World::new();
    let engine = world.engine();
    let order = world.order("create", Goal::Deploy(target(&things())));
    let generation = engine.begin(INSTANCE, order).await.unwrap();
    assert!(world.finish(&engine, generation).await.succeeded);
    let newer = world.order("update", Goal::Deploy(target(&things())));
    let newer = world.engine().begin(INSTANCE, newer).await.unwrap();
    let before = world.store.text(INSTANCE);

    engine.settle(INSTANCE, generation).await.unwrap();
    engine.conclude(INSTANCE, &["create"]).await.unwrap();

    assert_eq!(world.store.text(INSTANCE), before);
    assert!(world.finish(&world.engine(), newer).await.succeeded);
}
