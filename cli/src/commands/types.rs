//! `formwork types`: the resource types known, and the properties of one.

use super::validate;
use crate::arguments::{Format, Types};
use crate::deployments::show_problems;
use crate::files;
use crate::permissions;
use crate::terminal::{Failure, print, print_error, print_json};
use formwork_blueprint::{Severity, Source};
use formwork_engine::Target;
use formwork_schema::{Handlers, Property, ResourceSchema, bundled_types, load, resolve_type};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

pub fn run(options: &Types) -> Result<bool, Failure> {
    if let Some(blueprint) = &options.permissions {
        return show_permissions(blueprint, options.format);
    }
    let filter = options.filter.as_deref().unwrap_or_default();
    if let Some(schema) = one_type(filter)? {
        match options.format {
            Format::Json => print_json(&Value::Array(vec![describe(&schema)])),
            Format::Text => show(&schema),
        }
        return Ok(true);
    }
    let names: Vec<&str> = bundled_types()
        .map(|known| known.name)
        .filter(|name| is_like(name, filter))
        .collect();
    match options.format {
        Format::Json => {
            let schemas = names
                .iter()
                .map(|name| load_known(name))
                .collect::<Result<Vec<_>, _>>()?;
            print_json(&Value::Array(schemas.iter().map(describe).collect()));
        }
        Format::Text => {
            for name in &names {
                print(&format!("{name:<56} {}", notation(name)));
            }
        }
    }
    if names.is_empty() {
        let help = match resolve_type(filter) {
            Err(unknown) if !unknown.suggestions.is_empty() => {
                format!("did you mean `{}`?", unknown.suggestions.join("`, `"))
            }
            _ => "`formwork types` lists all".to_owned(),
        };
        return Err(Failure::usage_with_hint(
            format!("no resource type is like `{filter}`"),
            help,
        ));
    }
    Ok(true)
}

/// The policy that deploying a blueprint takes. Variables need no values for it.
fn show_permissions(blueprint: &Path, format: Format) -> Result<bool, Failure> {
    let source = Source::new(blueprint.display().to_string(), files::text(blueprint)?);
    let mut problems = validate::check(&Target::new(source.clone()))?;
    problems.retain(|problem| problem.severity == Severity::Error);
    let Some(blueprint) = formwork_blueprint::check(&source)
        .blueprint
        .filter(|_| problems.is_empty())
    else {
        show_problems(&problems, &source, format);
        return Ok(false);
    };
    let mut schemas: BTreeMap<String, ResourceSchema> = BTreeMap::new();
    for resource in blueprint.resources.values() {
        if let Ok(name) = resolve_type(&resource.type_name)
            && !schemas.contains_key(&name)
        {
            schemas.insert(name.clone(), load_known(&name)?);
        }
    }
    let permissions = permissions::permissions(schemas.values());
    print_json(&permissions.policy);
    if format == Format::Text {
        for note in &permissions.notes {
            print_error(&format!("{} {note}", console::style("note:").cyan().for_stderr()));
        }
    }
    Ok(true)
}

/// The type that a whole name means.
fn one_type(name: &str) -> Result<Option<ResourceSchema>, Failure> {
    if !name.contains('/') && !name.contains("::") {
        return Ok(None);
    }
    match resolve_type(name) {
        Ok(resolved) => {
            load(&resolved).map_err(|error| Failure::outside("the bundled schema cannot be read", error))
        }
        Err(_) => Ok(None),
    }
}

fn load_known(name: &str) -> Result<ResourceSchema, Failure> {
    match load(name) {
        Ok(Some(schema)) => Ok(schema),
        Ok(None) => Err(Failure::usage(format!("no resource type is called `{name}`"))),
        Err(error) => Err(Failure::outside("the bundled schema cannot be read", error)),
    }
}

fn is_like(name: &str, filter: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase()
    };
    plain(name).contains(&plain(filter))
}

/// `aws/sqs/queue` for `AWS::SQS::Queue`
fn notation(name: &str) -> String {
    let parts: Vec<String> = name.split("::").map(str::to_lowercase).collect();
    parts.join("/")
}

fn handlers(of: Handlers) -> Vec<&'static str> {
    [
        ("create", of.create),
        ("read", of.read),
        ("update", of.update),
        ("delete", of.delete),
        ("list", of.list),
    ]
    .into_iter()
    .filter_map(|(name, there)| there.then_some(name))
    .collect()
}

/// What a missing handler, or a way of replacing, means for whoever uses the type.
fn limits(schema: &ResourceSchema) -> Vec<String> {
    if let Some(reason) = schema.cannot_create() {
        return vec![reason.message];
    }
    let handlers = schema.handlers();
    let reasons = [schema.cannot_read(), schema.cannot_update()];
    let mut limits: Vec<String> = reasons
        .into_iter()
        .flatten()
        .map(|reason| reason.message)
        .collect();
    let others = [
        (
            !handlers.delete,
            "this type cannot be deleted: removing it from a blueprint fails",
        ),
        (
            !handlers.list,
            "this type cannot be listed: a resource that was lost sight of cannot be looked for",
        ),
        (
            schema.deletes_first(),
            "when it is replaced, it is deleted before its successor is made",
        ),
    ];
    let others = others.iter().filter(|(holds, _)| *holds);
    limits.extend(others.map(|(_, text)| (*text).to_owned()));
    limits
}

fn words(property: &Property<'_>) -> Vec<&'static str> {
    [
        ("required", property.required),
        ("read-only", property.read_only),
        ("write-only", property.write_only),
        ("create-only", property.create_only),
        ("may replace", property.conditional_create_only),
    ]
    .into_iter()
    .filter_map(|(word, holds)| holds.then_some(word))
    .collect()
}

fn describe(schema: &ResourceSchema) -> Value {
    let properties: Vec<Value> = schema
        .properties()
        .map(|property| {
            json!({
                "name": property.name,
                "type": property.kind,
                "required": property.required,
                "readOnly": property.read_only,
                "writeOnly": property.write_only,
                "createOnly": property.create_only,
                "conditionalCreateOnly": property.conditional_create_only,
                "description": property.description,
            })
        })
        .collect();
    json!({
        "type": schema.type_name(),
        "blueprintType": notation(schema.type_name()),
        "handlers": handlers(schema.handlers()),
        "limits": limits(schema),
        "primaryIdentifier": schema.primary_identifier().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "properties": properties,
    })
}

fn show(schema: &ResourceSchema) {
    let bold = |text: &str| console::style(text.to_owned()).bold();
    print(&format!(
        "{}  {}",
        bold(schema.type_name()),
        notation(schema.type_name())
    ));
    let handlers = handlers(schema.handlers());
    if !handlers.is_empty() {
        print(&format!("handlers: {}", handlers.join(", ")));
    }
    for limit in limits(schema) {
        print(&format!("{} {limit}", console::style("!").yellow()));
    }
    let identifier: Vec<String> = schema
        .primary_identifier()
        .iter()
        .map(ToString::to_string)
        .collect();
    print(&format!("primary identifier: {}\n", identifier.join(" | ")));
    for property in schema.properties() {
        let marks = words(&property).join(", ");
        print(&format!(
            "  {:<36} {:<24} {}",
            property.name,
            property.kind,
            console::style(marks).yellow()
        ));
        let first = property
            .description
            .and_then(|text| text.lines().map(str::trim).find(|line| !line.is_empty()));
        if let Some(line) = first {
            print(&format!("      {}", console::style(shorten(line, 100)).dim()));
        }
    }
}

fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}
