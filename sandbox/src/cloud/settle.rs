//! What has happened until now.

use super::operation::{Action, Operation, Status};
use super::{Cloud, Resource, exists, hostile, identifier, missing, values};
use jiff::Timestamp;

impl Cloud {
    /// Lets everything happen that is due, in the order in which it is; true if anything did.
    pub(crate) fn settle(&mut self, now: Timestamp) -> bool {
        let mut happened = false;
        while let Some((index, at)) = self.earliest(now) {
            // Taken out for the time of the change, so that the rest can be looked at.
            let Some(slot) = self.memory.operations.get(index) else {
                break;
            };
            let mut operation = slot.clone();
            match operation.status {
                Status::Started => self.carry_out(&mut operation, at),
                _ => self.finish(&mut operation, at),
            }
            if let Some(slot) = self.memory.operations.get_mut(index) {
                *slot = operation;
            }
            self.start_waiting(at);
            happened = true;
        }
        self.forget_the_old(now);
        happened
    }

    fn earliest(&self, now: Timestamp) -> Option<(usize, Timestamp)> {
        self.memory
            .operations
            .iter()
            .enumerate()
            .filter_map(|(index, operation)| Some((index, operation.next_event()?)))
            .filter(|(_, at)| *at <= now)
            .min_by_key(|(index, at)| (*at, *index))
    }

    /// Starts what waits for its turn, as many as may run at the same time.
    pub(super) fn start_waiting(&mut self, at: Timestamp) {
        let limit = self.options.concurrent_operations.unwrap_or(usize::MAX);
        let running = |operation: &&Operation| matches!(operation.status, Status::Started | Status::Settling);
        let mut free = limit.saturating_sub(self.memory.operations.iter().filter(running).count());
        for operation in &mut self.memory.operations {
            if free == 0 {
                break;
            }
            if operation.status == Status::Pending {
                operation.status = Status::Started;
                operation.started = Some(at.max(operation.accepted));
                operation.event_time = at.max(operation.accepted);
                free -= 1;
            }
        }
    }

    /// The change itself.
    fn carry_out(&mut self, operation: &mut Operation, at: Timestamp) {
        operation.status = Status::Settling;
        operation.event_time = at;
        if let Some(failure) = operation.failure.clone().filter(|failure| !failure.done) {
            operation.fail(&failure.code, &failure.message, at);
            return;
        }
        match operation.action {
            Action::Create => self.create(operation, at),
            Action::Update => self.update(operation, at),
            Action::Delete => {
                let identifier = operation.identifier.clone().unwrap_or_default();
                if self.resource(&operation.type_name, &identifier).is_none() {
                    operation.fail("NotFound", &missing(&operation.type_name, &identifier), at);
                }
            }
        }
    }

    fn create(&mut self, operation: &mut Operation, at: Timestamp) {
        let schema = match self.registry.find(&operation.type_name) {
            Ok(schema) => schema,
            Err(error) => return operation.fail("InternalFailure", &error.message, at),
        };
        let mut properties = operation.model.take().unwrap_or_default();
        let place = self.place(at);
        values::fill_in(&schema, &mut properties, &place, &mut self.rng);
        let Some(identifier) = identifier::of(&schema, &properties) else {
            return operation.fail("InternalFailure", "the resource has no identifier", at);
        };
        operation.identifier = Some(identifier.clone());
        if self.resource(&operation.type_name, &identifier).is_some() {
            return operation.fail("AlreadyExists", &exists(&operation.type_name, &identifier), at);
        }
        let resource = Resource {
            properties,
            created: at,
            hidden_reads: operation.hidden_reads,
        };
        self.memory
            .resources
            .entry(operation.type_name.clone())
            .or_default()
            .insert(identifier, resource);
    }

    fn update(&mut self, operation: &mut Operation, at: Timestamp) {
        let identifier = operation.identifier.clone().unwrap_or_default();
        let mut model = operation.model.take();
        if let Some(model) = model.as_mut().filter(|_| self.options.hostile_reads) {
            if let Some(refusal) = hostile::refusal(&operation.type_name, model) {
                return operation.fail("InvalidRequest", refusal, at);
            }
            if let Ok(schema) = self.registry.find(&operation.type_name) {
                hostile::restore(&schema, model);
            }
        }
        let found = self
            .memory
            .resources
            .get_mut(&operation.type_name)
            .and_then(|all| all.get_mut(&identifier));
        match (found, model) {
            // The whole model: write-only values that were not sent again are gone.
            (Some(resource), Some(model)) => resource.properties = model,
            _ => operation.fail("NotFound", &missing(&operation.type_name, &identifier), at),
        }
    }

    fn finish(&mut self, operation: &mut Operation, at: Timestamp) {
        if operation.action == Action::Delete && operation.failure.is_none() {
            let identifier = operation.identifier.clone().unwrap_or_default();
            if let Some(all) = self.memory.resources.get_mut(&operation.type_name) {
                all.remove(&identifier);
                if all.is_empty() {
                    self.memory.resources.remove(&operation.type_name);
                }
            }
        }
        match operation.failure.clone() {
            Some(failure) => operation.fail(&failure.code, &failure.message, at),
            None => operation.end(Status::Success, at),
        }
    }
}
