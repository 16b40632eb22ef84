//! `formwork deploy`: a blueprint without CloudFormation.

use crate::arguments::{Deploy, Format};
use crate::deployments::{
    Deployments, block_on, elapsed_ms, instance_name, now, refuse, show_outcome, target,
};
use crate::plan::{self, Detail};
use crate::terminal::{Failure, print_error};
use formwork_engine::{EngineError, Goal, Outcome, Plan, Target};
use serde_json::{Value, json};
use std::time::Duration;

pub fn run(options: &Deploy) -> Result<bool, Failure> {
    let target = target(&options.inputs)?;
    let name = instance_name(&options.instance, Some(&options.inputs.blueprint))?;
    block_on(async {
        let deployments = Deployments::open(&options.place, name, options.format).await?;
        let planned = deployments.engine.plan(&deployments.instance(), &target).await;
        let deployed = match planned {
            Ok(plan) => {
                show(&plan, options);
                if !deployments.is_agreed(options.yes)? {
                    return Ok(false);
                }
                deploy(&deployments, options, &target, &plan).await
            }
            Err(error) => Err(error),
        };
        let resources = deployments.progress.take();
        deployments.close().await;
        match deployed {
            Ok((outcome, report)) => {
                show_outcome(&outcome, options.format, report, resources);
                if !options.place.aws && options.place.sandbox.is_none() && options.format == Format::Text {
                    print_error("nothing of it is kept: give `--sandbox DIR` to go on from here");
                }
                Ok(outcome.succeeded)
            }
            Err(error) => refuse(error, &target, options.format),
        }
    })
}

fn show(plan: &Plan, options: &Deploy) {
    if options.format == Format::Text {
        let coloured = console::colors_enabled_stderr();
        print_error(&plan::text(plan, Detail::Compact, coloured));
        print_error("");
    }
}

async fn deploy(
    deployments: &Deployments,
    options: &Deploy,
    target: &Target,
    plan: &Plan,
) -> Result<(Outcome, Value), EngineError> {
    let began = now();
    let timeout = Duration::from_secs(options.timeout);
    let outcome = deployments
        .carry_out(Goal::Deploy(target.clone()), timeout)
        .await?;
    let report = json!({
        "instance": deployments.name,
        "elapsedMs": elapsed_ms(began),
        "plan": plan::json(&deployments.name, plan),
    });
    Ok((outcome, report))
}
