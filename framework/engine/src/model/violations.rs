//! How a specification does not fit its schema, in words that tell nothing of a secret.

use formwork_blueprint::Value;
use formwork_schema::Violation;

/// The violations as they may be told. Of a secret value neither its size nor what it is made of is said, only where
/// it stands and what was expected.
pub(crate) fn tellable(violations: Vec<Violation>, value: &Value) -> Vec<Violation> {
    let secrets = value.secret_pointers();
    let mut told: Vec<Violation> = Vec::new();
    for violation in violations {
        let secret = secrets.iter().find(|secret| is_within(&violation.given, secret));
        let violation = match secret {
            Some(secret) => discreet(violation, secret),
            None => violation,
        };
        if !told.contains(&violation) {
            told.push(violation);
        }
    }
    told
}

fn is_within(pointer: &str, place: &str) -> bool {
    pointer
        .strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn discreet(violation: Violation, secret: &str) -> Violation {
    let what = match violation.given == secret {
        true => "this secret value",
        false => "something in this secret value",
    };
    let message = format!("{what} does not fit: {}", violation.expected);
    // Both spellings have the same number of segments.
    let depth = secret.matches('/').count();
    let end = violation.pointer.match_indices('/').nth(depth);
    let pointer = violation
        .pointer
        .get(..end.map_or(violation.pointer.len(), |(at, _)| at));
    Violation {
        given: secret.to_owned(),
        pointer: pointer.unwrap_or_default().to_owned(),
        key: false,
        message,
        help: None,
        ..violation
    }
}

/// The message with the property it is about, as its author spells it, unless it names that itself.
pub(crate) fn with_property(violation: &Violation) -> String {
    let path = violation.given.trim_start_matches('/').replace('/', ".");
    if path.is_empty() || violation.key {
        return violation.message.clone();
    }
    format!("`{path}`: {}", violation.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inside_a_secret_only_its_own_place_is_told() {
        let mut value = Value::from_json(&json!({"a/b": {"key": 1, "other": 2}, "a": {"key": 1}}));
        if let formwork_blueprint::Kind::Map(members) = &mut value.kind
            && let Some(member) = members.get_mut("a/b")
        {
            member.secret = true;
        }
        let violation = |given: &str, pointer: &str| Violation {
            given: given.to_owned(),
            pointer: pointer.to_owned(),
            key: true,
            keyword: "additionalProperties",
            message: "unknown property `key`".to_owned(),
            expected: "expected others".to_owned(),
            help: Some("did you mean `keys`?".to_owned()),
        };
        let open = violation("/a/key", "/A/key");
        let inside = [
            violation("/a~1b/key", "/A~1B/key"),
            violation("/a~1b/other", "/A~1B/other"),
        ];
        let told = tellable([vec![open.clone()], inside.to_vec()].concat(), &value);
        let discreet = Violation {
            given: "/a~1b".to_owned(),
            pointer: "/A~1B".to_owned(),
            key: false,
            message: "something in this secret value does not fit: expected others".to_owned(),
            help: None,
            ..open.clone()
        };
        assert_eq!(told, [open, discreet]);
        let all = tellable(vec![violation("/x/y", "/X/Y")], &value.into_secret());
        assert_eq!((all[0].given.as_str(), all[0].pointer.as_str()), ("", ""));
    }
}
