//! The cloud behind Cloud Control: resources, operations and their rules, without I/O.
//!
//! ```text
//! call, now -> settle (what has happened until now) -> check -> accept -> ProgressEvent
//! ```
//!
//! Time is an argument of every call. Nothing runs in the background: an operation's status is computed
//! when somebody asks, in the order in which things would have happened.

mod accept;
pub(crate) mod error;
mod hostile;
mod identifier;
mod matching;
mod model;
pub(crate) mod operation;
mod patch;
mod query;
pub(crate) mod registry;
mod settle;
mod templates;
pub(crate) mod values;

use crate::fault::Faults;
use crate::options::Options;
use error::ApiError;
use fastrand::Rng;
use formwork_schema::ResourceSchema;
use jiff::{SignedDuration, Timestamp};
use operation::Operation;
use registry::Registry;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A resource that exists.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Resource {
    /// Everything last applied, write-only values included.
    pub(crate) properties: Value,
    pub(crate) created: Timestamp,
    /// Reads that still answer NotFound.
    #[serde(default)]
    pub(crate) hidden_reads: u32,
}

/// A ClientToken that was used.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct UsedToken {
    pub(crate) request: String,
    /// Hash of the whole request, to tell a repetition from a reuse.
    pub(crate) fingerprint: String,
    pub(crate) at: Timestamp,
}

/// What outlives the process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// By type, then by identifier.
    pub(crate) resources: BTreeMap<String, BTreeMap<String, Resource>>,
    /// In the order of their acceptance.
    pub(crate) operations: Vec<Operation>,
    pub(crate) tokens: BTreeMap<String, UsedToken>,
    /// Schemas of registered types by name.
    pub(crate) registered: BTreeMap<String, String>,
}

/// The cloud.
pub(crate) struct Cloud {
    pub(crate) memory: Memory,
    pub(crate) registry: Registry,
    pub(crate) faults: Faults,
    options: Options,
    rng: Rng,
    /// Calls that may be made right now, and when that was so.
    allowance: Option<(f64, Timestamp)>,
}

/// How long a ClientToken is remembered.
const TOKENS_LAST: SignedDuration = SignedDuration::from_hours(36);
/// How long an operation can be asked about.
const OPERATIONS_LAST: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The longest DesiredState, PatchDocument or ResourceModel in characters.
const LONGEST_DOCUMENT: usize = 262_144;

impl Cloud {
    pub(crate) fn new(options: &Options, memory: Memory) -> Self {
        let mut registry = Registry::default();
        for schema in memory.registered.values() {
            if let Err(error) = registry.register(schema) {
                tracing::warn!(%error, "a registered type cannot be read any more");
            }
        }
        Cloud {
            memory,
            registry,
            faults: Faults::new(options.faults.clone()),
            rng: options.seed.map_or_else(Rng::new, Rng::with_seed),
            options: options.clone(),
            allowance: None,
        }
    }

    /// Adds a private or third-party type.
    pub(crate) fn register(&mut self, schema: &str) -> Result<String, formwork_schema::SchemaError> {
        let name = self.registry.register(schema)?;
        self.memory.registered = self.registry.registered().clone();
        Ok(name)
    }

    /// A fresh UUID.
    pub(crate) fn uuid(&mut self) -> String {
        values::uuid(&mut self.rng)
    }

    /// Counts a call against the rate.
    pub(crate) fn throttle(&mut self, now: Timestamp) -> Result<(), ApiError> {
        let Some(rate) = self.options.calls_per_second else {
            return Ok(());
        };
        let rate = f64::from(rate);
        let (left, since) = self.allowance.unwrap_or((rate, now));
        let left = (left + now.duration_since(since).as_secs_f64() * rate).min(rate);
        if left < 1.0 {
            self.allowance = Some((left, now));
            return Err(ApiError::new("ThrottlingException", "Rate exceeded"));
        }
        self.allowance = Some((left - 1.0, now));
        Ok(())
    }

    fn place(&self, now: Timestamp) -> values::Place {
        values::Place {
            account: self.options.account.clone(),
            region: self.options.region.clone(),
            time: now.round(jiff::Unit::Second).unwrap_or(now).to_string(),
        }
    }

    fn resource(&self, type_name: &str, identifier: &str) -> Option<&Resource> {
        self.memory.resources.get(type_name)?.get(identifier)
    }

    /// The identifier in the form resources are kept by.
    fn identify(&self, schema: &ResourceSchema, text: &str) -> String {
        match identifier::read(schema, text) {
            identifier::Given::Primary(identifier) => identifier,
            identifier::Given::Secondary(members) => self
                .memory
                .resources
                .get(schema.type_name())
                .and_then(|resources| {
                    resources
                        .iter()
                        .find(|(_, found)| identifier::matches(&found.properties, &members))
                })
                .map_or_else(|| text.to_owned(), |(identifier, _)| identifier.clone()),
        }
    }

    /// What the read handler answers.
    fn read(&mut self, schema: &ResourceSchema, identifier: &str) -> Result<Value, ApiError> {
        let type_name = schema.type_name();
        let token = self.uuid();
        let hostile = self.options.hostile_reads;
        let resource = self
            .memory
            .resources
            .get_mut(type_name)
            .and_then(|all| all.get_mut(identifier));
        let hidden = resource
            .as_ref()
            .is_some_and(|resource| resource.hidden_reads > 0);
        match resource {
            Some(resource) if !hidden => {
                let mut properties = resource.properties.clone();
                model::strip(&mut properties, schema.write_only());
                if hostile {
                    hostile::distort(schema, &mut properties, &mut self.rng);
                }
                Ok(properties)
            }
            other => {
                if let Some(resource) = other {
                    resource.hidden_reads = resource.hidden_reads.saturating_sub(1);
                }
                Err(not_found(type_name, identifier, &token, hostile))
            }
        }
    }

    fn forget_the_old(&mut self, now: Timestamp) {
        self.memory
            .tokens
            .retain(|_, used| now.duration_since(used.at) < TOKENS_LAST);
        self.memory.operations.retain(|operation| {
            !operation.status.is_terminal() || now.duration_since(operation.event_time) < OPERATIONS_LAST
        });
    }
}

fn not_found(type_name: &str, identifier: &str, token: &str, hostile: bool) -> ApiError {
    let (code, message) = match type_name {
        // One service that has its own idea of a missing resource.
        "AWS::Logs::LogGroup" if hostile => (
            "InvalidRequest",
            "The specified log group does not exist.".to_owned(),
        ),
        _ => ("NotFound", missing(type_name, identifier)),
    };
    ApiError::of_handler(type_name, code, &message, token)
}

/// The handlers' text for a resource that is not there.
fn missing(type_name: &str, identifier: &str) -> String {
    match type_name {
        "AWS::S3::Bucket" => "Bucket not found".into(),
        _ => format!("Resource of type '{type_name}' with identifier '{identifier}' was not found."),
    }
}

/// The handlers' text for a resource that is there already.
fn exists(type_name: &str, identifier: &str) -> String {
    match type_name {
        "AWS::S3::Bucket" => "The bucket Already Exists".into(),
        _ => format!("Resource of type '{type_name}' with identifier '{identifier}' already exists."),
    }
}
