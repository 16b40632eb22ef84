//! Chance, all of it from one seed: what a history is about, who dies when, and what goes wrong around them.

use crate::function::Death;
use fastrand::Rng;
use formwork_sandbox::{Call, Effect, Fault};
use std::time::Duration;

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
            cancels: self.one_of(&[Some(Cancelled::Create), Some(Cancelled::Update), None, None, None]),
            fails: self.chance(0.3),
            twice: self.chance(0.2),
            aborts: self.chance(0.3),
        }
    }

    /// How long CloudFormation waits before it cancels a request.
    pub(super) fn pause(&mut self, cancelled: Cancelled) -> Duration {
        let pause = Duration::from_millis(self.0.u64(0..2500));
        match cancelled {
            Cancelled::Create => pause,
            // ResponseURLs tell only to the second which of two requests to deploy came first.
            Cancelled::Update => pause + Duration::from_secs(1),
        }
    }

    /// How long somebody waits before he stops a waiter.
    pub(super) fn patience(&mut self) -> Duration {
        Duration::from_millis(self.0.u64(0..2000))
    }

    /// What goes wrong around one request.
    pub(super) fn faults(&mut self) -> Vec<Fault> {
        (0..self.0.u8(1..5)).map(|_| self.fault()).collect()
    }

    /// Calls of one request that hang.
    pub(super) fn hangs(&mut self) -> Vec<Fault> {
        (0..self.0.u8(1..5)).map(|_| self.weighty()).collect()
    }

    /// An operation that fails for good, after everything or nothing was done.
    pub(super) fn failure(&mut self) -> Fault {
        let call = self.one_of(&[Call::CreateResource, Call::UpdateResource]);
        let effect = Effect::Fail {
            code: "NotStabilized".into(),
            message: "it did not settle".into(),
            done: self.0.bool(),
        };
        Fault::new(effect).on(call).after(self.0.u32(0..2)).times(1)
    }

    pub(super) fn death(&mut self) -> Death {
        if self.chance(0.12) {
            Death::Frozen
        } else {
            Death::Killed
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
    pub(super) fn moment(&mut self, is_relentless: bool) -> Moment {
        if !is_relentless && self.chance(0.7) {
            return Moment::WhenItHangs;
        }
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
    pub(super) target: Target,
    /// The request that is under way when the one that takes it back comes.
    pub(super) cancels: Option<Cancelled>,
    /// An operation of the Update fails for good.
    pub(super) fails: bool,
    /// Events are delivered twice at once.
    pub(super) twice: bool,
    /// Somebody stops the waiter's executions.
    pub(super) aborts: bool,
}

/// What CloudFormation can cancel, because something else in the stack has failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cancelled {
    /// By a Delete.
    Create,
    /// By the Update back.
    Update,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Target {
    /// Each invocation may be killed.
    Both,
    /// Every attempt of on_event is killed for one request.
    OnEvent,
    /// The waiter's function is killed for one request until the execution fails.
    IsComplete,
}

/// When an invocation is ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Moment {
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
