use super::testing::Bucket;
use super::*;
use crate::testing::{connection, http};
use crate::{ObjectRequests, ObjectStates};
use formwork_engine::ports::{StateStore, StoreError, Version};

fn local(url: &str) -> Storage {
    open_store(url, &connection("http://127.0.0.1:1"), &http()).unwrap()
}

fn file_url(folder: &tempfile::TempDir) -> String {
    format!("file://{}", folder.path().join("state").display())
}

/// What every store must do through the ports, and what these do beyond it.
async fn keeps_versioned_documents(storage: Storage) {
    let states = ObjectStates::new(storage.clone());
    formwork_engine::conformance::state_store(&states).await;

    // Names are keys as they are, whatever is in them.
    let name = "6f1c/Orders/shop-Orders-0a1b2c3d4e5f";
    states.save(name, b"{}".to_vec(), None).await.unwrap();
    for neighbour in [
        "6f1c/Orders/shop-Orders",
        "6f1c/OrdersTwo/x",
        "6f1c/Orders/a.b c%20=ü",
    ] {
        states.save(neighbour, b"{}".to_vec(), None).await.unwrap();
    }
    let expected = ["6f1c/Orders/a.b c%20=ü", "6f1c/Orders/shop-Orders", name];
    assert_eq!(
        states.list("6f1c/Orders").await,
        Ok(expected.map(str::to_owned).to_vec())
    );
    assert_eq!(states.list("").await.unwrap().len(), 4);
    assert_eq!(states.list("nowhere").await, Ok(vec![]));

    for unfit in ["../outside", "a//b", "a/./b", "a\nb/c"] {
        assert!(
            matches!(states.load(unfit).await, Err(StoreError::Unavailable(_))),
            "{unfit}"
        );
    }

    let requests = ObjectRequests::new(storage);
    assert_eq!(
        formwork_provider::conformance::request_store(&requests, "6f1c/Orders").await,
        Ok(())
    );
    assert_eq!(
        states.list("").await.unwrap().len(),
        4,
        "requests are not among the instances"
    );
}

#[tokio::test]
async fn memory_conforms() {
    keeps_versioned_documents(local("memory:///")).await;
}

#[tokio::test]
async fn a_folder_conforms() {
    let folder = tempfile::tempdir().unwrap();
    keeps_versioned_documents(local(&file_url(&folder))).await;
}

#[tokio::test]
async fn a_bucket_conforms() {
    let bucket = Bucket::start().await;
    keeps_versioned_documents(bucket.open("s3://state/deep/prefix/")).await;
    assert!(bucket.keys().iter().all(|key| {
        key.starts_with("deep/prefix/instances/6f1c/") || key.starts_with("deep/prefix/requests/6f1c/")
    }));
}

#[tokio::test]
async fn a_lost_answer_is_no_conflict_with_oneself() {
    let bucket = Bucket::start().await;
    let states = ObjectStates::new(bucket.open("s3://state"));
    formwork_engine::conformance::lost_answers(&states, &|| bucket.lose_answers(1)).await;
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_an_error_and_no_empty_store() {
    let bucket = Bucket::start().await;
    let states = ObjectStates::new(bucket.open("s3://elsewhere"));
    let version = Version("\"1\"".into());
    let problem = "`instances/i.json` in bucket `elsewhere`: NoSuchBucket: it is not there";
    let unavailable = |doing: &str| StoreError::Unavailable(format!("{doing} {problem}"));
    assert_eq!(states.load("i").await, Err(unavailable("reading")));
    assert_eq!(states.save("i", vec![], None).await, Err(unavailable("writing")));
    assert_eq!(
        states.save("i", vec![], Some(&version)).await,
        Err(unavailable("writing"))
    );
    assert_eq!(states.remove("i", &version).await, Err(unavailable("removing")));
}

#[tokio::test]
async fn a_refused_access_is_told_without_secrets() {
    let bucket = Bucket::start().await;
    let states = ObjectStates::new(bucket.open("s3://state"));
    bucket.refuse_access();
    let text = states.load("i").await.unwrap_err().to_string();
    assert_eq!(
        text,
        "the state store cannot be used: reading `instances/i.json` in bucket `state`: AccessDenied: no \"s3:GetObject\"; `s3:GetObject` on it and `s3:ListBucket` on the bucket are needed"
    );
}

#[tokio::test]
async fn folders_are_private_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let states = ObjectStates::new(local(&file_url(&folder)));
    let version = states.save("a/b/c", b"{}".to_vec(), None).await.unwrap();
    let root = folder.path().join("state");
    let file = root.join("instances/a/b/c.json");
    assert_eq!(std::fs::read(&file).unwrap(), b"{}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&root)), (0o600, 0o700));
    }
    states.remove("a/b/c", &version).await.unwrap();
    let left: Vec<_> = std::fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, [".lock"]);
}

#[tokio::test]
async fn half_a_document_of_a_crashed_writer_is_neither_read_nor_listed() {
    let folder = tempfile::tempdir().unwrap();
    let states = ObjectStates::new(local(&file_url(&folder)));
    let first = states.save("a/b", b"whole".to_vec(), None).await.unwrap();
    std::fs::write(folder.path().join("state/instances/a/b.json.new"), b"ha").unwrap();
    assert_eq!(
        states.load("a/b").await,
        Ok(Some((b"whole".to_vec(), first.clone())))
    );
    assert_eq!(states.list("a").await, Ok(vec!["a/b".to_owned()]));
    states.save("a/b", b"next".to_vec(), Some(&first)).await.unwrap();
    assert_eq!(states.load("a/b").await.unwrap().unwrap().0, b"next");
}

#[tokio::test]
async fn a_writer_waits_for_the_lock_of_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let states = ObjectStates::new(local(&file_url(&folder)));
    let first = states.save("i", b"1".to_vec(), None).await.unwrap();

    // An open file of our own locks like that of another process.
    let root = folder.path().join("state");
    let held = std::fs::File::open(root.join(".lock")).unwrap();
    held.lock().unwrap();
    let mut waiting = tokio::spawn(async move { states.save("i", b"2".to_vec(), Some(&first)).await });
    let early = tokio::time::timeout(std::time::Duration::from_millis(50), &mut waiting).await;
    assert!(early.is_err(), "saved in spite of the lock");
    // What the other process does under its lock makes the waiting save come too late.
    std::fs::write(root.join("instances/i.json"), b"theirs").unwrap();
    drop(held);
    assert_eq!(waiting.await.unwrap(), Err(StoreError::Conflict));
    assert_eq!(std::fs::read(root.join("instances/i.json")).unwrap(), b"theirs");
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("state"), b"a file").unwrap();
    let states = ObjectStates::new(local(&file_url(&folder)));
    let text = states.save("i", vec![], None).await.unwrap_err().to_string();
    let expected = format!(
        "the state store cannot be used: writing `instances/i.json` in `{}`: ",
        folder.path().join("state").display()
    );
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn state_urls_are_judged() {
    let cases = [
        ("s3://state", None),
        ("s3://state/a/b/", None),
        ("file:///var/lib/state", None),
        ("memory:///", None),
        ("state", Some("it has no scheme")),
        ("", Some("it has no scheme")),
        ("gs://state", Some("its scheme is `gs`")),
        ("s3:///key", Some("it names no bucket")),
        (
            "file://var/state",
            Some("a folder has no host, so three slashes follow `file:`"),
        ),
        (
            "file:///var/state?x",
            Some("a folder has no query and no fragment"),
        ),
    ];
    for (url, problem) in cases {
        let opened = open_store(url, &connection("http://127.0.0.1:1"), &http());
        let expected = problem.map(|problem| {
            format!(
                "`{url}` is no state URL: {problem}; expected `s3://bucket/prefix`, `file:///folder` or `memory:///`"
            )
        });
        assert_eq!(opened.err().map(|error| error.to_string()), expected, "{url}");
    }
    let dotted = open_store("s3://state/a/../b", &connection("http://127.0.0.1:1"), &http());
    assert!(matches!(dotted, Err(OpenError::Url { .. })));
}
