//! `formwork plan`: what a deploy of a blueprint would do.

use crate::arguments::{Format, Plan};
use crate::deployments::{Deployments, block_on, instance_name, refuse, target};
use crate::plan::{self, Detail};
use crate::terminal::{Failure, print, print_json};

pub fn run(options: &Plan) -> Result<bool, Failure> {
    let target = target(&options.inputs)?;
    let name = instance_name(&options.instance, Some(&options.inputs.blueprint))?;
    block_on(async {
        let deployments = Deployments::open(&options.place, name, options.format).await?;
        let planned = deployments.engine.plan(&deployments.instance(), &target).await;
        let name = deployments.name.clone();
        deployments.close().await;
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => return refuse(error, &target, options.format),
        };
        let detail = if options.all { Detail::All } else { Detail::Whole };
        match options.format {
            Format::Json => print_json(&plan::json(&name, &plan)),
            Format::Text => print(&plan::text(&plan, detail, console::colors_enabled())),
        }
        Ok(true)
    })
}
