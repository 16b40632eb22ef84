//! `formwork patch`: how a live resource would be brought to its desired state.

use crate::arguments::{Format, Patch};
use crate::files;
use crate::terminal::{Failure, print, print_error, print_json};
use formwork_schema::{
    Decision, Options, Reason, ResourceSchema, decide_with, load, preflight, remember, resolve_type,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Nothing of what is remembered here is kept, so the salt need not be random.
const SALT: &str = "00";

pub fn run(options: &Patch) -> Result<bool, Failure> {
    let schema = schema(options)?;
    let live = properties(&options.live)?;
    let Some(desired) = fitted(&schema, &options.desired)? else {
        return Ok(false);
    };
    let applied = match &options.applied {
        Some(path) => match fitted(&schema, path)? {
            Some(applied) => Some(remember(&schema, &applied, &BTreeSet::new(), SALT)),
            None => return Ok(false),
        },
        None => None,
    };
    let how = Options { guard: options.guard };
    let (action, patch, reasons) = match decide_with(&schema, applied.as_ref(), &live, &desired, how) {
        Decision::None => ("none", None, Vec::new()),
        Decision::Update { patch } => ("update", Some(patch), Vec::new()),
        Decision::Replace { reasons } => ("replace", None, reasons),
        Decision::ReplaceIfRefused { patch, reasons } => ("replace-if-refused", Some(patch), reasons),
        Decision::Impossible { reasons } => ("impossible", None, reasons),
    };
    let warnings = patch
        .as_ref()
        .map_or_else(Vec::new, |patch| preflight(&schema, &live, patch));
    let patch = patch.map_or_else(|| json!([]), |patch| json!(patch));
    match options.format {
        Format::Json => print_json(&json!({
            "action": action,
            "patch": patch,
            "reasons": listed(&reasons),
            "warnings": listed(&warnings),
        })),
        Format::Text => show(action, &patch, &reasons, &warnings),
    }
    Ok(action != "impossible")
}

fn listed(reasons: &[Reason]) -> Value {
    let listed = reasons
        .iter()
        .map(|reason| json!({"pointer": reason.pointer, "message": reason.message}));
    listed.collect()
}

fn show(action: &str, patch: &Value, reasons: &[Reason], warnings: &[Reason]) {
    print(match action {
        "none" => "nothing to do: the resource is as desired",
        "update" => "update in place with this patch:",
        "replace" => "replace the resource:",
        "impossible" => "this cannot be asked of Cloud Control:",
        _ => "update in place with this patch, and replace the resource if the service refuses it:",
    });
    for reason in reasons {
        print(&format!("  {reason}"));
    }
    for operation in patch.as_array().into_iter().flatten() {
        print(&format!("  {operation}"));
    }
    for warning in warnings {
        print(&format!("warning: {warning}"));
    }
}

fn schema(options: &Patch) -> Result<ResourceSchema, Failure> {
    match (&options.type_name, &options.schema) {
        (Some(name), None) => {
            let resolved = resolve_type(name).map_err(|unknown| {
                let near = unknown.suggestions.join("`, `");
                Failure::usage_with_hint(unknown.to_string(), format!("did you mean `{near}`?"))
            })?;
            match load(&resolved) {
                Ok(Some(schema)) => Ok(schema),
                Ok(None) => Err(Failure::usage_with_hint(
                    format!("the type `{resolved}` is not bundled"),
                    "give its schema with `--schema FILE`",
                )),
                Err(error) => Err(Failure::outside("the bundled schema cannot be read", error)),
            }
        }
        (_, Some(path)) => ResourceSchema::parse(&files::text(path)?)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display()))),
        (None, None) => Err(Failure::usage("one of `--type` and `--schema` is required")),
    }
}

/// A document of properties as the schema names and types them; `None`, and the findings on standard error, if
/// it does not fit.
fn fitted(schema: &ResourceSchema, path: &Path) -> Result<Option<Value>, Failure> {
    let conformed = schema.conform(&properties(path)?, &BTreeSet::new());
    for violation in &conformed.violations {
        let help = violation
            .help
            .as_ref()
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        print_error(&format!(
            "{}: {}: {}{help}",
            path.display(),
            violation.given,
            violation.message
        ));
    }
    Ok(conformed.violations.is_empty().then_some(conformed.value))
}

fn properties(path: &Path) -> Result<Value, Failure> {
    files::json(path, "the properties of a resource")
}
