//! An operator's doors: looking at what is stored, and changing it by hand.
//!
//! # Guarantees
//! - A change is made to the document that was looked at, or not at all: its serial number has to be the one
//!   expected, and the write is as conditional as the stepper's.
//! - A document of a newer format is told as such and left alone.
//! - No change calls the cloud but to read.

use super::Engine;
use crate::deployment::{Deployment, Phase, UpkeepError};
use crate::error::EngineError;
use crate::model::Model;
use crate::ports::{CloudError, StoreError, Version};
use crate::view::{self, InstanceView};

/// A resource to be taken in.
#[derive(Debug, Clone)]
pub struct Adoption {
    /// The name it has, or will have, in the blueprint.
    pub name: String,
    /// `AWS::SQS::Queue`
    pub type_name: String,
    /// Its primary identifier.
    pub identifier: String,
    /// Random hex; used when the instance is new, else the stored one stays.
    pub salt: String,
}

impl Engine {
    /// What is stored of an instance, without secrets; `None` if there is no such instance.
    ///
    /// # Errors
    /// The store's, or that the document cannot be read.
    pub async fn view(&self, instance: &str) -> Result<Option<InstanceView>, EngineError> {
        let Some(deployment) = self.load(instance).await? else {
            return Ok(None);
        };
        let mask = self.secrets(&deployment).await;
        let model = match deployment.target().filter(|_| deployment.phase == Phase::Running) {
            // A registry that cannot be asked leaves out only what is waited for.
            Some(target) => Model::build(&target, self.adapters.schemas.as_ref()).await.ok(),
            None => None,
        };
        Ok(Some(view::of(&deployment, &mask, model.as_ref())))
    }

    /// Drops a resource or leftover from the state, by its lane, and leaves it in the cloud.
    ///
    /// # Errors
    /// Why it was not done, see [`UpkeepError`].
    pub async fn forget(&self, instance: &str, lane: &str, serial: u64) -> Result<(), UpkeepError> {
        let (mut deployment, version) = self.seen(instance, serial).await?;
        deployment.forget(lane)?;
        self.put(deployment, Some(&version)).await
    }

    /// Ends an order that nobody carries on any more: see [`Deployment`]. Whoever does carry it on all the same
    /// finds it ended at its next write, and stops.
    ///
    /// # Errors
    /// Why it was not done, see [`UpkeepError`].
    pub async fn release(&self, instance: &str, serial: u64) -> Result<(), UpkeepError> {
        let (mut deployment, version) = self.seen(instance, serial).await?;
        let mask = self.secrets(&deployment).await;
        deployment.release(&mask)?;
        self.put(deployment, Some(&version)).await
    }

    /// Takes a resource of the cloud into the state, after having read it. An instance that does not exist yet
    /// is made; then `serial` is `None`.
    ///
    /// # Errors
    /// Why it was not done, see [`UpkeepError`].
    pub async fn adopt(
        &self,
        instance: &str,
        adoption: &Adoption,
        serial: Option<u64>,
    ) -> Result<(), UpkeepError> {
        let (mut deployment, version) = match serial {
            Some(serial) => {
                let (deployment, version) = self.seen(instance, serial).await?;
                (deployment, Some(version))
            }
            None => (Deployment::new(instance, &adoption.salt), None),
        };
        let Adoption {
            name,
            type_name,
            identifier,
            ..
        } = adoption;
        deployment.adopt(name, type_name, identifier)?;
        self.exists(&deployment, type_name, identifier).await?;
        self.has_no_owner(type_name, identifier).await?;
        self.put(deployment, version.as_ref()).await
    }

    async fn exists(
        &self,
        deployment: &Deployment,
        type_name: &str,
        identifier: &str,
    ) -> Result<(), UpkeepError> {
        let schema = self.adapters.schemas.schema(type_name).await;
        let schema = schema
            .map_err(EngineError::from)?
            .ok_or_else(|| UpkeepError::NoType {
                type_name: type_name.to_owned(),
            })?;
        if !schema.handlers().read {
            return Err(UpkeepError::Unreadable {
                type_name: type_name.to_owned(),
            });
        }
        let cloud = |error: CloudError| UpkeepError::Cloud {
            type_name: type_name.to_owned(),
            identifier: identifier.to_owned(),
            error,
        };
        let role_arn = deployment.role_arn.as_deref();
        let live = self.adapters.cloud.read(type_name, identifier, role_arn).await;
        let live = live.map_err(cloud)?;
        // Some services find a resource under more than its identifier; stored is the one they tell.
        match schema.identifier(&live).filter(|told| told != identifier) {
            Some(told) => Err(cloud(CloudError {
                code: "OtherIdentifier".to_owned(),
                message: format!("its identifier is {told}"),
            })),
            None => Ok(()),
        }
    }

    /// Refuses what some instance of this store already has.
    async fn has_no_owner(&self, type_name: &str, identifier: &str) -> Result<(), UpkeepError> {
        for instance in self.instances("").await? {
            let Some(other) = self.load(&instance).await? else {
                continue;
            };
            if let Some(owner) = other.owner_of(type_name, identifier) {
                return Err(UpkeepError::Owned {
                    identifier: identifier.to_owned(),
                    owner: owner.to_owned(),
                    instance,
                });
            }
        }
        Ok(())
    }

    /// The document, if it still is the one with this serial number.
    async fn seen(&self, instance: &str, serial: u64) -> Result<(Deployment, Version), UpkeepError> {
        let found = self.read(instance).await?;
        let (deployment, version) = found.ok_or_else(|| EngineError::NoInstance {
            instance: instance.to_owned(),
        })?;
        if deployment.serial != serial {
            return Err(UpkeepError::Changed);
        }
        Ok((deployment, version))
    }

    async fn put(&self, mut deployment: Deployment, version: Option<&Version>) -> Result<(), UpkeepError> {
        deployment.serial += 1;
        let document = deployment.write()?;
        let store = &self.adapters.store;
        match store.save(&deployment.instance, document, version).await {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict) => Err(UpkeepError::Changed),
            Err(error) => Err(EngineError::from(error).into()),
        }
    }
}
