//! How a request ended, out of what its calls told.

use crate::outcome::{Failure, Outcome};
use crate::record::Stage;
use crate::turn::{Made, Tracked, Turn};
use formwork_protocol::{PhysicalResourceId, RequestType};
use serde_json::{Map, Value};

/// How a request ended, before it is put in CloudFormation's words.
pub(crate) enum Verdict {
    Success {
        physical_resource_id: String,
        data: Map<String, Value>,
        no_echo: bool,
    },
    Failed {
        physical_resource_id: String,
        reason: String,
        no_echo: bool,
    },
}

/// What earlier calls told.
#[derive(Default)]
pub(crate) struct SoFar {
    pub(crate) id: Option<String>,
    pub(crate) data: Map<String, Value>,
    pub(crate) no_echo: bool,
}

impl Turn<'_> {
    /// A verdict that the request failed.
    pub(crate) fn failed(&self, reason: impl Into<String>, told: Option<String>, made: Made) -> Verdict {
        Verdict::Failed {
            physical_resource_id: self.id_of_failure(told, made),
            reason: reason.into(),
            no_echo: false,
        }
    }

    pub(crate) fn success(&self, so_far: SoFar) -> Verdict {
        let id = self.id_of_success(so_far.id.clone());
        match self.check_delete(&id) {
            Ok(()) => Verdict::Success {
                physical_resource_id: id,
                data: so_far.data,
                no_echo: so_far.no_echo,
            },
            Err(reason) => self.failure(Failure::new(reason), so_far),
        }
    }

    pub(crate) fn failure(&self, failure: Failure, so_far: SoFar) -> Verdict {
        let told = failure
            .physical_resource_id
            .filter(|id| !id.is_empty())
            .or(so_far.id);
        let physical_resource_id = self.id_of_failure(told, Made::Nothing);
        Verdict::Failed {
            physical_resource_id,
            reason: failure.reason,
            no_echo: failure.no_echo || so_far.no_echo,
        }
    }

    pub(crate) fn cut_short(&self, reason: &str, so_far: SoFar) -> Verdict {
        let physical_resource_id = self.id_of_failure(so_far.id, Made::Perhaps);
        Verdict::Failed {
            physical_resource_id,
            reason: reason.to_owned(),
            no_echo: so_far.no_echo,
        }
    }

    pub(crate) fn check_delete(&self, id: &str) -> Result<(), String> {
        match self.envelope.physical_resource_id.as_deref() {
            Some(requested) if self.request_type() == Some(RequestType::Delete) && requested != id => {
                Err(format!(
                    "DELETE: cannot change the physical resource ID from \"{requested}\" to \"{id}\" during deletion"
                ))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_pending(&self, so_far: &SoFar) -> Result<(), String> {
        let id = self.id_of_success(so_far.id.clone());
        self.check_delete(&id)?;
        PhysicalResourceId::new(id).map_err(|problem| problem.to_string())?;
        if self.provider.ports.waiter.is_none() {
            return Err("the operation is pending, but there is no waiter to go on with it".to_owned());
        }
        Ok(())
    }
}

impl Tracked {
    /// What the record holds of earlier calls, under the id known meanwhile.
    pub(crate) fn so_far(&self, known: Option<String>) -> SoFar {
        match &self.record.stage {
            Stage::Polling {
                physical_resource_id,
                data,
                no_echo,
                ..
            } => SoFar {
                id: known.or_else(|| physical_resource_id.clone()),
                data: data.clone(),
                no_echo: *no_echo,
            },
            Stage::Started {
                physical_resource_id, ..
            } => SoFar {
                id: known.or_else(|| physical_resource_id.clone()),
                ..SoFar::default()
            },
            Stage::Answering { .. } | Stage::Answered { .. } => SoFar {
                id: known,
                ..SoFar::default()
            },
        }
    }

    /// The id to answer, if any was told.
    pub(crate) fn known_id(&self) -> Option<String> {
        self.so_far(None).id
    }
}

impl SoFar {
    /// Later values win, key by key; NoEcho stays once it was set.
    pub(crate) fn and(mut self, outcome: Outcome) -> Self {
        self.data.extend(outcome.data);
        SoFar {
            id: outcome
                .physical_resource_id
                .filter(|id| !id.is_empty())
                .or(self.id),
            data: self.data,
            no_echo: self.no_echo || outcome.no_echo,
        }
    }
}
