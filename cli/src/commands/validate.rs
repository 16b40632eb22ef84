//! `formwork validate`: a blueprint against its language and the resource type schemas.

use crate::arguments::{Format, Validate};
use crate::files;
use crate::render;
use crate::terminal::{Failure, print, print_error, print_json};
use async_trait::async_trait;
use formwork_blueprint::{Severity, Source, codes};
use formwork_engine::ports::{SchemaSource, SchemaSourceError};
use formwork_engine::{EngineError, Problem, Target};
use formwork_schema::{ResourceSchema, load};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

pub fn run(options: &Validate) -> Result<bool, Failure> {
    let name = options.blueprint.display().to_string();
    let source = Source::new(name.as_str(), files::text(&options.blueprint)?);
    let mut target = Target::new(source.clone());
    target.variables = variables(&options.variables)?;
    let problems = check(&target)?;
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    match options.format {
        Format::Json => print_json(&json!({
            "valid": errors == 0,
            "diagnostics": problems.iter().map(|problem| render::json(problem, &name)).collect::<Vec<_>>(),
        })),
        Format::Text => {
            let coloured = console::colors_enabled();
            for problem in &problems {
                print(&render::text(problem, &source, coloured));
                print("");
            }
            match errors {
                0 => print(&format!("{name}: valid")),
                1 => print_error(&format!("{name}: 1 error")),
                many => print_error(&format!("{name}: {many} errors")),
            }
        }
    }
    Ok(errors == 0)
}

/// Everything there is to say about a blueprint. Variables without a value are no problem here: the values
/// come with the deployment.
fn check(target: &Target) -> Result<Vec<Problem>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| Failure::outside("no asynchronous runtime", error))?;
    match runtime.block_on(formwork_engine::check(target, &Bundled)) {
        Ok(warnings) => Ok(warnings),
        Err(EngineError::Invalid { problems }) => Ok(problems
            .into_iter()
            .filter(|problem| problem.code != codes::MISSING_VARIABLE_VALUE)
            .collect()),
        Err(error) => Err(Failure::outside("the blueprint cannot be checked", error)),
    }
}

/// The schemas that ship with the program: no account is asked.
struct Bundled;

#[async_trait]
impl SchemaSource for Bundled {
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError> {
        load(type_name)
            .map(|schema| schema.map(Arc::new))
            .map_err(|error| SchemaSourceError {
                type_name: type_name.to_owned(),
                message: error.message,
            })
    }
}

/// Values from `name=value` pairs and from files; later ones win.
fn variables(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut values = Map::new();
    for text in given {
        match text.split_once('=') {
            Some((name, value)) => {
                values.insert(name.to_owned(), Value::from(value));
            }
            None => values.extend(variables_file(Path::new(text))?),
        }
    }
    Ok(values)
}

fn variables_file(path: &Path) -> Result<Map<String, Value>, Failure> {
    let source = Source::new(path.display().to_string(), files::text(path)?);
    let value = formwork_blueprint::parse_value(&source).map_err(|diagnostics| {
        let lines: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.one_line(&source))
            .collect();
        Failure::usage_with_hint(
            lines.join("; "),
            "variables are a map of names to values, in JSON or YAML",
        )
    })?;
    match value {
        Value::Object(values) => Ok(values),
        _ => Err(Failure::usage(format!(
            "the file `{}` is no map of variables",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_files_are_told_apart_and_later_ones_win() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("values.yaml");
        std::fs::write(&file, "a: 1\nb: two\n").unwrap();
        let values = variables(&["a=0".into(), file.display().to_string(), "b=last=one".into()]).unwrap();
        assert_eq!(Value::Object(values), json!({"a": 1, "b": "last=one"}));
    }

    #[test]
    fn a_missing_file_is_wrong_usage() {
        assert!(matches!(
            variables(&["nowhere.yaml".into()]),
            Err(Failure::Usage { .. })
        ));
    }
}
