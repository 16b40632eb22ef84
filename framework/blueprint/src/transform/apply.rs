//! Which transforms a document asks for, and their effect.

use super::{Transform, Transformer, Tree};
use crate::spelling::{all_of, did_you_mean, shown};
use crate::substitution::find_opening;
use crate::syntax::{Data, MAX_LEVELS, MAX_NODES, Node, Positions, ScalarKind};
use crate::{Diagnostic, Source, codes};

/// The document after its transforms, and which those are. Without a document a transform has failed: nothing
/// can be said about the rest then.
pub(crate) struct Transformed {
    pub(crate) root: Option<Node>,
    pub(crate) transforms: Vec<Transform>,
}

/// Applies what a document lists to it.
pub(crate) fn apply(
    source: &Source,
    root: Node,
    known: &[&dyn Transformer],
    findings: &mut Vec<Diagnostic>,
) -> Transformed {
    let transforms = listed(source, &root, findings);
    let mut chosen = Vec::new();
    for transform in &transforms {
        match known.iter().find(|known| known.name() == transform.name) {
            Some(transformer) => chosen.push((transform, *transformer)),
            None => findings.push(unknown(transform, known)),
        }
    }
    if chosen.is_empty() {
        let root = Some(root);
        return Transformed { root, transforms };
    }
    let root = transformed(Tree::of(root), &chosen).map_err(|problems| findings.extend(problems));
    let root = root.ok();
    Transformed { root, transforms }
}

fn transformed(
    mut document: Tree,
    chosen: &[(&Transform, &dyn Transformer)],
) -> Result<Node, Vec<Diagnostic>> {
    for (_, transformer) in chosen {
        document = transformer.transform(document)?;
    }
    let at = chosen.last().map(|(last, _)| last.span).unwrap_or_default();
    let bound = |code, problem: String| {
        let message = format!("the transformed blueprint {problem}");
        vec![Diagnostic::error(code, at, message)]
    };
    let Some(root) = document.into_document() else {
        let problem = format!("is nested more than {MAX_LEVELS} levels deep");
        return Err(bound(codes::TOO_DEEP, problem));
    };
    if root.extent().nodes > MAX_NODES {
        let problem = format!("has more than {MAX_NODES} values");
        return Err(bound(codes::TOO_MANY_NODES, problem));
    }
    Ok(root)
}

/// The transforms listed in the document, each once.
fn listed(source: &Source, root: &Node, findings: &mut Vec<Diagnostic>) -> Vec<Transform> {
    let Data::Map(sections) = &root.data else {
        return Vec::new();
    };
    let Some(section) = sections.iter().find(|entry| entry.key.text == "transform") else {
        return Vec::new();
    };
    let (items, what) = match &section.value.data {
        Data::List(items) => (items.as_slice(), "a transform"),
        _ => (std::slice::from_ref(&section.value), "`transform`"),
    };
    let mut found: Vec<Transform> = Vec::new();
    for item in items {
        let Some(name) = name(source, item, what, findings) else {
            continue;
        };
        match found.iter().find(|earlier| earlier.name == name) {
            Some(earlier) => {
                let message = format!("the transform `{}` is listed twice", shown(&name));
                let finding = Diagnostic::error(codes::DUPLICATE_TRANSFORM, item.span, message);
                let finding = finding.label(earlier.span, "first listed here");
                findings.push(finding.help("remove one of the two"));
            }
            None => found.push(Transform {
                name,
                span: item.span,
            }),
        }
    }
    found
}

fn name(source: &Source, node: &Node, what: &str, findings: &mut Vec<Diagnostic>) -> Option<String> {
    let scalar = node.scalar().filter(|scalar| scalar.kind != ScalarKind::Null);
    let Some(scalar) = scalar else {
        let expected = match what {
            "`transform`" => "a string or a list of strings",
            _ => "a string",
        };
        let message = format!("{what} must be {expected}, found {}", node.noun());
        findings.push(Diagnostic::error(codes::WRONG_SHAPE, node.span, message));
        return None;
    };
    if let Some(at) = find_opening(&scalar.text) {
        let span = Positions::of(node, source.text()).span(at, at + 2);
        let message = format!("{what} allows no substitutions");
        let finding = Diagnostic::error(codes::SUBSTITUTION_IN_TRANSFORM, span, message);
        findings.push(finding.help("write the transform's name out"));
        return None;
    }
    if scalar.text.trim().is_empty() {
        let message = format!("{what} must be the name of a transform, found an empty string");
        findings.push(Diagnostic::error(codes::WRONG_SHAPE, node.span, message));
        return None;
    }
    Some(scalar.text.to_string())
}

fn unknown(transform: &Transform, known: &[&dyn Transformer]) -> Diagnostic {
    let mut names: Vec<&str> = known.iter().map(|known| known.name()).collect();
    names.sort_unstable();
    let help = match names.as_slice() {
        [] => {
            "this version of Formwork comes with no transforms: write out what it stands for, and remove it"
                .to_owned()
        }
        names => did_you_mean(&transform.name, names.iter().copied())
            .unwrap_or_else(|| format!("the transforms known are {}", all_of(names))),
    };
    let message = format!("unknown transform `{}`", shown(&transform.name));
    Diagnostic::error(codes::UNKNOWN_TRANSFORM, transform.span, message).help(help)
}
