//! What an operator changes in a stored deployment by hand.

use super::{Deployment, Phase, Resource, StoredGoal, name_of};
use crate::EngineError;
use crate::mask::Mask;
use crate::outcome::Failure;
use crate::ports::CloudError;
use formwork_schema::Remembered;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The code of the failure that tells of a release.
const RELEASED: &str = "Released";

/// Why a stored deployment was not changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UpkeepError {
    /// It could not be read or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Somebody else has written it since it was looked at: look again.
    #[error("the deployment was changed by somebody else meanwhile; nothing was done")]
    Changed,
    /// An order is being carried out, and would not notice.
    #[error("a deployment is running (it has time until {deadline:.0}); nothing was done")]
    Running {
        /// When its outcome is due.
        deadline: Timestamp,
    },
    /// No order is being carried out, and no outcome waits to be delivered.
    #[error("nothing holds this deployment")]
    NothingToRelease,
    /// There is no such resource in the deployment.
    #[error("`{name}` is no resource of this deployment")]
    NoResource {
        /// As asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// There is a resource of this name already.
    #[error("`{name}` is already known, as {}", identifier.as_deref().unwrap_or("one that is still being made"))]
    Taken {
        /// As asked for.
        name: String,
        /// What it is.
        identifier: Option<String>,
    },
    /// Some deployment already counts it among its own, and two would pull it to and fro.
    #[error("{identifier} already belongs to `{owner}` of `{instance}`")]
    Owned {
        /// Its identifier.
        identifier: String,
        /// The deployment.
        instance: String,
        /// The resource in it.
        owner: String,
    },
    /// There is no such type.
    #[error("there is no resource type {type_name}")]
    NoType {
        /// As asked for.
        type_name: String,
    },
    /// Its type cannot be read, so nobody can tell whether it exists.
    #[error("{type_name} cannot be read, so nothing tells whether the resource exists")]
    Unreadable {
        /// The type.
        type_name: String,
    },
    /// The cloud did not show it.
    #[error("{type_name} {identifier} cannot be read: {error}")]
    Cloud {
        /// The type.
        type_name: String,
        /// The identifier.
        identifier: String,
        /// Why.
        error: CloudError,
    },
}

impl Deployment {
    /// Drops a resource or leftover, named by its lane (`queue`, `queue#3`), and leaves it in the cloud.
    ///
    /// # Errors
    /// [`UpkeepError::Running`] and [`UpkeepError::NoResource`]; the deployment is as before then.
    pub fn forget(&mut self, lane: &str) -> Result<Resource, UpkeepError> {
        self.at_rest()?;
        let found = self
            .resources
            .shift_remove(lane)
            .or_else(|| self.retired.shift_remove(lane));
        found.ok_or_else(|| UpkeepError::NoResource {
            name: lane.to_owned(),
            known: self.lanes().map(|(lane, _)| lane.to_owned()).collect(),
        })
    }

    /// Takes in a resource that exists, as one of which nothing was applied yet: the next deploy changes it in
    /// place to what the blueprint wants, and removes nothing that the blueprint does not name.
    ///
    /// Its live properties are not kept, because nobody knows which of them are secret.
    ///
    /// # Errors
    /// [`UpkeepError::Running`] and [`UpkeepError::Taken`]; the deployment is as before then.
    pub fn adopt(&mut self, name: &str, type_name: &str, identifier: &str) -> Result<(), UpkeepError> {
        self.at_rest()?;
        if let Some(known) = self.resources.get(name) {
            return Err(UpkeepError::Taken {
                name: name.to_owned(),
                identifier: known.identifier.clone(),
            });
        }
        let remembered = Remembered {
            shown: Value::Object(Map::new()),
            hidden: BTreeMap::new(),
            salt: self.salt.clone(),
        };
        let resource = Resource {
            type_name: type_name.to_owned(),
            identifier: Some(identifier.to_owned()),
            remembered: Some(remembered),
            ..Resource::default()
        };
        self.resources.insert(name.to_owned(), resource);
        Ok(())
    }

    /// Ends an order that nobody carries on any more, as failed, and erases its inputs. What it has in flight
    /// stays for the next order to await. `mask` knows the secrets of the inputs.
    ///
    /// # Errors
    /// [`UpkeepError::NothingToRelease`]; the deployment is as before then.
    pub(crate) fn release(&mut self, mask: &Mask) -> Result<(), UpkeepError> {
        match self.phase {
            Phase::Settled => return Err(UpkeepError::NothingToRelease),
            Phase::Done => {}
            Phase::Running => {
                let operation = match self.goal {
                    StoredGoal::Deploy(_) => "deploy",
                    StoredGoal::Destroy { .. } => "destroy",
                };
                self.failures.push(Failure {
                    resource: None,
                    type_name: String::new(),
                    operation: operation.to_owned(),
                    code: RELEASED.to_owned(),
                    message: "an operator has ended it".to_owned(),
                    property: None,
                    location: None,
                    leftover: false,
                });
                self.give_up();
            }
        }
        self.erase(mask);
        Ok(())
    }

    /// The name under which this deployment knows a resource of the cloud.
    pub(crate) fn owner_of(&self, type_name: &str, identifier: &str) -> Option<&str> {
        let is_it = |resource: &Resource| {
            resource.type_name == type_name && resource.identifier.as_deref() == Some(identifier)
        };
        let mut lanes = self.lanes();
        lanes
            .find(|(_, resource)| is_it(resource))
            .map(|(lane, _)| name_of(lane))
    }

    fn at_rest(&self) -> Result<(), UpkeepError> {
        match self.phase {
            Phase::Running => Err(UpkeepError::Running {
                deadline: self.deadline,
            }),
            Phase::Done | Phase::Settled => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goal;

    fn deployment() -> Deployment {
        let mut deployment = Deployment::new("i", "5a17");
        deployment.adopt("queue", "AWS::SQS::Queue", "q-1").unwrap();
        deployment
    }

    #[test]
    fn what_was_adopted_is_known_and_can_be_forgotten() {
        let mut deployment = deployment();
        assert_eq!(deployment.owner_of("AWS::SQS::Queue", "q-1"), Some("queue"));
        assert_eq!(deployment.owner_of("AWS::SNS::Topic", "q-1"), None);
        assert_eq!(
            deployment.adopt("queue", "AWS::SQS::Queue", "q-2"),
            Err(UpkeepError::Taken {
                name: "queue".into(),
                identifier: Some("q-1".into())
            })
        );
        let forgotten = deployment.forget("queue").unwrap();
        assert_eq!(forgotten.identifier.as_deref(), Some("q-1"));
        assert!(deployment.is_empty());
        assert_eq!(
            deployment.forget("queue").unwrap_err(),
            UpkeepError::NoResource {
                name: "queue".into(),
                known: vec![]
            }
        );
    }

    #[test]
    fn a_running_order_is_not_changed_under_its_feet() {
        let mut deployment = deployment();
        let deadline = "2026-01-01T00:00:00Z".parse().unwrap();
        let goal = Goal::Destroy { retain: false };
        deployment.supersede("c", deadline, &goal, &Mask::default());
        let before = deployment.clone();
        assert_eq!(
            deployment.forget("queue").err(),
            Some(UpkeepError::Running { deadline })
        );
        assert_eq!(
            deployment.adopt("other", "AWS::SQS::Queue", "q-2"),
            Err(UpkeepError::Running { deadline })
        );
        assert!(deployment == before);
    }

    #[test]
    fn a_released_order_has_failed_and_is_settled() {
        let mut deployment = deployment();
        assert_eq!(
            deployment.release(&Mask::default()),
            Err(UpkeepError::NothingToRelease)
        );
        let goal = Goal::Destroy { retain: false };
        deployment.supersede("c", Timestamp::UNIX_EPOCH, &goal, &Mask::default());
        deployment.release(&Mask::default()).unwrap();
        assert_eq!(deployment.phase, Phase::Settled);
        assert!(deployment.result.is_some_and(|result| !result.succeeded));
        assert_eq!(
            deployment.failures[0].to_string(),
            "destroy failed: Released: an operator has ended it"
        );
        assert!(deployment.resources.contains_key("queue"));
    }
}
