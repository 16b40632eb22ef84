//! Codes about substitutions where none may stand.

super::codes! { PLACES:
    SUBSTITUTION_IN_KEY = "substitution-in-key", "keys and names are fixed",
        "resources: {queue: {type: aws/sqs/queue, spec: {\"${variables.key}\": 1}}}",
        "Write the key out; substitute the value. For a literal `${` write `$${`.";
    SUBSTITUTION_IN_VERSION = "substitution-in-version", "the version is fixed",
        "version: '${variables.version}'\nresources: {queue: {type: aws/sqs/queue}}",
        "Write the version out.";
    SUBSTITUTION_IN_TRANSFORM = "substitution-in-transform", "transforms are fixed",
        "transform: [\"${variables.transform}\"]",
        "Write the name out.";
    SUBSTITUTION_IN_VARIABLE = "substitution-in-variable", "variable definitions are fixed",
        "variables: {a: {type: string, default: \"${variables.b}\"}}",
        "Write the definition out: variables are where values come from.";
    SUBSTITUTION_IN_RESOURCE_TYPE = "substitution-in-resource-type", "resource types are fixed",
        "resources: {queue: {type: \"${variables.type}\"}}",
        "Write the type out.";
    SUBSTITUTION_IN_LABEL = "substitution-in-label", "labels are fixed",
        "resources: {queue: {type: aws/sqs/queue, metadata: {labels: {app: \"${variables.app}\"}}}}",
        "Write the label out: links are made before anything has a value.";
    SUBSTITUTION_IN_LINK_SELECTOR = "substitution-in-link-selector", "link selectors are fixed",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {app: \"${variables.app}\"}}}}",
        "Write the label out: links are made before anything has a value.";
    SUBSTITUTION_IN_DATA_SOURCE_TYPE = "substitution-in-data-source-type", "data source types are fixed",
        "datasources: {network: {type: '${variables.type}', filter: {field: a, operator: '=', search: b}, exports: {a: {type: string}}}}",
        "Write the type out.";
    SUBSTITUTION_IN_FILTER = "substitution-in-filter", "a filter's field and operator are fixed",
        "datasources: {network: {type: aws/vpc, filter: {field: '${variables.field}', operator: '=', search: b}, exports: {a: {type: string}}}}",
        "Write the field and the operator out; `search` may hold substitutions.";
    SUBSTITUTION_IN_DATA_SOURCE_EXPORT = "substitution-in-data-source-export", "a data source's exports are fixed",
        "datasources: {network: {type: aws/vpc, filter: {field: a, operator: '=', search: b}, exports: {vpc: {type: string, aliasFor: '${variables.alias}'}}}}",
        "Write the export out; what refers to it may substitute.";
    SUBSTITUTION_IN_EXPORT_TYPE = "substitution-in-export-type", "export types are fixed",
        "exports: {url: {type: \"${variables.type}\", field: queue}}",
        "Write the type out.";
    SUBSTITUTION_IN_EXPORT_FIELD = "substitution-in-export-field", "an export's field is a reference by itself",
        "exports: {url: {type: string, field: \"${queue.state.url}\"}}",
        "Write the reference without `${` and `}`: `field: resources.queue.state.arn`.";
}
