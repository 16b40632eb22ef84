//! The desired state of one resource, with all its references resolved.

use crate::Failure;
use crate::mask::Mask;
use crate::model::{Model, check, violations};
use crate::scope::Scope;
use formwork_blueprint::{EvaluationError, evaluate};
use formwork_schema::{Remembered, remember};
use serde_json::Value;
use std::collections::BTreeSet;

/// The longest document the Cloud Control API takes.
const LONGEST: usize = 262_144;

/// A desired state in the schema's spelling and types.
pub(crate) struct Desired {
    /// With secrets in clear: only for the cloud.
    pub(crate) value: Value,
    /// What will be remembered of it.
    pub(crate) remembered: Remembered,
    /// JSON Pointers of what is not known yet; empty while deploying.
    pub(crate) unknown: BTreeSet<String>,
    /// All secrets of the deployment and those computed for this resource.
    pub(crate) mask: Mask,
}

impl Desired {
    /// The document to send.
    pub(crate) fn text(&self) -> Result<String, String> {
        let text = self.value.to_string();
        let length = text.chars().count();
        if length > LONGEST {
            return Err(format!(
                "its desired state has {length} characters, more than the {LONGEST} that can be sent"
            ));
        }
        Ok(text)
    }
}

/// Computes a resource's desired state.
///
/// # Errors
/// What keeps it from being computed, with its place.
pub(crate) fn desired(
    model: &Model,
    name: &str,
    scope: &Scope<'_>,
    salt: &str,
) -> Result<Desired, Box<Failure>> {
    let Some((resource, node)) = model.resource(name) else {
        return Err(Box::new(failure(
            name,
            "",
            "UnknownResource",
            "it is not in the blueprint".into(),
        )));
    };
    let type_name = node.schema.type_name();
    let value = evaluate(&resource.spec, scope)
        .map_err(|error| Box::new(evaluation(model, name, type_name, &error)))?;
    let mask = model.mask.with(&value);
    let unknown: BTreeSet<String> = value.unknown_pointers().into_iter().collect();
    let conformed = node.schema.conform(&value.to_json(), &unknown);
    if !conformed.violations.is_empty()
        && let Some(violation) = violations::tellable(conformed.violations, &value).first()
    {
        let span = check::span_of(resource, &value, &violation.given, violation.key);
        let mut found = failure(name, type_name, "InvalidProperty", mask.text(&violation.message));
        found.property = Some(violation.pointer.trim_start_matches('/').replace('/', "."))
            .filter(|property| !property.is_empty());
        found.location = Some(model.location(span));
        return Err(Box::new(found));
    }
    let secret = value
        .secret_pointers()
        .into_iter()
        .map(|given| conformed.renamed.get(&given).cloned().unwrap_or(given))
        .collect();
    let value = node.schema.with_tags(conformed.value, &model.tags);
    let remembered = remember(&node.schema, &value, &secret, salt);
    Ok(Desired {
        value,
        remembered,
        unknown: conformed.unknown,
        mask,
    })
}

/// A failed evaluation as a failure of its resource.
pub(crate) fn evaluation(model: &Model, name: &str, type_name: &str, error: &EvaluationError) -> Failure {
    let mut found = failure(name, type_name, error.code, model.mask.text(&error.message));
    found.location = Some(model.location(error.span));
    found
}

fn failure(name: &str, type_name: &str, code: &str, message: String) -> Failure {
    Failure {
        resource: Some(name.to_owned()),
        type_name: type_name.to_owned(),
        operation: "evaluate".into(),
        code: code.to_owned(),
        message,
        property: None,
        location: None,
        leftover: false,
    }
}
