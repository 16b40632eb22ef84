//! The stepper: decides everything, does nothing.
//!
//! # Flow
//! ```text
//!            +-> Read --decide--> Call --> Confirm --> Done      (resources of the blueprint)
//!  Pending --+-> Call ------------^
//!            +-> Call --> Done                                  (what is to be deleted)
//!                  \-> Verify (what a failed creation left) --> Pending | Failed
//! ```
//! [`step`] takes in what was observed, moves every lane as far as it goes, and names every call the
//! deployment wants now. It names a call again and again until its answer is observed; the driver starts
//! each of them once. So a document read back after a crash asks for exactly what was in flight.
//!
//! # Guarantees
//! - INVARIANT (write ahead): a mutating command carries the client token of an operation in the document.
//! - INVARIANT (kept in sight): an operation stays in the document until its end is known, across failures,
//!   deadlines and generations.
//! - A step without observations at the same time changes nothing more; a step after the end is a no-op.
//! - The first failure stops new work, and everything running is waited for.
//!
//! # Assumptions
//! Time does not go back by more than a moment, and a client token is honoured for as long as the answer to
//! it is looked for.

mod begin;
mod command;
mod failed;
mod finish;
mod intend;
mod leftovers;
mod observe;
mod poll;
mod reads;
#[cfg(test)]
mod tests;

use crate::classify::{Class, Retry, after};
use crate::deployment::{Deployment, InFlight, Phase, Resource, Stage, StoredGoal, Work, name_of};
use crate::durations::Paths;
use crate::model::Model;
use crate::observer::{Event, EventKind};
use crate::outcome::{Action, Failure, Status};
use crate::ports::{Call, Mutation, Operation};
use jiff::{SignedDuration, Timestamp};
use std::cmp::Reverse;

pub(crate) use self::command::{Answer, Command, Listing, Observation};
use self::poll::Looks;
pub(crate) use self::poll::Polling;

/// How long after the deadline the cancelled operations are waited for.
const GRACE: SignedDuration = SignedDuration::from_secs(10);

/// The identifier of nothing: whether a deletion was begun is asked under its client token with another call,
/// so that it is not begun now.
const NOTHING: &str = "formwork-asks-about-an-earlier-call";

/// What the stepper cannot know from the document alone.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The checked target; `None` for a destroy.
    pub(crate) model: Option<&'a Model>,
    /// How many lanes may be worked on at once.
    pub(crate) max_concurrency: usize,
    /// The way ahead of each lane: the longest goes first.
    pub(crate) paths: &'a Paths,
    /// The time in which one call may be made to look at operations.
    pub(crate) pace: SignedDuration,
}

/// What comes of a step.
pub(crate) struct Step {
    pub(crate) deployment: Deployment,
    /// Every call wanted now, running ones included, the most urgent first.
    pub(crate) commands: Vec<Command>,
    pub(crate) next: Next,
    pub(crate) events: Vec<Event>,
}

/// When to step again, if no observation comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Never: the generation is done.
    Done,
    /// At this time.
    At(Timestamp),
    /// Only an observation can change anything.
    Observation,
}

/// Decides.
pub(crate) fn step(
    context: Context<'_>,
    deployment: Deployment,
    observations: Vec<Observation>,
    now: Timestamp,
) -> Step {
    let mut tick = Tick {
        context,
        deployment,
        now,
        events: Vec::new(),
    };
    if tick.deployment.phase != Phase::Running {
        return Step {
            deployment: tick.deployment,
            commands: Vec::new(),
            next: Next::Done,
            events: tick.events,
        };
    }
    for observation in observations {
        tick.observe(observation);
    }
    tick.enforce_deadline();
    tick.begin_work();
    tick.finish();
    let (commands, next) = tick.wanted();
    Step {
        deployment: tick.deployment,
        commands,
        next,
        events: tick.events,
    }
}

/// One step while it is made.
struct Tick<'a> {
    context: Context<'a>,
    deployment: Deployment,
    now: Timestamp,
    events: Vec<Event>,
}

impl Tick<'_> {
    fn is_destroy(&self) -> bool {
        matches!(self.deployment.goal, StoredGoal::Destroy { .. })
    }

    fn is_late(&self) -> bool {
        self.now >= self.deployment.deadline
    }

    /// True if nothing new may begin. A failed deletion does not keep a destroy from deleting the rest.
    fn is_stopping(&self) -> bool {
        self.is_late()
            || (!self.is_destroy() && self.deployment.failures.iter().any(|failure| !failure.leftover))
    }

    /// Every call wanted now, and when the next one will be.
    fn wanted(&self) -> (Vec<Command>, Next) {
        if self.deployment.phase != Phase::Running {
            return (Vec::new(), Next::Done);
        }
        let mut commands = Vec::new();
        let mut glances = Vec::new();
        let mut looks = Looks::default();
        let mut next = if self.is_late() {
            after(self.deployment.deadline, GRACE)
        } else {
            self.deployment.deadline
        };
        let mut glimpses = if self.is_stopping() {
            0
        } else {
            self.context.max_concurrency
        };
        let open = |(_, resource): &(&str, &Resource)| !resource.work.stage.is_over();
        for (lane, resource) in self.deployment.lanes().filter(open) {
            if glimpses > 0 && self.may_glance(lane, resource) {
                glimpses -= 1;
                glances.extend(self.reading(lane, resource, resource.identifier.as_ref()));
                continue;
            }
            let due = match &resource.operation {
                Some(operation) => operation.next,
                None => resource.work.not_before,
            };
            let awaited = self.awaited(resource);
            if awaited.is_some() {
                looks.count();
            }
            match (due.filter(|due| *due > self.now), awaited) {
                (Some(due), _) => next = next.min(due),
                (None, Some((token, since))) => looks.add(lane, token, due.unwrap_or(since)),
                (None, None) => commands.extend(
                    self.command(lane, resource)
                        .map(|command| (self.way_ahead(lane, resource), command)),
                ),
            }
        }
        commands.sort_by_key(|(way, _)| Reverse(*way));
        let mut commands: Vec<Command> = commands.into_iter().map(|(_, command)| command).collect();
        let (looks, waiting) = self.looks(looks, &mut next);
        // Looks come last, but not never: what has ended may be what everything else waits for.
        let place = if waiting { 0 } else { commands.len() };
        commands.splice(place..place, looks);
        commands.append(&mut glances);
        let next = if next > self.now {
            Next::At(next)
        } else {
            Next::Observation
        };
        (commands, next)
    }

    /// What still has to happen once the call of a lane is made.
    fn way_ahead(&self, lane: &str, resource: &Resource) -> u64 {
        let has_begun = resource
            .operation
            .as_ref()
            .map_or(resource.work.stage == Stage::Confirm, |operation| {
                operation.request_token.is_some()
            });
        if has_begun {
            self.context.paths.after(lane)
        } else {
            self.context.paths.from(lane)
        }
    }

    /// The request token and begin of an operation of which nothing is wanted but its end, if it is looked at
    /// together with others.
    fn awaited<'d>(&self, resource: &'d Resource) -> Option<(&'d str, Timestamp)> {
        let operation = resource.operation.as_ref()?;
        let is_cancelled = self.is_late() && !operation.cancelled && operation.operation != Operation::Delete;
        let token = operation.request_token.as_deref()?;
        (!is_cancelled && !operation.unlisted).then_some((token, operation.started))
    }

    fn command(&self, lane: &str, resource: &Resource) -> Option<Command> {
        let lane = lane.to_owned();
        if let Some(operation) = &resource.operation {
            return Some(match &operation.request_token {
                None => Command::Mutate {
                    lane,
                    mutation: self.mutation(resource, operation)?,
                    turn: operation.turn,
                },
                Some(token)
                    if self.is_late() && !operation.cancelled && operation.operation != Operation::Delete =>
                {
                    Command::Cancel {
                        lane,
                        request_token: token.clone(),
                    }
                }
                Some(token) => Command::Poll {
                    lane,
                    request_token: token.clone(),
                },
            });
        }
        let identifier = match resource.work.stage {
            Stage::Read | Stage::Confirm => resource.identifier.as_ref(),
            Stage::Verify => resource.work.candidate.as_ref(),
            _ => None,
        };
        self.reading(&lane, resource, identifier)
    }

    fn reading(&self, lane: &str, resource: &Resource, identifier: Option<&String>) -> Option<Command> {
        Some(Command::Read {
            lane: lane.to_owned(),
            type_name: resource.type_name.clone(),
            identifier: identifier?.clone(),
            role_arn: self.deployment.role_arn.clone(),
        })
    }

    /// What has to be read anyway is read while it waits for others.
    fn may_glance(&self, lane: &str, resource: &Resource) -> bool {
        resource.may_be_glanced_at() && self.can_read(lane)
    }

    fn mutation(&self, resource: &Resource, operation: &InFlight) -> Option<Mutation> {
        let call = match operation.operation {
            Operation::Create => Call::Create {
                desired_state: operation.payload.clone()?,
            },
            Operation::Update => Call::Update {
                identifier: operation.identifier.clone()?,
                patch_document: operation.payload.clone()?,
            },
            Operation::Delete if operation.blurred => Call::Delete {
                identifier: NOTHING.to_owned(),
            },
            Operation::Delete => Call::Delete {
                identifier: operation.identifier.clone()?,
            },
        };
        Some(Mutation {
            type_name: resource.type_name.clone(),
            client_token: operation.client_token.clone(),
            role_arn: self.deployment.role_arn.clone(),
            call,
        })
    }

    fn work_mut(&mut self, lane: &str) -> Option<&mut Work> {
        self.deployment.lane_mut(lane).map(|resource| &mut resource.work)
    }

    fn set_stage(&mut self, lane: &str, stage: Stage) {
        if let Some(work) = self.work_mut(lane) {
            work.stage = stage;
            work.not_before = None;
            work.since = None;
            work.misses = 0;
        }
        self.deployment.touch();
    }

    fn set_action(&mut self, lane: &str, action: Action) {
        if let Some(work) = self.work_mut(lane) {
            work.action = action;
        }
    }

    /// Ends the work on a lane.
    fn end(&mut self, lane: &str, stage: Stage) {
        self.set_stage(lane, stage);
        let status = match stage {
            Stage::Done => Status::Done,
            Stage::Skipped => Status::Skipped,
            _ => Status::Failed,
        };
        let message = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.work.failure.as_ref())
            .map(ToString::to_string);
        let message = if status == Status::Failed { message } else { None };
        self.tell(lane, EventKind::Finished(status), message);
    }

    /// Ends the work on a lane with a failure.
    fn fail(&mut self, lane: &str, mut failure: Failure) {
        if let Some(work) = self.work_mut(lane)
            && let Some(unseen) = work.unseen.take()
        {
            let intended = work.intended.take();
            self.keep(lane, unseen, intended);
        }
        failure.leftover = self.is_leftover(lane);
        let failure = match self.context.model {
            Some(model) => model.place(failure),
            None => failure,
        };
        if let Some(work) = self.work_mut(lane) {
            work.failure = Some(failure.clone());
        }
        self.deployment.failures.push(failure);
        self.end(lane, Stage::Failed);
    }

    /// True for what a deployment deletes after everything else has succeeded.
    fn is_leftover(&self, lane: &str) -> bool {
        !self.is_destroy()
            && self
                .deployment
                .lane(lane)
                .is_some_and(|resource| resource.work.action == Action::Delete)
    }

    /// A failure of this lane, secrets masked.
    fn failure(&self, lane: &str, operation: &str, code: &str, message: &str) -> Failure {
        let type_name = self
            .deployment
            .lane(lane)
            .map(|resource| resource.type_name.clone())
            .unwrap_or_default();
        Failure {
            resource: Some(name_of(lane).to_owned()),
            type_name,
            operation: operation.to_owned(),
            code: crate::classify::short(code).to_owned(),
            message: self.masked(lane, message),
            property: crate::classify::blamed_property(message).or_else(|| {
                let desired = self.desired(lane).ok()?;
                crate::classify::mentioned_property(&desired.value, message)
            }),
            location: None,
            leftover: false,
        }
    }

    /// A text of the service without the deployment's secrets and those computed for this resource.
    fn masked(&self, lane: &str, text: &str) -> String {
        let Some(model) = self.context.model else {
            return text.to_owned();
        };
        match self.desired(lane) {
            Ok(desired) => desired.mask.text(text),
            Err(_) => model.mask.text(text),
        }
    }

    /// Tells that an operation, taken out of its lane, has ended.
    fn tell_end(&mut self, lane: &str, operation: &InFlight, succeeded: bool) {
        let took = self.now.duration_since(operation.started);
        let kind = EventKind::Ended {
            operation: operation.operation,
            succeeded,
            took: took.try_into().unwrap_or_default(),
        };
        self.tell(lane, kind, None);
    }

    fn tell_retry(&mut self, lane: &str, class: Class, code: &str) {
        let throttled = class == Class::Retry(Retry::Throttled);
        let message = format!("{}, trying again", crate::classify::short(code));
        self.tell(lane, EventKind::Retried { throttled }, Some(message));
    }

    fn tell(&mut self, lane: &str, kind: EventKind, message: Option<String>) {
        let Some(resource) = self.deployment.lane(lane) else {
            return;
        };
        self.events.push(Event {
            kind,
            lane: lane.to_owned(),
            name: name_of(lane).to_owned(),
            type_name: resource.type_name.clone(),
            action: resource.work.action,
            identifier: resource
                .identifier
                .clone()
                .or_else(|| resource.operation.as_ref()?.identifier.clone()),
            message,
            attempt: resource.work.attempt,
        });
    }
}
