//! The walk over desired, live and applied state that finds what has to change.

use super::arrays::is_keyed;
use super::changes::{Changes, add, remove, replace};
use super::place::Place;
use super::same::{Comparison, IGNORED, is_nothing, is_same_scalar};
use super::{CREATE_ONLY_CHANGED, MAY_BE_REFUSED, Reason, Remembered};
use crate::conform::without_nulls;
use crate::number::equal;
use crate::rules::Kinds;
use crate::tags::{is_reserved, tag_key};
use crate::transform::Match;
use crate::view::View;
use crate::{ResourceSchema, Tagging};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// What must not be touched.
pub(super) const FIXED: Kinds = Kinds::READ_ONLY.or(Kinds::CREATE_ONLY);
/// What is not simply compared and set.
pub(super) const RULED: Kinds = IGNORED.or(Kinds::CREATE_ONLY);

/// Finds the changes from `live` (without write-only values) to `desired`.
pub(super) fn changes(
    schema: &ResourceSchema,
    applied: Option<&Remembered>,
    live: &Value,
    desired: &Value,
) -> Changes {
    let owned = applied.map(Remembered::owned);
    let mut walk = Walk {
        schema,
        applied,
        whole: desired,
        tags: schema.tagging_once(),
        changes: Changes::default(),
    };
    if let (Value::Object(wanted), Value::Object(found)) = (desired, live) {
        let root = Place::root(schema.rules().root());
        walk.object(&schema.view(), wanted, found, owned.as_deref(), &root);
    }
    walk.changes
}

pub(super) struct Walk<'a> {
    pub(super) schema: &'a ResourceSchema,
    pub(super) applied: Option<&'a Remembered>,
    pub(super) whole: &'a Value,
    pub(super) tags: &'a Tagging,
    pub(super) changes: Changes,
}

/// One value in the documents that a walk compares.
#[derive(Clone, Copy)]
pub(super) struct Values<'v> {
    pub(super) desired: &'v Value,
    pub(super) live: Option<&'v Value>,
    pub(super) owned: Option<&'v Value>,
    /// The desired object that it is a member of.
    pub(super) parent: Option<&'v Map<String, Value>>,
}

impl<'a> Walk<'a> {
    fn object(
        &mut self,
        view: &View<'_>,
        wanted: &Map<String, Value>,
        found: &Map<String, Value>,
        owned: Option<&Value>,
        place: &Place<'_>,
    ) {
        for (key, desired) in wanted {
            let values = Values {
                desired,
                live: found.get(key),
                owned: owned.and_then(|owned| owned.get(key)),
                parent: Some(wanted),
            };
            self.member(|| view.member(key), values, &place.member(key));
        }
        for (key, owned) in owned.and_then(Value::as_object).into_iter().flatten() {
            if let (None, Some(live)) = (wanted.get(key), found.get(key)) {
                self.dropped(&view.member(key), owned, live, &place.member(key));
            }
        }
    }

    pub(super) fn member<'s>(
        &mut self,
        view: impl FnOnce() -> View<'s>,
        values: Values<'_>,
        here: &Place<'_>,
    ) {
        let Values {
            desired, live, owned, ..
        } = values;
        if here.rule.is(Kinds::READ_ONLY) {
            return;
        }
        if here.rule.is(Kinds::WRITE_ONLY) {
            if !desired.is_null() && !here.rule.is(Kinds::CREATE_ONLY) {
                let sent = self.without(FIXED, desired, here);
                self.changes.written.push((here.live(), sent));
            }
            return;
        }
        // What is the same down to the last member needs no look at the schema, unless something in it never
        // shows.
        if live.is_some_and(|live| equal(desired, live))
            && here.rule.values(desired, Kinds::WRITE_ONLY).is_empty()
        {
            return;
        }
        let view = view();
        match (desired, live) {
            (Value::Null, None | Some(Value::Null)) => {}
            (Value::Null, Some(_)) if here.is_element => {}
            (Value::Null, Some(live)) => self.erased(live, here),
            (desired, None | Some(Value::Null)) => self.absent(&view, desired, owned, here),
            (_, Some(live)) if self.is_shown_as(values, live, here) => {}
            (Value::Object(wanted), Some(Value::Object(found))) if !view.is_free_form() => {
                self.object(&view, wanted, found, owned, here);
            }
            (Value::Array(_), Some(live @ Value::Array(_))) if !view.is_free_form() => {
                self.array(&view, desired, live, owned, here);
            }
            (desired, Some(live)) if is_same_scalar(&view, desired, live) => {}
            (desired, Some(live)) => self.set(desired, Some(live), here),
        }
    }

    /// True if live is what the service makes of the desired value. That it only may be counts while the
    /// author has not changed the value.
    fn is_shown_as(&self, values: Values<'_>, live: &Value, here: &Place<'_>) -> bool {
        let (Some(transform), Some(parent)) = (here.rule.transform(), values.parent) else {
            return false;
        };
        match transform.matches(self.whole, parent, live) {
            Match::No => false,
            Match::Exact => true,
            Match::Vague => self.is_as_applied(here),
        }
    }

    /// True if nothing is known to have been applied here but what is desired.
    pub(super) fn is_as_applied(&self, here: &Place<'_>) -> bool {
        self.applied
            .is_none_or(|applied| applied.is_as_applied(self.whole, &here.pointer()))
    }

    pub(super) fn comparison(&self) -> Comparison<'a> {
        Comparison { whole: self.whole }
    }

    /// Desired, and not there.
    fn absent(&mut self, view: &View<'_>, desired: &Value, owned: Option<&Value>, here: &Place<'_>) {
        let as_applied = || owned.is_some() && self.applied.is_some() && self.is_as_applied(here);
        // A create-only value that a read does not return is taken to be what we gave; so is emptiness,
        // which many services forget, and what a service would do anyway.
        let forgotten = match desired {
            Value::Array(elements) => elements.is_empty(),
            Value::Object(members) => members.is_empty() && as_applied(),
            scalar => view
                .keyword("default")
                .is_some_and(|default| is_same_scalar(view, scalar, default)),
        };
        if forgotten || (here.rule.is(Kinds::CREATE_ONLY) && as_applied()) {
            return;
        }
        if is_nothing(desired, here.rule) {
            // Nothing in it ever shows, so its absence says nothing.
            let sent = self.without(FIXED, desired, here);
            self.changes.written.push((here.live(), sent));
            return;
        }
        match desired {
            Value::Object(wanted) if !wanted.is_empty() && here.rule.holds(RULED) => {
                let (steady, written) = (self.changes.steady.len(), self.changes.written.len());
                self.object(view, wanted, &Map::new(), owned, here);
                if self.changes.steady.len() > steady {
                    // Its parts have no container to stand in: all of them are set at once.
                    self.changes.steady.truncate(steady);
                    self.changes.written.truncate(written);
                    let value = self.without(FIXED, desired, here);
                    self.changes.steady.extend(add(&here.live(), value));
                }
            }
            _ => self.set(desired, None, here),
        }
    }

    /// Applied before, desired no longer, and live still has it.
    fn dropped(&mut self, view: &View<'_>, owned: &Value, live: &Value, here: &Place<'_>) {
        // Without a value of the author's the service takes its default, and that it already has.
        let is_default = view
            .keyword("default")
            .is_some_and(|default| equal(default, live));
        if live.is_null() || is_default || here.rule.is(RULED) {
            return;
        }
        if let (true, Value::Array(ours), Value::Array(found)) = (self.is_keyed_list(view, here), owned, live)
            && is_keyed(found)
        {
            let ours: HashSet<Option<&str>> = ours.iter().map(tag_key).collect();
            if found.iter().any(|tag| !ours.contains(&tag_key(tag))) {
                return self.tag_list(&[], found, Some(owned), here);
            }
        }
        let is_protected = || !here.rule.values(live, FIXED).is_empty();
        let (Value::Object(ours), Value::Object(found)) = (owned, live) else {
            // A list that holds something create-only lives as long as the resource.
            if !is_protected() {
                self.remove(here);
            }
            return;
        };
        let all_ours = found.keys().all(|key| ours.contains_key(key));
        let needed = |key: &String| {
            let required = view.keyword("required").and_then(Value::as_array);
            required.is_some_and(|required| required.iter().any(|name| name == key))
        };
        let whole =
            all_ours || view.is_free_form() || ours.keys().any(|key| found.contains_key(key) && needed(key));
        if whole && !is_protected() {
            return self.remove(here);
        }
        for (key, owned) in ours {
            if let Some(live) = found.get(key) {
                self.dropped(&view.member(key), owned, live, &here.member(key));
            }
        }
    }

    /// Sets the whole value, or says that only a replacement can.
    pub(super) fn set(&mut self, desired: &Value, live: Option<&Value>, here: &Place<'_>) {
        if !self.is_refused(desired, live, here) {
            self.put(desired, here);
        }
    }

    fn put(&mut self, desired: &Value, here: &Place<'_>) {
        self.note_conditional(here);
        let value = self.without(Kinds::READ_ONLY, desired, here);
        let operation = if here.is_element {
            replace(&here.live(), value)
        } else {
            add(&here.live(), value)
        };
        self.changes.steady.extend(operation);
    }

    /// Desired to be gone. The tags that AWS set itself stay.
    fn erased(&mut self, live: &Value, here: &Place<'_>) {
        let tags = live.as_array().filter(|_| self.is_tag_list(here));
        let kept: Vec<Value> = tags
            .into_iter()
            .flatten()
            .filter(|tag| tag_key(tag).is_some_and(is_reserved))
            .cloned()
            .collect();
        match tags {
            Some(tags) if kept.len() == tags.len() => {}
            Some(_) if !kept.is_empty() => self.set(&Value::Array(kept), Some(live), here),
            _ => self.remove(here),
        }
    }

    fn remove(&mut self, here: &Place<'_>) {
        if here.rule.is(Kinds::CREATE_ONLY) {
            self.refuse(here);
        } else {
            self.note_conditional(here);
            self.changes.steady.extend(remove(&here.live()));
        }
    }

    /// Notes a reason to replace if the place is create-only, or holds something create-only that would
    /// change.
    pub(super) fn is_refused(&mut self, desired: &Value, live: Option<&Value>, here: &Place<'_>) -> bool {
        let inside = here.rule.holds(Kinds::CREATE_ONLY) && {
            let wanted = here.rule.values(desired, Kinds::CREATE_ONLY);
            let found = live.map(|live| here.rule.values(live, Kinds::CREATE_ONLY));
            let found = found.unwrap_or_default();
            wanted.len() != found.len()
                || !wanted
                    .iter()
                    .zip(found)
                    .all(|(wanted, found)| equal(wanted, found))
        };
        let refused = inside || here.rule.is(Kinds::CREATE_ONLY);
        if refused {
            self.refuse(here);
        }
        refused
    }

    fn refuse(&mut self, here: &Place<'_>) {
        self.changes.replace.push(Reason {
            pointer: here.pointer(),
            message: CREATE_ONLY_CHANGED.to_owned(),
        });
    }

    fn note_conditional(&mut self, here: &Place<'_>) {
        if here.rule.is(Kinds::CONDITIONAL) || here.rule.holds(Kinds::CONDITIONAL) {
            self.changes.may_replace.push(Reason {
                pointer: here.pointer(),
                message: MAY_BE_REFUSED.to_owned(),
            });
        }
    }

    pub(super) fn is_tag_list(&self, here: &Place<'_>) -> bool {
        matches!(self.tags, Tagging::KeyValueList(pointer) if here.is_at(pointer.segments()))
    }

    /// True for lists whose elements have keys and of which the author owns a part: tags, and attributes
    /// that keep their values when they are not mentioned.
    pub(super) fn is_keyed_list(&self, view: &View<'_>, here: &Place<'_>) -> bool {
        self.is_tag_list(here)
            || view
                .keyword("arrayType")
                .is_some_and(|kind| kind == "AttributeList")
    }

    pub(super) fn without(&self, kinds: Kinds, value: &Value, here: &Place<'_>) -> Value {
        if !holds_null(value) {
            return here.rule.without(value, kinds);
        }
        let view = self.schema.view().at(&here.desired());
        here.rule.without(&without_nulls(&view, value), kinds)
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(elements) => elements.iter().any(holds_null),
        Value::Object(members) => members.values().any(holds_null),
        _ => false,
    }
}
