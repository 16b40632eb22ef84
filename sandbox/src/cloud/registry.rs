//! Resource types: the official ones and those registered here.

use super::error::ApiError;
use formwork_schema::{ResourceSchema, SchemaError};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Resource types by name; the official ones are unpacked when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    loaded: HashMap<String, Option<Arc<ResourceSchema>>>,
    registered: BTreeMap<String, String>,
}

impl Registry {
    /// Adds a private or third-party type, or replaces one; returns its name.
    pub(crate) fn register(&mut self, schema: &str) -> Result<String, SchemaError> {
        let parsed = ResourceSchema::parse(schema)?;
        let name = parsed.type_name().to_owned();
        self.loaded.insert(name.clone(), Some(Arc::new(parsed)));
        self.registered.insert(name.clone(), schema.to_owned());
        Ok(name)
    }

    /// The type of that name.
    pub(crate) fn find(&mut self, name: &str) -> Result<Arc<ResourceSchema>, ApiError> {
        let not_found = || {
            ApiError::new(
                "TypeNotFoundException",
                format!("The type '{name}' cannot be found."),
            )
        };
        if let Some(known) = self.loaded.get(name) {
            return known.clone().ok_or_else(not_found);
        }
        let found = formwork_schema::load(name)
            .map_err(|error| ApiError::new("ServiceInternalErrorException", error.to_string()))?
            .map(Arc::new);
        self.loaded.insert(name.to_owned(), found.clone());
        found.ok_or_else(not_found)
    }

    /// The registered schemas' texts by type name.
    pub(crate) fn registered(&self) -> &BTreeMap<String, String> {
        &self.registered
    }

    /// Every type's name, sorted: the registered ones (private), or the official ones.
    pub(crate) fn names(&self, private: bool) -> Vec<String> {
        if private {
            self.registered.keys().cloned().collect()
        } else {
            formwork_schema::bundled_types()
                .map(|bundled| bundled.name.to_owned())
                .collect()
        }
    }

    /// How a type can be provisioned, as DescribeType tells it.
    pub(crate) fn provisioning(schema: &ResourceSchema) -> &'static str {
        let handlers = schema.handlers();
        match (handlers.create, handlers.update) {
            (false, _) => "NON_PROVISIONABLE",
            (true, false) => "IMMUTABLE",
            (true, true) => "FULLY_MUTABLE",
        }
    }
}
