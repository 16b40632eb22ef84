//! The stored document: everything an engine needs to go on where another one stopped.
//!
//! # Guarantees
//! - An older reader can read what a newer writer of the same format wrote: unknown members are ignored,
//!   missing ones have defaults. A newer format is refused and left as it is.
//! - While a generation runs the document holds its inputs, which may be secret, so the store has to be
//!   encrypted. [`Deployment::erase`] takes them out; from then on nothing secret is in it.
//! - `Debug` shows no input and no property.

mod resource;
mod stored;
mod upkeep;

pub use resource::{InFlight, Resource, Stage, Work};
pub use stored::{StoredExport, StoredGoal, StoredResult, StoredTarget};
pub use upkeep::UpkeepError;

use crate::classify::is_refusal;
use crate::durations::Durations;
use crate::mask::{Mask, strip_pointers};
use crate::order::{Generation, Order, Target};
use crate::outcome::{Action, Failure, ResourceReport, Status};
use crate::step::Polling;
use crate::{EngineError, Goal};
use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format this version writes.
pub const FORMAT: &str = "formwork.state/1";

/// How many causes are remembered, so that a late duplicate finds the generation it already has.
const CAUSES: usize = 64;

/// One instance: its resources, and the order being carried out.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Deployment {
    /// [`FORMAT`]
    pub format: String,
    /// Counts the writes, so that no two documents of an instance are ever equal.
    pub serial: u64,
    /// The instance's name.
    pub instance: String,
    /// The order being, or last, carried out.
    pub generation: Generation,
    /// What caused it.
    pub cause: String,
    /// Earlier causes and their generations.
    #[serde(default)]
    pub causes: Vec<(String, Generation)>,
    /// Random hex, made with the instance.
    pub salt: String,
    /// How far the generation is.
    pub phase: Phase,
    /// When the latest order that tells was given: an older one that arrives later is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<Timestamp>,
    /// When its outcome has to be known.
    pub deadline: Timestamp,
    /// What to reach; its inputs are gone once settled.
    pub goal: StoredGoal,
    /// The role for the cloud to use, also for what a later order deletes.
    #[serde(default)]
    pub role_arn: Option<String>,
    /// How many resources are worked on at once, if an order has said so; also for a later destroy.
    #[serde(default)]
    pub max_concurrency: Option<usize>,
    /// Resources by name.
    #[serde(default)]
    pub resources: IndexMap<String, Resource>,
    /// Leftovers to delete: replaced or abandoned, by lane (`queue#3`).
    #[serde(default)]
    pub retired: IndexMap<String, Resource>,
    /// Numbers the lanes of `retired`.
    #[serde(default)]
    pub retirements: u64,
    /// What went wrong in this generation.
    #[serde(default)]
    pub failures: Vec<Failure>,
    /// How long operations have taken until now, by type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub durations: BTreeMap<String, Durations>,
    /// Set when the generation is done.
    #[serde(default)]
    pub result: Option<StoredResult>,
    /// Counts the changes worth a write since the document was read or made.
    #[serde(skip)]
    pub(crate) touched: u64,
    /// Every lane that may begin has begun: for this count of changes, and until this time.
    #[serde(skip)]
    pub(crate) begun: Option<(u64, Timestamp)>,
    /// How operations are looked at in this process.
    #[serde(skip)]
    pub(crate) polling: Polling,
}

/// How far a generation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Being carried out.
    Running,
    /// Its outcome is known.
    Done,
    /// Its outcome was delivered; inputs and secrets are erased.
    Settled,
}

impl Deployment {
    /// An instance with nothing in it.
    pub(crate) fn new(instance: &str, salt: &str) -> Self {
        Deployment {
            format: FORMAT.to_owned(),
            serial: 0,
            instance: instance.to_owned(),
            generation: Generation(0),
            cause: String::new(),
            causes: Vec::new(),
            salt: salt.to_owned(),
            phase: Phase::Settled,
            issued: None,
            deadline: Timestamp::UNIX_EPOCH,
            goal: StoredGoal::Deploy(None),
            role_arn: None,
            max_concurrency: None,
            resources: IndexMap::new(),
            retired: IndexMap::new(),
            retirements: 0,
            failures: Vec::new(),
            durations: BTreeMap::new(),
            result: None,
            touched: 0,
            begun: None,
            polling: Polling::default(),
        }
    }

    /// Reads a stored document.
    ///
    /// # Errors
    /// [`EngineError::NewerFormat`] for a document of a later version, [`EngineError::Unreadable`] for what
    /// is no document at all.
    pub fn read(bytes: &[u8]) -> Result<Self, EngineError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let newer = |found| EngineError::NewerFormat { found, known: FORMAT };
        let unreadable = |error: serde_json::Error| EngineError::Unreadable {
            // serde_json quotes what it met, so only the place is told.
            message: format!("line {} column {}", error.line(), error.column()),
        };
        // Nearly every document is of this format, and reading one only for its format takes half as long again.
        let error = match serde_json::from_slice::<Deployment>(bytes) {
            Ok(deployment) if deployment.format == FORMAT => return Ok(deployment),
            Ok(deployment) => return Err(newer(deployment.format)),
            Err(error) => error,
        };
        match serde_json::from_slice::<Head>(bytes) {
            Ok(head) if head.format != FORMAT => Err(newer(head.format)),
            _ => Err(unreadable(error)),
        }
    }

    /// The document as stored.
    ///
    /// # Errors
    /// [`EngineError::Unreadable`] if it cannot be written as JSON.
    pub fn write(&self) -> Result<Vec<u8>, EngineError> {
        // A resource takes about a kilobyte.
        let mut bytes = Vec::with_capacity(1_024 * (self.resources.len() + 1));
        serde_json::to_writer(&mut bytes, self).map_err(|_| EngineError::Unreadable {
            message: "it cannot be written as JSON".into(),
        })?;
        Ok(bytes)
    }

    /// The generation that a cause already has.
    pub fn generation_of(&self, cause: &str) -> Option<Generation> {
        if self.cause == cause && self.generation > Generation(0) {
            return Some(self.generation);
        }
        self.causes
            .iter()
            .find(|(known, _)| known == cause)
            .map(|(_, generation)| *generation)
    }

    /// Whether it was told something by an order given later than that. Of two given at the same moment, the one
    /// that destroys counts as the later; of two that destroy, the one that comes later.
    pub(crate) fn is_newer_than(&self, order: &Order) -> bool {
        let deploys = matches!(order.goal, Goal::Deploy(_));
        match (self.issued, order.issued) {
            (Some(known), Some(issued)) if known == issued => {
                deploys && matches!(self.goal, StoredGoal::Destroy { .. })
            }
            (Some(known), Some(issued)) => known > issued,
            _ => false,
        }
    }

    /// Notes that another process may be making the calls that have no answer yet. Each is written down once
    /// more before it is made again, so that of two processes only one goes on. `ours` is what this process
    /// knows of them.
    pub(crate) fn share_calls(&mut self, ours: Option<&Deployment>) {
        let mut changed = false;
        for (lane, resource) in self.resources.iter_mut().chain(self.retired.iter_mut()) {
            let is_over = resource.work.stage.is_over();
            let Some(operation) = &mut resource.operation else {
                continue;
            };
            if operation.request_token.is_some() || is_over {
                continue;
            }
            changed = true;
            let known = ours
                .and_then(|ours| ours.lane(lane)?.operation.as_ref())
                .filter(|known| {
                    known.client_token == operation.client_token && known.request_token.is_some()
                });
            match known {
                Some(known) => operation.clone_from(known),
                None => {
                    operation.turn += 1;
                    operation.resent = true;
                }
            }
        }
        if changed {
            self.touch();
        }
    }

    /// What the running generation deploys; `None` for a destroy and once settled.
    pub fn target(&self) -> Option<Target> {
        match &self.goal {
            StoredGoal::Deploy(Some(target)) => Some(target.restore()),
            _ => None,
        }
    }

    /// True if nothing of this instance is left in the cloud, as far as is known.
    pub fn is_empty(&self) -> bool {
        let gone = |resource: &Resource| resource.identifier.is_none() && resource.operation.is_none();
        self.resources.values().all(gone) && self.retired.values().all(gone)
    }

    /// Begins the next generation: what was known of the resources stays, the inputs of the older one go.
    pub(crate) fn supersede(&mut self, cause: &str, deadline: Timestamp, goal: &Goal, mask: &Mask) {
        self.erase_inputs(mask, false);
        self.keep_candidates();
        if self.generation > Generation(0) {
            self.causes
                .push((std::mem::take(&mut self.cause), self.generation));
            let surplus = self.causes.len().saturating_sub(CAUSES);
            self.causes.drain(..surplus);
        }
        self.generation = Generation(self.generation.0 + 1);
        self.cause = cause.to_owned();
        self.deadline = deadline;
        self.phase = Phase::Running;
        self.failures.clear();
        self.result = None;
        self.resources
            .retain(|_, resource| resource.identifier.is_some() || resource.operation.is_some());
        self.retired
            .retain(|_, resource| resource.identifier.is_some() || resource.operation.is_some());
        match goal {
            Goal::Deploy(target) => {
                self.role_arn.clone_from(&target.role_arn);
                self.max_concurrency = target.max_concurrency;
                self.goal = StoredGoal::Deploy(Some(Box::new(StoredTarget::store(target))));
            }
            Goal::Destroy { retain } => self.goal = StoredGoal::Destroy { retain: *retain },
        }
    }

    /// What a failed creation left and nobody has looked at yet counts as ours, unless the service answers
    /// so only before it makes anything.
    fn keep_candidates(&mut self) {
        let mut left = Vec::new();
        for (lane, resource) in self.resources.iter_mut().chain(self.retired.iter_mut()) {
            let refused = resource
                .work
                .failure
                .as_ref()
                .is_some_and(|failure| is_refusal(&failure.code));
            let unseen = resource.work.unseen.take();
            let candidate = resource.work.candidate.take().filter(|_| !refused);
            let Some(candidate) = candidate.or(unseen) else {
                continue;
            };
            match &resource.identifier {
                None => {
                    let attempted = resource.work.intended.take();
                    resource.keep(candidate, attempted);
                }
                Some(current) if *current == candidate => {}
                Some(_) => {
                    let (type_name, depends_on) = (resource.type_name.clone(), resource.depends_on.clone());
                    left.push((
                        lane.clone(),
                        Resource {
                            type_name,
                            depends_on,
                            identifier: Some(candidate),
                            ..Resource::default()
                        },
                    ));
                }
            }
        }
        for (lane, resource) in left {
            self.retire(name_of(&lane), resource);
        }
    }

    /// Ends a generation that is still running, as failed. What it has in flight stays.
    pub(crate) fn give_up(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        self.keep_candidates();
        self.phase = Phase::Done;
        self.result = Some(StoredResult {
            succeeded: false,
            exports: IndexMap::new(),
            resources: self.reports(),
        });
    }

    /// Takes inputs and secrets out: the order is settled. `mask` knows the secrets of its inputs.
    pub(crate) fn erase(&mut self, mask: &Mask) {
        self.erase_inputs(mask, true);
        self.phase = Phase::Settled;
        if let Some(result) = &mut self.result {
            result.exports.retain(|_, export| export.secrets.is_empty());
        }
        self.resources
            .retain(|_, resource| resource.identifier.is_some() || resource.operation.is_some());
        self.retired
            .retain(|_, resource| resource.identifier.is_some() || resource.operation.is_some());
    }

    fn erase_inputs(&mut self, mask: &Mask, settled: bool) {
        if let StoredGoal::Deploy(target) = &mut self.goal {
            *target = None;
        }
        for resource in self.resources.values_mut().chain(self.retired.values_mut()) {
            if settled {
                resource.settle_live();
                resource.release_payload(mask);
                continue;
            }
            if let Some(live) = &mut resource.live {
                let hidden = resource.remembered.iter().chain(&resource.attempted);
                let hidden = hidden.flat_map(|memory| memory.hidden.keys());
                strip_pointers(live, hidden.map(String::as_str));
                mask.strip(live);
            }
            if let Some(operation) = &mut resource.operation {
                operation.stop_changing();
            }
        }
    }

    /// Forgets what only counts while it is carried on: what is left is what is stored.
    pub(crate) fn pause(&mut self) {
        (self.touched, self.begun, self.polling) = (0, None, Polling::default());
        for resource in self.resources.values_mut().chain(self.retired.values_mut()) {
            resource.pause();
        }
    }

    pub(crate) fn touch(&mut self) {
        self.touched += 1;
    }

    /// A resource or leftover by its lane.
    pub(crate) fn lane(&self, lane: &str) -> Option<&Resource> {
        self.resources.get(lane).or_else(|| self.retired.get(lane))
    }

    pub(crate) fn lane_mut(&mut self, lane: &str) -> Option<&mut Resource> {
        match self.resources.get_mut(lane) {
            Some(resource) => Some(resource),
            None => self.retired.get_mut(lane),
        }
    }

    /// Every lane with its resource: resources first, then leftovers.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (&str, &Resource)> {
        self.resources
            .iter()
            .chain(self.retired.iter())
            .map(|(lane, resource)| (lane.as_str(), resource))
    }

    /// Puts something aside to be deleted after everything else.
    pub(crate) fn retire(&mut self, name: &str, mut resource: Resource) {
        self.retirements += 1;
        let retain = matches!(self.goal, StoredGoal::Destroy { retain: true });
        resource.work = Work::new(
            if retain { Action::Retain } else { Action::Delete },
            Stage::Pending,
        );
        self.retired
            .insert(format!("{name}#{}", self.retirements), resource);
        self.touch();
    }

    /// Every resource as reported to people.
    pub(crate) fn reports(&self) -> Vec<ResourceReport> {
        self.lanes()
            .map(|(lane, resource)| ResourceReport {
                name: name_of(lane).to_owned(),
                type_name: resource.type_name.clone(),
                identifier: resource.identifier.clone(),
                action: resource.work.action,
                status: match resource.work.stage {
                    Stage::Done => Status::Done,
                    Stage::Failed => Status::Failed,
                    Stage::Skipped => Status::Skipped,
                    _ => Status::Pending,
                },
            })
            .collect()
    }
}

/// The resource's name behind a lane.
pub(crate) fn name_of(lane: &str) -> &str {
    lane.split_once('#').map_or(lane, |(name, _)| name)
}

impl std::fmt::Debug for Deployment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deployment")
            .field("instance", &self.instance)
            .field("serial", &self.serial)
            .field("generation", &self.generation)
            .field("phase", &self.phase)
            .field("resources", &self.resources)
            .field("retired", &self.retired)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_newer_format_is_refused() {
        let error = Deployment::read(br#"{"format": "formwork.state/2", "everything": "else"}"#).unwrap_err();
        assert_eq!(
            error,
            EngineError::NewerFormat {
                found: "formwork.state/2".into(),
                known: FORMAT
            }
        );
    }

    #[test]
    fn what_a_newer_writer_added_is_ignored_and_what_an_older_one_left_out_has_defaults() {
        let document = json!({
            "format": FORMAT, "serial": 7, "instance": "i", "generation": 3, "cause": "c", "salt": "00", "phase": "settled",
            "deadline": "2026-01-01T00:00:00Z", "goal": {"destroy": {"retain": false, "new": 1}}, "addition": true,
            "resources": {"queue": {"type_name": "AWS::SQS::Queue", "identifier": "q", "addition": {}}}
        });
        let deployment = Deployment::read(document.to_string().as_bytes()).unwrap();
        assert_eq!(deployment.resources["queue"].identifier.as_deref(), Some("q"));
        assert!(!deployment.is_empty());
    }

    #[test]
    fn an_unreadable_document_is_not_quoted() {
        let error = Deployment::read(br#"{"format": "formwork.state/1", "serial": "hunter2"}"#).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn old_causes_are_forgotten_last_in_first_kept() {
        let mut deployment = Deployment::new("i", "00");
        for number in 0..100 {
            deployment.supersede(
                &format!("c{number}"),
                Timestamp::UNIX_EPOCH,
                &Goal::Destroy { retain: false },
                &Mask::default(),
            );
        }
        assert_eq!(deployment.generation_of("c99"), Some(Generation(100)));
        assert_eq!(deployment.generation_of("c50"), Some(Generation(51)));
        assert_eq!(deployment.generation_of("c0"), None);
    }
}
