//! Codes that only given values and evaluation lead to.

super::codes! { EVALUATION:
    UNKNOWN_VARIABLE_VALUE = "unknown-variable-value", "a value is given for a variable that is not declared",
        "variables: {stage: {type: string}}",
        "Declare the variable, or give no value for it.",
        given r#"{"stage": "dev", "stag": "dev"}"#;
    MISSING_VARIABLE_VALUE = "missing-variable-value", "a variable has neither a value nor a default",
        "variables: {stage: {type: string}}",
        "Give a value, or declare a `default`.",
        given r#"{}"#;
    VARIABLE_VALUE_TYPE = "variable-value-type", "a value of another type than its variable's",
        "variables: {size: {type: integer}}",
        "Give a value of the variable's type. Strings are taken for numbers and booleans where they are \
         some.",
        given r#"{"size": "large"}"#;
    VARIABLE_VALUE_NOT_ALLOWED = "variable-value-not-allowed", "a value that is not among the allowed ones",
        "variables: {stage: {type: string, allowedValues: [dev, prod]}}",
        "Choose one of the allowed values.",
        given r#"{"stage": "test"}"#;
    UNRESOLVED_REFERENCE = "unresolved-reference", "a reference leads to nothing",
        "metadata: {a: '${queue.state.url}'}",
        "Correct the path: it leads to nothing in what is deployed.",
        given r#"{}"#,
        deployed r#"{"queue": {"state": {"queueUrl": "https://sqs.eu-west-1.amazonaws.com/1/orders"}}}"#;
    FUNCTION_FAILED = "function-failed", "a function cannot work on its arguments",
        "variables: {config: {type: string}}\nmetadata: {a: '${jsondecode(variables.config)}'}",
        "Look at the value that the function was given; the message does not show it, because it may be \
         secret.",
        given r#"{"config": "host=db"}"#;
    TOO_MUCH_WORK = "too-much-work", "evaluating reads and makes more bytes of values than allowed",
        "variables: {a: {type: string}}\nmetadata: {a: [«'${len(variables.a)}',×100»0]}",
        "Keep large texts out of the blueprint, or hand them to fewer functions.",
        given r#"{"a": "«x×3000000»"}"#;
    RESULT_TOO_LARGE = "result-too-large", "the values of substitutions grow larger than allowed",
        "variables: {a: {type: string}}\nmetadata: {a: [«'${variables.a}',×10»0]}",
        "Keep large values out of the blueprint, or refer to them in fewer places.",
        given r#"{"a": "«x×3000000»"}"#;
    VALUE_TOO_DEEP = "value-too-deep", "a value is nested deeper than allowed",
        "variables: {a: {type: string}}\nmetadata: {a: «[×90»'${jsondecode(variables.a)}'«]×90»}",
        "Refer to parts of the value.",
        given r#"{"a": "«[×120»«]×120»"}"#;
    TEXT_TOO_LONG = "text-too-long", "a text grows longer than allowed",
        "variables: {a: {type: string}}\nmetadata: {a: '${variables.a}${variables.a}'}",
        "Keep large texts out of the blueprint.",
        given r#"{"a": "«x×3000000»"}"#;
}
