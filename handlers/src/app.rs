//! Everything put together: adapters, engine, provider, resources.

use crate::blueprint::{BlueprintResource, Preview};
use crate::{Settings, SettingsError, operator};
use formwork_aws::{
    AllowedHost, CloudControl, Connection, Credentials, Http, ObjectRequests, ObjectStates, ResponsePut,
    S3Blueprints, StepFunctions, SystemClock, TypeRegistry, open_store,
};
use formwork_engine::{Adapters, Engine, Limits, Observer, Plan};
use formwork_provider::ports::{self, Waiter};
use formwork_provider::{FlowError, Invocation, Ports, Provider};
use serde_json::Value;
use std::sync::Arc;

/// The resource type that Formwork serves.
const BLUEPRINT_TYPE: &str = "Custom::Blueprint";

/// The two functions' common body.
pub struct App {
    provider: Provider,
    preview: Preview,
    /// For whoever only looks.
    onlooker: Arc<Engine>,
}

impl App {
    /// Connects the adapters. Touches no network. `observer` hears of resources, `answers` of requests.
    ///
    /// # Errors
    /// When a setting cannot be used, by name.
    pub fn new(
        settings: &Settings,
        observer: Arc<dyn Observer>,
        answers: Option<Arc<dyn ports::Observer>>,
    ) -> Result<Self, SettingsError> {
        let unusable = |error: String| SettingsError(vec![error]);
        let http = Http::new().map_err(|error| unusable(error.to_string()))?;
        let connection = &settings.connection;
        let storage = open_store(&settings.state_url, connection, &http)
            .map_err(|error| unusable(format!("`FORMWORK_STATE_URL`: {error}")))?;
        let adapters = Adapters {
            cloud: Arc::new(CloudControl::new(connection, &http)),
            store: Arc::new(ObjectStates::new(storage.clone())),
            schemas: Arc::new(TypeRegistry::new(connection, &http)),
            clock: Arc::new(SystemClock),
            observer,
        };
        let limits = Limits {
            max_concurrency: settings.max_concurrency,
            ..Limits::default()
        };
        let waiter = settings
            .waiter_arn
            .as_ref()
            .map(|arn| Arc::new(StepFunctions::new(connection, &http, arn)) as Arc<dyn Waiter>);
        let ports = Ports {
            clock: Arc::new(SystemClock),
            sender: Arc::new(ResponsePut::new(&http, settings.response_hosts.iter().cloned())),
            waiter,
            store: Arc::new(ObjectRequests::new(storage)),
        };
        let blueprints = Arc::new(S3Blueprints::new(connection, &http));
        let onlooker = Arc::new(Engine::new(adapters.clone(), limits));
        let preview = Preview::new(onlooker.clone(), blueprints.clone());
        let engine = Engine::new(adapters, limits);
        let resource = BlueprintResource::new(engine, blueprints, settings.poll_window, new_salt);
        let mut builder = Provider::builder(ports).resource(BLUEPRINT_TYPE, resource);
        if let Some(answers) = answers {
            builder = builder.observer(answers);
        }
        Ok(App {
            provider: builder.build(),
            preview,
            onlooker,
        })
    }

    /// What a request would do, without any effect; `None` if it cannot be carried out.
    pub async fn plan(&self, event: &Value) -> Option<Plan> {
        self.preview.plan(event).await
    }

    /// Takes a custom resource request, or answers an operator who invokes the function directly.
    ///
    /// # Errors
    /// When the request could not be answered now; Lambda tries again.
    pub async fn on_event(&self, event: Value, invocation: Invocation) -> Result<Value, FlowError> {
        if let Some(question) = operator::read(&event) {
            return Ok(operator::answer(&self.onlooker, question, invocation.deadline).await);
        }
        self.provider.on_event(event, invocation).await
    }

    /// Carries a begun request on.
    ///
    /// # Errors
    /// When it could not be carried on now; the state machine tries again.
    pub async fn is_complete(&self, event: Value, invocation: Invocation) -> Result<Value, FlowError> {
        self.provider.is_complete(event, invocation).await
    }
}

/// Answers a request FAILED with what is wrong with the settings, instead of leaving the stack waiting for an
/// hour. Needs none of the settings but the hosts that may be answered. An operator is told directly.
///
/// # Errors
/// When the event cannot be answered, or not now.
pub(crate) async fn refuse(
    event: Value,
    error: &SettingsError,
    response_hosts: &[AllowedHost],
    invocation: Invocation,
) -> Result<Value, lambda_runtime::Error> {
    if operator::read(&event).is_some() {
        return Ok(operator::refusal(&error.to_string()));
    }
    let http = Http::new()?;
    let nowhere = Connection::new("unknown", Credentials::keys("", "", None));
    let ports = Ports {
        clock: Arc::new(SystemClock),
        sender: Arc::new(ResponsePut::new(&http, response_hosts.iter().cloned())),
        waiter: None,
        store: Arc::new(ObjectRequests::new(open_store("memory:///", &nowhere, &http)?)),
    };
    Ok(Provider::refuse(ports, event, &error.to_string(), invocation).await?)
}

fn new_salt() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}
