//! Reading every resource that stands: the only part of planning that touches the outside.

use crate::classify::{Class, Retry, classify, is_throttling};
use crate::deployment::Deployment;
use crate::engine::Adapters;
use crate::limiter::Limiter;
use crate::model::Model;
use crate::ports::{CloudError, Operation};
use futures_util::StreamExt;
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
    let standing = deployment.resources.iter().filter_map(|(name, known)| {
        let node = model.nodes.get(name)?;
        let readable = node.schema.handlers().read && node.schema.type_name() == known.type_name;
        let identifier = known.identifier.clone().filter(|_| readable)?;
        Some((name.clone(), known.type_name.clone(), identifier))
    });
    let reads: Vec<_> = standing
        .map(|(name, type_name, identifier)| async move {
            let role_arn = deployment.role_arn.as_deref();
            let properties = read(adapters, limiter, &type_name, &identifier, role_arn).await;
            (name, properties)
        })
        .collect();
    futures_util::stream::iter(reads)
        .buffer_unordered(WIDTH)
        .collect()
        .await
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
