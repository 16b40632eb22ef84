//! Makes a failing run small: takes back whatever it does not need to fail.

use crate::dice::Mask;
use crate::run::{Report, run};

/// The smallest mask found under which the seed still violates something, and that run with its story.
///
/// # Errors
/// When no runtime can be made.
pub fn shrink(seed: u64, stacks: u64) -> std::io::Result<(Mask, Report)> {
    let mut mask = Mask::default();
    let fails =
        |candidate: &Mask| run(seed, stacks, candidate, false).map(|report| !report.violations.is_empty());
    for steps in 1..5 {
        let candidate = Mask {
            steps: Some(steps),
            ..mask.clone()
        };
        if fails(&candidate)? {
            mask = candidate;
            break;
        }
    }
    loop {
        let before = mask.clone();
        let struck = run(seed, stacks, &mask, false)?.struck;
        for (fault, _) in &struck {
            let mut candidate = mask.clone();
            if candidate.faults.insert(*fault) && fails(&candidate)? {
                mask = candidate;
            }
        }
        for strike in struck {
            let mut candidate = mask.clone();
            if candidate.strikes.insert(strike) && fails(&candidate)? {
                mask = candidate;
            }
        }
        if mask == before {
            break;
        }
    }
    let report = run(seed, stacks, &mask, true)?;
    Ok((mask, report))
}
