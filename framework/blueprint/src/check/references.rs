//! References: what they start from is declared, how they go on is allowed, and none leads back.

use super::context::{Context, Owner};
use super::habits::{self, Hint};
use crate::graph::Need;
use crate::spelling::{all_of, did_you_mean};
use crate::{Dependencies, Diagnostic, Reference, Root, Segment, Template, WORKING_DIR, codes};
use indexmap::IndexSet;

/// What fields of a resource stand under.
const RESOURCE_FIELDS: [&str; 3] = ["state", "spec", "metadata"];
pub(super) const METADATA_FIELDS: [&str; 4] = ["displayName", "annotations", "labels", "custom"];

/// Checks every reference in a template.
pub(super) fn check(context: &mut Context<'_>, template: &Template, owner: Owner<'_>) {
    for (reference, _) in template.references() {
        check_one(context, reference, owner);
    }
}

/// Checks one reference and enters it into the graph.
pub(super) fn check_one(context: &mut Context<'_>, reference: &Reference, owner: Owner<'_>) {
    let predefined = matches!(owner, Owner::ChildPath(_))
        && reference.path.is_empty()
        && reference.root == Root::Resource(WORKING_DIR.to_owned());
    if predefined {
        return;
    }
    if !context.declared.contains(&reference.root) {
        return undeclared(context, reference);
    }
    if let Some(finding) = path(context, reference) {
        return context.report(finding);
    }
    let from = owner.root();
    if from.as_ref() == Some(&reference.root) {
        let message = format!("`{}` refers to itself", reference.root.name());
        let finding = Diagnostic::error(codes::SELF_REFERENCE, reference.span, message);
        context.report(finding.help("write the value out, or share it through a variable"));
    }
    let ends = from
        .and_then(|from| context.declared.number(&from))
        .zip(context.declared.number(&reference.root));
    if let Some((from, to)) = ends {
        context.graph.connect(from, to, Need::Reference, reference.span);
    }
}

/// What the templates of an element refer to.
pub(super) fn dependencies<'t>(
    owner: Owner<'_>,
    templates: impl IntoIterator<Item = &'t Template>,
) -> Dependencies {
    let mut found: [IndexSet<&str>; 3] = Default::default();
    let own = owner.root();
    let in_path = matches!(owner, Owner::ChildPath(_));
    for template in templates {
        for (reference, _) in template.references() {
            let [resources, data_sources, children] = &mut found;
            let names = match &reference.root {
                root if Some(root) == own.as_ref() => continue,
                Root::Resource(name) if in_path && name == WORKING_DIR => continue,
                Root::Variable(_) => continue,
                Root::Resource(_) => resources,
                Root::DataSource(_) => data_sources,
                Root::Child(_) => children,
            };
            names.insert(reference.root.name());
        }
    }
    let [resources, data_sources, children] =
        found.map(|names| names.into_iter().map(str::to_owned).collect());
    Dependencies {
        resources,
        data_sources,
        children,
    }
}

fn undeclared(context: &mut Context<'_>, reference: &Reference) {
    if context.is_full() {
        return;
    }
    let root = &reference.root;
    let name = root.name();
    let (code, what) = match root {
        Root::Variable(_) => (codes::UNKNOWN_VARIABLE, "variable"),
        Root::Resource(_) => (codes::UNKNOWN_RESOURCE, "resource"),
        Root::DataSource(_) => (codes::UNKNOWN_DATA_SOURCE, "data source"),
        Root::Child(_) => (codes::UNKNOWN_CHILD, "child blueprint"),
    };
    let elsewhere = [Root::Variable(name.to_owned()), Root::Resource(name.to_owned())]
        .into_iter()
        .find(|other| other != root && context.declared.has_name(other));
    let help = match (elsewhere, root) {
        (Some(other), _) => Some(format!("did you mean `{other}`?")),
        (None, Root::Resource(_)) => habit(context, reference).or_else(|| context.suggest(root)),
        (None, _) => context.suggest(root),
    };
    let help = help.unwrap_or_else(|| what_there_is(context, root));
    let message = format!("there is no {what} `{name}`");
    context.report(Diagnostic::error(code, reference.span, message).help(help));
}

/// The names that there are, if a person can take them in.
fn what_there_is(context: &Context<'_>, root: &Root) -> String {
    const FEW: usize = 5;
    let section = match root {
        Root::Child(_) => "include",
        root => root.section(),
    };
    let names: Vec<&str> = context.declared.candidates(root).take(FEW + 1).collect();
    match names.as_slice() {
        [] => format!("declare it under `{section}`"),
        [only] => format!("declare it under `{section}`; there is `{only}`"),
        names if names.len() <= FEW => format!("declare it under `{section}`; there are {}", all_of(names)),
        _ => format!("declare it under `{section}`, or correct the name"),
    }
}

/// What to write instead of a reference that begins as in another language.
fn habit(context: &Context<'_>, reference: &Reference) -> Option<String> {
    let name = reference.root.name();
    let path = |segments: &[Segment]| segments.iter().map(Segment::to_string).collect::<String>();
    match (habits::find(habits::ROOTS, name), reference.path.as_slice()) {
        (Some(Hint::Is(section)), []) => Some(format!("write `{section}.` and the name of one of them")),
        (Some(Hint::Is(section)), segments) => Some(format!("did you mean `{section}{}`?", path(segments))),
        (Some(Hint::Instead(text) | Hint::Form(_, text)), _) => Some(text.to_owned()),
        // Terraform's `aws_sqs_queue.orders.arn`
        (None, [Segment::Name(second), rest @ ..]) => {
            let resource = Root::Resource(second.clone());
            let state = if matches!(rest, [Segment::Name(first), ..] if RESOURCE_FIELDS.contains(&first.as_str()))
            {
                ""
            } else {
                ".state"
            };
            let declared = name.contains('_') && context.declared.has_name(&resource);
            declared.then(|| format!("did you mean `{resource}{state}{}`?", path(rest)))
        }
        (None, []) if is_environment_name(name) => {
            Some(format!("for a literal `${{{name}}}` write `$${{{name}}}`"))
        }
        _ => None,
    }
}

/// Names such as `HOME` and `AWS_REGION` are the shell's.
fn is_environment_name(name: &str) -> bool {
    name.len() > 1
        && name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// What is wrong with the path of a reference to something declared.
fn path(context: &Context<'_>, reference: &Reference) -> Option<Diagnostic> {
    let error = |code, message: String| Some(Diagnostic::error(code, reference.span, message));
    let name = reference.root.name();
    match (&reference.root, reference.path.as_slice()) {
        (Root::Variable(_), []) => None,
        (Root::Variable(_), _) => {
            let message = format!("the variable `{name}` has no fields and no items: variables are scalars");
            let help = format!("if it holds JSON, write `fromjson(variables.{name}, \"/field\")`");
            error(codes::VARIABLE_HAS_NO_FIELDS, message).map(|finding| finding.help(help))
        }
        (Root::Resource(_), path) => resource_path(reference, path),
        (Root::DataSource(_), []) => {
            let message = format!("a reference to the data source `{name}` needs one of its exports");
            let fields = context.declared.data_source_fields(name);
            let fields = fields.filter(|_| context.can_suggest()).into_iter().flatten();
            let fields: Vec<&str> = fields.map(String::as_str).collect();

            let help = (!fields.is_empty()).then(|| format!("it exports {}", all_of(&fields)));
            error(codes::INCOMPLETE_REFERENCE, message).map(|finding| finding.help_if(help))
        }
        (Root::DataSource(_), [Segment::Name(field), rest @ ..]) => {
            let fields = context.declared.data_source_fields(name)?;
            if !fields.contains(field) {
                let message = format!("the data source `{name}` exports no `{field}`");
                let help = dotted(reference, fields).or_else(|| {
                    let names = || fields.iter().map(String::as_str);
                    context.can_suggest().then(|| did_you_mean(field, names()))?
                });
                return error(codes::UNKNOWN_FIELD, message).map(|finding| finding.help_if(help));
            }

            match rest {
                [] | [Segment::Index(_)] => None,
                _ => {
                    let message = format!("`{field}` of the data source `{name}` has no fields of its own");
                    error(codes::UNKNOWN_FIELD, message)
                }
            }
        }
        (Root::DataSource(_), [Segment::Index(_), ..]) => error(
            codes::UNKNOWN_FIELD,
            format!("the data source `{name}` is not a list"),
        )
        .map(|finding| finding.help("write a dot and the name of one of its exports")),
        (Root::Child(_), []) => {
            let message = format!("a reference to the child `{name}` needs one of its exports");
            error(codes::INCOMPLETE_REFERENCE, message)
                .map(|finding| finding.help(format!("as in `children.{name}.export`")))
        }
        (Root::Child(_), [Segment::Index(_), ..]) => {
            let message = format!("the child `{name}` is not a list");
            error(codes::UNKNOWN_FIELD, message)
                .map(|finding| finding.help("write a dot and the name of one of its exports"))
        }
        (Root::Child(_), _) => None,
    }
}

/// The export whose name has dots and was written without quotes.
fn dotted(reference: &Reference, fields: &IndexSet<String>) -> Option<String> {
    let mut name = String::new();
    for segment in &reference.path {
        let Segment::Name(part) = segment else { break };
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
        if fields.contains(&name) {
            return Some(format!(
                "a name with dots needs quotes: `{}[\"{name}\"]`",
                reference.root
            ));
        }
    }
    None
}

fn resource_path(reference: &Reference, path: &[Segment]) -> Option<Diagnostic> {
    let error = |message: String| Diagnostic::error(codes::UNKNOWN_FIELD, reference.span, message);
    let name = reference.root.name();
    match path {
        [] => None,
        [Segment::Index(_), ..] => {
            let help = "its fields stand under `state`, `spec` and `metadata`";
            Some(error(format!("the resource `{name}` is not a list")).help(help))
        }
        [Segment::Name(first), rest @ ..] if first == "metadata" => match rest {
            [] => None,
            [Segment::Name(field), ..] if METADATA_FIELDS.contains(&field.as_str()) => None,
            [Segment::Name(field), ..] => {
                let help = did_you_mean(field, METADATA_FIELDS)
                    .unwrap_or_else(|| format!("it has {}", all_of(&METADATA_FIELDS)));
                Some(error(format!("a resource's metadata has no `{field}`")).help(help))
            }
            [Segment::Index(_), ..] => Some(error("a resource's metadata is not a list".to_owned())),
        },
        [Segment::Name(first), ..] if RESOURCE_FIELDS.contains(&first.as_str()) => None,
        [Segment::Name(first), ..] => {
            let message =
                format!("fields of the resource `{name}` stand under `state`, `spec` or `metadata`");
            let help = match did_you_mean(first, RESOURCE_FIELDS) {
                Some(help) => help,
                None => {
                    let rest: String = path.iter().map(Segment::to_string).collect();
                    format!("did you mean `resources.{name}.state{rest}`?")
                }
            };
            Some(error(message).help(help))
        }
    }
}
