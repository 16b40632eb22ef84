//! `formwork destroy`: what `formwork deploy` has made, away again.

use crate::arguments::{Destroy, Format};
use crate::deployments::{Deployments, block_on, elapsed_ms, instance_name, now, show_outcome};
use crate::plan::{self, Detail};
use crate::terminal::{Failure, print_error};
use formwork_engine::{EngineError, Goal, Outcome, Plan};
use serde_json::{Value, json};
use std::time::Duration;

pub fn run(options: &Destroy) -> Result<bool, Failure> {
    let name = instance_name(&options.instance, options.blueprint.as_deref())?;
    block_on(async {
        let deployments = Deployments::open(&options.place, name, options.format).await?;
        let planned = deployments
            .engine
            .plan_destroy(&deployments.instance(), options.retain)
            .await;
        let destroyed = match planned {
            Ok(plan) => {
                show(&plan, &deployments.name, options);
                if !plan.changes.is_empty() && !deployments.is_agreed(options.yes)? {
                    return Ok(false);
                }
                destroy(&deployments, options, &plan).await
            }
            Err(error) => Err(error),
        };
        let resources = deployments.progress.take();
        deployments.close().await;
        let (outcome, report) =
            destroyed.map_err(|error| Failure::outside("the deployment cannot be destroyed", error))?;
        show_outcome(&outcome, options.format, report, resources);
        Ok(outcome.succeeded)
    })
}

fn show(plan: &Plan, name: &str, options: &Destroy) {
    if options.format != Format::Text {
        return;
    }
    if plan.changes.is_empty() {
        print_error(&format!("nothing is deployed as `{name}`"));
    } else {
        let coloured = console::colors_enabled_stderr();
        print_error(&plan::text(plan, Detail::Compact, coloured));
        print_error("");
    }
}

async fn destroy(
    deployments: &Deployments,
    options: &Destroy,
    plan: &Plan,
) -> Result<(Outcome, Value), EngineError> {
    let began = now();
    let goal = Goal::Destroy {
        retain: options.retain,
    };
    let timeout = Duration::from_secs(options.timeout);
    let outcome = deployments.carry_out(goal, timeout).await?;
    let report = json!({
        "instance": deployments.name,
        "elapsedMs": elapsed_ms(began),
        "plan": plan::json(&deployments.name, plan),
    });
    Ok((outcome, report))
}
