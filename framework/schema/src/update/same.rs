//! When a live value already is what was desired.

use crate::number::canonical;
use crate::pointer::{PropertyPointer, Relation, relation};
use crate::view::View;
use serde_json::Value;
use std::collections::HashMap;

/// Longer unordered arrays are matched by equality alone.
const COMPARISONS_LIMIT: usize = 250_000;

/// Which places are not compared: the service's own, and what it never shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ignored<'s> {
    pub(super) read_only: &'s [PropertyPointer],
    pub(super) write_only: &'s [PropertyPointer],
}

impl Ignored<'_> {
    pub(super) fn contains(&self, path: &[String]) -> bool {
        let within = |pointers: &[PropertyPointer]| {
            pointers.iter().any(|pointer| {
                matches!(
                    relation(pointer.segments(), path),
                    Relation::Same | Relation::Inside
                )
            })
        };
        within(self.read_only) || within(self.write_only)
    }
}

/// True if `live` has everything that `desired` asks for. Members that only live has are the service's
/// defaults; elements of arrays have to be the same in number.
pub(super) fn covers(
    view: &View<'_>,
    desired: &Value,
    live: &Value,
    path: &mut Vec<String>,
    ignored: Ignored<'_>,
) -> bool {
    match (desired, live) {
        (Value::Object(wanted), Value::Object(found)) if !view.is_free_form() => {
            wanted.iter().all(|(key, desired)| {
                path.push(key.clone());
                let same = ignored.contains(path)
                    || match found.get(key) {
                        Some(live) => covers(&view.member(key), desired, live, path, ignored),
                        None => is_nothing(desired, path, ignored),
                    };
                path.pop();
                same
            })
        }
        (Value::Array(wanted), Value::Array(found)) => {
            let items = view.items();
            path.push("*".to_owned());
            let same = wanted.len() == found.len()
                && pair(wanted, found, is_ordered(view), |desired, live| {
                    covers(&items, desired, live, path, ignored)
                })
                .iter()
                .all(Option::is_some);
            path.pop();
            same
        }
        _ => is_same_scalar(view, desired, live),
    }
}

/// True if the two are one value: numbers exactly, JSON documents parsed, and text for number where the
/// schema allows both.
pub(super) fn is_same_scalar(view: &View<'_>, desired: &Value, live: &Value) -> bool {
    if desired == live || canonical(desired) == canonical(live) {
        return true;
    }
    match (desired, live) {
        (Value::String(a), Value::String(b)) => match (document(a), document(b)) {
            (Some(a), Some(b)) => canonical(&a) == canonical(&b),
            _ => false,
        },
        (Value::String(text), structure @ (Value::Object(_) | Value::Array(_)))
        | (structure @ (Value::Object(_) | Value::Array(_)), Value::String(text)) => {
            document(text).is_some_and(|parsed| canonical(&parsed) == canonical(structure))
        }
        (Value::String(text), Value::Number(number)) | (Value::Number(number), Value::String(text)) => {
            let both = view.may_be("string") && (view.may_be("number") || view.may_be("integer"));
            let read = serde_json::from_str::<serde_json::Number>(text).map(Value::Number);
            both && read.is_ok_and(|read| canonical(&read) == canonical(&Value::Number(number.clone())))
        }
        (Value::String(text), Value::Bool(flag)) | (Value::Bool(flag), Value::String(text)) => {
            view.may_be("string") && view.may_be("boolean") && *text == flag.to_string()
        }
        _ => false,
    }
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
    // Equal ones first: what asks for little would else take what another needs.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, found) in live.iter().enumerate().rev() {
        places.entry(canonical(found)).or_default().push(index);
    }
    let mut pairs: Vec<Option<usize>> = desired
        .iter()
        .map(|wanted| places.get_mut(&canonical(wanted))?.pop())
        .collect();
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
    let fits: Vec<Vec<usize>> = desired
        .iter()
        .map(|wanted| {
            live.iter()
                .enumerate()
                .filter(|(_, found)| same(wanted, found))
                .map(|(index, _)| index)
                .collect()
        })
        .collect();
    for wanted in unmatched {
        place(wanted, &fits, &mut taken, &mut vec![false; live.len()]);
    }
    for (index, wanted) in taken.iter().enumerate() {
        if let Some(slot) = wanted.and_then(|wanted| pairs.get_mut(wanted)) {
            *slot = Some(index);
        }
    }
    pairs
}

/// Finds a live element for a desired one, moving others to their alternatives where that helps.
fn place(wanted: usize, fits: &[Vec<usize>], taken: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    for index in fits.get(wanted).into_iter().flatten() {
        if tried.get(*index) != Some(&false) {
            continue;
        }
        if let Some(mark) = tried.get_mut(*index) {
            *mark = true;
        }
        let holder = taken.get(*index).copied().flatten();
        if holder.is_none_or(|holder| place(holder, fits, taken, tried)) {
            if let Some(slot) = taken.get_mut(*index) {
                *slot = Some(wanted);
            }
            return true;
        }
    }
    false
}

/// Order matters unless the schema says otherwise.
pub(super) fn is_ordered(view: &View<'_>) -> bool {
    view.keyword("insertionOrder") != Some(&Value::Bool(false))
}

/// True if the value asks for nothing that could be missed: `null`, `[]`, or only what is
/// ignored. An empty object does: for many types its mere presence is the setting.
pub(super) fn is_nothing(desired: &Value, path: &mut Vec<String>, ignored: Ignored<'_>) -> bool {
    match desired {
        Value::Null => true,
        Value::Array(elements) => {
            path.push("*".to_owned());
            let nothing = elements.iter().all(|element| is_nothing(element, path, ignored));
            path.pop();
            nothing
        }
        Value::Object(members) => {
            !members.is_empty()
                && members.iter().all(|(key, member)| {
                    path.push(key.clone());
                    let nothing = ignored.contains(path) || is_nothing(member, path, ignored);
                    path.pop();
                    nothing
                })
        }
        _ => false,
    }
}

fn document(text: &str) -> Option<Value> {
    text.trim_start()
        .starts_with(['{', '['])
        .then(|| serde_json::from_str(text).ok())?
}
