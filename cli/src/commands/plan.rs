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
        let instance = deployments.instance();
        let planned = match options.refresh {
            true => {
                let refreshed = deployments.engine.plan_refreshed(&instance, &target).await;
                refreshed.map(|(plan, drift)| (plan, Some(drift)))
            }
            false => deployments
                .engine
                .plan(&instance, &target)
                .await
                .map(|plan| (plan, None)),
        };
        let name = deployments.name.clone();
        deployments.close().await;
        let (plan, drift) = match planned {
            Ok(planned) => planned,
            Err(error) => return refuse(error, &target, options.format),
        };
        let detail = if options.all { Detail::All } else { Detail::Whole };
        match options.format {
            Format::Json => {
                let mut report = plan::json(&name, &plan);
                if let (Some(members), Some(drift)) = (report.as_object_mut(), &drift) {
                    members.insert("drift".into(), drift.to_json());
                }
                print_json(&report);
            }
            Format::Text => {
                let coloured = console::colors_enabled();
                if let Some(drift) = &drift {
                    print(&format!("{}\n", plan::drift(drift, coloured)));
                }
                print(&plan::text(&plan, detail, coloured));
            }
        }
        Ok(true)
    })
}
