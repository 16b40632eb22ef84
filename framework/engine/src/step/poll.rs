//! Looking at operations: when, and with which calls.
//!
//! An operation's end is noticed at the next look, so the time between looks is a part of the time it has
//! taken: a tenth, or less where the type is known. Looks are the only calls there could be any number of, so
//! they have a pace of their own: the less the rate limit allows, the slower, whatever is under way. When more
//! than a few operations are, one list shows all that have not ended; only what is missing from it is asked
//! about by itself.

use super::{Command, Listing, Tick};
use crate::classify::{self, Class, Retry, after};
use crate::deployment::Resource;
use crate::durations::Spread;
use crate::ports::{CloudError, ProgressEvent};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// Few operations: looked at almost at once, for what is done in a moment need not be waited for; and one by
/// one, for that tells an end with one call instead of two.
const FEW: usize = 4;
const EARLY_LOOK: SignedDuration = SignedDuration::from_millis(2);

/// Nothing real ends sooner than this, save what the early look finds.
const FIRST_LOOK: SignedDuration = SignedDuration::from_millis(250);
const SHORTEST_PAUSE: SignedDuration = SignedDuration::from_millis(50);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// Of the time an operation has taken so far, the part until the next look.
const PAUSE: f64 = 0.1;
/// Before any operation on the type has ever ended.
const COARSE_PAUSE: f64 = 0.5;
/// When all operations on the type end at about the same time, and it is now.
const FINE_PAUSE: f64 = 0.04;

/// How many looks may follow each other without a pause.
const BURST: u32 = 5;
/// After this long a look goes before calls that get the deployment on.
const TOO_LONG: SignedDuration = SignedDuration::from_secs(1);
/// Lists that do not hold everything are not asked for again for this long.
const UNLISTED: SignedDuration = SignedDuration::from_secs(60);

/// What has been seen of the looks themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Polling {
    /// When all looks until now will have been paid for by the pace.
    paid_at: Option<Timestamp>,
    /// Operations are asked about one by one until then.
    one_by_one_until: Option<Timestamp>,
    /// Lists in a row that were not answered.
    stumbles: u32,
}

/// The looks that a step wants.
#[derive(Default)]
pub(super) struct Looks<'a> {
    /// Operations under way.
    under_way: usize,
    /// Those it is time to look at: lane, request token, since when.
    due: Vec<(&'a str, &'a str, Timestamp)>,
}

impl<'a> Looks<'a> {
    pub(super) fn count(&mut self) {
        self.under_way += 1;
    }

    pub(super) fn add(&mut self, lane: &'a str, request_token: &'a str, since: Timestamp) {
        self.due.push((lane, request_token, since));
    }
}

impl Tick<'_> {
    /// The calls for what is due, or when they may be made; and whether they have waited for too long.
    pub(super) fn looks(&self, mut looks: Looks<'_>, next: &mut Timestamp) -> (Vec<Command>, bool) {
        let Some(oldest) = looks.due.iter().map(|(_, _, since)| *since).min() else {
            return (Vec::new(), false);
        };
        let polling = &self.deployment.polling;
        if let Some(time) = polling.paid_at.filter(|time| *time > self.now) {
            *next = (*next).min(time);
            return (Vec::new(), false);
        }
        let has_waited = self.now.duration_since(oldest) >= TOO_LONG;
        let may_list = polling.one_by_one_until.is_none_or(|time| time <= self.now);
        if may_list && (looks.under_way > FEW || looks.due.len() > 1) {
            let list = Command::List {
                asked: self.now,
                expected: looks.under_way,
            };
            return (vec![list], has_waited);
        }
        looks.due.sort_by_key(|(_, _, since)| *since);
        let burst = usize::try_from(BURST).unwrap_or_default();
        let poll = |(lane, request_token, _): (&str, &str, Timestamp)| Command::Poll {
            lane: lane.to_owned(),
            request_token: request_token.to_owned(),
        };
        (looks.due.into_iter().take(burst).map(poll).collect(), has_waited)
    }

    /// Takes note of calls made to look at operations.
    pub(super) fn pay(&mut self, calls: u32) {
        let pace = self.context.pace;
        let earliest = after(self.now, -(pace * i32::try_from(BURST).unwrap_or_default()));
        let polling = &mut self.deployment.polling;
        let before = polling.paid_at.map_or(earliest, |time| time.max(earliest));
        polling.paid_at = Some(after(before, pace * i32::try_from(calls).unwrap_or(i32::MAX)));
    }

    /// Looks again at an operation that is still under way, not before the service wants to be asked.
    pub(super) fn look_again(&mut self, lane: &str, retry_after: Option<Timestamp>) {
        let Some(resource) = self.deployment.lane(lane) else {
            return;
        };
        let Some(operation) = &resource.operation else {
            return;
        };
        let known = self
            .deployment
            .durations
            .get(&resource.type_name)
            .and_then(|durations| durations.of(operation.operation));
        let elapsed = self.now.duration_since(operation.started);
        let shortest = self.context.pace.max(SHORTEST_PAUSE);
        let due = after(self.now, pause(elapsed, shortest, known));
        let due = retry_after.map_or(due, |time| time.max(due));
        if let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
        {
            operation.next = Some(due);
        }
    }

    /// Asks about an operation that has just begun almost at once while few are under way.
    pub(super) fn look_early(&mut self, lane: &str) {
        let under_way = self
            .deployment
            .lanes()
            .filter(|(_, resource)| resource.operation.is_some())
            .count();
        let due = after(self.now, EARLY_LOOK);
        if let Some(operation) = self
            .deployment
            .lane_mut(lane)
            .and_then(|resource| resource.operation.as_mut())
            && under_way <= FEW
        {
            operation.next = Some(due);
        }
    }

    /// A list of what has not ended has come, or has not.
    pub(super) fn listed(&mut self, asked: Timestamp, result: Result<Listing, CloudError>) {
        let listing = match result {
            Ok(listing) => listing,
            Err(error) => return self.unlistable(&error),
        };
        self.pay(listing.calls);
        self.deployment.polling.stumbles = 0;
        if !listing.is_whole {
            self.deployment.polling.one_by_one_until = Some(after(self.now, UNLISTED));
        }
        let mut active: HashMap<String, ProgressEvent> = listing
            .events
            .into_iter()
            .filter(|event| !event.status.is_end())
            .map(|event| (event.request_token.clone(), event))
            .collect();
        let is_open = |(_, resource): &(&str, &Resource)| !resource.work.stage.is_over();
        let under_way: Vec<(String, Option<ProgressEvent>)> = self
            .deployment
            .lanes()
            .filter(is_open)
            .filter_map(|(lane, resource)| {
                let operation = resource.operation.as_ref()?;
                let event = active.remove(operation.request_token.as_ref()?);
                let is_news = event.is_some() || operation.accepted.is_none_or(|time| time <= asked);
                is_news.then(|| (lane.to_owned(), event))
            })
            .collect();
        for (lane, event) in under_way {
            match event {
                Some(event) => self.progress(&lane, event),
                None => {
                    if let Some(resource) = self.deployment.lane_mut(&lane)
                        && let Some(operation) = &mut resource.operation
                    {
                        operation.unlisted = true;
                        operation.next = None;
                    }
                }
            }
        }
    }

    fn unlistable(&mut self, error: &CloudError) {
        let polling = &mut self.deployment.polling;
        match classify::classify(crate::ports::Operation::Update, &error.code, &error.message) {
            Class::Lost | Class::Retry(Retry::Throttled | Retry::Service) => {
                let seed = &self.deployment.salt;
                polling.paid_at = Some(classify::stumble(self.now, polling.stumbles, seed));
                polling.stumbles += 1;
            }
            // A role that may not list, or a cloud that cannot.
            _ => polling.one_by_one_until = Some(Timestamp::MAX),
        }
    }
}

/// How long to wait for the next look at an operation that has taken `elapsed` so far.
fn pause(elapsed: SignedDuration, shortest: SignedDuration, known: Option<Spread>) -> SignedDuration {
    let so_far = elapsed.as_secs_f64().max(0.0);
    let until = |time: SignedDuration| time - elapsed;
    let part = |part: f64| {
        SignedDuration::try_from_secs_f64(so_far * part)
            .unwrap_or(LONGEST_PAUSE)
            .max(shortest)
    };
    let wait = match known.map(Window::of) {
        Some(window) if elapsed < window.opens => part(COARSE_PAUSE).min(until(window.opens)),
        Some(window) if elapsed < window.closes && window.is_narrow => part(FINE_PAUSE),
        _ => part(PAUSE),
    };
    wait.max(until(FIRST_LOOK)).max(shortest).min(LONGEST_PAUSE)
}

/// When operations on a type end.
struct Window {
    opens: SignedDuration,
    closes: SignedDuration,
    is_narrow: bool,
}

impl Window {
    /// What was learned was late by up to a look.
    fn of(known: Spread) -> Self {
        let millis = |millis: u64| SignedDuration::from_millis(i64::try_from(millis).unwrap_or(i64::MAX));
        Window {
            opens: millis(known.shortest) * 9 / 10,
            closes: millis(known.longest) * 11 / 10,
            is_narrow: known.longest <= known.shortest.saturating_mul(3) / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: i64) -> SignedDuration {
        SignedDuration::from_millis(millis)
    }

    /// The looks at an operation until it has ended after `took`.
    fn looks(took: i64, known: Option<Spread>) -> (i64, usize) {
        let (mut elapsed, mut count) = (millis(2), 1);
        while elapsed < millis(took) {
            elapsed += pause(elapsed, millis(67), known);
            count += 1;
        }
        (i64::try_from(elapsed.as_millis()).unwrap(), count)
    }

    #[test]
    fn the_end_of_an_unknown_operation_is_noticed_within_a_tenth() {
        for took in (300..120_000).step_by(97) {
            let (noticed, _) = looks(took, None);
            let allowed = (took / 10).max(67);
            assert!(
                noticed - took <= allowed,
                "{took} ms were noticed after {noticed}"
            );
        }
    }

    #[test]
    fn a_known_operation_is_noticed_sooner_with_fewer_looks() {
        let known = Some(Spread {
            shortest: 60_000,
            longest: 64_000,
        });
        let (noticed, count) = looks(61_000, known);
        assert!(noticed - 61_000 <= 2_500, "{noticed}");
        assert!(count * 2 < looks(61_000, None).1, "{count}");
    }

    #[test]
    fn one_that_ends_long_before_the_others_is_not_waited_for() {
        let known = Some(Spread {
            shortest: 60_000,
            longest: 64_000,
        });
        let (noticed, _) = looks(10_000, known);
        assert!(noticed <= 15_000, "{noticed}");
    }
}
