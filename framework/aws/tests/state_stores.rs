//! The state store against S3 as others serve it: the sandbox, and a real implementation (`.ci/with-s3`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use formwork_aws::{Connection, Credentials, Http, ObjectStates, open_store};
use formwork_engine::conformance;
use formwork_sandbox::{Call, Effect, Fault, Options, Sandbox};

/// The address of an S3 server that has an empty bucket `formwork-state`.
const SERVER: &str = "FORMWORK_TEST_S3_URL";

fn states(endpoint: &str, url: &str) -> ObjectStates {
    let keys = Credentials::keys("AKIDEXAMPLE", "not-a-real-key", None);
    let connection = Connection::new("us-east-1", keys).with_endpoint(endpoint);
    ObjectStates::new(open_store(url, &connection, &Http::new().unwrap()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_conforms() {
    let sandbox = Sandbox::start(Options::default()).await.unwrap();
    let states = states(&sandbox.endpoint(), "s3://formwork-state/formwork");
    conformance::state_store(&states).await;
    let lose = || sandbox.fault(Fault::new(Effect::LoseResponse).on(Call::PutObject).times(1));
    conformance::lost_answers(&states, &lose).await;
    sandbox.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_kept_in_a_folder_conforms() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        dir: Some(dir.path().to_owned()),
        ..Options::default()
    };
    let sandbox = Sandbox::start(options).await.unwrap();
    conformance::state_store(&states(&sandbox.endpoint(), "s3://formwork-state/formwork")).await;
    sandbox.stop().await;
}

/// Without a server there is nothing to test; `.ci/run` has one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_implementation_of_s3_conforms() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only way to tell a test of a server"
    )]
    let Ok(server) = std::env::var(SERVER) else {
        return;
    };
    conformance::state_store(&states(&server, "s3://formwork-state/deep/prefix")).await;
}
