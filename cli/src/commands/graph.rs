//! `formwork graph`: the picture of a blueprint.

use super::validate;
use crate::arguments::{Format, Graph, Notation};
use crate::files;
use crate::picture::{self, Picture};
use crate::render;
use crate::terminal::{Failure, print_error, print_json, write};
use formwork_blueprint::{Checker, Severity, Source, Topology};
use formwork_engine::{Problem, Target};
use serde_json::json;
use std::ffi::OsStr;
use std::path::Path;

pub fn run(options: &Graph) -> Result<bool, Failure> {
    let source = files::source(&options.blueprint)?;
    let mut problems = validate::check(&Target::new(source.clone()))?;
    problems.retain(|problem| problem.severity == Severity::Error);
    // Wrong types and properties are told, and hide nothing of the picture.
    let draft = Checker::new().read(&source);
    let topology = draft.has_topology().then(|| draft.topology());
    match options.format {
        Format::Json => print_json(&report(&problems, topology.as_ref(), &source)),
        Format::Text => {
            if let Some(topology) = &topology {
                let picture = Picture::of(title(&source), topology);
                write(&match options.to {
                    Notation::Mermaid => picture::mermaid(&picture),
                    Notation::Dot => picture::dot(&picture),
                    Notation::Svg => picture::svg(&picture),
                });
            }
            for problem in &problems {
                print_error(&render::text(problem, &source, console::colors_enabled_stderr()));
                print_error("");
            }
        }
    }
    Ok(problems.is_empty())
}

/// The same members whether it is valid or not.
fn report(problems: &[Problem], topology: Option<&Topology>, source: &Source) -> serde_json::Value {
    let mut report = match topology {
        Some(topology) => picture::json(topology, source),
        None => json!({ "nodes": [], "edges": [], "cycles": [] }),
    };
    if let Some(members) = report.as_object_mut() {
        members.insert("valid".into(), problems.is_empty().into());
        let problems = problems
            .iter()
            .map(|problem| render::json(problem, source.name()));
        members.insert("diagnostics".into(), problems.collect());
    }
    report
}

fn title(source: &Source) -> &str {
    let name = Path::new(source.name()).file_name();
    name.and_then(OsStr::to_str).unwrap_or(source.name())
}
