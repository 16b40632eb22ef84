//! What people bring along from elsewhere: CloudFormation, Terraform, Kubernetes, and later versions of the
//! language. Each habit with what a blueprint has instead.

use crate::spelling::{fold, one_of};
use Hint::{Form, Instead, Is};

/// What to say about a key, or a name in a reference, that is known from elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hint {
    /// The same thing has another name here.
    Is(&'static str),
    /// The same thing has another name and another form here: what to write.
    Form(&'static str, &'static str),
    /// There is no such thing; what to do.
    Instead(&'static str),
}

pub(super) type Hints = &'static [(&'static str, Hint)];

/// The hint for a name; case, hyphens and underscores do not count, and one slip in a long name is forgiven.
pub(super) fn find(hints: Hints, name: &str) -> Option<Hint> {
    let name = fold(name);
    let same = hints.iter().find(|(known, _)| fold(known) == name);
    let slip = || {
        let near = |known: &str| strsim::damerau_levenshtein(&fold(known), &name) == 1;
        hints.iter().find(|(known, _)| name.len() > 4 && near(known))
    };
    same.or_else(slip).map(|(_, hint)| *hint)
}

const CONDITION: Hint = Instead(
    "`condition` came with version 2025-11-02 of the language: put what is not always wanted into a blueprint of its own",
);
const EACH: Hint = Instead(
    "repeating came with version 2025-11-02 of the language, as `each`: write the resources out one by one",
);
const RETAIN: Hint =
    Instead("`DeletionPolicy` of `Custom::Blueprint` decides for all resources of a blueprint together");
const ORDER: Hint =
    Instead("order follows from references: refer to the other resource where its value is needed");
const PROVIDER: Hint =
    Instead("providers are not set up in a blueprint: the type of a resource names its provider");
const WITHIN_RESOURCE: Hint = Instead("it stands within a resource, and resources stand under `resources`");
const NO_DESCRIPTION: Hint =
    Instead("a blueprint has no description of its own: use a comment, or an entry in `metadata`");
const NO_NAME: Hint =
    Instead("a blueprint has no name of its own: it goes by its file, and its deployment by its stack");
const NOT_INSIDE: Hint = Instead("an export cannot be referred to from inside: refer to what it exports");
const LOCAL: Hint = Instead("a blueprint has no local values: use a variable with a `default`");
const VALUES: Hint =
    Instead("`values` came with version 2025-11-02 of the language: use a variable with a `default`");
const KEY_IS_NAME: Hint = Instead("the key above is the name of the export");
const TAINTED: Hint = Instead("an export is secret if anything is that it is made of");
const IN_METADATA: Hint = Instead("it stands in `metadata`");
const BESIDE_METADATA: Hint = Instead("it stands beside `metadata`, not in it");
const PHYSICAL_NAME: Hint =
    Instead("the key above is the name; the name outside is a property in `spec`, such as `queueName`");
const IN_SPEC: Hint =
    Instead("it is a property of the resource: write it in `spec`, as the resource's type has it");
const NO_CONSTRAINT: Hint = Instead("the only constraint of a variable is `allowedValues`");

pub(super) const DOCUMENT: Hints = &[
    // CloudFormation
    (
        "AWSTemplateFormatVersion",
        Form(
            "version",
            "this is CloudFormation's: a blueprint begins with `version: 2023-04-20`",
        ),
    ),
    ("Parameters", Is("variables")),
    ("Outputs", Is("exports")),
    ("Description", NO_DESCRIPTION),
    (
        "Conditions",
        Instead("this is CloudFormation's: version 2023-04-20 has no conditions"),
    ),
    (
        "Mappings",
        Instead("this is CloudFormation's: a blueprint has no mappings, give the value as a variable"),
    ),
    (
        "Rules",
        Instead(
            "this is CloudFormation's: a blueprint has no rules, `allowedValues` of a variable can do some of it",
        ),
    ),
    (
        "Globals",
        Instead("this is SAM's: a blueprint has no globals, an anchor and its aliases can stand for them"),
    ),
    // Terraform and OpenTofu
    ("data", Is("datasources")),
    ("output", Is("exports")),
    ("var", Is("variables")),
    ("vars", Is("variables")),
    ("params", Is("variables")),
    ("inputs", Is("variables")),
    ("module", Is("include")),
    ("modules", Is("include")),
    ("children", Is("include")),
    ("import", Is("include")),
    ("imports", Is("include")),
    ("locals", LOCAL),
    ("provider", PROVIDER),
    ("providers", PROVIDER),
    (
        "terraform",
        Instead("this is Terraform's: a blueprint needs no such settings"),
    ),
    (
        "moved",
        Instead("this is Terraform's: a blueprint does not rename what is deployed"),
    ),
    // Kubernetes
    (
        "apiVersion",
        Form(
            "version",
            "this is Kubernetes': a blueprint begins with `version: 2023-04-20`",
        ),
    ),
    (
        "kind",
        Instead("this is Kubernetes': each resource has a `type` instead"),
    ),
    ("spec", WITHIN_RESOURCE),
    ("type", WITHIN_RESOURCE),
    ("name", NO_NAME),
    // others
    ("transforms", Is("transform")),
    ("values", VALUES),
];

pub(super) const VARIABLE: Hints = &[
    ("NoEcho", Is("secret")),
    ("sensitive", Is("secret")),
    ("value", Is("default")),
    ("enum", Is("allowedValues")),
    ("options", Is("allowedValues")),
    ("MinLength", NO_CONSTRAINT),
    ("MaxLength", NO_CONSTRAINT),
    ("MinValue", NO_CONSTRAINT),
    ("MaxValue", NO_CONSTRAINT),
    ("AllowedPattern", NO_CONSTRAINT),
    ("pattern", NO_CONSTRAINT),
    ("ConstraintDescription", NO_CONSTRAINT),
    ("validation", NO_CONSTRAINT),
    ("required", Instead("a variable without a `default` is required")),
    ("nullable", Instead("a variable without a `default` is required")),
    ("optional", Instead("a variable with a `default` is optional")),
];

pub(super) const RESOURCE: Hints = &[
    ("properties", Is("spec")),
    ("labels", IN_METADATA),
    ("annotations", IN_METADATA),
    ("displayName", IN_METADATA),
    ("custom", IN_METADATA),
    ("tags", IN_SPEC),
    ("name", PHYSICAL_NAME),
    ("dependsOn", ORDER),
    ("needs", ORDER),
    ("kind", Is("type")),
    (
        "apiVersion",
        Instead("this is Kubernetes': a blueprint has one `version`, at its top"),
    ),
    ("selector", Is("linkSelector")),
    ("condition", CONDITION),
    ("each", EACH),
    ("forEach", EACH),
    ("count", EACH),
    ("removalPolicy", RETAIN),
    ("deletionPolicy", RETAIN),
    ("lifecycle", RETAIN),
    ("UpdateReplacePolicy", RETAIN),
    (
        "UpdatePolicy",
        Instead("this is CloudFormation's: what an update does follows from the resource's type"),
    ),
    (
        "CreationPolicy",
        Instead("this is CloudFormation's: a resource is done when its type says so"),
    ),
    ("provider", PROVIDER),
    (
        "provisioner",
        Instead("this is Terraform's: nothing runs beside a deployment"),
    ),
    (
        "state",
        Instead("the state comes from deploying; what you want stands in `spec`"),
    ),
];

pub(super) const RESOURCE_METADATA: Hints = &[
    ("tags", IN_SPEC),
    ("name", PHYSICAL_NAME),
    (
        "namespace",
        Instead("this is Kubernetes': a blueprint has no namespaces"),
    ),
    ("description", BESIDE_METADATA),
    ("spec", BESIDE_METADATA),
    ("type", BESIDE_METADATA),
    ("linkSelector", BESIDE_METADATA),
];

pub(super) const LINK_SELECTOR: Hints = &[
    ("matchLabels", Is("byLabel")),
    ("labels", Is("byLabel")),
    (
        "exclude",
        Instead(
            "`exclude` came with version 2025-11-02 of the language: give what you want to select a label of its own",
        ),
    ),
];

pub(super) const DATA_SOURCE: Hints = &[
    ("filters", Is("filter")),
    ("labels", Instead("only resources have labels")),
    ("outputs", Is("exports")),
    (
        "spec",
        Instead("a data source is found, not made: it has a `filter`"),
    ),
];

pub(super) const DATA_SOURCE_METADATA: Hints = &[
    ("labels", Instead("only resources have labels")),
    ("description", BESIDE_METADATA),
];

pub(super) const FILTER: Hints = &[
    ("op", Is("operator")),
    ("comparison", Is("operator")),
    ("value", Is("search")),
    ("values", Is("search")),
    ("name", Is("field")),
    ("key", Is("field")),
    ("path", Is("field")),
];

pub(super) const DATA_SOURCE_EXPORT: Hints = &[
    ("field", Is("aliasFor")),
    ("alias", Is("aliasFor")),
    ("path", Is("aliasFor")),
    ("value", Is("aliasFor")),
];

pub(super) const INCLUDE: Hints = &[
    ("parameters", Is("variables")),
    ("params", Is("variables")),
    ("inputs", Is("variables")),
    ("vars", Is("variables")),
    ("values", Is("variables")),
    ("file", Is("path")),
    ("source", Is("path")),
    ("template", Is("path")),
    ("TemplateURL", Is("path")),
    ("url", Is("path")),
    ("location", Is("path")),
    ("blueprint", Is("path")),
    (
        "dependsOn",
        Instead("order follows from references: give an export of the other child as a variable"),
    ),
];

pub(super) const EXPORT: Hints = &[
    ("value", Is("field")),
    ("path", Is("field")),
    ("from", Is("field")),
    ("aliasFor", Instead("only exports of data sources have aliases")),
    ("export", KEY_IS_NAME),
    ("name", KEY_IS_NAME),
    ("sensitive", TAINTED),
    ("secret", TAINTED),
    ("condition", CONDITION),
];

/// The first word of references: where people look for what a blueprint has under another name.
pub(super) const ROOTS: Hints = &[
    ("variable", Is("variables")),
    ("var", Is("variables")),
    ("vars", Is("variables")),
    ("parameter", Is("variables")),
    ("parameters", Is("variables")),
    ("params", Is("variables")),
    ("input", Is("variables")),
    ("inputs", Is("variables")),
    ("variables", Is("variables")),
    ("resource", Is("resources")),
    ("resources", Is("resources")),
    ("datasource", Is("datasources")),
    ("datasources", Is("datasources")),
    ("data", Is("datasources")),
    ("child", Is("children")),
    ("children", Is("children")),
    ("include", Is("children")),
    ("includes", Is("children")),
    ("module", Is("children")),
    ("modules", Is("children")),
    ("local", LOCAL),
    ("locals", LOCAL),
    ("value", VALUES),
    ("values", VALUES),
    ("elem", EACH),
    ("each", EACH),
    ("count", EACH),
    ("i", EACH),
    (
        "self",
        Instead("a resource cannot refer to itself: write the value out, or share it through a variable"),
    ),
    (
        "env",
        Instead("the environment is not read: declare a variable and give it a value"),
    ),
    ("exports", NOT_INSIDE),
    ("outputs", NOT_INSIDE),
    (
        "metadata",
        Instead("the blueprint's metadata cannot be referred to: use a variable with a `default`"),
    ),
    (
        "path",
        Instead("only `${workingDir}` is known, in the `path` of an include"),
    ),
    (
        "cwd",
        Instead("only `${workingDir}` is known, in the `path` of an include"),
    ),
    (
        "workingDir",
        Instead("`${workingDir}` is known in the `path` of an include and nowhere else"),
    ),
    (
        "none",
        Instead("`none` came with version 2025-11-02 of the language: leave the key out"),
    ),
    ("null", Instead("there is no such literal: leave the key out")),
    ("nil", Instead("there is no such literal: leave the key out")),
];

/// Functions by the names that other languages give them.
pub(super) const FUNCTIONS: Hints = &[
    ("length", Is("len")),
    ("size", Is("len")),
    ("count", Is("len")),
    ("strip", Is("trim")),
    ("trimspace", Is("trim")),
    ("parsejson", Is("jsondecode")),
    ("jsonparse", Is("jsondecode")),
    ("slice", Is("substr")),
    (
        "cwd",
        Instead("`${workingDir}` stands for it in the `path` of an include"),
    ),
];

/// What later versions of the language can call.
const LATER_FUNCTIONS: &[&str] = &[
    "split",
    "join",
    "index",
    "last_index",
    "to_upper",
    "to_lower",
    "has_prefix",
    "has_suffix",
    "contains",
    "list",
    "object",
    "keys",
    "vals",
    "map",
    "filter",
    "reduce",
    "sort",
    "flatmap",
    "first",
    "lookup",
    "compose",
    "pipe",
    "getattr",
    "getelem",
    "link",
    "and",
    "or",
    "not",
    "eq",
    "gt",
    "ge",
    "lt",
    "le",
    "if",
    "coalesce",
    "abs",
    "min",
    "max",
    "datetime",
    "uuid",
    "base64encode",
    "base64decode",
    "utf8",
    "sha256",
    "sha1",
    "md5",
    "file",
    "http_resource",
    "cidrsubnet",
];

/// What to call instead of a function that is known from elsewhere.
pub(super) fn function(name: &str) -> Option<String> {
    match find(FUNCTIONS, name) {
        Some(Is(function)) => Some(format!("did you mean `{function}`?")),
        Some(Instead(text) | Form(_, text)) => Some(text.to_owned()),
        None => LATER_FUNCTIONS
            .contains(&name.strip_suffix("_g").unwrap_or(name))
            .then(|| format!("`{name}` came with a later version of the language")),
    }
}

/// What a type is called here that is known under another name, if it is one of `names`.
pub(super) fn type_names(text: &str, names: &[&str]) -> Option<String> {
    let meant: &[&str] = match text.to_ascii_lowercase().as_str() {
        "number" | "num" => &["integer", "float"],
        "int" | "long" => &["integer"],
        "double" | "decimal" => &["float"],
        "bool" => &["boolean"],
        "str" | "text" => &["string"],
        "list" | "set" | "tuple" => &["array"],
        "map" | "mapping" | "dict" | "json" => &["object"],
        custom if custom.contains('/') => return Some("a label of a custom type is a `string`".to_owned()),
        _ => return None,
    };
    let known = meant.iter().all(|name| names.contains(name));
    known.then(|| format!("did you mean {}?", one_of(meant)))
}

/// What an operator is called here.
pub(super) fn operator(text: &str) -> Option<String> {
    let meant = match text.to_ascii_lowercase().as_str() {
        "==" | "eq" | "equals" | "is" => "=",
        "<>" | "ne" | "not equals" | "is not" => "!=",
        ">" | ">=" | "<" | "<=" => {
            return Some("`>`, `<`, `>=` and `<=` came with version 2025-11-02 of the language".to_owned());
        }
        _ => return None,
    };
    Some(format!("did you mean `{meant}`?"))
}
