//! Create, update and delete: what is checked at once, and what is accepted.

use super::error::ApiError;
use super::operation::{Action, Failure, Operation, Status};
use super::{Cloud, LONGEST_DOCUMENT, UsedToken, identifier, model, patch};
use crate::fault::{Call, Effect, Target};
use formwork_schema::{PropertyPointer, ResourceSchema};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

impl Cloud {
    /// `CreateResource`.
    pub(crate) fn create_resource(&mut self, input: &Value, now: Timestamp) -> Result<Value, ApiError> {
        let type_name = type_name(input)?;
        let schema = self.registry.find(type_name)?;
        if !schema.handlers().create {
            return Err(unsupported(type_name, "CREATE"));
        }
        let document = required(input, "DesiredState", "desiredState")?;
        if let Some(repeated) = self.used_token(input, Call::CreateResource, now)? {
            return Ok(repeated);
        }
        let desired: Value = serde_json::from_str(document)
            .map_err(|_| ApiError::validation("Invalid DesiredState: the text is not JSON"))?;
        if !desired.is_object() {
            return Err(ApiError::validation("Invalid DesiredState: not a JSON object"));
        }
        validate(&schema, &desired)?;
        let refused = set_read_only(&schema, &desired);
        if !refused.is_empty() {
            let text = format!(
                "Invalid create: readOnlyProperties [{}] cannot be set",
                refused.join(", ")
            );
            return Err(ApiError::validation(text));
        }
        // Known from the start only when the caller chose it.
        let identifier = identifier::of(&schema, &desired);
        if let Some(identifier) = &identifier {
            self.refuse_if_busy(type_name, identifier)?;
        }
        Ok(self.accept(
            input,
            Call::CreateResource,
            Action::Create,
            identifier,
            Some(desired),
            now,
        ))
    }

    /// `UpdateResource`.
    pub(crate) fn update_resource(&mut self, input: &Value, now: Timestamp) -> Result<Value, ApiError> {
        let type_name = type_name(input)?;
        let schema = self.registry.find(type_name)?;
        if !schema.handlers().update {
            return Err(unsupported(type_name, "UPDATE"));
        }
        let given = required(input, "Identifier", "identifier")?;
        let document = required(input, "PatchDocument", "patchDocument")?;
        if let Some(repeated) = self.used_token(input, Call::UpdateResource, now)? {
            return Ok(repeated);
        }
        let identifier = self.identify(&schema, given);
        self.refuse_if_busy(type_name, &identifier)?;
        let before = self.read(&schema, &identifier)?;
        let after = patch::apply(before.clone(), document)?;
        let read_only = model::changed(&before, &after, schema.read_only());
        if !read_only.is_empty() {
            return Err(ApiError::validation(format!(
                "Invalid patch update: readOnlyProperties [{}] cannot be updated",
                read_only.join(", ")
            )));
        }
        let create_only = model::changed(&before, &after, schema.create_only());
        if !create_only.is_empty() {
            return Err(ApiError::new(
                "NotUpdatableException",
                format!(
                    "Invalid patch update: createOnlyProperties [{}] cannot be updated",
                    create_only.join(", ")
                ),
            ));
        }
        validate(&schema, &after)?;
        Ok(self.accept(
            input,
            Call::UpdateResource,
            Action::Update,
            Some(identifier),
            Some(after),
            now,
        ))
    }

    /// `DeleteResource`. A missing resource is noticed only by the handler, later.
    pub(crate) fn delete_resource(&mut self, input: &Value, now: Timestamp) -> Result<Value, ApiError> {
        let type_name = type_name(input)?;
        let schema = self.registry.find(type_name)?;
        if !schema.handlers().delete {
            return Err(unsupported(type_name, "DELETE"));
        }
        let given = required(input, "Identifier", "identifier")?;
        if let Some(repeated) = self.used_token(input, Call::DeleteResource, now)? {
            return Ok(repeated);
        }
        let identifier = self.identify(&schema, given);
        self.refuse_if_busy(type_name, &identifier)?;
        Ok(self.accept(
            input,
            Call::DeleteResource,
            Action::Delete,
            Some(identifier),
            None,
            now,
        ))
    }

    fn refuse_if_busy(&self, type_name: &str, identifier: &str) -> Result<(), ApiError> {
        let busy = self.memory.operations.iter().any(|operation| {
            !operation.status.is_terminal()
                && operation.type_name == type_name
                && operation.identifier.as_deref() == Some(identifier)
        });
        if busy {
            let text = format!(
                "A concurrent operation on the resource of type '{type_name}' with identifier \
                 '{identifier}' is in progress"
            );
            return Err(ApiError::new("ConcurrentOperationException", text));
        }
        Ok(())
    }

    /// The answer for a ClientToken that was used before, if it was.
    fn used_token(&self, input: &Value, call: Call, now: Timestamp) -> Result<Option<Value>, ApiError> {
        let Some(token) = client_token(input)? else {
            return Ok(None);
        };
        let Some(used) = self.memory.tokens.get(token) else {
            return Ok(None);
        };
        if now.duration_since(used.at) >= super::TOKENS_LAST {
            return Ok(None);
        }
        if self.options.token_replay && used.fingerprint == fingerprint(input, call) {
            let found = self
                .memory
                .operations
                .iter()
                .find(|operation| operation.token == used.request);
            if let Some(operation) = found {
                return Ok(Some(json!({"ProgressEvent": operation.event()})));
            }
        }
        let text = format!(
            "ClientToken {token} is already associated with an existing operation with RequestToken {}",
            used.request
        );
        Err(ApiError::new("ClientTokenConflictException", text))
    }

    fn accept(
        &mut self,
        input: &Value,
        call: Call,
        action: Action,
        identifier: Option<String>,
        model: Option<Value>,
        now: Timestamp,
    ) -> Value {
        let token = self.uuid();
        let type_name = input.get("TypeName").and_then(Value::as_str).unwrap_or_default();
        let text = match (&identifier, &model) {
            (Some(identifier), _) => identifier.clone(),
            (None, Some(model)) => model.to_string(),
            (None, None) => String::new(),
        };
        let effect = self.faults.take(
            Target {
                call,
                type_name,
                text: &text,
            },
            |effect| match effect {
                Effect::HideFromReads(_) => action == Action::Create,
                effect => effect.on_operation(),
            },
        );
        let mut duration = self.options.latency.of(type_name);
        let (mut failure, mut stuck, mut hidden_reads) = (None, false, 0);
        match effect {
            Some(Effect::Fail { code, message, done }) => failure = Some(Failure { code, message, done }),
            Some(Effect::Stick) => stuck = true,
            Some(Effect::HideFromReads(reads)) => hidden_reads = reads,
            Some(Effect::Slow(more)) => duration = duration.saturating_add(more),
            _ => {}
        }
        let operation = Operation {
            token: token.clone(),
            type_name: type_name.to_owned(),
            action,
            identifier,
            model,
            status: Status::Pending,
            accepted: now,
            event_time: now,
            started: None,
            duration: SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX),
            stuck,
            failure,
            error: None,
            hidden_reads,
            role_arn: input.get("RoleArn").and_then(Value::as_str).map(String::from),
        };
        let mut event = operation.event();
        // Even where there is a queue the first answer says that it is running.
        if let Some(status) = event.get_mut("OperationStatus") {
            *status = json!(Status::Started.name());
        }
        self.memory.operations.push(operation);
        self.start_waiting(now);
        if let Ok(Some(client_token)) = client_token(input) {
            let used = UsedToken {
                request: token,
                fingerprint: fingerprint(input, call),
                at: now,
            };
            self.memory.tokens.insert(client_token.to_owned(), used);
        }
        json!({"ProgressEvent": event})
    }
}

/// Read-only properties that the author of a desired state set. Those that are create-only as well are
/// inputs by mistake of the schema; part of an identifier may be chosen.
fn set_read_only(schema: &ResourceSchema, desired: &Value) -> Vec<String> {
    let settable = |pointer: &PropertyPointer| {
        schema.create_only().contains(pointer) || schema.primary_identifier().contains(pointer)
    };
    let read_only: Vec<PropertyPointer> = schema
        .read_only()
        .iter()
        .filter(|pointer| !settable(pointer))
        .cloned()
        .collect();
    model::changed(&json!({}), desired, &read_only)
}

fn validate(schema: &ResourceSchema, model: &Value) -> Result<(), ApiError> {
    let errors: Vec<String> = schema
        .validate_model(model)
        .into_iter()
        .map(|error| error.text)
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::validation(format!(
        "Model validation failed ({})",
        errors.join("\n")
    )))
}

fn unsupported(type_name: &str, action: &str) -> ApiError {
    ApiError::new(
        "UnsupportedActionException",
        format!("Resource type {type_name} does not support {action} action"),
    )
}

/// A request's own hash: what makes two of them identical.
fn fingerprint(input: &Value, call: Call) -> String {
    let digest = Sha256::new()
        .chain_update(call.name())
        .chain_update(input.to_string())
        .finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn type_name(input: &Value) -> Result<&str, ApiError> {
    let name = required(input, "TypeName", "typeName")?;
    let parts: Vec<&str> = name.split("::").collect();
    let well_formed = parts.len() == 3
        && parts.iter().all(|part| {
            (2..=64).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    if well_formed {
        return Ok(name);
    }
    Err(ApiError::constraint(
        "Value at 'typeName' failed to satisfy constraint: Member must satisfy regular expression pattern: \
         [A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}",
    ))
}

pub(super) fn required<'a>(input: &'a Value, key: &str, member: &str) -> Result<&'a str, ApiError> {
    let text = input.get(key).and_then(Value::as_str).ok_or_else(|| {
        ApiError::constraint(&format!(
            "Value null at '{member}' failed to satisfy constraint: Member must not be null"
        ))
    })?;
    let longest = if matches!(key, "DesiredState" | "PatchDocument") {
        LONGEST_DOCUMENT
    } else {
        1024
    };
    if text.is_empty() {
        return Err(length(member, "greater than or equal to 1"));
    }
    if text.chars().count() > longest {
        return Err(length(member, &format!("less than or equal to {longest}")));
    }
    Ok(text)
}

fn length(member: &str, bound: &str) -> ApiError {
    ApiError::constraint(&format!(
        "Value at '{member}' failed to satisfy constraint: Member must have length {bound}"
    ))
}

fn client_token(input: &Value) -> Result<Option<&str>, ApiError> {
    let Some(token) = input.get("ClientToken").and_then(Value::as_str) else {
        return Ok(None);
    };
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-+/=".contains(&byte);
    if (1..=128).contains(&token.len()) && token.bytes().all(allowed) {
        return Ok(Some(token));
    }
    Err(ApiError::constraint(
        "Value at 'clientToken' failed to satisfy constraint: Member must satisfy regular expression \
         pattern: [-A-Za-z0-9+/=]+",
    ))
}
