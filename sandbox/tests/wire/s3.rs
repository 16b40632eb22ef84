//! S3, through plain HTTP and through object_store.

use crate::client::{Cloud, http};
use formwork_sandbox::Options;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion};

async fn store(cloud: &Cloud) -> AmazonS3 {
    // Sets the TLS provider that its client asks for.
    http();
    AmazonS3Builder::new()
        .with_endpoint(cloud.sandbox.endpoint())
        .with_allow_http(true)
        .with_bucket_name("state")
        .with_region("eu-west-1")
        .with_access_key_id("sandbox")
        .with_secret_access_key("sandbox")
        .build()
        .unwrap()
}

#[tokio::test]
async fn object_store_gets_what_it_put() {
    let cloud = Cloud::start(Options::default()).await;
    let store = store(&cloud).await;
    let path = Path::from("a b/c+d/ü%.json");
    let put = store.put(&path, "one".into()).await.unwrap();
    let found = store.get(&path).await.unwrap();
    assert_eq!(found.meta.e_tag, put.e_tag);
    assert_eq!(found.bytes().await.unwrap().as_ref(), b"one");
    assert_eq!(store.head(&path).await.unwrap().size, 3);
    assert_eq!(store.get_range(&path, 1..3).await.unwrap().as_ref(), b"ne");
    store.delete(&path).await.unwrap();
    assert!(matches!(store.get(&path).await, Err(Error::NotFound { .. })));
    assert!(matches!(store.head(&path).await, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn object_store_writes_on_conditions() {
    let cloud = Cloud::start(Options::default()).await;
    let store = store(&cloud).await;
    let path = Path::from("document.json");
    let put = |mode: PutMode, text: &'static str| {
        let (store, path) = (&store, &path);
        async move { store.put_opts(path, text.into(), PutOptions::from(mode)).await }
    };
    let first = put(PutMode::Create, "1").await.unwrap();
    assert!(matches!(
        put(PutMode::Create, "2").await,
        Err(Error::AlreadyExists { .. })
    ));
    let version = UpdateVersion {
        e_tag: first.e_tag,
        version: None,
    };
    put(PutMode::Update(version.clone()), "2").await.unwrap();
    assert!(matches!(
        put(PutMode::Update(version.clone()), "3").await,
        Err(Error::Precondition { .. })
    ));
    store.delete(&path).await.unwrap();
    assert!(matches!(
        put(PutMode::Update(version), "4").await,
        Err(Error::Precondition { .. })
    ));
}

#[tokio::test]
async fn object_store_lists() {
    let cloud = Cloud::start(Options::default()).await;
    let store = store(&cloud).await;
    for key in [
        "instances/s/a/1.json",
        "instances/s/b/1.json",
        "instances/s/c.json",
        "other",
    ] {
        store.put(&Path::from(key), "x".into()).await.unwrap();
    }
    let prefix = Path::from("instances/s");
    let mut names: Vec<String> = store
        .list(Some(&prefix))
        .map_ok(|meta| meta.location.to_string())
        .try_collect()
        .await
        .unwrap();
    names.sort();
    assert_eq!(
        names,
        [
            "instances/s/a/1.json",
            "instances/s/b/1.json",
            "instances/s/c.json"
        ]
    );
    let level = store.list_with_delimiter(Some(&prefix)).await.unwrap();
    let prefixes: Vec<String> = level.common_prefixes.iter().map(ToString::to_string).collect();
    assert_eq!(prefixes, ["instances/s/a", "instances/s/b"]);
    assert_eq!(level.objects.len(), 1);
}

#[tokio::test]
async fn the_wire_has_s3s_own_codes() {
    let cloud = Cloud::start(Options::default()).await;
    let url = format!("{}/bucket/key", cloud.sandbox.endpoint());
    let put = |header: &'static str, value: String| {
        let request = cloud.http.put(url.as_str()).header(header, value).body("x");
        async move {
            let response = request.send().await.unwrap();
            (response.status().as_u16(), response.text().await.unwrap())
        }
    };
    let (status, body) = put("if-match", "\"x\"".into()).await;
    assert_eq!(
        (status, body.contains("<Code>NoSuchKey</Code>")),
        (404, true),
        "{body}"
    );
    assert_eq!(put("if-none-match", "*".into()).await.0, 200);
    let (status, body) = put("if-none-match", "*".into()).await;
    assert_eq!(
        (status, body.contains("<Code>PreconditionFailed</Code>")),
        (412, true),
        "{body}"
    );
    // The MD5 of `x`.
    assert_eq!(
        put("if-match", "\"9dd4e461268c8034f5c8564e155c67a6\"".into())
            .await
            .0,
        200
    );
}
