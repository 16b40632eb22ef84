//! The real functions, killed at random moments of whole lives of a custom resource.
//!
//! A [`history`] is one life, told by a seed: Create, Update (and the Update back, when it fails), Delete, in a
//! world of its own whose services throttle, stumble and lose answers. CloudFormation may cancel a Create, or an
//! Update: the request that takes it back comes while it is under way. Invocations of both functions are ended by
//! SIGKILL, or stopped so that their time runs out, while a call of theirs is under way (carried out or not), at
//! any other moment, or before they see their event. Around them everything is as on Lambda: asynchronous
//! invocations are tried three times and handed to is_complete, Step Functions retries and catches, EventBridge
//! tells of executions that failed.
//!
//! After each success there is in the cloud what was asked for. In the end every request has one answer, the cloud is
//! empty, and nothing secret is anywhere.

mod dice;
mod fates;
mod stack;
mod tally;

pub use tally::Tally;

use crate::{Setup, World, clock, eventually};
use dice::{Cancelled, Dice, Plan};
use fates::Fates;
use formwork_sandbox::{ExecutionStatus, Latency};
use serde_json::Value;
use stack::{FIRST, SECOND, Stack, Wanted};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};

/// How long an invocation may take. What it had in hand when it was killed is free again two seconds after that.
const TIMEOUT: Duration = Duration::from_secs(3);

/// After so many it is not worth going on.
const MOST_VIOLATIONS: usize = 10;

/// Runs histories of successive seeds, some beside each other, until there were that many kills. A history after
/// which something that must hold does not is among the tally's violations.
///
/// # Panics
/// Never: what panics is a history.
pub async fn run(first_seed: u64, kills: usize, beside: usize, told: impl Fn(u64, &Tally)) -> Tally {
    let begin = clock::instant();
    let mut total = Tally::default();
    let mut running = JoinSet::new();
    let mut next = first_seed;
    loop {
        while running.len() < beside && total.kills() < kills && total.violations.len() < MOST_VIOLATIONS {
            let seed = next;
            next += 1;
            running.spawn(async move { (seed, tokio::spawn(history(seed)).await) });
        }
        match running.join_next().await {
            Some(Ok((seed, Ok(tally)))) => {
                told(seed, &tally);
                total.add(tally);
            }
            // What is wrong has been told by the panic.
            Some(Ok((seed, Err(_)))) => total.violations.push(seed),
            Some(Err(error)) => panic!("{error}"),
            None => break,
        }
    }
    total.took = begin.elapsed();
    total
}

/// One life of a custom resource.
///
/// # Panics
/// When something that must hold does not, with the seed.
pub async fn history(seed: u64) -> Tally {
    let begin = clock::instant();
    let mut dice = Dice::new(seed);
    let plan = dice.plan();
    let mut setup = Setup {
        poll_window_seconds: 1,
        timeout: TIMEOUT,
        // As with the times of `template.yaml`, retries meet what a killed attempt still holds.
        retry_after: [Duration::from_secs(1), Duration::from_secs(2)],
        ..Setup::default()
    };
    setup.sandbox.latency = Latency::fixed(dice.latency(plan));
    setup.sandbox.token_replay = dice.chance(0.3);
    setup.sandbox.time_scale = 0.1;
    let life = Life {
        seed,
        world: Arc::new(World::start(setup).await),
        stack: Stack::new(seed),
        sent: Vec::new(),
        cancelled: None,
    };
    let mut tally = life.live(plan, dice).await;
    tally.took = begin.elapsed();
    tally
}

/// The id that CloudFormation makes up for a Create that it has cancelled.
const INVENTED: &str = "kills-Orders-1QMVX9QVT4TBX";

fn id_of(answer: &Value) -> String {
    let id = answer["PhysicalResourceId"].as_str();
    id.expect("every answer has an id").to_owned()
}

struct Life {
    seed: u64,
    world: Arc<World>,
    stack: Stack,
    /// Deliveries, which go on after the answer.
    sent: Vec<JoinHandle<()>>,
    /// A request that was cancelled: nobody waits for its answer any more, but it is owed.
    cancelled: Option<(&'static str, Value)>,
}

impl Life {
    async fn live(mut self, plan: Plan, dice: Dice) -> Tally {
        let fates = Fates::new(&self.world, plan, dice);
        let rule = tokio::spawn(event_bridge(self.world.clone()));

        fates.begin("Create");
        let create = self.send(self.stack.create(&self.world), fates.delivers_twice());
        let mut id = INVENTED.to_owned();
        if plan.cancels == Some(Cancelled::Create) {
            tokio::time::sleep(fates.pause(Cancelled::Create)).await;
            self.cancelled = Some(("Create, cancelled", create));
        } else {
            let created = self.answer(&create).await;
            fates.answered("Create", &created);
            id = id_of(&created);
            if created["Status"] == "SUCCESS" {
                self.expect_there(&FIRST);
                self.update(&fates, plan, &id).await;
            }
        }
        fates.begin("Delete");
        let delete = self.send(self.stack.delete(&self.world, &id), fates.delivers_twice());
        let deleted = self.answer(&delete).await;
        fates.answered("Delete", &deleted);
        fates.end();
        self.settle().await;
        if deleted["Status"] != "SUCCESS" {
            let reason = deleted["Reason"].as_str().unwrap_or_default();
            assert!(
                !reason.contains("superseded"),
                "{}: nothing comes after a Delete\n{deleted}\n{}",
                self.place(),
                self.world.story()
            );
            // What somebody does who reads DELETE_FAILED.
            let again = self.send(self.stack.delete(&self.world, &id), false);
            let answer = self.answer(&again).await;
            fates.answered("Delete again", &answer);
            assert_eq!(answer["Status"], "SUCCESS", "{}\n{answer}", self.place());
            self.settle().await;
        }
        if let Some((phase, event)) = self.cancelled.take() {
            let answer = self.answer(&event).await;
            fates.answered(phase, &answer);
        }
        rule.abort();
        self.check(&fates).await
    }

    async fn update(&mut self, fates: &Fates, plan: Plan, id: &str) {
        fates.begin("Update");
        let update = self.send(self.stack.update(&self.world, id), fates.delivers_twice());
        if plan.cancels == Some(Cancelled::Update) {
            tokio::time::sleep(fates.pause(Cancelled::Update)).await;
            self.cancelled = Some(("Update, cancelled", update));
        } else {
            let updated = self.answer(&update).await;
            fates.answered("Update", &updated);
            assert_eq!(updated["PhysicalResourceId"], id, "{}", self.place());
            if updated["Status"] == "SUCCESS" {
                self.expect_there(&SECOND);
                return;
            }
        }
        fates.begin("Rollback");
        let rollback = self.send(self.stack.rollback(&self.world, id), fates.delivers_twice());
        let answer = self.answer(&rollback).await;
        fates.answered("Rollback", &answer);
        if answer["Status"] == "SUCCESS" {
            self.expect_there(&FIRST);
        }
    }

    /// Checks that all that was asked for is there. What it replaced may be there too: that it could not be deleted
    /// yet fails no update.
    fn expect_there(&self, wanted: &Wanted) {
        let there = self.world.sandbox.resources();
        let missing = wanted.missing(&there);
        assert!(
            missing.is_empty(),
            "{}: after a success there is no {missing:?} among {there:#?}\n{}",
            self.place(),
            self.world.story()
        );
    }

    /// Delivers an event, once or twice at once.
    fn send(&mut self, event: Value, twice: bool) -> Value {
        for _ in 0..=usize::from(twice) {
            let (world, event) = (self.world.clone(), event.clone());
            self.sent.push(tokio::spawn(async move {
                // Who answered in the end is seen at the sink.
                let _ = world.send(&event).await;
            }));
        }
        event
    }

    async fn answer(&self, event: &Value) -> Value {
        match self.world.try_answer(event).await {
            Some(answer) => answer,
            None => panic!(
                "{}: no answer to the {}\n{}",
                self.place(),
                event["RequestType"],
                self.world.story()
            ),
        }
    }

    /// Waits until nothing goes on any more, in the functions, the waiter and the cloud.
    async fn settle(&mut self) {
        for sent in self.sent.drain(..) {
            sent.await.expect("a delivery does not panic");
        }
        self.world.settle().await;
        eventually("every execution that failed was told of", || {
            self.world.untold().is_empty()
        })
        .await;
        eventually("no operation is under way in the cloud", || {
            self.world.sandbox.operations_under_way() == 0
        })
        .await;
    }

    async fn check(self, fates: &Fates) -> Tally {
        let left = self.world.sandbox.resources();
        assert!(
            left.is_empty(),
            "{}: left behind: {left:#?}\n{}",
            self.place(),
            self.world.story()
        );
        let mut tally = fates.tally();
        tally.histories = 1;
        tally.invocations = self.world.on_event.invocations() + self.world.is_complete.invocations();
        tally.calls = self.world.sandbox.requests().len();
        let executions = self.world.sandbox.executions();
        tally.executions = executions.len();
        tally.failed_executions = executions
            .iter()
            .filter(|one| one.status != ExecutionStatus::Succeeded)
            .count();
        match self.world.finish_with_repetitions().await {
            Ok(repeated) => tally.repeated_puts = repeated,
            Err(problems) => panic!(
                "{}: {}\n{}",
                self.place(),
                problems.join("\n"),
                self.world.story()
            ),
        }
        tally
    }

    fn place(&self) -> String {
        format!("seed {}", self.seed)
    }
}

/// The rule on executions that failed.
async fn event_bridge(world: Arc<World>) {
    loop {
        for execution in world.untold() {
            world.tell(&execution).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
