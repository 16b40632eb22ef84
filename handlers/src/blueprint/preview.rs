//! What a request would do, for somebody who watches: nothing of it is needed to carry the request out.

use super::resource::target;
use super::{DeletionPolicy, Properties, identity};
use formwork_engine::ports::BlueprintSource;
use formwork_engine::{Engine, Plan};
use formwork_protocol::{Envelope, Operation, Request};
use formwork_provider::Head;
use serde_json::Value;
use std::sync::Arc;

/// Plans requests without carrying them out.
pub struct Preview {
    engine: Arc<Engine>,
    blueprints: Arc<dyn BlueprintSource>,
}

impl Preview {
    /// A preview by an engine on the adapters that will carry the requests out.
    pub fn new(engine: Arc<Engine>, blueprints: Arc<dyn BlueprintSource>) -> Self {
        Preview { engine, blueprints }
    }

    /// What a request would do; `None` if it cannot be carried out, whose answer then says why.
    pub async fn plan(&self, event: &Value) -> Option<Plan> {
        let envelope = Envelope::read(event).ok()?;
        let request = Request::parse(event).ok()?;
        let head = Head {
            stack_id: envelope.stack_id.clone(),
            stack_name: envelope.stack_name().to_owned(),
            logical_resource_id: envelope.logical_resource_id.clone(),
            request_id: envelope.request_id.clone(),
            resource_type: request.resource_type.clone(),
            request_key: envelope.request_key().as_str().to_owned(),
            instance_folder: envelope.instance_folder(),
            issued: envelope.response_url.signed_at(),
            service_timeout: request.service_timeout,
            request_type: request.operation.request_type(),
        };
        let id = match &request.operation {
            Operation::Create => identity::physical_resource_id(&head),
            Operation::Update {
                physical_resource_id, ..
            }
            | Operation::Delete { physical_resource_id } => physical_resource_id.clone(),
        };
        let instance = identity::instance(&head, &id);
        if let Operation::Delete { .. } = request.operation {
            let retain = Properties::deletion_policy_of(&request.properties) == DeletionPolicy::Retain;
            return self.engine.plan_destroy(&instance, retain).await.ok();
        }
        let properties = Properties::read(&request.properties).ok()?;
        let target = target(properties, self.blueprints.as_ref()).await.ok()?;
        self.engine.plan(&instance, &target).await.ok()
    }
}
