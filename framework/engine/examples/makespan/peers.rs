//! The polling of other tools on the same API, by the rules in their sources. They are given more than they
//! have: no limit on what runs at once, no rate limit, and calls that take no time.

use crate::graphs::Graph;
use fastrand::Rng;

/// Another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// pulumi-aws-native: a random part of 1, 2, 4, 8, 16 s, then 30 s; then a read.
    Pulumi,
    /// Terraform's awscc provider, with the waiter of the Go SDK: at once, after 5 s, then between 5 s and
    /// 5, 10, 20, ... s, at most 120 s; then a read.
    Terraform,
    /// Radius: clients are told to come back after 60 s; the type is described and the resource read before.
    Radius,
}

/// All of them, in the order of the table.
pub(crate) const PEERS: [Peer; 3] = [Peer::Pulumi, Peer::Terraform, Peer::Radius];

/// What a run takes: milliseconds and calls.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    /// From the beginning to the last end that was noticed.
    pub(crate) makespan: f64,
    /// Calls to the cloud.
    pub(crate) calls: u64,
}

/// Deploys a graph, as the mean of some runs with different dice.
pub(crate) fn run(graph: &Graph, peer: Peer) -> Run {
    const RUNS: u64 = 20;
    let mut sum = Run::default();
    for seed in 0..RUNS {
        let once = run_once(graph, peer, &mut Rng::with_seed(seed));
        sum.makespan += once.makespan;
        sum.calls += once.calls;
    }
    #[expect(clippy::cast_precision_loss, reason = "twenty")]
    Run {
        makespan: sum.makespan / RUNS as f64,
        calls: sum.calls / RUNS,
    }
}

fn run_once(graph: &Graph, peer: Peer, random: &mut Rng) -> Run {
    let mut ends: Vec<f64> = Vec::new();
    let mut run = Run::default();
    for task in &graph.tasks {
        let start = task.needs.iter().map(|need| ends[*need]).fold(0.0, f64::max);
        #[expect(clippy::cast_precision_loss, reason = "at most 120,000")]
        let (noticed, polls) = notice(peer, task.millis as f64, random);
        ends.push(start + noticed);
        run.makespan = run.makespan.max(start + noticed);
        run.calls += polls
            + match peer {
                Peer::Pulumi | Peer::Terraform => 2,
                Peer::Radius => 3,
            };
    }
    run
}

/// When the end of an operation is noticed, and how many looks that takes.
fn notice(peer: Peer, took: f64, random: &mut Rng) -> (f64, u64) {
    let mut now = 0.0;
    let mut polls = 0;
    loop {
        now += match peer {
            Peer::Pulumi if polls < 5 => random.f64() * 1_000.0 * pow2(polls),
            Peer::Pulumi => 30_000.0,
            Peer::Terraform if polls == 0 => 0.0,
            Peer::Terraform if polls == 1 => 5_000.0,
            Peer::Terraform => {
                let ceiling = (5_000.0 * pow2(polls - 1)).min(120_000.0);
                5_000.0 + random.f64() * (ceiling - 5_000.0)
            }
            Peer::Radius => 60_000.0,
        };
        polls += 1;
        if now >= took {
            return (now, polls);
        }
    }
}

fn pow2(exponent: u64) -> f64 {
    (0..exponent.min(30)).fold(1.0, |power, _| power * 2.0)
}
