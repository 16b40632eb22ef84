//! Kills the real Lambda binaries, again and again, and checks what must hold (`formwork_tests::kills`).
//!
//! ```text
//! cargo run -p formwork-tests --example kills -- [KILLS [FIRST SEED [HISTORIES AT ONCE]]]
//! ```
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a tool for the terminal")]

use formwork_tests::kills;

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse::<u32>().expect("the arguments are numbers"));
    let kills = numbers.next().unwrap_or(200);
    let first_seed = numbers.next().unwrap_or(1);
    let at_once = numbers.next().unwrap_or(4);
    let kills = usize::try_from(kills).expect("usize holds 32 bits");
    let at_once = usize::try_from(at_once).expect("usize holds 32 bits");
    let tally = kills::run(first_seed.into(), kills, at_once, |seed, history| {
        println!(
            "seed {seed}: {} kills, {} invocations, {:.0} s",
            history.kills(),
            history.invocations,
            history.took.as_secs_f64()
        );
    })
    .await;
    println!("{tally}");
}
