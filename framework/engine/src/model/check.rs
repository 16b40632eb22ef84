//! Building a [`Model`]: every problem is found before any is reported.

use super::types::Types;
use super::{Model, Node, Scrutiny, support, violations, weights};
use crate::EngineError;
use crate::codes;
use crate::error::Problem;
use crate::mask::Mask;
use crate::order::Target;
use crate::ports::{SchemaSource, SchemaSourceError};
use crate::scope::Scope;
use formwork_blueprint::{
    Blueprint, Draft, Kind, Resource, Segment, Severity, Source, Span, Value, evaluate,
};
use formwork_schema::{ResourceSchema, resolve_type};
use indexmap::IndexMap;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Goes on from what the language says about the target's blueprint.
pub(super) async fn build(
    target: &Target,
    draft: Draft,
    schemas: &dyn SchemaSource,
    scrutiny: Scrutiny,
) -> Result<Model, EngineError> {
    let source = target.source.clone();
    let mut findings = Findings {
        source: &source,
        list: Vec::new(),
    };
    let found = match find_schemas(&draft, schemas, &mut findings).await {
        Ok(found) => found,
        // Whoever has written errors wants to read of them first.
        Err(_) if !draft.is_sound() => IndexMap::new(),
        Err(error) => return Err(error),
    };
    // A reference that its type refuses is no reason to say nothing of values and properties.
    let refused = draft.check_types(&Types::of(&draft, &found));
    let checked = draft.check(None);
    for diagnostic in refused.iter().chain(&checked.diagnostics) {
        findings
            .list
            .push((diagnostic.span, Problem::of(diagnostic, &source)));
    }
    let Some(blueprint) = checked.blueprint else {
        return Err(findings.into_error());
    };

    let variables = match blueprint.bind(&target.variables) {
        Ok(variables) => variables,
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                findings
                    .list
                    .push((diagnostic.span, Problem::of(diagnostic, &source)));
            }
            blueprint
                .variables
                .iter()
                .map(|(name, variable)| {
                    (
                        name.clone(),
                        Value {
                            kind: Kind::Unknown,
                            secret: variable.secret,
                        },
                    )
                })
                .collect()
        }
    };

    for gap in support::gaps(&blueprint) {
        findings.warning(gap.span, codes::NOT_DEPLOYABLE_YET, gap.message, gap.help);
    }
    let exports = choose_exports(&blueprint, target, &mut findings);
    let depends_on: IndexMap<String, Vec<String>> = blueprint
        .resources
        .iter()
        .map(|(name, resource)| (name.clone(), resource.depends_on.resources.clone()))
        .collect();
    let weights = weights(&depends_on);
    let nodes = blueprint
        .resources
        .keys()
        .filter_map(|name| {
            let schema = found.get(name)?.clone();
            let depends_on = depends_on.get(name).cloned().unwrap_or_default();
            Some((
                name.clone(),
                Node {
                    schema,
                    depends_on,
                    weight: weights.get(name).copied().unwrap_or(1),
                },
            ))
        })
        .collect();

    let mask = Mask::of(variables.values());
    let mut model = Model {
        source: source.clone(),
        blueprint,
        variables,
        nodes,
        exports,
        tags: target.tags.clone(),
        mask,
        warnings: Vec::new(),
    };
    if scrutiny == Scrutiny::Whole {
        check_specs(&model, &mut findings);
    }

    if findings
        .list
        .iter()
        .any(|(_, problem)| problem.severity == Severity::Error)
    {
        return Err(findings.into_error());
    }
    model.warnings = findings.sorted();
    Ok(model)
}

struct Findings<'a> {
    source: &'a Source,
    list: Vec<(Span, Problem)>,
}

impl Findings<'_> {
    fn error(&mut self, span: Span, code: &str, message: String, help: Option<String>) {
        self.add(Severity::Error, span, code, message, help);
    }

    fn warning(&mut self, span: Span, code: &str, message: String, help: &str) {
        self.add(Severity::Warning, span, code, message, Some(help.to_owned()));
    }

    fn add(&mut self, severity: Severity, span: Span, code: &str, message: String, help: Option<String>) {
        let position = self.source.location(span);
        let problem = Problem {
            code: code.to_owned(),
            severity,
            location: Some(position.to_string()),
            position: Some(position),
            span: Some(span),
            labels: Vec::new(),
            message,
            help,
        };
        self.list.push((span, problem));
    }

    fn sorted(mut self) -> Vec<Problem> {
        self.list.sort_by(|(span, problem), (other_span, other)| {
            (span, &problem.code, &problem.message).cmp(&(other_span, &other.code, &other.message))
        });
        self.list.dedup();
        self.list.into_iter().map(|(_, problem)| problem).collect()
    }

    fn into_error(self) -> EngineError {
        EngineError::Invalid {
            problems: self.sorted(),
        }
    }
}

/// The schema of each resource; types are asked for all at once, each one once.
async fn find_schemas(
    draft: &Draft,
    schemas: &dyn SchemaSource,
    findings: &mut Findings<'_>,
) -> Result<IndexMap<String, Arc<ResourceSchema>>, EngineError> {
    let mut wanted: BTreeMap<String, Vec<(&str, Span)>> = BTreeMap::new();
    // Most of many resources are of few types.
    let mut resolved = HashMap::new();
    for (name, resource) in draft.resources() {
        let written = resource.type_name.as_str();
        match resolved.entry(written).or_insert_with(|| resolve_type(written)) {
            Ok(type_name) => wanted
                .entry(type_name.clone())
                .or_default()
                .push((name, resource.type_span)),
            Err(unknown) => {
                let help = did_you_mean(&unknown.suggestions);
                findings.error(resource.type_span, codes::UNKNOWN_TYPE, unknown.to_string(), help);
            }
        }
    }
    let answers: Vec<Result<Option<Arc<ResourceSchema>>, SchemaSourceError>> =
        futures_util::future::join_all(wanted.keys().map(|type_name| schemas.schema(type_name))).await;

    let mut found = IndexMap::new();
    for ((type_name, names), answer) in wanted.iter().zip(answers) {
        let schema = answer?;
        for (name, span) in names {
            let span = *span;
            match &schema {
                None => findings.error(span, codes::UNKNOWN_TYPE, format!("there is no resource type `{type_name}`"), None),
                Some(schema) if !schema.handlers().create => findings.error(
                    span,
                    codes::UNSUPPORTED_TYPE,
                    format!("resources of type `{type_name}` cannot be created: the type has no create handler"),
                    Some("use another type, or create the resource outside the blueprint and pass its name in a variable".into()),
                ),
                Some(schema) => {
                    found.insert((*name).to_owned(), schema.clone());
                }
            }
        }
    }
    Ok(found)
}

fn choose_exports(blueprint: &Blueprint, target: &Target, findings: &mut Findings<'_>) -> Vec<String> {
    let Some(chosen) = &target.exports else {
        return blueprint.exports.keys().cloned().collect();
    };
    for name in chosen
        .iter()
        .filter(|name| !blueprint.exports.contains_key(*name))
    {
        let near = nearest(name, blueprint.exports.keys().map(String::as_str));
        findings.error(
            Span::default(),
            codes::UNKNOWN_EXPORT,
            format!("the blueprint has no export `{name}`"),
            did_you_mean(&near),
        );
    }
    blueprint
        .exports
        .keys()
        .filter(|name| chosen.contains(name))
        .cloned()
        .collect()
}

/// Fits every specification to its schema, with what is not known yet taken to be right.
fn check_specs(model: &Model, findings: &mut Findings<'_>) {
    let scope = Scope::before(model);
    for (name, node) in &model.nodes {
        let Some(resource) = model.blueprint.resources.get(name) else {
            continue;
        };
        let value = match evaluate(&resource.spec, &scope) {
            Ok(value) => value,
            Err(error) => {
                findings.error(error.span, error.code, error.message, error.help);
                continue;
            }
        };
        let unknown = value.unknown_pointers().into_iter().collect();
        let conformed = node.schema.conform(&value.to_json(), &unknown);
        for violation in violations::tellable(conformed.violations, &value) {
            let span = span_of(resource, &value, &violation.given, violation.key);
            findings.error(
                span,
                violation.keyword,
                format!("`{name}`: {}", violations::with_property(&violation)),
                violation.help,
            );
        }
    }
}

/// Where a JSON Pointer into an evaluated specification stands in its text.
pub(crate) fn span_of(resource: &Resource, value: &Value, pointer: &str, key: bool) -> Span {
    let mut path = Vec::new();
    let mut at = Some(value);
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let (segment, next) = match (at.map(|value| &value.kind), part.parse::<usize>()) {
            (Some(Kind::List(elements)), Ok(index)) => (Segment::Index(index), elements.get(index)),
            (Some(Kind::Map(members)), _) => {
                let next = members.get(&part);
                (Segment::Name(part), next)
            }
            _ => (Segment::Name(part), None),
        };
        path.push(segment);
        at = next;
    }
    if path.is_empty() {
        resource.span
    } else {
        resource.spec.span_at(&path, key)
    }
}

fn did_you_mean(names: &[String]) -> Option<String> {
    let names: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = wanted.chars().count() / 3 + 1;
    let wanted = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort();
    near.into_iter().map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        assert_eq!(
            nearest("queueNme", ["topicName", "queueNames", "queueName"].into_iter()),
            ["queueName", "queueNames"]
        );
        assert!(nearest("x", ["completelyElse"].into_iter()).is_empty());
    }
}
