//! Laws of the substitution language, tried on generated expressions.

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
    let text = ".{0,12}".prop_filter("cannot be written", |text: &String| !text.ends_with('\\'));
    let number = |text: String| Literal::Number(serde_json::from_str(&text).unwrap());
    prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        text.prop_map(Literal::String),
        any::<i64>().prop_map(move |integer| number(integer.to_string())),
        (any::<i32>(), any::<u16>()).prop_map(move |(whole, fraction)| number(format!("{whole}.{fraction}"))),
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

proptest! {
    #[test]
    fn printing_and_parsing_is_the_identity(expression in expression()) {
        let text = format!("a${{{expression}}}b");
        let mut findings = Vec::new();
        let parts = parse_text(&text, &Positions::Same(0), &mut findings);
        prop_assert_eq!(findings, vec![], "{}", text);
        let parsed: Vec<Part> = parts
            .into_iter()
            .map(|part| match part {
                Part::Substitution(expression) => Part::Substitution(without_spans(expression)),
                text => text,
            })
            .collect();
        let expected = [Part::Text("a".into()), Part::Substitution(expression), Part::Text("b".into())];
        prop_assert_eq!(parsed, expected, "{}", text);
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
