//! The update strategy: applied, live and desired state in, a decision out.
//!
//! What the author says wins over live; what the author never said is the service's and is left alone;
//! what the author said before and says no longer is removed.
//!
//! # Flow
//! ```text
//! desired, live, applied ─ diff ─> changes ─┬─ a create-only one ───────────> replace
//!                                           ├─ none ────────────────────────> none
//!                                           └─ patch ─ artefacts, preflight ─> update | replace if refused
//! ```
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
mod artefacts;
mod changes;
mod diff;
mod guard;
mod memory;
mod place;
mod policy;
mod preflight;
mod same;

use crate::ResourceSchema;
use crate::check::is_within;
use crate::pointer::expand;
use crate::rules::Kinds;
use changes::Draft;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

pub use memory::{Remembered, remember};
pub use preflight::preflight;

const CREATE_ONLY_CHANGED: &str = "create-only property changed";
const MAY_BE_REFUSED: &str = "the service may refuse to change this property in place";

/// Why a resource has to be replaced, or cannot be brought to its desired state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// JSON Pointer of the property, `""` for the resource as a whole.
    pub pointer: String,
    /// `create-only property changed`, ...; no values.
    pub message: String,
}

/// `/Name: create-only property changed`
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.pointer, self.message)
        }
    }
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
    /// The author has to change something: what is desired cannot be asked of Cloud Control.
    Impossible {
        /// Why.
        reasons: Vec<Reason>,
    },
}

/// How a patch is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Begin the patch with `test` operations for the values that it replaces or removes: Cloud Control then
    /// refuses all of it if the resource has changed since it was read. Off by default.
    pub guard: bool,
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
    decide_with(schema, applied, live, desired, Options::default())
}

/// [`decide`] with options.
pub fn decide_with(
    schema: &ResourceSchema,
    applied: Option<&Remembered>,
    live: &Value,
    desired: &Value,
    options: Options,
) -> Decision {
    let visible = without_written(schema, live);
    let mut changes = diff::changes(schema, applied, &visible, desired);
    let written = written(schema, applied, desired);
    changes.replace.extend(written.replace);

    if !changes.replace.is_empty() {
        return Decision::Replace {
            reasons: changes.replace,
        };
    }
    if changes.is_empty() && !written.changed {
        return Decision::None;
    }
    if let Some(reason) = schema.cannot_update() {
        return Decision::Replace {
            reasons: vec![reason],
        };
    }
    let may_replace = changes.may_replace;
    let mut draft = match Draft::of(changes.steady, changes.written, changes.moving, &visible) {
        Ok(draft) if draft.patch.is_empty() => return Decision::None,
        Ok(draft) => draft,
        Err(kind) => {
            return impossible(format!(
                "the patch does not apply to the live model ({kind}): report this"
            ));
        }
    };
    artefacts::prune(schema, desired, &mut draft);
    let changed = preflight::changed(schema, &visible, &draft.model);
    if !changed.is_empty() {
        return Decision::Replace { reasons: changed };
    }
    if options.guard {
        guard::add_tests(schema, &visible, &mut draft.patch);
    }
    if let Some(reason) = preflight::too_long(&draft.patch) {
        return Decision::Impossible {
            reasons: vec![reason],
        };
    }
    let patch = draft.patch;
    if may_replace.is_empty() {
        Decision::Update { patch }
    } else {
        Decision::ReplaceIfRefused {
            patch,
            reasons: may_replace,
        }
    }
}

fn impossible(message: String) -> Decision {
    Decision::Impossible {
        reasons: vec![Reason {
            pointer: String::new(),
            message,
        }],
    }
}

/// The model that Cloud Control applies a patch to: a read shows no write-only values.
fn without_written<'v>(schema: &ResourceSchema, live: &'v Value) -> Cow<'v, Value> {
    let rule = schema.rules().root();
    if rule.values(live, Kinds::WRITE_ONLY).is_empty() {
        Cow::Borrowed(live)
    } else {
        Cow::Owned(rule.without(live, Kinds::WRITE_ONLY))
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
            let message = CREATE_ONLY_CHANGED.to_owned();
            written.replace.push(Reason { pointer: at, message });
        }
    }
    written
}
