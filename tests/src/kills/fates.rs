//! What becomes of invocations while a request is under way, and how it is counted.

use super::Tally;
use super::dice::{Cancelled, Dice, Moment, Plan, Target};
use crate::World;
use crate::function::{Death, Doom, Function};
use crate::story::Notes;
use formwork_sandbox::{Effect, ExecutionStatus, Fault, Sandbox};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The most kills of one request.
const KILLS_PER_REQUEST: usize = 5;
/// As many kills make an execution fail: every attempt at a poll, and then at answering FAILED.
const KILLS_OF_A_WAITER: usize = 13;

/// The fates of a world's invocations.
pub(super) struct Fates {
    plan: Plan,
    state: Arc<State>,
}

struct State {
    sandbox: Arc<Sandbox>,
    notes: Notes,
    turn: Mutex<Turn>,
}

struct Turn {
    dice: Dice,
    phase: &'static str,
    target: Target,
    left: usize,
    tally: Tally,
}

impl Fates {
    pub(super) fn new(world: &World, plan: Plan, dice: Dice) -> Self {
        let turn = Turn {
            dice,
            phase: "",
            target: plan.target,
            left: 0,
            tally: Tally::default(),
        };
        let state = Arc::new(State {
            sandbox: world.sandbox.clone(),
            notes: world.notes.clone(),
            turn: Mutex::new(turn),
        });
        doom(&world.on_event, Target::OnEvent, &state);
        doom(&world.is_complete, Target::IsComplete, &state);
        Fates { plan, state }
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.state.turn()
    }

    /// From here on a new request is under way.
    pub(super) fn begin(&self, phase: &'static str) {
        let mut turn = self.turn();
        // One request, whichever it is, bears the brunt of a plan against one function.
        turn.target = if turn.dice.chance(0.5) {
            self.plan.target
        } else {
            Target::Both
        };
        turn.phase = phase;
        turn.left = match turn.target {
            Target::IsComplete => KILLS_OF_A_WAITER,
            Target::Both | Target::OnEvent => KILLS_PER_REQUEST,
        };
        let mut faults = turn.dice.faults();
        if phase == "Update" && self.plan.fails {
            faults.push(turn.dice.failure());
        }
        self.sabotage(&mut turn);
        if turn.target == Target::Both {
            faults.extend(turn.dice.hangs());
        }
        self.state
            .notes
            .add(format_args!("{phase} begins, with {faults:?}"));
        for fault in faults {
            self.state.sandbox.fault(fault);
        }
    }

    /// Perhaps stops the waiter of the present request, at any time of its life.
    fn sabotage(&self, turn: &mut Turn) {
        if !self.plan.aborts || !turn.dice.chance(0.7) {
            return;
        }
        let (state, phase) = (self.state.clone(), turn.phase);
        let delay = turn.dice.patience();
        tokio::spawn(async move {
            while state.turn().phase == phase && !state.is_waited_for() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::time::sleep(delay).await;
            let mut turn = state.turn();
            if turn.phase == phase {
                let stopped = state.sandbox.stop_executions();
                state.notes.add(format_args!("{stopped} executions are stopped"));
                turn.tally.stopped += stopped;
            }
        });
    }

    /// Nobody is killed any more, and nothing goes wrong.
    pub(super) fn end(&self) {
        let mut turn = self.turn();
        (turn.left, turn.phase) = (0, "");
        drop(turn);
        self.state.sandbox.retain_faults(|_| false);
    }

    pub(super) fn delivers_twice(&self) -> bool {
        self.plan.twice && self.turn().dice.chance(0.5)
    }

    /// How long CloudFormation waits before it cancels a request.
    pub(super) fn pause(&self, cancelled: Cancelled) -> Duration {
        self.turn().dice.pause(cancelled)
    }

    pub(super) fn answered(&self, phase: &'static str, answer: &Value) {
        let status = answer["Status"].as_str().unwrap_or_default().to_owned();
        self.state.notes.add(format_args!("{phase} is answered {status}"));
        let mut turn = self.turn();
        if status != "SUCCESS" {
            let reason = answer["Reason"].as_str().unwrap_or_default();
            // Up to what is different each time.
            let reason = reason.split(" (log stream").next().unwrap_or_default();
            let reason = reason.split(" RequestId:").next().unwrap_or_default();
            *turn.tally.reasons.entry((phase, reason.to_owned())).or_default() += 1;
        }
        *turn.tally.answers.entry((phase, status)).or_default() += 1;
    }

    pub(super) fn tally(&self) -> Tally {
        self.turn().tally.clone()
    }
}

impl State {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap()
    }

    fn is_waited_for(&self) -> bool {
        let executions = self.sandbox.executions();
        executions
            .iter()
            .any(|execution| execution.status == ExecutionStatus::Running)
    }

    fn doom(self: &Arc<Self>, function: Target, is_last: bool) -> Option<Doom> {
        let mut turn = self.turn();
        // What was meant for an invocation that ended before it.
        self.sandbox
            .retain_faults(|fault| !matches!(fault.effect, Effect::Hang { .. }) || fault.call.is_some());
        if is_last {
            // What comes after it is a queue that people look at.
            self.sandbox
                .retain_faults(|fault| !matches!(fault.effect, Effect::Hang { .. }));
            return None;
        }
        if turn.left == 0 || (turn.target != Target::Both && turn.target != function) {
            return None;
        }
        let is_relentless = turn.target != Target::Both;
        let moment = turn.dice.moment(is_relentless);
        let death = turn.dice.death();
        drop(turn);
        if let Moment::AtCall { number, done } = moment {
            self.sandbox
                .fault(Fault::new(Effect::Hang { done }).after(number).times(1));
        }
        let (state, begin) = (self.clone(), crate::clock::instant());
        let when = move || {
            let hangs = state.sandbox.hanging() > 0;
            let has_come = match moment {
                Moment::BeforeEvent => true,
                Moment::After(delay) => hangs || begin.elapsed() >= delay,
                Moment::AtCall { .. } | Moment::WhenItHangs => hangs,
            };
            has_come && state.strike(function, hangs, death)
        };
        Some(Doom {
            when: Arc::new(when),
            death,
        })
    }

    /// Counts a kill, if there is one left.
    fn strike(&self, function: Target, hangs: bool, death: Death) -> bool {
        let mut turn = self.turn();
        if turn.left == 0 {
            return false;
        }
        turn.left -= 1;
        let name = match function {
            Target::IsComplete => "is_complete",
            Target::OnEvent | Target::Both => "on_event",
        };
        if turn.left == 0 {
            self.sandbox
                .retain_faults(|fault| !matches!(fault.effect, Effect::Hang { .. }));
        }
        let moment = match self.sandbox.requests().last() {
            Some(last) if hangs => {
                // The status that the log has of a call that was not carried out.
                let done = last.status != 504;
                format!(
                    "{}, {}",
                    last.call.name(),
                    if done { "carried out" } else { "not carried out" }
                )
            }
            _ => "before its event, or between calls".to_owned(),
        };
        let phase = turn.phase;
        self.notes.add(format_args!("{name} ends: {death:?} at {moment}"));
        *turn.tally.kills.entry((phase, name, death)).or_default() += 1;
        *turn.tally.moments.entry(moment).or_default() += 1;
        true
    }
}

fn doom(function: &Function, which: Target, state: &Arc<State>) {
    let state = state.clone();
    function.doom(move |is_last| state.doom(which, is_last));
}
