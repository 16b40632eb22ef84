//! Property transforms: how a service may show a value other than as it was given.
//!
//! A schema says in JSONata what becomes of a value: `$lowercase(DBInstanceIdentifier)`, or a pattern that the
//! value shown will fit, `$join(["arn:.+?:kms:.+?:.+?:key\/", KmsKeyId])`. `$OR` stands between alternatives;
//! it is no JSONata, but the schemas' own.
//!
//! Three things are stricter here than in JSONata, because a transform that fits by accident hides a change:
//! - a list that lacks one of its parts means nothing, so a key that is not there makes no pattern for every key;
//! - inside of a pattern, what the author gave stands for itself, `1.0` is not `1x0`;
//! - a result that is a pattern, or has nothing of the author in it, is a [`Match::Vague`] one: it says that the
//!   service may have made this of the value, not that it must have.
//!
//! A name means a member of the object that the property stands in, or of the whole resource where it is the
//! pointer's first segment: the schemas write both.

mod evaluate;
mod syntax;
mod value;

use crate::PropertyPointer;
use crate::number::equal;
use evaluate::Context;
use serde_json::{Map, Value};
use syntax::{Expr, parse};
use value::Item;

/// How a live value is what a transform makes of the desired one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// It is not.
    No,
    /// It may be, and so may be others.
    Vague,
    /// It is.
    Exact,
}

/// The transform of one property.
#[derive(Debug)]
pub(crate) struct Transform {
    alternatives: Vec<Alternative>,
}

#[derive(Debug)]
struct Alternative {
    expr: Expr,
    /// Names are members of the resource, not of the object that the property stands in.
    of_resource: bool,
}

impl Transform {
    /// Reads a transform; what is wrong with alternatives that are not understood comes second.
    pub(crate) fn parse(pointer: &PropertyPointer, text: &str) -> (Self, Vec<String>) {
        let mut alternatives = Vec::new();
        let mut unknown = Vec::new();
        let first = pointer.segments().first();
        for text in text.split("$OR") {
            match parse(text) {
                Ok(expr) => alternatives.push(Alternative {
                    of_resource: first.is_some_and(|first| starts_at(&expr, first)),
                    expr,
                }),
                Err(why) => unknown.push(why),
            }
        }
        (Self { alternatives }, unknown)
    }

    /// Compares what becomes of the values in `parent`, the object that the property stands in, with what is
    /// live.
    pub(crate) fn matches(&self, whole: &Value, parent: &Map<String, Value>, live: &Value) -> Match {
        let compare = |alternative: &Alternative| {
            let members = if alternative.of_resource {
                whole.as_object()
            } else {
                None
            };
            let mut context = Context {
                members: members.unwrap_or(parent),
                variables: Vec::new(),
            };
            compare(&context.evaluate(&alternative.expr), live)
        };
        self.alternatives.iter().map(compare).max().unwrap_or(Match::No)
    }
}

fn compare(shown: &Item, live: &Value) -> Match {
    if let Item::Nothing | Item::Null = shown {
        return Match::No;
    }
    if equal(&shown.value(), live) {
        return if is_given(shown) {
            Match::Exact
        } else {
            Match::Vague
        };
    }
    let (Item::Text(shown), Value::String(live)) = (shown, live) else {
        return Match::No;
    };
    match shown.as_pattern() {
        Some(pattern) if pattern.is_match(live) => Match::Vague,
        _ => Match::No,
    }
}

/// True if something of the author is in it.
fn is_given(item: &Item) -> bool {
    match item {
        Item::Text(text) => text.is_given(),
        Item::List(elements) => elements.iter().any(is_given),
        Item::Object(members) => members.iter().any(|(_, member)| is_given(member)),
        Item::Nothing | Item::Null | Item::Flag(_) | Item::Number(_) => false,
    }
}

/// True if the expression names a member of `name`.
fn starts_at(expr: &Expr, name: &str) -> bool {
    let any = |parts: &[Expr]| parts.iter().any(|part| starts_at(part, name));
    match expr {
        Expr::Member(of, _) if matches!(&**of, Expr::Name(first) if first == name) => true,
        Expr::Member(of, _) | Expr::Negated(of) | Expr::Bound(_, of) => starts_at(of, name),
        Expr::Index(of, index) => starts_at(of, name) || starts_at(index, name),
        Expr::Binary(_, left, right) => starts_at(left, name) || starts_at(right, name),
        Expr::Choice(parts) => any(&**parts),
        Expr::Call(_, parts) | Expr::List(parts) | Expr::Block(parts) => any(parts),
        Expr::Object(members) => members
            .iter()
            .any(|(key, member)| starts_at(key, name) || starts_at(member, name)),
        Expr::Text(_)
        | Expr::Number(_)
        | Expr::Null
        | Expr::Flag(_)
        | Expr::Regex(_)
        | Expr::Name(_)
        | Expr::Variable(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn transforms(document: &Value) -> impl Iterator<Item = (&String, &str)> {
        let transforms = document.get("propertyTransform").and_then(Value::as_object);
        transforms
            .into_iter()
            .flatten()
            .filter_map(|(pointer, text)| Some((pointer, text.as_str()?)))
    }

    #[test]
    fn all_official_transforms_are_understood_but_three() {
        let mut count = 0;
        let mut unknown = Vec::new();
        for bundled in crate::bundled_types() {
            let schema = crate::load(bundled.name).unwrap().unwrap();
            for (text, expression) in transforms(schema.document()) {
                count += 1;
                let pointer = PropertyPointer::parse(text).unwrap();
                let (_, why) = Transform::parse(&pointer, expression);
                unknown.extend(
                    why.into_iter()
                        .map(|why| format!("{} {text}: {why}", bundled.name)),
                );
            }
        }
        assert_eq!(count, 190);
        // Functions of their own and the transform operator would be most of a language, for three properties.
        assert_eq!(
            unknown,
            [
                "AWS::Config::ConfigRule /properties/Source: the context as a value, `$`",
                "AWS::EC2::Subnet /properties/Ipv6CidrBlock: a function of its own",
                "AWS::EC2::Subnet /properties/CidrBlock: a function of its own",
            ]
        );
    }

    #[test]
    fn values_are_shown_as_the_services_show_them() {
        let mut count = 0;
        let examples = include_str!("transform/examples.txt").lines();
        for line in examples.filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let parts: Vec<&str> = line.split(" | ").collect();
            let [type_name, path, given, live, expected] = parts[..] else {
                panic!("{line}")
            };
            let schema = crate::load(type_name).unwrap().unwrap();
            let pointer = PropertyPointer::of(path.split('/'));
            let (_, expression) = transforms(schema.document())
                .find(|(text, _)| PropertyPointer::parse(text).as_ref() == Ok(&pointer))
                .unwrap_or_else(|| panic!("no transform: {line}"));
            let given: Value = serde_json::from_str(given).unwrap();
            let found = Transform::parse(&pointer, expression).0.matches(
                &given,
                given.as_object().unwrap(),
                &serde_json::from_str(live).unwrap(),
            );
            assert_eq!(format!("{found:?}").to_lowercase(), expected, "{line}");
            count += 1;
        }
        assert!(count >= 60, "{count}");
    }

    #[test]
    fn what_is_no_expression_is_told_and_matches_nothing() {
        let pointer = PropertyPointer::of(["A"]);
        for text in [
            "",
            "$",
            "$unheard(A)",
            "A ~> B",
            "(A",
            "[A",
            "'open",
            "/open",
            "A B",
            "{A}",
            "#",
            &"(".repeat(5000),
            &"-".repeat(5000),
        ] {
            let (transform, unknown) = Transform::parse(&pointer, text);
            assert_eq!(unknown.len(), 1, "{text}");
            let given = json!({"A": "a"});
            let found = transform.matches(&given, given.as_object().unwrap(), &json!("a"));
            assert_eq!(found, Match::No, "{text}");
        }
    }
}
