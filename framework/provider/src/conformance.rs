//! What every [`RequestStore`] must do: run by the one in memory and by every adapter.

use crate::ports::{RequestStore, RequestStoreError, Version};

/// Runs the suite against an empty store. `instance` names a folder of its own, such as `stack/Logical`.
///
/// # Errors
/// What the store did that it must not do.
pub async fn request_store(store: &dyn RequestStore, instance: &str) -> Result<(), String> {
    absent_is_none(store, instance).await?;
    creation_is_exclusive(store, instance).await?;
    replacement_needs_the_current_version(store, instance).await?;
    requests_are_kept_apart(store, instance).await
}

async fn absent_is_none(store: &dyn RequestStore, instance: &str) -> Result<(), String> {
    let found = store
        .load(instance, "absent")
        .await
        .map_err(|error| error.to_string())?;
    ensure(found.is_none(), "an absent document was found")?;
    let replaced = store
        .save(instance, "absent", b"x".to_vec(), Some(&Version("\"1\"".into())))
        .await;
    ensure(
        replaced == Err(RequestStoreError::Conflict),
        "an absent document was replaced",
    )?;
    let found = store
        .load(instance, "absent")
        .await
        .map_err(|error| error.to_string())?;
    ensure(found.is_none(), "a refused write left a document")
}

async fn creation_is_exclusive(store: &dyn RequestStore, instance: &str) -> Result<(), String> {
    let version = written(store.save(instance, "created", b"one".to_vec(), None).await)?;
    let again = store.save(instance, "created", b"two".to_vec(), None).await;
    ensure(
        again == Err(RequestStoreError::Conflict),
        "a document was created twice",
    )?;
    expect(store, instance, "created", b"one", &version).await
}

async fn replacement_needs_the_current_version(
    store: &dyn RequestStore,
    instance: &str,
) -> Result<(), String> {
    let first = written(store.save(instance, "replaced", b"one".to_vec(), None).await)?;
    let second = written(
        store
            .save(instance, "replaced", b"two".to_vec(), Some(&first))
            .await,
    )?;
    ensure(first != second, "two documents have the same version")?;
    let stale = store
        .save(instance, "replaced", b"three".to_vec(), Some(&first))
        .await;
    ensure(
        stale == Err(RequestStoreError::Conflict),
        "a stale version was replaced",
    )?;
    expect(store, instance, "replaced", b"two", &second).await?;
    let third = written(
        store
            .save(instance, "replaced", b"three".to_vec(), Some(&second))
            .await,
    )?;
    expect(store, instance, "replaced", b"three", &third).await
}

async fn requests_are_kept_apart(store: &dyn RequestStore, instance: &str) -> Result<(), String> {
    let left = written(store.save(instance, "left", b"left".to_vec(), None).await)?;
    let right = written(store.save(instance, "right", b"right".to_vec(), None).await)?;
    let other = format!("{instance}-2");
    let elsewhere = written(store.save(&other, "left", b"elsewhere".to_vec(), None).await)?;
    expect(store, instance, "left", b"left", &left).await?;
    expect(store, instance, "right", b"right", &right).await?;
    expect(store, &other, "left", b"elsewhere", &elsewhere).await
}

async fn expect(
    store: &dyn RequestStore,
    instance: &str,
    request: &str,
    document: &[u8],
    version: &Version,
) -> Result<(), String> {
    match store.load(instance, request).await {
        Ok(Some((found, at))) => {
            ensure(found == document, "a document was read otherwise than written")?;
            ensure(
                at == *version,
                "a document was read in another version than written",
            )
        }
        Ok(None) => Err(format!("the document `{request}` was not found")),
        Err(error) => Err(error.to_string()),
    }
}

fn written(result: Result<Version, RequestStoreError>) -> Result<Version, String> {
    result.map_err(|error| error.to_string())
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::MemoryRequests;

    #[tokio::test]
    async fn memory_conforms() {
        assert_eq!(
            request_store(&MemoryRequests::new(), "stack/Logical").await,
            Ok(())
        );
    }
}
