//! Documents: any bytes, as YAML and as JSON.

use super::findings;
use super::scopes::BeforeDeploy;
use formwork_blueprint::{
    Blueprint, Checked, Format, Severity, Source, Template, check, evaluate, evaluate_reference, parse_value,
};

/// Checks the text in both formats; what is a blueprint is printed, checked again and evaluated.
///
/// # Panics
/// Where a promise is broken.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for format in [Format::Yaml, Format::Json] {
        let source = Source::with_format("fuzzed", text, format);
        let checked = checked(&source);
        if let Some(blueprint) = &checked.blueprint {
            reprinted(&source, blueprint);
            evaluated(&source, blueprint);
        }
    }
}

fn checked(source: &Source) -> Checked {
    let checked = check(source);
    findings::hold(&checked.diagnostics, source);
    let is_error = |severity| severity == Severity::Error;
    let wrong = checked
        .diagnostics
        .iter()
        .any(|finding| is_error(finding.severity));
    assert_eq!(checked.blueprint.is_none(), wrong, "{:#?}", checked.diagnostics);
    let again = check(source);
    assert_eq!(
        checked.diagnostics, again.diagnostics,
        "not the same on a second run"
    );
    checked
}

/// A blueprint that is printed as an inline object is the same blueprint.
fn reprinted(source: &Source, blueprint: &Blueprint) {
    let plain =
        parse_value(source).unwrap_or_else(|errors| panic!("a blueprint is no document: {errors:#?}"));
    let inline = Source::inline("Blueprint", &plain);
    let again = checked(&inline);
    let Some(again) = again.blueprint else {
        // Aliases, written out, may be more than a document can hold.
        let too_much = |code| matches!(code, "document-too-large" | "too-many-nodes");
        let findings = again.diagnostics;
        assert!(
            findings.iter().any(|finding| too_much(finding.code)),
            "{findings:#?}\n{}",
            inline.text()
        );
        return;
    };
    assert!(names(blueprint).eq(names(&again)), "other names than before");
    for (name, resource) in &blueprint.resources {
        assert_eq!(resource.type_name, again.resources[name].type_name);
        assert_eq!(resource.depends_on, again.resources[name].depends_on);
    }
}

fn names(blueprint: &Blueprint) -> impl Iterator<Item = &String> {
    let variables = blueprint.variables.keys();
    variables
        .chain(blueprint.resources.keys())
        .chain(blueprint.exports.keys())
}

fn evaluated(source: &Source, blueprint: &Blueprint) {
    let variables = match blueprint.bind(&serde_json::Map::new()) {
        Ok(variables) => variables,
        Err(findings) => {
            let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
            // A default is checked where it stands.
            assert!(
                codes.iter().all(|code| *code == "missing-variable-value"),
                "{findings:#?}"
            );
            return;
        }
    };
    let scope = BeforeDeploy { variables };
    let resources = blueprint.resources.values();
    let of_resources = resources.flat_map(|resource| {
        [
            Some(&resource.spec),
            Some(&resource.metadata),
            resource.description.as_ref(),
        ]
    });
    let of_exports = blueprint
        .exports
        .values()
        .map(|export| export.description.as_ref());
    let templates = of_resources.chain(of_exports).flatten();
    for template in templates.chain([&blueprint.metadata]) {
        evaluated_template(source, template, &scope);
    }
    for export in blueprint.exports.values() {
        if let Err(error) = evaluate_reference(&export.field, &scope) {
            findings::hold_error(&error, source.text());
        }
    }
}

fn evaluated_template(source: &Source, template: &Template, scope: &BeforeDeploy) {
    for (_, span) in template.references() {
        assert!(source.text().get(span.start..span.end).is_some(), "{span:?}");
    }
    match evaluate(template, scope) {
        Ok(value) => {
            // Printing must come to an end as well, for people and for the cloud.
            let _shown = (value.to_masked_json().to_string(), value.to_json().to_string());
        }
        Err(error) => findings::hold_error(&error, source.text()),
    }
}
