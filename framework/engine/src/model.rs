//! A target checked against everything known about it before the first call.

pub(crate) mod check;
mod support;
mod types;
pub(crate) mod violations;

use crate::error::Problem;
use crate::mask::Mask;
use crate::order::Target;
use crate::ports::SchemaSource;
use crate::{Deployment, EngineError, Failure, Generation};
use formwork_blueprint::{Blueprint, Checker, Children, Segment, Severity, Source, Span, Template, Value};
use formwork_schema::ResourceSchema;
use indexmap::IndexMap;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// A blueprint that can be deployed: its language, types, properties and variables are right as far as
/// can be known before anything exists. Only [`Model::build`] makes one.
pub(crate) struct Model {
    pub(crate) source: Source,
    pub(crate) blueprint: Blueprint,
    pub(crate) variables: IndexMap<String, Value>,
    /// In the author's order.
    pub(crate) nodes: IndexMap<String, Node>,
    /// Names of the exports to compute.
    pub(crate) exports: Vec<String>,
    pub(crate) tags: BTreeMap<String, String>,
    /// The secret variables.
    pub(crate) mask: Mask,
    /// What the author should know although it can be deployed.
    pub(crate) warnings: Vec<Problem>,
}

/// How much of a target is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scrutiny {
    /// Everything.
    Whole,
    /// All but whether specifications fit their schemas, which takes half of the time: each is fitted again when
    /// its resource's turn comes.
    Language,
}

/// A resource of a model.
pub(crate) struct Node {
    pub(crate) schema: Arc<ResourceSchema>,
    /// Names of the resources that come first.
    pub(crate) depends_on: Vec<String>,
    /// How many resources stand on the longest way from here to the end.
    pub(crate) weight: u32,
}

impl Model {
    /// Checks a target.
    pub(crate) async fn build(target: &Target, schemas: &dyn SchemaSource) -> Result<Model, EngineError> {
        let draft = Checker::new().read(&target.source);
        check::build(target, draft, schemas, Scrutiny::Whole).await
    }

    /// The model of an order that was begun, and so was checked then.
    async fn restore(target: &Target, schemas: &dyn SchemaSource) -> Result<Model, EngineError> {
        let draft = Checker::new().read(&target.source);
        check::build(target, draft, schemas, Scrutiny::Language).await
    }

    /// Checks a target against the blueprints that it includes as well.
    pub(crate) async fn build_with(
        target: &Target,
        schemas: &dyn SchemaSource,
        children: &dyn Children,
    ) -> Result<Model, EngineError> {
        let draft = Checker::new().children(children).read(&target.source);
        check::build(target, draft, schemas, Scrutiny::Whole).await
    }

    /// Refuses what is valid but cannot be deployed by this version.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with the places.
    pub(crate) fn deployable(self) -> Result<Model, EngineError> {
        let gaps = self
            .warnings
            .iter()
            .filter(|problem| problem.code == crate::codes::NOT_DEPLOYABLE_YET);
        let problems: Vec<Problem> = gaps
            .map(|problem| Problem {
                severity: Severity::Error,
                ..problem.clone()
            })
            .collect();
        if problems.is_empty() {
            Ok(self)
        } else {
            Err(EngineError::Invalid { problems })
        }
    }

    /// The resource's definition and node.
    pub(crate) fn resource(&self, name: &str) -> Option<(&formwork_blueprint::Resource, &Node)> {
        Some((self.blueprint.resources.get(name)?, self.nodes.get(name)?))
    }

    /// Where a span is, as a person says it.
    pub(crate) fn location(&self, span: Span) -> String {
        self.source.location(span).to_string()
    }

    /// Where a property named by the schema (`Dns.Kind`) stands in a resource, or else the resource.
    pub(crate) fn locate(&self, name: &str, property: Option<&str>) -> Option<String> {
        let resource = self.blueprint.resources.get(name)?;
        let span = property
            .and_then(|property| find(&resource.spec, property))
            .unwrap_or(resource.span);
        Some(self.location(span))
    }

    /// A failure in this resource, with its place and without secrets.
    pub(crate) fn place(&self, mut failure: Failure) -> Failure {
        if let (None, Some(name)) = (&failure.location, &failure.resource) {
            failure.location = self.locate(name, failure.property.as_deref());
        }
        failure
    }
}

/// The model used last. Most orders are carried on by the engine that began them, at once or again and
/// again, and checking a large blueprint takes longer than all other work of a tick.
#[derive(Default)]
pub(crate) struct Latest {
    kept: Mutex<Option<(Key, Arc<Model>)>>,
}

/// An order: instances may come again under the same name, orders do not under the same salt.
type Key = (String, String, String, Generation);

impl Latest {
    pub(crate) fn keep(&self, deployment: &Deployment, model: Arc<Model>) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some((key(deployment), model));
    }

    /// The model of a stored order, if it is the one.
    pub(crate) fn known(&self, deployment: &Deployment) -> Option<Arc<Model>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, model) = kept.as_ref().filter(|(known, _)| *known == key(deployment))?;
        Some(model.clone())
    }

    /// The model of a stored order.
    pub(crate) async fn model(
        &self,
        deployment: &Deployment,
        target: &Target,
        schemas: &dyn SchemaSource,
    ) -> Result<Arc<Model>, EngineError> {
        if let Some(model) = self.known(deployment) {
            return Ok(model);
        }
        let model = Arc::new(Model::restore(target, schemas).await?);
        self.keep(deployment, model.clone());
        Ok(model)
    }
}

fn key(deployment: &Deployment) -> Key {
    (
        deployment.instance.clone(),
        deployment.salt.clone(),
        deployment.cause.clone(),
        deployment.generation,
    )
}

/// The place of a property, whose author may have spelt it with a small first letter.
fn find(spec: &Template, property: &str) -> Option<Span> {
    let mut path = Vec::new();
    let mut found = None;
    for part in property.split('.') {
        let mut candidates = vec![Segment::Name(part.to_owned()), Segment::Name(small_first(part))];
        if let Ok(index) = part.parse() {
            candidates.push(Segment::Index(index));
        }
        let before = spec.span_at(&path, false);
        let step = candidates.into_iter().find_map(|candidate| {
            let mut longer = path.clone();
            longer.push(candidate);
            let span = spec.span_at(&longer, false);
            (span != before).then_some((longer, span))
        });
        let Some((longer, span)) = step else { break };
        path = longer;
        found = Some(span);
    }
    found
}

pub(crate) fn small_first(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}

/// The longest way from each resource to the end, counted in resources.
pub(crate) fn weights(depends_on: &IndexMap<String, Vec<String>>) -> HashMap<String, u32> {
    let mut waiting: HashMap<&str, usize> = depends_on.keys().map(|name| (name.as_str(), 0)).collect();
    for dependency in depends_on.values().flatten() {
        if let Some(count) = waiting.get_mut(dependency.as_str()) {
            *count += 1;
        }
    }
    let mut ready: Vec<&str> = waiting
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(name, _)| *name)
        .collect();
    let mut weights: HashMap<String, u32> = depends_on.keys().map(|name| (name.clone(), 1)).collect();
    while let Some(name) = ready.pop() {
        let weight = weights.get(name).copied().unwrap_or(1);
        for dependency in depends_on.get(name).into_iter().flatten() {
            if let Some(known) = weights.get_mut(dependency) {
                *known = (*known).max(weight + 1);
            }
            if let Some(count) = waiting.get_mut(dependency.as_str()) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    ready.push(dependency);
                }
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_longest_way_to_the_end() {
        let graph = [
            ("a", vec![]),
            ("b", vec!["a"]),
            ("c", vec!["b", "a"]),
            ("d", vec!["a"]),
        ];
        let graph =
            graph.map(|(name, needs)| (name.to_owned(), needs.into_iter().map(str::to_owned).collect()));
        let weights = weights(&graph.into_iter().collect());
        assert_eq!(
            (weights["a"], weights["b"], weights["c"], weights["d"]),
            (3, 2, 1, 1)
        );
    }
}
