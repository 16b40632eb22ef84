//! The sink for response documents.

use crate::client::Cloud;
use formwork_sandbox::{Call, Effect, Fault, Options};
use std::time::Duration;

#[tokio::test]
async fn a_document_is_delivered() {
    let cloud = Cloud::start(Options::default()).await;
    let url = cloud.sandbox.response_url();
    assert!(url.contains("X-Amz-Signature="));
    let put = async {
        let request = cloud.http.put(url.as_str()).header("content-type", "").body("{}");
        request.send().await.unwrap().status().as_u16()
    };
    let (status, delivery) = tokio::join!(put, cloud.sandbox.response(&url, Duration::from_secs(30)));
    let delivery = delivery.unwrap();
    assert_eq!(status, 200);
    assert_eq!(delivery.body.as_ref(), b"{}");
    assert_eq!(
        (delivery.content_type.as_deref(), delivery.content_length),
        (Some(""), Some(2))
    );
    assert_eq!(delivery.statuses, [200]);
}

#[tokio::test]
async fn a_wrong_signature_and_a_broken_store_refuse_it() {
    let cloud = Cloud::start(Options::default()).await;
    let url = cloud.sandbox.response_url();
    let put = |url: String| {
        let request = cloud.http.put(url).body("{}");
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(put(url.split('?').next().unwrap().to_owned()).await, 403);
    assert_eq!(
        put(url.replace("X-Amz-Signature=", "X-Amz-Signature=0")).await,
        403
    );
    cloud
        .sandbox
        .fault(Fault::new(Effect::ServerError(503)).on(Call::Respond).times(1));
    assert_eq!(put(url.clone()).await, 503);
    assert!(cloud.sandbox.response(&url, Duration::ZERO).await.is_none());
    assert_eq!(put(url.clone()).await, 200);
    let delivery = cloud.sandbox.response(&url, Duration::ZERO).await.unwrap();
    assert_eq!(delivery.statuses, [403, 403, 503, 200]);
    assert_eq!(delivery.bodies.len(), 1);
    assert_eq!(cloud.sandbox.responses(&url).len(), 4);
}
