//! The cloud as one process reaches it: over a network that loses calls and answers.

use super::{SimulatedCloud, refusal};
use crate::dice::Fault;
use crate::process::Process;
use async_trait::async_trait;
use formwork_engine::ports::{Active, Cloud, CloudError, Mutation, ProgressEvent};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct CloudAccess {
    pub(crate) cloud: Arc<SimulatedCloud>,
    pub(crate) process: Arc<Process>,
}

impl CloudAccess {
    fn delay(&self) -> Duration {
        let dice = &self.process.world.dice;
        if dice.strikes(Fault::CallSlow) {
            Duration::from_millis(dice.draw(100, 4_000))
        } else {
            Duration::ZERO
        }
    }

    /// What meets a call before the service looks at it.
    async fn hindrance(&self) -> Option<CloudError> {
        let dice = &self.process.world.dice;
        let error = if dice.strikes(Fault::CallThrottled) {
            refusal("ThrottlingException", "Rate exceeded")
        } else if dice.strikes(Fault::CallBroken) {
            refusal("ServiceInternalErrorException", "something went wrong")
        } else if dice.strikes(Fault::CallLost) {
            refusal("Network", "connection refused")
        } else {
            return None;
        };
        self.process.world.tell(|| format!("cloud: a call meets {error}"));
        let delay = self.delay();
        self.process.call(delay, || ()).await;
        Some(error)
    }

    async fn ask<T: Send + 'static>(
        &self,
        effect: impl FnOnce(&SimulatedCloud) -> Result<T, CloudError> + Send + 'static,
    ) -> Result<T, CloudError> {
        if let Some(error) = self.hindrance().await {
            return Err(error);
        }
        let lost = self.process.world.dice.strikes(Fault::AnswerLost);
        let (cloud, delay) = (Arc::clone(&self.cloud), self.delay());
        let answer = self.process.call(delay, move || effect(&cloud)).await;
        if lost {
            Err(refusal("Timeout", "no answer"))
        } else {
            answer
        }
    }
}

#[async_trait]
impl Cloud for CloudAccess {
    async fn mutate(&self, mutation: &Mutation) -> Result<ProgressEvent, CloudError> {
        let dice = &self.process.world.dice;
        if dice.strikes(Fault::CallDenied) {
            self.process.world.tell(|| "cloud: a call is denied".to_owned());
            let delay = self.delay();
            self.process.call(delay, || ()).await;
            return Err(refusal("AccessDeniedException", "not authorized to perform this"));
        }
        let (cloud, own) = (Arc::clone(&self.cloud), mutation.clone());
        if dice.strikes(Fault::CallLate) {
            let late = Duration::from_millis(dice.draw(1_000, 30_000));
            self.process
                .world
                .tell(|| format!("cloud: a call gets there in {late:?}"));
            self.process
                .call_unheard(PATIENCE, late, move || cloud.accept(&own))
                .await;
            return Err(refusal("Timeout", "no answer"));
        }
        self.ask(move |cloud| cloud.accept(&own)).await
    }

    async fn status(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        let token = request_token.to_owned();
        self.ask(move |cloud| cloud.status(&token)).await
    }

    async fn active(&self, page: Option<&str>) -> Result<Active, CloudError> {
        let page = page.map(str::to_owned);
        self.ask(move |cloud| cloud.active(page.as_deref())).await
    }

    async fn cancel(&self, request_token: &str) -> Result<ProgressEvent, CloudError> {
        let token = request_token.to_owned();
        self.ask(move |cloud| cloud.cancel(&token)).await
    }

    async fn read(
        &self,
        type_name: &str,
        identifier: &str,
        _role_arn: Option<&str>,
    ) -> Result<Value, CloudError> {
        let (type_name, identifier) = (type_name.to_owned(), identifier.to_owned());
        self.ask(move |cloud| cloud.read(&type_name, &identifier)).await
    }
}
