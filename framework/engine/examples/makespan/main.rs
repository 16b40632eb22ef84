//! How close deployments come to their critical path, and how many calls that takes:
//!
//! ```text
//! cargo run --release -p formwork-engine --example makespan
//! ```
//!
//! Everything runs in virtual time on a cloud in memory, so the numbers are the same on every machine. Beside
//! it, the polling of other tools on the same operations.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and stops at trouble"
)]

mod graphs;
mod ours;
mod peers;

use fastrand::Rng;
use graphs::{Graph, always, chain, diamonds, fan, layered, mixed, typed};
use ours::Circumstances;
use peers::{PEERS, run as run_peer};
use std::time::Duration;

/// As many at once as there are, at the default rate, with calls that take no time.
const IDEAL: Circumstances = Circumstances {
    max_concurrency: 1_000,
    requests_per_second: 25,
    call: Duration::ZERO,
    write: Duration::ZERO,
};

fn main() {
    println!("Calls and writes that take no time, 25 calls per second, no limit on what runs at once.\n");
    heading();
    for graph in graphs() {
        row(&graph, IDEAL);
    }
    println!("\nThe same where a call takes 60 ms and a write of the state 30 ms.\n");
    heading();
    for graph in graphs() {
        let distant = Circumstances {
            call: Duration::from_millis(60),
            write: Duration::from_millis(30),
            ..IDEAL
        };
        row(&graph, distant);
    }
}

fn graphs() -> Vec<Graph> {
    let dice = || Rng::with_seed(5);
    let named = |what: &str, mut graph: Graph| {
        graph.name = format!("{}, {what}", graph.name);
        graph
    };
    vec![
        named("0.5 s", chain(30, always(500))),
        named("0.52 s", chain(30, always(520))),
        named("1.4 s", chain(10, always(1_400))),
        named("5.5 s", chain(10, always(5_500))),
        named("20 s", chain(10, always(20_000))),
        named("120 s", chain(3, always(120_000))),
        named("mixed", chain(30, mixed(&mut dice()))),
        named("by type", chain(30, typed(&mut dice()))),
        named("1.4 s", fan(10, always(1_400))),
        named("mixed", fan(50, mixed(&mut dice()))),
        named("mixed", fan(200, mixed(&mut dice()))),
        named("0.5 s", diamonds(10, 3, always(500))),
        named("mixed", diamonds(5, 10, mixed(&mut dice()))),
        named("by type", diamonds(5, 10, typed(&mut dice()))),
        named("mixed", layered(1_000, 10, &mut dice(), mixed(&mut dice()))),
        named("by type", layered(1_000, 10, &mut dice(), typed(&mut dice()))),
    ]
}

fn heading() {
    println!(
        "| deployment | critical path | Formwork | | calls per resource: create + status + lists + read | writes | Pulumi | | calls | Terraform | | calls | Radius | | calls |"
    );
    println!("|{}", " --- |".repeat(15));
}

fn row(graph: &Graph, circumstances: Circumstances) {
    let critical = graph.critical_path() as f64;
    let count = graph.tasks.len() as f64;
    let ours = ours::run(graph, circumstances);
    let millis = ours.makespan.as_secs_f64() * 1_000.0;
    let calls = ours.calls;
    let each = |calls: u32| f64::from(calls) / count;
    print!(
        "| {} | {} | {} | {:.2} | {:.1}: {:.1} + {:.1} + {:.1} + {:.1} | {} |",
        graph.name,
        seconds(critical),
        seconds(millis),
        millis / critical,
        each(calls.total()),
        each(calls.mutations),
        each(calls.polls),
        each(calls.lists),
        each(calls.reads),
        ours.writes,
    );
    for peer in PEERS {
        let run = run_peer(graph, peer);
        print!(
            " {} | {:.2} | {:.1} |",
            seconds(run.makespan),
            run.makespan / critical,
            run.calls as f64 / count
        );
    }
    println!();
}

fn seconds(millis: f64) -> String {
    format!("{:.1} s", millis / 1_000.0)
}
