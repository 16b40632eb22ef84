//! The first function: CloudFormation's event, in any of its deliveries.
//!
//! # Flow
//! A request nobody has recorded is recorded with a lease and carried out. One that is recorded is taken up where
//! it stands: answered (nothing more), answer stored (deliver it), pending (make sure of the waiter), running
//! (leave it), cut off (resume it or answer FAILED).

use crate::flow_error::FlowError;
use crate::operate::{Flow, TIMED_OUT};
use crate::provider::until;
use crate::record::{Record, SaveError, Stage};
use crate::turn::{Made, Next, Place, Tracked, Turn, Understood};
use crate::verdict::Verdict;
use formwork_protocol::RequestType;
use serde_json::Map;

const OVERTAKEN: &str = "nothing was done: the resource was deleted by a later request";

impl Turn<'_> {
    pub(crate) async fn begin(&self) -> Result<Next, FlowError> {
        let understood = self.understand();
        let id = understood
            .as_ref()
            .ok()
            .and_then(|understood| understood.derived_id.clone());
        let stage = Stage::Started {
            lease_until: self.times.lease_until,
            physical_resource_id: id.clone(),
        };
        let mut record = Record::started(self.event.clone(), self.due(), stage);
        match self.journal().save(&mut record, None).await {
            Ok(version) => {
                self.start(
                    understood,
                    Tracked {
                        record,
                        at: Place::At(version),
                    },
                )
                .await
            }
            Err(SaveError::Conflict) => {
                let (record, version) = self.journal().load().await?.ok_or(FlowError::NoRecord)?;
                self.take_up(
                    understood,
                    Tracked {
                        record,
                        at: Place::At(version),
                    },
                )
                .await
            }
            Err(SaveError::Failed(error)) if !self.answers_unrecorded(record.deadline) => Err(error),
            Err(SaveError::Failed(error)) => {
                // Without a record nothing keeps a second delivery from a second effect, so nothing is begun.
                let verdict = self.failed(format!("nothing was done: {error}"), id, Made::Nothing);
                self.answer(
                    verdict,
                    Tracked {
                        record,
                        at: Place::Nowhere,
                    },
                    None,
                )
                .await
            }
        }
    }

    async fn start(
        &self,
        understood: Result<Understood, String>,
        tracked: Tracked,
    ) -> Result<Next, FlowError> {
        if self.deletes_nothing() {
            let physical_resource_id = self.id_of_success(None);
            let verdict = Verdict::Success {
                physical_resource_id,
                data: Map::new(),
                no_echo: false,
            };
            return self.answer(verdict, tracked, None).await;
        }
        match understood {
            Ok(understood) if self.has_been_overtaken(&understood).await? => {
                let verdict = self.failed(OVERTAKEN, understood.derived_id.clone(), Made::Nothing);
                self.answer(verdict, tracked, None).await
            }
            Ok(understood) => self.operate(&understood, tracked, Flow::OnEvent).await,
            Err(reason) => {
                self.answer(self.failed(reason, None, Made::Nothing), tracked, None)
                    .await
            }
        }
    }

    /// Whether the request comes after a Delete that was asked for later. A type that resumes finds out by itself,
    /// because it has to know what it began in an earlier delivery.
    async fn has_been_overtaken(&self, understood: &Understood) -> Result<bool, FlowError> {
        if understood.head.request_type == RequestType::Delete || understood.resource.resumes() {
            return Ok(false);
        }
        self.graveyard().has_overtaken().await
    }

    async fn take_up(
        &self,
        understood: Result<Understood, String>,
        tracked: Tracked,
    ) -> Result<Next, FlowError> {
        tracing::info!("the request is known already");
        let deadline = tracked.record.deadline;
        match &tracked.record.stage {
            Stage::Answered { .. } => Ok(Next::Answered),
            Stage::Answering { .. } => self.deliver_stored(tracked).await,
            Stage::Polling { .. } => {
                self.start_waiter(&tracked.record).await?;
                Ok(Next::Wait {
                    after: std::time::Duration::from_secs(1),
                    deadline,
                })
            }
            Stage::Started { lease_until, .. } if *lease_until > self.now() => {
                self.start_waiter(&tracked.record).await?;
                Ok(Next::Wait {
                    after: until(self.now(), *lease_until),
                    deadline,
                })
            }
            Stage::Started { .. } => self.take_over(understood, tracked, Flow::OnEvent).await,
        }
    }

    /// Goes on with an operation whose invocation is gone.
    pub(crate) async fn take_over(
        &self,
        understood: Result<Understood, String>,
        mut tracked: Tracked,
        flow: Flow,
    ) -> Result<Next, FlowError> {
        let known = tracked.known_id();
        if self.deletes_nothing() {
            return self.start(understood, tracked).await;
        }
        let understood = match understood {
            Ok(understood) => understood,
            Err(reason) => {
                return self
                    .answer(self.failed(reason, known, Made::Perhaps), tracked, None)
                    .await;
            }
        };
        if self.now() >= tracked.record.deadline || !understood.resource.resumes() {
            let late = self.now() >= tracked.record.deadline;
            let reason = if late {
                TIMED_OUT
            } else {
                "an earlier attempt was cut off"
            };
            return self
                .answer(
                    self.failed(reason, known, Made::Perhaps),
                    tracked,
                    Some(&understood),
                )
                .await;
        }
        if let Stage::Started { lease_until, .. } = &mut tracked.record.stage {
            *lease_until = self.times.lease_until;
        }
        let version = tracked.version().cloned();
        match self.journal().save(&mut tracked.record, version.as_ref()).await {
            Ok(version) => tracked.at = Place::At(version),
            Err(SaveError::Conflict) => return self.leave_to_other().await,
            Err(SaveError::Failed(error)) => return Err(error),
        }
        self.operate(&understood, tracked, flow).await
    }
}
