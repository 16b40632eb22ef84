//! Intents: what is going to be called is written down first.

use super::Tick;
use crate::deployment::{InFlight, Stage};
use crate::desired::Desired;
use crate::observer::EventKind;
use crate::outcome::Action;
use crate::ports::Operation;
use sha2::{Digest, Sha256};

impl Tick<'_> {
    pub(super) fn intend_create(&mut self, lane: &str, action: Action) {
        let desired = match self.desired(lane) {
            Ok(desired) => desired,
            Err(failure) => return self.fail(lane, *failure),
        };
        let payload = match desired.text() {
            Ok(payload) => payload,
            Err(message) => {
                let failure = self.failure(lane, "create", "InvalidRequest", &message);
                return self.fail(lane, failure);
            }
        };
        let implied = self
            .context
            .model
            .and_then(|model| model.nodes.get(lane))
            .and_then(|node| node.schema.identifier(&desired.value));
        self.intend(lane, action, Operation::Create, |operation| {
            operation.payload = Some(payload);
            operation.implied = implied;
            operation.remembered = Some(desired.remembered);
        });
    }

    pub(super) fn intend_update(
        &mut self,
        lane: &str,
        patch: &json_patch::Patch,
        desired: Desired,
        or_replace: bool,
    ) {
        let payload = match serde_json::to_string(patch) {
            Ok(payload) => payload,
            Err(_) => {
                let failure = self.failure(
                    lane,
                    "update",
                    "InvalidRequest",
                    "the patch cannot be written as JSON",
                );
                return self.fail(lane, failure);
            }
        };
        let identifier = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.identifier.clone());
        if let Some(work) = self.work_mut(lane) {
            work.or_replace = or_replace;
        }
        self.intend(lane, Action::Update, Operation::Update, |operation| {
            operation.identifier = identifier;
            operation.payload = Some(payload);
            operation.remembered = Some(desired.remembered);
        });
    }

    pub(super) fn intend_delete(&mut self, lane: &str, action: Action) {
        let identifier = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.identifier.clone());
        self.intend(lane, action, Operation::Delete, |operation| {
            operation.identifier = identifier
        });
    }

    /// Writes down what is going to be called, under a client token that no other attempt has.
    fn intend(
        &mut self,
        lane: &str,
        action: Action,
        operation: Operation,
        complete: impl FnOnce(&mut InFlight),
    ) {
        let (instance, salt, generation) = (
            &self.deployment.instance,
            &self.deployment.salt,
            self.deployment.generation,
        );
        let attempt = self
            .deployment
            .lane(lane)
            .map_or(0, |resource| resource.work.attempt)
            + 1;
        let client_token = client_token(&[
            instance,
            salt,
            lane,
            &generation.to_string(),
            &attempt.to_string(),
        ]);
        let depends_on = self
            .context
            .model
            .and_then(|model| model.nodes.get(lane))
            .map(|node| node.depends_on.clone())
            .unwrap_or_default();
        let mut intent = InFlight {
            operation,
            generation,
            client_token,
            identifier: None,
            implied: None,
            request_token: None,
            payload: None,
            remembered: None,
            started: self.now,
            resent: false,
            blurred: false,
            turn: 0,
            stumbles: 0,
            next: None,
            cancelled: false,
            accepted: None,
            unlisted: false,
        };
        complete(&mut intent);
        if let Some(resource) = self.deployment.lane_mut(lane) {
            resource.operation = Some(intent);
            resource.work.action = action;
            resource.work.attempt = attempt;
            // Until the end is known it may be built upon the old ones as well as the new ones.
            for name in depends_on {
                if !resource.depends_on.contains(&name) {
                    resource.depends_on.push(name);
                }
            }
        }
        self.set_stage(lane, Stage::Call);
        self.tell(
            lane,
            if attempt == 1 {
                EventKind::Started
            } else {
                EventKind::Progress
            },
            None,
        );
    }
}

fn client_token(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0").as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
