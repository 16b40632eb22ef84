//! The end of an order: what was needed only for it is erased.

use super::{Engine, RACES};
use crate::deployment::{Deployment, Phase, Resource, StoredGoal};
use crate::error::EngineError;
use crate::mask::Mask;
use crate::model::Model;
use crate::order::Generation;
use crate::ports::{StoreError, Version};
use crate::scope::Scope;
use formwork_blueprint::{Value, evaluate};

impl Engine {
    /// The outcome has been delivered: erases inputs and secrets, and after a destroy that left nothing the
    /// document. Again, or for a generation that was superseded, it does nothing.
    ///
    /// # Errors
    /// [`EngineError::Unfinished`] while the generation runs, else the store's.
    pub async fn settle(&self, instance: &str, generation: Generation) -> Result<(), EngineError> {
        self.close(instance, |deployment| deployment.generation == generation, false)
            .await
    }

    /// Like [`Engine::settle`] for the latest order, if one of these causes has it, and whether or not it has
    /// ended: it was answered. What is in flight then stays in the document, for the next order to await.
    ///
    /// # Errors
    /// The store's: trying again is safe.
    pub async fn conclude(&self, instance: &str, causes: &[&str]) -> Result<(), EngineError> {
        self.close(
            instance,
            |deployment| causes.contains(&deployment.cause.as_str()),
            true,
        )
        .await
    }

    async fn close(
        &self,
        instance: &str,
        is_meant: impl Fn(&Deployment) -> bool + Send,
        unfinished: bool,
    ) -> Result<(), EngineError> {
        let mut outages = 0;
        // Of what has ended nothing changes but by an order, whose document does not let ours be written.
        let mut ended = self
            .kept
            .take(instance)
            .filter(|(deployment, _)| is_meant(deployment) && deployment.phase == Phase::Done);
        for _ in 0..RACES {
            let found = match ended.take() {
                Some(known) => Some(known),
                None => self.read(instance).await?,
            };
            let Some((mut deployment, version)) = found else {
                return Ok(());
            };
            if !is_meant(&deployment) {
                return Ok(());
            }
            match deployment.phase {
                Phase::Running if !unfinished => return Err(EngineError::Unfinished),
                Phase::Running | Phase::Done => {}
                Phase::Settled => return self.remove_if_empty(instance, &deployment, &version).await,
            }
            let mask = self.secrets(&deployment).await;
            deployment.give_up();
            let released = matches!(deployment.goal, StoredGoal::Destroy { retain: true });
            if released {
                deployment
                    .resources
                    .retain(|_, resource| resource.operation.is_some());
                deployment
                    .retired
                    .retain(|_, resource| resource.operation.is_some());
            }
            deployment.erase(&mask);
            deployment.serial += 1;
            match self
                .adapters
                .store
                .save(instance, deployment.write()?, Some(&version))
                .await
            {
                Ok(version) => return self.remove_if_empty(instance, &deployment, &version).await,
                Err(StoreError::Conflict) => {}
                Err(error) => {
                    self.wait_out(outages, error).await?;
                    outages += 1;
                }
            }
        }
        Err(EngineError::TooMuchContention)
    }

    /// After a failed deploy the document stays, so that a late duplicate of its cause finds it.
    async fn remove_if_empty(
        &self,
        instance: &str,
        deployment: &Deployment,
        version: &Version,
    ) -> Result<(), EngineError> {
        if !matches!(deployment.goal, StoredGoal::Destroy { .. }) || !deployment.is_empty() {
            return Ok(());
        }
        for outage in 0.. {
            match self.adapters.store.remove(instance, version).await {
                // A new order has begun meanwhile: what is stored is its own.
                Ok(()) | Err(StoreError::Conflict) => break,
                Err(error) => self.wait_out(outage, error).await?,
            }
        }
        Ok(())
    }

    /// Every secret of a deployment's inputs, and what was computed from them.
    pub(super) async fn secrets(&self, deployment: &Deployment) -> Mask {
        let StoredGoal::Deploy(Some(target)) = &deployment.goal else {
            return Mask::default();
        };
        let model = match self.latest.known(deployment) {
            Some(model) => model,
            None => {
                let (target, schemas) = (target.restore(), self.adapters.schemas.as_ref());
                let Ok(model) = self.latest.model(deployment, &target, schemas).await else {
                    let blueprint = formwork_blueprint::check(&target.source).blueprint;
                    let variables = blueprint.and_then(|blueprint| blueprint.bind(&target.variables).ok());
                    return variables
                        .map(|variables| Mask::of(variables.values()))
                        .unwrap_or_default();
                };
                model
            }
        };
        if is_open(&model, deployment) {
            return Mask::default();
        }
        let scope = Scope::during(&model, deployment);
        let specs = model
            .blueprint
            .resources
            .values()
            .filter_map(|resource| evaluate(&resource.spec, &scope).ok());
        specs.fold(model.mask.clone(), |mask, value| mask.with(&value))
    }
}

/// True if nothing secret went in: secrets come from variables and from what the service does not show.
fn is_open(model: &Model, deployment: &Deployment) -> bool {
    let is_plain = |value: &Value| value.secret_pointers().is_empty();
    let is_shown = |(_, resource): (&str, &Resource)| resource.hidden().next().is_none();
    model.variables.values().all(is_plain) && deployment.lanes().all(is_shown)
}
