//! `formwork validate`: a blueprint against its language and the resource type schemas.

use crate::arguments::{Format, Validate};
use crate::children::Folders;
use crate::files;
use crate::render;
use crate::terminal::{Failure, print, print_error, print_json};
use crate::variables;
use async_trait::async_trait;
use formwork_blueprint::{Severity, codes};
use formwork_engine::ports::{SchemaSource, SchemaSourceError};
use formwork_engine::{EngineError, Problem, Target};
use formwork_schema::{ResourceSchema, load};
use serde_json::json;
use std::sync::Arc;

pub fn run(options: &Validate) -> Result<bool, Failure> {
    let source = files::source(&options.blueprint)?;
    let name = source.name();
    let mut target = Target::new(source.clone());
    target.variables = variables::read(&options.variables)?;
    let problems = check(&target)?;
    let count = |severity| {
        problems
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    match options.format {
        Format::Json => print_json(&json!({
            "valid": errors == 0,
            "diagnostics": problems.iter().map(|problem| render::json(problem, name)).collect::<Vec<_>>(),
        })),
        Format::Text => {
            let coloured = console::colors_enabled();
            for problem in &problems {
                print(&render::text(problem, &source, coloured));
                print("");
            }
            let counted = |count: usize, noun: &str| match count {
                0 => None,
                1 => Some(format!("1 {noun}")),
                many => Some(format!("{many} {noun}s")),
            };
            let valid = (errors == 0).then(|| "valid".to_owned());
            let parts = [valid, counted(errors, "error"), counted(warnings, "warning")];
            let summary = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
            match errors {
                0 => print(&format!("{name}: {summary}")),
                _ => print_error(&format!("{name}: {summary}")),
            }
        }
    }
    Ok(errors == 0)
}

/// Everything there is to say about a blueprint. Variables without a value are no problem here: the values
/// come with the deployment.
pub fn check(target: &Target) -> Result<Vec<Problem>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| Failure::outside("no asynchronous runtime", error))?;
    match runtime.block_on(formwork_engine::check_with_children(target, &Bundled, &Folders)) {
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
