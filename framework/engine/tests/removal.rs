//! A document is removed only as it was left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod world;

use async_trait::async_trait;
use formwork_engine::fakes::{MemorySchemas, MemoryStore};
use formwork_engine::ports::{StateStore, StoreError, Version};
use formwork_engine::{Adapters, Engine, Goal, Limits};
use std::sync::Arc;
use world::{INSTANCE, THING, World, blueprint, target};

/// A store to which a new order comes just before a document is removed.
struct Crowded {
    store: Arc<MemoryStore>,
    newcomer: Engine,
    world: Arc<World>,
}

#[async_trait]
impl StateStore for Crowded {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, Version)>, StoreError> {
        self.store.load(instance).await
    }

    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&Version>,
    ) -> Result<Version, StoreError> {
        self.store.save(instance, document, expected).await
    }

    async fn remove(&self, instance: &str, expected: &Version) -> Result<(), StoreError> {
        let text = blueprint(&[("a", THING, "{name: a}")], &[]);
        let order = self.world.order("deploy-again", Goal::Deploy(target(&text)));
        self.newcomer.begin(instance, order).await.unwrap();
        self.store.remove(instance, expected).await
    }

    async fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        self.store.list(folder).await
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_that_comes_while_a_destroy_clears_up_is_not_lost() {
    let world = Arc::new(World::new());
    let text = blueprint(&[("a", THING, "{name: a}")], &[]);
    world.deploy_and_settle("deploy", &text).await;
    assert!(world.destroy("destroy").await.succeeded);

    let schemas = world::schemas();
    let adapters = Adapters {
        cloud: world.cloud.clone(),
        store: Arc::new(Crowded {
            store: world.store.clone(),
            newcomer: world.engine(),
            world: world.clone(),
        }),
        schemas: Arc::new(MemorySchemas::parse(schemas.iter().map(String::as_str)).unwrap()),
        clock: Arc::new(world.clock.clone()),
        observer: world.recorder.clone(),
    };
    let engine = Engine::new(adapters, Limits::default());
    let destroyed = engine.load(INSTANCE).await.unwrap().unwrap().generation;
    engine.settle(INSTANCE, destroyed).await.unwrap();

    let stored = engine
        .load(INSTANCE)
        .await
        .unwrap()
        .expect("the new order is stored");
    assert_eq!(stored.cause, "deploy-again");
    assert!(world.finish(&engine, stored.generation).await.succeeded);
    assert_eq!(world.ids(), ["a"]);
}
