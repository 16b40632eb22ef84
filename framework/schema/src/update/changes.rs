//! What a walk finds: operations, in the order in which they apply, and reasons to replace.

use super::Reason;
use crate::pointer::join;
use json_patch::{
    AddOperation, Patch, PatchErrorKind, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation,
    jsonptr::PointerBuf,
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
}

/// A patch, and what it makes of the live model.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) patch: Patch,
    pub(super) model: Value,
}

impl Draft {
    /// Puts the operations in their order, and applies them.
    ///
    /// # Errors
    /// When one of them does not apply, which would be a mistake of the walk.
    pub(super) fn of(
        steady: Vec<PatchOperation>,
        written: Vec<(Vec<String>, Value)>,
        moving: Vec<PatchOperation>,
        live: &Value,
    ) -> Result<Self, PatchErrorKind> {
        let mut model = live.clone();
        let mut operations = steady;
        apply(&mut model, &operations)?;
        for (path, value) in written {
            if model.pointer(&join(&path)) != Some(&value) {
                operations.extend(add_inside(&mut model, &path, value));
            }
        }
        apply(&mut model, &moving)?;
        operations.extend(moving);
        Ok(Self {
            patch: Patch(operations),
            model,
        })
    }

    /// More operations, those that apply.
    pub(super) fn push_all(&mut self, operations: impl IntoIterator<Item = PatchOperation>) {
        for operation in operations {
            if apply(&mut self.model, std::slice::from_ref(&operation)).is_ok() {
                self.patch.0.push(operation);
            }
        }
    }
}

fn apply(model: &mut Value, operations: &[PatchOperation]) -> Result<(), PatchErrorKind> {
    json_patch::patch(model, operations).map_err(|error| error.kind)
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

pub(super) fn test(pointer: &str, value: Value) -> Option<PatchOperation> {
    Some(PatchOperation::Test(TestOperation {
        path: PointerBuf::parse(pointer.to_owned()).ok()?,
        value,
    }))
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
    apply(model, std::slice::from_ref(&operation)).ok()?;
    Some(operation)
}
