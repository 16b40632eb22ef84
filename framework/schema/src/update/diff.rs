//! The walk over desired, live and applied state that finds what has to change.

use super::arrays::is_keyed;
use super::changes::{Changes, Place, add, remove, replace};
use super::same::{Ignored, is_nothing, is_same_scalar};
use super::{Reason, Remembered};
use crate::conform::without_nulls;
use crate::number::canonical;
use crate::pointer::{Relation, join, relation};
use crate::tags::{is_reserved, tag_key};
use crate::view::View;
use crate::{PropertyPointer, ResourceSchema, Tagging};
use serde_json::{Map, Value};

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
        tags: schema.tagging(),
        ignored: Ignored {
            read_only: schema.read_only(),
            write_only: schema.write_only(),
        },
        changes: Changes::default(),
    };
    if let (Value::Object(wanted), Value::Object(found)) = (desired, live) {
        walk.object(&schema.view(), wanted, found, owned.as_ref(), &Place::default());
    }
    walk.changes
}

pub(super) struct Walk<'a> {
    pub(super) schema: &'a ResourceSchema,
    pub(super) applied: Option<&'a Remembered>,
    pub(super) whole: &'a Value,
    pub(super) tags: Tagging,
    pub(super) ignored: Ignored<'a>,
    pub(super) changes: Changes,
}

impl Walk<'_> {
    fn object(
        &mut self,
        view: &View<'_>,
        wanted: &Map<String, Value>,
        found: &Map<String, Value>,
        owned: Option<&Value>,
        place: &Place,
    ) {
        for (key, desired) in wanted {
            let here = place.member(key);
            let owned = owned.and_then(|owned| owned.get(key));
            self.member(&view.member(key), desired, found.get(key), owned, &here);
        }
        for (key, owned) in owned.and_then(Value::as_object).into_iter().flatten() {
            if let (None, Some(live)) = (wanted.get(key), found.get(key)) {
                self.dropped(&view.member(key), owned, live, &place.member(key));
            }
        }
    }

    pub(super) fn member(
        &mut self,
        view: &View<'_>,
        desired: &Value,
        live: Option<&Value>,
        owned: Option<&Value>,
        here: &Place,
    ) {
        if self.is_in(self.schema.read_only(), here) {
            return;
        }
        if self.is_in(self.schema.write_only(), here) {
            if !desired.is_null() && !self.is_in(self.schema.create_only(), here) {
                let sent = self.without_create_only(desired, here);
                self.changes.written.push((here.live.clone(), sent));
            }
            return;
        }
        match (desired, live) {
            (Value::Null, None | Some(Value::Null)) => {}
            (Value::Null, Some(_)) if here.is_element => {}
            (Value::Null, Some(live)) => self.erased(live, here),
            (desired, None | Some(Value::Null)) => self.absent(view, desired, owned, here),
            (Value::Object(wanted), Some(Value::Object(found))) if !view.is_free_form() => {
                self.object(view, wanted, found, owned, here);
            }
            (Value::Array(wanted), Some(Value::Array(found))) => self.array(view, wanted, found, owned, here),
            (desired, Some(live)) if is_same_scalar(view, desired, live) => {}
            (desired, Some(live)) => self.set(desired, Some(live), here),
        }
    }

    /// Desired, and not there.
    fn absent(&mut self, view: &View<'_>, desired: &Value, owned: Option<&Value>, here: &Place) {
        let as_applied = owned.is_some()
            && self
                .applied
                .is_some_and(|applied| applied.is_as_applied(self.whole, &join(&here.desired)));
        // A create-only value that a read does not return is taken to be what we gave; so is emptiness,
        // which many services forget.
        let forgotten = match desired {
            Value::Array(elements) => elements.is_empty(),
            Value::Object(members) => members.is_empty() && as_applied,
            _ => false,
        };
        if forgotten || (as_applied && self.is_in(self.schema.create_only(), here)) {
            return;
        }
        if is_nothing(desired, &mut here.desired.clone(), self.ignored) {
            // Nothing in it ever shows, so its absence says nothing.
            let sent = self.without_create_only(desired, here);
            self.changes.written.push((here.live.clone(), sent));
            return;
        }
        match desired {
            Value::Object(wanted) if !wanted.is_empty() && self.is_mixed(here) => {
                let (steady, written) = (self.changes.steady.len(), self.changes.written.len());
                self.object(view, wanted, &Map::new(), owned, here);
                if self.changes.steady.len() > steady {
                    // Its parts have no container to stand in: all of them are set at once.
                    self.changes.steady.truncate(steady);
                    self.changes.written.truncate(written);
                    let value = self.without_create_only(desired, here);
                    self.changes.steady.extend(add(&here.live, value));
                }
            }
            _ => self.set(desired, None, here),
        }
    }

    /// Applied before, desired no longer, and live still has it.
    fn dropped(&mut self, view: &View<'_>, owned: &Value, live: &Value, here: &Place) {
        let untouchable = [
            self.schema.read_only(),
            self.schema.write_only(),
            self.schema.create_only(),
        ];
        if live.is_null() || untouchable.iter().any(|pointers| self.is_in(pointers, here)) {
            return;
        }
        if let (true, Value::Array(ours), Value::Array(found)) = (self.is_tag_list(here), owned, live)
            && is_keyed(found)
        {
            let kept = |tag: &&Value| !ours.iter().any(|our| tag_key(our) == tag_key(tag));
            if found.iter().any(|tag| kept(&tag)) {
                return self.tag_list(&[], found, Some(owned), here);
            }
        }
        let (Value::Object(ours), Value::Object(found)) = (owned, live) else {
            // A list that holds something create-only lives as long as the resource.
            if !self.is_protected(live, here) {
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
        if whole && !self.is_protected(live, here) {
            return self.remove(here);
        }
        for (key, owned) in ours {
            if let Some(live) = found.get(key) {
                self.dropped(&view.member(key), owned, live, &here.member(key));
            }
        }
    }

    /// Sets the whole value, or says that only a replacement can.
    pub(super) fn set(&mut self, desired: &Value, live: Option<&Value>, here: &Place) {
        if !self.is_refused(desired, live, here) {
            self.put(desired, here);
        }
    }

    fn put(&mut self, desired: &Value, here: &Place) {
        self.note_conditional(here);
        let value = self.without_read_only(desired, here);
        let operation = if here.is_element {
            replace(&here.live, value)
        } else {
            add(&here.live, value)
        };
        self.changes.steady.extend(operation);
    }

    /// Desired to be gone. The tags that AWS set itself stay.
    fn erased(&mut self, live: &Value, here: &Place) {
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

    fn remove(&mut self, here: &Place) {
        if self.is_in(self.schema.create_only(), here) {
            self.refuse(here);
        } else {
            self.note_conditional(here);
            self.changes.steady.extend(remove(&here.live));
        }
    }

    /// Notes a reason to replace if the place is create-only, or holds something create-only that would
    /// change.
    pub(super) fn is_refused(&mut self, desired: &Value, live: Option<&Value>, here: &Place) -> bool {
        let inside = self.schema.create_only().iter().any(|pointer| {
            let rest = below(pointer, &here.desired);
            rest.is_some_and(|rest| {
                let values = |value: &Value| -> Vec<String> {
                    crate::select(&rest, value).into_iter().map(canonical).collect()
                };
                values(desired) != live.map(values).unwrap_or_default()
            })
        });
        let refused = inside || self.is_in(self.schema.create_only(), here);
        if refused {
            self.refuse(here);
        }
        refused
    }

    fn refuse(&mut self, here: &Place) {
        let message = "create-only property changed".to_owned();
        self.changes.replace.push(Reason {
            pointer: join(&here.desired),
            message,
        });
    }

    fn note_conditional(&mut self, here: &Place) {
        let conditional = self.schema.conditional_create_only().iter();
        if conditional
            .clone()
            .any(|pointer| relation(pointer.segments(), &here.desired) != Relation::Apart)
        {
            let message = "the service may refuse to change this property in place".to_owned();
            self.changes.may_replace.push(Reason {
                pointer: join(&here.desired),
                message,
            });
        }
    }

    /// True if read-only or create-only values live inside.
    fn is_protected(&self, live: &Value, here: &Place) -> bool {
        [self.schema.read_only(), self.schema.create_only()]
            .into_iter()
            .flatten()
            .any(|pointer| {
                below(pointer, &here.desired).is_some_and(|rest| !crate::select(&rest, live).is_empty())
            })
    }

    /// True if some, but not all, of what may stand inside has its own rules.
    pub(super) fn is_mixed(&self, here: &Place) -> bool {
        [
            self.schema.read_only(),
            self.schema.write_only(),
            self.schema.create_only(),
        ]
        .into_iter()
        .flatten()
        .any(|pointer| below(pointer, &here.desired).is_some())
    }

    pub(super) fn is_in(&self, pointers: &[PropertyPointer], here: &Place) -> bool {
        pointers.iter().any(|pointer| {
            matches!(
                relation(pointer.segments(), &here.desired),
                Relation::Same | Relation::Inside
            )
        })
    }

    pub(super) fn is_tag_list(&self, here: &Place) -> bool {
        matches!(&self.tags, Tagging::KeyValueList(pointer) if pointer.segments() == here.desired)
    }

    pub(super) fn without_read_only(&self, value: &Value, here: &Place) -> Value {
        let view = self.schema.view().at(&here.desired);
        crate::strip(
            &without_nulls(&view, value),
            &inside(self.schema.read_only(), here),
        )
    }

    fn without_create_only(&self, value: &Value, here: &Place) -> Value {
        let stripped = self.without_read_only(value, here);
        crate::strip(&stripped, &inside(self.schema.create_only(), here))
    }
}

fn inside(pointers: &[PropertyPointer], here: &Place) -> Vec<PropertyPointer> {
    pointers
        .iter()
        .filter_map(|pointer| below(pointer, &here.desired))
        .collect()
}

/// The rest of a pointer that leads into the place; `None` if it does not.
fn below(pointer: &PropertyPointer, path: &[String]) -> Option<PropertyPointer> {
    let segments = pointer.segments();
    if relation(segments, path) != Relation::Above {
        return None;
    }
    // Pointers of a schema have a `*` for every array, so both have one segment per level.
    Some(PropertyPointer::of(segments.iter().skip(path.len()).cloned()))
}
