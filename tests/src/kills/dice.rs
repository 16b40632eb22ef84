//! Chance, all of it from one seed: who dies when, and what goes wrong around them.

use super::Tally;
use crate::World;
use crate::function::{Death, Doom, Function};
use fastrand::Rng;
use formwork_sandbox::{Call, Effect, ExecutionStatus, Fault, Sandbox};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The most kills of one request.
const KILLS_PER_REQUEST: usize = 5;
/// As many kills make an execution fail: every attempt at a poll, and then at answering FAILED.
const KILLS_OF_A_WAITER: usize = 13;
/// How many calls an invocation makes at most before it is killed at one.
const CALLS: u32 = 16;

/// Calls that change something, or tell of it.
const WEIGHTY: [Call; 8] = [
    Call::CreateResource,
    Call::UpdateResource,
    Call::DeleteResource,
    Call::GetResourceRequestStatus,
    Call::PutObject,
    Call::PutObject,
    Call::StartExecution,
    Call::Respond,
];

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

    /// How long operations take: all is done within the first invocation, or handed to the waiter.
    pub(super) fn latency(&mut self, plan: Plan) -> Duration {
        let quick = Duration::from_millis(60);
        let slow = Duration::from_millis(700);
        if plan.target == Target::IsComplete || plan.aborts {
            slow
        } else {
            self.one_of(&[quick, slow])
        }
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
            aborts: self.chance(0.3),
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
        let is_bucket = matches!(call, Call::GetObject | Call::PutObject);
        let fault = match self.0.u8(0..16) {
            0..4 if is_cloud => Fault::refuse("ThrottlingException", "Rate exceeded"),
            4..8 if is_operation => {
                let code = self.one_of(&["Throttling", "ServiceInternalError", "NetworkFailure"]);
                Fault::fail(code, "try again")
            }
            8 if is_operation => Fault::new(Effect::Fail {
                code: "NotStabilized".into(),
                message: "it did not settle".into(),
                done: true,
            }),
            // The bucket refuses, for whatever reason.
            0..4 if is_bucket => Fault::refuse("AccessDenied", "Access Denied"),
            9..13 => Fault::new(Effect::LoseResponse),
            _ => Fault::new(Effect::ServerError(self.one_of(&[500, 502, 503]))),
        };
        fault.on(call).after(self.0.u32(0..6)).times(self.0.u32(1..3))
    }

    /// A moment in an invocation, most of them while a call is under way.
    fn moment(&mut self, is_relentless: bool) -> Moment {
        let done = self.0.bool();
        let number = match self.0.u8(0..10) {
            0 => return Moment::BeforeEvent,
            // Every invocation gets that far.
            _ if is_relentless => self.0.u32(0..2),
            1..4 => return Moment::After(Duration::from_millis(self.0.u64(1..1500))),
            _ => self.0.u32(0..CALLS),
        };
        Moment::AtCall { number, done }
    }

    /// A call that changes something and has no answer: whoever makes it is killed.
    fn weighty(&mut self) -> Fault {
        let done = self.0.bool();
        let call = self.one_of(&WEIGHTY);
        Fault::new(Effect::Hang { done })
            .on(call)
            .after(self.0.u32(0..4))
            .times(1)
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
    /// Somebody stops the waiter's executions.
    aborts: bool,
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
    /// As soon as a call of anybody's has no answer.
    WhenItHangs,
    AtCall {
        /// How many of them come first.
        number: u32,
        /// Whether it is carried out.
        done: bool,
    },
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
        self.sabotage(&mut turn);
        if turn.target == Target::Both {
            for _ in 0..turn.dice.0.u8(1..5) {
                let fault = turn.dice.weighty();
                self.state.sandbox.fault(fault);
            }
        }
    }

    /// Perhaps stops the waiter of the present request, at any time of its life.
    fn sabotage(&self, turn: &mut Turn) {
        if !self.plan.aborts || !turn.dice.chance(0.7) {
            return;
        }
        let (state, phase) = (self.state.clone(), turn.phase);
        let delay = Duration::from_millis(turn.dice.0.u64(0..2000));
        tokio::spawn(async move {
            while state.turn().phase == phase && !state.is_waited_for() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::time::sleep(delay).await;
            let mut turn = state.turn();
            if turn.phase == phase {
                turn.tally.stopped += state.sandbox.stop_executions();
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

    /// How long CloudFormation waits before it cancels a Create.
    pub(super) fn pause(&self) -> Duration {
        Duration::from_millis(self.turn().dice.0.u64(0..2500))
    }

    pub(super) fn answered(&self, phase: &'static str, answer: &Value) {
        let status = answer["Status"].as_str().unwrap_or_default().to_owned();
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
        let moment = if is_relentless || turn.dice.chance(0.3) {
            turn.dice.moment(is_relentless)
        } else {
            Moment::WhenItHangs
        };
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
        *turn.tally.kills.entry((phase, name, death)).or_default() += 1;
        *turn.tally.moments.entry(moment).or_default() += 1;
        true
    }
}

fn doom(function: &Function, which: Target, state: &Arc<State>) {
    let state = state.clone();
    function.doom(move |is_last| state.doom(which, is_last));
}
