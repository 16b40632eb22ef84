//! What an error of the cloud means for the deployment.

use crate::ports::Operation;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Sorted by what can be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// No answer came: the call may have been accepted.
    Lost,
    /// Worth another try after a while.
    Retry(Retry),
    /// There is no such resource.
    Missing,
    /// There is one already.
    Exists,
    /// The property cannot be updated.
    NotUpdatable,
    /// The client token was used before.
    TokenConflict,
    /// Nobody knows the request token.
    TokenUnknown,
    /// The type has no such handler.
    Unsupported,
    /// Trying again would not help.
    Terminal,
}

/// Why another try is worth it; decides how often and how slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// Too many calls.
    Throttled,
    /// The service had a bad moment.
    Service,
    /// Another operation works on the resource.
    Busy,
    /// A role or policy made a moment ago is not known everywhere yet.
    Propagation,
    /// Others still depend on what is to be deleted.
    Dependents,
}

impl Retry {
    pub(crate) fn limit(self) -> u32 {
        match self {
            Retry::Throttled => 30,
            Retry::Service => 8,
            Retry::Busy => 30,
            Retry::Propagation => 15,
            Retry::Dependents => 12,
        }
    }

    fn base_millis(self) -> i64 {
        match self {
            Retry::Throttled | Retry::Service => 1_000,
            Retry::Busy | Retry::Propagation => 2_000,
            Retry::Dependents => 3_000,
        }
    }

    fn cap_millis(self) -> i64 {
        match self {
            Retry::Throttled | Retry::Service | Retry::Dependents => 30_000,
            Retry::Busy | Retry::Propagation => 15_000,
        }
    }

    /// When the try after `tries` failed ones may begin. The jitter comes from a hash, so that a replay
    /// decides alike.
    pub(crate) fn again(self, now: Timestamp, tries: u32, seed: &str) -> Timestamp {
        after(now, backoff(self.base_millis(), self.cap_millis(), tries, seed))
    }
}

/// When to call again after `stumbles` calls in a row had no useful answer.
pub(crate) fn stumble(now: Timestamp, stumbles: u32, seed: &str) -> Timestamp {
    after(now, backoff(500, 20_000, stumbles, seed))
}

/// Exponential, between half and the whole of the step.
fn backoff(base: i64, cap: i64, tries: u32, seed: &str) -> SignedDuration {
    let step = base.saturating_mul(1_i64 << tries.min(16)).min(cap);
    let digest = Sha256::digest(format!("{seed}\0{tries}").as_bytes());
    let dice = digest.first().map_or(0, |byte| i64::from(*byte));
    SignedDuration::from_millis(step / 2 + step * dice / 510)
}

/// `now` and a while.
pub(crate) fn after(now: Timestamp, while_: SignedDuration) -> Timestamp {
    now.checked_add(while_).unwrap_or(Timestamp::MAX)
}

/// Names an error alike whether it came as an exception or as a handler's error code.
pub(crate) fn short(code: &str) -> &str {
    match code {
        "GeneralServiceException" => code,
        _ => code.strip_suffix("Exception").unwrap_or(code),
    }
}

/// True if there were too many calls.
pub(crate) fn is_throttling(code: &str) -> bool {
    short(code) == "Throttling"
}

/// What an error means, by its code and, where services answer with a general code, by its text.
pub(crate) fn classify(operation: Operation, code: &str, message: &str) -> Class {
    let text = message.to_ascii_lowercase();
    match short(code) {
        "Network" | "Timeout" | "HandlerTimeout" => Class::Lost,
        "Throttling" | "ThrottledException" | "TooManyRequests" | "RequestLimitExceeded" => {
            Class::Retry(Retry::Throttled)
        }
        "ServiceInternalError"
        | "NetworkFailure"
        | "InternalServerError"
        | "InternalServer"
        | "ServiceUnavailable"
        | "ConcurrentModification" => Class::Retry(Retry::Service),
        "ConcurrentOperation" => Class::Retry(Retry::Busy),
        "ResourceConflict" if operation == Operation::Delete => Class::Retry(Retry::Dependents),
        "ResourceConflict" => Class::Retry(Retry::Busy),
        "NotFound" | "ResourceNotFound" => Class::Missing,
        "AlreadyExists" => Class::Exists,
        "NotUpdatable" => Class::NotUpdatable,
        "ClientTokenConflict" => Class::TokenConflict,
        "RequestTokenNotFound" => Class::TokenUnknown,
        "UnsupportedAction" => Class::Unsupported,
        _ if says(&text, PROPAGATION) => Class::Retry(Retry::Propagation),
        _ if operation == Operation::Delete && says(&text, DEPENDENTS) => Class::Retry(Retry::Dependents),
        _ => Class::Terminal,
    }
}

/// True if a read says that there is nothing. Some services answer with the wrong code.
pub(crate) fn is_missing(code: &str, message: &str) -> bool {
    match short(code) {
        "NotFound" | "ResourceNotFound" => true,
        "InvalidRequest" => says(&message.to_ascii_lowercase(), MISSING),
        _ => false,
    }
}

/// True if a service answers so only before it makes anything.
pub(crate) fn is_refusal(code: &str) -> bool {
    matches!(
        short(code),
        "AlreadyExists"
            | "AccessDenied"
            | "InvalidCredentials"
            | "ServiceLimitExceeded"
            | "Throttling"
            | "UnauthorizedTaggingOperation"
    )
}

/// True if a call is refused so because of what it says, whoever makes it and whenever.
pub(crate) fn is_about_the_document(code: &str) -> bool {
    matches!(
        short(code),
        "Validation"
            | "InvalidRequest"
            | "TypeNotFound"
            | "UnsupportedAction"
            | "PrivateType"
            | "AlreadyExists"
    )
}

/// The request token that a `ClientTokenConflictException` names.
pub(crate) fn conflicting_request(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("RequestToken")?;
    let token: String = rest
        .chars()
        .skip_while(|c| !c.is_ascii_alphanumeric())
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '/' | '='))
        .collect();
    (!token.is_empty()).then_some(token)
}

/// The property that a message speaks of by its value (an existing name, a malformed ARN), or else by its name.
pub(crate) fn mentioned_property(desired: &Value, message: &str) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    mentioned_values(desired, String::new(), message, &mut best);
    let by_name = || {
        let mut names = desired.as_object()?.keys();
        names.find(|name| says_word(message, name)).cloned()
    };
    best.map(|(_, path)| path).or_else(by_name)
}

/// Shorter texts (`S`, `N`, `80`) stand in messages by chance.
const TELLING_LENGTH: usize = 4;

fn mentioned_values(value: &Value, path: String, message: &str, best: &mut Option<(usize, String)>) {
    let below = |part: &str| {
        if path.is_empty() {
            part.to_owned()
        } else {
            format!("{path}.{part}")
        }
    };
    match value {
        Value::String(text) => {
            let longest = best.as_ref().map_or(0, |(length, _)| *length);
            if text.len() >= TELLING_LENGTH && text.len() > longest && message.contains(text.as_str()) {
                *best = Some((text.len(), path));
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                mentioned_values(member, below(name), message, best);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                mentioned_values(item, below(&index.to_string()), message, best);
            }
        }
        _ => {}
    }
}

fn says_word(message: &str, word: &str) -> bool {
    message
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|part| part == word)
}

/// The property that a message blames, as Cloud Control writes it: `#/QueueName:` or `[/properties/Name]`.
pub(crate) fn blamed_property(message: &str) -> Option<String> {
    let pointer = if let Some((_, rest)) = message.split_once("/properties/") {
        rest
    } else {
        let (_, rest) = message.split_once("#/")?;
        rest
    };
    let pointer: String = pointer
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '*' | '_' | '-'))
        .collect();
    let property = pointer.trim_matches('/').replace('/', ".");
    (!property.is_empty()).then_some(property)
}

fn says(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

const PROPAGATION: &[&str] = &[
    "cannot be assumed",
    "cannot assume",
    "could not assume",
    "unable to assume",
    "not able to assume",
    "not authorized to assume",
    "is not authorized to perform: sts:assumerole",
    "failed to assume",
    "invalid principal",
    "execution role does not have permissions",
    "trust relationship",
    "invalid iam instance profile",
];

const DEPENDENTS: &[&str] = &[
    "dependencyviolation",
    "has dependencies",
    "has a dependent",
    "has dependent",
    "dependent object",
    "deleteconflict",
    "is in use",
    "in use by",
    "still in use",
    "currently in use",
    "resourceinuse",
    "must be detached",
    "must detach",
    "being used",
];

const MISSING: &[&str] = &[
    "cannot be found",
    "could not be found",
    "does not exist",
    "not found",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sorted_by_what_can_be_done() {
        use Operation::{Create, Delete};
        let cases = [
            (Create, "Network", "", Class::Lost),
            (
                Create,
                "ThrottlingException",
                "Rate exceeded",
                Class::Retry(Retry::Throttled),
            ),
            (Create, "Throttling", "", Class::Retry(Retry::Throttled)),
            (
                Create,
                "ServiceInternalErrorException",
                "",
                Class::Retry(Retry::Service),
            ),
            (
                Create,
                "ConcurrentOperationException",
                "",
                Class::Retry(Retry::Busy),
            ),
            (Create, "ResourceConflict", "", Class::Retry(Retry::Busy)),
            (Delete, "ResourceConflict", "", Class::Retry(Retry::Dependents)),
            (Delete, "ResourceNotFoundException", "", Class::Missing),
            (Create, "AlreadyExists", "", Class::Exists),
            (Create, "NotUpdatableException", "", Class::NotUpdatable),
            (Create, "ClientTokenConflictException", "", Class::TokenConflict),
            (
                Create,
                "InvalidRequest",
                "The role defined for the function cannot be assumed by Lambda.",
                Class::Retry(Retry::Propagation),
            ),
            (
                Delete,
                "GeneralServiceException",
                "DependencyViolation: has a dependent object",
                Class::Retry(Retry::Dependents),
            ),
            (
                Create,
                "GeneralServiceException",
                "DependencyViolation",
                Class::Terminal,
            ),
            (Create, "InvalidRequest", "no", Class::Terminal),
            (Create, "NotStabilized", "no", Class::Terminal),
            (Create, "AccessDeniedException", "no", Class::Terminal),
        ];
        for (operation, code, message, class) in cases {
            assert_eq!(classify(operation, code, message), class, "{code} {message}");
        }
    }

    #[test]
    fn the_conflicting_request_is_read_from_the_text() {
        let message =
            "ClientToken abc is already associated with an existing operation with RequestToken 8f3d-11=";
        assert_eq!(conflicting_request(message).as_deref(), Some("8f3d-11="));
        assert_eq!(conflicting_request("no token here"), None);
    }

    #[test]
    fn a_property_is_known_by_its_value_or_its_name() {
        let desired = serde_json::json!({
            "QueueName": "orders-dead-letters",
            "Kind": "orders",
            "Rules": [{"Target": "arn:aws:sqs:x"}],
            "Size": 3,
        });
        let exists = "Resource with identifier 'https://sqs/1/orders-dead-letters' already exists";
        assert_eq!(mentioned_property(&desired, exists).as_deref(), Some("QueueName"));
        assert_eq!(
            mentioned_property(&desired, "no such target arn:aws:sqs:x").as_deref(),
            Some("Rules.0.Target")
        );
        assert_eq!(
            mentioned_property(&desired, "the Size is too large").as_deref(),
            Some("Size")
        );
        assert_eq!(mentioned_property(&desired, "Resized"), None);
    }

    #[test]
    fn the_blamed_property_is_found() {
        assert_eq!(
            blamed_property("Model validation failed (#/BucketName: expected type)").as_deref(),
            Some("BucketName")
        );
        assert_eq!(
            blamed_property("createOnlyProperties [/properties/Dns/Kind] cannot be updated").as_deref(),
            Some("Dns.Kind")
        );
        assert_eq!(
            blamed_property("Model validation failed (#: extraneous key)"),
            None
        );
    }

    #[test]
    fn backoff_grows_up_to_its_cap_and_is_the_same_every_time() {
        let now = Timestamp::UNIX_EPOCH;
        let wait = |tries| Retry::Service.again(now, tries, "seed").as_millisecond();
        assert_eq!(wait(3), wait(3));
        assert!((500..=1_000).contains(&wait(0)));
        assert!((15_000..=30_000).contains(&wait(30)));
    }

    #[test]
    fn a_missing_log_group_is_missing_whatever_its_code() {
        assert!(is_missing(
            "InvalidRequestException",
            "The specified log group does not exist."
        ));
        assert!(!is_missing("InvalidRequestException", "bad"));
    }
}
