//! What a walk finds: operations, in the order in which they apply, and reasons to replace.

use super::Reason;
use crate::pointer::join;
use json_patch::{
    AddOperation, Patch, PatchOperation, RemoveOperation, ReplaceOperation, jsonptr::PointerBuf,
};
use serde_json::{Map, Value};

/// What has to change, and what stands in the way.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Operations whose places do not depend on each other.
    pub(super) steady: Vec<PatchOperation>,
    /// Write-only values, at the places they have in live; sent along with every patch.
    pub(super) written: Vec<(Vec<String>, Value)>,
    /// Removed and appended elements of arrays, which move others: inner arrays first.
    pub(super) moving: Vec<PatchOperation>,
    /// Changes only a new resource can have.
    pub(super) replace: Vec<Reason>,
    /// Changes that the service may refuse.
    pub(super) may_replace: Vec<Reason>,
}

impl Changes {
    /// True if live is as desired, as far as live can show it.
    pub(super) fn is_empty(&self) -> bool {
        self.steady.is_empty() && self.moving.is_empty()
    }

    /// The patch, and why it may be refused.
    pub(super) fn into_patch(self, live: &Value) -> (Patch, Vec<Reason>) {
        let mut operations = self.steady;
        let mut model = live.clone();
        let applied = json_patch::patch(&mut model, &operations).is_ok();
        for (path, value) in self.written {
            let present = applied && model.pointer(&join(&path)) == Some(&value);
            if let Some(operation) = (!present).then(|| add_inside(&mut model, &path, value)).flatten() {
                operations.push(operation);
            }
        }
        operations.extend(self.moving);
        (Patch(operations), self.may_replace)
    }
}

/// One place in both documents; they differ below an array whose elements were paired across indices.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) desired: Vec<String>,
    pub(super) live: Vec<String>,
    /// An element of an array, where `add` would insert instead of set.
    pub(super) is_element: bool,
}

impl Place {
    pub(super) fn member(&self, key: &str) -> Self {
        let with = |path: &[String]| path.iter().cloned().chain([key.to_owned()]).collect();
        Self {
            desired: with(&self.desired),
            live: with(&self.live),
            is_element: false,
        }
    }

    pub(super) fn element(&self, desired: &str, live: &str) -> Self {
        let with = |path: &[String], index: &str| path.iter().cloned().chain([index.to_owned()]).collect();
        Self {
            desired: with(&self.desired, desired),
            live: with(&self.live, live),
            is_element: true,
        }
    }
}

pub(super) fn add(path: &[String], value: Value) -> Option<PatchOperation> {
    Some(PatchOperation::Add(AddOperation {
        path: pointer(path)?,
        value,
    }))
}

pub(super) fn replace(path: &[String], value: Value) -> Option<PatchOperation> {
    Some(PatchOperation::Replace(ReplaceOperation {
        path: pointer(path)?,
        value,
    }))
}

pub(super) fn remove(path: &[String]) -> Option<PatchOperation> {
    Some(PatchOperation::Remove(RemoveOperation { path: pointer(path)? }))
}

fn pointer(path: &[String]) -> Option<PointerBuf> {
    PointerBuf::parse(join(path)).ok()
}

/// Adds a value to the model, with the containers it needs, and says which operation did it.
fn add_inside(model: &mut Value, path: &[String], value: Value) -> Option<PatchOperation> {
    let depth = (1..path.len())
        .find(|depth| {
            path.get(..*depth)
                .is_some_and(|parent| model.pointer(&join(parent)).is_none())
        })
        .unwrap_or(path.len());
    let (outer, inner) = path.split_at_checked(depth)?;
    let value = inner.iter().rev().fold(value, |value, key| {
        Value::Object(Map::from_iter([(key.clone(), value)]))
    });
    let operation = add(outer, value)?;
    json_patch::patch(model, std::slice::from_ref(&operation)).ok()?;
    Some(operation)
}
