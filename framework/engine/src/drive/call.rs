//! Carrying out one command.

use super::Driver;
use crate::ports::CloudError;
use crate::step::{Answer, Command, Listing, Observation};

/// Of a page of active operations, so many may be others' before listing costs more than it saves.
const OTHERS_PER_PAGE: usize = 50;
/// Active operations on a page.
const PAGE: usize = 100;

impl Driver<'_> {
    /// Makes the call; the limiter has let it pass, and learns from the answer.
    pub(super) async fn call(&self, command: Command) -> Observation {
        let (cloud, clock) = (&self.adapters.cloud, &self.adapters.clock);
        let (lane, answer) = match command {
            Command::Mutate { lane, mutation, .. } => {
                let result = cloud.mutate(&mutation).await;
                let client_token = mutation.client_token;
                (lane, Answer::Mutated { client_token, result })
            }
            Command::Poll { lane, request_token } => {
                let result = cloud.status(&request_token).await;
                (
                    lane,
                    Answer::Polled {
                        request_token,
                        result,
                    },
                )
            }
            Command::Cancel { lane, request_token } => {
                let result = cloud.cancel(&request_token).await;
                (
                    lane,
                    Answer::Cancelled {
                        request_token,
                        result,
                    },
                )
            }
            Command::Read {
                lane,
                type_name,
                identifier,
                role_arn,
            } => {
                let result = cloud.read(&type_name, &identifier, role_arn.as_deref()).await;
                (lane, Answer::Read { identifier, result })
            }
            Command::List { asked, expected } => {
                let result = self.list(expected).await;
                (String::new(), Answer::Listed { asked, result })
            }
        };
        let is_throttled = error(&answer).is_some_and(|error| crate::classify::is_throttling(&error.code));
        self.limiter.learn(is_throttled, clock.now());
        Observation { lane, answer }
    }

    /// Everything that has not ended, as long as a list is less work than asking about each of `expected`.
    async fn list(&self, expected: usize) -> Result<Listing, CloudError> {
        let (cloud, clock) = (&self.adapters.cloud, &self.adapters.clock);
        let most = expected / (PAGE - OTHERS_PER_PAGE) + 1;
        let mut listing = Listing {
            events: Vec::new(),
            is_whole: false,
            calls: 0,
        };
        let mut page = None;
        for _ in 0..most {
            if listing.calls > 0 {
                clock.sleep(self.limiter.take(clock.now())).await;
            }
            let active = cloud.active(page.as_deref()).await?;
            listing.calls += 1;
            listing.events.extend(active.events);
            page = active.next;
            if page.is_none() {
                listing.is_whole = true;
                break;
            }
        }
        Ok(listing)
    }
}

fn error(answer: &Answer) -> Option<&CloudError> {
    match answer {
        Answer::Mutated { result, .. } | Answer::Polled { result, .. } | Answer::Cancelled { result, .. } => {
            result.as_ref().err()
        }
        Answer::Read { result, .. } => result.as_ref().err(),
        Answer::Listed { result, .. } => result.as_ref().err(),
    }
}
