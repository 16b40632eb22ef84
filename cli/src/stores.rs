//! Stored deployments, wherever they are: an engine on a sandbox's folder, or on what the functions use.

use crate::account;
use crate::arguments::Store as Place;
use crate::deployments::{STATE_URL, connection};
use crate::terminal::Failure;
use formwork_aws::{
    CloudControl, Connection, Credentials, Http, ObjectStates, SystemClock, TypeRegistry, open_store,
};
use formwork_engine::{Adapters, Engine, InstanceView, Limits, NoObserver, Observer};
use formwork_sandbox::{Options, Sandbox};
use std::path::Path;
use std::sync::Arc;

/// Where the CLI's own deployments are, as a stack's are under its id.
const OWN: &str = "cli";
/// More candidates are not listed.
const MOST: usize = 8;

/// An engine on stored deployments.
pub struct Store {
    pub engine: Engine,
    sandbox: Option<Sandbox>,
}

impl Store {
    pub async fn open(place: &Place) -> Result<Self, Failure> {
        let http = Http::new().map_err(|error| Failure::outside("no HTTP client", error))?;
        let (connection, state_url, sandbox) = match (&place.sandbox, &place.state_url) {
            (Some(folder), _) => {
                let sandbox = sandbox(folder).await?;
                (connection(&sandbox), STATE_URL, Some(sandbox))
            }
            (None, Some(url)) => (account(url, &http).await?, url.as_str(), None),
            (None, None) => return Err(Failure::usage("it is not said where deployments are stored")),
        };
        Ok(Store {
            engine: engine(state_url, &connection, &http, Arc::new(NoObserver))?,
            sandbox,
        })
    }

    pub async fn close(self) {
        if let Some(sandbox) = self.sandbox {
            sandbox.stop().await;
        }
    }

    /// Every instance's name.
    pub async fn names(&self) -> Result<Vec<String>, Failure> {
        self.engine
            .instances("")
            .await
            .map_err(|error| Failure::outside("the deployments cannot be listed", error))
    }

    /// The whole name of an instance that is called by it or by a part, `None` if there is none.
    pub async fn find(&self, called: &str) -> Result<Option<String>, Failure> {
        match candidates(self.names().await?, called).as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            many => Err(Failure::usage_with_hint(
                format!("`{called}` can be {}", list(many)),
                "give the whole name",
            )),
        }
    }

    /// An instance that has to be there.
    pub async fn view(&self, called: &str) -> Result<InstanceView, Failure> {
        let found = match self.find(called).await? {
            Some(name) => self.engine.view(&name).await.map_err(unreadable)?,
            None => None,
        };
        match found {
            Some(view) => Ok(view),
            None => Err(Failure::usage_with_hint(
                format!("there is no deployment `{called}`"),
                match self.names().await?.as_slice() {
                    [] => "nothing is deployed".to_owned(),
                    names => format!("there is {}", list(names)),
                },
            )),
        }
    }
}

/// A stored deployment that cannot be read is left as it is.
pub fn unreadable(error: formwork_engine::EngineError) -> Failure {
    Failure::outside("the deployment cannot be read; it was not touched", error)
}

/// The name that an instance of the CLI's own gets.
pub fn own(name: &str) -> String {
    format!("{OWN}/{name}/{name}")
}

/// A whole name is only that; a part of a name can be the last part, or the first ones.
fn candidates(names: Vec<String>, called: &str) -> Vec<String> {
    if let Some(whole) = names.iter().find(|name| *name == called || **name == own(called)) {
        return vec![whole.clone()];
    }
    let fits = |name: &String| {
        name.strip_prefix(called)
            .is_some_and(|rest| rest.starts_with('/'))
            || name.strip_suffix(called).is_some_and(|rest| rest.ends_with('/'))
    };
    names.into_iter().filter(fits).collect()
}

fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

async fn sandbox(folder: &Path) -> Result<Sandbox, Failure> {
    // A sandbox makes its folder, and a misspelt one would be told to be empty.
    if !folder.is_dir() {
        return Err(Failure::usage(format!(
            "there is no sandbox in `{}`",
            folder.display()
        )));
    }
    Sandbox::start(Options {
        dir: Some(folder.to_owned()),
        ..Options::default()
    })
    .await
    .map_err(|error| Failure::outside("the sandbox cannot be started", error))
}

/// An engine on the deployments stored there and the cloud of a connection.
pub fn engine(
    state_url: &str,
    connection: &Connection,
    http: &Http,
    observer: Arc<dyn Observer>,
) -> Result<Engine, Failure> {
    let storage = open_store(state_url, connection, http)
        .map_err(|error| Failure::usage_with_hint(error.to_string(), "see `--state-url`"))?;
    let adapters = Adapters {
        cloud: Arc::new(CloudControl::new(connection, http)),
        store: Arc::new(ObjectStates::new(storage)),
        schemas: Arc::new(TypeRegistry::new(connection, http)),
        clock: Arc::new(SystemClock),
        observer,
    };
    Ok(Engine::new(adapters, Limits::default()))
}

/// The account whose deployments are stored there. Files can be looked at without one.
async fn account(state_url: &str, http: &Http) -> Result<Connection, Failure> {
    match account::connection(http).await {
        Err(_) if !state_url.starts_with("s3://") => {
            Ok(Connection::new("none", Credentials::keys("", "", None)))
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_called_by_its_name_or_a_part_that_only_it_has() {
        let names = || {
            [
                "cli/jobs/jobs",
                "cli/a/a",
                "5b91/Orders/shop-Orders-1",
                "5b91/Orders/shop-Orders-2",
                "7c/jobs/x",
            ]
            .map(str::to_owned)
            .to_vec()
        };
        let cases = [
            ("jobs", vec!["cli/jobs/jobs"]),
            ("cli/jobs/jobs", vec!["cli/jobs/jobs"]),
            ("shop-Orders-2", vec!["5b91/Orders/shop-Orders-2"]),
            (
                "5b91/Orders",
                vec!["5b91/Orders/shop-Orders-1", "5b91/Orders/shop-Orders-2"],
            ),
            ("7c", vec!["7c/jobs/x"]),
            ("Orders", vec![]),
            ("ob", vec![]),
        ];
        for (called, expected) in cases {
            assert_eq!(candidates(names(), called), expected, "{called}");
        }
    }
}
