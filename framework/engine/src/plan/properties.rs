//! What changes in a resource, property by property, as far as it may be shown.

use super::outlook::is_within;
use super::{PropertyChange, Shown};
use crate::desired::Desired;
use formwork_schema::{Reason, Remembered, ResourceSchema, matches, strip};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Compares documents of one resource.
pub(crate) struct Comparison<'a> {
    schema: &'a ResourceSchema,
    wanted: &'a Desired,
    applied: Option<&'a Remembered>,
    /// Where something secret or write-only stands, or has stood.
    covered: HashSet<String>,
    /// Elements of a live list may have moved, so that a `*` in `covered` stands for every index: one secret
    /// element makes all of them secret.
    may_have_moved: bool,
    found: Vec<PropertyChange>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(
        schema: &'a ResourceSchema,
        wanted: &'a Desired,
        applied: Option<&'a Remembered>,
    ) -> Self {
        let pointers = wanted
            .remembered
            .hidden
            .keys()
            .chain(applied.into_iter().flat_map(|memory| memory.hidden.keys()));
        Comparison {
            schema,
            wanted,
            applied,
            covered: pointers.map(|pointer| shape(pointer)).collect(),
            may_have_moved: true,
            found: Vec::new(),
        }
    }

    /// Everything that a new resource will have.
    pub(crate) fn created(mut self) -> Vec<PropertyChange> {
        self.may_have_moved = false;
        self.covered = self.wanted.remembered.hidden.keys().cloned().collect();
        self.compare(&mut String::new(), None, Some(&self.wanted.value));
        self.found
    }

    /// What a patch changes in a live resource, and what may turn out to change.
    pub(crate) fn updated(
        mut self,
        live: &Value,
        patched: Option<&Value>,
        reasons: &[Reason],
    ) -> Vec<PropertyChange> {
        let visible = strip(live, self.schema.write_only());
        if let Some(patched) = patched {
            self.compare(&mut String::new(), Some(&visible), Some(patched));
        }
        for pointer in &self.wanted.unknown {
            if self.found.iter().all(|change| change.pointer != *pointer) {
                self.open(pointer, visible.pointer(pointer));
            }
        }
        self.finish(reasons)
    }

    /// What a replacement will have that the old one was not given, and what of the old one stands against it.
    pub(crate) fn replaced(mut self, live: &Value, reasons: &[Reason]) -> Vec<PropertyChange> {
        let wanted = &self.wanted.value;
        if let Some(applied) = self.applied {
            self.compare(&mut String::new(), Some(&applied.shown), Some(wanted));
        }
        for reason in reasons.iter().filter(|reason| !reason.pointer.is_empty()) {
            let told = |change: &PropertyChange| {
                is_within(&change.pointer, &reason.pointer) || is_within(&reason.pointer, &change.pointer)
            };
            if !self.found.iter().any(told) {
                let mut at = reason.pointer.clone();
                self.compare(
                    &mut at,
                    live.pointer(&reason.pointer),
                    wanted.pointer(&reason.pointer),
                );
            }
        }
        self.finish(reasons)
    }

    fn finish(mut self, reasons: &[Reason]) -> Vec<PropertyChange> {
        for change in &mut self.found {
            change.replaces = reasons.iter().any(|reason| {
                !reason.pointer.is_empty()
                    && (is_within(&change.pointer, &reason.pointer)
                        || is_within(&reason.pointer, &change.pointer))
            });
            change.drifted = match (&change.after, self.applied) {
                (Some(Shown::Value(after)), Some(applied)) => {
                    applied.shown.pointer(&change.pointer) == Some(after)
                }
                _ => false,
            };
        }
        self.found
    }

    fn compare(&mut self, at: &mut String, before: Option<&Value>, after: Option<&Value>) {
        if self.wanted.unknown.contains(at.as_str()) {
            return self.open(at, before);
        }
        if before == after && !self.has_unknown_below(at) {
            return;
        }
        if let Some(cover) = self.cover(at) {
            return self.covered(at, cover, before, after);
        }
        match (before, after) {
            (None, Some(Value::Object(members))) if !members.is_empty() => {
                for (key, member) in members {
                    self.part(at, key, None, Some(member));
                }
            }
            (Some(Value::Object(members)), None) if self.is_mixed(at) => {
                for (key, member) in members {
                    self.part(at, key, Some(member), None);
                }
            }
            (Some(Value::Object(found)), Some(Value::Object(wanted))) => {
                for (key, member) in wanted {
                    self.part(at, key, found.get(key), Some(member));
                }
                for (key, member) in found.iter().filter(|(key, _)| !wanted.contains_key(*key)) {
                    self.part(at, key, Some(member), None);
                }
            }
            (None, Some(Value::Array(wanted))) if self.is_read_by_element(at, &[wanted]) => {
                self.elements(at, &[], wanted);
            }
            (Some(Value::Array(found)), None) if self.is_mixed(at) => self.elements(at, found, &[]),
            (Some(Value::Array(found)), Some(Value::Array(wanted)))
                if self.is_read_by_element(at, &[found, wanted]) =>
            {
                self.elements(at, found, wanted);
            }
            (before, after) => {
                let before = before.map(|value| self.shown(value));
                let after = after.map(|value| self.shown(value));
                self.push(at, before, after);
            }
        }
    }

    fn part(&mut self, at: &mut String, key: &str, before: Option<&Value>, after: Option<&Value>) {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        self.compare(at, before, after);
        at.truncate(length);
    }

    /// Lists of one length are compared in order, others by what one has and the other has not.
    fn elements(&mut self, at: &mut String, found: &[Value], wanted: &[Value]) {
        if found.len() == wanted.len() {
            for (index, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                self.part(at, &index.to_string(), Some(found), Some(wanted));
            }
            return;
        }
        let mut spare: HashMap<String, usize> = HashMap::new();
        for value in found {
            *spare.entry(value.to_string()).or_default() += 1;
        }
        let mut kept: HashMap<String, usize> = HashMap::new();
        for (index, value) in wanted.iter().enumerate() {
            let text = value.to_string();
            match spare.get_mut(&text).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    *kept.entry(text).or_default() += 1;
                }
                None => self.part(at, &index.to_string(), None, Some(value)),
            }
        }
        for (index, value) in found.iter().enumerate() {
            match kept.get_mut(&value.to_string()).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => self.part(at, &index.to_string(), Some(value), None),
            }
        }
    }

    /// A value that is not known yet.
    fn open(&mut self, at: &str, before: Option<&Value>) {
        let cover = self.cover(at);
        let before = before.map(|value| cover.unwrap_or_else(|| self.shown(value)));
        self.push(at, before, Some(Shown::AfterDeploy));
    }

    /// A value that may not be shown: that it changes is known by its hash.
    fn covered(&mut self, at: &str, cover: Shown, before: Option<&Value>, after: Option<&Value>) {
        let hash = |memory: &'a Remembered| memory.hidden.get(at);
        let applied = self.applied.and_then(hash);
        let wanted = self.wanted.remembered.hidden.get(at);
        if before.is_none() && applied.is_some() && applied == wanted {
            return;
        }
        let was = before.is_some() || applied.is_some();
        let before = was.then(|| cover.clone());
        self.push(at, before, after.map(|_| cover));
    }

    fn push(&mut self, at: &str, before: Option<Shown>, after: Option<Shown>) {
        self.found.push(PropertyChange {
            pointer: at.to_owned(),
            before,
            after,
            replaces: false,
            drifted: false,
        });
    }

    /// A place as `covered` has it.
    fn place(&self, at: &str) -> String {
        if self.may_have_moved {
            shape(at)
        } else {
            at.to_owned()
        }
    }

    /// How a place is covered, if it is.
    fn cover(&self, at: &str) -> Option<Shown> {
        if self.covered.is_empty() || !self.covered.contains(&self.place(at)) {
            return None;
        }
        let write_only = self
            .schema
            .write_only()
            .iter()
            .any(|pointer| matches(pointer, at));
        Some(if write_only { Shown::Hidden } else { Shown::Secret })
    }

    /// A value outside of what is covered; should it hold a secret all the same, it is not shown.
    fn shown(&self, value: &Value) -> Shown {
        let holds_secret = match value {
            Value::String(text) => self.wanted.mask.hides(text),
            Value::Null | Value::Bool(_) => false,
            other => self.wanted.mask.hides(&other.to_string()),
        };
        if holds_secret {
            Shown::Secret
        } else {
            Shown::Value(value.clone())
        }
    }

    fn has_unknown_below(&self, at: &str) -> bool {
        self.wanted.unknown.iter().any(|open| is_within(open, at))
    }

    /// True if parts of the place may be shown, and others may not, or not yet.
    fn is_mixed(&self, at: &str) -> bool {
        let here = self.place(at);
        self.covered.iter().any(|covered| is_within(covered, &here)) || self.has_unknown_below(at)
    }

    /// A list of plain values reads best as a whole.
    fn is_read_by_element(&self, at: &str, lists: &[&Vec<Value>]) -> bool {
        let mut elements = lists.iter().flat_map(|list| list.iter());
        elements.any(|element| element.is_object() || element.is_array()) || self.is_mixed(at)
    }
}

/// A JSON Pointer with a `*` for every index.
fn shape(pointer: &str) -> String {
    let mut shape = String::with_capacity(pointer.len());
    for segment in pointer.split('/').skip(1) {
        shape.push('/');
        let is_index = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        shape.push_str(if is_index { "*" } else { segment });
    }
    shape
}
