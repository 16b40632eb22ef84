//! `formwork sandbox`: the local cloud for any AWS client.

use crate::arguments::{Format, Sandbox as Arguments};
use crate::terminal::{Failure, print, print_json};
use formwork_sandbox::{Call, Fault, Latency, Options, Sandbox};
use serde_json::json;
use std::time::Duration;

pub fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let options = Options {
        dir: arguments.dir.clone(),
        port: arguments.port,
        latency: Latency::fixed(Duration::from_millis(arguments.latency)),
        faults: arguments
            .fault
            .iter()
            .map(|text| fault(text))
            .collect::<Result<_, _>>()?,
        hostile_reads: arguments.hostile_reads,
        ..Options::default()
    };
    let region = options.region.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::outside("no asynchronous runtime", error))?;
    runtime.block_on(async {
        let sandbox = Sandbox::start(options)
            .await
            .map_err(|error| Failure::outside("the sandbox cannot be started", error))?;
        announce(&sandbox.endpoint(), &region, arguments.format);
        tokio::signal::ctrl_c()
            .await
            .map_err(|error| Failure::outside("the signal cannot be awaited", error))?;
        sandbox.stop().await;
        Ok(true)
    })
}

fn announce(endpoint: &str, region: &str, format: Format) {
    match format {
        Format::Json => print_json(&json!({ "endpoint": endpoint, "region": region })),
        Format::Text => {
            print(&format!(
                "the sandbox listens on {endpoint} until you press Ctrl-C"
            ));
            print(&format!(
                "  export AWS_ENDPOINT_URL={endpoint} AWS_REGION={region}"
            ));
            print("  export AWS_ACCESS_KEY_ID=sandbox AWS_SECRET_ACCESS_KEY=sandbox");
            print("  aws cloudcontrol create-resource --type-name AWS::SQS::Queue --desired-state '{}'");
        }
    }
}

/// `TYPE:OPERATION:CODE[:MESSAGE]`, where the type itself has colons.
fn fault(text: &str) -> Result<Fault, Failure> {
    let wrong = |what: &str| {
        Failure::usage_with_hint(
            format!("the fault `{text}` {what}"),
            "write `TYPE:OPERATION:CODE[:MESSAGE]`, e.g. `AWS::SQS::Queue:create:AccessDenied:not allowed`",
        )
    };
    let parts: Vec<&str> = text.splitn(8, ':').collect();
    let [provider, "", service, "", resource, operation, code, rest @ ..] = parts.as_slice() else {
        return Err(wrong("does not name a type, an operation and a code"));
    };
    let call = match *operation {
        "create" => Call::CreateResource,
        "update" => Call::UpdateResource,
        "delete" => Call::DeleteResource,
        _ => {
            return Err(wrong(
                "names an operation other than `create`, `update` and `delete`",
            ));
        }
    };
    let message = rest
        .first()
        .copied()
        .unwrap_or("a fault asked for on the command line");
    Ok(Fault::fail(code, message)
        .on(call)
        .of_type(&format!("{provider}::{service}::{resource}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_sandbox::Effect;

    #[test]
    fn a_fault_names_type_operation_code_and_message() {
        let read = fault("AWS::SQS::Queue:create:AccessDenied:not: allowed").unwrap();
        assert_eq!(read.type_name.as_deref(), Some("AWS::SQS::Queue"));
        assert_eq!(read.call, Some(Call::CreateResource));
        assert!(
            matches!(read.effect, Effect::Fail { code, message, .. } if code == "AccessDenied" && message == "not: allowed")
        );
    }

    #[test]
    fn faults_that_cannot_be_read_are_wrong_usage() {
        for text in [
            "",
            "AWS::SQS::Queue",
            "AWS::SQS::Queue:create",
            "AWS::SQS::Queue:list:X",
            "create:X",
        ] {
            assert!(matches!(fault(text), Err(Failure::Usage { .. })), "{text}");
        }
    }
}
