//! One run: everything put together for a seed, lived through, and checked.

use crate::blueprints::{Blueprint, FOREIGN};
use crate::check;
use crate::cloud::SimulatedCloud;
use crate::dice::{Fault, Mask, mix};
use crate::functions::{Account, Setup};
use crate::listen::Ear;
use crate::sink::Sink;
use crate::stack::{Sent, Stack, Story};
use crate::store::Bucket;
use crate::types;
use crate::world::World;
use fastrand::Rng;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Longer than anything in a run may still move after its stack is gone.
const LONGEST_REST: Duration = Duration::from_secs(6 * 3600);

/// What came of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// Everything that must never happen and did.
    pub violations: Vec<String>,
    /// Every strike: the fault and the occasion for it.
    pub struck: Vec<(Fault, u32)>,
    /// Requests that CloudFormation sent.
    pub requests: usize,
    /// Those answered with SUCCESS.
    pub successes: usize,
    /// Calls that reached the cloud.
    pub calls: u64,
    /// How long it took in the run's own time.
    pub duration: Duration,
    /// What happened, line by line, if asked for.
    pub story: Vec<String>,
}

/// Lives through a seed with some custom resources at once, without what the mask takes back. The same seed and mask do the same again.
///
/// # Errors
/// When no runtime can be made.
pub fn run(seed: u64, stacks: u64, mask: &Mask, is_told: bool) -> std::io::Result<Report> {
    // A runtime of its own: what a run does depends on nothing but its seed.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()?;
    fastrand::seed(mix(seed));
    let mask = mask.clone();
    Ok(runtime.block_on(async move { live(seed, stacks, mask, is_told).await }))
}

async fn live(seed: u64, stacks: u64, mask: Mask, is_told: bool) -> Report {
    let world = World::new(seed, mask.clone(), is_told);
    let ear = tracing::Dispatch::new(Ear::new(Arc::clone(&world)));
    let _listening = tracing::dispatcher::set_default(&ear);
    let mut random = Rng::with_seed(mix(seed ^ 0x73_746f_7279));
    let setup = setup(&mut random);
    let first = story(seed, 0, &mut random, &world, &mask);
    let longest = random.choice([300_u64, 2_000, 10_000, 40_000]).unwrap_or(300);
    let cloud = SimulatedCloud::new(Arc::clone(&world), (longest / 10, longest), random.bool());
    let foreign = json!({ "Name": FOREIGN, "Kind": "theirs", "Arn": "arn:sim:theirs" });
    if let Value::Object(model) = &foreign {
        cloud.put_foreign(types::NAMED, FOREIGN, model.clone());
    }
    let bucket = Bucket::new(Arc::clone(&world));
    let sink = Sink::new(Arc::clone(&world));
    let account = Account::new(
        Arc::clone(&world),
        setup,
        Arc::clone(&cloud),
        bucket,
        Arc::clone(&sink),
    );

    let others = (1..stacks).map(|number| {
        let seed = mix(seed ^ (number << 56));
        story(seed, number, &mut Rng::with_seed(seed), &world, &mask)
    });
    let stacks = all_live(&account, first, others).await;
    let gone = world.elapsed();
    while world.tasks() > 0 {
        if world.elapsed() - gone > LONGEST_REST {
            world.violated("it never comes to rest");
            break;
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    check::at_rest(&account, &stacks, &foreign);
    for retained in stacks.iter().filter_map(Stack::retained) {
        check::retained(&account, retained);
    }
    account.close();
    let is_success = |url: &str| {
        sink.answer(url)
            .is_some_and(|answer| answer.body.get("Status").and_then(Value::as_str) == Some("SUCCESS"))
    };
    let sent: Vec<&Sent> = stacks.iter().flat_map(Stack::sent).collect();
    let successes = sent.iter().filter(|sent| is_success(&sent.url)).count();
    let struck = world.dice.struck();
    if struck.is_empty() && successes < sent.len() && !stacks.iter().any(Stack::may_fail) {
        world.violated("something failed although nothing went wrong");
    }
    Report {
        seed,
        violations: world.violations(),
        struck,
        requests: sent.len(),
        successes,
        calls: cloud.calls(),
        duration: world.elapsed(),
        story: world.story(),
    }
}

/// Lives through all stories at once.
async fn all_live(account: &Arc<Account>, first: Story, others: impl Iterator<Item = Story>) -> Vec<Stack> {
    let live = |story| {
        let mut stack = Stack::new(Arc::clone(account), story);
        async move {
            stack.live().await;
            stack
        }
    };
    let others: Vec<_> = others.map(|story| tokio::spawn(live(story))).collect();
    let mut stacks = vec![live(first).await];
    for other in others {
        match other.await {
            Ok(stack) => stacks.push(stack),
            Err(_) => account.world.violated("a panic"),
        }
    }
    stacks
}

fn setup(random: &mut Rng) -> Setup {
    let seconds = random.choice([20, 40, 60]).unwrap_or(20);
    let function_timeout = Duration::from_secs(seconds);
    Setup {
        function_timeout,
        poll_window: function_timeout.mul_f64(random.choice([0.0, 0.2, 0.5]).unwrap_or(0.5)),
        max_concurrency: random.usize(1..6),
        requests_per_second: random.choice([5, 25, 1_000]).unwrap_or(25),
    }
}

fn story(seed: u64, number: u64, random: &mut Rng, world: &World, mask: &Mask) -> Story {
    // Lambda tries a failed event again after one and two minutes: who may lose a process needs time for that.
    let slow = [
        Fault::KilledAtCall,
        Fault::KilledAnyTime,
        Fault::DeliveredLate,
        Fault::StoreDown,
        Fault::Aborted,
        Fault::SaveFails,
        Fault::LoadFails,
        Fault::SaveLost,
        Fault::SaveLate,
        Fault::StoreSlow,
        Fault::PutFails,
        Fault::PutLost,
        Fault::PutSlow,
        Fault::StartFails,
        Fault::StartLost,
    ];
    let timeouts = if slow.iter().any(|fault| world.dice.rates(*fault)) {
        [1_500, 2_400, 3_600]
    } else {
        [120, 600, 3_600]
    };
    let service_timeout = Duration::from_secs(random.choice(timeouts).unwrap_or(3_600));
    let timeout = (random.u8(0..3) == 0).then(|| Duration::from_secs(random.u64(30..400)));
    let (prefix, begins_after) = match number {
        0 => (String::new(), Duration::ZERO),
        _ => (format!("s{number}"), Duration::from_millis(random.u64(0..60_000))),
    };
    let mut blueprints = vec![Blueprint::random(random, &prefix)];
    for _ in 0..random.u8(0..4) {
        let next = blueprints.last().map(|last| last.changed(random));
        blueprints.extend(next);
    }
    if let Some(steps) = mask.steps {
        blueprints.truncate(steps.max(1));
    }
    Story {
        number,
        begins_after,
        service_timeout,
        timeout,
        blueprints,
        // Drawn apart, so that the other decisions of a seed stay as they are.
        retains: Rng::with_seed(mix(seed ^ 0x7265_7461_696e)).u8(0..16) == 0,
    }
}
