//! What others will see of a resource once it is deployed.

use crate::scope::Known;
use formwork_schema::{PropertyPointer, ResourceSchema, expand, strip};
use serde_json::Value;
use std::borrow::Cow;

/// What is expected of a resource after the deployment.
pub(super) struct Outlook<'a> {
    identifier: Option<String>,
    properties: Cow<'a, Value>,
    /// JSON Pointers of what is secret in it.
    hidden: Vec<String>,
    /// JSON Pointers of what is not known yet.
    unknown: Vec<String>,
    /// True if there will be more than `properties` has.
    partial: bool,
}

impl<'a> Outlook<'a> {
    /// It stays as it is.
    pub(super) fn unchanged(identifier: &str, live: &'a Value, hidden: Vec<String>) -> Self {
        Outlook {
            identifier: Some(identifier.to_owned()),
            properties: Cow::Borrowed(live),
            hidden,
            unknown: Vec::new(),
            partial: false,
        }
    }

    /// It is updated in place to `properties`. Its identifier stays, and so does what is made of it.
    pub(super) fn updated(
        schema: &ResourceSchema,
        identifier: &str,
        properties: Value,
        hidden: Vec<String>,
        mut unknown: Vec<String>,
    ) -> Self {
        for at in schema
            .read_only()
            .iter()
            .flat_map(|pointer| expand(pointer, &properties))
        {
            if !is_part_of_identifier(schema, &at)
                && let Some(value) = properties.pointer(&at)
            {
                unsteady(value, &mut at.clone(), identifier, &mut unknown);
            }
        }
        Outlook {
            identifier: Some(identifier.to_owned()),
            properties: Cow::Owned(properties),
            hidden,
            unknown,
            partial: true,
        }
    }

    /// It is made, or made anew: known is what its author says.
    pub(super) fn made(
        schema: &ResourceSchema,
        desired: &Value,
        hidden: Vec<String>,
        unknown: Vec<String>,
    ) -> Self {
        let is_open = |pointer: &PropertyPointer| {
            expand(pointer, desired).iter().any(|at| {
                unknown
                    .iter()
                    .any(|open| is_within(open, at) || is_within(at, open))
            })
        };
        let identifier = match schema.primary_identifier().iter().any(is_open) {
            true => None,
            false => schema.identifier(desired),
        };
        Outlook {
            identifier,
            properties: Cow::Owned(strip(desired, schema.write_only())),
            hidden,
            unknown,
            partial: true,
        }
    }

    pub(super) fn known(&self) -> Known<'_> {
        Known {
            identifier: self.identifier.as_deref(),
            live: Some(Cow::Borrowed(&self.properties)),
            hidden: self.hidden.iter().map(String::as_str).collect(),
            unknown: self.unknown.iter().map(String::as_str).collect(),
            partial: self.partial,
        }
    }
}

fn is_part_of_identifier(schema: &ResourceSchema, at: &str) -> bool {
    schema
        .primary_identifier()
        .iter()
        .any(|pointer| formwork_schema::matches(pointer, at))
}

/// True if `inner` is `outer`, or a part of it.
pub(crate) fn is_within(inner: &str, outer: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds what an update may change in a read-only value: everything but ARNs and what holds the identifier.
fn unsteady(value: &Value, at: &mut String, identifier: &str, found: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                unsteady(member, at, identifier, found);
                at.truncate(length);
            }
        }
        Value::String(text) if text.starts_with("arn:") || text.contains(identifier) => {}
        _ => found.push(at.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_update_leaves_identifiers_and_arns_known_and_other_read_only_values_open() {
        let schema = ResourceSchema::parse(
            &json!({
                "typeName": "A::B::C",
                "properties": {"Name": {}, "Arn": {}, "Endpoint": {"type": "object", "properties": {"Host": {}, "Port": {}}}, "Version": {}},
                "primaryIdentifier": ["/properties/Name"],
                "readOnlyProperties": ["/properties/Arn", "/properties/Endpoint", "/properties/Version"],
            })
            .to_string(),
        )
        .unwrap();
        let live = json!({"Name": "db", "Arn": "arn:aws:x:db", "Endpoint": {"Host": "db.example", "Port": 5432}, "Version": "7"});
        let outlook = Outlook::updated(&schema, "db", live, Vec::new(), Vec::new());
        assert_eq!(outlook.unknown, ["/Endpoint/Port", "/Version"]);
    }

    #[test]
    fn a_new_resource_is_known_by_what_its_author_says_and_no_further() {
        let queue = formwork_schema::load("AWS::DynamoDB::Table").unwrap().unwrap();
        let named = Outlook::made(&queue, &json!({"TableName": "t"}), Vec::new(), Vec::new());
        assert_eq!(named.known().identifier, Some("t"));
        let open = Outlook::made(
            &queue,
            &json!({"TableName": null}),
            Vec::new(),
            vec!["/TableName".into()],
        );
        assert_eq!(open.known().identifier, None);
    }
}
