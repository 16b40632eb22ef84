//! A function that does what its event says: the harness is tested on it, before it is trusted with
//! Formwork's own.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

fn main() -> Result<(), Error> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(lambda_runtime::run(service_fn(answer)))
}

#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "what it misbehaves with"
)]
async fn answer(event: LambdaEvent<Value>) -> Result<Value, Error> {
    println!("asked to {}", event.payload);
    let context = &event.context;
    match event.payload.get("do").and_then(Value::as_str) {
        Some("echo") => Ok(event.payload),
        Some("tell context") => Ok(json!({
            "requestId": context.request_id,
            "arn": context.invoked_function_arn,
            "deadline": context.deadline,
            "logStream": context.env_config.log_stream,
            "variables": std::env::vars().map(|(name, _)| name).collect::<Vec<_>>(),
        })),
        Some("fail") => Err("as asked".into()),
        Some("panic") => panic!("as asked"),
        Some("exit") => std::process::exit(3),
        Some("hang") => std::future::pending().await,
        _ => Err("asked for nothing known".into()),
    }
}
