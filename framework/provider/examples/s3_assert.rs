//! `Custom::S3Assert`: waits up to 5 minutes until an object has the text expected of it.
//!
//! Shows: an operation that is polled, and what one poll hands to the next.
//! Run it with `cargo run -p formwork-provider --example s3_assert`.
#![allow(clippy::print_stdout, reason = "an example prints")]

#[allow(dead_code, reason = "each example uses its part")]
mod folder;

use async_trait::async_trait;
use folder::{Folder, Objects, event, invocation};
use formwork_provider::fakes::Fakes;
use formwork_provider::{
    Context, Create, CustomResource, Delete, Failure, Outcome, Poll, Progress, Provider, Update,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5 * 60);
const INTERVAL: Duration = Duration::from_secs(5);

struct S3Assert<O> {
    objects: O,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Properties {
    bucket_name: String,
    object_key: String,
    expected_content: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Attempts {
    made: u32,
    until: Timestamp,
}

impl<O: Objects> S3Assert<O> {
    fn look(
        &self,
        properties: &Properties,
        attempts: Attempts,
        cx: &Context,
    ) -> Result<Progress<Attempts>, Failure> {
        let made = attempts.made + 1;
        let found = self
            .objects
            .get(&properties.bucket_name, &properties.object_key)?;
        if found.as_deref() == Some(properties.expected_content.as_str()) {
            return Ok(Progress::Done(Outcome::new().with_value("Attempts", made)));
        }
        if cx.now() >= attempts.until {
            // What the object holds may be secret, so it is not said.
            let what = if found.is_some() {
                "holds another text than expected"
            } else {
                "does not exist"
            };
            let place = format!("{}/{}", properties.bucket_name, properties.object_key);
            return Err(Failure::new(format!(
                "`{place}` still {what} after {made} attempts"
            )));
        }
        Ok(Progress::Pending {
            outcome: Outcome::new(),
            state: Attempts { made, ..attempts },
            after: INTERVAL,
        })
    }

    fn begin(&self, properties: &Properties, cx: &Context) -> Result<Progress<Attempts>, Failure> {
        self.look(
            properties,
            Attempts {
                made: 0,
                until: cx.now() + PATIENCE,
            },
            cx,
        )
    }
}

/// The assertion is nothing that exists, so the default ids do: the RequestId of the Create, for ever.
#[async_trait]
impl<O: Objects> CustomResource for S3Assert<O> {
    type Properties = Properties;
    type State = Attempts;

    /// Looking twice does no harm.
    fn resumes(&self) -> bool {
        true
    }

    async fn create(&self, request: Create<Properties>, cx: &Context) -> Result<Progress<Attempts>, Failure> {
        self.begin(&request.properties, cx)
    }

    async fn update(&self, request: Update<Properties>, cx: &Context) -> Result<Progress<Attempts>, Failure> {
        self.begin(&request.properties, cx)
    }

    async fn delete(
        &self,
        _request: Delete<Properties>,
        _cx: &Context,
    ) -> Result<Progress<Attempts>, Failure> {
        Ok(Progress::Done(Outcome::new()))
    }

    async fn poll(
        &self,
        request: Poll<Properties>,
        state: Attempts,
        cx: &Context,
    ) -> Result<Progress<Attempts>, Failure> {
        let properties = request.properties.map_err(|errors| Failure::of_error(&errors))?;
        self.look(&properties, state, cx)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let folder = Folder::temporary("s3-assert")?;
    let answers = runtime.block_on(assertions(&folder));
    folder.remove()?;
    for answer in answers? {
        println!("{answer:#}");
    }
    Ok(())
}

/// A Create whose object appears after a while, and an Update whose object never changes.
async fn assertions(folder: &Folder) -> Result<Vec<Value>, Box<dyn Error>> {
    const TYPE: &str = "Custom::S3Assert";
    let fakes = Fakes::new();
    let provider = Provider::builder(fakes.ports())
        .resource(
            TYPE,
            S3Assert {
                objects: folder.clone(),
            },
        )
        .build();

    let expected =
        json!({ "BucketName": "my-bucket", "ObjectKey": "myfile.txt", "ExpectedContent": "foo bar" });
    provider
        .on_event(event("Create", TYPE, None, expected), invocation(&fakes))
        .await?;
    for _ in 0..3 {
        wait_once(&provider, &fakes).await?;
    }
    folder
        .put("my-bucket", "myfile.txt", "foo bar", false)
        .map_err(|failure| failure.reason)?;
    while !wait_once(&provider, &fakes).await? {}

    let other =
        json!({ "BucketName": "my-bucket", "ObjectKey": "myfile.txt", "ExpectedContent": "something else" });
    provider
        .on_event(
            event("Update", TYPE, Some("request-Create"), other),
            invocation(&fakes),
        )
        .await?;
    while !wait_once(&provider, &fakes).await? {}
    Ok(fakes.sender.bodies())
}

/// One turn of the state machine: wait (here, move the clock on), then poll.
async fn wait_once(provider: &Provider, fakes: &Fakes) -> Result<bool, Box<dyn Error>> {
    fakes.clock.advance(INTERVAL);
    let input = fakes.waiter.input().ok_or("no waiter was started")?;
    let output = provider.is_complete(input, invocation(fakes)).await?;
    Ok(output.get("IsComplete") == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn assertion_waits_for_the_object_and_gives_up_after_five_minutes() {
        let folder = Folder::temporary("s3-assert-test").unwrap();
        let answers = assertions(&folder).await.unwrap();
        folder.remove().unwrap();
        assert_eq!(answers.len(), 2);
        assert_eq!(
            (&answers[0]["Status"], &answers[0]["Data"]["Attempts"]),
            (&json!("SUCCESS"), &json!(5))
        );
        assert_eq!(answers[1]["PhysicalResourceId"], "request-Create");
        let reason = "`my-bucket/myfile.txt` still holds another text than expected after 61 attempts";
        assert_eq!(
            (&answers[1]["Status"], &answers[1]["Reason"]),
            (&json!("FAILED"), &json!(reason))
        );
    }
}
