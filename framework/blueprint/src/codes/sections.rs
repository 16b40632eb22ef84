//! Codes about sections, fields and types.

super::codes! { SECTIONS:
    UNKNOWN_KEY = "unknown-key", "a key that its section does not have",
        "resources: {queue: {type: aws/sqs/queue, spce: {}}}",
        "Correct the spelling. Keys of another tool lead to what a blueprint has instead.";
    MISSING_KEY = "missing-key", "a key that its section needs is not there",
        "resources: {queue: {spec: {}}}",
        "Add what is missing.";
    WRONG_SHAPE = "wrong-shape", "a map, a list or a scalar where something else is expected",
        "resources: {queue: aws/sqs/queue}",
        "Write the form that is expected there: a map has lines `name: value`, a list has lines that begin \
         with `- `.";
    INVALID_NAME = "invalid-name", "a name that cannot be referred to",
        "variables: {my name: {type: string}}",
        "Rename it: names have letters, digits, `_`, `-` and `.`, or no reference could name them.";
    UNSUPPORTED_VERSION = "unsupported-version", "a version of the language that is not supported",
        "version: 2021-01-01\nresources: {queue: {type: aws/sqs/queue}}",
        "Write `version: 2023-04-20`. A document of a later version has to be written for this one.";
    UNKNOWN_TRANSFORM = "unknown-transform", "a transform that does not exist",
        "transform: celerity-2023",
        "Correct the name, or do without it: which transforms there are depends on what deploys the \
         blueprint.";
    DUPLICATE_TRANSFORM = "duplicate-transform", "a transform is listed twice",
        "transform: [celerity-2023-04-20, celerity-2023-04-20]",
        "Remove one of the two: a transform is applied once.";
    MISSING_RESOURCES = "missing-resources", "a blueprint without resources and without `include`",
        "version: 2023-04-20",
        "Declare at least one resource, or include a blueprint that has some.";
    UNKNOWN_VARIABLE_TYPE = "unknown-variable-type", "a variable type that does not exist",
        "variables: {size: {type: strin}}",
        "Use `string`, `integer`, `float`, `boolean` or one of the custom types. Lists and maps come in as \
         JSON in a `string`.";
    UNKNOWN_LABEL = "unknown-label", "a value that is no label of its variable's custom type",
        "variables: {region: {type: aws/region, default: eu-west-11}}",
        "Choose one of the type's labels.";
    BOOLEAN_ALLOWED_VALUES = "boolean-allowed-values", "allowed values of a boolean variable",
        "variables: {on: {type: boolean, allowedValues: [true]}}",
        "Remove the list: a boolean has two values anyway.";
    EMPTY_ALLOWED_VALUES = "empty-allowed-values", "an empty list of allowed values",
        "variables: {size: {type: string, allowedValues: []}}",
        "List what is allowed, or remove the key.";
    VARIABLE_DEFAULT_TYPE = "variable-default-type", "a default or an allowed value of another type than the variable's",
        "variables: {size: {type: integer, default: large}}",
        "Write a value of the variable's type. Quotes make a string, and their absence may make a number.";
    DEFAULT_NOT_ALLOWED = "default-not-allowed", "a default that is not among the allowed values",
        "variables: {size: {type: string, allowedValues: [s, m], default: l}}",
        "Choose a default from the list, or add it there.";
    INVALID_RESOURCE_TYPE = "invalid-resource-type", "a resource type of the wrong form",
        "resources: {queue: {type: queue}}",
        "Write `provider/service/resource`, such as `aws/sqs/queue`; CloudFormation's `AWS::SQS::Queue` is \
         understood as well.";
    EMPTY_LINK_SELECTOR = "empty-link-selector", "a link selector without labels",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {}}}}",
        "Name the labels that the resources to link to have.";
    NOTHING_SELECTED = "nothing-selected", "a link selector that no other resource matches",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {app: orders}}}}",
        "Give a resource all of these labels, or remove the selector: it links to nothing.";
    LINK_CYCLE = "link-cycle", "links lead back to where they start, by themselves or together with references",
        "resources:\n  user: {type: aws/sqs/queue, linkSelector: {byLabel: {app: orders}}}\n  table: {type: aws/sqs/queue, metadata: {labels: {app: orders}}, spec: {name: \"${user}\"}}",
        "A link says that one resource makes use of another, so it waits for it, as for one that it refers to. Give \
         the selector a further label, or do without the reference. Links alone in a circle are a warning: they give \
         no order.";
    TOO_MANY_LINKS = "too-many-links", "link selectors make more links than allowed",
        "resources: {«q#: {type: aws/sqs/queue, metadata: {labels: {a: b}}, linkSelector: {byLabel: {a: b}}}, ×400»}",
        "Use labels that fewer resources have.";
    INVALID_FIELD_PATH = "invalid-field-path", "a path into a data source that cannot be read",
        "datasources: {network: {type: aws/vpc, filter: {field: 'tags..a', operator: '=', search: b}, exports: {}}}",
        "Write a path such as `vpcId`, `metadata.name`, `subnets[0].zone` or `tags[\"aws:name\"]`.";
    INVALID_DATA_SOURCE_TYPE = "invalid-data-source-type", "a data source type of the wrong form",
        "datasources: {network: {type: vpc, filter: {field: a, operator: '=', search: b}, exports: {a: {type: string}}}}",
        "Write `provider/type`, such as `aws/vpc`.";
    UNKNOWN_OPERATOR = "unknown-operator", "a filter operator that does not exist",
        "datasources: {network: {type: aws/vpc, filter: {field: a, operator: has, search: b}, exports: {a: {type: string}}}}",
        "Choose one of the twelve operators; they are listed in docs/language.md.";
    SEARCH_TYPE = "search-type", "a search value that its filter's operator does not take",
        "datasources: {network: {type: aws/vpc, filter: {field: a, operator: in, search: b}, exports: {}}}",
        "`in` takes a list, `has key`, `starts with` and `ends with` take a string, `contains` a scalar, `=` a scalar \
         or a list; all items of a list have one type.";
    EMPTY_PATH = "empty-path", "an include without a path",
        "include: {core: {path: ''}}",
        "Say where the child blueprint is.";
    UNKNOWN_EXPORT_TYPE = "unknown-export-type", "an export type that does not exist",
        "exports: {url: {type: text, field: queue}}",
        "Use `string`, `object`, `integer`, `float`, `array` or `boolean`.";
    EXPORT_TYPE_MISMATCH = "export-type-mismatch", "an export declared with another type than it has",
        "variables: {n: {type: integer}}\nexports: {n: {type: array, field: variables.n}}",
        "Declare the type that the field has.";
    CLOUDFORMATION_SYNTAX = "cloudformation-syntax", "an intrinsic function of CloudFormation",
        "resources: {queue: {type: aws/sqs/queue, spec: {queueName: {Ref: name}}}}",
        "Write a substitution: `${variables.name}` for a parameter, `${resources.name.state.field}` for an \
         attribute, and any text around them.";
}
