//! A checked blueprint. Only a [`crate::Checker`] makes one.

mod child;
mod data_source;

pub use child::{Child, WORKING_DIR};
pub use data_source::{DataSource, DataSourceExport, Filter};

use crate::{
    Diagnostic, Enumeration, Functions, Kind, Link, LinkSelector, Reference, Span, Template, Transform, Value,
};
use indexmap::{IndexMap, IndexSet};

/// What a check found: the blueprint if there was no error, and every diagnostic sorted by position.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Present when no diagnostic is an error.
    pub blueprint: Option<Blueprint>,
    /// Sorted by position, then code; the same on every run.
    pub diagnostics: Vec<Diagnostic>,
}

/// A blueprint without errors in its language. Its resource types and properties are not checked here.
#[derive(Debug, Clone)]
pub struct Blueprint {
    /// The version of the language it is written in.
    pub version: String,
    /// The transforms that were applied, in this order.
    pub transforms: Vec<Transform>,
    /// Variables by name, in the author's order.
    pub variables: IndexMap<String, Variable>,
    /// Data sources by name, in the author's order.
    pub data_sources: IndexMap<String, DataSource>,
    /// Resources by name, in the author's order. References among resources, data sources and children form
    /// no cycle.
    pub resources: IndexMap<String, Resource>,
    /// Included blueprints by name, in the author's order.
    pub children: IndexMap<String, Child>,
    /// Which resources are linked to which by their selectors: by the selecting resource, then by the selected
    /// one, both in the author's order.
    pub links: Vec<Link>,
    /// Exports by name, in the author's order.
    pub exports: IndexMap<String, Export>,
    /// Metadata of the blueprint itself; an empty map if missing.
    pub metadata: Template,
    /// The functions that its substitutions may call.
    pub functions: Functions,
    /// CloudFormation may have turned every scalar of it into a string.
    pub(crate) inline: bool,
}

/// The declared type of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableType {
    /// `string`
    String,
    /// `integer`
    Integer,
    /// `float`
    Float,
    /// `boolean`
    Boolean,
    /// `{provider}/{type}`: one of its labels
    Custom(Enumeration),
}

impl VariableType {
    /// Its name in messages, with its article.
    pub(crate) fn noun(&self) -> String {
        match self {
            VariableType::String => "a string".to_owned(),
            VariableType::Integer => "an integer".to_owned(),
            VariableType::Float => "a number".to_owned(),
            VariableType::Boolean => "a boolean".to_owned(),
            VariableType::Custom(labels) => format!("a label of `{}`", labels.name()),
        }
    }
}

/// A variable's definition.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its type.
    pub kind: VariableType,
    /// The values it may take.
    pub allowed: Vec<Value>,
    /// Masked everywhere.
    pub secret: bool,
    /// The value when none is given.
    pub default: Option<Value>,
    /// The text that describes it.
    pub description: Option<String>,
    /// The name.
    pub span: Span,
}

/// A resource's definition.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The type as written: `aws/sqs/queue` or `AWS::SQS::Queue`.
    pub type_name: String,
    /// Where the type stands.
    pub type_span: Span,
    /// The name.
    pub span: Span,
    /// The description.
    pub description: Option<Template>,
    /// `displayName`, `annotations`, `labels`, `custom` as one map template.
    pub metadata: Template,
    /// The labels that selectors select by.
    pub labels: IndexMap<String, String>,
    /// Which other resources this one makes use of.
    pub link_selector: Option<LinkSelector>,
    /// The specification; an empty map if missing.
    pub spec: Template,
    /// What this one refers to.
    pub depends_on: Dependencies,
}

/// Names of the elements that an element refers to: each once, in the order in which it first does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Resources.
    pub resources: Vec<String>,
    /// Data sources.
    pub data_sources: Vec<String>,
    /// Children.
    pub children: Vec<String>,
}

impl Dependencies {
    /// Adds the names that are not there yet.
    pub(crate) fn join(&mut self, other: Dependencies) {
        for (names, more) in [
            (&mut self.resources, other.resources),
            (&mut self.data_sources, other.data_sources),
            (&mut self.children, other.children),
        ] {
            let joined: IndexSet<String> = names.drain(..).chain(more).collect();
            names.extend(joined);
        }
    }
}

/// The declared type of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportType {
    /// `string`
    String,
    /// `object`
    Object,
    /// `integer`
    Integer,
    /// `float`
    Float,
    /// `array`
    Array,
    /// `boolean`
    Boolean,
}

impl ExportType {
    /// Every type, as written.
    pub(crate) const ALL: [(&'static str, ExportType); 6] = [
        ("string", ExportType::String),
        ("object", ExportType::Object),
        ("integer", ExportType::Integer),
        ("float", ExportType::Float),
        ("array", ExportType::Array),
        ("boolean", ExportType::Boolean),
    ];

    /// True if a value is of this type. What is not known yet may be of any.
    pub fn admits(self, value: &Value) -> bool {
        match (self, &value.kind) {
            (_, Kind::Unknown) => true,
            (ExportType::Integer, Kind::Number(number)) => crate::typed::is_integer(&number.to_string()),
            (ExportType::String, Kind::String(_))
            | (ExportType::Float, Kind::Number(_))
            | (ExportType::Boolean, Kind::Bool(_))
            | (ExportType::Array, Kind::List(_))
            | (ExportType::Object, Kind::Map(_)) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for ExportType {
    /// As written in a blueprint: `object`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = ExportType::ALL
            .iter()
            .find(|(_, kind)| kind == self)
            .map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// An export's definition.
#[derive(Debug, Clone)]
pub struct Export {
    /// Its type.
    pub kind: ExportType,
    /// Where its type stands.
    pub kind_span: Span,
    /// What it exports.
    pub field: Reference,
    /// The description.
    pub description: Option<Template>,
    /// The name.
    pub span: Span,
}
