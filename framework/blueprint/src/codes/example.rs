//! What the examples of codes lead to.

use super::Code;
use crate::{
    Checker, Children, Diagnostic, Include, Property, Reference, ResourceTypes, Root, Scope, Segment, Side,
    Source, Transformer, Tree, Type, Value, evaluate,
};
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;

impl Code {
    /// The example as a whole document: with a version, with a resource if it has none, and with every
    /// `«text×n»` replaced by that text, n times; a `#` in it counts them.
    pub fn document(&self) -> String {
        let example = repeated(self.example);
        if example.starts_with('{') || example.contains("version") {
            return example;
        }
        let resources = if example.contains("resources:") || example.contains("include:") {
            ""
        } else {
            "\nresources: {queue: {type: aws/sqs/queue}}"
        };
        format!("version: 2023-04-20\n{example}{resources}\n")
    }

    /// Checks the example, and if it needs a run binds its values and evaluates it: what is found where.
    pub fn findings(&self) -> (Source, Vec<Diagnostic>) {
        // What no text can hold is shown as most viewers show it.
        let latin = |text: &str| text.replace('\u{fffd}', "\u{1}").into_bytes();
        let mut bytes = latin(&self.document());
        bytes
            .iter_mut()
            .filter(|byte| **byte == 1)
            .for_each(|byte| *byte = 0xfc);
        let source = Source::from_bytes("blueprint", bytes);
        let checked = Checker::new()
            .transformer(&Unchanged)
            .resource_types(&Letters)
            .children(&Shelf)
            .check(&source);
        let findings = match (&self.run, checked.blueprint) {
            (Some(run), Some(blueprint)) => {
                let resources = object(run.resources);
                match blueprint.bind(&object(&repeated(run.variables))) {
                    Err(findings) => findings,
                    Ok(variables) => {
                        let scope = Deployed {
                            variables: Value::from(crate::Kind::Map(variables)),
                            resources: Value::from_json(&Json::Object(resources)),
                        };
                        evaluate(&blueprint.metadata, &scope)
                            .err()
                            .map(Diagnostic::from)
                            .into_iter()
                            .collect()
                    }
                }
            }
            _ => checked.diagnostics,
        };
        (source, findings)
    }
}

/// The transform that examples know.
struct Unchanged;

impl Transformer for Unchanged {
    fn name(&self) -> &str {
        "celerity-2023-04-20"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        Ok(document)
    }
}

/// The resource type that examples know: letters have an address.
struct Letters;

impl ResourceTypes for Letters {
    fn property(&self, type_name: &str, _: Side, path: &[Segment]) -> Property {
        match path {
            _ if type_name != "post/letter" => Property::NotKnown,
            [Segment::Name(name)] if name == "address" => Property::Of(Type::STRING),
            _ => Property::Missing {
                at: 0,
                within: Type::MAP,
                names: vec!["address".to_owned()],
            },
        }
    }
}

/// The blueprints that examples include.
struct Shelf;

impl Children for Shelf {
    fn read(&self, parent: &Source, include: &Include<'_>) -> Result<Option<Source>, String> {
        let level = include.path.strip_prefix("level-");
        let level = level.and_then(|rest| rest.strip_suffix(".yaml")?.parse::<u32>().ok());
        let text = match (include.path, level) {
            ("core.yaml", _) => CORE.to_owned(),
            ("broken.yaml", _) => "version: 2023-04-20\nresources: {queue: {type: queue}}\n".to_owned(),
            ("blueprint", _) => parent.text().to_owned(),
            ("missing.yaml", _) => return Err("there is no such file".to_owned()),
            (_, Some(level)) => format!(
                "version: 2023-04-20\ninclude: {{next: {{path: level-{}.yaml}}}}\n",
                level + 1
            ),
            _ => return Ok(None),
        };
        Ok(Some(Source::new(include.path, text)))
    }
}

/// The child that examples compare with.
const CORE: &str = "
version: 2023-04-20
variables: {size: {type: integer}}
resources: {topic: {type: aws/sns/topic}}
exports: {topic: {type: string, field: resources.topic.state.arn}}
";

fn object(json: &str) -> Map<String, Json> {
    match serde_json::from_str(json) {
        Ok(Json::Object(members)) => members,
        _ => Map::new(),
    }
}

/// What an example's references lead to.
struct Deployed {
    variables: Value,
    resources: Value,
}

impl Scope for Deployed {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let section = match &reference.root {
            Root::Variable(_) => &self.variables,
            _ => &self.resources,
        };
        let name = Segment::Name(reference.root.name().to_owned());
        let path: Vec<Segment> = std::iter::once(name)
            .chain(reference.path.iter().cloned())
            .collect();
        section.at(&path)
    }
}

fn repeated(example: &str) -> String {
    let mut out = String::new();
    let mut rest = example;
    while let Some((before, (text, times), after)) = repetition(rest) {
        out.push_str(before);
        match text.split_once('#') {
            None => out.push_str(&text.repeat(times)),
            Some((left, right)) => (1..=times).for_each(|number| {
                let _infallible = write!(out, "{left}{number}{right}");
            }),
        }
        rest = after;
    }
    out + rest
}

/// What stands before the first repetition, the repetition, and what stands after it.
fn repetition(text: &str) -> Option<(&str, (&str, usize), &str)> {
    let (before, rest) = text.split_once('«')?;
    let (inside, after) = rest.split_once('»')?;
    let (unit, times) = inside.rsplit_once('×')?;
    Some((before, (unit, times.parse().ok()?), after))
}
