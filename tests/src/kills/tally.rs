//! What happened in histories, counted.

use crate::function::Death;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The counts of one history, or of many.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Seeds of histories that went wrong; they are not counted.
    pub violations: Vec<u64>,
    /// Histories.
    pub histories: usize,
    /// Kills by request, function, and how.
    pub kills: BTreeMap<(&'static str, &'static str, Death), usize>,
    /// Kills by moment.
    pub moments: BTreeMap<String, usize>,
    /// Answers by request and status.
    pub answers: BTreeMap<(&'static str, String), usize>,
    /// Reasons of FAILED answers by request.
    pub reasons: BTreeMap<(&'static str, String), usize>,
    /// Invocations of both functions, retries included.
    pub invocations: usize,
    /// Calls that the sandbox got.
    pub calls: usize,
    /// Executions of the waiter.
    pub executions: usize,
    /// Executions that were stopped.
    pub stopped: usize,
    /// Those that did not end well, whose answer came through the rule.
    pub failed_executions: usize,
    /// Answers that were put once more, word for word.
    pub repeated_puts: usize,
    /// How long it took.
    pub took: Duration,
}

impl Tally {
    /// All kills.
    #[must_use]
    pub fn kills(&self) -> usize {
        self.kills.values().sum()
    }

    pub(super) fn add(&mut self, other: Tally) {
        self.histories += other.histories;
        add(&mut self.kills, other.kills);
        add(&mut self.moments, other.moments);
        add(&mut self.answers, other.answers);
        add(&mut self.reasons, other.reasons);
        self.invocations += other.invocations;
        self.calls += other.calls;
        self.executions += other.executions;
        self.stopped += other.stopped;
        self.failed_executions += other.failed_executions;
        self.repeated_puts += other.repeated_puts;
    }
}

fn add<K: Ord>(to: &mut BTreeMap<K, usize>, from: BTreeMap<K, usize>) {
    for (key, count) in from {
        *to.entry(key).or_default() += count;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} kills in {} histories, {:.0} s: {} invocations, {} calls, {} executions of the waiter ({} failed, {} of them stopped), \
             {} answers repeated word for word",
            self.kills(),
            self.histories,
            self.took.as_secs_f64(),
            self.invocations,
            self.calls,
            self.executions,
            self.failed_executions,
            self.stopped,
            self.repeated_puts,
        )?;
        writeln!(f, "violations: {:?}", self.violations)?;
        writeln!(f, "kills by request and function:")?;
        for ((phase, function, death), count) in &self.kills {
            let how = match death {
                Death::Killed => "SIGKILL",
                Death::Frozen => "out of time",
            };
            writeln!(f, "  {count:>5}  {phase:<9} {function:<12} {how}")?;
        }
        writeln!(f, "kills by moment:")?;
        for (moment, count) in &self.moments {
            writeln!(f, "  {count:>5}  {moment}")?;
        }
        writeln!(f, "answers:")?;
        for ((phase, status), count) in &self.answers {
            writeln!(f, "  {count:>5}  {phase:<13} {status}")?;
        }
        for ((phase, reason), count) in &self.reasons {
            writeln!(f, "  {count:>5}  {phase:<13} {reason}")?;
        }
        Ok(())
    }
}
