//! Chance, all of it from one seed: who dies when, and what goes wrong around them.

use super::Tally;
use crate::World;
use crate::function::{Death, Doom, Function};
use fastrand::Rng;
use formwork_sandbox::{Call, Effect, Fault, Sandbox};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The most kills of one request. The chain of last resort, on_event and then its destination, has six attempts.
const KILLS_PER_REQUEST: usize = 5;
/// As many kills make an execution fail: every attempt at a poll, and then at answering FAILED.
const KILLS_OF_A_WAITER: usize = 13;
/// How many calls an invocation makes at most before it is killed at one.
const CALLS: u32 = 16;

/// Seeded chance.
pub(super) struct Dice(Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice(Rng::with_seed(seed))
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.0.f64() < probability
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.0.choice(choices).expect("there is a choice")
    }

    pub(super) fn plan(&mut self) -> Plan {
        let target = self.one_of(&[
            Target::Both,
            Target::Both,
            Target::Both,
            Target::OnEvent,
            Target::IsComplete,
        ]);
        Plan {
            target,
            cancels: self.chance(0.2),
            twice: self.chance(0.2),
        }
    }

    fn fault(&mut self) -> Fault {
        let calls = [
            Call::CreateResource,
            Call::UpdateResource,
            Call::DeleteResource,
            Call::GetResource,
            Call::GetResourceRequestStatus,
            Call::GetObject,
            Call::PutObject,
            Call::StartExecution,
            Call::Respond,
        ];
        let call = self.one_of(&calls);
        let is_operation = matches!(
            call,
            Call::CreateResource | Call::UpdateResource | Call::DeleteResource
        );
        let is_cloud = is_operation || matches!(call, Call::GetResource | Call::GetResourceRequestStatus);
        let fault = match self.0.u8(0..8) {
            0 | 1 if is_cloud => Fault::refuse("ThrottlingException", "Rate exceeded"),
            2 | 3 if is_operation => {
                let code = self.one_of(&["Throttling", "ServiceInternalError", "NetworkFailure"]);
                Fault::fail(code, "try again")
            }
            4 if is_operation => Fault::new(Effect::Fail {
                code: "NotStabilized".into(),
                message: "it did not settle".into(),
                done: true,
            }),
            5 | 6 => Fault::new(Effect::LoseResponse),
            _ => Fault::new(Effect::ServerError(self.one_of(&[500, 502, 503]))),
        };
        fault.on(call).after(self.0.u32(0..6)).times(self.0.u32(1..3))
    }

    fn moment(&mut self) -> Moment {
        match self.0.u8(0..20) {
            0 | 1 => Moment::BeforeEvent,
            2..6 => Moment::After(Duration::from_millis(self.0.u64(1..1500))),
            _ => Moment::AtCall {
                number: self.0.u32(0..CALLS),
                done: self.0.bool(),
            },
        }
    }
}

/// What a history is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    target: Target,
    /// The Delete comes while the Create is under way.
    pub(super) cancels: bool,
    /// Events are delivered twice at once.
    twice: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    /// Each invocation may be killed.
    Both,
    /// Every attempt of on_event is killed for one request.
    OnEvent,
    /// The waiter's function is killed for one request until the execution fails.
    IsComplete,
}

#[derive(Debug, Clone, Copy)]
enum Moment {
    BeforeEvent,
    After(Duration),
    AtCall { number: u32, done: bool },
}

/// The fates of a world's invocations.
pub(super) struct Fates {
    plan: Plan,
    state: Arc<State>,
}

struct State {
    sandbox: Arc<Sandbox>,
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
        for _ in 0..turn.dice.0.u8(1..5) {
            let fault = turn.dice.fault();
            self.state.sandbox.fault(fault);
        }
    }

    /// Nobody is killed any more, and nothing goes wrong.
    pub(super) fn end(&self) {
        self.turn().left = 0;
        self.state.sandbox.retain_faults(|_| false);
    }

    pub(super) fn delivers_twice(&self) -> bool {
        self.plan.twice && self.turn().dice.chance(0.5)
    }

    pub(super) fn pause(&self) -> Duration {
        Duration::from_millis(self.turn().dice.0.u64(0..2500))
    }

    pub(super) fn answered(&self, phase: &'static str, answer: &Value) {
        let status = answer["Status"].as_str().unwrap_or_default().to_owned();
        *self.turn().tally.answers.entry((phase, status)).or_default() += 1;
    }

    pub(super) fn tally(&self) -> Tally {
        self.turn().tally.clone()
    }
}

impl State {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap()
    }

    fn doom(self: &Arc<Self>, function: Target) -> Option<Doom> {
        let mut turn = self.turn();
        // What was meant for an invocation that ended before it.
        self.sandbox
            .retain_faults(|fault| !matches!(fault.effect, Effect::Hang { .. }));
        let doomed = turn.left > 0
            && match turn.target {
                Target::Both => turn.dice.chance(0.6),
                target => target == function,
            };
        if !doomed {
            return None;
        }
        let moment = turn.dice.moment();
        let death = if turn.dice.chance(0.12) {
            Death::Frozen
        } else {
            Death::Killed
        };
        drop(turn);
        if let Moment::AtCall { number, done } = moment {
            self.sandbox
                .fault(Fault::new(Effect::Hang { done }).after(number).times(1));
        }
        let (state, begin) = (self.clone(), crate::clock::instant());
        let when = move || {
            let has_come = match moment {
                Moment::BeforeEvent => true,
                Moment::After(delay) => begin.elapsed() >= delay,
                Moment::AtCall { .. } => state.sandbox.hanging() > 0,
            };
            has_come && state.strike(function, moment, death)
        };
        Some(Doom {
            when: Arc::new(when),
            death,
        })
    }

    /// Counts a kill, if there is one left.
    fn strike(&self, function: Target, moment: Moment, death: Death) -> bool {
        let mut turn = self.turn();
        if turn.left == 0 {
            return false;
        }
        turn.left -= 1;
        let name = match function {
            Target::IsComplete => "is_complete",
            Target::OnEvent | Target::Both => "on_event",
        };
        let moment = match moment {
            Moment::BeforeEvent => "before its event".to_owned(),
            Moment::After(_) => "at any time".to_owned(),
            Moment::AtCall { done, .. } => {
                let calls = self.sandbox.requests();
                let call = calls.last().map_or("no call", |call| call.call.name());
                format!("{call}, {}", if done { "carried out" } else { "not carried out" })
            }
        };
        let phase = turn.phase;
        *turn.tally.kills.entry((phase, name, death)).or_default() += 1;
        *turn.tally.moments.entry(moment).or_default() += 1;
        true
    }
}

fn doom(function: &Function, which: Target, state: &Arc<State>) {
    let state = state.clone();
    function.doom(move || state.doom(which));
}
