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
