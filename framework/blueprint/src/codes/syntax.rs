//! Codes about text: YAML, JSON and their limits.

super::codes! { SYNTAX:
    YAML_SYNTAX = "yaml-syntax", "the text is not YAML", "variables: [";
    JSON_SYNTAX = "json-syntax", "the text is not JSON", r#"{"version": "2023-04-20",}"#;
    EMPTY_DOCUMENT = "empty-document", "there is nothing in the document", "# no version, only a comment";
    SECOND_DOCUMENT = "second-document", "a YAML stream with more than one document",
        "metadata: {}\n---\nmetadata: {}";
    DUPLICATE_KEY = "duplicate-key", "a key stands twice in one map", "metadata: {a: 1, a: 2}";
    KEY_NOT_TEXT = "key-not-text", "a list or map is used as a key", "metadata: {[a]: 1}";
    MERGE_KEY = "merge-key", "YAML 1.1's merge key", "metadata:\n  a: &a {x: 1}\n  b: {<<: *a}";
    YAML_TAG = "yaml-tag", "a YAML tag such as `!Ref`", "metadata: {a: !Ref queue}";
    ALIAS_LOOP = "alias-loop", "an alias inside its own anchor", "metadata: &a {x: *a}";
    NUMBER_NOT_FINITE = "number-not-finite", "`.inf` or `.nan`", "metadata: {a: .inf}";
    LEADING_ZERO = "leading-zero", "a number with leading zeros, which get lost", "metadata: {account: 012345678901}";
    DOCUMENT_TOO_LARGE = "document-too-large", "the document is larger than allowed", "";
    TOO_DEEP = "too-deep", "lists and maps are nested too deep", "";
    TOO_MANY_NODES = "too-many-values", "the document has more values than allowed", "";
    TOO_MANY_ALIASES = "too-many-aliases", "aliases expand to more values than allowed", "";
    TOO_MANY_FINDINGS = "too-many-findings", "there are more findings than are shown", "";
}
