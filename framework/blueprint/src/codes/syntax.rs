//! Codes about text: YAML, JSON and their limits.

super::codes! { SYNTAX:
    YAML_SYNTAX = "yaml-syntax", "the text is not YAML",
        "metadata: {owner: orders",
        "Mend the line that is pointed at, or the one before it: an indentation, a quote or a bracket. \
         Values that begin with a special character or hold `: ` or ` #` want quotes.";
    JSON_SYNTAX = "json-syntax", "the text is not JSON",
        r#"{"version": "2023-04-20",}"#,
        "Mend the place that is pointed at. JSON knows no comments, no trailing commas and no single \
         quotes; YAML does.";
    WRONG_ENCODING = "wrong-encoding", "the bytes are not text in UTF-8",
        "metadata: {city: M\u{fffd}nchen}",
        "Save the text as UTF-8, as every editor can.";
    EMPTY_DOCUMENT = "empty-document", "there is nothing in the document",
        "# no version, only a comment",
        "Begin with `version: 2023-04-20` and a resource.";
    SECOND_DOCUMENT = "second-document", "a YAML stream with more than one document",
        "metadata: {}\n---\nmetadata: {}",
        "Put each blueprint into a file of its own; `---` begins another document.";
    DUPLICATE_KEY = "duplicate-key", "a key stands twice in one map",
        "metadata: {a: 1, a: 2}",
        "Remove or rename one of the two: the one that a parser keeps is a matter of luck.";
    KEY_NOT_TEXT = "key-not-text", "a list or map is used as a key",
        "metadata: {[a]: 1}",
        "Write keys as text. A key that holds special characters wants quotes.";
    MERGE_KEY = "merge-key", "YAML 1.1's merge key",
        "metadata:\n  a: &a {x: 1}\n  b: {<<: *a}",
        "Write the entries out, or alias a whole value: `spec: *base`. Merging was dropped with YAML 1.2.";
    YAML_TAG = "yaml-tag", "a YAML tag such as `!Ref`",
        "metadata: {a: !Ref queue}",
        "Remove the tag. What CloudFormation does with `!Ref`, `!GetAtt` and `!Sub`, a substitution does: \
         `${variables.name}`, `${resources.name.state.field}`.";
    ALIAS_LOOP = "alias-loop", "an alias inside its own anchor",
        "metadata: &a {x: *a}",
        "Write out what is meant: a value cannot hold itself.";
    NUMBER_NOT_FINITE = "number-not-finite", "`.inf` or `.nan`",
        "metadata: {a: .inf}",
        "Put it in quotes if a string is meant; numbers in blueprints are finite.";
    LEADING_ZERO = "leading-zero", "a number with leading zeros, which get lost",
        "metadata: {account: 012345678901}",
        "Put account numbers and the like in quotes, or their zeros get lost.";
    DOCUMENT_TOO_LARGE = "document-too-large", "the document is larger than allowed",
        "# «x×9000000»",
        "Split the blueprint, and keep bulky data in a bucket instead of in it.";
    TOO_DEEP = "too-deep", "lists and maps are nested too deep",
        "metadata: {a: «[×200»«]×200»}",
        "Nest less: the bound is far beyond what resource types have.";
    TOO_MANY_NODES = "too-many-values", "the document has more values than allowed",
        "metadata: {a: [«x,×600000»x]}",
        "Split the blueprint into several.";
    TOO_MANY_SUBSTITUTIONS = "too-many-substitutions", "the document has more substitutions than allowed",
        "metadata: {a: '«${queue}×200001»'}",
        "Split the blueprint into several.";
    TOO_MANY_ALIASES = "too-many-aliases", "aliases expand to more values than allowed",
        "metadata:\n  a: &a [«x,×1000»x]\n  b: [«*a,×200»*a]",
        "Alias smaller values, or alias them less often.";
    TOO_MANY_FINDINGS = "too-many-findings", "there are more findings than are shown",
        "metadata: {a: [«'${}',×600»'${}']}",
        "Mend some of what is shown and check again.";
}
