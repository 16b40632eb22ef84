//! The second look: what can be told of values before anything is evaluated.
//!
//! The first look reads the document and knows names only. Here every section is there, so that the type of
//! each reference follows from the declarations, from what the author has written out, and from the resource
//! types where they are known. Calls, interpolations and exports are judged by these types; what nobody can
//! know yet is taken to be right.

mod expressions;
mod given;
mod paths;
mod search;

use crate::spelling::shown;
use crate::template::{Body, Fields};
use crate::{Blueprint, Diagnostic, Export, ExportType, Reference, ResourceTypes, Template, Type, codes};

/// Judges the types of a blueprint whose sections have been read.
pub(crate) fn check(blueprint: &Blueprint, resource_types: Option<&dyn ResourceTypes>) -> Vec<Diagnostic> {
    let mut types = Types {
        blueprint,
        resource_types,
        findings: Vec::new(),
        folding_bytes: MAX_FOLDING_BYTES,
        suggest: true,
    };
    for resource in blueprint.resources.values() {
        types.text(resource.description.as_ref(), "a resource's description");
        types.metadata(&resource.metadata);
        types.template(&resource.spec);
    }
    for (name, data_source) in &blueprint.data_sources {
        types.text(data_source.description.as_ref(), "a data source's description");
        types.metadata(&data_source.metadata);
        types.template(&data_source.filter.search);
        types.search(name, data_source);
    }
    for (name, child) in &blueprint.children {
        types.text(child.description.as_ref(), "an include's description");
        types.text(Some(&child.path), "an include's `path`");
        types.template(&child.variables);
        types.template(&child.metadata);
        types.given(name, child);
    }
    for export in blueprint.exports.values() {
        types.export(export);
    }
    types.template(&blueprint.metadata);
    types.findings
}

/// Calls on literals are tried out; this many bytes of results are enough for what a person writes.
const MAX_FOLDING_BYTES: usize = 4 * 1024 * 1024;

/// Looking for what was meant costs as many comparisons as there are names: that many findings get it.
const MAX_SUGGESTIONS: usize = 50;

struct Types<'a> {
    blueprint: &'a Blueprint,
    resource_types: Option<&'a dyn ResourceTypes>,
    findings: Vec<Diagnostic>,
    folding_bytes: usize,
    /// Whether it is still affordable to look for what was meant.
    suggest: bool,
}

impl Types<'_> {
    /// Everything that stands in `${...}`; inside a longer text it must be a scalar.
    fn template(&mut self, template: &Template) {
        template.expressions(&mut |expression, whole| {
            let known = self.expression(expression);
            if !whole && known.kind.is_only(Type::COMPLEX.or(Type::NULL)) {
                let kind = known.kind;
                let text = shown(&expression.to_string());
                let message = format!("`{text}` is {kind}, which cannot become part of a text");
                let finding = Diagnostic::error(codes::COMPLEX_INTERPOLATION, expression.span(), message);
                let help = "make the substitution the whole value, or pick one field of it";
                self.findings.push(finding.help(help));
            }
        });
    }

    /// The metadata of a resource or data source, some of which are texts.
    fn metadata(&mut self, metadata: &Template) {
        let fields = || metadata.fields().into_iter().flat_map(Fields::iter);
        for field in fields() {
            match field.key.as_str() {
                "displayName" => self.text(Some(&field.value), "a display name"),
                "annotations" => {
                    for annotation in field.value.fields().into_iter().flat_map(Fields::iter) {
                        self.text(Some(&annotation.value), "an annotation");
                    }
                }
                _ => self.template(&field.value),
            }
        }
    }

    /// A template that must make a scalar.
    fn text(&mut self, template: Option<&Template>, what: &str) {
        let Some(template) = template else { return };
        if let Body::Whole(expression) = &template.body {
            let kind = self.expression(expression).kind;
            if kind.is_only(Type::COMPLEX.or(Type::NULL)) {
                let text = shown(&expression.to_string());
                let message = format!("{what} must be text, but `{text}` is {kind}");
                let finding = Diagnostic::error(codes::WRONG_SHAPE, expression.span(), message);
                self.findings.push(finding.help("pick one field of it"));
            }
        } else {
            self.template(template);
        }
    }

    fn export(&mut self, export: &Export) {
        self.text(export.description.as_ref(), "an export's description");
        let found = self.reference(&export.field);
        let declared = export.kind;
        if !Type::from(declared).may_be(found.kind) {
            let message = format!(
                "the export is declared as `{declared}`, but `{}` is {}",
                export.field, found.kind
            );
            let finding = Diagnostic::error(codes::EXPORT_TYPE_MISMATCH, export.kind_span, message);
            let finding = finding.label(export.field.span, "exported here");
            self.findings.push(finding.help_if(fitting(found.kind)));
        }
    }

    /// The type of a reference; one that leads nowhere is reported.
    fn reference(&mut self, reference: &Reference) -> expressions::Known {
        match self.look(&reference.root, &reference.path, paths::MAX_HOPS) {
            Ok(known) => known,
            Err(missing) => {
                self.suggest = self.findings.len() < MAX_SUGGESTIONS;
                let finding = Diagnostic::error(missing.code, reference.span, missing.message);
                self.findings.push(finding.help_if(missing.help));
                Type::ANY.into()
            }
        }
    }
}

/// The declaration that would fit, if only one would.
fn fitting(found: Type) -> Option<String> {
    let mut fitting = ExportType::ALL
        .into_iter()
        .filter(|(_, declared)| found.is_only(Type::from(*declared)));
    match (fitting.next(), fitting.next()) {
        // An integer may be exported as a float as well, but hardly anybody means that.
        (Some((name, _)), None) | (Some((name, ExportType::Integer)), _) => {
            Some(format!("declare it as `{name}`"))
        }
        _ => None,
    }
}
