//! Values as the service spells them: lower case, upper case, the last part of a path.
//!
//! The schemas say so in `propertyTransform`. Of its expressions those are followed that say one simple thing;
//! where several are possible, the first.

use formwork_schema::{PropertyPointer, ResourceSchema};
use serde_json::Value;

pub(super) fn change(schema: &ResourceSchema, model: &mut Value) {
    let transforms = schema
        .document()
        .get("propertyTransform")
        .and_then(Value::as_object);
    for (pointer, expression) in transforms.into_iter().flatten() {
        let Ok(pointer) = PropertyPointer::parse(pointer) else {
            continue;
        };
        if let Some(spell) = expression.as_str().and_then(simple) {
            each(model, pointer.segments(), spell);
        }
    }
}

type Spell = fn(&str) -> String;

/// What an expression does to the value itself, if it is that simple.
fn simple(expression: &str) -> Option<Spell> {
    const SIMPLE: [(&str, &str, Spell); 5] = [
        ("$lowercase(", ")", |text| text.to_lowercase()),
        ("$uppercase(", ")", |text| text.to_uppercase()),
        ("$split(", ", \"/\")[-1]", last_part),
        ("$split(", ", \":\")[-1]", |text| {
            text.rsplit(':').next().unwrap_or(text).to_owned()
        }),
        ("$substringAfter(", ", \"/\")", |text| {
            text.split_once('/').map_or(text, |(_, after)| after).to_owned()
        }),
    ];
    let first = expression.split(" $OR ").next().unwrap_or(expression).trim();
    SIMPLE.iter().find_map(|(opening, closing, spell)| {
        let name = first.strip_prefix(opening)?.strip_suffix(closing)?;
        let path = |c: char| c.is_ascii_alphanumeric() || c == '.';
        name.chars().all(path).then_some(*spell)
    })
}

fn last_part(text: &str) -> String {
    text.rsplit('/').next().unwrap_or(text).to_owned()
}

fn each(node: &mut Value, segments: &[String], spell: Spell) {
    match (node, segments) {
        (Value::String(text), []) => *text = spell(text),
        (Value::Object(members), [first, rest @ ..]) => {
            if let Some(member) = members.get_mut(first) {
                each(member, rest, spell);
            }
        }
        (Value::Array(items), segments) => {
            let rest = match segments {
                [first, rest @ ..] if first == "*" => rest,
                all => all,
            };
            items.iter_mut().for_each(|item| each(item, rest, spell));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_expression_says_is_done_to_the_value() {
        let arn = "arn:aws:efs:eu-west-1:123456789012:file-system/fs-A1";
        for (expression, expected) in [
            ("$lowercase(SourceArn)", Some(arn.to_lowercase())),
            ("$uppercase(Settings.Mode)", Some(arn.to_uppercase())),
            ("$lowercase(Name) $OR $uppercase(Name)", Some(arn.to_lowercase())),
            ("$split(FileSystemId, \"/\")[-1]", Some("fs-A1".to_owned())),
            (
                "$split(Name, \":\")[-1] $OR Name",
                Some("file-system/fs-A1".to_owned()),
            ),
            ("$substringAfter(Id, \"/\")", Some("fs-A1".to_owned())),
            ("$lowercase($join([A, B]))", None),
            ("$replace(Name, '-', '_')", None),
            ("Name $OR $lowercase(Name)", None),
        ] {
            assert_eq!(
                simple(expression).map(|spell| spell(arn)),
                expected,
                "{expression}"
            );
        }
    }
}
