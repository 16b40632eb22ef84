//! How the services people use most build their names, ARNs, ids and URLs.

use super::model::scalar;
use formwork_schema::ResourceSchema;
use serde_json::{Map, Value};

/// One property a service fills in.
pub(crate) struct Template {
    pub(crate) property: &'static str,
    pub(crate) template: &'static str,
    /// Only if this property is there; always if empty.
    pub(crate) needs: &'static str,
}

const fn set(property: &'static str, template: &'static str) -> Template {
    Template {
        property,
        template,
        needs: "",
    }
}

const fn with(needs: &'static str, property: &'static str, template: &'static str) -> Template {
    Template {
        property,
        template,
        needs,
    }
}

/// The templates of a type, in the order they build on each other.
pub(crate) fn of(type_name: &str) -> &'static [Template] {
    TYPES
        .iter()
        .find(|(name, _)| *name == type_name)
        .map_or(&[], |(_, templates)| templates)
}

/// True for what is there only under a condition that a template states.
pub(crate) fn only_when_needed(type_name: &str, property: &str) -> bool {
    of(type_name)
        .iter()
        .any(|template| template.property == property && !template.needs.is_empty())
}

type Types = &'static [(&'static str, &'static [Template])];

const TYPES: Types = &[
    (
        "AWS::SQS::Queue",
        &[
            set("Arn", "arn:aws:sqs:{region}:{account}:{QueueName}"),
            set(
                "QueueUrl",
                "https://sqs.{region}.amazonaws.com/{account}/{QueueName}",
            ),
        ],
    ),
    (
        "AWS::SNS::Topic",
        &[set("TopicArn", "arn:aws:sns:{region}:{account}:{TopicName}")],
    ),
    ("AWS::SNS::Subscription", &[set("Arn", "{TopicArn}:{uuid}")]),
    (
        "AWS::Lambda::Function",
        &[set(
            "Arn",
            "arn:aws:lambda:{region}:{account}:function:{FunctionName}",
        )],
    ),
    (
        "AWS::Lambda::EventSourceMapping",
        &[
            set("Id", "{uuid}"),
            set(
                "EventSourceMappingArn",
                "arn:aws:lambda:{region}:{account}:event-source-mapping:{Id}",
            ),
        ],
    ),
    ("AWS::Lambda::Permission", &[set("Id", "permission-{uuid}")]),
    (
        "AWS::Lambda::LayerVersion",
        &[set(
            "LayerVersionArn",
            "arn:aws:lambda:{region}:{account}:layer:{LayerName}:1",
        )],
    ),
    (
        "AWS::IAM::Role",
        &[
            set("Arn", "arn:aws:iam::{account}:role{Path:/}{RoleName}"),
            set("RoleId", "AROA{ID17}"),
        ],
    ),
    (
        "AWS::IAM::User",
        &[set("Arn", "arn:aws:iam::{account}:user{Path:/}{UserName}")],
    ),
    (
        "AWS::IAM::Group",
        &[set("Arn", "arn:aws:iam::{account}:group{Path:/}{GroupName}")],
    ),
    (
        "AWS::IAM::ManagedPolicy",
        &[
            set(
                "PolicyArn",
                "arn:aws:iam::{account}:policy{Path:/}{ManagedPolicyName}",
            ),
            set("PolicyId", "ANPA{ID17}"),
        ],
    ),
    (
        "AWS::IAM::InstanceProfile",
        &[set(
            "Arn",
            "arn:aws:iam::{account}:instance-profile{Path:/}{InstanceProfileName}",
        )],
    ),
    (
        "AWS::DynamoDB::Table",
        &[
            set("Arn", "arn:aws:dynamodb:{region}:{account}:table/{TableName}"),
            with(
                "StreamSpecification",
                "StreamArn",
                "arn:aws:dynamodb:{region}:{account}:table/{TableName}/stream/{time}",
            ),
        ],
    ),
    (
        "AWS::Logs::LogGroup",
        &[set(
            "Arn",
            "arn:aws:logs:{region}:{account}:log-group:{LogGroupName}:*",
        )],
    ),
    (
        "AWS::Events::Rule",
        &[
            with(
                "EventBusName",
                "Arn",
                "arn:aws:events:{region}:{account}:rule/{EventBusName}/{Name}",
            ),
            set("Arn", "arn:aws:events:{region}:{account}:rule/{Name}"),
        ],
    ),
    (
        "AWS::Events::EventBus",
        &[set("Arn", "arn:aws:events:{region}:{account}:event-bus/{Name}")],
    ),
    (
        "AWS::S3::Bucket",
        &[
            set("Arn", "arn:aws:s3:::{BucketName}"),
            set("DomainName", "{BucketName}.s3.amazonaws.com"),
            set(
                "DualStackDomainName",
                "{BucketName}.s3.dualstack.{region}.amazonaws.com",
            ),
            set("RegionalDomainName", "{BucketName}.s3.{region}.amazonaws.com"),
            set(
                "WebsiteURL",
                "http://{BucketName}.s3-website-{region}.amazonaws.com",
            ),
        ],
    ),
    (
        "AWS::KMS::Key",
        &[
            set("KeyId", "{uuid}"),
            set("Arn", "arn:aws:kms:{region}:{account}:key/{KeyId}"),
        ],
    ),
    (
        "AWS::SSM::Parameter",
        &[set("Arn", "arn:aws:ssm:{region}:{account}:parameter{/Name}")],
    ),
    (
        "AWS::SecretsManager::Secret",
        &[set(
            "Id",
            "arn:aws:secretsmanager:{region}:{account}:secret:{Name}-{id6}",
        )],
    ),
    (
        "AWS::Scheduler::Schedule",
        &[set(
            "Arn",
            "arn:aws:scheduler:{region}:{account}:schedule/{GroupName:default}/{Name}",
        )],
    ),
    (
        "AWS::StepFunctions::StateMachine",
        &[
            set("Name", "{StateMachineName}"),
            set(
                "Arn",
                "arn:aws:states:{region}:{account}:stateMachine:{StateMachineName}",
            ),
            set("StateMachineRevisionId", "{uuid}"),
        ],
    ),
    (
        "AWS::ApiGatewayV2::Api",
        &[
            set("ApiId", "{id10}"),
            set(
                "ApiEndpoint",
                "https://{ApiId}.execute-api.{region}.amazonaws.com",
            ),
        ],
    ),
    (
        "AWS::ApiGateway::RestApi",
        &[set("RestApiId", "{id10}"), set("RootResourceId", "{id10}")],
    ),
    (
        "AWS::CloudWatch::Alarm",
        &[set(
            "Arn",
            "arn:aws:cloudwatch:{region}:{account}:alarm:{AlarmName}",
        )],
    ),
    (
        "AWS::Kinesis::Stream",
        &[set("Arn", "arn:aws:kinesis:{region}:{account}:stream/{Name}")],
    ),
    (
        "AWS::ECR::Repository",
        &[
            set(
                "Arn",
                "arn:aws:ecr:{region}:{account}:repository/{RepositoryName}",
            ),
            set(
                "RepositoryUri",
                "{account}.dkr.ecr.{region}.amazonaws.com/{RepositoryName}",
            ),
        ],
    ),
    (
        "AWS::ECS::Cluster",
        &[set("Arn", "arn:aws:ecs:{region}:{account}:cluster/{ClusterName}")],
    ),
    (
        "AWS::Cognito::UserPool",
        &[
            set("UserPoolId", "{region}_{id10}"),
            set(
                "Arn",
                "arn:aws:cognito-idp:{region}:{account}:userpool/{UserPoolId}",
            ),
            set("ProviderName", "cognito-idp.{region}.amazonaws.com/{UserPoolId}"),
            set(
                "ProviderURL",
                "https://cognito-idp.{region}.amazonaws.com/{UserPoolId}",
            ),
        ],
    ),
    (
        "AWS::CloudFront::Distribution",
        &[set("Id", "E{ID17}"), set("DomainName", "{id10}.cloudfront.net")],
    ),
    (
        "AWS::EC2::EIP",
        &[set("PublicIp", "{ip}"), set("AllocationId", "eipalloc-{hex17}")],
    ),
    (
        "AWS::EC2::SecurityGroup",
        &[set("GroupId", "sg-{hex17}"), set("Id", "{GroupId}")],
    ),
];

/// Physical names that are not the primary identifier themselves.
const NAMES: [(&str, &str); 12] = [
    ("AWS::SQS::Queue", "QueueName"),
    ("AWS::SNS::Topic", "TopicName"),
    ("AWS::Events::Rule", "Name"),
    ("AWS::IAM::ManagedPolicy", "ManagedPolicyName"),
    ("AWS::SecretsManager::Secret", "Name"),
    ("AWS::StepFunctions::StateMachine", "StateMachineName"),
    ("AWS::Kinesis::Stream", "Name"),
    ("AWS::ECR::Repository", "RepositoryName"),
    ("AWS::ECS::Cluster", "ClusterName"),
    ("AWS::EC2::SecurityGroup", "GroupName"),
    ("AWS::CloudWatch::Alarm", "AlarmName"),
    ("AWS::Lambda::LayerVersion", "LayerName"),
];

/// The property holding the name that the service makes up when the author chooses none.
pub(crate) fn name_property(schema: &ResourceSchema) -> Option<String> {
    if let Some((_, property)) = NAMES.iter().find(|(name, _)| *name == schema.type_name()) {
        return Some((*property).to_owned());
    }
    match schema.primary_identifier() {
        [only] if !schema.read_only().contains(only) => match only.segments() {
            [property] => Some(property.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// What an ARN of this resource would end with: its first identifying value that is known.
pub(crate) fn own_id(schema: &ResourceSchema, members: &Map<String, Value>) -> Option<String> {
    schema
        .primary_identifier()
        .iter()
        .filter_map(|pointer| members.get(pointer.segments().first()?).and_then(scalar))
        .find(|text| !text.starts_with("arn:"))
}

/// EC2's prefixes of generated ids.
pub(crate) fn id_prefix(type_name: &str, property: &str) -> Option<&'static str> {
    if !type_name.starts_with("AWS::EC2::") {
        return None;
    }
    const PREFIXES: [(&str, &str); 18] = [
        ("VpcId", "vpc"),
        ("SubnetId", "subnet"),
        ("GroupId", "sg"),
        ("DefaultSecurityGroup", "sg"),
        ("DefaultNetworkAcl", "acl"),
        ("InternetGatewayId", "igw"),
        ("NatGatewayId", "nat"),
        ("RouteTableId", "rtb"),
        ("NetworkAclId", "acl"),
        ("NetworkAclAssociationId", "aclassoc"),
        ("InstanceId", "i"),
        ("VolumeId", "vol"),
        ("AllocationId", "eipalloc"),
        ("NetworkInterfaceId", "eni"),
        ("LaunchTemplateId", "lt"),
        ("VpcEndpointId", "vpce"),
        ("TransitGatewayId", "tgw"),
        ("Id", "ec2"),
    ];
    PREFIXES
        .iter()
        .find(|(name, _)| *name == property)
        .map(|(_, prefix)| *prefix)
}
