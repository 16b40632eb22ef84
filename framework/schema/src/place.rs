//! Where a path into a resource leads, by its type alone.

use crate::describe::near;
use crate::pointer::{Relation, relation};
use crate::view::View;
use crate::{Attribute, ResourceSchema};
use serde_json::Value;

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'p> {
    /// A property, or a key of a map.
    Name(&'p str),
    /// An item of an array.
    Index(usize),
}

/// What a type says about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place<'s> {
    /// The words of JSON Schema for what may be there: `string`, `object`, ...; none if anything may.
    Of(Vec<&'s str>),
    /// It lies in an object or array of which the schema says nothing.
    FreeForm,
    /// It is there, but no read ever returns it.
    WriteOnly,
    /// It cannot be there.
    Missing {
        /// The index of the step that leads nowhere.
        at: usize,
        /// The words for what that step is taken from.
        within: Vec<&'s str>,
        /// Names that resemble the step's, best first, spelled as its author spells.
        near: Vec<String>,
    },
}

impl ResourceSchema {
    /// Where a path into what is deployed leads. Its first step is an attribute: see
    /// [`ResourceSchema::attribute`].
    pub fn state_place(&self, path: &[Step<'_>]) -> Place<'_> {
        let Some((Step::Name(name), rest)) = path.split_first() else {
            return nowhere(0, &self.view(), path.first());
        };
        match self.attribute(name) {
            Ok(Attribute::Identifier) if rest.is_empty() => Place::Of(vec!["string"]),
            Ok(Attribute::Identifier) => Place::Missing {
                at: 1,
                within: vec!["string"],
                near: Vec::new(),
            },
            Ok(Attribute::Property(property)) => {
                let mut walked = vec![property];
                let place = self.walk(&mut walked, path);
                let hidden = self
                    .write_only
                    .iter()
                    .any(|pointer| matches!(relation(pointer.segments(), &walked), Relation::Same));
                match place {
                    Place::Of(_) | Place::FreeForm if hidden => Place::WriteOnly,
                    place => place,
                }
            }
            Err(near) => Place::Missing {
                at: 0,
                within: vec!["object"],
                near,
            },
        }
    }

    /// Where a path into a specification leads, whether its author has given it or the service fills it in.
    pub fn spec_place(&self, path: &[Step<'_>]) -> Place<'_> {
        let root = self.view();
        let Some((Step::Name(name), _)) = path.split_first() else {
            return nowhere(0, &root, path.first());
        };
        match root.name_of(name) {
            Some(declared) => self.walk(&mut vec![declared.to_owned()], path),
            None => nowhere(0, &root, path.first()),
        }
    }

    /// Goes on from the property in `walked`, which is extended by the schema's names of what is passed.
    fn walk(&self, walked: &mut Vec<String>, path: &[Step<'_>]) -> Place<'_> {
        let root = self.view();
        let mut view = walked.first().map(|name| root.member(name)).unwrap_or_default();
        for (at, step) in path.iter().enumerate().skip(1) {
            let next = match step {
                Step::Name(name) => match view.name_of(name).map(str::to_owned) {
                    Some(declared) => {
                        let next = view.member(&declared);
                        walked.push(declared);
                        Some(next)
                    }
                    None if view.is_map() => {
                        walked.push((*name).to_owned());
                        Some(view.map_values())
                    }
                    None => None,
                },
                Step::Index(_) if view.has("items") => {
                    walked.push("*".to_owned());
                    Some(view.items())
                }
                Step::Index(_) => None,
            };
            match next {
                Some(next) => view = next,
                None if is_open(&view, step) => return Place::FreeForm,
                None => return nowhere(at, &view, Some(step)),
            }
        }
        Place::Of(types(&view))
    }
}

/// True if the schema leaves open what is inside.
fn is_open(view: &View<'_>, step: &Step<'_>) -> bool {
    match step {
        Step::Name(_) => {
            let closed =
                view.has_properties() && view.keyword("additionalProperties") == Some(&Value::Bool(false));
            view.may_be("object") && !closed
        }
        Step::Index(_) => view.may_be("array"),
    }
}

fn nowhere<'s>(at: usize, view: &View<'s>, step: Option<&Step<'_>>) -> Place<'s> {
    let near = match step {
        Some(Step::Name(name)) => near(name, view.property_names()),
        _ => Vec::new(),
    };
    Place::Missing {
        at,
        within: types(view),
        near,
    }
}

/// The words declared, with those that follow from the keywords.
fn types<'s>(view: &View<'s>) -> Vec<&'s str> {
    let words = view.types();
    if words.is_empty() && (view.has_properties() || view.is_map()) {
        return vec!["object"];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str) -> ResourceSchema {
        crate::load(name).unwrap().unwrap()
    }

    /// `a.b[0]` as steps.
    fn steps(path: &str) -> Vec<Step<'_>> {
        path.split(['.', '['])
            .map(|part| match part.trim_end_matches(']').parse() {
                Ok(index) => Step::Index(index),
                Err(_) => Step::Name(part),
            })
            .collect()
    }

    /// The place in a word or two.
    fn told(place: Place<'_>) -> String {
        match place {
            Place::Of(words) => words.join("|"),
            Place::FreeForm => "free form".to_owned(),
            Place::WriteOnly => "write-only".to_owned(),
            Place::Missing { at, within, near } => {
                format!("no step {at} in {} ({})", within.join("|"), near.join(" "))
            }
        }
    }

    #[test]
    fn paths_into_the_state_lead_somewhere_or_end() {
        for (type_name, path, expected) in [
            ("AWS::SQS::Queue", "arn", "string"),
            ("AWS::SQS::Queue", "queueId", "string"),
            ("AWS::SQS::Queue", "delaySeconds", "integer"),
            (
                "AWS::SQS::Queue",
                "queueUrll",
                "no step 0 in object (queueUrl queueName)",
            ),
            ("AWS::SQS::Queue", "arn.x", "no step 1 in string ()"),
            ("AWS::SQS::Queue", "arn[0]", "no step 1 in string ()"),
            ("AWS::SQS::Queue", "id.x", "no step 1 in string ()"),
            ("AWS::SQS::Queue", "redrivePolicy.maxReceiveCount", "free form"),
            ("AWS::SQS::Queue", "tags", "array"),
            ("AWS::SQS::Queue", "tags[0].key", "string"),
            ("AWS::SQS::Queue", "tags[0].keyy", "no step 2 in object (key)"),
            ("AWS::SQS::Queue", "tags.key", "no step 1 in array ()"),
            ("AWS::Lambda::Function", "functionArn", "string"),
            (
                "AWS::Lambda::Function",
                "environment.variables.ANYTHING",
                "string",
            ),
            (
                "AWS::Lambda::Function",
                "environment.variable",
                "no step 1 in object (variables)",
            ),
            ("AWS::Lambda::Function", "code.zipFile", "write-only"),
            ("AWS::RDS::DBInstance", "endpoint.address", "string"),
            ("AWS::RDS::DBInstance", "masterUserPassword", "write-only"),
        ] {
            assert_eq!(
                told(load(type_name).state_place(&steps(path))),
                expected,
                "{type_name} {path}"
            );
        }
    }

    #[test]
    fn paths_into_the_spec_use_properties_only() {
        for (path, expected) in [
            ("delaySeconds", "integer"),
            ("DelaySeconds", "integer"),
            ("queueId", "no step 0 in object (queueUrl queueName)"),
            ("delaySecond", "no step 0 in object (delaySeconds)"),
            ("[0]", "no step 0 in object ()"),
        ] {
            assert_eq!(
                told(load("AWS::SQS::Queue").spec_place(&steps(path))),
                expected,
                "{path}"
            );
        }
    }
}
