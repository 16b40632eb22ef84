//! Drift as people read it.

use super::text::{Paint, pad, path, shown};
use console::Style;
use formwork_engine::{Difference, DriftReport, DriftStatus, ResourceDrift, Shown};

/// What is not as it was deployed, in lines. Colours come and go with `coloured`.
pub fn drift(report: &DriftReport, coloured: bool) -> String {
    let paint = Paint { coloured };
    let told: Vec<&ResourceDrift> = report
        .resources
        .iter()
        .filter(|resource| resource.status != DriftStatus::InSync)
        .collect();
    let names = told
        .iter()
        .map(|resource| resource.name.len())
        .max()
        .unwrap_or_default();
    let mut lines = vec![summary(report)];
    for resource in told {
        lines.push(heading(&paint, resource, names));
        let paths: Vec<String> = resource
            .properties
            .iter()
            .map(|difference| path(&difference.pointer))
            .collect();
        let width = paths.iter().map(String::len).max().unwrap_or_default();
        for (difference, path) in resource.properties.iter().zip(&paths) {
            lines.push(format!(
                "      {} {}  {}",
                mark(&paint, difference),
                pad(path, width),
                values(difference)
            ));
        }
        if resource.in_flight {
            lines.push(format!(
                "      {}",
                paint.dim("# an operation of a deployment is under way, which may be what changes it")
            ));
        }
        if let Some(problem) = &resource.problem {
            lines.push(format!("      {}", paint.dim(&format!("# {problem}"))));
        }
    }
    lines.join("\n")
}

fn summary(report: &DriftReport) -> String {
    if report.resources.is_empty() {
        return "drift: nothing is deployed".to_owned();
    }
    if report.is_in_sync() {
        return match report.resources.len() {
            1 => "drift: none, the only resource is as it was deployed".to_owned(),
            many => format!("drift: none, all {many} resources are as they were deployed"),
        };
    }
    let counts = [
        (DriftStatus::Changed, "changed"),
        (DriftStatus::Deleted, "deleted"),
        (DriftStatus::Unknown, "unknown"),
        (DriftStatus::InSync, "as deployed"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(status, word)| (report.count(status), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    format!("drift: {}", parts.join(", "))
}

fn heading(paint: &Paint, resource: &ResourceDrift, names: usize) -> String {
    let (mark, style) = match resource.status {
        DriftStatus::InSync => ("=", Style::new().dim()),
        DriftStatus::Changed => ("~", Style::new().yellow()),
        DriftStatus::Deleted => ("-", Style::new().red()),
        DriftStatus::Unknown => ("?", Style::new().magenta()),
    };
    format!(
        "  {} {}  {}  {}  {}",
        paint.style(style.clone(), mark),
        paint.style(style, &pad(resource.status.code(), "changed".len())),
        paint.style(Style::new().bold(), &pad(&resource.name, names)),
        resource.type_name,
        paint.dim(&resource.identifier)
    )
}

fn mark(paint: &Paint, difference: &Difference) -> String {
    let (mark, style) = match (&difference.applied, &difference.live) {
        (None, _) => ("+", Style::new().green()),
        (_, None) => ("-", Style::new().red()),
        _ => ("~", Style::new().yellow()),
    };
    paint.style(style, mark)
}

fn values(difference: &Difference) -> String {
    match (&difference.applied, &difference.live) {
        (Some(Shown::Secret), Some(Shown::Secret)) => "(secret, changed)".to_owned(),
        (Some(applied), Some(live)) => format!("{} -> {}", shown(applied), shown(live)),
        (Some(one), None) | (None, Some(one)) => shown(one),
        (None, None) => String::new(),
    }
}
