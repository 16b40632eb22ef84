//! Reads: resources, lists, operations; and cancelling.

use super::accept::{required, type_name};
use super::error::ApiError;
use super::operation::{Operation, Status, epoch};
use super::{Cloud, identifier, model};
use crate::fault::{Call, Effect, Target};
use formwork_schema::ResourceSchema;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

/// How many resources ListResources answers with at a time.
const PAGE: usize = 25;

impl Cloud {
    /// `GetResource`.
    pub(crate) fn get_resource(&mut self, input: &Value) -> Result<Value, ApiError> {
        let type_name = type_name(input)?;
        let schema = self.registry.find(type_name)?;
        if !schema.handlers().read {
            return Err(ApiError::new(
                "UnsupportedActionException",
                format!("Resource type {type_name} does not support READ action"),
            ));
        }
        let identifier = self.identify(&schema, required(input, "Identifier", "identifier")?);
        let target = Target {
            call: Call::GetResource,
            type_name,
            text: &identifier,
        };
        let failing = |effect: &Effect| matches!(effect, Effect::Fail { .. });
        if let Some(Effect::Fail { code, message, .. }) = self.faults.take(target, failing) {
            let token = self.uuid();
            return Err(ApiError::of_handler(type_name, &code, &message, &token));
        }
        let properties = self.read(&schema, &identifier)?;
        Ok(json!({
            "TypeName": type_name,
            "ResourceDescription": {"Identifier": identifier, "Properties": properties.to_string()},
        }))
    }

    /// `ListResources`: identifiers only, 25 at a time whatever MaxResults says.
    pub(crate) fn list_resources(&mut self, input: &Value) -> Result<Value, ApiError> {
        let type_name = type_name(input)?;
        let schema = self.registry.find(type_name)?;
        if !schema.handlers().list {
            return Err(ApiError::new(
                "UnsupportedActionException",
                format!("Resource type {type_name} does not support LIST action"),
            ));
        }
        let wanted: Map<String, Value> = match input.get("ResourceModel").and_then(Value::as_str) {
            Some(text) => serde_json::from_str(text)
                .map_err(|_| ApiError::validation("Invalid ResourceModel: not a JSON object"))?,
            None => Map::new(),
        };
        let lacking: Vec<&str> = needed_to_list(&schema)
            .into_iter()
            .filter(|key| !wanted.contains_key(*key))
            .collect();
        if !lacking.is_empty() {
            return Err(ApiError::new(
                "InvalidRequestException",
                format!(
                    "Missing or invalid ResourceModel property in {type_name} list handler request input. \
                     Required property: ({})",
                    lacking.join(", ")
                ),
            ));
        }
        let start = input.get("NextToken").and_then(Value::as_str);
        let none = std::collections::BTreeMap::new();
        let all = self.memory.resources.get(type_name).unwrap_or(&none);
        let mut matching = all
            .iter()
            .filter(|(_, found)| wanted.is_empty() || identifier::matches(&found.properties, &wanted))
            .filter(|(identifier, _)| start.is_none_or(|start| identifier.as_str() > start));
        let page: Vec<_> = matching.by_ref().take(PAGE).collect();
        let more = matching.next().is_some();
        let descriptions: Vec<Value> = page
            .iter()
            .map(|(identifier, found)| {
                let properties: Map<String, Value> = schema
                    .primary_identifier()
                    .iter()
                    .filter_map(|pointer| {
                        match (
                            pointer.segments(),
                            model::select(&found.properties, pointer).first(),
                        ) {
                            ([name], Some(value)) => Some((name.clone(), (*value).clone())),
                            _ => None,
                        }
                    })
                    .collect();
                json!({"Identifier": identifier, "Properties": Value::Object(properties).to_string()})
            })
            .collect();
        let mut output = json!({"TypeName": type_name, "ResourceDescriptions": descriptions});
        if let (true, Some((last, _))) = (more, page.last()) {
            put(&mut output, "NextToken", json!(last));
        }
        Ok(output)
    }

    /// `GetResourceRequestStatus`.
    pub(crate) fn get_resource_request_status(
        &mut self,
        input: &Value,
        now: Timestamp,
    ) -> Result<Value, ApiError> {
        let operation = self.operation(input)?;
        let mut event = operation.event();
        if let (false, Some(after)) = (operation.status.is_terminal(), self.options.retry_after) {
            let after = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
            put(
                &mut event,
                "RetryAfter",
                epoch(now.saturating_add(after).unwrap_or(now)),
            );
        }
        Ok(json!({"ProgressEvent": event, "HooksProgressEvent": []}))
    }

    /// `ListResourceRequests`, the newest first.
    pub(crate) fn list_resource_requests(
        &mut self,
        input: &Value,
        now: Timestamp,
    ) -> Result<Value, ApiError> {
        let filter = |key: &str| -> Option<Vec<&str>> {
            let list = input.get("ResourceRequestStatusFilter")?.get(key)?.as_array()?;
            Some(list.iter().filter_map(Value::as_str).collect())
        };
        let (actions, statuses) = (filter("Operations"), filter("OperationStatuses"));
        let size = input.get("MaxResults").and_then(Value::as_u64).unwrap_or(20);
        if !(1..=100).contains(&size) {
            return Err(ApiError::constraint(
                "Value at 'maxResults' failed to satisfy constraint: Member must be between 1 and 100",
            ));
        }
        let size = usize::try_from(size).unwrap_or(PAGE);
        let start = match input.get("NextToken").and_then(Value::as_str) {
            Some(token) => token
                .parse()
                .map_err(|_| ApiError::validation("Invalid NextToken"))?,
            None => 0usize,
        };
        let allowed = |list: &Option<Vec<&str>>, name: &str| {
            list.as_ref()
                .is_none_or(|list| list.is_empty() || list.contains(&name))
        };
        let matching: Vec<&Operation> = self
            .memory
            .operations
            .iter()
            .rev()
            .filter(|operation| {
                allowed(&actions, operation.action.name()) && allowed(&statuses, operation.status.name())
            })
            .collect();
        let summaries: Vec<Value> = matching
            .iter()
            .skip(start)
            .take(size)
            .map(|operation| {
                let mut event = operation.event();
                if matches!(operation.status, Status::Started | Status::Settling) {
                    let after = operation.next_event().unwrap_or(now).max(now);
                    put(&mut event, "RetryAfter", epoch(after));
                }
                event
            })
            .collect();
        let mut output = json!({"ResourceRequestStatusSummaries": summaries});
        let next = start.saturating_add(size);
        if next < matching.len() {
            put(&mut output, "NextToken", json!(next.to_string()));
        }
        Ok(output)
    }

    /// `CancelResourceRequest`: what has been done until now stays done.
    pub(crate) fn cancel_resource_request(
        &mut self,
        input: &Value,
        now: Timestamp,
    ) -> Result<Value, ApiError> {
        let token = self.operation(input)?.token.clone();
        let found = self
            .memory
            .operations
            .iter_mut()
            .find(|operation| operation.token == token);
        let Some(operation) = found else {
            return Err(unknown(&token));
        };
        match operation.status {
            Status::Cancelled => {}
            Status::Success | Status::Failed => {
                let text = format!("Request {token} is already in status {}", operation.status.name());
                return Err(ApiError::validation(text));
            }
            Status::Pending | Status::Started | Status::Settling => operation.end(Status::Cancelled, now),
        }
        Ok(json!({"ProgressEvent": operation.event()}))
    }

    fn operation(&self, input: &Value) -> Result<&Operation, ApiError> {
        let token = required(input, "RequestToken", "requestToken")?;
        self.memory
            .operations
            .iter()
            .find(|operation| operation.token == token)
            .ok_or_else(|| unknown(token))
    }
}

fn unknown(token: &str) -> ApiError {
    ApiError::new(
        "RequestTokenNotFoundException",
        format!("Request with token {token} was not found"),
    )
}

fn needed_to_list(schema: &ResourceSchema) -> Vec<&str> {
    schema
        .document()
        .pointer("/handlers/list/handlerSchema/required")
        .and_then(Value::as_array)
        .map(|keys| keys.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.into(), value);
    }
}
