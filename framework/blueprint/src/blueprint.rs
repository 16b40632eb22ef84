//! A checked blueprint. Only [`crate::check`] makes one.

use crate::{Diagnostic, Enumeration, Kind, Reference, Span, Template, Value};
use indexmap::IndexMap;

/// What [`crate::check`] found: the blueprint if there was no error, and every diagnostic sorted by position.
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
    /// Variables by name, in the author's order.
    pub variables: IndexMap<String, Variable>,
    /// Resources by name, in the author's order. References between them form no cycle.
    pub resources: IndexMap<String, Resource>,
    /// Exports by name, in the author's order.
    pub exports: IndexMap<String, Export>,
    /// Metadata of the blueprint itself; an empty map if missing.
    pub metadata: Template,
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
    /// The specification; an empty map if missing.
    pub spec: Template,
    /// Names of the resources that this one refers to, without repetition.
    pub depends_on: Vec<String>,
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
    /// What it exports.
    pub field: Reference,
    /// The description.
    pub description: Option<Template>,
    /// The name.
    pub span: Span,
}
