//! Arrays: set whole, changed element by element, or merged by key.

use super::changes::{Place, add, remove};
use super::diff::Walk;
use super::same::{covers, is_ordered, pair};
use crate::number::canonical;
use crate::pointer::join;
use crate::tags::{is_reserved, tag_key};
use crate::view::View;
use serde_json::Value;
use std::collections::BTreeSet;

impl Walk<'_> {
    pub(super) fn array(
        &mut self,
        view: &View<'_>,
        wanted: &[Value],
        found: &[Value],
        owned: Option<&Value>,
        here: &Place,
    ) {
        if self.is_tag_list(here) && is_keyed(wanted) && is_keyed(found) {
            return self.tag_list(wanted, found, owned, here);
        }
        let items = view.items();
        let ordered = is_ordered(view);
        let mut path = here.desired.clone();
        path.push("*".to_owned());
        let ignored = self.ignored;
        let pairs = pair(wanted, found, ordered, |desired, live| {
            covers(&items, desired, live, &mut path, ignored)
        });
        let as_applied = |walk: &Self| {
            walk.applied
                .is_none_or(|applied| applied.is_as_applied(walk.whole, &join(&here.desired)))
        };
        let covered = wanted.len() == found.len() && pairs.iter().all(Option::is_some);
        let by_element = self.is_mixed(&here.element("*", "*"));
        let fixed = self.is_in(self.schema.create_only(), here);
        if covered && !by_element && (fixed || as_applied(self) || is_exactly(view, wanted, found)) {
            return;
        }
        if by_element {
            self.elements(&items, wanted, found, &pairs, owned, here);
        } else {
            self.set(
                &Value::Array(wanted.to_vec()),
                Some(&Value::Array(found.to_vec())),
                here,
            );
        }
    }

    /// Element by element, where elements hold values that a set of the whole array would lose or touch.
    fn elements(
        &mut self,
        items: &View<'_>,
        wanted: &[Value],
        found: &[Value],
        pairs: &[Option<usize>],
        owned: Option<&Value>,
        here: &Place,
    ) {
        // Elements that came or went leave no telling which one had been which.
        let owned = owned.filter(|owned| owned.as_array().is_some_and(|owned| owned.len() == wanted.len()));
        let mut free: Vec<usize> = (0..found.len())
            .filter(|index| !pairs.contains(&Some(*index)))
            .collect();
        free.reverse();
        let mut appended = Vec::new();
        for (index, (desired, pair)) in wanted.iter().zip(pairs).enumerate() {
            // What matches nothing is compared with the first live element that nothing matches.
            match pair.or_else(|| free.pop()) {
                Some(at) => {
                    let element = here.element(&index.to_string(), &at.to_string());
                    let owned = owned.and_then(|owned| owned.get(index));
                    self.member(items, desired, found.get(at), owned, &element);
                }
                None => {
                    let element = here.element(&index.to_string(), "-");
                    if self.is_refused(desired, None, &element) {
                        continue;
                    }
                    let value = self.without_read_only(desired, &element);
                    appended.extend(add(&element.live, value));
                }
            }
        }
        for index in free {
            let element = here.element("*", &index.to_string());
            if !self.is_refused(&Value::Null, found.get(index), &element) {
                self.changes.moving.extend(remove(&element.live));
            }
        }
        self.changes.moving.extend(appended);
    }

    /// Tags belong together by key. Only ours are touched; `aws:` ones are nobody's but AWS's.
    pub(super) fn tag_list(
        &mut self,
        wanted: &[Value],
        found: &[Value],
        owned: Option<&Value>,
        here: &Place,
    ) {
        let of = |tags: &[Value], key: Option<&str>| tags.iter().find(|tag| tag_key(tag) == key).cloned();
        let owned = owned
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut changed = false;
        let mut tags = Vec::new();
        for live in found {
            let key = tag_key(live);
            match of(wanted, key) {
                Some(desired) if !key.is_some_and(is_reserved) => {
                    changed |= !is_equal(&desired, live);
                    tags.push(desired);
                }
                None if of(owned, key).is_some() && !key.is_some_and(is_reserved) => changed = true,
                _ => tags.push(live.clone()),
            }
        }
        for desired in wanted {
            let key = tag_key(desired);
            if of(found, key).is_none() {
                changed = true;
                tags.push(desired.clone());
            }
        }
        if changed {
            self.set(&Value::Array(tags), Some(&Value::Array(found.to_vec())), here);
        }
    }
}

/// True if every tag has a key of its own.
pub(super) fn is_keyed(tags: &[Value]) -> bool {
    let keys: BTreeSet<&str> = tags.iter().filter_map(tag_key).collect();
    keys.len() == tags.len()
}

/// True if the arrays are the same down to the last member.
fn is_exactly(view: &View<'_>, wanted: &[Value], found: &[Value]) -> bool {
    wanted.len() == found.len()
        && pair(wanted, found, is_ordered(view), is_equal)
            .iter()
            .all(Option::is_some)
}

fn is_equal(a: &Value, b: &Value) -> bool {
    canonical(a) == canonical(b)
}
