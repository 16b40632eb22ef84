//! Codes about what stands in `${...}`.

super::codes! { REFERENCES:
    UNCLOSED_SUBSTITUTION = "unclosed-substitution", "a `${` without its `}`", "metadata: {a: \"${variables.name\"}";
    EMPTY_SUBSTITUTION = "empty-substitution", "nothing between `${` and `}`", "metadata: {a: \"${}\"}";
    UNEXPECTED_IN_SUBSTITUTION = "unexpected-in-substitution", "something that the grammar does not allow there",
        "metadata: {a: \"${AWS::Region}\"}";
    UNCLOSED_STRING = "unclosed-string", "a string literal without its closing quote", "metadata: {a: '${trim(\"x)}'}";
    SUBSTITUTION_TOO_DEEP = "substitution-too-deep", "function calls are nested too deep", "";
    SUBSTITUTION_TOO_LONG = "substitution-too-long", "a substitution is longer than allowed", "";
    INCOMPLETE_REFERENCE = "incomplete-reference", "a reference that stops too early", "metadata: {a: \"${variables}\"}";
    NOT_A_REFERENCE = "not-a-reference", "an export's field that is a function or a literal",
        "exports: {url: {type: string, field: trim(queue)}}";
    UNKNOWN_VARIABLE = "unknown-variable", "a reference to a variable that is not declared",
        "metadata: {a: \"${variables.name}\"}";
    UNKNOWN_RESOURCE = "unknown-resource", "a reference to a resource that is not declared",
        "metadata: {a: \"${topic.state.arn}\"}";
    UNKNOWN_DATA_SOURCE = "unknown-data-source", "a reference to a data source that is not declared",
        "metadata: {a: \"${datasources.network.vpc}\"}";
    UNKNOWN_CHILD = "unknown-child", "a reference to a child blueprint that is not included",
        "metadata: {a: \"${children.core.topic}\"}";
    UNKNOWN_FIELD = "unknown-field", "a reference to a field that cannot exist", "metadata: {a: \"${queue.arn}\"}";
    UNKNOWN_ATTRIBUTE = "unknown-attribute", "a reference to a part of the `state` that resources of the type do not have", "";
    UNKNOWN_PROPERTY = "unknown-property", "a reference to a part of the `spec` that resources of the type do not have", "";
    VARIABLE_HAS_NO_FIELDS = "variable-has-no-fields", "a path into a variable",
        "variables: {config: {type: string}}\nmetadata: {a: \"${variables.config.host}\"}";
    SELF_REFERENCE = "self-reference", "a resource refers to itself",
        "resources: {queue: {type: aws/sqs/queue, spec: {name: \"${queue.state.arn}\"}}}";
    REFERENCE_CYCLE = "reference-cycle", "resources refer to each other in a circle",
        "resources:\n  a: {type: aws/sqs/queue, spec: {name: \"${b}\"}}\n  b: {type: aws/sqs/queue, spec: {name: \"${a}\"}}";
    UNKNOWN_FUNCTION = "unknown-function", "a function that does not exist", "metadata: {a: \"${upper(queue)}\"}";
    ARGUMENT_COUNT = "argument-count", "too few or too many arguments", "metadata: {a: \"${trim()}\"}";
    ARGUMENT_TYPE = "argument-type", "an argument of the wrong type", "metadata: {a: \"${trim(5)}\"}";
    COMPLEX_INTERPOLATION = "complex-interpolation", "a list or map inside a longer text",
        "metadata: {a: \"x-${queue.spec}\"}";
}
