//! The engine's doors.

mod drift;
mod settle;
mod upkeep;

pub use upkeep::Adoption;

use crate::deployment::{Deployment, Resource, Stage, StoredGoal, Work};
use crate::drive::Driver;
use crate::error::{EngineError, Problem};
use crate::kept::Kept;
use crate::limiter::Limiter;
use crate::model::{Latest, Model};
use crate::observer::Observer;
use crate::order::{Generation, Goal, Order, Target};
use crate::outcome::{Action, Advance, Outcome};
use crate::plan::{self, Plan};
use crate::ports::{Clock, Cloud, SchemaSource, StateStore, StoreError, Version};
use crate::scope::taint_at;
use formwork_blueprint::{Children, Value};
use indexmap::IndexMap;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// Lost races in a row before giving up.
const RACES: u32 = 20;
/// Longer than a write that nobody waits for any more may be under way.
const UNDER_WAY: std::time::Duration = std::time::Duration::from_secs(5);
/// Calls in a row that the store does not answer before giving up.
const OUTAGES: u32 = 3;

/// Everything outside that an engine uses.
#[derive(Clone)]
pub struct Adapters {
    /// Makes, changes and deletes resources.
    pub cloud: Arc<dyn Cloud>,
    /// Keeps the deployments.
    pub store: Arc<dyn StateStore>,
    /// Knows the resource types.
    pub schemas: Arc<dyn SchemaSource>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Hears what happens.
    pub observer: Arc<dyn Observer>,
}

/// How hard an engine works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many resources are worked on at once, unless the order says otherwise. Default 10.
    pub max_concurrency: usize,
    /// How many requests are made per second at most, by all deployments of this engine. Default 25.
    pub requests_per_second: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_concurrency: 10,
            requests_per_second: 25,
        }
    }
}

/// Deploys and destroys instances.
///
/// # Flow
/// [`begin`](Engine::begin) writes an order down, [`advance`](Engine::advance) carries it on for as long as
/// it may, any number of times and from any process, and [`settle`](Engine::settle) erases what was needed
/// for it once its outcome was delivered.
///
/// # Guarantees
/// - An order is carried out once, however often its cause comes.
/// - At any moment the process may end; the next `advance` goes on without doing anything twice.
/// - Whatever was created is in the document as soon as its identifier is known, and a later order finds it.
/// - No secret is in an outcome's failures, and none in the document once settled.
///
/// # Assumptions
/// The store is encrypted, its conditional writes are honest, and the clocks of all processes agree to about
/// a second.
///
/// # Caveats
/// - A destroy that left nothing takes the document with it, and with the document the memory of causes: a
///   duplicate that comes even later is a new order.
/// - A creation that carried secrets and whose answer stayed lost is asked about, after its order was settled,
///   without them: should the service look at the document before the client token, it is not found.
/// - A resource whose creation failed after the service had named it is kept and deleted with the others. If
///   the author chose its name, it counts as ours unless a create-only property says otherwise, or the
///   service refused it in a way that shows that it made nothing.
pub struct Engine {
    adapters: Adapters,
    limits: Limits,
    limiter: Limiter,
    latest: Latest,
    kept: Kept,
}

impl Engine {
    /// An engine on some adapters.
    pub fn new(adapters: Adapters, limits: Limits) -> Self {
        let limiter = Limiter::new(limits.requests_per_second);
        Engine {
            adapters,
            limits,
            limiter,
            latest: Latest::default(),
            kept: Kept::default(),
        }
    }

    /// Checks a target without any effect: what the author should know although it can be deployed.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with everything that is wrong with it.
    pub async fn check(&self, target: &Target) -> Result<Vec<Problem>, EngineError> {
        check(target, self.adapters.schemas.as_ref()).await
    }

    /// Checks the order, then writes it as the instance's next generation. The same cause again is answered
    /// with the generation it already has.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] if it cannot be carried out, [`EngineError::Overtaken`] if it is older than what
    /// the instance was last told; nothing is written then. Otherwise the store's
    /// or the type registry's: trying again is safe.
    pub async fn begin(&self, instance: &str, order: Order) -> Result<Generation, EngineError> {
        self.begin_unless(instance, order, |_| false).await
    }

    /// Like [`Engine::begin`] for an order that takes the one of `cause` back: only as long as that one is the last.
    ///
    /// # Errors
    /// As [`Engine::begin`]; [`EngineError::Overtaken`] also if there was another order since.
    pub async fn take_back(
        &self,
        instance: &str,
        cause: &str,
        order: Order,
    ) -> Result<Generation, EngineError> {
        let is_overtaken = |deployment: &Deployment| deployment.cause != cause;
        self.begin_unless(instance, order, is_overtaken).await
    }

    async fn begin_unless(
        &self,
        instance: &str,
        order: Order,
        is_overtaken: impl Fn(&Deployment) -> bool,
    ) -> Result<Generation, EngineError> {
        let mut model = None;
        let mut outages = 0;
        for _ in 0..RACES {
            let stored = self.read(instance).await?;
            if let Some(generation) = stored
                .as_ref()
                .and_then(|(deployment, _)| deployment.generation_of(&order.cause))
            {
                return Ok(generation);
            }
            if stored
                .as_ref()
                .is_some_and(|(deployment, _)| deployment.is_newer_than(&order) || is_overtaken(deployment))
            {
                return Err(EngineError::Overtaken);
            }
            if let (Goal::Deploy(target), None) = (&order.goal, &model) {
                model = Some(self.model(target).await?);
            }
            let (mut deployment, version) = match stored {
                Some((deployment, version)) => (deployment, Some(version)),
                None => (Deployment::new(instance, &order.salt), None),
            };
            let mask = self.secrets(&deployment).await;
            deployment.supersede(&order.cause, order.deadline, &order.goal, &mask);
            deployment.issued = deployment.issued.max(order.issued);
            assign(&mut deployment, model.as_ref());
            deployment.serial += 1;
            match self
                .adapters
                .store
                .save(instance, deployment.write()?, version.as_ref())
                .await
            {
                Ok(version) => {
                    if let Some(model) = model {
                        self.latest.keep(&deployment, Arc::new(model));
                    }
                    let generation = deployment.generation;
                    self.kept.keep(deployment, version);
                    return Ok(generation);
                }
                Err(StoreError::Conflict) => {}
                // It may have been written all the same, or be written yet: reading tells. A document that is to be
                // there only from now on must not come back once it is gone again.
                Err(error) => {
                    if version.is_none() {
                        self.adapters.clock.sleep(UNDER_WAY).await;
                    }
                    self.wait_out(outages, error).await?;
                    outages += 1;
                }
            }
        }
        Err(EngineError::TooMuchContention)
    }

    /// Carries the generation on until it is done or `until` has come; calls in flight then may take a second
    /// more.
    ///
    /// # Errors
    /// [`EngineError::NoInstance`] if there is no such instance, else the store's or the type registry's:
    /// trying again is safe.
    pub async fn advance(
        &self,
        instance: &str,
        generation: Generation,
        until: Timestamp,
    ) -> Result<Advance, EngineError> {
        let max_concurrency = self.limits.max_concurrency;
        let driver = Driver {
            adapters: &self.adapters,
            limiter: &self.limiter,
            latest: &self.latest,
            kept: &self.kept,
            max_concurrency,
            instance,
            generation,
        };
        driver.drive(until).await
    }

    /// The stored deployment.
    ///
    /// # Errors
    /// The store's, or that the document cannot be read.
    pub async fn load(&self, instance: &str) -> Result<Option<Deployment>, EngineError> {
        Ok(self.read(instance).await?.map(|(deployment, _)| deployment))
    }

    /// Names of the instances below a folder, sorted.
    ///
    /// # Errors
    /// The store's.
    pub async fn instances(&self, folder: &str) -> Result<Vec<String>, EngineError> {
        for outage in 0.. {
            match self.adapters.store.list(folder).await {
                Ok(names) => return Ok(names),
                Err(error) => self.wait_out(outage, error).await?,
            }
        }
        Ok(Vec::new())
    }

    /// What a deploy would do, without any effect.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] if it could not be carried out, else the store's or the type registry's.
    pub async fn plan(&self, instance: &str, target: &Target) -> Result<Plan, EngineError> {
        let model = self.model(target).await?;
        let deployment = self.load(instance).await?;
        let reads = match &deployment {
            Some(deployment) => plan::read_all(&model, deployment, &self.adapters, &self.limiter).await,
            None => HashMap::new(),
        };
        Ok(plan::forecast(&model, deployment.as_ref(), &reads))
    }

    /// What a destroy would do, without any effect.
    ///
    /// # Errors
    /// The store's, or that the document cannot be read.
    pub async fn plan_destroy(&self, instance: &str, retain: bool) -> Result<Plan, EngineError> {
        let deployment = self.load(instance).await?;
        Ok(deployment
            .map(|deployment| plan::forecast_destroy(&deployment, retain))
            .unwrap_or_default())
    }

    /// The model of what is to be deployed.
    async fn model(&self, target: &Target) -> Result<Model, EngineError> {
        Model::build(target, self.adapters.schemas.as_ref())
            .await?
            .deployable()
    }

    async fn read(&self, instance: &str) -> Result<Option<(Deployment, Version)>, EngineError> {
        for outage in 0.. {
            match self.adapters.store.load(instance).await {
                Ok(Some((bytes, version))) => return Ok(Some((Deployment::read(&bytes)?, version))),
                Ok(None) => break,
                Err(error) => self.wait_out(outage, error).await?,
            }
        }
        Ok(None)
    }

    /// Waits a while for a store that does not answer, a few times in a row.
    async fn wait_out(&self, outage: u32, error: StoreError) -> Result<(), EngineError> {
        if outage >= OUTAGES {
            return Err(error.into());
        }
        let pause = std::time::Duration::from_millis(200 << outage);
        self.adapters.clock.sleep(pause).await;
        Ok(())
    }
}

/// Checks a target without an engine: what the author should know although it can be deployed.
///
/// # Errors
/// [`EngineError::Invalid`] with everything that is wrong with it, [`EngineError::Schemas`] if a schema could
/// not be fetched.
pub async fn check(target: &Target, schemas: &dyn SchemaSource) -> Result<Vec<Problem>, EngineError> {
    Ok(Model::build(target, schemas).await?.warnings)
}

/// Checks a target as [`check`] does, and with the blueprints that it includes.
///
/// # Errors
/// [`EngineError::Invalid`] with everything that is wrong with it, [`EngineError::Schemas`] if a schema could
/// not be fetched.
pub async fn check_with_children(
    target: &Target,
    schemas: &dyn SchemaSource,
    children: &dyn Children,
) -> Result<Vec<Problem>, EngineError> {
    Ok(Model::build_with(target, schemas, children).await?.warnings)
}

/// Says for every resource what the new generation has to do with it.
pub(crate) fn assign(deployment: &mut Deployment, model: Option<&Model>) {
    let Some(model) = model else {
        let retain = matches!(deployment.goal, StoredGoal::Destroy { retain: true });
        let action = if retain { Action::Retain } else { Action::Delete };
        for resource in deployment
            .resources
            .values_mut()
            .chain(deployment.retired.values_mut())
        {
            resource.work = Work::new(action, Stage::Pending);
        }
        return;
    };
    let mut earlier = std::mem::take(&mut deployment.resources);
    for leftover in deployment.retired.values_mut() {
        leftover.work = Work::new(Action::Delete, Stage::Pending);
    }
    for (name, node) in &model.nodes {
        let type_name = node.schema.type_name();
        let known = match earlier.shift_remove(name) {
            Some(known) if known.type_name == type_name => Some(known),
            Some(other) => {
                deployment.retire(name, other);
                None
            }
            None => None,
        };
        let resource = match known {
            Some(known) => {
                let action = if known.identifier.is_some() {
                    Action::Update
                } else {
                    Action::Create
                };
                Resource {
                    work: Work::new(action, Stage::Pending),
                    ..known
                }
            }
            None => Resource {
                type_name: type_name.to_owned(),
                work: Work::new(Action::Create, Stage::Pending),
                ..Resource::default()
            },
        };
        deployment.resources.insert(name.clone(), resource);
    }
    for (name, resource) in earlier {
        deployment.resources.insert(
            name,
            Resource {
                work: Work::new(Action::Delete, Stage::Pending),
                ..resource
            },
        );
    }
}

/// The outcome in a document.
pub(crate) fn outcome(deployment: &Deployment) -> Outcome {
    let result = deployment.result.clone();
    let exports: IndexMap<String, Value> = result
        .iter()
        .flat_map(|result| &result.exports)
        .map(|(name, export)| {
            let mut value = Value::from_json(&export.value);
            export
                .secrets
                .iter()
                .for_each(|pointer| taint_at(&mut value, pointer));
            (name.clone(), value)
        })
        .collect();
    Outcome {
        succeeded: result.as_ref().is_some_and(|result| result.succeeded),
        exports,
        failures: deployment.failures.clone(),
        resources: result.map(|result| result.resources).unwrap_or_default(),
    }
}
