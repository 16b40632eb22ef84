//! What is looked up outside of the blueprint.

use super::{Dependencies, ExportType};
use crate::{FieldPath, Operator, Span, Template};
use indexmap::IndexMap;

/// A data source: something that exists already, found by a filter, whose fields the blueprint refers to.
#[derive(Debug, Clone)]
pub struct DataSource {
    /// The type as written: `aws/vpc`.
    pub type_name: String,
    /// Where the type stands.
    pub type_span: Span,
    /// The name.
    pub span: Span,
    /// The description.
    pub description: Option<Template>,
    /// `displayName`, `annotations`, `custom` as one map template.
    pub metadata: Template,
    /// How it is found. If several match, the first counts.
    pub filter: Filter,
    /// What references may reach, by name, in the author's order. A name may have dots: then it is the path of
    /// a nested field, and references quote it (`datasources.network["metadata.name"]`).
    pub exports: IndexMap<String, DataSourceExport>,
    /// What this one refers to.
    pub depends_on: Dependencies,
}

/// The condition that finds a data source: the field on the left, the search values on the right.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Which field of the candidates is compared.
    pub field: FieldPath,
    /// How.
    pub operator: Operator,
    /// With what: a scalar or a list of scalars once evaluated.
    pub search: Template,
    /// The whole filter.
    pub span: Span,
}

/// A field that a data source exports.
#[derive(Debug, Clone)]
pub struct DataSourceExport {
    /// Its type; never [`ExportType::Object`]. An array has scalars of one type only.
    pub kind: ExportType,
    /// The field that it stands for: `aliasFor`, or else the export's own name.
    pub field: FieldPath,
    /// The field if it has another name than the export.
    pub alias_for: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The name.
    pub span: Span,
}
