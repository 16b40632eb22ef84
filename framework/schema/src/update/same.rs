//! When a live value already is what was desired.

use super::policy;
use crate::number::{canonical, equal};
use crate::rules::{Kinds, Rule};
use crate::transform::Match;
use crate::view::View;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Longer unordered arrays are matched by equality alone.
pub(super) const COMPARISONS_LIMIT: usize = 250_000;

/// What is not compared: the service's own, and what it never shows.
pub(super) const IGNORED: Kinds = Kinds::READ_ONLY.or(Kinds::WRITE_ONLY);

/// Compares parts of two documents.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    /// The whole desired document.
    pub(super) whole: &'a Value,
}

impl Comparison<'_> {
    /// True if `live` has everything that `desired` asks for. Members that only live has are the service's
    /// defaults; elements of arrays have to be the same in number. `parent` is the desired object that the
    /// value is a member of.
    pub(super) fn covers(
        self,
        view: &View<'_>,
        desired: &Value,
        live: &Value,
        rule: Rule<'_>,
        parent: Option<&Map<String, Value>>,
    ) -> bool {
        if equal(desired, live) {
            return true;
        }
        if let (Some(transform), Some(parent)) = (rule.transform(), parent)
            && transform.matches(self.whole, parent, live) != Match::No
        {
            return true;
        }
        match (desired, live) {
            (Value::Object(wanted), Value::Object(found)) if !view.is_free_form() => {
                // Most pairs of elements differ in a plain value, which is cheaper to find than all the rest.
                let differs = |(key, desired): (&String, &Value)| {
                    found
                        .get(key)
                        .is_some_and(|live| is_plainly_other(desired, live, rule.member(key)))
                };
                !wanted.iter().any(differs)
                    && wanted.iter().all(|(key, desired)| {
                        let rule = rule.member(key);
                        rule.is(IGNORED)
                            || match found.get(key) {
                                Some(live) if equal(desired, live) => true,
                                Some(live) => {
                                    self.covers(&view.member(key), desired, live, rule, Some(wanted))
                                }
                                None => is_nothing(desired, rule) || is_default(&view.member(key), desired),
                            }
                    })
            }
            (Value::Array(wanted), Value::Array(found)) if !view.is_free_form() => {
                let (items, rule) = (view.items(), rule.element());
                wanted.len() == found.len()
                    && pair(wanted, found, is_ordered(view), |desired, live| {
                        self.covers(&items, desired, live, rule, None)
                    })
                    .iter()
                    .all(Option::is_some)
            }
            _ => is_same_scalar(view, desired, live),
        }
    }
}

/// True if two values are known to differ without a look at the schema.
fn is_plainly_other(desired: &Value, live: &Value, rule: Rule<'_>) -> bool {
    let differ = match (desired, live) {
        (Value::String(desired), Value::String(live)) => {
            desired != live && !(looks_like_document(desired) && looks_like_document(live))
        }
        (Value::Number(_), Value::Number(_)) | (Value::Bool(_), Value::Bool(_)) => !equal(desired, live),
        _ => false,
    };
    differ && rule.transform().is_none() && !rule.is(IGNORED)
}

/// True if the value is a scalar that the service would take anyway.
fn is_default(view: &View<'_>, desired: &Value) -> bool {
    let scalar = !desired.is_object() && !desired.is_array();
    let default = view
        .keyword("default")
        .filter(|default| scalar && !default.is_null());
    default.is_some_and(|default| is_same_scalar(view, desired, default))
}

/// True if the two are one value: numbers exactly, JSON documents parsed, and text for number where the
/// schema allows both.
pub(super) fn is_same_scalar(view: &View<'_>, desired: &Value, live: &Value) -> bool {
    if equal(desired, live) {
        return true;
    }
    match (desired, live) {
        (Value::String(a), Value::String(b)) => match (document(a), document(b)) {
            (Some(a), Some(b)) => is_same_document(&a, &b),
            _ => false,
        },
        (Value::String(text), structure @ (Value::Object(_) | Value::Array(_)))
        | (structure @ (Value::Object(_) | Value::Array(_)), Value::String(text)) => {
            document(text).is_some_and(|parsed| is_same_document(&parsed, structure))
        }
        (Value::Object(_), Value::Object(_)) => is_same_document(desired, live),
        (Value::String(text), Value::Number(number)) | (Value::Number(number), Value::String(text)) => {
            let both = view.may_be("string") && (view.may_be("number") || view.may_be("integer"));
            let read = serde_json::from_str::<serde_json::Number>(text).map(Value::Number);
            both && read.is_ok_and(|read| equal(&read, &Value::Number(number.clone())))
        }
        (Value::String(text), Value::Bool(flag)) | (Value::Bool(flag), Value::String(text)) => {
            view.may_be("string") && view.may_be("boolean") && *text == flag.to_string()
        }
        _ => false,
    }
}

fn is_same_document(a: &Value, b: &Value) -> bool {
    equal(a, b) || policy::is_same(a, b)
}

/// For each desired element the index of the live element it is the same as: by place when order matters,
/// else any one that is not taken.
pub(super) fn pair(
    desired: &[Value],
    live: &[Value],
    ordered: bool,
    mut same: impl FnMut(&Value, &Value) -> bool,
) -> Vec<Option<usize>> {
    if ordered {
        let places = desired.iter().enumerate();
        return places
            .map(|(index, wanted)| live.get(index).filter(|found| same(wanted, found)).map(|_| index))
            .collect();
    }
    // Equal ones first: what asks for little would else take what another needs. Most often a service keeps the
    // order, and then their texts need not be compared.
    let in_place =
        |index: &usize| matches!((desired.get(*index), live.get(*index)), (Some(a), Some(b)) if equal(a, b));
    let mut pairs: Vec<Option<usize>> = (0..desired.len())
        .map(|index| Some(index).filter(in_place))
        .collect();
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, found) in live.iter().enumerate().rev() {
        if pairs.get(index).is_none_or(Option::is_none) {
            places.entry(canonical(found)).or_default().push(index);
        }
    }
    for (wanted, slot) in desired.iter().zip(&mut pairs) {
        if slot.is_none() && !places.is_empty() {
            *slot = places.get_mut(&canonical(wanted)).and_then(Vec::pop);
        }
    }
    let mut taken = vec![None; live.len()];
    for (wanted, index) in pairs.iter().enumerate() {
        if let Some(slot) = index.and_then(|index| taken.get_mut(index)) {
            *slot = Some(wanted);
        }
    }
    let unmatched: Vec<usize> = (0..desired.len())
        .filter(|index| pairs.get(*index) == Some(&None))
        .collect();
    if unmatched.is_empty() || desired.len().saturating_mul(live.len()) > COMPARISONS_LIMIT {
        return pairs;
    }
    let mut matching = Matching {
        desired,
        live,
        same,
        fits: vec![None; desired.len()],
        taken,
    };
    for wanted in unmatched {
        matching.place(wanted, &mut vec![false; live.len()]);
    }
    let taken = matching.taken;
    for (index, wanted) in taken.iter().enumerate() {
        if let Some(slot) = wanted.and_then(|wanted| pairs.get_mut(wanted)) {
            *slot = Some(index);
        }
    }
    pairs
}

/// Desired elements finding their live ones.
struct Matching<'v, F> {
    desired: &'v [Value],
    live: &'v [Value],
    same: F,
    /// Which live elements a desired one is the same as; found out when it is asked for.
    fits: Vec<Option<Vec<usize>>>,
    /// Who has each live element.
    taken: Vec<Option<usize>>,
}

impl<F: FnMut(&Value, &Value) -> bool> Matching<'_, F> {
    fn fits(&mut self, wanted: usize) -> Vec<usize> {
        if let Some(Some(known)) = self.fits.get(wanted) {
            return known.clone();
        }
        let mut fits = Vec::new();
        if let Some(desired) = self.desired.get(wanted) {
            for (index, found) in self.live.iter().enumerate() {
                if (self.same)(desired, found) {
                    fits.push(index);
                }
            }
        }
        if let Some(slot) = self.fits.get_mut(wanted) {
            *slot = Some(fits.clone());
        }
        fits
    }

    /// Finds a live element for a desired one, moving others to their alternatives where that helps.
    fn place(&mut self, wanted: usize, tried: &mut [bool]) -> bool {
        for index in self.fits(wanted) {
            if tried.get(index) != Some(&false) {
                continue;
            }
            if let Some(mark) = tried.get_mut(index) {
                *mark = true;
            }
            let holder = self.taken.get(index).copied().flatten();
            if holder.is_none_or(|holder| self.place(holder, tried)) {
                if let Some(slot) = self.taken.get_mut(index) {
                    *slot = Some(wanted);
                }
                return true;
            }
        }
        false
    }
}

/// Order matters unless the schema says otherwise.
pub(super) fn is_ordered(view: &View<'_>) -> bool {
    view.keyword("insertionOrder") != Some(&Value::Bool(false))
}

/// True if the value asks for nothing that could be missed: `null`, `[]`, or only what is
/// ignored. An empty object does: for many types its mere presence is the setting.
pub(super) fn is_nothing(desired: &Value, rule: Rule<'_>) -> bool {
    match desired {
        Value::Null => true,
        Value::Array(elements) => elements.iter().all(|element| is_nothing(element, rule.element())),
        Value::Object(members) => {
            !members.is_empty()
                && members.iter().all(|(key, member)| {
                    let rule = rule.member(key);
                    rule.is(IGNORED) || is_nothing(member, rule)
                })
        }
        _ => false,
    }
}

fn document(text: &str) -> Option<Value> {
    looks_like_document(text).then(|| serde_json::from_str(text).ok())?
}

fn looks_like_document(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}
