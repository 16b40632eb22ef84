//! Where the schemas of resource types come from.

use crate::connection::{Connection, Service};
use crate::http::Http;
use crate::sdk::{Failure, service_config};
use async_trait::async_trait;
use aws_sdk_cloudformation::Client;
use aws_sdk_cloudformation::types::RegistryType;
use formwork_engine::ports::{SchemaSource, SchemaSourceError};
use formwork_schema::ResourceSchema;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::OnceCell;

/// The schemas of the bundle first, then those the account's type registry describes (third-party and
/// private types, and types younger than the bundle).
///
/// # Guarantees
/// A schema is loaded once per process, also when several ask for it at the same time: DescribeType is
/// throttled hard. A failure and an unknown type are not remembered, for a type can be activated at any
/// moment. A failure is an error and never an empty schema.
#[derive(Debug)]
pub struct TypeRegistry {
    connection: Connection,
    http: Http,
    client: OnceLock<Client>,
    known: Mutex<HashMap<String, Arc<OnceCell<Arc<ResourceSchema>>>>>,
}

/// Why there is no schema.
enum Miss {
    NoSuchType,
    Failed(SchemaSourceError),
}

impl TypeRegistry {
    /// Makes the adapter; its client is built when the bundle lacks a type for the first time.
    pub fn new(connection: &Connection, http: &Http) -> Self {
        TypeRegistry {
            connection: connection.clone(),
            http: http.clone(),
            client: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    async fn find(&self, type_name: &str) -> Result<Arc<ResourceSchema>, Miss> {
        let bundled = formwork_schema::load(type_name).map_err(|error| failed(type_name, error.message))?;
        match bundled {
            Some(schema) => Ok(Arc::new(schema)),
            None => self.describe(type_name).await.map(Arc::new),
        }
    }

    async fn describe(&self, type_name: &str) -> Result<ResourceSchema, Miss> {
        let client = self.client.get_or_init(|| {
            Client::new(&service_config(
                &self.connection,
                &self.http,
                Service::CloudFormation,
            ))
        });
        let call = client
            .describe_type()
            .r#type(RegistryType::Resource)
            .type_name(type_name);
        let answer = call.send().await.map_err(|error| match Failure::from(error) {
            Failure { code, .. } if code == "TypeNotFoundException" => Miss::NoSuchType,
            Failure { code, message } => failed(type_name, format!("{code}: {message}")),
        })?;
        let text = answer
            .schema()
            .ok_or_else(|| failed(type_name, "the registry has none".into()))?;
        ResourceSchema::parse(text).map_err(|error| failed(type_name, error.message))
    }

    fn cell(&self, type_name: &str) -> Arc<OnceCell<Arc<ResourceSchema>>> {
        // The map is whole at every moment, so a panic elsewhere has not spoilt it.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(type_name.to_owned()).or_default())
    }

    fn forget(&self, type_name: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(type_name).is_some_and(|cell| !cell.initialized()) {
            known.remove(type_name);
        }
    }
}

fn failed(type_name: &str, message: String) -> Miss {
    Miss::Failed(SchemaSourceError {
        type_name: type_name.to_owned(),
        message,
    })
}

#[async_trait]
impl SchemaSource for TypeRegistry {
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError> {
        match self
            .cell(type_name)
            .get_or_try_init(|| self.find(type_name))
            .await
        {
            Ok(schema) => Ok(Some(Arc::clone(schema))),
            Err(miss) => {
                self.forget(type_name);
                match miss {
                    Miss::NoSuchType => Ok(None),
                    Miss::Failed(error) => Err(error),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Server, closed_port, connection, http};

    const ORDER: &str = "Acme::Orders::Order";

    fn found() -> String {
        let schema = r#"{"typeName":"Acme::Orders::Order","description":"a &lt; b","properties":{"Id":{"type":"string"}},"primaryIdentifier":["/properties/Id"],"additionalProperties":false}"#;
        format!(
            r#"<DescribeTypeResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeTypeResult><TypeName>{ORDER}</TypeName><Schema>{}</Schema></DescribeTypeResult></DescribeTypeResponse>"#,
            schema.replace('"', "&quot;")
        )
    }

    fn error(code: &str) -> String {
        format!(
            "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>because</Message></Error></ErrorResponse>"
        )
    }

    #[tokio::test]
    async fn a_bundled_type_needs_no_network() {
        let (_taken, closed) = closed_port();
        let registry = TypeRegistry::new(&connection(&closed), &http());
        let schema = registry.schema("AWS::SQS::Queue").await.unwrap().unwrap();
        assert_eq!(schema.type_name(), "AWS::SQS::Queue");
        assert!(Arc::ptr_eq(
            &schema,
            &registry.schema("AWS::SQS::Queue").await.unwrap().unwrap()
        ));
    }

    #[tokio::test]
    async fn another_type_is_described_once() {
        let server = Server::answering([(200, &found())]).await;
        let registry = TypeRegistry::new(&server.connection(), &http());
        let (first, second) = tokio::join!(registry.schema(ORDER), registry.schema(ORDER));
        let (first, second) = (first.unwrap().unwrap(), second.unwrap().unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.type_name(), ORDER);
        let seen = server.seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(
            seen[0].text(),
            "Action=DescribeType&Version=2010-05-15&Type=RESOURCE&TypeName=Acme%3A%3AOrders%3A%3AOrder"
        );
    }

    #[tokio::test]
    async fn a_type_that_is_not_there_is_none_until_it_is() {
        let missing = error("TypeNotFoundException");
        let server = Server::answering([(404, &missing), (200, &found())]).await;
        let registry = TypeRegistry::new(&server.connection(), &http());
        assert!(registry.schema(ORDER).await.unwrap().is_none());
        assert!(registry.schema(ORDER).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_failure_is_an_error_and_not_remembered() {
        let server = Server::answering([
            (403, &error("AccessDenied")),
            (
                200,
                "<DescribeTypeResponse><DescribeTypeResult/></DescribeTypeResponse>",
            ),
            (200, &found()),
        ])
        .await;
        let registry = TypeRegistry::new(&server.connection(), &http());
        let messages = [
            "the schema of Acme::Orders::Order could not be fetched: AccessDenied: because",
            "the schema of Acme::Orders::Order could not be fetched: the registry has none",
        ];
        for message in messages {
            assert_eq!(registry.schema(ORDER).await.unwrap_err().to_string(), message);
        }
        assert!(registry.schema(ORDER).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn throttling_is_waited_out() {
        let server = Server::answering([(400, &error("Throttling")), (200, &found())]).await;
        let registry = TypeRegistry::new(&server.connection(), &http());
        assert!(registry.schema(ORDER).await.unwrap().is_some());
        assert_eq!(server.seen().len(), 2);
    }
}
