//! The driver: carries out what the stepper decides.
//!
//! # Flow
//! Load the document, step, save where the step asks for a write, start the calls it wants that are not
//! running yet, wait for an answer or the next time something is due, and step again, until the generation
//! is done or `until` has come.
//!
//! # Guarantees
//! - INVARIANT (write ahead): a mutating call starts only when its client token is in the stored document,
//!   and is repeated only when that is written down as well.
//! - Calls run at once; the limiter is shared by all of a process.
//! - What a save loses to another writer is decided again from what that writer stored.
//!
//! # Errors
//! The store's, once retries have not helped. Calls in flight are then dropped: their client tokens are
//! stored, so the next driver finds them again.

mod call;

use crate::deployment::{Deployment, Phase};
use crate::durations::Paths;
use crate::engine::Adapters;
use crate::kept::Kept;
use crate::limiter::Limiter;
use crate::model::Latest;
use crate::ports::{StoreError, Version};
use crate::step::{Command, Context, Next, Observation, step};
use crate::{Advance, EngineError, Generation};
use futures_util::FutureExt;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;
use std::time::Duration;

/// Request tokens are written this long after the first of them came, all of them at once.
const COALESCE: SignedDuration = SignedDuration::from_millis(250);
/// How long calls are waited for when the time is up.
const GRACE: SignedDuration = SignedDuration::from_secs(1);
/// Lost races in a row before giving up.
const RACES: u32 = 20;
/// Writes in a row that the store does not answer before giving up.
const OUTAGES: u32 = 4;

pub(crate) struct Driver<'a> {
    pub(crate) adapters: &'a Adapters,
    pub(crate) limiter: &'a Limiter,
    pub(crate) latest: &'a Latest,
    pub(crate) kept: &'a Kept,
    pub(crate) max_concurrency: usize,
    pub(crate) instance: &'a str,
    pub(crate) generation: Generation,
}

/// A save under way.
struct Saving<'a> {
    result: BoxFuture<'a, Result<Version, StoreError>>,
    touched: u64,
    tokens: HashSet<Intent>,
}

impl<'a> Driver<'a> {
    pub(crate) async fn drive(&self, until: Timestamp) -> Result<Advance, EngineError> {
        let Some((mut deployment, version)) = self.load().await? else {
            return Err(EngineError::NoInstance {
                instance: self.instance.to_owned(),
            });
        };
        if deployment.generation != self.generation {
            return Ok(Advance::Superseded);
        }
        if deployment.phase != Phase::Running {
            let outcome = crate::engine::outcome(&deployment);
            self.kept.keep(deployment, version);
            return Ok(Advance::Done(outcome));
        }
        // Its text is copied only to be checked.
        let model = match self.latest.known(&deployment) {
            Some(model) => Some(model),
            None => match deployment.target() {
                Some(target) => Some(
                    self.latest
                        .model(&deployment, &target, self.adapters.schemas.as_ref())
                        .await?,
                ),
                None => None,
            },
        };
        let max_concurrency = deployment.max_concurrency.unwrap_or(self.max_concurrency);
        let paths = Paths::of(model.as_deref(), &deployment);
        let context = Context {
            model: model.as_deref(),
            max_concurrency,
            paths: &paths,
            pace: self.pace(),
        };
        let (stored, saved) = (tokens(&deployment), deployment.touched);
        deployment.share_calls(None);
        Run {
            driver: self,
            context,
            owes_repeats: deployment.touched != saved,
            stored,
            saved,
            deployment: Some(deployment),
            version,
            running: FuturesUnordered::new(),
            started: HashSet::new(),
            has_called: false,
            saving: None,
            unsaved_since: None,
            races: 0,
            outages: 0,
        }
        .run(until)
        .await
    }

    async fn load(&self) -> Result<Option<(Deployment, Version)>, EngineError> {
        match self.adapters.store.load(self.instance).await? {
            Some((bytes, version)) => {
                let deployment = match self.kept.take_version(self.instance, &version) {
                    Some(known) => known,
                    None => Deployment::read(&bytes)?,
                };
                Ok(Some((deployment, version)))
            }
            None => Ok(None),
        }
    }

    /// Looks at operations get three fifths of the rate, so that there is always room for what gets on.
    fn pace(&self) -> SignedDuration {
        self.limiter.interval() * 5 / 3
    }
}

fn tokens(deployment: &Deployment) -> HashSet<Intent> {
    deployment
        .lanes()
        .filter_map(|(_, resource)| {
            let operation = resource.operation.as_ref()?;
            Some((operation.client_token.clone(), operation.turn))
        })
        .collect()
}

type Key = (String, u8);
/// A client token, and which call with it.
type Intent = (String, u32);

/// One run of the driver's loop.
struct Run<'a> {
    driver: &'a Driver<'a>,
    context: Context<'a>,
    /// Always there between steps; a step takes it and gives it back.
    deployment: Option<Deployment>,
    version: Version,
    /// What the stored document intends to call.
    stored: HashSet<Intent>,
    /// The touch count of the stored document.
    saved: u64,
    running: FuturesUnordered<BoxFuture<'a, (Key, Observation)>>,
    started: HashSet<Key>,
    has_called: bool,
    /// A call that had no answer is to be repeated, which has to be written down before.
    owes_repeats: bool,
    saving: Option<Saving<'a>>,
    unsaved_since: Option<Timestamp>,
    races: u32,
    outages: u32,
}

/// Why the loop was left.
enum Left {
    Superseded,
    Done,
    Again(Duration),
}

impl Run<'_> {
    async fn run(mut self, until: Timestamp) -> Result<Advance, EngineError> {
        let left = self.cycle(until).await?;
        let Some(deployment) = self.deployment else {
            return Ok(Advance::Superseded);
        };
        let advance = match left {
            Left::Superseded => return Ok(Advance::Superseded),
            Left::Again(after) => Advance::Again { after },
            Left::Done => Advance::Done(crate::engine::outcome(&deployment)),
        };
        if deployment.touched == self.saved {
            self.driver.kept.keep(deployment, self.version);
        }
        Ok(advance)
    }

    async fn cycle(&mut self, until: Timestamp) -> Result<Left, EngineError> {
        let mut observations = Vec::new();
        loop {
            let now = self.driver.adapters.clock.now();
            let Some(deployment) = self.deployment.take() else {
                return Ok(Left::Superseded);
            };
            self.context.pace = self.driver.pace();
            let stepped = step(self.context, deployment, std::mem::take(&mut observations), now);
            for event in &stepped.events {
                self.driver.adapters.observer.event(event);
            }
            let touched = stepped.deployment.touched;
            self.deployment = Some(stepped.deployment);
            let is_unsaved = touched != self.saved;
            if !is_unsaved {
                self.unsaved_since = None;
            } else if self.unsaved_since.is_none() {
                self.unsaved_since = Some(now);
            }

            let is_done = stepped.next == Next::Done;
            // A window too short for anything still gets one round of calls, so that whoever comes again and
            // again gets on.
            // So do calls that have to be written down once more before they are repeated.
            let stop_at = crate::classify::after(until, GRACE);
            let owes_calls = !self.has_called || (self.owes_repeats && now < stop_at);
            let is_over = now >= until && (!owes_calls || stepped.commands.is_empty());
            let is_due = !stepped.commands.is_empty();
            let (held_back, allowed_at) = self.start(stepped.commands, !is_over && !is_done, now);
            let save_at = self
                .unsaved_since
                .map(|since| crate::classify::after(since, COALESCE));
            let leaving = is_done || (is_over && (self.started.is_empty() || now >= stop_at));

            if self.saving.is_none()
                && is_unsaved
                && (held_back || leaving || save_at.is_some_and(|time| time <= now))
            {
                self.save()?;
            }
            if leaving && self.saving.is_none() {
                return Ok(if is_done {
                    Left::Done
                } else {
                    Left::Again(if is_due {
                        Duration::ZERO
                    } else {
                        pause(stepped.next, now)
                    })
                });
            }

            let mut wake = if is_over { stop_at } else { until };
            if let Next::At(time) = stepped.next {
                wake = wake.min(time);
            }
            if let Some(time) = save_at.filter(|_| self.saving.is_none()) {
                wake = wake.min(time);
            }
            if let Some(time) = allowed_at {
                wake = wake.min(time);
            }
            // A time that has come already is waited for as an answer or the end of a save.
            let wait = if wake > now {
                wake.duration_since(now).unsigned_abs()
            } else {
                GRACE.unsigned_abs()
            };
            if let Some(left) = self.wait(wait, &mut observations).await? {
                return Ok(left);
            }
        }
    }

    /// Starts the calls that are not running, the most urgent first, as many as the rate allows. Tells whether
    /// one is held back because its intent is not stored, and when the rate allows the next.
    fn start(
        &mut self,
        commands: Vec<Command>,
        may_start: bool,
        now: Timestamp,
    ) -> (bool, Option<Timestamp>) {
        let mut held_back = false;
        let mut allowed_at = None;
        for command in commands {
            let key = command.key();
            if !may_start || self.started.contains(&key) {
                continue;
            }
            if let Command::Mutate { mutation, turn, .. } = &command
                && !self.stored.contains(&(mutation.client_token.clone(), *turn))
            {
                held_back = true;
                continue;
            }
            if allowed_at.is_some() {
                continue;
            }
            if let Err(wait) = self.driver.limiter.try_take(now) {
                allowed_at = now.checked_add(wait).ok();
                continue;
            }
            if matches!(command, Command::Mutate { .. }) {
                self.owes_repeats = false;
            }
            self.started.insert(key.clone());
            // A list only tells whom to ask.
            self.has_called |= !matches!(command, Command::List { .. });
            let call = self.driver.call(command);
            self.running
                .push(call.map(move |observation| (key, observation)).boxed());
        }
        (held_back, allowed_at)
    }

    fn save(&mut self) -> Result<(), EngineError> {
        let Some(deployment) = &mut self.deployment else {
            return Ok(());
        };
        deployment.serial += 1;
        let bytes = deployment.write()?;
        let (version, driver) = (self.version.clone(), self.driver);
        let result = async move {
            driver
                .adapters
                .store
                .save(driver.instance, bytes, Some(&version))
                .await
        }
        .boxed();
        self.saving = Some(Saving {
            result,
            touched: deployment.touched,
            tokens: tokens(deployment),
        });
        Ok(())
    }

    /// Waits for whatever comes first.
    async fn wait(
        &mut self,
        wait: Duration,
        observations: &mut Vec<Observation>,
    ) -> Result<Option<Left>, EngineError> {
        let clock = &self.driver.adapters.clock;
        let saved = async {
            match &mut self.saving {
                Some(saving) => (&mut saving.result).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = saved => return self.saved(result).await,
            Some((key, observation)) = self.running.next() => {
                self.started.remove(&key);
                observations.push(observation);
                while let Some(Some((key, observation))) = self.running.next().now_or_never() {
                    self.started.remove(&key);
                    observations.push(observation);
                }
            }
            () = clock.sleep(wait) => {}
        }
        Ok(None)
    }

    async fn saved(&mut self, result: Result<Version, StoreError>) -> Result<Option<Left>, EngineError> {
        let Some(saving) = self.saving.take() else {
            return Ok(None);
        };
        match result {
            Ok(version) => {
                self.version = version;
                self.stored = saving.tokens;
                self.saved = saving.touched;
                self.unsaved_since = None;
                (self.races, self.outages) = (0, 0);
                Ok(None)
            }
            Err(StoreError::Conflict) => self.reload().await,
            Err(error) => {
                self.outages += 1;
                if self.outages >= OUTAGES {
                    return Err(error.into());
                }
                let pause = Duration::from_millis(200 << self.outages);
                self.driver.adapters.clock.sleep(pause).await;
                Ok(None)
            }
        }
    }

    /// Somebody else was first. What their document says counts; calls under way are still heard.
    async fn reload(&mut self) -> Result<Option<Left>, EngineError> {
        self.races += 1;
        if self.races > RACES {
            return Err(EngineError::TooMuchContention);
        }
        let Some((mut deployment, version)) = self.driver.load().await? else {
            return Ok(Some(Left::Superseded));
        };
        if deployment.generation != self.driver.generation {
            return Ok(Some(Left::Superseded));
        }
        self.stored = tokens(&deployment);
        self.saved = deployment.touched;
        self.version = version;
        self.unsaved_since = None;
        deployment.share_calls(self.deployment.as_ref());
        self.deployment = Some(deployment);
        Ok(None)
    }
}

fn pause(next: Next, now: Timestamp) -> Duration {
    match next {
        Next::At(time) => time.duration_since(now).unsigned_abs(),
        Next::Done | Next::Observation => Duration::ZERO,
    }
}
