//! Stored deployments as people read them.

use console::{Alignment, measure_text_width, pad_str};
use formwork_engine::{InstanceView, OperationView, Phase, ResourceView};
use jiff::Timestamp;
use serde_json::Value;

/// The list of deployments.
pub fn lines(found: &[(String, Result<Option<InstanceView>, String>)]) -> String {
    let rows = found.iter().map(|(name, view)| {
        let told = match view {
            Ok(Some(view)) => {
                let leftovers = view.resources.iter().filter(|resource| resource.leftover).count();
                let mut told = counted(view.resources.len() - leftovers, "resource");
                if leftovers > 0 {
                    told.push_str(&format!(", {}", counted(leftovers, "leftover")));
                }
                format!("{told}; {}", standing(view))
            }
            Ok(None) => "removed a moment ago".to_owned(),
            Err(problem) => problem.clone(),
        };
        vec![name.clone(), told]
    });
    table(rows.collect())
}

/// A deployment and its resources.
pub fn instance(view: &InstanceView) -> String {
    let mut parts = vec![format!("{}: {}", view.instance, standing(view))];
    if let Some(role) = &view.role_arn {
        parts.push(format!("by the role {role}"));
    }
    parts.extend(view.failures.iter().map(ToString::to_string));
    let rows: Vec<Vec<String>> = view
        .resources
        .iter()
        .map(|resource| {
            vec![
                format!("  {}", resource.lane),
                resource.type_name.clone(),
                resource.identifier.clone().unwrap_or_else(|| "-".to_owned()),
                remark(resource),
            ]
        })
        .collect();
    if !rows.is_empty() {
        parts.push(table(rows));
    }
    parts.join("\n")
}

/// A resource with its properties.
pub fn resource(resource: &ResourceView) -> String {
    let mut lines = vec![format!(
        "{}  {}  {}",
        resource.lane,
        resource.type_name,
        resource.identifier.as_deref().unwrap_or("-")
    )];
    if !resource.depends_on.is_empty() {
        lines.push(format!("built upon {}", resource.depends_on.join(", ")));
    }
    let remark = remark(resource);
    if !remark.is_empty() {
        lines.push(remark);
    }
    for (title, document) in [
        ("applied", &resource.applied),
        ("live, as last read", &resource.live),
    ] {
        if let Some(document) = document {
            lines.push(format!("{title}:"));
            lines.push(pretty(document));
        }
    }
    lines.join("\n")
}

/// What is under way in a deployment.
pub fn pending(view: &InstanceView, now: Timestamp) -> String {
    let rows: Vec<Vec<String>> = view
        .pending()
        .map(|resource| {
            let since = resource.operation.as_ref().map(|operation| begun(operation, now));
            let waits = resource.waits.as_ref().map(|wait| format!("waits for {wait}"));
            let told: Vec<String> = waits.into_iter().chain(since).collect();
            vec![
                format!("  {}", resource.lane),
                resource.type_name.clone(),
                doing(resource),
                told.join("; "),
            ]
        })
        .collect();
    let heading = format!("{}: {}", view.instance, standing(view));
    match rows.is_empty() {
        true => heading,
        false => format!("{heading}\n{}", table(rows)),
    }
}

/// What holds a deployment, and what ending it means.
pub fn holder(view: &InstanceView, now: Timestamp) -> String {
    if view.phase == Phase::Done {
        return format!(
            "{}: {}\nnobody has taken its outcome, so its inputs are still kept; ending it erases them",
            view.instance,
            standing(view)
        );
    }
    let is_late = view.deadline < now;
    let carried = match is_late {
        true => "its time is over, so nobody can be carrying it on",
        false => {
            "somebody may be carrying it on; they will stop at their next write, and a creation with secrets \
             that the cloud has not acknowledged yet is lost sight of"
        }
    };
    format!("{}\n{carried}", pending(view, now))
}

/// What forgetting a resource means.
pub fn forgetting(resource: &ResourceView) -> String {
    let mut text = format!(
        "{} ({}, {}) stays in the cloud, and nothing will update or delete it",
        resource.lane,
        resource.type_name,
        resource.identifier.as_deref().unwrap_or("no identifier known")
    );
    if let Some(operation) = &resource.operation {
        text.push_str(&format!(
            "\nits {} is still under way ({}): what comes of it will not be known",
            operation.operation.verb(),
            token(operation)
        ));
    }
    text
}

fn standing(view: &InstanceView) -> String {
    if view.generation.0 == 0 {
        return "never deployed".to_owned();
    }
    let goal = match view.goal {
        "retain" => "release of all resources",
        other => other,
    };
    match (view.phase, view.succeeded) {
        (Phase::Running, _) => format!("{goal} running, due {:.0}", view.deadline),
        (Phase::Done, Some(true)) => format!("{goal} succeeded, and is not delivered yet"),
        (Phase::Done, _) => format!("{goal} failed, and is not delivered yet"),
        (Phase::Settled, Some(true)) => format!("{goal} succeeded"),
        (Phase::Settled, _) => format!("{goal} failed"),
    }
}

fn remark(resource: &ResourceView) -> String {
    let mut told = Vec::new();
    if resource.leftover {
        told.push("left over, to be deleted".to_owned());
    }
    if resource.operation.is_some() {
        told.push(format!("{} under way", doing(resource)));
    } else if let Some(wait) = &resource.waits {
        told.push(format!("{} waits for {wait}", doing(resource)));
    }
    told.join("; ")
}

fn doing(resource: &ResourceView) -> String {
    match &resource.operation {
        Some(operation) => operation.operation.verb().to_owned(),
        None => resource.action.to_string(),
    }
}

fn begun(operation: &OperationView, now: Timestamp) -> String {
    let age = now.duration_since(operation.started).as_secs();
    format!("since {:.0} ({age} s), {}", operation.started, token(operation))
}

fn token(operation: &OperationView) -> String {
    match &operation.request_token {
        Some(token) => format!("request token {token}"),
        None => format!("client token {}", operation.client_token),
    }
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}

fn pretty(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default()
}

/// Columns, two blanks apart.
fn table(rows: Vec<Vec<String>>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| measure_text_width(cell))
                .max()
                .unwrap_or_default()
        })
        .collect();
    let lines = rows.iter().map(|row| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| pad_str(cell, *width, Alignment::Left, None).into_owned());
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
