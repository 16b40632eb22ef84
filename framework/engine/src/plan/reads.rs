//! Reading every resource that stands: the only part of planning that touches the outside.

use crate::classify::{Class, Retry, classify, is_throttling};
use crate::deployment::{Deployment, Resource};
use crate::drift::Schemas;
use crate::engine::Adapters;
use crate::limiter::Limiter;
use crate::model::Model;
use crate::ports::{CloudError, Operation};
use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::collections::HashMap;

/// How many reads are under way at once.
const WIDTH: usize = 10;
/// How often a read is tried.
const TRIES: u32 = 4;

/// The properties of each resource that could be read, and why the others could not.
pub(crate) type Reads = HashMap<String, Result<Value, CloudError>>;

/// Reads what the model is about to change. Types that cannot be read are left out.
pub(crate) async fn read_all(
    model: &Model,
    deployment: &Deployment,
    adapters: &Adapters,
    limiter: &Limiter,
) -> Reads {
    let is_wanted = |name: &str, known: &Resource| {
        let node = model.nodes.get(name);
        node.is_some_and(|node| node.schema.handlers().read && node.schema.type_name() == known.type_name)
    };
    read_those(deployment, is_wanted, adapters, limiter, Timestamp::MAX).await
}

/// Reads all that stands, whether a model wants it or not. Types that cannot be read are left out, and what could
/// not be read until `until` was not.
pub(crate) async fn read_standing(
    deployment: &Deployment,
    schemas: &Schemas,
    adapters: &Adapters,
    limiter: &Limiter,
    until: Timestamp,
) -> Reads {
    let is_wanted = |_: &str, known: &Resource| {
        let schema = schemas.get(&known.type_name).and_then(Option::as_ref);
        schema.is_some_and(|schema| schema.handlers().read)
    };
    read_those(deployment, is_wanted, adapters, limiter, until).await
}

async fn read_those(
    deployment: &Deployment,
    is_wanted: impl Fn(&str, &Resource) -> bool,
    adapters: &Adapters,
    limiter: &Limiter,
    until: Timestamp,
) -> Reads {
    let role_arn = deployment.role_arn.as_deref();
    let standing = deployment.resources.iter().filter_map(|(name, known)| {
        let identifier = known.identifier.as_deref().filter(|_| is_wanted(name, known))?;
        Some((name.clone(), known.type_name.as_str(), identifier))
    });
    let reads: Vec<_> = standing
        .map(|(name, type_name, identifier)| async move {
            let reading = read(adapters, limiter, type_name, identifier, role_arn);
            (name, in_time(reading, adapters, until).await)
        })
        .collect();
    futures_util::stream::iter(reads)
        .buffer_unordered(WIDTH)
        .collect()
        .await
}

async fn in_time(
    reading: impl Future<Output = Result<Value, CloudError>>,
    adapters: &Adapters,
    until: Timestamp,
) -> Result<Value, CloudError> {
    if until == Timestamp::MAX {
        return reading.await;
    }
    let left = until
        .duration_since(adapters.clock.now())
        .max(SignedDuration::ZERO);
    tokio::select! {
        biased;
        () = adapters.clock.sleep(left.unsigned_abs()) => Err(CloudError {
            code: "Timeout".to_owned(),
            message: "there was no time left to read it".to_owned(),
        }),
        properties = reading => properties,
    }
}

async fn read(
    adapters: &Adapters,
    limiter: &Limiter,
    type_name: &str,
    identifier: &str,
    role_arn: Option<&str>,
) -> Result<Value, CloudError> {
    let clock = &adapters.clock;
    let mut tries = 0;
    loop {
        let wait = limiter.take(clock.now());
        if !wait.is_zero() {
            clock.sleep(wait).await;
        }
        let answer = adapters.cloud.read(type_name, identifier, role_arn).await;
        let now = clock.now();
        let error = match answer {
            Ok(properties) => {
                limiter.learn(false, now);
                return Ok(properties);
            }
            Err(error) => error,
        };
        limiter.learn(is_throttling(&error.code), now);
        tries += 1;
        let class = classify(Operation::Update, &error.code, &error.message);
        if tries >= TRIES || !matches!(class, Class::Lost | Class::Retry(_)) {
            return Err(error);
        }
        let again = Retry::Service.again(now, tries, identifier);
        clock.sleep(again.duration_since(now).unsigned_abs()).await;
    }
}
