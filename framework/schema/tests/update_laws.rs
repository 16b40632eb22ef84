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

use formwork_schema::{Decision, PropertyPointer, ResourceSchema, decide, matches, remember, select, strip};
use serde_json::Value;
use std::collections::BTreeSet;
use support::{Generator, authored, filled, provisionable};

const SALT: &str = "5a17";

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
        Decision::None | Decision::Replace { .. } => None,
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
        assert_untouched(&before, &after, &life, "", &story);

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

/// What neither was ours nor is to be ours stays as it is.
fn assert_untouched(before: &Value, after: &Value, life: &Life, at: &str, story: &impl Fn() -> String) {
    let Value::Object(members) = before else { return };
    for (key, member) in members {
        let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        let ours = [&life.applied, &life.desired].map(|document| document.pointer(&place));
        match ours {
            // A required sibling of a dropped member takes its container along.
            [None, None] if after.pointer(at).is_some() => {
                assert_eq!(after.pointer(&place), Some(member), "{place} {}", story());
            }
            [_, Some(Value::Object(_))] => assert_untouched(member, after, life, &place, story),
            _ => {}
        }
    }
}

#[test]
fn no_operation_names_a_read_only_property() {
    each(2..3, |schema, life, context| {
        let memory = remember(schema, &life.applied, &BTreeSet::new(), SALT);
        let decision = decide(schema, Some(&memory), &life.live, &life.desired);
        for operation in patch_of(&decision).into_iter().flat_map(|patch| patch.0.iter()) {
            let path = operation.path().to_string();
            assert!(
                !schema.read_only().iter().any(|pointer| matches(pointer, &path)),
                "{context} {path}"
            );
        }
    });
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
