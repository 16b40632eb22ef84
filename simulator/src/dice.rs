//! Chance: every decision of a run comes from its seed, one by one, and each can be taken back.
//!
//! A fault strikes or not at the n-th occasion for it. Whether it does depends on the seed, the fault and n only,
//! so that taking one strike back leaves the others as they were: that is what shrinking a run needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

macro_rules! faults {
    ($($name:ident $text:literal,)*) => {
        /// What can go wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fault { $(#[doc = $text] $name,)* }

        impl Fault {
            /// All of them.
            pub const ALL: &[Fault] = &[$(Fault::$name,)*];

            /// For people.
            pub fn name(self) -> &'static str {
                match self { $(Fault::$name => $text,)* }
            }

            fn number(self) -> u64 {
                let mut number = 0;
                for fault in Fault::ALL {
                    number += 1;
                    if *fault == self {
                        break;
                    }
                }
                number
            }
        }
    };
}

faults! {
    // The way to the cloud.
    CallThrottled "cloud: a call is throttled",
    CallBroken "cloud: a call meets an internal error",
    CallDenied "cloud: a call is denied",
    CallLost "cloud: a call is lost on its way there",
    AnswerLost "cloud: the answer to a call is lost",
    CallLate "cloud: a call has no answer and takes effect later",
    CallSlow "cloud: a call is slow",
    // The cloud's operations.
    OperationFails "operation: fails and leaves nothing",
    OperationFailsHalfway "operation: fails and leaves what it did",
    OperationHiccups "operation: fails in a way worth another try",
    OperationThrottled "operation: is throttled by its service",
    OperationStuck "operation: never ends",
    OperationQueued "operation: waits in a queue",
    CancelIgnored "operation: does not stop when cancelled",
    RoleUnknown "operation: a new role is not known everywhere",
    IdentifierLate "operation: the identifier is named at the end only",
    ReadMissing "read: finds nothing for a while after a success",
    ReadStale "read: shows what was before for a while",
    ListLags "list: lacks what has begun last, and has what has ended last",
    // The stores.
    LoadFails "store: a read fails",
    SaveFails "store: a write fails",
    SaveLost "store: the answer to a write is lost",
    SaveLate "store: a write has no answer and takes effect later",
    StoreSlow "store: a call is slow",
    StoreDown "store: nothing works for a while",
    // The answer.
    PutFails "answer: the PUT is refused with a 5xx",
    PutLost "answer: the PUT is taken, and its answer lost",
    PutSlow "answer: the PUT is slow",
    // Lambda.
    DeliveredTwice "delivery: comes twice",
    DeliveredLate "delivery: comes late",
    KilledAtCall "process: killed before or after a call",
    KilledAnyTime "process: killed at some moment",
    // Step Functions.
    StartFails "waiter: cannot be started",
    StartLost "waiter: started, and the answer lost",
    Aborted "waiter: aborted",
    InvokeRefused "waiter: its call of the function is throttled",
    InvokeLost "waiter: gives up on a function that goes on",
    // CloudFormation.
    CreateCancelled "stack: a sibling fails during the Create",
    UpdateCancelled "stack: a sibling fails during the Update",
    RequestIdReused "stack: a RequestId comes again",
    // Every process has a clock of its own.
    ClockOff "process: its clock is up to a second off",
}

/// What is taken back of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mask {
    /// Faults that never strike.
    pub faults: BTreeSet<Fault>,
    /// Single strikes: a fault and the occasion for it.
    pub strikes: BTreeSet<(Fault, u32)>,
    /// The run ends after this many steps of the stack's story.
    pub steps: Option<usize>,
}

/// How often a fault strikes in one run.
#[derive(Debug, Clone, Copy)]
struct Rate {
    per_thousand: u64,
    at_most: u32,
}

/// The dice of one run.
#[derive(Debug)]
pub(crate) struct Dice {
    seed: u64,
    rates: BTreeMap<Fault, Rate>,
    mask: Mask,
    calm: AtomicBool,
    rolls: Mutex<Rolls>,
}

#[derive(Debug, Default)]
struct Rolls {
    occasions: BTreeMap<Fault, u32>,
    struck: Vec<(Fault, u32)>,
    strikes: BTreeMap<Fault, u32>,
    drawn: u64,
}

impl Dice {
    /// The dice of a seed. Each seed has weather of its own: some faults, each at a rate of its own.
    pub(crate) fn new(seed: u64, mask: Mask) -> Self {
        let mut weather = fastrand::Rng::with_seed(mix(seed ^ 0x7765_6174_6865_7200));
        // Some runs know hardly any fault, some nearly all: bugs hide in both.
        let share = weather.u64(0..=60);
        let mut rates = BTreeMap::new();
        for fault in Fault::ALL {
            let here = weather.u64(0..100) < share;
            let per_thousand = match fault {
                Fault::KilledAtCall => [3, 10, 30],
                Fault::StoreDown => [1, 3, 8],
                Fault::CreateCancelled | Fault::UpdateCancelled | Fault::RequestIdReused => [300, 500, 900],
                Fault::DeliveredTwice | Fault::DeliveredLate | Fault::Aborted | Fault::KilledAnyTime => {
                    [100, 300, 600]
                }
                Fault::OperationStuck => [10, 30, 100],
                Fault::ClockOff => [200, 500, 900],
                _ => [10, 40, 150],
            };
            let per_thousand = weather.choice(per_thousand).unwrap_or(10);
            let at_most = match fault {
                Fault::KilledAtCall | Fault::KilledAnyTime => weather.u32(1..6),
                Fault::StoreDown | Fault::OperationStuck | Fault::Aborted => weather.u32(1..3),
                _ => weather.u32(1..25),
            };
            if here {
                rates.insert(
                    *fault,
                    Rate {
                        per_thousand,
                        at_most,
                    },
                );
            }
        }
        Dice {
            seed,
            rates,
            mask,
            calm: AtomicBool::new(false),
            rolls: Mutex::default(),
        }
    }

    /// Whether the fault strikes at this occasion for it.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let mut rolls = self.rolls();
        let occasion = rolls.occasions.entry(fault).or_default();
        *occasion += 1;
        let occasion = *occasion;
        if self.calm.load(Ordering::Relaxed) || self.mask.faults.contains(&fault) {
            return false;
        }
        let Some(rate) = self.rates.get(&fault) else {
            return false;
        };
        let roll = mix(self.seed ^ mix(fault.number() << 32 | u64::from(occasion)));
        if roll % 1_000 >= rate.per_thousand || self.mask.strikes.contains(&(fault, occasion)) {
            return false;
        }
        let strikes = rolls.strikes.entry(fault).or_default();
        if *strikes >= rate.at_most {
            return false;
        }
        *strikes += 1;
        rolls.struck.push((fault, occasion));
        true
    }

    /// A number in `low..=high`, another one each time.
    pub(crate) fn draw(&self, low: u64, high: u64) -> u64 {
        let mut rolls = self.rolls();
        rolls.drawn += 1;
        low + mix(self.seed ^ mix(rolls.drawn) ^ 0x6472_6177) % (high.saturating_sub(low) + 1)
    }

    /// From now on nothing strikes.
    pub(crate) fn calm(&self) {
        self.calm.store(true, Ordering::Relaxed);
    }

    /// Whether the seed's weather has the fault, taken back or not.
    pub(crate) fn rates(&self, fault: Fault) -> bool {
        self.rates.contains_key(&fault)
    }

    /// Every strike so far.
    pub(crate) fn struck(&self) -> Vec<(Fault, u32)> {
        self.rolls().struck.clone()
    }

    fn rolls(&self) -> MutexGuard<'_, Rolls> {
        self.rolls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// SplitMix64's mixing: neighbouring numbers become unrelated ones.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(mask: Mask) -> Vec<(Fault, u32)> {
        let dice = Dice::new(4, mask);
        for _ in 0..200 {
            for fault in Fault::ALL {
                dice.strikes(*fault);
            }
        }
        dice.struck()
    }

    #[test]
    fn a_strike_taken_back_leaves_the_others() {
        let all = strikes(Mask::default());
        assert!(all.len() > 20, "{all:?}");
        let first = all[0];
        let rest = strikes(Mask {
            strikes: BTreeSet::from([first]),
            ..Mask::default()
        });
        assert!(!rest.contains(&first));
        assert!(all[1..].iter().all(|strike| rest.contains(strike)));
        let without = strikes(Mask {
            faults: BTreeSet::from([first.0]),
            ..Mask::default()
        });
        assert!(without.iter().all(|(fault, _)| *fault != first.0));
    }

    #[test]
    fn calm_dice_strike_no_more() {
        let dice = Dice::new(4, Mask::default());
        dice.calm();
        assert!(Fault::ALL.iter().all(|fault| !dice.strikes(*fault)));
    }
}
