//! A small world for the checker: one resource type, a child blueprint, and two transforms.

use formwork_blueprint::{
    Checker, Children, Diagnostic, Include, Property, ResourceTypes, Segment, Side, Source, Span,
    Transformer, Tree, Type,
};

/// Knows the transforms and nothing else: types and children are not looked at.
pub(crate) fn little() -> Checker<'static> {
    Checker::new().transformer(&Same).transformer(&Anew)
}

/// Knows all of it.
pub(crate) fn all() -> Checker<'static> {
    little().resource_types(&Queues).children(&Core)
}

/// Leaves everything as it is.
struct Same;

/// Makes everything anew, which loses the places.
struct Anew;

impl Transformer for Same {
    fn name(&self) -> &str {
        "same"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        Ok(document)
    }
}

impl Transformer for Anew {
    fn name(&self) -> &str {
        "anew"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        Ok(Tree::new(&document.to_json(), Span::default()))
    }
}

/// `aws/sqs/queue`, as far as it goes.
struct Queues;

impl ResourceTypes for Queues {
    fn property(&self, type_name: &str, side: Side, path: &[Segment]) -> Property {
        if !matches!(type_name, "aws/sqs/queue" | "AWS::SQS::Queue") {
            return Property::NotKnown;
        }
        let names: Vec<&str> = path
            .iter()
            .map(|segment| match segment {
                Segment::Name(name) => name.as_str(),
                Segment::Index(_) => "[]",
            })
            .collect();
        match (names.as_slice(), side) {
            (["arn"], Side::State) | (["tags", "[]", "key"], _) => Property::Of(Type::STRING),
            (["delaySeconds"], _) => Property::Of(Type::INTEGER),
            (["tags"], _) => Property::Of(Type::LIST),
            (["tags", "[]"], _) => Property::Of(Type::MAP),
            (["policy", ..], _) => Property::FreeForm,
            (["secret"], _) => Property::WriteOnly,
            (known, _) => Property::Missing {
                at: known.len() - 1,
                within: Type::MAP,
                names: vec!["arn".to_owned()],
            },
        }
    }
}

/// `core.yaml` is a blueprint, `self.yaml` the parent once more; others cannot be read, or not now.
struct Core;

impl Children for Core {
    fn working_dir(&self) -> Option<String> {
        Some("here".to_owned())
    }

    fn read(&self, parent: &Source, include: &Include<'_>) -> Result<Option<Source>, String> {
        const CORE: &str = "version: 2023-04-20\n\
            variables: {size: {type: integer}}\n\
            resources: {topic: {type: aws/sns/topic}}\n\
            exports: {topic: {type: string, field: topic.state.arn}}\n";
        match include.path {
            "core.yaml" | "here/core.yaml" => Ok(Some(Source::new("core.yaml", CORE))),
            "self.yaml" => Ok(Some(parent.clone())),
            "" => Err("there is no such file".to_owned()),
            _ => Ok(None),
        }
    }
}
