//! The engine's door for drift: reads, and changes nothing.

use super::Engine;
use crate::deployment::Deployment;
use crate::drift::{self, DriftReport, Schemas};
use crate::error::EngineError;
use crate::order::Target;
use crate::plan::{self, Plan, Reads};
use jiff::Timestamp;

impl Engine {
    /// Compares what is live with what was deployed; `None` if there is no such instance. What could not be read
    /// until `until` is unknown.
    ///
    /// # Errors
    /// The store's or the type registry's, or that the document cannot be read.
    pub async fn drift(&self, instance: &str, until: Timestamp) -> Result<Option<DriftReport>, EngineError> {
        let Some(deployment) = self.load(instance).await? else {
            return Ok(None);
        };
        let (report, _) = self.refresh(&deployment, until).await?;
        Ok(Some(report))
    }

    /// [`Engine::plan`] and [`Engine::drift`] of the same moment.
    ///
    /// # Errors
    /// Those of either.
    pub async fn plan_refreshed(
        &self,
        instance: &str,
        target: &Target,
    ) -> Result<(Plan, DriftReport), EngineError> {
        let model = self.model(target).await?;
        let Some(deployment) = self.load(instance).await? else {
            let report = DriftReport {
                instance: instance.to_owned(),
                resources: Vec::new(),
            };
            return Ok((plan::forecast(&model, None, &Reads::new()), report));
        };
        let (report, reads) = self.refresh(&deployment, Timestamp::MAX).await?;
        Ok((plan::forecast(&model, Some(&deployment), &reads), report))
    }

    async fn refresh(
        &self,
        deployment: &Deployment,
        until: Timestamp,
    ) -> Result<(DriftReport, Reads), EngineError> {
        let mut schemas = Schemas::new();
        for resource in deployment.resources.values() {
            let name = &resource.type_name;
            if !schemas.contains_key(name) {
                schemas.insert(name.clone(), self.adapters.schemas.schema(name).await?);
            }
        }
        let reads = plan::read_standing(deployment, &schemas, &self.adapters, &self.limiter, until).await;
        Ok((drift::compare(deployment, &schemas, &reads), reads))
    }
}
