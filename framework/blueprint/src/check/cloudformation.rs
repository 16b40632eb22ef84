//! CloudFormation's intrinsic functions, recognised to be explained.

use crate::spelling::shown;
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
                findings.extend(explain(key, value));
            }
            for Entry { key, value } in entries {
                if key.text.starts_with("Fn::") {
                    findings.extend(explain(key, value));
                }
                scan(value, findings);
            }
        }
    }
}

/// Explains an intrinsic function that stands where a fixed key is expected.
pub(super) fn key(key: &Key) -> Option<Diagnostic> {
    let known = key.text.starts_with("Fn::") || key.text == "Ref";
    known.then(|| {
        finding(
            key,
            "write `${variables.name}` or `${resources.name.state.field}`".to_owned(),
        )
    })
}

fn explain(key: &Key, value: &Node) -> Option<Diagnostic> {
    let text = value
        .scalar()
        .map(|scalar| scalar.text.as_str())
        .filter(|text| !text.contains("${"));
    let help = match (key.text.as_str(), text) {
        ("Ref", Some(name)) => {
            format!("write `${{{name}}}` for a resource or `${{variables.{name}}}` for a variable")
        }
        ("Fn::GetAtt", Some(path)) => match path.split_once('.') {
            Some((name, field)) => format!("write `${{resources.{name}.state.{field}}}`"),
            None => "write `${resources.name.state.field}`".to_owned(),
        },
        ("Fn::GetAtt", None) => "write `${resources.name.state.field}`".to_owned(),
        ("Fn::Sub" | "Fn::Join", _) => {
            "any string may hold substitutions: write `${variables.name}-queue`".to_owned()
        }
        _ => "write `${variables.name}` or `${resources.name.state.field}`".to_owned(),
    };
    Some(finding(key, help))
}

fn finding(key: &Key, help: String) -> Diagnostic {
    let message = format!(
        "`{}` is CloudFormation's syntax, not a blueprint's",
        shown(&key.text)
    );
    Diagnostic::error(codes::CLOUDFORMATION_SYNTAX, key.span, message).help(help)
}
