//! The IAM policy that deploying some resource types takes.

use formwork_schema::ResourceSchema;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the engine asks of Cloud Control itself.
const CLOUD_CONTROL: [&str; 7] = [
    "cloudformation:CancelResourceRequest",
    "cloudformation:CreateResource",
    "cloudformation:DeleteResource",
    "cloudformation:GetResource",
    "cloudformation:GetResourceRequestStatus",
    "cloudformation:ListResourceRequests",
    "cloudformation:UpdateResource",
];

/// The handlers that a deployment uses.
const HANDLERS: [&str; 4] = ["create", "read", "update", "delete"];

/// The longest managed policy, without white space.
const LONGEST_POLICY: usize = 6_144;

/// A policy, and what its reader should know.
pub struct Permissions {
    /// The policy document.
    pub policy: Value,
    /// One line each.
    pub notes: Vec<String>,
}

/// The least that deploying resources of these types takes, by what their handlers declare.
pub fn permissions<'s>(schemas: impl IntoIterator<Item = &'s ResourceSchema>) -> Permissions {
    // By their names in small letters: IAM does not tell capitals apart, and schemas spell some both ways.
    let mut actions: BTreeMap<String, String> = BTreeMap::new();
    let mut greedy: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for schema in schemas {
        for declared in HANDLERS.iter().flat_map(|handler| schema.permissions(handler)) {
            let Some(action) = plain(declared) else { continue };
            if action.ends_with(":*") {
                let types = greedy.entry(action.clone()).or_default();
                if types.last() != Some(&schema.type_name()) {
                    types.push(schema.type_name());
                }
            }
            let known = actions
                .entry(action.to_lowercase())
                .or_insert_with(|| action.clone());
            // One spelling, whichever type comes first.
            if action < *known {
                *known = action;
            }
        }
    }
    let wildcards: Vec<String> = actions
        .keys()
        .filter(|action| action.ends_with('*'))
        .cloned()
        .collect();
    actions.retain(|action, _| !wildcards.iter().any(|wildcard| covers(wildcard, action)));
    for action in CLOUD_CONTROL {
        actions.remove(&action.to_lowercase());
    }
    let passes_roles = actions.remove("iam:passrole").is_some();

    let mut services: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for action in actions.into_values() {
        let service = action.split(':').next().unwrap_or_default().to_owned();
        services.entry(service).or_default().push(action);
    }
    let mut statements = vec![statement("CloudControl", &CLOUD_CONTROL.map(str::to_owned))];
    statements.extend(
        services
            .iter()
            .map(|(service, actions)| statement(&sid(service), actions)),
    );
    let mut notes = Vec::new();
    if passes_roles {
        statements.push(statement("PassRole", &["iam:PassRole".to_owned()]));
        notes
            .push("`PassRole` is for every role: name the roles of the blueprint as its Resource".to_owned());
    }
    for (action, types) in greedy {
        notes.push(format!("{} asks for all of `{action}`", types.join(" and ")));
    }
    let policy = json!({ "Version": "2012-10-17", "Statement": statements });
    let length = policy.to_string().len();
    if length > LONGEST_POLICY {
        notes.push(format!(
            "the policy has {length} characters, and a managed policy takes {LONGEST_POLICY}: make one of each few statements"
        ));
    }
    Permissions { policy, notes }
}

/// An action as IAM writes it. What schemas declare besides (`""`, `s3:REST.PUT.OBJECT`) is no action.
fn plain(declared: &str) -> Option<String> {
    let (service, name) = declared.trim().split_once(':')?;
    let is_service = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'*';
    if service.is_empty() || name.is_empty() || !service.bytes().all(is_service) || !name.bytes().all(is_name)
    {
        return None;
    }
    let mut letters = name.chars();
    let first = letters.next()?.to_ascii_uppercase();
    Some(format!("{}:{first}{}", service.to_lowercase(), letters.as_str()))
}

/// True if a wildcard makes an action needless.
fn covers(wildcard: &str, action: &str) -> bool {
    wildcard != action
        && wildcard
            .strip_suffix('*')
            .is_some_and(|start| action.starts_with(start))
}

fn statement(sid: &str, actions: &[String]) -> Value {
    json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": "*" })
}

/// `ApplicationAutoscaling` for `application-autoscaling`
fn sid(service: &str) -> String {
    service
        .split('-')
        .map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
                .unwrap_or_default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn schema(name: &str, create: &[&str]) -> ResourceSchema {
        let document = json!({
            "typeName": name, "properties": {},
            "handlers": {"create": {"permissions": create}, "list": {"permissions": ["never:Listed"]}},
        });
        ResourceSchema::parse(&document.to_string()).unwrap()
    }

    fn actions(permissions: &Permissions) -> Vec<(String, Vec<String>)> {
        let statements = permissions.policy["Statement"].as_array().unwrap();
        statements
            .iter()
            .skip(1)
            .map(|statement| {
                let actions = statement["Action"].as_array().unwrap();
                let actions = actions.iter().map(|action| action.as_str().unwrap().to_owned());
                (statement["Sid"].as_str().unwrap().to_owned(), actions.collect())
            })
            .collect()
    }

    #[test]
    fn actions_are_spelt_one_way_come_once_and_are_grouped_by_service() {
        let one = schema(
            "A::B::C",
            &[
                "Batch:TagResource",
                "s3:getObject",
                "",
                "s3:REST.PUT.OBJECT",
                "iam:PassRole",
            ],
        );
        let other = schema(
            "A::B::D",
            &[
                "s3:GetObject",
                "batch:tagResource",
                "application-autoscaling:Describe*",
                "application-autoscaling:DescribeX",
            ],
        );
        let permissions = permissions([&one, &other]);
        let expected = [
            ("ApplicationAutoscaling", "application-autoscaling:Describe*"),
            ("Batch", "batch:TagResource"),
            ("S3", "s3:GetObject"),
            ("PassRole", "iam:PassRole"),
        ];
        let expected = expected.map(|(sid, action)| (sid.to_owned(), vec![action.to_owned()]));
        assert_eq!(actions(&permissions), expected);
        assert_eq!(permissions.notes.len(), 1);
    }

    #[test]
    fn a_type_that_asks_for_a_whole_service_is_named() {
        let permissions = permissions([&schema("A::B::C", &["sqs:*", "sqs:SendMessage"])]);
        assert_eq!(
            actions(&permissions),
            [("Sqs".to_owned(), vec!["sqs:*".to_owned()])]
        );
        assert_eq!(permissions.notes, ["A::B::C asks for all of `sqs:*`"]);
    }

    /// The grammar of policies that IAM checks before anything else.
    #[test]
    fn the_policy_of_every_type_is_one_that_iam_takes() {
        for known in formwork_schema::bundled_types() {
            let schema = formwork_schema::load(known.name).unwrap().unwrap();
            let permissions = permissions([&schema]);
            assert_eq!(permissions.policy["Version"], "2012-10-17");
            let mut sids = BTreeSet::new();
            for statement in permissions.policy["Statement"].as_array().unwrap() {
                let sid = statement["Sid"].as_str().unwrap();
                assert!(sids.insert(sid.to_owned()), "{}: {sid} comes twice", known.name);
                assert!(
                    !sid.is_empty() && sid.bytes().all(|byte| byte.is_ascii_alphanumeric()),
                    "{sid}"
                );
                assert_eq!(
                    (&statement["Effect"], &statement["Resource"]),
                    (&json!("Allow"), &json!("*"))
                );
                let actions = statement["Action"].as_array().unwrap();
                assert!(
                    !actions.is_empty()
                        && actions.is_sorted_by_key(|action| action.to_string().to_lowercase()),
                    "{}: {actions:?}",
                    known.name
                );
                for action in actions {
                    let (service, name) = action.as_str().unwrap().split_once(':').unwrap();
                    assert_eq!(service, service.to_lowercase());
                    assert!(
                        name.starts_with(|first: char| first.is_ascii_uppercase() || first == '*'),
                        "{action}"
                    );
                }
            }
        }
    }
}
