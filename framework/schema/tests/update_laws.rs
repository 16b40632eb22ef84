//! What holds for every update of every provisionable official type.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

mod support;

use formwork_schema::{
    Decision, Options, PropertyPointer, ResourceSchema, decide, decide_with, expand, flatten, matches,
    preflight, remember, select, strip, unflatten,
};
use serde_json::Value;
use std::collections::BTreeSet;
use support::{Generator, all, authored, filled, provisionable};

const SALT: &str = "5a17";

/// Types of which a patch takes out what the service's read put there.
const SHOWS_WHAT_IT_REFUSES: [&str; 7] = [
    "AWS::CloudFront::Distribution",
    "AWS::ElasticLoadBalancingV2::Listener",
    "AWS::ElasticLoadBalancingV2::ListenerRule",
    "AWS::Glue::Job",
    "AWS::OpenSearchService::Domain",
    "AWS::WAFv2::RuleGroup",
    "AWS::WAFv2::WebACL",
];

/// One resource's life: applied once, filled in by the service, then desired otherwise.
struct Life {
    applied: Value,
    live: Value,
    desired: Value,
}

fn life(schema: &ResourceSchema, seed: u64) -> Life {
    let mut generator = Generator::new(schema, seed);
    let applied = authored(schema, &generator.document());
    generator.sparse = 20;
    let defaults = generator.document();
    let shown = strip(&filled(&applied, &defaults), schema.write_only());
    let live = generator.shuffled(schema.document(), &shown);

    generator.sparse = 50;
    let other = authored(schema, &generator.document());
    let mut desired = applied.clone();
    let members = desired.as_object_mut().unwrap();
    for (key, value) in other.as_object().unwrap() {
        match generator.random.u8(..4) {
            0 => drop(members.insert(key.clone(), value.clone())),
            1 => drop(members.shift_remove(key)),
            _ => {}
        }
    }
    Life {
        applied,
        live,
        desired,
    }
}

fn each(seeds: std::ops::Range<u64>, mut check: impl FnMut(&ResourceSchema, Life, &str)) {
    for schema in provisionable() {
        for seed in seeds.clone() {
            let context = format!("{} seed {seed}", schema.type_name());
            check(schema, life(schema, seed), &context);
        }
    }
}

fn patch_of(decision: &Decision) -> Option<&json_patch::Patch> {
    match decision {
        Decision::Update { patch } | Decision::ReplaceIfRefused { patch, .. } => Some(patch),
        Decision::None | Decision::Replace { .. } | Decision::Impossible { .. } => None,
    }
}

fn values(pointers: &[PropertyPointer], model: &Value) -> Vec<String> {
    pointers
        .iter()
        .flat_map(|pointer| select(pointer, model))
        .map(ToString::to_string)
        .collect()
}

#[test]
fn what_was_applied_needs_nothing_however_the_service_shows_it() {
    each(0..2, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        let decision = decide(schema, Some(&memory), &life.live, &life.applied);
        assert_eq!(
            decision,
            Decision::None,
            "{context}\napplied {}\nlive {}",
            life.applied,
            life.live
        );
    });
}

#[test]
fn a_patch_applies_and_leaves_nothing_to_do() {
    let mut updates = 0;
    each(0..2, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        let decision = decide(schema, Some(&memory), &life.live, &life.desired);
        let Some(patch) = patch_of(&decision) else { return };
        updates += 1;
        assert!(!patch.is_empty(), "{context}");
        let story = || {
            format!(
                "{context}\napplied {}\nlive {}\ndesired {}\npatch {patch}",
                life.applied, life.live, life.desired
            )
        };

        let mut after = strip(&life.live, schema.write_only());
        let before = after.clone();
        json_patch::patch(&mut after, patch).unwrap_or_else(|error| panic!("{error} {}", story()));
        let mut unstripped = life.live.clone();
        json_patch::patch(&mut unstripped, patch).unwrap_or_else(|error| panic!("{error} {}", story()));

        assert_eq!(
            values(schema.create_only(), &before),
            values(schema.create_only(), &strip(&after, schema.write_only())),
            "{}",
            story()
        );
        for pointer in desired_written(schema, &life.desired) {
            assert!(
                !select(&pointer, &after).is_empty(),
                "{pointer} is not sent: {}",
                story()
            );
        }
        assert_desired(schema, &life.desired, &after, "", &story);
        assert!(
            refusals(schema, &life.live, patch).is_empty(),
            "{:?} {}",
            refusals(schema, &life.live, patch),
            story()
        );
        if !SHOWS_WHAT_IT_REFUSES.contains(&schema.type_name()) {
            assert_untouched(&before, &after, &life, "", &story);
        }

        let memory = remember(schema, &life.desired, &BTreeSet::new(), SALT);
        let shown = strip(&after, schema.write_only());
        let again = decide(schema, Some(&memory), &shown, &life.desired);
        assert_eq!(again, Decision::None, "{}\nafter {shown}", story());
    });
    assert!(updates > 1000, "{updates}");
}

/// The write-only values that every patch has to carry.
fn desired_written(schema: &ResourceSchema, desired: &Value) -> Vec<PropertyPointer> {
    let fixed = schema.create_only();
    let wanted = schema.write_only().iter().filter(|pointer| {
        !select(pointer, desired).is_empty()
            && !fixed
                .iter()
                .any(|fixed| pointer.segments().starts_with(fixed.segments()))
    });
    wanted.cloned().collect()
}

/// What a preflight finds that a patch would change and must not.
fn refusals(schema: &ResourceSchema, live: &Value, patch: &json_patch::Patch) -> Vec<String> {
    let reasons = preflight(schema, live, patch)
        .into_iter()
        .map(|reason| reason.to_string());
    reasons
        .filter(|reason| !reason.contains("would refuse the result"))
        .collect()
}

/// True if the place is, or lies inside of, what one of the pointers names.
fn is_within(pointers: &[PropertyPointer], place: &str) -> bool {
    let mut outer = Some(place);
    while let Some(at) = outer {
        if pointers.iter().any(|pointer| matches(pointer, at)) {
            return true;
        }
        outer = at.rsplit_once('/').map(|(parent, _)| parent);
    }
    false
}

/// What the author asks for, and may, is there: members of objects one by one, lists by their length, for how
/// their elements match is for the schema to say.
fn assert_desired(
    schema: &ResourceSchema,
    desired: &Value,
    after: &Value,
    at: &str,
    story: &impl Fn() -> String,
) {
    let Value::Object(members) = desired else { return };
    for (key, member) in members {
        let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        if is_within(schema.read_only(), &place) || is_within(schema.create_only(), &place) {
            continue;
        }
        let found = after.pointer(&place);
        match (member, found) {
            (Value::Object(_), Some(Value::Object(_))) => {
                assert_desired(schema, member, after, &place, story)
            }
            (Value::Array(wanted), Some(Value::Array(found))) => {
                assert!(wanted.len() <= found.len(), "{place} {}", story());
            }
            (Value::Null, found) => assert!(found.is_none_or(Value::is_null), "{place} {}", story()),
            (wanted, None) => {
                // Empty values need not be there, and neither what the service would do anyway.
                let default = format!("\"default\":{wanted}");
                let unneeded =
                    substance(wanted).is_null() || schema.document().to_string().contains(&default);
                assert!(unneeded, "{place} {}", story());
            }
            (wanted, Some(found)) => {
                let transformed = schema.document().get("propertyTransform").is_some();
                assert!(transformed || wanted == found, "{place} {}", story());
            }
        }
    }
}

/// A value without the empty ones in it; null if nothing is left.
fn substance(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::Array(elements) => {
            let kept: Vec<Value> = elements
                .iter()
                .map(substance)
                .filter(|element| !element.is_null())
                .collect();
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Array(kept)
            }
        }
        Value::Object(members) => {
            let kept: serde_json::Map<String, Value> = members
                .iter()
                .map(|(key, member)| (key.clone(), substance(member)))
                .filter(|(_, member)| !member.is_null())
                .collect();
            if kept.is_empty() {
                Value::Null
            } else {
                Value::Object(kept)
            }
        }
        other => other.clone(),
    }
}

/// What neither was ours nor is to be ours stays as it is.
fn assert_untouched(before: &Value, after: &Value, life: &Life, at: &str, story: &impl Fn() -> String) {
    let Value::Object(members) = before else { return };
    for (key, member) in members {
        let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        let ours = [&life.applied, &life.desired].map(|document| document.pointer(&place));
        match ours {
            // A required sibling of a dropped member takes its container along.
            [None, None] if after.pointer(at).is_some() => {
                // Empty values that the schema refuses go.
                let left = after.pointer(&place).map(substance);
                assert_eq!(left.unwrap_or_default(), substance(member), "{place} {}", story());
            }
            [_, Some(Value::Object(_))] => assert_untouched(member, after, life, &place, story),
            _ => {}
        }
    }
}

#[test]
fn no_operation_is_at_or_above_a_read_only_or_create_only_value() {
    let mut operations = 0;
    each(2..4, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        let decision = decide(schema, Some(&memory), &life.live, &life.desired);
        let live = strip(&life.live, schema.write_only());
        let fixed: Vec<String> = [schema.read_only(), schema.create_only()]
            .into_iter()
            .flatten()
            .flat_map(|pointer| expand(pointer, &live))
            .collect();
        for operation in patch_of(&decision).into_iter().flat_map(|patch| patch.0.iter()) {
            operations += 1;
            let path = operation.path().to_string();
            assert!(!is_within(schema.read_only(), &path), "{context} {path}");
            assert!(!is_within(schema.create_only(), &path), "{context} {path}");
            // An element of a list goes with everything in it.
            let parent = path.rsplit_once('/').and_then(|(parent, _)| live.pointer(parent));
            if matches!(operation, json_patch::PatchOperation::Remove(_))
                && parent.is_some_and(Value::is_array)
            {
                continue;
            }
            let inside = format!("{path}/");
            let above = fixed.iter().find(|place| place.starts_with(&inside));
            assert_eq!(
                above, None,
                "{context} {operation:?}\nlive {live}\ndesired {}",
                life.desired
            );
        }
    });
    assert!(operations > 2000, "{operations}");
}

#[test]
fn a_guarded_patch_is_the_patch_behind_tests_that_hold() {
    let mut tests = 0;
    each(5..6, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        let plain = decide(schema, Some(&memory), &life.live, &life.desired);
        let options = Options { guard: true };
        let guarded = decide_with(schema, Some(&memory), &life.live, &life.desired, options);
        let (Some(plain), Some(guarded)) = (patch_of(&plain), patch_of(&guarded)) else {
            return assert_eq!(plain, guarded, "{context}");
        };
        let count = guarded.0.len() - plain.0.len();
        assert_eq!(guarded.0[count..], plain.0, "{context}");
        let mut after = strip(&life.live, schema.write_only());
        json_patch::patch(&mut after, guarded).unwrap_or_else(|error| panic!("{error} {context} {guarded}"));
        tests += count;
    });
    assert!(tests > 500, "{tests}");
}

#[test]
fn nothing_panics_on_any_type() {
    for schema in all() {
        let mut generator = Generator::new(schema, 7);
        let documents = [
            generator.document(),
            generator.document(),
            Value::Null,
            Value::from(vec![1]),
        ];
        for live in &documents {
            for desired in &documents {
                let memory = remember(schema, live, &BTreeSet::new(), SALT);
                for applied in [None, Some(&memory)] {
                    let decision = decide_with(schema, applied, live, desired, Options { guard: true });
                    if let Some(patch) = patch_of(&decision) {
                        preflight(schema, live, patch);
                    }
                }
            }
        }
    }
}

#[test]
fn documents_of_every_type_survive_being_flat() {
    for schema in all() {
        let document = Generator::new(schema, 8).document();
        assert_eq!(unflatten(flatten(&document)), document, "{}", schema.type_name());
    }
}

#[test]
fn secrets_and_write_only_values_are_not_remembered_in_the_clear() {
    each(3..4, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        for pointer in schema.write_only() {
            assert!(select(pointer, &memory.shown).is_empty(), "{context} {pointer}");
        }
    });
}

#[test]
fn a_stranger_of_any_shape_is_brought_to_the_desired_state() {
    each(4..5, |schema, life, context| {
        let stranger = strip(&Generator::new(schema, 99).document(), schema.write_only());
        let decision = decide(schema, None, &stranger, &life.desired);
        let Some(patch) = patch_of(&decision) else { return };
        let mut after = stranger.clone();
        json_patch::patch(&mut after, patch).unwrap_or_else(|error| panic!("{error} {context} {patch}"));
        let memory = remember(schema, &life.desired, &BTreeSet::new(), SALT);
        let again = decide(
            schema,
            Some(&memory),
            &strip(&after, schema.write_only()),
            &life.desired,
        );
        assert_eq!(
            again,
            Decision::None,
            "{context}\nlive {stranger}\ndesired {}\npatch {patch}",
            life.desired
        );
    });
}
