//! A blueprint against the blueprints that it includes, where these can be read.

use super::inclusion::{Inclusion, Trouble};
use crate::spelling::{all_of, did_you_mean, nearest, shown};
use crate::template::{Field, Fields};
use crate::{
    Blueprint, Checker, Child, Diagnostic, Include, Interface, Reference, Root, Scope, Segment, Source,
    Template, Value, WORKING_DIR, codes, evaluate,
};

/// How many references to unknown exports get a suggestion: looking for one costs as many comparisons as there
/// are exports.
const MAX_SUGGESTIONS: usize = 50;

/// Looks at the children of a blueprint whose sections have been read: tells what is wrong between the two, and
/// writes down in each child what is known of it.
pub(super) fn check(
    blueprint: &mut Blueprint,
    source: &Source,
    checker: &Checker<'_>,
    inclusion: &Inclusion,
) -> Vec<Diagnostic> {
    let Some(reader) = checker.children else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let scope = Before {
        working_dir: reader.working_dir(),
    };
    for (name, child) in &mut blueprint.children {
        let Some((path, metadata)) = place(child, &scope) else {
            continue;
        };
        let include = Include {
            path: &path,
            metadata: &metadata,
        };
        let found = match reader.read(source, &include) {
            Ok(None) => continue,
            Ok(Some(found)) => inclusion.look(name, &found, checker),
            Err(problem) => Err(Trouble {
                code: codes::UNREADABLE_CHILD,
                message: format!("the child blueprint `{name}` cannot be read: {problem}"),
                help: None,
            }),
        };
        match found {
            Ok(interface) => child.interface = Some(interface),
            Err(trouble) => {
                let finding = Diagnostic::error(trouble.code, child.path.span(), trouble.message);
                findings.push(finding.help_if(trouble.help));
            }
        }
    }
    for (name, child) in &blueprint.children {
        if let Some(interface) = &child.interface {
            variables(name, child, interface, &mut findings);
        }
    }
    let mut suggestions_left = MAX_SUGGESTIONS;
    for reference in references(blueprint) {
        findings.extend(unknown_export(blueprint, reference, &mut suggestions_left));
    }

    findings
}

/// The path and metadata of a child, if its path is known before anything is deployed.
fn place(child: &Child, scope: &Before) -> Option<(String, Value)> {
    let path = evaluate(&child.path, scope).ok()?;
    let metadata = evaluate(&child.metadata, scope).ok()?;
    let text = path.as_str().filter(|path| !path.trim().is_empty())?;
    Some((text.to_owned(), metadata))
}

/// Nothing is known but the working directory.
struct Before {
    working_dir: Option<String>,
}

impl Scope for Before {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let known = match &reference.root {
            Root::Resource(name) if name == WORKING_DIR && reference.path.is_empty() => {
                self.working_dir.as_deref()
            }
            _ => None,
        };
        Ok(known.map_or_else(Value::unknown, Value::string))
    }
}

/// The names of a child's variables. What they are given is a matter of types.
fn variables(name: &str, child: &Child, interface: &Interface, findings: &mut Vec<Diagnostic>) {
    let given = child.variables.fields();
    let mut missing: Vec<&str> = interface
        .variables
        .iter()
        .filter(|(variable, declared)| {
            declared.default.is_none() && given.is_none_or(|given| given.get(variable).is_none())
        })
        .map(|(variable, _)| variable.as_str())
        .collect();
    for field in given.into_iter().flat_map(Fields::iter) {
        if !interface.variables.contains_key(field.key.as_str()) {
            findings.push(unknown_variable(name, field, interface, &mut missing));
        }
    }

    if !missing.is_empty() {
        let message = format!(
            "the child blueprint `{name}` needs a value for {}",
            all_of(&missing)
        );
        let finding = Diagnostic::error(codes::MISSING_CHILD_VARIABLE, child.span, message);
        findings.push(finding.help("give it under `variables` of the include, or a `default` in the child"));
    }
}

/// A value that a child does not ask for is left out when it is deployed, so it does no harm by itself: the
/// specification's own example has one. Where it was meant for a variable that needs one it is an error, and
/// that variable is not missed any more.
fn unknown_variable(name: &str, given: &Field, interface: &Interface, missing: &mut Vec<&str>) -> Diagnostic {
    let (variable, span) = (given.key.as_str(), given.key_span);
    let message = format!(
        "the child blueprint `{name}` has no variable `{}`",
        shown(variable)
    );

    if let Some(meant) = nearest(variable, missing.iter().copied()) {
        missing.retain(|other| *other != meant);
        let finding = Diagnostic::error(codes::UNKNOWN_CHILD_VARIABLE, span, message);
        return finding.help(format!("did you mean `{meant}`?"));
    }
    let names: Vec<&str> = interface.variables.keys().map(String::as_str).collect();
    let help = did_you_mean(variable, names.iter().copied()).unwrap_or_else(|| match names.as_slice() {
        [] => "it has no variables at all".to_owned(),
        names => format!("it has {}", all_of(names)),
    });
    Diagnostic::warning(codes::UNKNOWN_CHILD_VARIABLE, span, message).help(help)
}

/// Every reference in a blueprint, exported fields included.
fn references(blueprint: &Blueprint) -> Vec<&Reference> {
    let resources = blueprint.resources.values().flat_map(|resource| {
        resource
            .description
            .iter()
            .chain([&resource.metadata, &resource.spec])
    });
    let data_sources = blueprint.data_sources.values().flat_map(|source| {
        source
            .description
            .iter()
            .chain([&source.metadata, &source.filter.search])
    });
    let children = blueprint.children.values().flat_map(|child| {
        let rest = [&child.path, &child.variables, &child.metadata];
        child.description.iter().chain(rest)
    });
    let exports = blueprint.exports.values();
    let descriptions = exports.clone().flat_map(|export| &export.description);
    let templates = resources
        .chain(data_sources)
        .chain(children)
        .chain(descriptions)
        .chain([&blueprint.metadata]);
    let written = templates
        .flat_map(Template::references)
        .map(|(reference, _)| reference);
    written.chain(exports.map(|export| &export.field)).collect()
}

/// What is wrong with the name of a child's export. What it may be is a matter of types.
fn unknown_export(
    blueprint: &Blueprint,
    reference: &Reference,
    suggestions_left: &mut usize,
) -> Option<Diagnostic> {
    let (Root::Child(name), [Segment::Name(export), ..]) = (&reference.root, reference.path.as_slice())
    else {
        return None;
    };
    let exports = &blueprint.children.get(name)?.interface.as_ref()?.exports;
    if exports.contains_key(export) {
        return None;
    }
    let message = format!("the child blueprint `{name}` exports no `{export}`");
    let finding = Diagnostic::error(codes::UNKNOWN_CHILD_EXPORT, reference.span, message);
    let Some(left) = suggestions_left.checked_sub(1) else {
        return Some(finding);
    };
    *suggestions_left = left;

    let names: Vec<&str> = exports.keys().map(String::as_str).collect();
    let help = did_you_mean(export, names.iter().copied()).unwrap_or_else(|| match names.as_slice() {
        [] => "it exports nothing".to_owned(),
        names => format!("it exports {}", all_of(names)),
    });
    Some(finding.help(help))
}
