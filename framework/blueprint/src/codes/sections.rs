//! Codes about sections, fields and types.

super::codes! { SECTIONS:
    UNKNOWN_KEY = "unknown-key", "a key that its section does not have", "resources: {queue: {type: aws/sqs/queue, spce: {}}}";
    MISSING_KEY = "missing-key", "a key that its section needs is not there", "resources: {queue: {spec: {}}}";
    WRONG_SHAPE = "wrong-shape", "a map, a list or a scalar where something else is expected", "variables: [a]";
    INVALID_NAME = "invalid-name", "a name that cannot be referred to", "variables: {my name: {type: string}}";
    UNSUPPORTED_VERSION = "unsupported-version", "a version of the language that is not supported", "version: 2021-01-01";
    UNKNOWN_TRANSFORM = "unknown-transform", "a transform that does not exist", "transform: celerity";
    DUPLICATE_TRANSFORM = "duplicate-transform", "a transform is listed twice", "transform: [a, a]";
    MISSING_RESOURCES = "missing-resources", "a blueprint without resources and without `include`",
        "version: 2023-04-20";
    UNKNOWN_VARIABLE_TYPE = "unknown-variable-type", "a variable type that does not exist",
        "variables: {size: {type: strin}}";
    UNKNOWN_LABEL = "unknown-label", "a value that is no label of its variable's custom type",
        "variables: {region: {type: aws/region, default: eu-west-11}}",
        "choose one of the labels; an enumeration has no other values";
    BOOLEAN_ALLOWED_VALUES = "boolean-allowed-values", "allowed values of a boolean variable",
        "variables: {on: {type: boolean, allowedValues: [true]}}";
    EMPTY_ALLOWED_VALUES = "empty-allowed-values", "an empty list of allowed values",
        "variables: {size: {type: string, allowedValues: []}}";
    VARIABLE_DEFAULT_TYPE = "variable-default-type", "a default or an allowed value of another type than the variable's",
        "variables: {size: {type: integer, default: large}}";
    DEFAULT_NOT_ALLOWED = "default-not-allowed", "a default that is not among the allowed values",
        "variables: {size: {type: string, allowedValues: [s, m], default: l}}";
    INVALID_RESOURCE_TYPE = "invalid-resource-type", "a resource type of the wrong form",
        "resources: {queue: {type: queue}}";
    EMPTY_LINK_SELECTOR = "empty-link-selector", "a link selector without labels",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {}}}}";
    NOTHING_SELECTED = "nothing-selected", "a link selector that no other resource matches",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {app: orders}}}}";
    TOO_MANY_LINKS = "too-many-links", "link selectors make more links than allowed", "";
    INVALID_FIELD_PATH = "invalid-field-path", "a path into a data source that cannot be read",
        "datasources: {network: {type: aws/vpc, filter: {field: 'tags..a', operator: '=', search: b}, exports: {}}}";
    INVALID_DATA_SOURCE_TYPE = "invalid-data-source-type", "a data source type of the wrong form",
        "datasources: {network: {type: vpc, filter: {field: a, operator: '=', search: b}, exports: {}}}";
    UNKNOWN_OPERATOR = "unknown-operator", "a filter operator that does not exist",
        "datasources: {network: {type: aws/vpc, filter: {field: a, operator: has, search: b}, exports: {}}}";
    EMPTY_PATH = "empty-path", "an include without a path", "include: {core: {path: ''}}";
    UNKNOWN_EXPORT_TYPE = "unknown-export-type", "an export type that does not exist",
        "exports: {url: {type: text, field: queue}}";
    EXPORT_TYPE_MISMATCH = "export-type-mismatch", "an export declared with another type than it has",
        "variables: {n: {type: integer}}\nexports: {n: {type: array, field: variables.n}}";
    CLOUDFORMATION_SYNTAX = "cloudformation-syntax", "an intrinsic function of CloudFormation",
        "resources: {queue: {type: aws/sqs/queue, spec: {queueName: {Ref: name}}}}";
}
