//! What can be done with a type: its handlers, what they miss, and what they may do.

use crate::rules::Kinds;
use crate::{Reason, ResourceSchema};
use serde_json::Value;

/// Which handlers a type has; one without `create` cannot be provisioned through Cloud Control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Handlers {
    /// Create handler.
    pub create: bool,
    /// Read handler.
    pub read: bool,
    /// Update handler; without it every change replaces.
    pub update: bool,
    /// Delete handler.
    pub delete: bool,
    /// List handler.
    pub list: bool,
}

impl ResourceSchema {
    /// Why resources of this type cannot be created through Cloud Control, if they cannot.
    pub fn cannot_create(&self) -> Option<Reason> {
        let message = "Cloud Control cannot create resources of this type: its schema has no create handler";
        (!self.handlers().create).then(|| of_the_resource(message))
    }

    /// Why resources of this type cannot be updated in place through Cloud Control, if they cannot: every change
    /// replaces them.
    ///
    /// Beside types without an update handler these are the types with a property that is required, write-only
    /// and create-only: the model that Cloud Control reads lacks it, so that it is refused, and a patch may not
    /// add it.
    pub fn cannot_update(&self) -> Option<Reason> {
        if !self.handlers().update {
            return Some(of_the_resource("this type cannot be updated in place"));
        }
        let root = self.rules().root();
        let required = self.document().get("required").and_then(Value::as_array);
        let stuck = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find(|name| {
                let rule = root.member(name);
                rule.is(Kinds::WRITE_ONLY) && rule.is(Kinds::CREATE_ONLY)
            })?;
        Some(Reason {
            pointer: format!("/{stuck}"),
            message: format!(
                "this type cannot be updated in place: `{stuck}` is required, and Cloud Control can neither read it \
                 nor take it again"
            ),
        })
    }

    /// What it means that resources of this type cannot be read, if they cannot: changes made by others are not
    /// seen, and what was applied counts as live.
    pub fn cannot_read(&self) -> Option<Reason> {
        let message = "this type cannot be read: changes made by others are not seen, and nothing that the service \
                       computes is known";
        (!self.handlers().read).then(|| of_the_resource(message))
    }

    /// The IAM actions that a handler (`create`, `read`, `update`, `delete`, `list`) needs of whoever calls it, as
    /// the schema lists them: `sqs:CreateQueue`.
    pub fn permissions(&self, handler: &str) -> impl Iterator<Item = &str> {
        let handler = self
            .document()
            .get("handlers")
            .and_then(|handlers| handlers.get(handler));
        let permissions = handler
            .and_then(|handler| handler.get("permissions"))
            .and_then(Value::as_array);
        permissions.into_iter().flatten().filter_map(Value::as_str)
    }
}

fn of_the_resource(message: &str) -> Reason {
    Reason {
        pointer: String::new(),
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = ResourceSchema> {
        crate::bundled_types().map(|bundled| crate::load(bundled.name).unwrap().unwrap())
    }

    #[test]
    fn a_hundred_and_seventy_five_types_cannot_be_created() {
        let count = all().filter(|schema| schema.cannot_create().is_some()).count();
        assert_eq!(count, 175);
    }

    #[test]
    fn twelve_types_have_an_update_handler_that_cloud_control_cannot_use() {
        let stuck: Vec<String> = all()
            .filter(|schema| schema.handlers().update)
            .filter_map(|schema| {
                Some(format!(
                    "{} {}",
                    schema.type_name(),
                    schema.cannot_update()?.pointer
                ))
            })
            .collect();
        assert_eq!(stuck.len(), 12, "{stuck:#?}");
        let names: Vec<&str> = stuck.iter().map(String::as_str).collect();
        assert!(
            names.contains(&"AWS::ACMPCA::CertificateAuthority /Subject"),
            "{names:?}"
        );
        assert_eq!(
            names
                .iter()
                .filter(|name| name.starts_with("AWS::DataZone::"))
                .count(),
            10
        );
    }

    #[test]
    fn six_types_cannot_be_read_and_a_hundred_and_fifty_one_cannot_be_updated() {
        let provisionable = || all().filter(|schema| schema.cannot_create().is_none());
        assert_eq!(
            provisionable()
                .filter(|schema| schema.cannot_read().is_some())
                .count(),
            6
        );
        assert_eq!(
            provisionable().filter(|schema| !schema.handlers().update).count(),
            151
        );
    }

    #[test]
    fn permissions_are_those_of_the_handler() {
        let queue = crate::load("AWS::SQS::Queue").unwrap().unwrap();
        let create: Vec<&str> = queue.permissions("create").collect();
        assert!(create.contains(&"sqs:CreateQueue"), "{create:?}");
        assert!(
            !queue
                .permissions("read")
                .any(|action| action == "sqs:CreateQueue")
        );
        assert_eq!(queue.permissions("nonsense").count(), 0);
    }
}
