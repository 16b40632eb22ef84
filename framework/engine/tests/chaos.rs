//! Random blueprints, faults, crashes and interruptions, each run told by its seed. After every run: each
//! order has one outcome, a final destroy leaves nothing of ours, and what belongs to others is untouched.

#![allow(clippy::unwrap_used, reason = "a test that breaks off fails")]

mod world;

use formwork_engine::fakes::Fault;
use formwork_engine::ports::{Clock, Operation};
use formwork_engine::{Goal, Outcome};
use serde_json::json;
use std::time::Duration;
use world::{AUTO, INSTANCE, THING, World, blueprint, target};

const SECRET: &str = "hunter2-correct-horse";

/// A blueprint of some resources, each referring to earlier ones.
fn random_blueprint(random: &mut fastrand::Rng) -> String {
    let count = random.usize(1..7);
    let mut resources: Vec<(String, &str, String)> = Vec::new();
    for index in 0..count {
        if random.u8(0..5) == 0 {
            continue;
        }
        let reference = if resources.is_empty() || random.bool() {
            String::new()
        } else {
            format!(
                r#", ref: "${{resources.{}.state.arn}}""#,
                random.choice(&resources).unwrap().0
            )
        };
        let (kind, name) = if index % 3 == 1 {
            (AUTO, String::new())
        } else {
            (THING, format!("name: n{index}, "))
        };
        let (sort, value) = (random.u8(0..3), random.u8(0..3));
        let secret = if kind == THING && random.bool() {
            r#", secret: "${variables.password}""#
        } else {
            ""
        };
        resources.push((
            format!("r{index}"),
            kind,
            format!("{{{name}kind: k{sort}, value: v{value}{secret}{reference}}}"),
        ));
    }
    let resources: Vec<_> = resources
        .iter()
        .map(|(name, kind, spec)| (name.as_str(), *kind, spec.as_str()))
        .collect();
    if resources.is_empty() {
        blueprint(&[("r0", THING, "{name: n0}")], &[])
    } else {
        blueprint(&resources, &[])
    }
}

fn random_fault(random: &mut fastrand::Rng) -> Fault {
    match random.u8(0..12) {
        0 => Fault::Refuse("ThrottlingException", "Rate exceeded"),
        1 => Fault::Refuse("ServiceInternalErrorException", "oops"),
        2 => Fault::Refuse("AccessDeniedException", "no"),
        3 | 4 => Fault::LoseAnswer,
        5 => Fault::LoseCall,
        6 => Fault::Fail("InvalidRequest", "no"),
        7 => Fault::Fail("ServiceInternalError", "oops"),
        8 => Fault::FailHalfway("NotStabilized", "took too long"),
        9 => Fault::FailHalfway("ServiceInternalError", "oops"),
        10 => Fault::Unsettled(Duration::from_secs(random.u64(1..20))),
        _ => Fault::Stuck,
    }
}

/// Carries an order out through some crashes.
async fn with_crashes(world: &World, random: &mut fastrand::Rng, cause: &str, goal: Goal) -> Outcome {
    for _ in 0..random.u8(0..4) {
        world.fuse.light(random.u32(0..60));
        tokio::select! {
                biased;
            _ = world.carry_out(cause, goal.clone()) => {}
            () = world.fuse.blown() => {}
        }
        world.fuse.douse();
    }
    world.carry_out(cause, goal).await
}

/// A process carries an order out, until some time later another one gets a destroy.
async fn overtaken(world: &World, random: &mut fastrand::Rng, cause: &str, goal: Goal) {
    let (one, two) = (world.engine(), world.engine());
    let generation = one.begin(INSTANCE, world.order(cause, goal)).await.unwrap();
    let later = Duration::from_millis(random.u64(0..20_000));
    let destroy = async {
        world.clock.sleep(later).await;
        let order = world.order(&format!("destroy after {cause}"), Goal::Destroy { retain: false });
        let generation = two.begin(INSTANCE, order).await.unwrap();
        world.follow(&two, generation).await
    };
    tokio::join!(world.follow(&one, generation), destroy);
}

async fn run(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut world = World::with_latency(Duration::from_millis(random.u64(0..8_000)));
    world.timeout = jiff::SignedDuration::from_secs(random.i64(60..900));
    if random.bool() {
        world.cloud.replay_repeated_tokens();
    }
    world.cloud.put(THING, "theirs", json!({"Name": "theirs"}));
    let orders = random.u8(1..5);
    for order in 0..orders {
        let operations = [Operation::Create, Operation::Update, Operation::Delete];
        for _ in 0..random.u8(0..4) {
            let fault = random_fault(&mut random);
            world.cloud.fault(*random.choice(&operations).unwrap(), "", fault);
        }
        let mut target = target(&random_blueprint(&mut random));
        target.variables.insert("password".into(), SECRET.into());
        let goal = Goal::Deploy(target);
        let cause = format!("order {order}");
        if random.u8(0..3) == 0 {
            // Given up half-way: the next order supersedes it.
            world.fuse.light(random.u32(0..80));
            tokio::select! {
                biased;
                _ = world.carry_out(&cause, goal) => {}
                () = world.fuse.blown() => {}
            }
            world.fuse.douse();
            continue;
        }
        if random.u8(0..3) == 0 {
            // Still running in one process when another gets the next order.
            overtaken(&world, &mut random, &cause, goal).await;
            continue;
        }
        let outcome = with_crashes(&world, &mut random, &cause, goal).await;
        assert!(
            outcome.succeeded || outcome.failures.iter().any(|failure| !failure.leftover),
            "seed {seed}"
        );
        if outcome.succeeded {
            assert!(
                outcome
                    .resources
                    .iter()
                    .all(|report| report.status != formwork_engine::Status::Pending),
                "seed {seed}"
            );
        }
        assert!(
            !format!("{:?} {:?}", outcome.failures, world.recorder.events()).contains(SECRET),
            "seed {seed}"
        );
        if random.bool() {
            world.settle().await;
            assert!(
                !world.store.text(INSTANCE).unwrap_or_default().contains(SECRET),
                "seed {seed}"
            );
        }
    }
    world.cloud.forget_faults();
    world.timeout = jiff::SignedDuration::from_secs(3_000);
    let mut outcome = with_crashes(&world, &mut random, "destroy", Goal::Destroy { retain: false }).await;
    // What never ends can only be given up at a deadline.
    if !outcome.succeeded {
        world.settle().await;
        world.cloud.end_stuck();
        outcome = world.destroy("destroy again").await;
    }
    assert!(outcome.succeeded, "seed {seed}: {:?}", outcome.failures);
    assert_eq!(world.ids(), ["theirs"], "seed {seed}");
    world.settle().await;
    assert_eq!(world.store.text(INSTANCE), None, "seed {seed}");
}

#[test]
fn nothing_is_orphaned_whatever_happens() {
    for seed in 0..60 {
        // A runtime of its own, so that a seed does the same again alone.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(run(seed));
    }
}
