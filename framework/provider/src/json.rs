//! Handlers over plain JSON, in the manner of CDK's provider framework: a function for every request, another one
//! that says whether it is complete.
//!
//! Handlers written for CDK move over with their rules: default ids, merged Data, NoEcho from either side, fields
//! passed through from one to the other. Where CDK lets mistakes through, these are answered FAILED: a result that
//! is no object, an `IsComplete` that is no boolean, `Data` that Fn::GetAtt could not read. Handlers see no
//! ResponseURL, and what they return cannot change whom the answer names.
//!
//! ```
//! use formwork_provider::fakes::Fakes;
//! use formwork_provider::json::JsonHandler;
//! use formwork_provider::{Failure, Provider};
//! use serde_json::json;
//!
//! let handler = JsonHandler::new(|event| async move {
//!     Ok(json!({ "PhysicalResourceId": event["ResourceProperties"]["Name"], "Started": true }))
//! })
//! .with_is_complete(|event| async move {
//!     if event["Started"] != true {
//!         return Err(Failure::new("it was not started"));
//!     }
//!     Ok(json!({ "IsComplete": true, "Data": { "Url": "https://example.com" } }))
//! });
//! let provider = Provider::builder(Fakes::new().ports()).resource("Custom::Site", handler).build();
//! # drop(provider);
//! ```

use crate::context::Context;
use crate::outcome::{Failure, Outcome, Progress};
use crate::resource::{Create, CustomResource, Delete, Head, Poll, Update};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);

/// Fields of the request that no handler changes.
const REQUEST_FIELDS: [&str; 8] = [
    "RequestType",
    "ResponseURL",
    "StackId",
    "RequestId",
    "LogicalResourceId",
    "ResourceType",
    "ResourceProperties",
    "OldResourceProperties",
];

type Handler =
    Box<dyn Fn(Value) -> Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send>> + Send + Sync>;

/// A custom resource made of one or two functions over JSON.
pub struct JsonHandler {
    on_event: Handler,
    is_complete: Option<Handler>,
    interval: Duration,
}

impl JsonHandler {
    /// A resource whose operations are finished when the function returns.
    pub fn new<F, R>(on_event: F) -> Self
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        JsonHandler {
            on_event: boxed(on_event),
            is_complete: None,
            interval: DEFAULT_INTERVAL,
        }
    }

    /// Asks a second function until it says `"IsComplete": true`. It is given the request with the fields the
    /// first one returned, and then those it returned itself.
    #[must_use]
    pub fn with_is_complete<F, R>(mut self, is_complete: F) -> Self
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        self.is_complete = Some(boxed(is_complete));
        self
    }

    /// Sets how long to wait between two questions: 5 s unless set.
    #[must_use]
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    async fn begin(&self, event: Map<String, Value>) -> Result<Progress<Map<String, Value>>, Failure> {
        let returned = returned(match (self.on_event)(Value::Object(event)).await? {
            Value::Null => json!({}),
            other => other,
        })?;
        let outcome = outcome(&returned)?;
        if self.is_complete.is_none() {
            return Ok(Progress::Done(outcome));
        }
        Ok(Progress::Pending {
            outcome,
            state: passed_on(returned),
            after: Duration::from_secs(1),
        })
    }
}

fn boxed<F, R>(handler: F) -> Handler
where
    F: Fn(Value) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, Failure>> + Send + 'static,
{
    Box::new(move |event| Box::pin(handler(event)))
}

#[async_trait]
impl CustomResource for JsonHandler {
    type Properties = Map<String, Value>;
    /// Everything returned so far but request fields.
    type State = Map<String, Value>;

    async fn create(
        &self,
        request: Create<Self::Properties>,
        _cx: &Context,
    ) -> Result<Progress<Self::State>, Failure> {
        self.begin(event(&request.head, None, &request.properties)).await
    }

    async fn update(
        &self,
        request: Update<Self::Properties>,
        _cx: &Context,
    ) -> Result<Progress<Self::State>, Failure> {
        let mut event = event(
            &request.head,
            Some(&request.physical_resource_id),
            &request.properties,
        );
        event.insert(
            "OldResourceProperties".into(),
            Value::Object(request.old_properties.unwrap_or_default()),
        );
        self.begin(event).await
    }

    async fn delete(
        &self,
        request: Delete<Self::Properties>,
        _cx: &Context,
    ) -> Result<Progress<Self::State>, Failure> {
        let properties = request.properties.unwrap_or_default();
        self.begin(event(
            &request.head,
            Some(&request.physical_resource_id),
            &properties,
        ))
        .await
    }

    async fn poll(
        &self,
        request: Poll<Self::Properties>,
        mut state: Self::State,
        _cx: &Context,
    ) -> Result<Progress<Self::State>, Failure> {
        let Some(is_complete) = &self.is_complete else {
            return Err(Failure::new(
                "the operation is pending but no function says whether it is complete",
            ));
        };
        let properties = request.properties.unwrap_or_default();
        let mut event = event(
            &request.head,
            request.physical_resource_id.as_deref(),
            &properties,
        );
        for (name, value) in &state {
            if name != "PhysicalResourceId" {
                event.insert(name.clone(), value.clone());
            }
        }
        let returned = returned(is_complete(Value::Object(event)).await?)?;
        let outcome = outcome(&returned)?;
        if flag(&returned, "IsComplete")? {
            return Ok(Progress::Done(outcome));
        }
        if !outcome.data.is_empty() {
            return Err(Failure::new(
                "\"Data\" is not allowed if \"IsComplete\" is \"False\"",
            ));
        }
        state.extend(passed_on(returned).into_iter().filter(|(name, _)| name != "Data"));
        Ok(Progress::Pending {
            outcome,
            state,
            after: self.interval,
        })
    }
}

fn event(head: &Head, id: Option<&str>, properties: &Map<String, Value>) -> Map<String, Value> {
    let mut event = Map::new();
    event.insert("RequestType".into(), head.request_type.as_str().into());
    event.insert("StackId".into(), head.stack_id.as_str().into());
    event.insert("RequestId".into(), head.request_id.as_str().into());
    event.insert(
        "LogicalResourceId".into(),
        head.logical_resource_id.as_str().into(),
    );
    event.insert("ResourceType".into(), head.resource_type.as_str().into());
    if let Some(id) = id {
        event.insert("PhysicalResourceId".into(), id.into());
    }
    event.insert("ResourceProperties".into(), Value::Object(properties.clone()));
    event
}

fn returned(value: Value) -> Result<Map<String, Value>, Failure> {
    match value {
        Value::Object(fields) => Ok(fields),
        other => Err(Failure::new(format!(
            "return values from user-handlers must be JSON objects. got: \"{}\"",
            type_of(&other)
        ))),
    }
}

/// What the answer is made of.
fn outcome(returned: &Map<String, Value>) -> Result<Outcome, Failure> {
    let physical_resource_id = match returned.get("PhysicalResourceId") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id.clone()).filter(|id| !id.is_empty()),
        Some(Value::Number(id)) => Some(id.to_string()),
        Some(other) => return Err(wrong("PhysicalResourceId", "a string", other)),
    };
    // Whatever else is wrong with the result, the id is of something that exists now.
    let with_id = |failure: Failure| Failure {
        physical_resource_id: physical_resource_id.clone(),
        ..failure
    };
    let data = match returned.get("Data") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(data)) => data.clone(),
        Some(other) => return Err(with_id(wrong("Data", "an object", other))),
    };
    let no_echo = flag(returned, "NoEcho").map_err(with_id)?;
    Ok(Outcome {
        physical_resource_id,
        data,
        no_echo,
    })
}

fn flag(returned: &Map<String, Value>, name: &str) -> Result<bool, Failure> {
    match returned.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(other) => Err(wrong(name, "true or false", other)),
    }
}

fn wrong(field: &str, expected: &str, found: &Value) -> Failure {
    let found = if found.is_string() {
        "another string"
    } else {
        type_of(found)
    };
    Failure::new(format!(
        "the handler returned a `{field}` that is not {expected}: found {found}"
    ))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn passed_on(returned: Map<String, Value>) -> Map<String, Value> {
    returned
        .into_iter()
        .filter(|(name, _)| !REQUEST_FIELDS.contains(&name.as_str()) && name != "IsComplete")
        .collect()
}
