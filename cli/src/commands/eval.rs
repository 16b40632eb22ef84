//! `formwork eval`: substitutions in a text, evaluated against values from a file.

use crate::arguments::{Eval, Format};
use crate::files;
use crate::render;
use crate::terminal::{Failure, print, print_json};
use formwork_blueprint::Format as SourceFormat;
use formwork_blueprint::{
    Diagnostic, Kind, Reference, Root, Scope, Segment, Source, Template, Value, evaluate,
};
use formwork_engine::Problem;
use serde_json::{Map, Value as Json, json};

pub fn run(options: &Eval) -> Result<bool, Failure> {
    let context = match &options.context {
        Some(path) => Context::read(path)?,
        None => Context::of(Map::new()),
    };
    let source = Source::with_format("TEXT", options.text.as_str(), SourceFormat::Yaml);
    let result = Template::parse(&options.text)
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
        }
    }
    Ok(result.is_ok())
}

/// A string as it is, anything else as JSON.
fn shown(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => text.clone(),
        _ => value.to_json().to_string(),
    }
}

/// `{"variables": {}, "resources": {name: {"spec", "state", "metadata"}}, "datasources": {}, "children": {}}`
struct Context(Value);

impl Context {
    /// A section that is not there is empty: then the name is what is missing.
    fn of(mut sections: Map<String, Json>) -> Self {
        for section in ["variables", "resources", "datasources", "children"] {
            sections.entry(section).or_insert_with(|| json!({}));
        }
        Context(Value::from_json(&Json::Object(sections)))
    }

    fn read(path: &std::path::Path) -> Result<Self, Failure> {
        let what = "an object of `variables`, `resources`, `datasources` and `children`";
        match files::json(path, what)? {
            Json::Object(sections) => Ok(Context::of(sections)),
            _ => Err(Failure::usage_with_hint(
                format!("{}: no JSON object", path.display()),
                format!("expected {what}"),
            )),
        }
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
