//! Arrays: set whole, changed element by element, or merged by key.

use super::changes::{add, remove};
use super::diff::{RULED, Values, Walk};
use super::place::{Place, Segment};
use super::same::{COMPARISONS_LIMIT, is_ordered, pair};
use crate::number::equal;
use crate::rules::Kinds;
use crate::tags::{is_reserved, tag_key};
use crate::view::View;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Which live element each desired one already is.
struct Pairing {
    pairs: Vec<Option<usize>>,
    /// The order of the list counts.
    ordered: bool,
}

impl Walk<'_> {
    pub(super) fn array(
        &mut self,
        view: &View<'_>,
        desired: &Value,
        live: &Value,
        owned: Option<&Value>,
        here: &Place<'_>,
    ) {
        let (Value::Array(wanted), Value::Array(found)) = (desired, live) else {
            return;
        };
        if self.is_keyed_list(view, here) && is_keyed(wanted) && is_keyed(found) {
            return self.tag_list(wanted, found, owned, here);
        }
        let items = view.items();
        let ordered = is_ordered(view);
        let comparison = self.comparison();
        let rule = here.rule.element();
        let pairs = pair(wanted, found, ordered, |desired, live| {
            comparison.covers(&items, desired, live, rule, None)
        });
        let covered = wanted.len() == found.len() && pairs.iter().all(Option::is_some);
        let by_element = rule.holds(RULED);
        let fixed = here.rule.is(Kinds::CREATE_ONLY);
        if covered && !by_element && (fixed || self.is_as_applied(here) || is_exactly(view, wanted, found)) {
            return;
        }
        if by_element {
            self.elements(&items, wanted, found, &Pairing { pairs, ordered }, owned, here);
        } else {
            self.set(desired, Some(live), here);
        }
    }

    /// Element by element, where elements hold values that a set of the whole array would lose or touch.
    fn elements(
        &mut self,
        items: &View<'_>,
        wanted: &[Value],
        found: &[Value],
        pairing: &Pairing,
        owned: Option<&Value>,
        here: &Place<'_>,
    ) {
        let Pairing { pairs, ordered } = pairing;
        // Elements that came or went leave no telling which one had been which.
        let owned = owned.filter(|owned| owned.as_array().is_some_and(|owned| owned.len() == wanted.len()));
        let taken: HashSet<usize> = pairs.iter().copied().flatten().collect();
        let mut free: VecDeque<usize> = (0..found.len()).filter(|index| !taken.contains(index)).collect();
        let mut appended = Vec::new();
        for (index, (desired, pair)) in wanted.iter().zip(pairs).enumerate() {
            // In an ordered list an element becomes the one that is to be in its place.
            let mut take = || match *ordered {
                true => free.pop_front(),
                false => take_nearest(&mut free, desired, found),
            };
            match pair.or_else(&mut take) {
                Some(at) => {
                    let element = here.element(Segment::Element(index), Segment::Element(at));
                    let values = Values {
                        desired,
                        live: found.get(at),
                        owned: owned.and_then(|owned| owned.get(index)),
                        parent: None,
                    };
                    self.member(|| items.clone(), values, &element);
                }
                None => {
                    let element = here.element(Segment::Element(index), Segment::End);
                    if self.is_refused(desired, None, &element) {
                        continue;
                    }
                    let value = self.without(Kinds::READ_ONLY, desired, &element);
                    appended.extend(add(&element.live(), value));
                }
            }
        }
        // From the end, so that those in front keep their places.
        for index in free.into_iter().rev() {
            let element = here.element(Segment::Any, Segment::Element(index));
            if !self.is_refused(&Value::Null, found.get(index), &element) {
                self.changes.moving.extend(remove(&element.live()));
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
        here: &Place<'_>,
    ) {
        let (wanted_by_key, found_by_key) = (by_key(wanted), by_key(found));
        let owned = by_key(
            owned
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default(),
        );
        let mut changed = false;
        let mut tags = Vec::new();
        for live in found {
            let key = tag_key(live);
            match wanted_by_key.get(&key) {
                Some(desired) if !key.is_some_and(is_reserved) => {
                    changed |= !equal(desired, live);
                    tags.push((*desired).clone());
                }
                None if owned.contains_key(&key) && !key.is_some_and(is_reserved) => changed = true,
                _ => tags.push(live.clone()),
            }
        }
        for desired in wanted {
            if !found_by_key.contains_key(&tag_key(desired)) {
                changed = true;
                tags.push(desired.clone());
            }
        }
        if changed {
            self.set(&Value::Array(tags), Some(&Value::Array(found.to_vec())), here);
        }
    }
}

/// The first tag of every key.
fn by_key(tags: &[Value]) -> HashMap<Option<&str>, &Value> {
    tags.iter().rev().map(|tag| (tag_key(tag), tag)).collect()
}

/// True if every tag has a key of its own.
pub(super) fn is_keyed(tags: &[Value]) -> bool {
    let keys: BTreeSet<&str> = tags.iter().filter_map(tag_key).collect();
    keys.len() == tags.len()
}

/// True if the arrays are the same down to the last member.
fn is_exactly(view: &View<'_>, wanted: &[Value], found: &[Value]) -> bool {
    wanted.len() == found.len()
        && pair(wanted, found, is_ordered(view), equal)
            .iter()
            .all(Option::is_some)
}

/// Takes the live element that has most in common with a desired one out of those that nothing matches: the
/// fewer changes, the less a create-only value of another element stands in the way.
fn take_nearest(free: &mut VecDeque<usize>, desired: &Value, found: &[Value]) -> Option<usize> {
    let in_common = |index: usize| match (desired, found.get(index)) {
        (Value::Object(desired), Some(Value::Object(live))) => desired
            .iter()
            .filter(|(key, member)| live.get(*key).is_some_and(|live| equal(member, live)))
            .count(),
        _ => 0,
    };
    // All of these comparisons together are limited like those of `pair`.
    let looked_at = (COMPARISONS_LIMIT / found.len().max(1).saturating_pow(2)).max(1);
    let best = (0..free.len().min(looked_at)).max_by_key(|at| {
        (
            free.get(*at).map_or(0, |index| in_common(*index)),
            std::cmp::Reverse(*at),
        )
    })?;
    free.remove(best)
}
