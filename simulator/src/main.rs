//! `formwork-simulator simulate --seeds N`: long runs, and the story of a single seed.

#![expect(clippy::print_stdout, reason = "what it finds is for people to read")]

use clap::{Parser, Subcommand};
use formwork_simulator::{Fault, Mask, Report, run, shrink};
use std::collections::BTreeMap;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "The whole provider in one process, under every fault")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lives through seeds, and says what must never happen and did.
    Simulate {
        /// How many seeds.
        #[arg(long, default_value_t = 1_000)]
        seeds: u64,
        /// The first of them.
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// Only this one: made as small as it goes if it fails, and told.
        #[arg(long)]
        seed: Option<u64>,
        /// Seeds at once.
        #[arg(long, default_value_t = 1)]
        threads: u64,
        /// Custom resources at once, two and two of them in a stack.
        #[arg(long, default_value_t = 1)]
        stacks: u64,
        /// Failing seeds after which to stop.
        #[arg(long, default_value_t = 20)]
        failures: usize,
    },
}

fn main() -> std::io::Result<ExitCode> {
    let Command::Simulate {
        seeds,
        from,
        seed,
        threads,
        stacks,
        failures,
    } = Arguments::parse().command;
    match seed {
        Some(seed) => tell(seed, stacks),
        None => simulate(from..from.saturating_add(seeds), stacks, threads.max(1), failures),
    }
}

fn tell(seed: u64, stacks: u64) -> std::io::Result<ExitCode> {
    let whole = run(seed, stacks, &Mask::default(), true)?;
    if whole.violations.is_empty() {
        whole.story.iter().for_each(|line| println!("{line}"));
        println!("seed {seed}: {} strikes, no violation", whole.struck.len());
        return Ok(ExitCode::SUCCESS);
    }
    let (mask, report) = shrink(seed, stacks)?;
    report.story.iter().for_each(|line| println!("{line}"));
    println!(
        "seed {seed}: {} strikes, of which these are enough:",
        whole.struck.len()
    );
    for (fault, occasion) in &report.struck {
        println!("  {} (occasion {occasion})", fault.name());
    }
    println!("steps of the story: {:?}", mask.steps);
    report
        .violations
        .iter()
        .for_each(|violation| println!("VIOLATION {violation}"));
    Ok(ExitCode::FAILURE)
}

/// What many runs come to.
#[derive(Default)]
struct Sum {
    runs: u64,
    requests: usize,
    successes: usize,
    calls: u64,
    duration: Duration,
    struck: BTreeMap<Fault, u64>,
    failed: Vec<u64>,
}

impl Sum {
    fn add(&mut self, report: &Report) {
        self.runs += 1;
        self.requests += report.requests;
        self.successes += report.successes;
        self.calls += report.calls;
        self.duration += report.duration;
        for (fault, _) in &report.struck {
            *self.struck.entry(*fault).or_default() += 1;
        }
        if !report.violations.is_empty() {
            self.failed.push(report.seed);
        }
    }

    fn print(&self) {
        println!(
            "{} seeds, {} requests ({} answered SUCCESS), {} calls of the cloud, {} simulated hours",
            self.runs,
            self.requests,
            self.successes,
            self.calls,
            self.duration.as_secs() / 3600
        );
        for (fault, count) in &self.struck {
            println!("{count:>10}  {}", fault.name());
        }
        println!("{:>10}  faults in all", self.struck.values().sum::<u64>());
        println!("seeds that fail: {} {:?}", self.failed.len(), self.failed);
    }
}

fn simulate(seeds: Range<u64>, stacks: u64, threads: u64, failures: usize) -> std::io::Result<ExitCode> {
    let (next, end) = (AtomicU64::new(seeds.start), seeds.end);
    let mut sum = Sum::default();
    std::thread::scope(|scope| -> std::io::Result<()> {
        let (sender, reports) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || sender.send(run(seed, stacks, &Mask::default(), false)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for report in reports {
            let report = report?;
            for violation in &report.violations {
                println!("seed {}: VIOLATION {violation}", report.seed);
            }
            sum.add(&report);
            if sum.runs % 5_000 == 0 {
                println!("... {} seeds, {} of them fail", sum.runs, sum.failed.len());
            }
            if sum.failed.len() >= failures {
                next.store(end, Ordering::Relaxed);
            }
        }
        Ok(())
    })?;
    sum.print();
    Ok(if sum.failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
