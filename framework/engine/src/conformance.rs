//! What every implementation of a port has to keep, as suites that their tests run.
//!
//! A suite panics with the rule that was broken. It needs an empty store and leaves it empty.

use crate::ports::{StateStore, StoreError, Version};
use futures_util::future::join_all;

/// Checks a [`StateStore`]: documents are created once, replaced only in the version expected, listed by folder, and
/// removed without complaint; whatever their names, however large, and however many write at once.
///
/// # Panics
/// When the store breaks a rule.
pub async fn state_store(store: &dyn StateStore) {
    lives(store).await;
    takes_names_as_they_are(store).await;
    keeps_large_documents_whole(store).await;
    has_one_winner(store).await;
    loses_no_update(store).await;
}

/// Checks that a write whose answer was lost is no lost race with itself, and no excuse for one with others.
/// `lose_next` makes the store carry the next write out and lose its answer.
///
/// # Panics
/// When the store breaks a rule.
pub async fn lost_answers(store: &dyn StateStore, lose_next: &(dyn Fn() + Sync)) {
    let name = "stack/Blueprint/lost";
    lose_next();
    let first = granted(
        store.save(name, b"{\"serial\":1}".to_vec(), None).await,
        "a creation whose answer was lost is recognised",
    );
    lose_next();
    let second = granted(
        store.save(name, b"{\"serial\":2}".to_vec(), Some(&first)).await,
        "a replacement whose answer was lost is recognised",
    );
    assert_eq!(
        present(store.load(name).await),
        (b"{\"serial\":2}".to_vec(), second.clone()),
        "it is what is stored"
    );
    lose_next();
    assert_eq!(
        store.save(name, b"{\"serial\":2}".to_vec(), Some(&first)).await,
        Err(StoreError::Conflict),
        "the same document of somebody else is not taken for one's own"
    );
    clear(store, name, &second).await;
}

/// Created once, replaced only in the version expected, listed by folder, removed without complaint.
async fn lives(store: &dyn StateStore) {
    let name = "stack/Blueprint/instance-1";
    assert_eq!(
        store.load(name).await,
        Ok(None),
        "what was never written is not there"
    );
    assert_eq!(
        store.remove(name, &Version("\"none\"".to_owned())).await,
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
    let others = granted(
        store.save(other, b"{}".to_vec(), None).await,
        "a second instance can be created",
    );
    let fars = granted(
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

    assert_eq!(
        store.remove(name, &second).await,
        Err(StoreError::Conflict),
        "a version that nobody has looked at is not removed"
    );
    assert_eq!(
        present(store.load(name).await),
        (b"{\"serial\":3}".to_vec(), third.clone()),
        "a refused removal leaves the document alone"
    );
    assert_eq!(
        store.remove(name, &third).await,
        Ok(()),
        "the expected version can be removed"
    );
    assert_eq!(
        store.remove(name, &third).await,
        Ok(()),
        "removing it again is success"
    );
    assert_eq!(store.load(name).await, Ok(None), "a removed document is gone");
    assert_eq!(
        store.save(name, b"{}".to_vec(), Some(&third)).await,
        Err(StoreError::Conflict),
        "a removed document has no version to replace"
    );
    let anew = granted(
        store.save(name, b"{}".to_vec(), None).await,
        "a removed document can be created anew",
    );
    for (name, version) in [(name, anew), (other, others), (far, fars)] {
        clear(store, name, &version).await;
    }
    assert_eq!(
        store.list("stack").await,
        Ok(vec![]),
        "a removed instance is not listed"
    );
}

/// How many write at once.
const WRITERS: usize = 8;
/// How often each of them.
const ROUNDS: usize = 5;

async fn takes_names_as_they_are(store: &dyn StateStore) {
    let long = "n".repeat(200);
    let names = [
        "stack/Orders",
        "stack/Orders/shop-Orders-0a1b2c3d4e5f",
        "stack/Orders/shop-Orders-0a1b2c3d4e5f/below",
        "stack/Orders/a.b c%20=\u{fc}",
        "stack/Orders/%2E%2E",
        "stack/Orders/x.json",
        "stack/Orders/x.new",
        "stack/Orders/.lock",
        "stack/Orders/a+b&c",
        "stack/OrdersTwo/one",
        long.as_str(),
    ];
    for (number, name) in names.iter().enumerate() {
        granted(
            store.save(name, number.to_string().into_bytes(), None).await,
            "a document can have this name",
        );
    }
    for (number, name) in names.iter().enumerate() {
        let (document, _) = present(store.load(name).await);
        assert_eq!(
            document,
            number.to_string().into_bytes(),
            "`{name}` is its own document"
        );
    }
    let mut all = names.map(str::to_owned).to_vec();
    all.sort();
    assert_eq!(
        store.list("").await,
        Ok(all),
        "all names come back as they were given"
    );
    let listed = granted(store.list("stack/Orders").await, "a folder can be listed");
    assert_eq!(
        listed.len(),
        8,
        "a folder lists what is below it, and no more: {listed:?}"
    );
    for name in names {
        let (_, version) = present(store.load(name).await);
        clear(store, name, &version).await;
    }
    assert_eq!(store.list("").await, Ok(vec![]), "nothing is left");
}

async fn keeps_large_documents_whole(store: &dyn StateStore) {
    let name = "stack/Blueprint/large";
    let large: Vec<u8> = (0..3_000_000_u32)
        .flat_map(u32::to_le_bytes)
        .take(3 << 20)
        .collect();
    let version = granted(
        store.save(name, large.clone(), None).await,
        "a document of 3 MiB can be created",
    );
    assert!(present(store.load(name).await).0 == large, "it comes back whole");
    let small = granted(
        store.save(name, b"{}".to_vec(), Some(&version)).await,
        "it can be replaced by a small one",
    );
    assert_eq!(
        present(store.load(name).await).0,
        b"{}",
        "nothing of the large one is left"
    );
    clear(store, name, &small).await;
}

async fn has_one_winner(store: &dyn StateStore) {
    let name = "stack/Blueprint/race";
    let mut expected = None;
    for round in 0..ROUNDS {
        let document = |writer: usize| format!("{{\"round\":{round},\"writer\":{writer}}}").into_bytes();
        let writes = (0..WRITERS).map(|writer| store.save(name, document(writer), expected.as_ref()));
        let results = join_all(writes).await;
        let winners: Vec<usize> = (0..WRITERS)
            .filter(|writer| results.get(*writer).is_some_and(Result::is_ok))
            .collect();
        let [winner] = winners.as_slice() else {
            broken(
                "of many who write at once exactly one wins",
                &format!("{results:?}"),
            )
        };
        for result in results.iter().filter(|result| result.is_err()) {
            assert_eq!(
                *result,
                Err(StoreError::Conflict),
                "the others have lost the race"
            );
        }
        let (stored, version) = present(store.load(name).await);
        assert_eq!(stored, document(*winner), "what the winner wrote is stored");
        assert!(
            results.contains(&Ok(version.clone())),
            "the winner is told the version that is stored"
        );
        expected = Some(version);
    }
    if let Some(version) = expected {
        clear(store, name, &version).await;
    }
}

/// Many count up one number; every success must be in the sum.
async fn loses_no_update(store: &dyn StateStore) {
    let name = "stack/Blueprint/count";
    granted(
        store.save(name, b"0".to_vec(), None).await,
        "a document can be created",
    );
    let count = async || {
        let mut done = 0;
        while done < ROUNDS {
            let (document, version) = present(store.load(name).await);
            let number: usize = String::from_utf8_lossy(&document).parse().unwrap_or_default();
            let next = (number + 1).to_string().into_bytes();
            match store.save(name, next, Some(&version)).await {
                Ok(_) => done += 1,
                Err(StoreError::Conflict) => {}
                Err(error) => broken("a store under load can be used", &error.to_string()),
            }
        }
    };
    join_all((0..WRITERS).map(|_| count())).await;
    let sum = (WRITERS * ROUNDS).to_string().into_bytes();
    let (counted, version) = present(store.load(name).await);
    assert_eq!(counted, sum, "no update is lost");
    clear(store, name, &version).await;
}

async fn clear(store: &dyn StateStore, name: &str, version: &Version) {
    assert_eq!(
        store.remove(name, version).await,
        Ok(()),
        "a document can be removed"
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
