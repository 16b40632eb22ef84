//! Deadlines and the end.

use super::{GRACE, Tick};
use crate::classify::{after, is_refusal};
use crate::deployment::{Phase, Stage, StoredExport, StoredResult, name_of};
use crate::desired::evaluation;
use crate::outcome::Failure;
use crate::scope::Scope;
use indexmap::IndexMap;

/// The code of what was not finished in time.
const TIMEOUT: &str = "Timeout";

impl Tick<'_> {
    /// Past the deadline nothing new begins; a while later nothing is waited for any more.
    pub(super) fn enforce_deadline(&mut self) {
        if !self.is_late() {
            return;
        }
        let open: Vec<(String, Stage, bool)> = self
            .deployment
            .lanes()
            .filter(|(_, resource)| !resource.work.stage.is_over())
            .map(|(lane, resource)| (lane.to_owned(), resource.work.stage, resource.operation.is_some()))
            .collect();
        if !open.is_empty()
            && !self
                .deployment
                .failures
                .iter()
                .any(|failure| failure.resource.is_none() && failure.code == TIMEOUT)
        {
            self.report_late(&open);
        }
        let lost_patience = self.now >= after(self.deployment.deadline, GRACE);
        for (lane, stage, in_flight) in open {
            match stage {
                _ if in_flight && lost_patience => self.leave(&lane),
                _ if in_flight => {}
                Stage::Confirm => self.end(&lane, Stage::Done),
                Stage::Verify if lost_patience => self.leave_unverified(&lane),
                Stage::Read => self.end(&lane, Stage::Skipped),
                _ => {}
            }
        }
    }

    fn report_late(&mut self, open: &[(String, Stage, bool)]) {
        let mut names: Vec<String> = open
            .iter()
            .map(|(lane, _, _)| format!("`{}`", name_of(lane)))
            .collect();
        names.dedup();
        let more = names.len().saturating_sub(20);
        names.truncate(20);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        self.deployment.failures.push(Failure {
            resource: None,
            type_name: String::new(),
            operation: if self.is_destroy() { "destroy" } else { "deploy" }.to_owned(),
            code: TIMEOUT.to_owned(),
            message: format!(
                "the deadline passed with resources pending: {}{more}",
                names.join(", ")
            ),
            property: None,
            location: None,
            leftover: false,
        });
        for (lane, _, _) in open {
            // What can be cancelled is cancelled now, not at the next poll.
            if let Some(operation) = self
                .deployment
                .lane_mut(lane)
                .and_then(|resource| resource.operation.as_mut())
            {
                operation.next = None;
            }
        }
        self.deployment.touch();
    }

    /// INVARIANT (kept in sight): the operation stays in the document for the next generation to await.
    fn leave(&mut self, lane: &str) {
        let verb = self
            .deployment
            .lane(lane)
            .and_then(|resource| resource.operation.as_ref())
            .map_or("deploy", |op| op.operation.verb());
        let failure = self.failure(lane, verb, TIMEOUT, "the operation had not ended at the deadline");
        self.fail(lane, failure);
    }

    fn leave_unverified(&mut self, lane: &str) {
        let Some(work) = self.work_mut(lane) else { return };
        let (candidate, failure) = (work.candidate.take(), work.failure.take());
        let intended = work.intended.take();
        let failure = failure.unwrap_or_else(|| {
            self.failure(
                lane,
                "create",
                TIMEOUT,
                "the operation had not ended at the deadline",
            )
        });
        if let Some(candidate) = candidate.filter(|_| !is_refusal(&failure.code)) {
            self.keep(lane, candidate, intended);
        }
        self.fail(lane, failure);
    }

    /// Ends the generation when every lane is over.
    pub(super) fn finish(&mut self) {
        if self
            .deployment
            .lanes()
            .any(|(_, resource)| !resource.work.stage.is_over())
        {
            return;
        }
        let mut exports = IndexMap::new();
        if !self.has_failed() {
            match self.exports() {
                Ok(computed) => exports = computed,
                Err(failure) => self.deployment.failures.push(*failure),
            }
        }
        let succeeded = !self.has_failed();
        self.deployment.result = Some(StoredResult {
            succeeded,
            exports,
            resources: self.deployment.reports(),
        });
        self.deployment.phase = Phase::Done;
        self.deployment.touch();
    }

    fn has_failed(&self) -> bool {
        self.deployment.failures.iter().any(|failure| !failure.leftover)
    }

    fn exports(&self) -> Result<IndexMap<String, StoredExport>, Box<Failure>> {
        let Some(model) = self.context.model else {
            return Ok(IndexMap::new());
        };
        let scope = Scope::during(model, &self.deployment);
        let mut exports = IndexMap::new();
        for name in &model.exports {
            let Some(export) = model.blueprint.exports.get(name) else {
                continue;
            };
            let value = model.blueprint.evaluate_export(export, &scope).map_err(|error| {
                let mut failure = evaluation(model, name, "", &error);
                failure.resource = None;
                failure.operation = format!("export `{name}`");
                Box::new(failure)
            })?;
            exports.insert(
                name.clone(),
                StoredExport {
                    value: value.to_json(),
                    secrets: value.secret_pointers(),
                },
            );
        }
        Ok(exports)
    }
}
