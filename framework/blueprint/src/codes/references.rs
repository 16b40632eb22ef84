//! Codes about what stands in `${...}`.

super::codes! { REFERENCES:
    UNCLOSED_SUBSTITUTION = "unclosed-substitution", "a `${` without its `}`",
        "metadata: {a: \"${variables.name\"}",
        "Close it with `}`, or write `$${` for a literal `${`.";
    EMPTY_SUBSTITUTION = "empty-substitution", "nothing between `${` and `}`",
        "metadata: {a: \"${}\"}",
        "Write a reference, a function or a literal, or `$${}` for a literal `${}`.";
    UNEXPECTED_IN_SUBSTITUTION = "unexpected-in-substitution", "something that the grammar does not allow there",
        "metadata: {a: \"${AWS::Region}\"}",
        "Substitutions know references, function calls and literals, and no operators. For a literal `${` \
         write `$${`.";
    UNCLOSED_STRING = "unclosed-string", "a string literal without its closing quote",
        "metadata: {a: '${trim(\"x)}'}",
        "Close the string with `\"`; inside of it a quote is `\\\"`.";
    SUBSTITUTION_TOO_DEEP = "substitution-too-deep", "function calls are nested too deep",
        "metadata: {a: '${«trim(×200»\"\"«)×200»}'}",
        "Nest fewer calls.";
    SUBSTITUTION_TOO_LONG = "substitution-too-long", "a substitution is longer than allowed",
        "metadata: {a: '${trim(\"«x×200000»\")}'}",
        "Use shorter literals, or give the text as a variable.";
    INCOMPLETE_REFERENCE = "incomplete-reference", "a reference that stops too early",
        "metadata: {a: \"${variables}\"}",
        "Go on to the name that is meant: `variables.name`.";
    NOT_A_REFERENCE = "not-a-reference", "an export's field that is a function or a literal",
        "exports: {url: {type: string, field: trim(queue)}}",
        "Name something that has a value, such as `resources.queue.state.arn`.";
    UNKNOWN_VARIABLE = "unknown-variable", "a reference to a variable that is not declared",
        "metadata: {a: \"${variables.name}\"}",
        "Declare the variable, or correct the name.";
    UNKNOWN_RESOURCE = "unknown-resource", "a reference to a resource that is not declared",
        "metadata: {a: \"${topic.state.arn}\"}",
        "Declare the resource, or correct the name. Names without a section are resources: a variable is \
         `variables.name`.";
    UNKNOWN_DATA_SOURCE = "unknown-data-source", "a reference to a data source that is not declared",
        "metadata: {a: \"${datasources.network.vpc}\"}",
        "Declare the data source, or correct the name.";
    UNKNOWN_CHILD = "unknown-child", "a reference to a child blueprint that is not included",
        "metadata: {a: \"${children.core.topic}\"}",
        "Include the child blueprint, or correct the name.";
    UNKNOWN_FIELD = "unknown-field", "a reference to a field that cannot exist",
        "metadata: {a: \"${queue.arn}\"}",
        "Correct the path: fields of a resource stand under `state`, `spec` and `metadata`.";
    UNKNOWN_ATTRIBUTE = "unknown-attribute", "a reference to a part of `state` that the resource's type does not have",
        "resources: {letter: {type: post/letter}}\nmetadata: {a: '${letter.state.adress}'}",
        "Correct the name: `formwork types` lists what resources of the type have.";
    UNKNOWN_PROPERTY = "unknown-property", "a reference to a part of `spec` that the resource's type does not have",
        "resources: {letter: {type: post/letter}}\nmetadata: {a: '${letter.spec.adress}'}",
        "Correct the name: `formwork types` lists what resources of the type have.";
    VARIABLE_HAS_NO_FIELDS = "variable-has-no-fields", "a path into a variable",
        "variables: {config: {type: string}}\nmetadata: {a: \"${variables.config.host}\"}",
        "Take a field out of JSON with a function: `fromjson(variables.config, \"/host\")`.";
    SELF_REFERENCE = "self-reference", "a resource refers to itself",
        "resources: {queue: {type: aws/sqs/queue, spec: {name: \"${queue.state.arn}\"}}}",
        "Write the value out, or share it through a variable.";
    REFERENCE_CYCLE = "reference-cycle", "resources refer to each other in a circle",
        "resources:\n  a: {type: aws/sqs/queue, spec: {name: \"${b}\"}}\n  b: {type: aws/sqs/queue, spec: {name: \"${a}\"}}",
        "Break the circle: one of them has to do without the other.";
    UNKNOWN_FUNCTION = "unknown-function", "a function that does not exist",
        "metadata: {a: \"${upper(queue)}\"}",
        "Use one of the functions; they are listed in docs/language.md.";
    ARGUMENT_COUNT = "argument-count", "too few or too many arguments",
        "metadata: {a: \"${trim()}\"}",
        "Call the function as its signature says.";
    ARGUMENT_TYPE = "argument-type", "an argument of the wrong type",
        "metadata: {a: \"${trim(5)}\"}",
        "Give a value of that type.";
    COMPLEX_INTERPOLATION = "complex-interpolation", "a list or map inside a longer text",
        "metadata: {a: \"x-${queue.spec}\"}",
        "Make the substitution the whole value, or pick one field of it.";
}
