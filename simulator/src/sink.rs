//! Where answers go: a presigned URL per request. CloudFormation takes the first answer, and hears no other.

use crate::dice::Fault;
use crate::process::Process;
use crate::world::{World, lock};
use async_trait::async_trait;
use formwork_protocol::{ResponseBody, ResponseUrl};
use formwork_provider::ports::{ResponseSender, SendError};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// What came for one request.
pub(crate) struct Answer {
    pub(crate) body: Value,
    pub(crate) at: Timestamp,
}

struct Place {
    first: Option<(Vec<u8>, Timestamp)>,
    told: watch::Sender<bool>,
}

/// Every URL.
pub(crate) struct Sink {
    world: Arc<World>,
    places: Mutex<HashMap<String, Place>>,
}

impl Sink {
    pub(crate) fn new(world: Arc<World>) -> Arc<Self> {
        Arc::new(Sink {
            world,
            places: Mutex::default(),
        })
    }

    /// A URL that answers are taken at from now on.
    pub(crate) fn open(&self, url: &str) {
        let told = watch::Sender::new(false);
        lock(&self.places).insert(url.to_owned(), Place { first: None, told });
    }

    /// Waits for the answer.
    pub(crate) async fn answered(&self, url: &str) {
        let told = lock(&self.places).get(url).map(|place| place.told.subscribe());
        if let Some(mut told) = told {
            // The sender lives as long as the run.
            let _ = told.wait_for(|told| *told).await;
        }
    }

    /// The answer taken, if there is one.
    pub(crate) fn answer(&self, url: &str) -> Option<Answer> {
        let places = lock(&self.places);
        let (body, at) = places.get(url)?.first.clone()?;
        Some(Answer {
            body: serde_json::from_slice(&body).unwrap_or_default(),
            at,
        })
    }

    fn take(&self, url: &str, body: &[u8]) {
        let mut places = lock(&self.places);
        let Some(place) = places.get_mut(url) else {
            self.world.violated("an answer for nobody");
            return;
        };
        match &place.first {
            Some((first, _)) if first != body => {
                let (first, second) = (String::from_utf8_lossy(first), String::from_utf8_lossy(body));
                self.world
                    .violated(format!("two answers: {first} and then {second}"));
            }
            Some(_) => {}
            None => {
                let text = String::from_utf8_lossy(body);
                self.world.tell(|| format!("answer: {text}"));
                place.first = Some((body.to_vec(), self.world.now()));
                place.told.send_replace(true);
            }
        }
    }
}

/// The way to the sink from one process.
pub(crate) struct Sender {
    pub(crate) sink: Arc<Sink>,
    pub(crate) process: Arc<Process>,
}

#[async_trait]
impl ResponseSender for Sender {
    async fn put(&self, url: &ResponseUrl, body: &ResponseBody) -> Result<(), SendError> {
        let dice = &self.process.world.dice;
        let delay = if dice.strikes(Fault::PutSlow) {
            Duration::from_millis(dice.draw(100, 6_000))
        } else {
            Duration::ZERO
        };
        if dice.strikes(Fault::PutFails) {
            self.process.call(delay, || ()).await;
            return Err(SendError::Status(503));
        }
        let lost = dice.strikes(Fault::PutLost);
        let (sink, url, body) = (
            Arc::clone(&self.sink),
            url.expose().to_owned(),
            body.as_bytes().to_vec(),
        );
        self.process.call(delay, move || sink.take(&url, &body)).await;
        if lost {
            Err(SendError::Network("connection reset".into()))
        } else {
            Ok(())
        }
    }
}
