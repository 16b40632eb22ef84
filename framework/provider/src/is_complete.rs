//! The second function: goes on with what is pending, and answers for what was given up.

use crate::flow_error::FlowError;
use crate::operate::{Flow, TIMED_OUT};
use crate::provider::{Invocation, Provider, until};
use crate::record::{Journal, Record, SaveError, Stage};
use crate::turn::{Made, Next, Place, Times, Tracked, Turn};
use crate::wait_event::WaitEvent;
use std::time::Duration;
use tracing::Instrument;

pub(crate) async fn run(
    provider: &Provider,
    event: WaitEvent,
    invocation: &Invocation,
) -> Result<Next, FlowError> {
    match event {
        WaitEvent::Poll { instance, request } => {
            match open(provider, &instance, &request, invocation, Flow::IsComplete).await? {
                Some((turn, tracked)) => turn.go_on(tracked).instrument(turn.span()).await,
                None => Ok(Next::Answered),
            }
        }
        WaitEvent::GivenUp {
            instance,
            request,
            reason,
            ended,
        } => match open(provider, &instance, &request, invocation, Flow::GivenUp).await? {
            Some((turn, tracked)) => {
                let turn = Turn { ended, ..turn };
                turn.give_up(tracked, &reason).instrument(turn.span()).await
            }
            None => Ok(Next::Answered),
        },
        WaitEvent::NotBegun { event, reason } => {
            let turn = Turn::new(provider, event, invocation, Flow::LastResort)?;
            turn.answer_for(&reason).instrument(turn.span()).await
        }
    }
}

/// Loads a request that is not answered yet.
async fn open<'a>(
    provider: &'a Provider,
    instance: &str,
    request: &str,
    invocation: &Invocation,
    flow: Flow,
) -> Result<Option<(Turn<'a>, Tracked)>, FlowError> {
    let clock = &provider.ports.clock;
    let now = clock.now();
    let times = Times::of(now, invocation.deadline, provider.margin);
    let journal = Journal {
        store: &provider.ports.store,
        clock,
        instance,
        request,
        patience: times.patience(now),
    };
    let (record, version) = journal.load().await?.ok_or(FlowError::NoRecord)?;
    if matches!(record.stage, Stage::Answered { .. }) {
        return Ok(None);
    }
    let event = record
        .event
        .clone()
        .ok_or_else(|| FlowError::Record("it holds no event".into()))?;
    let turn = Turn::new(provider, event, invocation, flow)?;
    if turn.key != request || turn.instance != instance {
        return Err(FlowError::Record("it belongs to another request".into()));
    }
    Ok(Some((
        turn,
        Tracked {
            record,
            at: Place::At(version),
        },
    )))
}

impl Turn<'_> {
    async fn go_on(&self, tracked: Tracked) -> Result<Next, FlowError> {
        let deadline = tracked.record.deadline;
        let late = self.now() >= deadline;
        match &tracked.record.stage {
            Stage::Answered { .. } => Ok(Next::Answered),
            Stage::Answering { .. } => self.deliver_stored(tracked).await,
            Stage::Started { lease_until, .. } if *lease_until > self.now() && !late => Ok(Next::Wait {
                after: until(self.now(), *lease_until),
                deadline,
            }),
            Stage::Started { .. } => self.take_over(self.understand(), tracked, Flow::IsComplete).await,
            Stage::Polling { .. } => match self.understand() {
                Ok(understood) if late => self.time_out(&understood, tracked).await,
                Ok(understood) => self.poll(&understood, tracked).await,
                Err(reason) => {
                    let verdict = self.failed(reason, tracked.known_id(), Made::Perhaps);
                    self.answer(verdict, tracked, None).await
                }
            },
        }
    }

    /// Answers FAILED for a request whose waiter is gone, or goes.
    async fn give_up(&self, tracked: Tracked, reason: &str) -> Result<Next, FlowError> {
        let deadline = tracked.record.deadline;
        match &tracked.record.stage {
            Stage::Answered { .. } => Ok(Next::Answered),
            Stage::Answering { .. } => self.deliver_stored(tracked).await,
            // The invocation at work answers itself, or is tried again when it is cut off. But nobody comes back
            // for it: what it holds can outlast every attempt at telling of a waiter that has ended.
            Stage::Started { lease_until, .. } if *lease_until > self.now() && self.now() < deadline => {
                self.see_to_waiter(&tracked.record).await?;
                Ok(Next::Wait {
                    after: until(self.now(), *lease_until),
                    deadline,
                })
            }
            Stage::Started { .. } | Stage::Polling { .. } => {
                let understood = self.understand().ok();
                let reason = if self.now() >= deadline { TIMED_OUT } else { reason };
                let verdict = self.failed(reason, tracked.known_id(), Made::Perhaps);
                self.answer(verdict, tracked, understood.as_ref()).await
            }
        }
    }

    /// Answers for an on_event that Lambda has given up.
    async fn answer_for(&self, reason: &str) -> Result<Next, FlowError> {
        let found = match self.journal().load().await {
            Err(error) if self.answers_unrecorded(self.due()) => return self.answer_unrecorded(&error).await,
            found => found?,
        };
        if let Some((record, version)) = found {
            let deadline = record.deadline;
            let tracked = Tracked {
                record,
                at: Place::At(version),
            };
            // What gave up may have been a second delivery, and an invocation that was killed leaves a lease:
            // the waiter goes on with the first, and waits for the second to end.
            let goes_on = match &tracked.record.stage {
                Stage::Polling { .. } => true,
                Stage::Started { lease_until, .. } => *lease_until > self.now(),
                Stage::Answering { .. } | Stage::Answered { .. } => false,
            };
            if goes_on && self.now() < deadline {
                match self.start_waiter(&tracked.record).await {
                    Ok(()) => {
                        return Ok(Next::Wait {
                            after: Duration::from_secs(1),
                            deadline,
                        });
                    }
                    Err(error) => {
                        tracing::error!(%error, "nobody goes on with the request")
                    }
                }
            }
            return self.give_up(tracked, reason).await;
        }
        let stage = Stage::Started {
            lease_until: self.now(),
            physical_resource_id: None,
        };
        let mut record = Record::started(self.event.clone(), self.due(), stage);
        match self.journal().save(&mut record, None).await {
            Ok(version) => {
                let derived = self
                    .understand()
                    .ok()
                    .and_then(|understood| understood.derived_id);
                let verdict = self.failed(reason, derived, Made::Nothing);
                self.answer(
                    verdict,
                    Tracked {
                        record,
                        at: Place::At(version),
                    },
                    None,
                )
                .await
            }
            Err(SaveError::Conflict) => self.leave_to_other().await,
            Err(SaveError::Failed(error)) if self.answers_unrecorded(record.deadline) => {
                self.answer_unrecorded(&error).await
            }
            Err(SaveError::Failed(error)) => Err(error),
        }
    }

    /// Answers FAILED where nothing can be read or written: nobody comes after this, and a stack waits.
    async fn answer_unrecorded(&self, error: &FlowError) -> Result<Next, FlowError> {
        tracing::error!(%error, "the answer is delivered without being stored");
        let derived = self
            .understand()
            .ok()
            .and_then(|understood| understood.derived_id);
        let verdict = self.failed(error.to_string(), derived, Made::Perhaps);
        let stage = Stage::Started {
            lease_until: self.now(),
            physical_resource_id: None,
        };
        let record = Record::started(self.event.clone(), self.due(), stage);
        let at = Place::Nowhere;
        self.answer(verdict, Tracked { record, at }, None).await
    }
}
