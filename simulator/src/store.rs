//! Documents with versions, as an object store keeps them: for deployments and for requests' records.

use crate::dice::Fault;
use crate::process::Process;
use crate::world::{SIGNATURE, World, lock};
use async_trait::async_trait;
use formwork_engine::ports as engine;
use formwork_provider::ports as provider;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The bucket.
pub(crate) struct Bucket {
    world: Arc<World>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// A document and how many writes there had been: its version.
    documents: BTreeMap<String, (Vec<u8>, u64)>,
    writes: u64,
    down_until: Option<Timestamp>,
}

enum Refused {
    Conflict,
    Unavailable(&'static str),
}

impl Bucket {
    pub(crate) fn new(world: Arc<World>) -> Arc<Self> {
        Arc::new(Bucket {
            world,
            inner: Mutex::default(),
        })
    }

    /// Every document whose key begins with `prefix`.
    pub(crate) fn documents(&self, prefix: &str) -> Vec<(String, Vec<u8>)> {
        let inner = lock(&self.inner);
        let found = inner.documents.iter().filter(|(key, _)| key.starts_with(prefix));
        found
            .map(|(key, (document, _))| (key.clone(), document.clone()))
            .collect()
    }

    fn load(&self, key: &str) -> Option<(Vec<u8>, String)> {
        let inner = lock(&self.inner);
        inner
            .documents
            .get(key)
            .map(|(document, version)| (document.clone(), version.to_string()))
    }

    fn save(&self, key: &str, document: Vec<u8>, expected: Option<&str>) -> Result<String, Refused> {
        let mut inner = lock(&self.inner);
        let current = inner.documents.get(key).map(|(_, version)| version.to_string());
        if current.as_deref() != expected {
            return Err(Refused::Conflict);
        }
        self.look_at(key, &document);
        inner.writes += 1;
        let version = inner.writes;
        inner.documents.insert(key.to_owned(), (document, version));
        Ok(version.to_string())
    }

    fn remove(&self, key: &str, expected: &str) -> Result<(), Refused> {
        let documents = &mut lock(&self.inner).documents;
        match documents.get(key) {
            Some((_, version)) if version.to_string() != expected => Err(Refused::Conflict),
            _ => {
                documents.remove(key);
                Ok(())
            }
        }
    }

    /// Once settled, a deployment holds no secret; once answered, a record holds neither secret nor URL.
    fn look_at(&self, key: &str, document: &[u8]) {
        let text = String::from_utf8_lossy(document);
        let is_closed = text.contains(r#""phase":"settled""#) || text.contains(r#""stage":{"Answered""#);
        if is_closed && (text.contains(SIGNATURE) || text.contains(&self.world.password)) {
            self.world.violated(format!("a secret stays in {key}"));
        }
        if key.starts_with("instances/") && text.contains(SIGNATURE) {
            self.world.violated(format!("the ResponseURL is in {key}"));
        }
    }

    fn is_down(&self) -> bool {
        let now = self.world.now();
        let mut inner = lock(&self.inner);
        if inner.down_until.is_some_and(|until| until > now) {
            return true;
        }
        if self.world.dice.strikes(Fault::StoreDown) {
            let length = Duration::from_millis(self.world.dice.draw(500, 20_000));
            self.world.tell(|| format!("the store is down for {length:?}"));
            inner.down_until = Some(self.world.later(length));
            return true;
        }
        false
    }
}

/// The bucket as one process reaches it.
pub(crate) struct Storage {
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) process: Arc<Process>,
}

impl Storage {
    fn delay(&self) -> Duration {
        let dice = &self.process.world.dice;
        if dice.strikes(Fault::StoreSlow) {
            Duration::from_millis(dice.draw(100, 4_000))
        } else {
            Duration::ZERO
        }
    }

    async fn get(&self, key: String) -> Result<Option<(Vec<u8>, String)>, Refused> {
        let delay = self.delay();
        if self.bucket.is_down() || self.process.world.dice.strikes(Fault::LoadFails) {
            self.process.call(delay, || ()).await;
            return Err(Refused::Unavailable("503 Slow Down"));
        }
        let bucket = Arc::clone(&self.bucket);
        Ok(self.process.call(delay, move || bucket.load(&key)).await)
    }

    async fn put(&self, key: String, document: Vec<u8>, expected: Option<String>) -> Result<String, Refused> {
        let (delay, world) = (self.delay(), &self.process.world);
        if self.bucket.is_down() || world.dice.strikes(Fault::SaveFails) {
            self.process.call(delay, || ()).await;
            return Err(Refused::Unavailable("503 Slow Down"));
        }
        let bucket = Arc::clone(&self.bucket);
        if world.dice.strikes(Fault::SaveLate) {
            let late = Duration::from_millis(world.dice.draw(500, 4_000));
            world.tell(|| format!("store: a write of {key} gets there in {late:?}"));
            let write = move || bucket.save(&key, document, expected.as_deref());
            self.process
                .call_unheard(Duration::from_secs(2), late, write)
                .await;
            return Err(Refused::Unavailable("timed out"));
        }
        let lost = world.dice.strikes(Fault::SaveLost);
        if lost {
            world.tell(|| format!("store: the answer to a write of {key} is lost"));
        }
        let saved = self
            .process
            .call(delay, move || bucket.save(&key, document, expected.as_deref()))
            .await;
        if lost {
            Err(Refused::Unavailable("connection reset"))
        } else {
            saved
        }
    }
}

fn instance_key(instance: &str) -> String {
    format!("instances/{instance}")
}

#[async_trait]
impl engine::StateStore for Storage {
    async fn load(&self, instance: &str) -> Result<Option<(Vec<u8>, engine::Version)>, engine::StoreError> {
        let found = self.get(instance_key(instance)).await?;
        Ok(found.map(|(document, version)| (document, engine::Version(version))))
    }

    async fn save(
        &self,
        instance: &str,
        document: Vec<u8>,
        expected: Option<&engine::Version>,
    ) -> Result<engine::Version, engine::StoreError> {
        let expected = expected.map(|version| version.0.clone());
        Ok(engine::Version(
            self.put(instance_key(instance), document, expected).await?,
        ))
    }

    async fn remove(&self, instance: &str, expected: &engine::Version) -> Result<(), engine::StoreError> {
        let (delay, world) = (self.delay(), &self.process.world);
        if self.bucket.is_down() || world.dice.strikes(Fault::SaveFails) {
            return Err(engine::StoreError::Unavailable("503 Slow Down".into()));
        }
        let (bucket, key) = (Arc::clone(&self.bucket), instance_key(instance));
        let lost = world.dice.strikes(Fault::SaveLost);
        let expected = expected.0.clone();
        let removed = self
            .process
            .call(delay, move || bucket.remove(&key, &expected))
            .await;
        if lost {
            return Err(engine::StoreError::Unavailable("connection reset".into()));
        }
        Ok(removed?)
    }

    async fn list(&self, folder: &str) -> Result<Vec<String>, engine::StoreError> {
        let delay = self.delay();
        if self.bucket.is_down() || self.process.world.dice.strikes(Fault::LoadFails) {
            return Err(engine::StoreError::Unavailable("503 Slow Down".into()));
        }
        let (bucket, prefix) = (
            Arc::clone(&self.bucket),
            format!("instances/{}/", folder.trim_end_matches('/')),
        );
        let found = self.process.call(delay, move || bucket.documents(&prefix)).await;
        Ok(found
            .into_iter()
            .filter_map(|(key, _)| Some(key.strip_prefix("instances/")?.to_owned()))
            .collect())
    }
}

#[async_trait]
impl provider::RequestStore for Storage {
    async fn load(
        &self,
        instance: &str,
        request: &str,
    ) -> Result<Option<(Vec<u8>, provider::Version)>, provider::RequestStoreError> {
        let found = self.get(format!("requests/{instance}/{request}")).await?;
        Ok(found.map(|(document, version)| (document, provider::Version(version))))
    }

    async fn save(
        &self,
        instance: &str,
        request: &str,
        document: Vec<u8>,
        expected: Option<&provider::Version>,
    ) -> Result<provider::Version, provider::RequestStoreError> {
        let key = format!("requests/{instance}/{request}");
        Ok(provider::Version(
            self.put(key, document, expected.map(|version| version.0.clone()))
                .await?,
        ))
    }
}

impl From<Refused> for engine::StoreError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Conflict => engine::StoreError::Conflict,
            Refused::Unavailable(why) => engine::StoreError::Unavailable(why.into()),
        }
    }
}

impl From<Refused> for provider::RequestStoreError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Conflict => provider::RequestStoreError::Conflict,
            Refused::Unavailable(why) => provider::RequestStoreError::Unavailable(why.into()),
        }
    }
}
