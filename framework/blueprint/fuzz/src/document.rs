//! Documents: any bytes, as YAML and as JSON.

use super::scopes::BeforeDeploy;
use super::{findings, known};
use formwork_blueprint::{
    Blueprint, Checked, Checker, DataSource, FieldPath, Operator, Segment, Severity, Source, Template, Value,
    evaluate, evaluate_reference, parse_value,
};
use serde_json::json;

/// Checks the bytes in both formats, with and without knowledge of types and children; what is a blueprint is
/// printed, checked again and evaluated.
///
/// # Panics
/// Where a promise is broken.
pub fn run(data: &[u8]) {
    for name in ["fuzzed.yaml", "fuzzed.json"] {
        let source = Source::from_bytes(name, data.to_vec());
        let checked_with_little = checked(&known::little(), &source);
        let checked_with_all = checked(&known::all(), &source);
        if let Some(blueprint) = &checked_with_little.blueprint {
            reprinted(&source, blueprint);
            evaluated(&source, blueprint);
        }
        // Who knows more finds more.
        assert!(checked_with_little.blueprint.is_some() || checked_with_all.blueprint.is_none());
    }
}

fn checked(checker: &Checker<'_>, source: &Source) -> Checked {
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
    let again = checked(&known::little(), &inline);
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
        let _value = evaluated_template(source, template, &scope);
    }
    for export in blueprint.exports.values() {
        if let Err(error) = evaluate_reference(&export.field, &scope) {
            findings::hold_error(&error, source.text());
        }
    }
    for data_source in blueprint.data_sources.values() {
        looked_up(source, data_source, &scope);
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

fn evaluated_template(source: &Source, template: &Template, scope: &BeforeDeploy) -> Option<Value> {
    for (_, span) in template.references() {
        assert!(source.text().get(span.start..span.end).is_some(), "{span:?}");
    }
    match evaluate(template, scope) {
        Ok(value) => {
            // Printing must come to an end as well, for people and for the cloud.
            let _shown = (value.to_masked_json().to_string(), value.to_json().to_string());
            Some(value)
        }
        Err(error) => {
            findings::hold_error(&error, source.text());
            None
        }
    }
}

/// Whatever candidates there are, a filter selects one, none, or says what cannot be compared.
fn looked_up(source: &Source, data_source: &DataSource, scope: &BeforeDeploy) {
    let Some(search) = evaluated_template(source, &data_source.filter.search, scope) else {
        return;
    };
    let fields = json!([null, true, 5, 1.5, "a", "vpc-1", ["a", "b"], ["a", 5], [], {"a": "b"}, {}]);
    let candidates: Vec<Value> = fields
        .as_array()
        .into_iter()
        .flatten()
        .map(|field| candidate(&data_source.filter.field, field))
        .collect();
    let _selected = data_source.select(&search, &candidates);
    for candidate in &candidates {
        let _exported = data_source.exported(candidate);
        if let Ok(field) = data_source.filter.field.of(candidate) {
            negated(data_source.filter.operator, &field, &search);
        }
    }
}

/// Something that has this field.
fn candidate(path: &FieldPath, field: &serde_json::Value) -> Value {
    let whole = path
        .segments()
        .iter()
        .rev()
        .fold(field.clone(), |inner, segment| match segment {
            Segment::Name(name) => json!({ name: inner }),
            Segment::Index(index) => vec![inner; (*index).min(3) + 1].into(),
        });
    Value::from_json(&whole)
}

/// An operator and its negation never agree, unless that they cannot compare.
fn negated(operator: Operator, field: &Value, search: &Value) {
    let other = match operator.name() {
        "=" => "!=".to_owned(),
        "!=" => "=".to_owned(),
        name => name
            .strip_prefix("not ")
            .map_or_else(|| format!("not {name}"), str::to_owned),
    };
    let other = Operator::find(&other).unwrap_or_else(|| panic!("there is no `{other}`"));
    match (operator.matches(field, search), other.matches(field, search)) {
        (Ok(found), Ok(other)) => {
            let unknown = found.has_unknown() && other.has_unknown();
            assert!(
                unknown || found.to_json() != other.to_json(),
                "{operator}: {field:?} {search:?}"
            );
        }
        (Err(_), Err(_)) => {}
        (found, other) => panic!("{operator} is {found:?}, its negation {other:?}"),
    }
}

fn read_again(path: &FieldPath) {
    assert_eq!(FieldPath::parse(&path.to_string()).as_ref(), Ok(path));
}
