//! The update strategy: applied, live and desired state in, a decision out.
//!
//! What the author says wins over live; what the author never said is the service's and is left alone;
//! what the author said before and says no longer is removed.
//!
//! # Guarantees
//! - The patch applies to the live model with or without its write-only values, operation by operation.
//! - No operation names a read-only property or one inside of it; create-only properties are never changed.
//! - The patch is never empty, and after it was applied and [`remember`]ed the next decision is
//!   [`Decision::None`].
//!
//! # Caveats
//! - Dropping a create-only property changes nothing: its value lives as long as the resource.
//! - A write-only value that the author drops goes with the next update that has another reason: there is
//!   nothing in the live model to remove.

mod arrays;
mod changes;
mod diff;
mod memory;
mod same;

use crate::ResourceSchema;
use crate::check::is_within;
use crate::pointer::{expand, strip};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use memory::{Remembered, remember};

/// Why a resource has to be replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// JSON Pointer of the property, `""` for the resource as a whole.
    pub pointer: String,
    /// `create-only property changed`, ...; no values.
    pub message: String,
}

/// What to do with a resource that exists.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Live already is as desired: no call.
    None,
    /// An in-place update with this JSON Patch (RFC 6902). Never empty.
    Update {
        /// The patch document.
        patch: json_patch::Patch,
    },
    /// Only a new resource can be as desired.
    Replace {
        /// Why.
        reasons: Vec<Reason>,
    },
    /// Try the patch; replace if the service refuses (conditional create-only).
    ReplaceIfRefused {
        /// The patch document.
        patch: json_patch::Patch,
        /// Why it may be refused.
        reasons: Vec<Reason>,
    },
}

/// Decides how to bring a live resource to its desired state (design: three-way, leaf-level, write-only
/// values re-added whenever a patch is sent at all).
///
/// `live` is the model as read, `desired` a conformed document. Without `applied` nothing is known to be
/// ours: nothing is removed, and every write-only value that can be updated counts as changed.
pub fn decide(
    schema: &ResourceSchema,
    applied: Option<&Remembered>,
    live: &Value,
    desired: &Value,
) -> Decision {
    // Cloud Control applies the patch to the model it reads, which has no write-only values.
    let visible = strip(live, schema.write_only());
    let mut changes = diff::changes(schema, applied, &visible, desired);
    let written = written(schema, applied, desired);
    changes.replace.extend(written.replace);

    let differs = !changes.is_empty() || written.changed;
    if !changes.replace.is_empty() {
        return Decision::Replace {
            reasons: changes.replace,
        };
    }
    if !differs {
        return Decision::None;
    }
    if !schema.handlers().update {
        let message = "this type cannot be updated in place".to_owned();
        return Decision::Replace {
            reasons: vec![Reason {
                pointer: String::new(),
                message,
            }],
        };
    }
    let (patch, may_replace) = changes.into_patch(&visible);
    match (patch.is_empty(), may_replace.is_empty()) {
        (true, _) => Decision::None,
        (false, true) => Decision::Update { patch },
        (false, false) => Decision::ReplaceIfRefused {
            patch,
            reasons: may_replace,
        },
    }
}

/// What changed among the values that a read never shows.
struct Written {
    changed: bool,
    replace: Vec<Reason>,
}

fn written(schema: &ResourceSchema, applied: Option<&Remembered>, desired: &Value) -> Written {
    let mut written = Written {
        changed: false,
        replace: Vec::new(),
    };
    for at in schema
        .write_only()
        .iter()
        .flat_map(|pointer| expand(pointer, desired))
    {
        let given = desired.pointer(&at).is_some_and(|value| !value.is_null());
        let fixed = is_within(schema.create_only(), &at);
        written.changed |=
            given && !fixed && !applied.is_some_and(|applied| applied.is_as_hidden(desired, &at));
    }
    let Some(applied) = applied else { return written };
    for at in schema
        .create_only()
        .iter()
        .flat_map(|pointer| expand(pointer, desired))
    {
        if is_within(schema.write_only(), &at) && !applied.is_as_hidden(desired, &at) {
            let message = "create-only property changed".to_owned();
            written.replace.push(Reason { pointer: at, message });
        }
    }
    written
}
