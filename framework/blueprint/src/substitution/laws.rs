//! Laws of the substitution language, tried on generated expressions.

use super::expression::is_name;
use super::{Call, Expression, Literal, Part, Reference, Root, Segment, parse_text};
use crate::Span;
use crate::syntax::Positions;
use proptest::prelude::*;

/// Spans are not part of what is printed.
fn without_spans(expression: Expression) -> Expression {
    let span = Span::default();
    match expression {
        Expression::Reference(reference) => Expression::Reference(Reference { span, ..reference }),
        Expression::Literal(literal, _) => Expression::Literal(literal, span),
        Expression::Call(call) => Expression::Call(Call {
            name_span: span,
            span,
            arguments: call.arguments.into_iter().map(without_spans).collect(),
            ..call
        }),
    }
}

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,8}"
}

fn reference() -> impl Strategy<Value = Expression> {
    let any_name = || prop_oneof![3 => name(), 1 => "[A-Za-z0-9_.-]{1,8}"];
    let segment = prop_oneof![
        any_name().prop_map(Segment::Name),
        (0..1_000_usize).prop_map(Segment::Index)
    ];
    let root = (0..4, any_name()).prop_map(|(kind, name)| match kind {
        0 => Root::Variable(name),
        1 => Root::Resource(name),
        2 => Root::DataSource(name),
        _ => Root::Child(name),
    });
    (root, prop::collection::vec(segment, 0..5)).prop_map(|(root, path)| {
        Expression::Reference(Reference {
            root,
            path,
            span: Span::default(),
        })
    })
}

fn literal() -> impl Strategy<Value = Expression> {
    // A literal that ends in a backslash cannot be written: the grammar would take the quote for escaped.
    let texts = prop_oneof![".{0,12}", "[\"\\\\${} \n\t,()a]{0,12}"];
    let text = texts.prop_filter("cannot be written", |text: &String| !text.ends_with('\\'));
    let number = |text: String| Literal::Number(serde_json::from_str(&text).unwrap());
    prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        text.prop_map(Literal::String),
        // As long as one likes, and to the last zero.
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?".prop_map(number),
    ]
    .prop_map(|literal| Expression::Literal(literal, Span::default()))
}

fn expression() -> impl Strategy<Value = Expression> {
    prop_oneof![reference(), literal()].prop_recursive(5, 40, 4, |inner| {
        (name(), prop::collection::vec(inner, 0..4)).prop_map(|(name, arguments)| {
            let span = Span::default();
            Expression::Call(Call {
                name,
                name_span: span,
                arguments,
                span,
            })
        })
    })
}

/// Literal text that can be written where `followed` by a substitution: behind a `$`, its `${` would be
/// the escape.
fn literal_text(followed: bool) -> impl Strategy<Value = String> {
    let texts = prop_oneof![".{1,8}", "[$${}a\\\\\"\n]{1,8}"];
    texts.prop_filter("cannot be written", move |text: &String| {
        !(followed && text.ends_with('$'))
    })
}

/// A whole text: literal parts and substitutions by turns, as the parser leaves them.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    let pair = (prop::option::of(literal_text(true)), expression());
    (
        prop::collection::vec(pair, 0..4),
        prop::option::of(literal_text(false)),
    )
        .prop_map(|(pairs, last)| {
            let mut parts = Vec::new();
            for (text, expression) in pairs {
                parts.extend(text.map(Part::Text));
                parts.push(Part::Substitution(expression));
            }
            parts.extend(last.map(Part::Text));
            parts
        })
}

fn parse(text: &str) -> Result<Vec<Part>, TestCaseError> {
    let mut findings = Vec::new();
    let parts = parse_text(text, &Positions::Same(0), &mut findings);
    prop_assert_eq!(findings, vec![], "{}", text);
    Ok(parts
        .into_iter()
        .map(|part| match part {
            Part::Substitution(expression) => Part::Substitution(without_spans(expression)),
            text => text,
        })
        .collect())
}

/// The same expression with white space wherever the grammar allows it, bare names for resources, and the
/// other spelling of names and indexes.
fn spelt_otherwise(expression: &Expression) -> String {
    let inner = match expression {
        Expression::Call(call) => {
            let arguments: Vec<String> = call.arguments.iter().map(spelt_otherwise).collect();
            let space = if arguments.is_empty() { "\t" } else { "" };
            format!("{}({}{space})", call.name, arguments.join(","))
        }
        Expression::Reference(reference) => {
            let root = match &reference.root {
                Root::Resource(name) if bare(name) => name.clone(),
                root => format!("{}[\"{}\"]", root.section(), root.name()),
            };
            let path = reference.path.iter().map(|segment| match segment {
                Segment::Index(0) => "[]".to_owned(),
                Segment::Index(index) => format!("[0{index}]"),
                Segment::Name(name) => format!("[\"{name}\"]"),
            });
            format!("{root}{}", path.collect::<String>())
        }
        Expression::Literal(..) => expression.to_string(),
    };
    format!(" \n{inner}\r\t")
}

fn bare(name: &str) -> bool {
    let taken = [
        "variables",
        "resources",
        "datasources",
        "children",
        "true",
        "false",
    ];
    is_name(name) && !taken.contains(&name)
}

proptest! {
    #[test]
    fn printing_and_parsing_is_the_identity(parts in parts()) {
        let text: String = parts.iter().map(Part::to_string).collect();
        prop_assert_eq!(parse(&text)?, parts, "{}", text);
    }

    #[test]
    fn however_it_is_spelt_an_expression_is_the_same(expression in expression()) {
        let text = format!("${{{}}}", spelt_otherwise(&expression));
        prop_assert_eq!(parse(&text)?, [Part::Substitution(expression)], "{}", text);
    }

    #[test]
    fn parsing_never_panics_and_loses_nothing(text in "[a-z$ {}.\"\\\\(),\\[\\]0-9\\-é😀]{0,60}") {
        let mut findings = Vec::new();
        let parts = parse_text(&text, &Positions::Same(0), &mut findings);
        for finding in &findings {
            prop_assert!(text.get(finding.span.start..finding.span.end).is_some());
        }
        if !text.contains("${") {
            let joined: String = parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Substitution(_) => String::new(),
            }).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
