//! Codes about a blueprint and the blueprints that it includes: told where these can be read.
//!
//! The examples include `core.yaml`, which has an integer variable `size` without a default and exports a
//! `topic`, and `broken.yaml`, which is not valid.

super::codes! { CHILDREN:
    UNREADABLE_CHILD = "unreadable-child", "an included blueprint that cannot be read",
        "include: {core: {path: missing.yaml}}",
        "Look at the `path`: it is relative to the including blueprint, or starts with `${workingDir}`.";
    INVALID_CHILD = "invalid-child", "an included blueprint that has errors of its own",
        "include: {core: {path: broken.yaml}}",
        "Check the included blueprint by itself, and mend what is found in it.";
    INCLUSION_CYCLE = "inclusion-cycle", "a blueprint includes itself, at once or through others",
        "include: {again: {path: blueprint}}",
        "Remove one of the includes, or move what both need into a blueprint that includes neither.";
    INCLUSION_TOO_DEEP = "inclusion-too-deep", "blueprints include each other through too many levels",
        "include: {first: {path: level-1.yaml}}",
        "Include the innermost blueprints further up, and pass on what they export.";
    UNKNOWN_CHILD_VARIABLE = "unknown-child-variable", "a value for a variable that the child does not have",
        "include: {core: {path: core.yaml, variables: {size: 3, colour: red}}}",
        "Spell the variable as the child does, or leave the value out. It is an error if the child misses a value \
         for a variable of nearly that name.";
    MISSING_CHILD_VARIABLE = "missing-child-variable", "no value for a variable that the child needs",
        "include: {core: {path: core.yaml}}",
        "Give the value under `variables` of the include, or give the variable a `default` in the child.";
    CHILD_VARIABLE_VALUE = "child-variable-value", "a value that the child's variable cannot take",
        "include: {core: {path: core.yaml, variables: {size: large}}}",
        "Give a value of the type that the child declares, and one of its allowed values if it lists them.";
    UNKNOWN_CHILD_EXPORT = "unknown-child-export", "a reference to an export that the child does not have",
        "include: {core: {path: core.yaml, variables: {size: 3}}}\nmetadata: {topic: \"${children.core.topics}\"}",
        "Refer to one of the child's exports, or add the export to the child.";
}
