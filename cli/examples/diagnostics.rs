//! Prints `docs/diagnostics.md`: every code with an example and what `formwork validate` prints for it.
//!
//! ```text
//! cargo run -p formwork --example diagnostics > docs/diagnostics.md
//! ```
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a tool that prints a page"
)]

#[path = "../src/render.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "made for the command, which needs more of it"
)]
mod render;

use async_trait::async_trait;
use formwork_blueprint::codes::{self, Code};
use formwork_blueprint::{Format, Source};
use formwork_engine::ports::{SchemaSource, SchemaSourceError};
use formwork_engine::{EngineError, Problem, Target};
use formwork_schema::{ResourceSchema, load};
use std::fmt::Write as _;
use std::sync::Arc;

/// Longer lines of source are shown in part.
const LONGEST: usize = 160;

const INTRODUCTION: &str = "\
# Diagnostics

Every finding has a code. Codes are promises: scripts may rely on them, and a code keeps its meaning. Below is
each one with what to do about it, an example that leads to it and what `formwork validate` prints for the
example.

`formwork validate BLUEPRINT --format json` gives findings to scripts, with the same codes. Findings are sorted
by their place, and one mistake is told once. Places count lines and characters from 1. The values of secret
variables never appear in them.

In examples `«text×n»` stands for the text, n times; a `#` in it counts them. An example without `version` and
`resources` is completed with both.

This page is generated: `cargo run -p formwork --example diagnostics > docs/diagnostics.md`.
";

fn main() {
    print!("{}", page());
}

fn page() -> String {
    let types = codes::Group {
        title: "Resource types",
        codes: formwork_engine::codes::ALL,
    };
    let groups: Vec<codes::Group> = codes::ALL.iter().copied().chain([types]).collect();
    let mut out = INTRODUCTION.to_owned();
    for group in &groups {
        put(
            &mut out,
            &format!(
                "\n## {}\n\n| Code | What it means |\n| --- | --- |\n",
                group.title
            ),
        );
        for code in group.codes {
            let (name, explanation) = (code.name, code.explanation.replace('|', "\\|"));
            put(
                &mut out,
                &format!("| [`{name}`](#{}) | {explanation} |\n", name.to_lowercase()),
            );
        }
        for code in group.codes {
            let found = if group.title == types.title {
                with_types(code)
            } else {
                by_itself(code)
            };
            section(&mut out, code, &found);
        }
    }
    out
}

fn section(out: &mut String, code: &Code, (source, problems): &(Source, Vec<Problem>)) {
    put(
        out,
        &format!(
            "\n### `{}`\n\n{}. {}\n",
            code.name,
            capital(code.explanation),
            code.advice
        ),
    );
    let language = if code.example.starts_with('{') {
        "json"
    } else {
        "yaml"
    };
    let written = code.document();
    let example = if code.example.contains('«') {
        code.example
    } else {
        written.trim_end()
    };
    put(out, &format!("\n```{language}\n{example}\n```\n"));
    if let Some(run) = &code.run {
        if run.variables != "{}" {
            put(
                out,
                &format!("\nWith the values\n\n```json\n{}\n```\n", run.variables),
            );
        }
        if !run.resources.is_empty() {
            put(
                out,
                &format!("\nWith what is deployed\n\n```json\n{}\n```\n", run.resources),
            );
        }
    }
    let shown = problems.iter().filter(|problem| problem.code == code.name);
    put(out, "\n```text\n");
    for problem in shown {
        for line in render::text(problem, source, false).lines() {
            let most = if line.contains(" | ") { LONGEST } else { usize::MAX };
            let line: String = line.chars().take(most).collect();
            put(out, &format!("{}\n", line.trim_end()));
        }
    }
    put(out, "```\n");
}

fn put(out: &mut String, text: &str) {
    out.write_str(text).expect("a string takes all text");
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

/// What the language alone finds.
fn by_itself(code: &Code) -> (Source, Vec<Problem>) {
    let (source, findings) = code.findings();
    let name = match source.format() {
        Format::Json => "blueprint.json",
        _ => "blueprint.yaml",
    };
    let source = Source::with_format(name, source.text(), source.format());
    let problems = findings
        .iter()
        .map(|finding| Problem::of(finding, &source))
        .collect();
    (source, problems)
}

/// What is found once the types of resources are known.
fn with_types(code: &Code) -> (Source, Vec<Problem>) {
    let source = Source::with_format("blueprint.yaml", code.document(), Format::Yaml);
    let mut target = Target::new(source.clone());
    if code.name == formwork_engine::codes::UNKNOWN_EXPORT {
        target.exports = Some(vec!["arm".to_owned()]);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let problems = match runtime.block_on(formwork_engine::check(&target, &Bundled)) {
        Ok(problems) | Err(EngineError::Invalid { problems }) => problems,
        Err(other) => panic!("{}: {other}", code.name),
    };
    (source, problems)
}

struct Bundled;

#[async_trait]
impl SchemaSource for Bundled {
    async fn schema(&self, type_name: &str) -> Result<Option<Arc<ResourceSchema>>, SchemaSourceError> {
        Ok(load(type_name).expect("a sound bundle").map(Arc::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_page_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics.md");
        let written = std::fs::read_to_string(path).unwrap();
        let now = page();
        let differing = written.lines().zip(now.lines()).find(|(old, new)| old != new);
        assert!(
            written == now,
            "cargo run -p formwork --example diagnostics > docs/diagnostics.md\n{differing:?}"
        );
    }

    #[test]
    fn every_example_of_resource_types_leads_to_its_code_alone() {
        for code in formwork_engine::codes::ALL {
            let found: Vec<String> = with_types(code)
                .1
                .into_iter()
                .map(|problem| problem.code)
                .collect();
            assert_eq!(found, [code.name]);
            assert!(
                codes::find(code.name).is_none(),
                "{} is a code of the language",
                code.name
            );
        }
    }
}
