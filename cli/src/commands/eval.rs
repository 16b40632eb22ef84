//! `formwork eval`: substitutions in a text, evaluated against values from a file.

use crate::arguments::{Eval, Format};
use crate::files;
use crate::render;
use crate::terminal::{Failure, print, print_error, print_json};
use formwork_blueprint::Format as SourceFormat;
use formwork_blueprint::{
    Diagnostic, Kind, Reference, Root, Scope, Segment, Source, Template, Value, codes, evaluate, nearest,
};
use formwork_engine::Problem;
use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};

pub fn run(options: &Eval) -> Result<bool, Failure> {
    let reads_stdin = |path: &&PathBuf| path.as_os_str() == files::STDIN;
    if options.text == files::STDIN && options.context.as_ref().filter(reads_stdin).is_some() {
        return Err(Failure::usage(
            "only one of text and context can come from standard input",
        ));
    }
    let context = match &options.context {
        Some(path) => Context::read(path)?,
        None => Context::of(Map::new()),
    };
    let text = text(&options.text)?;
    let source = Source::with_format("TEXT", text.as_str(), SourceFormat::Yaml);
    let result = Template::parse(&text)
        .and_then(|template| evaluate(&template, &context).map_err(|error| vec![Diagnostic::from(error)]));
    match (&result, options.format) {
        (Ok(value), Format::Json) => print_json(&json!({ "value": value.to_json() })),
        (Ok(value), Format::Text) => print(&shown(value)),
        (Err(findings), Format::Json) => {
            // Scripts are told the first: the others may only follow from it.
            let first = findings
                .first()
                .map(|finding| render::json(&Problem::of(finding, &source), source.name()));
            print_json(&json!({ "error": first }));
        }
        (Err(findings), Format::Text) => {
            for finding in findings {
                print(&render::text(
                    &Problem::of(finding, &source),
                    &source,
                    console::colors_enabled(),
                ));
            }
            let unresolved = |finding: &Diagnostic| finding.code == codes::UNRESOLVED_REFERENCE;
            if options.context.is_none() && findings.iter().any(unresolved) {
                let hint = console::style("hint:").cyan().for_stderr();
                print_error(&format!(
                    "{hint} values come from a JSON or YAML file: `--context FILE`"
                ));
            }
        }
    }
    Ok(result.is_ok())
}

/// The text given, or standard input without the end of its last line.
fn text(given: &str) -> Result<String, Failure> {
    if given != files::STDIN {
        return Ok(given.to_owned());
    }
    let mut text = std::io::read_to_string(std::io::stdin().lock())
        .map_err(|error| Failure::usage(format!("standard input cannot be read: {error}")))?;
    let end = text.trim_end_matches('\n').trim_end_matches('\r').len();
    if text.len() - end <= 2 {
        text.truncate(end);
    }
    Ok(text)
}

/// A string as it is, anything else as JSON.
fn shown(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => text.clone(),
        _ => value.to_json().to_string(),
    }
}

const SECTIONS: [&str; 4] = ["variables", "resources", "datasources", "children"];
const RESOURCE_FIELDS: [&str; 3] = ["spec", "state", "metadata"];
const FORM: &str = "a map of `variables`, `resources`, `datasources` and `children`, in JSON or YAML; a resource has `spec`, \
     `state` and `metadata`";

/// `{"variables": {}, "resources": {name: {"spec", "state", "metadata"}}, "datasources": {}, "children": {}}`
struct Context(Value);

impl Context {
    /// A section that is not there is empty: then the name is what is missing.
    fn of(mut sections: Map<String, Json>) -> Self {
        for section in SECTIONS {
            sections.entry(section).or_insert_with(|| json!({}));
        }
        Context(Value::from_json(&Json::Object(sections)))
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |message: String, hint: Option<&str>| {
            let hint = hint.map_or_else(
                || format!("expected {FORM}"),
                |name| format!("did you mean `{name}`?"),
            );
            Failure::usage_with_hint(format!("{}: {message}", path.display()), hint)
        };
        let sections = match files::data(path, FORM)? {
            Json::Object(sections) => sections,
            // An empty file says nothing, and nothing wrong.
            Json::Null => Map::new(),
            other => return Err(wrong(format!("the context is {}", files::noun(&other)), None)),
        };
        for (section, content) in &sections {
            if !SECTIONS.contains(&section.as_str()) {
                let message = format!("`{section}` is no section of a context");
                return Err(wrong(message, nearest(section, SECTIONS)));
            }
            let Json::Object(elements) = content else {
                return Err(wrong(format!("`{section}` is {}", files::noun(content)), None));
            };
            for (name, element) in elements.iter().filter(|_| section == "resources") {
                let Json::Object(fields) = element else {
                    return Err(wrong(
                        format!("the resource `{name}` is {}", files::noun(element)),
                        None,
                    ));
                };
                let unknown = fields
                    .keys()
                    .find(|field| !RESOURCE_FIELDS.contains(&field.as_str()));
                if let Some(field) = unknown {
                    let message = format!("`{field}` is no field of the resource `{name}`");
                    return Err(wrong(message, nearest(field, RESOURCE_FIELDS)));
                }
            }
        }
        Ok(Context::of(sections))
    }
}

impl Scope for Context {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let mut path = vec![
            Segment::Name(reference.root.section().to_owned()),
            Segment::Name(reference.root.name().to_owned()),
        ];
        if matches!(reference.root, Root::Resource(_)) && reference.path.is_empty() {
            // The primary identifier, under the name that every type's state has it.
            path.extend([Segment::Name("state".into()), Segment::Name("id".into())]);
        }
        path.extend(reference.path.iter().cloned());
        self.0.at(&path)
    }
}
