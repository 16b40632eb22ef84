//! Replacements against the sandbox, through the real AWS SDK: what is called in which order, and what is left.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use formwork_aws::{
    CloudControl, Connection, Credentials, Http, ObjectStates, SystemClock, TypeRegistry, open_store,
};
use formwork_blueprint::Source;
use formwork_engine::ports::Clock;
use formwork_engine::{
    Action, Adapters, Advance, Engine, Goal, Limits, NoObserver, Order, Outcome, Sequence, Target,
};
use formwork_sandbox::{Call, Fault, Options, Sandbox};
use jiff::SignedDuration;
use std::sync::Arc;

const INSTANCE: &str = "cli/orders/orders";

struct World {
    sandbox: Sandbox,
    engine: Engine,
}

impl World {
    async fn new() -> Self {
        let sandbox = Sandbox::start(Options::default()).await.unwrap();
        let connection = Connection::new("eu-west-1", Credentials::keys("sandbox", "sandbox", None))
            .with_endpoint(sandbox.endpoint());
        let http = Http::new().unwrap();
        let adapters = Adapters {
            cloud: Arc::new(CloudControl::new(&connection, &http)),
            store: Arc::new(ObjectStates::new(
                open_store("s3://state/formwork", &connection, &http).unwrap(),
            )),
            schemas: Arc::new(TypeRegistry::new(&connection, &http)),
            clock: Arc::new(SystemClock),
            observer: Arc::new(NoObserver),
        };
        let limits = Limits {
            requests_per_second: 1_000,
            ..Limits::default()
        };
        World {
            engine: Engine::new(adapters, limits),
            sandbox,
        }
    }

    async fn deploy(&self, cause: &str, text: &str) -> Outcome {
        let target = Target::new(Source::new("orders.yaml", text));
        self.carry_out(cause, Goal::Deploy(target)).await
    }

    async fn carry_out(&self, cause: &str, goal: Goal) -> Outcome {
        let deadline = SystemClock.now() + SignedDuration::from_mins(5);
        let order = Order {
            cause: cause.into(),
            issued: None,
            deadline,
            salt: "5a17".into(),
            goal,
        };
        let generation = self.engine.begin(INSTANCE, order).await.unwrap();
        loop {
            match self.engine.advance(INSTANCE, generation, deadline).await.unwrap() {
                Advance::Again { after } => tokio::time::sleep(after).await,
                Advance::Done(outcome) => {
                    self.engine.settle(INSTANCE, generation).await.unwrap();
                    return outcome;
                }
                Advance::Superseded => panic!("nobody else gives orders here"),
            }
        }
    }

    /// Mutating calls since, those of one kind in a row as one.
    fn called(&self, since: usize) -> Vec<String> {
        let mut calls: Vec<String> = self.sandbox.requests()[since..]
            .iter()
            .filter(|call| {
                matches!(
                    call.call,
                    Call::CreateResource | Call::UpdateResource | Call::DeleteResource
                )
            })
            .map(|call| format!("{} {}", call.call.name().replace("Resource", ""), call.subject))
            .collect();
        calls.dedup();
        calls
    }

    fn identifiers(&self) -> Vec<String> {
        let mut found: Vec<String> = self
            .sandbox
            .resources()
            .into_iter()
            .map(|found| found.identifier)
            .collect();
        found.sort();
        found
    }
}

/// A resource, and a parameter that has its identifier as its value.
fn pair(type_name: &str, spec: &str) -> String {
    format!(
        "version: 2023-04-20\nresources:\n  it:\n    type: {type_name}\n    spec: {spec}\n  parameter:\n    type: aws/ssm/parameter\n    spec:\n      name: /it\n      type: String\n      value: ${{it}}\n"
    )
}

#[tokio::test]
async fn every_order_of_replacement_and_the_way_back() {
    let cases = [
        // Another name, and a name that the service makes up.
        (
            "aws/logs/logGroup",
            "AWS::Logs::LogGroup",
            "{logGroupName: a}",
            "{logGroupName: b}",
            Sequence::CreateFirst,
        ),
        (
            "aws/ec2/vpc",
            "AWS::EC2::VPC",
            "{cidrBlock: 10.0.0.0/16}",
            "{cidrBlock: 10.1.0.0/16}",
            Sequence::CreateFirst,
        ),
        // A name that stays and is the identifier, one that is not, and a type that asks for it.
        (
            "aws/ecr/repository",
            "AWS::ECR::Repository",
            "{repositoryName: orders, encryptionConfiguration: {encryptionType: AES256}}",
            "{repositoryName: orders, encryptionConfiguration: {encryptionType: KMS}}",
            Sequence::DeleteFirst,
        ),
        (
            "aws/sns/topic",
            "AWS::SNS::Topic",
            "{topicName: t.fifo, fifoTopic: false}",
            "{topicName: t.fifo, fifoTopic: true}",
            Sequence::DeleteFirst,
        ),
        (
            "aws/wisdom/knowledgeBase",
            "AWS::Wisdom::KnowledgeBase",
            "{name: k, knowledgeBaseType: CUSTOM}",
            "{name: l, knowledgeBaseType: CUSTOM}",
            Sequence::DeleteFirst,
        ),
    ];
    for (notation, type_name, before, after, sequence) in cases {
        let world = World::new().await;
        let (before, after) = (pair(notation, before), pair(notation, after));
        let created = world.deploy("create", &before).await;
        assert!(created.succeeded, "{notation}: {:?}", created.failures);
        let target = Target::new(Source::new("orders.yaml", after.as_str()));
        let plan = world.engine.plan(INSTANCE, &target).await.unwrap();
        assert_eq!(
            (plan.changes[0].action, plan.changes[0].sequence),
            (Action::Replace, Some(sequence)),
            "{notation}"
        );

        let since = world.sandbox.requests().len();
        let updated = world.deploy("update", &after).await;
        assert!(
            updated.succeeded && updated.failures.is_empty(),
            "{notation}: {:?}",
            updated.failures
        );
        let (create, delete) = (format!("Create {type_name}"), format!("Delete {type_name}"));
        let parameter = "Update AWS::SSM::Parameter".to_owned();
        let same_identifier = updated.resources[1].action == Action::Unchanged;
        let mut expected = match sequence {
            Sequence::CreateFirst => vec![create, parameter, delete],
            Sequence::DeleteFirst => vec![delete, create, parameter],
        };
        if same_identifier {
            expected.retain(|call| !call.ends_with("Parameter"));
        }
        assert_eq!(world.called(since), expected, "{notation}");
        assert_eq!(world.identifiers().len(), 2, "{notation}");

        let back = world.deploy("rollback", &before).await;
        assert!(
            back.succeeded && back.failures.is_empty(),
            "{notation}: {:?}",
            back.failures
        );
        assert_eq!(world.identifiers().len(), 2, "{notation}: nothing is orphaned");
        assert!(
            world
                .carry_out("delete", Goal::Destroy { retain: false })
                .await
                .succeeded
        );
        assert!(world.identifiers().is_empty(), "{notation}");
        world.sandbox.stop().await;
    }
}

#[tokio::test]
async fn a_refused_update_replaces_and_a_leftover_is_deleted_by_the_next_deployment() {
    let world = World::new().await;
    let vpc = |tenancy: &str| {
        pair(
            "aws/ec2/vpc",
            &format!("{{cidrBlock: 10.0.0.0/16, instanceTenancy: {tenancy}}}"),
        )
    };
    assert!(world.deploy("create", &vpc("dedicated")).await.succeeded);
    let of_vpcs = |fault: Fault| world.sandbox.fault(fault.of_type("AWS::EC2::VPC").times(1));
    of_vpcs(Fault::refuse("NotUpdatableException", "tenancy cannot be changed").on(Call::UpdateResource));
    of_vpcs(Fault::fail("AccessDenied", "not allowed").on(Call::DeleteResource));
    let since = world.sandbox.requests().len();
    let updated = world.deploy("update", &vpc("default")).await;
    assert!(updated.succeeded, "{:?}", updated.failures);
    assert_eq!(
        world.called(since),
        [
            "Update AWS::EC2::VPC",
            "Create AWS::EC2::VPC",
            "Update AWS::SSM::Parameter",
            "Delete AWS::EC2::VPC"
        ]
    );
    assert!(
        updated.failures.len() == 1 && updated.failures[0].leftover,
        "{:?}",
        updated.failures
    );
    assert_eq!(
        world.identifiers().len(),
        3,
        "the old one is still there, and known"
    );
    let again = world.deploy("again", &vpc("default")).await;
    assert!(
        again.succeeded && again.failures.is_empty(),
        "{:?}",
        again.failures
    );
    assert_eq!(world.identifiers().len(), 2);
}
