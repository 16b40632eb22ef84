//! In which order a resource is replaced.

use formwork_schema::{ResourceSchema, matches};
use serde::Serialize;
use serde_json::Value;

/// In which order a resource is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sequence {
    /// The new one is made, everything that refers to it is changed, and then the old one is deleted.
    CreateFirst,
    /// The old one is deleted to make room: both cannot be at the same time.
    DeleteFirst,
}

/// The order for a resource whose identifier and properties are these.
///
/// Both cannot be where the schema says so (`replacementStrategy`), and where the author has chosen a name
/// that stays the same: the old one still has it.
pub(crate) fn sequence(
    schema: &ResourceSchema,
    identifier: Option<&str>,
    live: &Value,
    desired: &Value,
) -> Sequence {
    let same_identifier = identifier.is_some() && schema.identifier(desired).as_deref() == identifier;
    if schema.deletes_first() || same_identifier || keeps_its_name(schema, live, desired) {
        Sequence::DeleteFirst
    } else {
        Sequence::CreateFirst
    }
}

/// True if the resource goes by a name of the author's that is not (all of) its identifier, and keeps it: a
/// topic is known by its ARN, yet no two have the same name.
fn keeps_its_name(schema: &ResourceSchema, live: &Value, desired: &Value) -> bool {
    let members = desired.as_object().into_iter().flatten();
    let mut names = members.filter(|(property, value)| {
        value.as_str().is_some_and(|name| !name.is_empty())
            && names_the_resource(schema.type_name(), property)
            && schema
                .create_only()
                .iter()
                .any(|pointer| matches(pointer, &format!("/{property}")))
    });
    names.any(|(property, name)| live.get(property) == Some(name))
}

/// `Name` and `TopicName` for a topic, `KeyName` for a key pair, `GroupName` for a security group.
fn names_the_resource(type_name: &str, property: &str) -> bool {
    let kind = type_name.rsplit("::").next().unwrap_or_default();
    property
        .strip_suffix("Name")
        .is_some_and(|stem| kind.starts_with(stem) || kind.ends_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(type_name: &str, identifier: &str, live: Value, desired: Value) -> Sequence {
        let schema = formwork_schema::load(type_name).unwrap().unwrap();
        sequence(&schema, Some(identifier), &live, &desired)
    }

    #[test]
    fn a_new_name_or_one_that_the_service_makes_up_is_created_first() {
        let queue = "AWS::SQS::Queue";
        let old = json!({"QueueName": "a", "FifoQueue": true});
        assert_eq!(
            of(queue, "https://sqs/a", old.clone(), json!({"QueueName": "b"})),
            Sequence::CreateFirst
        );
        assert_eq!(of(queue, "https://sqs/a", old, json!({})), Sequence::CreateFirst);
        let vpc = json!({"CidrBlock": "10.0.0.0/16"});
        assert_eq!(
            of("AWS::EC2::VPC", "vpc-1", vpc, json!({"CidrBlock": "10.1.0.0/16"})),
            Sequence::CreateFirst
        );
    }

    #[test]
    fn a_name_that_stays_is_freed_first_whether_it_is_the_identifier_or_not() {
        let table = json!({"TableName": "orders"});
        assert_eq!(
            of("AWS::DynamoDB::Table", "orders", table.clone(), table),
            Sequence::DeleteFirst
        );
        let topic = json!({"TopicName": "orders"});
        assert_eq!(
            of("AWS::SNS::Topic", "arn:aws:sns:x:1:orders", topic.clone(), topic),
            Sequence::DeleteFirst
        );
        let group = json!({"GroupName": "web", "GroupDescription": "a"});
        let other = json!({"GroupName": "web", "GroupDescription": "b"});
        assert_eq!(
            of("AWS::EC2::SecurityGroup", "sg-1", group, other),
            Sequence::DeleteFirst
        );
    }

    #[test]
    fn the_schema_may_ask_for_it() {
        let deletes_first = formwork_schema::bundled_types()
            .filter_map(|known| formwork_schema::load(known.name).ok().flatten())
            .find(|schema| schema.deletes_first() && schema.identifier(&json!({})).is_none())
            .unwrap();
        assert_eq!(
            sequence(&deletes_first, Some("x"), &json!({}), &json!({})),
            Sequence::DeleteFirst
        );
    }
}
