//! A call of user code under guard, and what follows from how it ended.

use crate::context::Context;
use crate::erased::Call;
use crate::flow_error::FlowError;
use crate::outcome::{Failure, Progress};
use crate::provider::until;
use crate::record::{SaveError, Stage};
use crate::turn::{Made, Next, Place, Tracked, Turn, Understood, later};
use crate::verdict::SoFar;
use formwork_protocol::RequestType;
use futures_util::FutureExt;
use jiff::Timestamp;
use serde_json::Value;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// Which of the two flows is running.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Flow {
    /// Whoever leaves a request pending here has to start a waiter.
    OnEvent,
    /// The waiter is the caller.
    IsComplete,
    /// The waiter is gone or could not get on.
    GivenUp,
    /// Lambda has given up on on_event.
    LastResort,
}

/// How long an outage is given before the operation is called again: longer than a call that nobody waits for any
/// more may be under way.
const PASSING: Duration = Duration::from_secs(5);

pub(crate) const TIMED_OUT: &str = "operation timed out";

/// How a guarded call ended.
enum Ended<T> {
    Finished(T),
    Panicked,
    OutOfTime,
}

impl Turn<'_> {
    /// Calls the operation of a request whose lease is ours.
    pub(crate) async fn operate(
        &self,
        understood: &Understood,
        mut tracked: Tracked,
        flow: Flow,
    ) -> Result<Next, FlowError> {
        if understood.head.request_type == RequestType::Delete {
            self.graveyard().bury().await?;
        }
        let known = match &tracked.record.stage {
            Stage::Started {
                physical_resource_id, ..
            } => physical_resource_id.clone(),
            _ => None,
        };
        let cx = self.context(
            known.or_else(|| understood.derived_id.clone()),
            tracked.record.deadline,
        );
        let call = understood.resource.begin(Call {
            head: &understood.head,
            request: &understood.request,
            cx: &cx,
        });
        let cut_off = self.times.cut_off.min(tracked.record.deadline);
        let ended = self.guard(call, &cx, &mut tracked, cut_off).await;
        self.conclude(understood, tracked, ended, cx.known_id(), flow)
            .await
    }

    /// Polls a pending operation.
    pub(crate) async fn poll(
        &self,
        understood: &Understood,
        mut tracked: Tracked,
    ) -> Result<Next, FlowError> {
        let (cx, state) = self.pending(&tracked)?;
        let call = understood.resource.poll(
            Call {
                head: &understood.head,
                request: &understood.request,
                cx: &cx,
            },
            state,
        );
        let cut_off = self.times.cut_off.min(tracked.record.deadline);
        let ended = self.guard(call, &cx, &mut tracked, cut_off).await;
        self.conclude(understood, tracked, ended, cx.known_id(), Flow::IsComplete)
            .await
    }

    /// Gives a pending operation its last word and answers FAILED.
    pub(crate) async fn time_out(
        &self,
        understood: &Understood,
        mut tracked: Tracked,
    ) -> Result<Next, FlowError> {
        let (cx, state) = self.pending(&tracked)?;
        let call = understood.resource.timed_out(
            Call {
                head: &understood.head,
                request: &understood.request,
                cx: &cx,
            },
            state,
        );
        let failure = match self.guard(call, &cx, &mut tracked, self.times.cut_off).await {
            Ended::Finished(failure) => failure,
            Ended::Panicked | Ended::OutOfTime => Failure::new(TIMED_OUT),
        };
        let so_far = tracked.so_far(cx.known_id());
        self.answer(self.failure(failure, so_far), tracked, Some(understood))
            .await
    }

    /// What a pending operation goes on with.
    fn pending(&self, tracked: &Tracked) -> Result<(Context, Value), FlowError> {
        match &tracked.record.stage {
            Stage::Polling {
                physical_resource_id,
                state,
                ..
            } => Ok((
                self.context(physical_resource_id.clone(), tracked.record.deadline),
                state.clone(),
            )),
            _ => Err(FlowError::Record("it is not at the stage it was".into())),
        }
    }

    pub(crate) fn context(&self, id: Option<String>, deadline: Timestamp) -> Context {
        let clock = Arc::clone(&self.provider.ports.clock);
        Context::new(
            clock,
            deadline,
            self.times.hand_back.min(deadline),
            id,
            self.graveyard(),
        )
    }

    /// Lets user code run until it ends, panics or runs out of time, and stores the id as soon as it is told.
    async fn guard<T>(
        &self,
        call: impl Future<Output = T>,
        cx: &Context,
        tracked: &mut Tracked,
        cut_off: Timestamp,
    ) -> Ended<T> {
        let mut ids = cx.watch_id();
        let mut call = pin!(AssertUnwindSafe(call).catch_unwind());
        let mut alarm = pin!(self.provider.ports.clock.sleep(until(self.now(), cut_off)));
        loop {
            tokio::select! {
                biased;
                ended = &mut call => return ended.map_or(Ended::Panicked, Ended::Finished),
                Ok(()) = ids.changed() => tokio::select! {
                    biased;
                    () = self.keep_id(cx, tracked) => {}
                    () = &mut alarm => return Ended::OutOfTime,
                },
                () = &mut alarm => return Ended::OutOfTime,
            }
        }
    }

    async fn keep_id(&self, cx: &Context, tracked: &mut Tracked) {
        let Some(version) = tracked.version().cloned() else {
            return;
        };
        match &mut tracked.record.stage {
            Stage::Started {
                physical_resource_id, ..
            }
            | Stage::Polling {
                physical_resource_id, ..
            } => {
                *physical_resource_id = cx.known_id();
            }
            Stage::Answering { .. } | Stage::Answered { .. } => return,
        }
        match self.journal().save(&mut tracked.record, Some(&version)).await {
            Ok(version) => tracked.at = Place::At(version),
            // The write at the end meets the same problem and deals with it.
            Err(SaveError::Conflict) => {
                tracing::warn!("another invocation works on the request")
            }
            Err(SaveError::Failed(error)) => {
                tracing::warn!(%error, "the id is not stored yet")
            }
        }
    }

    async fn conclude(
        &self,
        understood: &Understood,
        tracked: Tracked,
        ended: Ended<Result<Progress<Value>, Failure>>,
        known: Option<String>,
        flow: Flow,
    ) -> Result<Next, FlowError> {
        let so_far = tracked.so_far(known);
        let verdict = match ended {
            Ended::Finished(Ok(Progress::Done(outcome))) => self.success(so_far.and(outcome)),
            Ended::Finished(Ok(Progress::Pending {
                outcome,
                state,
                after,
            })) => {
                let so_far = so_far.and(outcome);
                if let Err(reason) = self.check_pending(&so_far) {
                    self.failure(Failure::new(reason), so_far)
                } else {
                    return self
                        .leave_pending(understood, tracked, so_far, state, after, flow)
                        .await;
                }
            }
            Ended::Finished(Err(failure))
                if failure.is_passing
                    && self.now() < tracked.record.deadline
                    && self.can_go_on(understood, &tracked) =>
            {
                tracing::warn!(%failure, "the operation is called again");
                return self.release(understood, tracked, flow, PASSING).await;
            }
            Ended::Finished(Err(failure)) => self.failure(failure, so_far),
            Ended::Panicked => {
                tracing::error!("the handler panicked");
                self.cut_short("the handler panicked; its log tells where", so_far)
            }
            Ended::OutOfTime if self.now() >= tracked.record.deadline => {
                if matches!(tracked.record.stage, Stage::Polling { .. }) {
                    return self.time_out(understood, tracked).await;
                }
                self.cut_short(TIMED_OUT, so_far)
            }
            Ended::OutOfTime if self.can_go_on(understood, &tracked) => {
                return self.release(understood, tracked, flow, Duration::ZERO).await;
            }
            Ended::OutOfTime => self.cut_short(
                "the operation did not finish within the time limit of the function",
                so_far,
            ),
        };
        self.answer(verdict, tracked, Some(understood)).await
    }

    async fn leave_pending(
        &self,
        understood: &Understood,
        tracked: Tracked,
        so_far: SoFar,
        state: Value,
        after: Duration,
        flow: Flow,
    ) -> Result<Next, FlowError> {
        let id = self.id_of_success(so_far.id);
        let stage = Stage::Polling {
            physical_resource_id: Some(id),
            data: so_far.data,
            no_echo: so_far.no_echo,
            state,
        };
        self.leave(understood, tracked, stage, after, flow).await
    }

    fn can_go_on(&self, understood: &Understood, tracked: &Tracked) -> bool {
        let may_repeat =
            matches!(tracked.record.stage, Stage::Polling { .. }) || understood.resource.resumes();
        may_repeat && self.provider.ports.waiter.is_some()
    }

    /// Gives up the lease, so that the next invocation goes on after a while.
    async fn release(
        &self,
        understood: &Understood,
        tracked: Tracked,
        flow: Flow,
        pause: Duration,
    ) -> Result<Next, FlowError> {
        let mut stage = tracked.record.stage.clone();
        if let Stage::Started { lease_until, .. } = &mut stage {
            *lease_until = later(self.now(), pause);
        }
        let after = pause.max(Duration::from_secs(1));
        self.leave(understood, tracked, stage, after, flow).await
    }

    async fn leave(
        &self,
        understood: &Understood,
        mut tracked: Tracked,
        stage: Stage,
        after: Duration,
        flow: Flow,
    ) -> Result<Next, FlowError> {
        let version = tracked.version().cloned();
        let so_far_before = std::mem::replace(&mut tracked.record.stage, stage);
        match self.journal().save(&mut tracked.record, version.as_ref()).await {
            Ok(version) => tracked.at = Place::At(version),
            Err(SaveError::Conflict) => return self.leave_to_other().await,
            Err(SaveError::Failed(error))
                if flow == Flow::OnEvent && self.answers_unrecorded(tracked.record.deadline) =>
            {
                let told = tracked.so_far(None).id;
                tracked.record.stage = so_far_before;
                let verdict = self.failed(
                    format!("the operation cannot be carried on: {error}"),
                    told,
                    Made::Perhaps,
                );
                return self.answer(verdict, tracked, Some(understood)).await;
            }
            // The stored record is as it was, so the next attempt or poll repeats this one.
            Err(SaveError::Failed(error)) => return Err(error),
        }
        if flow == Flow::OnEvent
            && let Err(error) = self.start_waiter(&tracked.record).await
        {
            if !self.answers_unrecorded(tracked.record.deadline) {
                return Err(error);
            }
            let told = tracked.so_far(None).id;
            let verdict = self.failed(error.to_string(), told, Made::Perhaps);
            return self.answer(verdict, tracked, Some(understood)).await;
        }
        Ok(Next::Wait {
            after,
            deadline: tracked.record.deadline,
        })
    }
}
