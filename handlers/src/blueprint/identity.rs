//! Names: the custom resource's physical id and its instance in the state store.

use formwork_provider::Head;
use sha2::{Digest, Sha256};

const HASH_CHARACTERS: usize = 12;
/// CloudFormation's limit, in bytes.
const LIMIT_BYTES: usize = 1024;

/// `<stack name>-<logical id>-<12 characters of a hash of StackId, LogicalResourceId and the creating
/// RequestId>`: the same for the life of the resource, at most 1,024 bytes.
pub fn physical_resource_id(head: &Head) -> String {
    let mut hash = Sha256::new();
    for part in [&head.stack_id, &head.logical_resource_id, &head.request_id] {
        // Lengths keep ("ab", "c") and ("a", "bc") apart.
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(HASH_CHARACTERS);
    let mut name = format!("{}-{}", head.stack_name, head.logical_resource_id);
    let mut limit = LIMIT_BYTES - HASH_CHARACTERS - 1;
    while !name.is_char_boundary(limit.min(name.len())) {
        limit -= 1;
    }
    name.truncate(limit);
    format!("{name}-{hex}")
}

/// Whether an id has the form of [`physical_resource_id`]. CloudFormation invents
/// `<stack>-<logical id>-<upper-case suffix>` for a Create that it cancelled before we answered; ids of ours
/// end in 12 lower-case hexadecimal characters.
pub fn is_ours(head: &Head, id: &str) -> bool {
    id.strip_prefix(&format!("{}-{}-", head.stack_name, head.logical_resource_id))
        .is_some_and(|suffix| {
            suffix.len() == HASH_CHARACTERS
                && suffix
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
}

/// The instance of a physical id: `<stack uuid>/<logical id>/<physical id>`.
pub fn instance(head: &Head, physical_resource_id: &str) -> String {
    let name: String = physical_resource_id
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect();
    format!("{}/{name}", head.instance_folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_provider::RequestType;
    use std::time::Duration;

    fn head(stack_name: &str, request_id: &str) -> Head {
        Head {
            stack_id: format!("arn:aws:cloudformation:eu-west-1:123456789012:stack/{stack_name}/5b918d10"),
            stack_name: stack_name.into(),
            logical_resource_id: "Orders".into(),
            request_id: request_id.into(),
            resource_type: "Custom::Blueprint".into(),
            request_key: "key".into(),
            instance_folder: "5b918d10/Orders".into(),
            issued: None,
            service_timeout: Duration::from_secs(3600),
            request_type: RequestType::Create,
        }
    }

    #[test]
    fn an_id_is_stable_and_another_creation_has_another() {
        let id = physical_resource_id(&head("shop", "r-1"));
        assert_eq!(id, physical_resource_id(&head("shop", "r-1")));
        assert_ne!(id, physical_resource_id(&head("shop", "r-2")));
        assert!(
            id.starts_with("shop-Orders-") && id.len() == "shop-Orders-".len() + 12,
            "{id}"
        );
    }

    #[test]
    fn an_id_never_exceeds_what_cloudformation_takes() {
        let id = physical_resource_id(&head(&"ü".repeat(2000), "r-1"));
        assert!(id.len() <= 1024 && id.len() > 1000, "{}", id.len());
    }

    #[test]
    fn ids_that_cloudformation_made_up_are_not_ours() {
        let head = head("shop", "r-1");
        assert!(is_ours(&head, &physical_resource_id(&head)));
        for id in [
            "shop-Orders-1A2B3C4D5E6F",
            "shop-Orders-1A2B3C4D5E6F7",
            "other-Orders-5a55c3916d8c",
            "",
        ] {
            assert!(!is_ours(&head, id), "{id}");
        }
    }

    #[test]
    fn an_instance_is_three_plain_segments() {
        assert_eq!(
            instance(&head("shop", "r-1"), "a/../b c"),
            "5b918d10/Orders/a%2F%2E%2E%2Fb%20c"
        );
    }
}
