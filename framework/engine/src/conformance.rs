//! What every implementation of a port has to keep, as suites that their tests run.
//!
//! A suite panics with the rule that was broken. It needs an empty store and leaves it empty.

use crate::ports::{StateStore, StoreError};

/// Checks a [`StateStore`]: documents are created once, replaced only in the version expected, listed by
/// folder, and removed without complaint.
///
/// # Panics
/// When the store breaks a rule.
pub async fn state_store(store: &dyn StateStore) {
    let name = "stack/Blueprint/instance-1";
    assert_eq!(
        store.load(name).await,
        Ok(None),
        "what was never written is not there"
    );
    assert_eq!(
        store.remove(name).await,
        Ok(()),
        "removing what is not there is success"
    );
    assert_eq!(
        store.list("stack/Blueprint").await,
        Ok(vec![]),
        "an empty folder has no instances"
    );

    let first = granted(
        store.save(name, b"{\"serial\":1}".to_vec(), None).await,
        "a new document can be created",
    );
    assert_eq!(
        store.save(name, b"{\"serial\":9}".to_vec(), None).await,
        Err(StoreError::Conflict),
        "a document is created only once"
    );
    let (document, version) = present(store.load(name).await);
    assert_eq!(
        document, b"{\"serial\":1}",
        "a refused write leaves the document alone"
    );
    assert_eq!(version, first, "loading tells the version that saving told");

    let second = granted(
        store.save(name, b"{\"serial\":2}".to_vec(), Some(&first)).await,
        "the expected version can be replaced",
    );
    assert_ne!(second, first, "another document has another version");
    assert_eq!(
        store.save(name, b"{\"serial\":3}".to_vec(), Some(&first)).await,
        Err(StoreError::Conflict),
        "a stale version cannot be replaced"
    );
    assert_eq!(
        present(store.load(name).await),
        (b"{\"serial\":2}".to_vec(), second.clone()),
        "a refused write leaves the document alone"
    );

    // The engine's documents carry a serial number, so that going back to an earlier content is no return
    // to an earlier version: A (1), B (2), A again (3) are three versions.
    let third = granted(
        store.save(name, b"{\"serial\":3}".to_vec(), Some(&second)).await,
        "the expected version can be replaced again",
    );
    assert!(
        third != first && third != second,
        "documents that differ in their serial alone have different versions"
    );
    assert_eq!(
        store.save(name, b"{\"serial\":4}".to_vec(), Some(&second)).await,
        Err(StoreError::Conflict),
        "the version before the last is stale"
    );

    let other = "stack/Blueprint/instance-2";
    let far = "stack/BlueprintOther/instance-1";
    granted(
        store.save(other, b"{}".to_vec(), None).await,
        "a second instance can be created",
    );
    granted(
        store.save(far, b"{}".to_vec(), None).await,
        "an instance of another resource can be created",
    );
    assert_eq!(
        store.list("stack/Blueprint").await,
        Ok(vec![name.to_owned(), other.to_owned()]),
        "a folder lists its own instances, sorted"
    );
    assert_eq!(
        store.list("stack/Nothing").await,
        Ok(vec![]),
        "a folder that was never written has no instances"
    );

    assert_eq!(store.remove(name).await, Ok(()), "a document can be removed");
    assert_eq!(store.remove(name).await, Ok(()), "removing it again is success");
    assert_eq!(store.load(name).await, Ok(None), "a removed document is gone");
    assert_eq!(
        store.save(name, b"{}".to_vec(), Some(&third)).await,
        Err(StoreError::Conflict),
        "a removed document has no version to replace"
    );
    granted(
        store.save(name, b"{}".to_vec(), None).await,
        "a removed document can be created anew",
    );
    for name in [name, other, far] {
        assert_eq!(store.remove(name).await, Ok(()), "a document can be removed");
    }
    assert_eq!(
        store.list("stack").await,
        Ok(vec![]),
        "a removed instance is not listed"
    );
}

fn granted<T>(result: Result<T, StoreError>, rule: &str) -> T {
    match result {
        Ok(value) => value,
        Err(error) => broken(rule, &error.to_string()),
    }
}

fn present<T>(result: Result<Option<T>, StoreError>) -> T {
    match granted(result, "the store can be read") {
        Some(value) => value,
        None => broken("what was written is there", "nothing was found"),
    }
}

#[expect(
    clippy::panic,
    reason = "a conformance suite is test code, and reports by panicking"
)]
fn broken(rule: &str, found: &str) -> ! {
    panic!("{rule}: {found}")
}
