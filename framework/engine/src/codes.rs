//! The registry of what else is found once the types of resources are known: codes of the engine, and the
//! keywords of the schemas that values are fitted to.

use formwork_blueprint::codes::Code;

/// A resource type that does not exist.
pub const UNKNOWN_TYPE: &str = "unknown-type";
/// A resource type that nothing can create.
pub const UNSUPPORTED_TYPE: &str = "unsupported-type";
/// An export is asked for that the blueprint does not have.
pub const UNKNOWN_EXPORT: &str = "unknown-export";
/// A part of the language that this version does not deploy.
pub const NOT_DEPLOYABLE_YET: &str = "not-deployable-yet";

/// Every code, in reading order. Each example is the part of a blueprint that matters.
pub const ALL: &[Code] = &[
    code(
        UNKNOWN_TYPE,
        "a resource type that does not exist",
        "resources: {queue: {type: aws/sqs/queu}}",
        "Correct the type. `formwork types` lists what there is.",
    ),
    code(
        UNSUPPORTED_TYPE,
        "a resource type that nothing can create",
        "resources: {group: {type: aws/dax/parameter-group}}",
        "Use another type, or create the resource elsewhere and give its name in a variable.",
    ),
    code(
        UNKNOWN_EXPORT,
        "an export is asked for that the blueprint does not have",
        "resources: {queue: {type: aws/sqs/queue}}\nexports: {arn: {type: string, field: queue.state.arn}}",
        "Correct the name in `Exports`, or declare the export.",
    ),
    code(
        NOT_DEPLOYABLE_YET,
        "a part of the language that this version does not deploy",
        "include: {core: {path: core.yaml}}",
        "Remove it to deploy the rest. The blueprint is valid, so this is a warning of `formwork validate` and an \
         error of a deployment.",
    ),
    code(
        "additionalProperties",
        "a property that the type does not have",
        "resources: {queue: {type: aws/sqs/queue, spec: {queuName: orders}}}",
        "Correct the name. `formwork types` lists what a type has.",
    ),
    code(
        "duplicate",
        "a property is given twice, in two spellings",
        "resources: {queue: {type: aws/sqs/queue, spec: {queueName: orders, QueueName: orders}}}",
        "Remove one of them.",
    ),
    code(
        "readOnly",
        "a property that only the service sets",
        "resources: {queue: {type: aws/sqs/queue, spec: {arn: 'arn:aws:sqs:eu-west-1:123456789012:orders'}}}",
        "Remove it; what it becomes is `${resources.name.state.property}`.",
    ),
    code(
        "required",
        "a property that the type needs is not there",
        "resources: {subscription: {type: aws/sns/subscription, spec: {topicArn: 'arn:aws:sns:eu-west-1:123456789012:orders'}}}",
        "Add it.",
    ),
    code(
        "dependencies",
        "a property that another one needs is not there",
        "resources:\n  orders:\n    type: aws/dynamodb/table\n    spec:\n      keySchema: [{attributeName: id, keyType: HASH}]\n      pointInTimeRecoverySpecification: {recoveryPeriodInDays: 7}",
        "Add it, or remove the one that needs it.",
    ),
    code(
        "type",
        "a value of another type than the property's",
        "resources: {queue: {type: aws/sqs/queue, spec: {delaySeconds: soon}}}",
        "Write a value of that type. Text that reads as a number or a boolean is taken for one.",
    ),
    code(
        "enum",
        "a value that is not among those of the property",
        "resources: {access: {type: aws/s3/bucket, spec: {abacStatus: 'on'}}}",
        "Choose one of them; they count letter by letter.",
    ),
    code(
        "const",
        "a value other than the only one that the property can have",
        "resources: {bucket: {type: aws/s3/bucket, spec: {objectLockConfiguration: {objectLockEnabled: true}}}}",
        "Write that value, or remove the property.",
    ),
    code(
        "pattern",
        "a text of the wrong form",
        "resources: {group: {type: aws/logs/log-group, spec: {logGroupName: 'orders?'}}}",
        "Write a text that the regular expression matches.",
    ),
    code(
        "minLength",
        "a text that is too short",
        "resources: {access: {type: aws/s3/access-point, spec: {bucket: b}}}",
        "Write a longer one.",
    ),
    code(
        "maxLength",
        "a text that is too long",
        "resources: {access: {type: aws/s3/access-point, spec: {bucket: «x×300»}}}",
        "Write a shorter one.",
    ),
    code(
        "minimum",
        "a number that is too small",
        "resources:\n  config:\n    type: aws/lambda/event-invoke-config\n    spec: {functionName: save, qualifier: live, maximumEventAgeInSeconds: 5}",
        "Write a larger one.",
    ),
    code(
        "maximum",
        "a number that is too large",
        "resources:\n  config:\n    type: aws/lambda/event-invoke-config\n    spec: {functionName: save, qualifier: live, maximumRetryAttempts: 5}",
        "Write a smaller one.",
    ),
    code(
        "exclusiveMaximum",
        "a number that is not below a bound",
        "resources:\n  stock:\n    type: aws/connect/data-table-attribute\n    spec:\n      instanceArn: 'arn:aws:connect:eu-west-1:123456789012:instance/a'\n      dataTableArn: 'arn:aws:connect:eu-west-1:123456789012:instance/a/data-table/b'\n      name: stock\n      valueType: NUMBER_LIST\n      validation: {maxValues: 100}",
        "Write a smaller one.",
    ),
    code(
        "multipleOf",
        "a number that is no multiple",
        "resources:\n  logs:\n    type: aws/cloudfront/realtime-log-config\n    spec: {name: logs, fields: [timestamp], samplingRate: 1.5, endPoints: [{streamType: Kinesis, kinesisStreamConfig: {roleArn: a, streamArn: b}}]}",
        "Write a multiple of it.",
    ),
    code(
        "minItems",
        "a list that is too short",
        "resources:\n  save:\n    type: aws/lambda/function\n    spec: {code: {zipFile: x}, role: 'arn:aws:iam::123456789012:role/save', architectures: []}",
        "Add elements, or remove the property.",
    ),
    code(
        "maxItems",
        "a list that is too long",
        "resources:\n  save:\n    type: aws/lambda/function\n    spec: {code: {zipFile: x}, role: 'arn:aws:iam::123456789012:role/save', architectures: [arm64, x86_64]}",
        "Remove elements.",
    ),
    code(
        "uniqueItems",
        "a list that has an element twice",
        "resources: {gateway: {type: aws/ec2/nat-gateway, spec: {secondaryAllocationIds: [eipalloc-1, eipalloc-1]}}}",
        "Remove one of the two.",
    ),
    code(
        "minProperties",
        "a map with too few entries",
        "resources:\n  group:\n    type: aws/s3/storage-lens-group\n    spec: {name: logs, filter: {and: {matchAnyPrefix: [logs]}}}",
        "Add entries, or remove the property.",
    ),
    code(
        "maxProperties",
        "a map with too many entries",
        "resources:\n  action:\n    type: aws/sagemaker/action\n    spec:\n      actionName: a\n      actionType: b\n      source: {sourceUri: c}\n      properties: {a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x, j: x, k: x, l: x, m: x, n: x, o: x, p: x, q: x, r: x, s: x, t: x, u: x, v: x, w: x, x: x, y: x, z: x, aa: x, bb: x, cc: x, dd: x, ee: x}",
        "Remove entries.",
    ),
    code(
        "anyOf",
        "a value that fits none of several forms",
        "resources: {volume: {type: aws/ec2/volume, spec: {size: 8}}}",
        "Write one of the forms; the type's documentation shows them.",
    ),
    code(
        "oneOf",
        "a value that fits none of several forms, or more than one of them",
        "resources:\n  policy:\n    type: aws/s3vectors/vector-bucket-policy\n    spec: {policy: {}, vectorBucketName: orders, vectorBucketArn: x}",
        "Write one of the forms; the type's documentation shows them.",
    ),
];

const fn code(
    name: &'static str,
    explanation: &'static str,
    example: &'static str,
    advice: &'static str,
) -> Code {
    Code {
        name,
        explanation,
        advice,
        example,
        run: None,
    }
}
