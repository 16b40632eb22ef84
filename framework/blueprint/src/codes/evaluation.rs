//! Codes that only given values and evaluation lead to.

super::codes! { EVALUATION:
    UNKNOWN_VARIABLE_VALUE = "unknown-variable-value", "a value is given for a variable that is not declared", "";
    MISSING_VARIABLE_VALUE = "missing-variable-value", "a variable has neither a value nor a default", "";
    VARIABLE_VALUE_TYPE = "variable-value-type", "a value of another type than its variable's", "";
    VARIABLE_VALUE_NOT_ALLOWED = "variable-value-not-allowed", "a value that is not among the allowed ones", "";
    UNRESOLVED_REFERENCE = "unresolved-reference", "a reference leads to nothing", "";
    FUNCTION_FAILED = "function-failed", "a function cannot work on its arguments", "";
    TOO_MUCH_WORK = "too-much-work", "evaluating reads and makes more bytes of values than allowed", "";
    RESULT_TOO_LARGE = "result-too-large", "the values of substitutions grow larger than allowed", "";
    VALUE_TOO_DEEP = "value-too-deep", "a value is nested deeper than allowed", "";
    TEXT_TOO_LONG = "text-too-long", "a text grows longer than allowed", "";
}
