//! What a type offers its author: properties, their types and mutability, and the names of attributes.

use crate::pointer::{Relation, relation};
use crate::view::View;
use crate::{PropertyPointer, ResourceSchema};
use serde_json::Value;

/// What `state.<name>` means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A top-level property.
    Property(String),
    /// The primary identifier.
    Identifier,
}

/// One top-level property, for people to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property<'s> {
    /// As the schema spells it.
    pub name: &'s str,
    /// `string`, `integer`, `object`, `map`, `array of string`, `object or string`, `any`, ...
    pub kind: String,
    /// The author has to give it.
    pub required: bool,
    /// Only the service sets it.
    pub read_only: bool,
    /// Never returned by a read.
    pub write_only: bool,
    /// Changing it replaces the resource.
    pub create_only: bool,
    /// Changing it may replace the resource.
    pub conditional_create_only: bool,
    /// First words of AWS's own documentation, if any.
    pub description: Option<&'s str>,
}

impl ResourceSchema {
    /// The top-level properties in the schema's order.
    pub fn properties(&self) -> impl Iterator<Item = Property<'_>> {
        let root = self.view();
        let required = required(&root);
        root.property_names().into_iter().map(move |name| {
            let view = root.member(name);
            let path = [name.to_owned()];
            let listed = |pointers: &[PropertyPointer]| {
                pointers
                    .iter()
                    .any(|pointer| relation(pointer.segments(), &path) == Relation::Same)
            };
            let read_only = listed(&self.read_only);
            Property {
                name,
                kind: kind(&view, 4),
                required: required.contains(&name) && !read_only,
                read_only,
                write_only: listed(&self.write_only),
                create_only: listed(&self.create_only),
                conditional_create_only: listed(&self.conditional_create_only),
                description: view.keyword("description").and_then(Value::as_str),
            }
        })
    }

    /// The pointer that `state.<name>` means: exact property, then case of first letter ignored, then the
    /// resource's name as prefix dropped (`functionArn` -> `Arn`), then `id` for the primary identifier
    /// (`None` inside).
    ///
    /// # Errors
    /// Names near `name`, best first.
    pub fn attribute(&self, name: &str) -> Result<Attribute, Vec<String>> {
        let root = self.view();
        if let Some(declared) = root.name_of(name) {
            return Ok(Attribute::Property(declared.to_owned()));
        }
        let resource = self.type_name.rsplit("::").next().unwrap_or_default();
        if let Some(rest) = without_prefix(name, resource) {
            if let Some(declared) = root.name_of(rest) {
                return Ok(Attribute::Property(declared.to_owned()));
            }
            if rest.eq_ignore_ascii_case("id") {
                return Ok(Attribute::Identifier);
            }
        }
        if name.eq_ignore_ascii_case("id") {
            return Ok(Attribute::Identifier);
        }
        Err(near(name, root.property_names()))
    }

    /// The name the schema gives to `name` as a child of the property at `parent` (no case of first
    /// letter), `None` if that is no declared property (a map, free-form JSON).
    pub fn property_name(&self, parent: &[String], name: &str) -> Option<String> {
        let root = self.view();
        let view = parent.iter().fold(root, |view, segment| {
            let declared = view.name_of(segment).map(str::to_owned);
            view.at(&[declared.unwrap_or_else(|| segment.clone())])
        });
        view.name_of(name).map(str::to_owned)
    }
}

/// Up to three of `candidates` that resemble `name`, best first.
pub(crate) fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.82)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, candidate)| spelled_like(name, candidate))
        .collect()
}

/// A declared name with its leading capitals lowered if the author writes names that way:
/// `DBInstanceClass` is `dbInstanceClass` to who wrote `dbInstanceClas`.
fn spelled_like(name: &str, declared: &str) -> String {
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return declared.to_owned();
    }
    let capitals = declared.bytes().take_while(u8::is_ascii_uppercase).count();
    // The last capital of several begins the next word, unless nothing follows.
    let lowered = if capitals > 1 && capitals < declared.len() {
        capitals - 1
    } else {
        capitals
    };
    declared
        .chars()
        .enumerate()
        .map(|(index, letter)| {
            if index < lowered {
                letter.to_ascii_lowercase()
            } else {
                letter
            }
        })
        .collect()
}

/// The names that `required` lists at this place itself (not in one branch of several).
fn required<'s>(view: &View<'s>) -> Vec<&'s str> {
    view.keyword("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn kind(view: &View<'_>, depth: usize) -> String {
    // A list may be one of lists of itself.
    let Some(depth) = depth.checked_sub(1) else {
        return "any".to_owned();
    };
    let words: Vec<String> = view
        .types()
        .into_iter()
        .map(|word| match word {
            "array" => format!("array of {}", kind(&view.items(), depth)),
            "object" if view.is_map() => "map".to_owned(),
            word => word.to_owned(),
        })
        .collect();
    match (words.is_empty(), view.has_properties()) {
        (false, _) => words.join(" or "),
        (true, true) => "object".to_owned(),
        (true, false) => "any".to_owned(),
    }
}

fn without_prefix<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    let start = name.get(..prefix.len())?;
    let rest = name.get(prefix.len()..)?;
    (start.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str) -> ResourceSchema {
        crate::load(name).unwrap().unwrap()
    }

    #[test]
    fn a_suggestion_is_spelled_as_its_author_spells() {
        for (written, declared, suggested) in [
            ("queueNam", "QueueName", "queueName"),
            ("QueueNam", "QueueName", "QueueName"),
            ("dbInstanceClas", "DBInstanceClass", "dbInstanceClass"),
            ("ar", "ARN", "arn"),
            ("x", "", ""),
        ] {
            assert_eq!(spelled_like(written, declared), suggested, "{written}");
        }
    }

    #[test]
    fn attributes_are_found_by_the_names_people_use() {
        let property = |name: &str| Ok(Attribute::Property(name.to_owned()));
        for (type_name, name, expected) in [
            ("AWS::Lambda::Function", "Arn", property("Arn")),
            ("AWS::Lambda::Function", "arn", property("Arn")),
            ("AWS::Lambda::Function", "functionArn", property("Arn")),
            ("AWS::Lambda::Function", "functionName", property("FunctionName")),
            ("AWS::Lambda::Function", "id", Ok(Attribute::Identifier)),
            ("AWS::EC2::VPC", "vpcId", property("VpcId")),
            ("AWS::MemoryDB::Cluster", "arn", property("ARN")),
            ("AWS::SNS::Topic", "topicArn", property("TopicArn")),
            ("AWS::SQS::Queue", "queueId", Ok(Attribute::Identifier)),
            (
                "AWS::SQS::Queue",
                "queueUrll",
                Err(vec!["queueUrl".to_owned(), "queueName".to_owned()]),
            ),
            ("AWS::SQS::Queue", "zzz", Err(vec![])),
        ] {
            assert_eq!(load(type_name).attribute(name), expected, "{type_name} {name}");
        }
    }

    #[test]
    fn names_are_found_at_any_depth_but_not_in_maps() {
        let function = load("AWS::Lambda::Function");
        let name = |parent: &[&str], name: &str| {
            function.property_name(
                &parent
                    .iter()
                    .map(|segment| (*segment).to_owned())
                    .collect::<Vec<_>>(),
                name,
            )
        };
        assert_eq!(name(&[], "memorySize").as_deref(), Some("MemorySize"));
        assert_eq!(name(&["environment"], "variables").as_deref(), Some("Variables"));
        assert_eq!(name(&["environment", "variables"], "memorySize"), None);
        assert_eq!(name(&["tags", "0"], "key").as_deref(), Some("Key"));
    }

    #[test]
    fn a_list_of_itself_is_described_as_far_as_anyone_reads() {
        let schema = ResourceSchema::parse(
            r##"{"typeName": "A::B::C", "properties": {"L": {"$ref": "#/definitions/L"}},
                "definitions": {"L": {"type": "array", "items": {"$ref": "#/definitions/L"}}}}"##,
        );
        let kind = schema.unwrap().properties().next().unwrap().kind;
        assert_eq!(kind, "array of array of array of array of any");
    }

    #[test]
    fn properties_are_described() {
        let queue = load("AWS::SQS::Queue");
        let found: Vec<Property<'_>> = queue.properties().collect();
        let of = |name: &str| found.iter().find(|property| property.name == name).unwrap();
        assert!(of("QueueUrl").read_only && !of("QueueUrl").required);
        assert!(of("QueueName").create_only);
        assert_eq!(of("DelaySeconds").kind, "integer");
        assert_eq!(of("RedrivePolicy").kind, "object or string");
        assert!(of("Tags").kind.starts_with("array of "));
        assert!(of("DelaySeconds").description.unwrap().contains("seconds"));
        let parameter = load("AWS::SSM::Parameter");
        assert!(
            parameter
                .properties()
                .any(|property| property.name == "Value" && property.required)
        );
    }
}
