//! CloudFormation's intrinsic functions, recognised to be explained.

use crate::diagnostic::collect;
use crate::intrinsics::{PSEUDO_PARAMETER, instead};
use crate::spelling::shown;
use crate::substitution::is_quoted_name;
use crate::syntax::{Data, Entry, Key, Node};
use crate::{Diagnostic, codes};

/// Explains intrinsic functions anywhere in a value.
pub(super) fn scan(node: &Node, findings: &mut Vec<Diagnostic>) {
    match &node.data {
        Data::Scalar(_) => {}
        Data::List(items) => items.iter().for_each(|item| scan(item, findings)),
        Data::Map(entries) => {
            // A property may well be called `Ref` among others: only on its own is it the function.
            if let [Entry { key, value }] = entries.as_slice()
                && value.scalar().is_some()
                && key.text == "Ref"
            {
                collect(findings, explain(key, value));
            }
            for Entry { key, value } in entries {
                if key.text.starts_with("Fn::") {
                    collect(findings, explain(key, value));
                }
                scan(value, findings);
            }
        }
    }
}

/// Explains a value that is an intrinsic function and stands where something else is expected.
pub(super) fn value(node: &Node) -> Option<Diagnostic> {
    match &node.data {
        Data::Map(entries) => match entries.as_slice() {
            [Entry { key, value }] if is_intrinsic(key) => Some(explain(key, value)),
            _ => None,
        },
        _ => None,
    }
}

/// Explains an intrinsic function that stands where a fixed key is expected.
pub(super) fn key(entry: &Entry) -> Option<Diagnostic> {
    is_intrinsic(&entry.key).then(|| explain(&entry.key, &entry.value))
}

fn is_intrinsic(key: &Key) -> bool {
    key.text.starts_with("Fn::") || key.text == "Ref"
}

/// The advice with the author's own names in it, where they can be told.
fn explain(key: &Key, value: &Node) -> Diagnostic {
    let name = key.text.strip_prefix("Fn::").unwrap_or(&key.text);
    let texts = match &value.data {
        Data::Scalar(scalar) => scalar.text.split('.').collect(),
        Data::List(items) => items
            .iter()
            .map_while(|item| item.scalar().map(|scalar| scalar.text.as_str()))
            .collect(),
        Data::Map(_) => Vec::new(),
    };
    let plain = texts.iter().all(|text| is_quoted_name(text));
    let help = match (name, texts.as_slice()) {
        ("Ref", [parameter]) if parameter.starts_with("AWS::") => PSEUDO_PARAMETER.to_owned(),
        ("Ref", [name]) if plain => {
            format!("write `${{resources.{name}}}` for a resource or `${{variables.{name}}}` for a variable")
        }
        ("GetAtt", [resource, field @ ..]) if plain && !field.is_empty() => {
            format!("write `${{resources.{resource}.state.{}}}`", field.join("."))
        }
        _ => instead(name)
            .unwrap_or("write `${variables.name}` or `${resources.name.state.field}`")
            .to_owned(),
    };
    let message = format!(
        "`{}` is CloudFormation's syntax, not a blueprint's",
        shown(&key.text)
    );
    Diagnostic::error(codes::CLOUDFORMATION_SYNTAX, key.span, message).help(help)
}
