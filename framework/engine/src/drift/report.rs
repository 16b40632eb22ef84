//! A report of drift, and its JSON.

use crate::plan::Shown;
use serde_json::{Value, json};

/// How the resources of an instance compare with what was deployed.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftReport {
    /// The instance's name.
    pub instance: String,
    /// Every resource that is known to have been made.
    pub resources: Vec<ResourceDrift>,
}

/// How one resource compares.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceDrift {
    /// Name in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// The primary identifier.
    pub identifier: String,
    /// How it compares.
    pub status: DriftStatus,
    /// What differs.
    pub properties: Vec<Difference>,
    /// True if an operation of a deployment is under way, which may be what changes it.
    pub in_flight: bool,
    /// Why it is not known.
    pub problem: Option<String>,
}

/// How a resource compares with what was deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriftStatus {
    /// It is as it was deployed.
    InSync,
    /// It was changed.
    Changed,
    /// It does not exist any more.
    Deleted,
    /// It could not be told.
    Unknown,
}

impl DriftStatus {
    /// A stable name for scripts.
    pub fn code(self) -> &'static str {
        match self {
            DriftStatus::InSync => "in-sync",
            DriftStatus::Changed => "changed",
            DriftStatus::Deleted => "deleted",
            DriftStatus::Unknown => "unknown",
        }
    }
}

/// A property, or a part of one, that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// JSON Pointer, as the schema spells it.
    pub pointer: String,
    /// What was applied; `None` if nothing was.
    pub applied: Option<Shown>,
    /// What is there; `None` if nothing is.
    pub live: Option<Shown>,
}

impl DriftReport {
    /// True if every resource is as it was deployed.
    pub fn is_in_sync(&self) -> bool {
        self.count(DriftStatus::InSync) == self.resources.len()
    }

    /// How many resources compare so.
    pub fn count(&self, status: DriftStatus) -> usize {
        self.resources
            .iter()
            .filter(|resource| resource.status == status)
            .count()
    }

    /// The report as scripts read it: counts, and the resources that are not as they were deployed.
    pub fn to_json(&self) -> Value {
        let told = self
            .resources
            .iter()
            .filter(|resource| resource.status != DriftStatus::InSync);
        json!({
            "instance": self.instance,
            "summary": {
                "inSync": self.count(DriftStatus::InSync),
                "changed": self.count(DriftStatus::Changed),
                "deleted": self.count(DriftStatus::Deleted),
                "unknown": self.count(DriftStatus::Unknown),
            },
            "resources": told.map(ResourceDrift::to_json).collect::<Vec<_>>(),
        })
    }
}

impl ResourceDrift {
    fn to_json(&self) -> Value {
        let properties = self.properties.iter().map(|difference| {
            json!({
                "pointer": difference.pointer,
                "applied": difference.applied.as_ref().map(Shown::to_json),
                "live": difference.live.as_ref().map(Shown::to_json),
            })
        });
        json!({
            "name": self.name,
            "type": self.type_name,
            "identifier": self.identifier,
            "status": self.status.code(),
            "properties": properties.collect::<Vec<_>>(),
            "inFlight": self.in_flight,
            "problem": self.problem,
        })
    }
}
