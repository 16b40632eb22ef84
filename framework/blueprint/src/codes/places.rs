//! Codes about substitutions where none may stand.

super::codes! { PLACES:
    SUBSTITUTION_IN_KEY = "substitution-in-key", "keys and names are fixed",
        "resources: {queue: {type: aws/sqs/queue, spec: {\"${variables.key}\": 1}}}";
    SUBSTITUTION_IN_VERSION = "substitution-in-version", "the version is fixed", "version: \"${variables.version}\"";
    SUBSTITUTION_IN_TRANSFORM = "substitution-in-transform", "transforms are fixed",
        "transform: [\"${variables.transform}\"]";
    SUBSTITUTION_IN_VARIABLE = "substitution-in-variable", "variable definitions are fixed",
        "variables: {a: {type: string, default: \"${variables.b}\"}}";
    SUBSTITUTION_IN_RESOURCE_TYPE = "substitution-in-resource-type", "resource types are fixed",
        "resources: {queue: {type: \"${variables.type}\"}}";
    SUBSTITUTION_IN_LABEL = "substitution-in-label", "labels are fixed",
        "resources: {queue: {type: aws/sqs/queue, metadata: {labels: {app: \"${variables.app}\"}}}}";
    SUBSTITUTION_IN_LINK_SELECTOR = "substitution-in-link-selector", "link selectors are fixed",
        "resources: {queue: {type: aws/sqs/queue, linkSelector: {byLabel: {app: \"${variables.app}\"}}}}";
    SUBSTITUTION_IN_DATA_SOURCE_TYPE = "substitution-in-data-source-type", "data source types are fixed",
        "datasources: {network: {type: \"${variables.type}\"}}";
    SUBSTITUTION_IN_FILTER = "substitution-in-filter", "a filter's field and operator are fixed",
        "datasources: {network: {type: aws/vpc, filter: {field: \"${variables.field}\"}}}";
    SUBSTITUTION_IN_DATA_SOURCE_EXPORT = "substitution-in-data-source-export", "a data source's exports are fixed",
        "datasources: {network: {type: aws/vpc, exports: {vpc: {aliasFor: \"${variables.alias}\"}}}}";
    SUBSTITUTION_IN_EXPORT_TYPE = "substitution-in-export-type", "export types are fixed",
        "exports: {url: {type: \"${variables.type}\", field: queue}}";
    SUBSTITUTION_IN_EXPORT_FIELD = "substitution-in-export-field", "an export's field is a reference by itself",
        "exports: {url: {type: string, field: \"${queue.state.url}\"}}";
}
