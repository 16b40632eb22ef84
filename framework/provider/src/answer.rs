//! The answer: stored, delivered, forgotten.
//!
//! # Flow
//! Encode, write `Answering`, PUT, tell the resource type, write `Answered`. Whoever comes to an answer that stands
//! does all of it again from the PUT on, so nothing of it is left out for good. What cannot be done now is left to a
//! waiter, and then the record says that the PUT is done.
//!
//! # Guarantees
//! Once `Answering` is written the answer never changes: whoever comes later only delivers it. When the store
//! cannot be used, and nobody will try again in time, the answer is delivered all the same.

use crate::flow_error::FlowError;
use crate::ports::{Answered, SendError, Version};
use crate::provider::until;
use crate::record::{Journal, Record, SaveError, Stage};
use crate::turn::{LONGEST_OUTAGE, Made, Next, Place, Tracked, Turn, Understood, later};
use crate::verdict::Verdict;
use formwork_protocol::{Response, ResponseBody, ResponseUrl, Status};
use futures_util::FutureExt;
use jiff::Timestamp;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(16);
/// Lost races in a row before a record is left to the others.
const RACES: u32 = 10;
/// How long what is left to do after an answer waits for another attempt.
const LATER: Duration = Duration::from_secs(5);

impl Turn<'_> {
    pub(crate) async fn refuse(&self, reason: &str) -> Result<Next, FlowError> {
        let body = self.encode(self.failed(reason, None, Made::Nothing))?;
        self.deliver(&self.envelope.response_url, &body).await?;
        self.tell(body.status(), None);
        Ok(Next::Answered)
    }

    /// Answers a request that is not answered yet.
    pub(crate) async fn answer(
        &self,
        verdict: Verdict,
        tracked: Tracked,
        understood: Option<&Understood>,
    ) -> Result<Next, FlowError> {
        let body = self.encode(verdict)?;
        let version = tracked.version().cloned();
        let Tracked { mut record, at } = tracked;
        record.stage = Stage::Answering {
            body: String::from_utf8_lossy(body.as_bytes()).into_owned(),
            delivered: false,
        };
        let at = if matches!(at, Place::Nowhere) {
            Place::Nowhere
        } else {
            match self.journal().save(&mut record, version.as_ref()).await {
                Ok(version) => Place::At(version),
                Err(SaveError::Conflict) => return self.leave_to_other().await,
                Err(SaveError::Failed(error)) if !self.answers_unrecorded(record.deadline) => {
                    return Err(error);
                }
                Err(SaveError::Failed(error)) => {
                    tracing::error!(%error, "the answer is delivered without being stored");
                    Place::Nowhere
                }
            }
        };
        self.finish(body, Tracked { record, at }, understood).await
    }

    /// Delivers an answer that stands, and closes the record.
    pub(crate) async fn deliver_stored(&self, tracked: Tracked) -> Result<Next, FlowError> {
        let Stage::Answering { body, .. } = &tracked.record.stage else {
            return Err(FlowError::Record("it is not at the stage it was".into()));
        };
        let body = ResponseBody::read(body.as_bytes().to_vec())
            .ok_or_else(|| FlowError::Record("its answer cannot be read".into()))?;
        let understood = self.understand().ok();
        self.finish(body, tracked, understood.as_ref()).await
    }

    /// Another invocation was first: what it wrote decides.
    pub(crate) async fn leave_to_other(&self) -> Result<Next, FlowError> {
        let Some((record, version)) = self.journal().load().await? else {
            return Err(FlowError::NoRecord);
        };
        match &record.stage {
            Stage::Answered { .. } => Ok(Next::Answered),
            Stage::Answering { .. } => {
                self.deliver_stored(Tracked {
                    record,
                    at: Place::At(version),
                })
                .await
            }
            Stage::Started { .. } | Stage::Polling { .. } => {
                self.see_to_waiter(&record).await?;
                Ok(Next::Wait {
                    after: Duration::from_secs(1),
                    deadline: record.deadline,
                })
            }
        }
    }

    async fn finish(
        &self,
        body: ResponseBody,
        mut tracked: Tracked,
        understood: Option<&Understood>,
    ) -> Result<Next, FlowError> {
        let (status, id) = (body.status(), body.physical_resource_id());
        if !matches!(tracked.record.stage, Stage::Answering { delivered: true, .. }) {
            self.deliver(&self.envelope.response_url, &body).await?;
            self.tell(status, Some(self.elapsed(tracked.record.deadline)));
        }
        match self.forget(&tracked, understood, status, id).await {
            Ok(()) => Ok(Next::Answered),
            Err(error) => self.forget_later(&mut tracked, error).await,
        }
    }

    /// What is left to do once the answer is delivered.
    async fn forget(
        &self,
        tracked: &Tracked,
        understood: Option<&Understood>,
        status: Status,
        id: &str,
    ) -> Result<(), FlowError> {
        if let Some(understood) = understood {
            let closed = self
                .closed_by_resource(understood, id, status, tracked.record.deadline)
                .await;
            // Without a record nobody would know that only this is left to do.
            if matches!(tracked.at, Place::At(_)) {
                closed?;
            }
        }
        match &tracked.at {
            Place::At(version) => self.close(&tracked.record, version, status, id).await,
            // Nobody is to go on from what there is of a record, and nobody else will erase it.
            Place::Nowhere => {
                if let Err(error) = self.close_what_is_stored(status, id).await {
                    tracing::error!(%error, "the record is not closed");
                }
                Ok(())
            }
        }
    }

    /// Leaves it to the waiter: what is left to do can take longer than all of Lambda's attempts.
    async fn forget_later(&self, tracked: &mut Tracked, error: FlowError) -> Result<Next, FlowError> {
        let (Place::At(version), true) = (&tracked.at, self.now() < tracked.record.deadline) else {
            return Err(error);
        };
        tracing::warn!(%error, "the request is answered and will be closed later");
        if let Stage::Answering { delivered, .. } = &mut tracked.record.stage
            && !*delivered
        {
            *delivered = true;
            // Whoever comes back delivers the answer once more where this is not known.
            if let Err(SaveError::Failed(error)) =
                self.journal().save(&mut tracked.record, Some(version)).await
            {
                tracing::warn!(%error, "that the answer is delivered is not stored");
            }
        }
        match self.see_to_waiter(&tracked.record).await {
            Ok(()) => Ok(Next::Wait {
                after: LATER,
                deadline: tracked.record.deadline,
            }),
            Err(unstarted) => {
                tracing::warn!(error = %unstarted, "nobody comes back to close the request");
                Err(error)
            }
        }
    }

    /// Lets the resource type forget what it needed for the request.
    async fn closed_by_resource(
        &self,
        understood: &Understood,
        id: &str,
        status: Status,
        deadline: Timestamp,
    ) -> Result<(), FlowError> {
        let cx = self.context(Some(id.to_owned()), deadline.max(self.times.hand_back));
        let succeeded = status == Status::Success;
        let told = understood.resource.answered(&understood.head, id, succeeded, &cx);
        let clock = &self.provider.ports.clock;
        tokio::select! {
            biased;
            told = AssertUnwindSafe(told).catch_unwind() => match told {
                Ok(told) => told.map_err(|failure| FlowError::Unclosed(failure.reason)),
                Err(_) => {
                    tracing::error!("the handler panicked after the answer");
                    Ok(())
                }
            },
            () = clock.sleep(until(self.now(), self.times.cut_off.max(self.half_way()))) => {
                Err(FlowError::Unclosed("the handler was cut off".into()))
            }
        }
    }

    fn tell(&self, status: Status, took: Option<Duration>) {
        let seconds = took.map(|took| took.as_secs_f64());
        tracing::info!(?status, seconds, "the request is answered");
        if let Some(observer) = &self.provider.observer {
            observer.answered(&Answered {
                resource_type: self
                    .envelope
                    .resource_type
                    .as_deref()
                    .filter(|name| self.provider.resources.contains_key(*name)),
                request_type: self.request_type(),
                status,
                took,
            });
        }
    }

    /// Erases event and answer. Should it fail the answer is sent once more at worst, never another one.
    async fn close(
        &self,
        record: &Record,
        version: &Version,
        status: Status,
        id: &str,
    ) -> Result<(), FlowError> {
        let mut record = record.clone();
        record.close(status, id);
        match self.journal().save(&mut record, Some(version)).await {
            Ok(_) => Ok(()),
            // Another invocation delivered the same answer at the same time, and may have left the rest to us.
            Err(SaveError::Conflict) => self.close_what_is_stored(status, id).await,
            Err(SaveError::Failed(error)) => Err(error),
        }
    }

    async fn close_what_is_stored(&self, status: Status, id: &str) -> Result<(), FlowError> {
        let journal = Journal {
            patience: self.times.end.min(later(self.now(), LONGEST_OUTAGE)),
            ..self.journal()
        };
        for _ in 0..RACES {
            let (mut record, version) = match journal.load().await? {
                Some((record, _)) if matches!(record.stage, Stage::Answered { .. }) => return Ok(()),
                Some(found) => found,
                None => return Ok(()),
            };
            record.close(status, id);
            match journal.save(&mut record, Some(&version)).await {
                Ok(_) => return Ok(()),
                Err(SaveError::Conflict) => {}
                Err(SaveError::Failed(error)) => return Err(error),
            }
        }
        Err(FlowError::Busy)
    }

    fn encode(&self, verdict: Verdict) -> Result<ResponseBody, FlowError> {
        let fallback = self.id_of_failure(None, Made::Perhaps);
        let response = match verdict {
            Verdict::Success {
                physical_resource_id,
                data,
                no_echo,
            } => Response::success(&self.envelope, physical_resource_id)
                .with_data(data)
                .with_no_echo(no_echo),
            Verdict::Failed {
                physical_resource_id,
                reason,
                no_echo,
            } => Response::failed(&self.envelope, physical_resource_id, reason).with_no_echo(no_echo),
        };
        let response = match &self.log_stream {
            Some(stream) => response.with_reason_end(format!("(log stream: {stream})")),
            None => response,
        };
        Ok(response.with_fallback_id(fallback).encode()?)
    }

    /// PUTs with full jitter between the attempts, until the invocation's end is near.
    async fn deliver(&self, url: &ResponseUrl, body: &ResponseBody) -> Result<(), FlowError> {
        let ports = &self.provider.ports;
        let mut longest = FIRST_PAUSE;
        loop {
            let left = until(self.now(), self.times.end);
            let error = tokio::select! {
                biased;
                sent = ports.sender.put(url, body) => match sent {
                    Ok(()) => return Ok(()),
                    Err(error) => error,
                },
                () = ports.clock.sleep(left) => SendError::Network("no answer in time".into()),
            };
            let pause = longest.mul_f64(fastrand::f64());
            if !is_transient(&error) || pause >= until(self.now(), self.times.end) {
                tracing::error!(%error, "the answer was not delivered");
                return Err(error.into());
            }
            tracing::warn!(%error, "the answer is sent again");
            ports.clock.sleep(pause).await;
            longest = (longest * 2).min(LONGEST_PAUSE);
        }
    }
}

fn is_transient(error: &SendError) -> bool {
    match error {
        SendError::Refused(_) => false,
        SendError::Status(status) => matches!(status, 408 | 429 | 500..),
        SendError::Network(_) => true,
    }
}
