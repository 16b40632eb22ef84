//! Resource type schemas, as the blueprint's checker asks for them.

use formwork_blueprint::{Draft, Property, ResourceTypes, Segment, Side, Type};
use formwork_schema::{Place, ResourceSchema, Step};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::sync::Arc;

/// The schemas of a blueprint's resources, by the types that its author has written.
pub(super) struct Types(HashMap<String, Arc<ResourceSchema>>);

impl Types {
    /// `found` is by resource; resources whose type is not known are not in it.
    pub(super) fn of(draft: &Draft, found: &IndexMap<String, Arc<ResourceSchema>>) -> Self {
        let mut types = HashMap::new();
        for (name, resource) in draft.resources() {
            if let Some(schema) = found.get(name)
                && !types.contains_key(&resource.type_name)
            {
                types.insert(resource.type_name.clone(), schema.clone());
            }
        }
        Types(types)
    }
}

impl ResourceTypes for Types {
    fn property(&self, type_name: &str, side: Side, path: &[Segment]) -> Property {
        let Some(schema) = self.0.get(type_name) else {
            return Property::NotKnown;
        };
        let steps: Vec<Step<'_>> = path
            .iter()
            .map(|segment| match segment {
                Segment::Name(name) => Step::Name(name),
                Segment::Index(index) => Step::Index(*index),
            })
            .collect();
        let place = match side {
            Side::State => schema.state_place(&steps),
            Side::Spec => schema.spec_place(&steps),
        };
        match place {
            Place::Of(words) => Property::Of(kind(&words)),
            Place::FreeForm => Property::FreeForm,
            Place::WriteOnly => Property::WriteOnly,
            Place::Missing { at, within, near } => Property::Missing {
                at,
                within: kind(&within),
                names: near,
            },
        }
    }
}

/// JSON Schema's words as a type; no words are no restriction.
fn kind(words: &[&str]) -> Type {
    let known = words.iter().map(|word| match *word {
        "string" => Type::STRING,
        "integer" => Type::INTEGER,
        "number" => Type::NUMBER,
        "boolean" => Type::BOOLEAN,
        "object" => Type::MAP,
        "array" => Type::LIST,
        "null" => Type::NULL,
        _ => Type::ANY,
    });
    known.reduce(Type::or).unwrap_or(Type::ANY)
}
