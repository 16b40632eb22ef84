//! Real resource types, by their official schemas.

mod world;

use async_trait::async_trait;
use formwork_blueprint::Source;
use formwork_engine::ports::{Clock, SchemaSource, SchemaSourceError};
use formwork_engine::{Adapters, Engine, EngineError, Goal, Limits, NoObserver, Target};
use formwork_schema::ResourceSchema;
use std::sync::Arc;
use world::{INSTANCE, World};

struct Bundle;

#[async_trait]
impl SchemaSource for Bundle {
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError> {
        let failed = |error: formwork_schema::SchemaError| SchemaSourceError {
            type_name: error.type_name,
            message: error.message,
        };
        Ok(formwork_schema::load(type_name).map_err(failed)?.map(Arc::new))
    }
}

const ORDERS: &str = r#"
version: 2023-04-20
variables:
  stage:
    type: string
    default: test
resources:
  deadLetters:
    type: aws/sqs/queue
    spec:
      messageRetentionPeriod: "1209600"
  queue:
    type: aws/sqs/queue
    spec:
      visibilityTimeout: "120"
      redrivePolicy:
        deadLetterTargetArn: ${resources.deadLetters.state.arn}
        maxReceiveCount: 5
  table:
    type: aws/dynamodb/table
    spec:
      tableName: orders-${variables.stage}
      billingMode: PAY_PER_REQUEST
      keySchema:
        - attributeName: id
          keyType: HASH
      attributeDefinitions:
        - attributeName: id
          attributeType: S
  logs:
    type: AWS::Logs::LogGroup
    spec:
      logGroupName: /orders/${resources.table.spec.tableName}
      retentionInDays: "14"
exports:
  queueArn:
    type: string
    field: resources.queue.state.arn
  tableName:
    type: string
    field: resources.table.spec.tableName
"#;

fn engine(world: &World) -> Engine {
    let adapters = Adapters {
        cloud: world.cloud.clone(),
        store: world.store.clone(),
        schemas: Arc::new(Bundle),
        clock: Arc::new(world.clock.clone()),
        observer: Arc::new(NoObserver),
    };
    Engine::new(adapters, Limits::default())
}

#[tokio::test(start_paused = true)]
async fn an_orders_system_is_deployed_with_names_and_types_as_the_schemas_have_them() {
    let world = World::new();
    let engine = engine(&world);
    let mut target = Target::new(Source::new("orders.yaml", ORDERS));
    target.tags.insert("team".into(), "orders".into());
    let generation = engine
        .begin(INSTANCE, world.order("create", Goal::Deploy(target)))
        .await
        .unwrap();
    let outcome = world.finish(&engine, generation).await;
    assert!(outcome.succeeded, "{:?}", outcome.failures);
    assert_eq!(outcome.exports["tableName"].to_json(), "orders-test");
    let resources = world.cloud.resources();
    let model = |kind: &str, part: &str| {
        let found = resources
            .iter()
            .find(|(type_name, _, model)| type_name == kind && model.to_string().contains(part));
        found.map(|(_, _, model)| model.clone()).unwrap()
    };
    let queue = model("AWS::SQS::Queue", "RedrivePolicy");
    assert_eq!(queue["VisibilityTimeout"], 120);
    assert!(
        queue["RedrivePolicy"].to_string().contains("arn:fake:made-"),
        "{queue}"
    );
    assert_eq!(
        queue["Tags"],
        serde_json::json!([{"Key": "team", "Value": "orders"}])
    );
    let logs = model("AWS::Logs::LogGroup", "");
    assert_eq!(
        (&logs["LogGroupName"], &logs["RetentionInDays"]),
        (&"/orders/orders-test".into(), &14.into())
    );
}

#[tokio::test(start_paused = true)]
async fn every_misspelling_is_found_at_once_with_a_suggestion() {
    let text = ORDERS
        .replace("aws/dynamodb/table", "aws/dynamodb/tabel")
        .replace("visibilityTimeout", "visibilityTimeot")
        .replace("deadLetters.state.arn", "deadLetters.state.urn")
        .replace("\"14\"", "fortnight");
    let world = World::new();
    let target = Target::new(Source::new("orders.yaml", text));
    let error = engine(&world).check(&target).await.unwrap_err();
    let EngineError::Invalid { problems } = error else {
        panic!("{error}")
    };
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 4, "{shown:#?}");
    for (problem, suggestion) in shown
        .iter()
        .zip(["isibilityTimeout`", "rn`", "table`", "integer"])
    {
        assert!(problem.contains(suggestion), "{problem}");
    }
    assert!(world.clock.now() <= world.soon(0));
}

/// That a secret does not fit must be said; its size, its kind and its keys are its own.
#[tokio::test(start_paused = true)]
async fn how_a_secret_does_not_fit_is_said_in_words_that_hold_for_any() {
    let text = r#"
version: 2023-04-20
variables:
  short: {type: string, secret: true}
  document: {type: string, secret: true}
resources:
  database:
    type: aws/rds/dbInstance
    spec:
      dbInstanceIdentifier: ${variables.short}
  service:
    type: aws/ecs/service
    spec:
      deploymentConfiguration: ${jsondecode(variables.document)}
      schedulingStrategy: ${variables.short}
      desiredCount: ${variables.short}
"#;
    let secrets = [
        (
            "hunter2".repeat(10),
            r#"{"hunter2": 1, "maximumPercent": "none"}"#,
        ),
        (
            "correct-horse".repeat(30),
            r#"{"horse": 1, "battery": 2, "alarms": {"staple": 3}}"#,
        ),
    ];
    let world = World::new();
    let mut told = Vec::new();
    for (short, document) in secrets {
        let mut target = Target::new(Source::new("shop.yaml", text));
        target.variables.insert("short".into(), short.as_str().into());
        target.variables.insert("document".into(), document.into());
        let EngineError::Invalid { problems } = engine(&world).check(&target).await.unwrap_err() else {
            panic!("it is found before anything is deployed")
        };
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        told.push(problems.join("\n"));
    }
    for part in [
        "`dbInstanceIdentifier`: this secret value does not fit: expected at most 63 characters",
        "`deploymentConfiguration`: something in this secret value does not fit: expected only properties that",
        "`schedulingStrategy`: this secret value does not fit: expected one of `DAEMON`, `REPLICA`",
    ] {
        assert!(told.iter().all(|told| told.contains(part)), "{part}: {told:#?}");
    }
    for part in ["hunter2", "horse", "battery", "staple", "found"] {
        assert!(told.iter().all(|told| !told.contains(part)), "{part}: {told:#?}");
    }
}
