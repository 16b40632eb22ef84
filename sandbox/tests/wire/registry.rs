//! CloudFormation's type registry, and the page for people.

use crate::client::Cloud;
use formwork_sandbox::Options;
use serde_json::{Value, json};

#[tokio::test]
async fn official_types_are_described() {
    let cloud = Cloud::start(Options::default()).await;
    let describe = |name: &str| {
        let form = format!("Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName={name}");
        let cloud = &cloud;
        async move { cloud.query(&form).await }
    };
    let (status, body) = describe("AWS%3A%3ASQS%3A%3AQueue").await;
    assert_eq!(status, 200);
    assert!(
        body.contains("<ProvisioningType>FULLY_MUTABLE</ProvisioningType>"),
        "{body}"
    );
    assert!(
        body.contains("&quot;typeName&quot;:&quot;AWS::SQS::Queue&quot;"),
        "{body}"
    );
    let (status, body) = describe("AWS%3A%3ANo%3A%3AType").await;
    assert_eq!(status, 400);
    assert!(body.contains("<Code>TypeNotFoundException</Code>"), "{body}");
}

#[tokio::test]
async fn registered_types_can_be_used() {
    let cloud = Cloud::start(Options::default()).await;
    let schema = json!({
        "typeName": "Acme::Shop::Basket",
        "description": "a basket",
        "properties": {"Id": {"type": "string"}, "Size": {"type": "integer"}},
        "additionalProperties": false,
        "required": ["Size"],
        "readOnlyProperties": ["/properties/Id"],
        "primaryIdentifier": ["/properties/Id"],
        "handlers": {"create": {"permissions": []}, "read": {"permissions": []}, "delete": {"permissions": []}},
    });
    assert_eq!(
        cloud.sandbox.register_type(&schema.to_string()).unwrap(),
        "Acme::Shop::Basket"
    );
    let identifier = cloud.created("Acme::Shop::Basket", json!({"Size": 3})).await;
    assert_eq!(
        cloud.properties("Acme::Shop::Basket", &identifier).await["Id"],
        identifier
    );
    let (_, body) = cloud.query("Action=ListTypes&Visibility=PRIVATE").await;
    assert!(body.contains("<TypeName>Acme::Shop::Basket</TypeName>"), "{body}");
    let (_, body) = cloud
        .query("Action=DescribeType&Type=RESOURCE&TypeName=Acme%3A%3AShop%3A%3ABasket")
        .await;
    assert!(
        body.contains("<ProvisioningType>IMMUTABLE</ProvisioningType>"),
        "{body}"
    );
    assert!(cloud.sandbox.register_type("{}").is_err());
}

#[tokio::test]
async fn the_page_shows_names_and_no_values() {
    let cloud = Cloud::start(Options::default()).await;
    cloud
        .created(
            "AWS::SSM::Parameter",
            json!({"Name": "p", "Type": "String", "Value": "the-secret"}),
        )
        .await;
    let url = format!("{}/_sandbox/", cloud.sandbox.endpoint());
    let text = cloud.http.get(url).send().await.unwrap().text().await.unwrap();
    assert!(!text.contains("the-secret"));
    let page: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(page["resources"][0]["identifier"], "p");
}
