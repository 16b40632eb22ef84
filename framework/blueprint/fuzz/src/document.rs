//! Documents: any bytes, as YAML and as JSON.

use super::findings;
use super::scopes::BeforeDeploy;
use formwork_blueprint::{
    Blueprint, Checked, Checker, Diagnostic, FieldPath, Format, Severity, Source, Span, Template,
    Transformer, Tree, evaluate, evaluate_reference, parse_value,
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

/// Transforms that documents may ask for: one leaves everything as it is, one makes everything anew.
struct Same;
struct Anew;

impl Transformer for Same {
    fn name(&self) -> &str {
        "same"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        Ok(document)
    }
}

impl Transformer for Anew {
    fn name(&self) -> &str {
        "anew"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        Ok(Tree::new(&document.to_json(), Span::default()))
    }
}

fn checked(source: &Source) -> Checked {
    let checker = Checker::new().transformer(&Same).transformer(&Anew);
    let checked = checker.check(source);
    findings::hold(&checked.diagnostics, source);
    let is_error = |severity| severity == Severity::Error;
    let wrong = checked
        .diagnostics
        .iter()
        .any(|finding| is_error(finding.severity));
    assert_eq!(checked.blueprint.is_none(), wrong, "{:#?}", checked.diagnostics);
    let again = checker.check(source);
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
    assert_eq!(outline(blueprint), outline(&again));
}

/// What a blueprint is made of and how it hangs together, without the places.
fn outline(blueprint: &Blueprint) -> Vec<String> {
    let transforms = blueprint
        .transforms
        .iter()
        .map(|transform| transform.name.clone());
    let variables = blueprint
        .variables
        .iter()
        .map(|(name, variable)| format!("{name}: {:?}, {:?}", variable.kind, variable.default));
    let data_sources = blueprint.data_sources.iter().map(|(name, found)| {
        let (field, operator) = (&found.filter.field, found.filter.operator);
        format!(
            "{name}: {}, {field} {operator}, {:?}",
            found.type_name, found.depends_on
        )
    });
    let resources = blueprint
        .resources
        .iter()
        .map(|(name, resource)| format!("{name}: {}, {:?}", resource.type_name, resource.depends_on));
    let children = blueprint
        .children
        .iter()
        .map(|(name, child)| format!("{name}: {:?}, {:?}", child.path.to_text(), child.depends_on));
    let links = blueprint
        .links
        .iter()
        .map(|link| format!("{} to {} by {:?}", link.from, link.to, link.labels));
    let exports = blueprint
        .exports
        .iter()
        .map(|(name, export)| format!("{name}: {} {}", export.kind, export.field));
    let sections = variables.chain(data_sources).chain(resources).chain(children);
    transforms.chain(sections).chain(links).chain(exports).collect()
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
    for template in templates(blueprint) {
        evaluated_template(source, template, &scope);
    }
    for export in blueprint.exports.values() {
        if let Err(error) = evaluate_reference(&export.field, &scope) {
            findings::hold_error(&error, source.text());
        }
    }
    for data_source in blueprint.data_sources.values() {
        read_again(&data_source.filter.field);
        data_source
            .exports
            .values()
            .for_each(|export| read_again(&export.field));
    }
}

fn templates(blueprint: &Blueprint) -> Vec<&Template> {
    let mut templates = vec![&blueprint.metadata];
    for resource in blueprint.resources.values() {
        templates.extend([&resource.spec, &resource.metadata]);
        templates.extend(&resource.description);
    }
    for data_source in blueprint.data_sources.values() {
        templates.push(&data_source.metadata);
        templates.extend(&data_source.description);
    }
    for child in blueprint.children.values() {
        templates.extend([&child.path, &child.metadata]);
        templates.extend([&child.variables].into_iter().chain(&child.description));
    }
    templates.extend(
        blueprint
            .exports
            .values()
            .filter_map(|export| export.description.as_ref()),
    );
    templates
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

fn read_again(path: &FieldPath) {
    assert_eq!(FieldPath::parse(&path.to_string()).as_ref(), Ok(path));
}
