//! The specification's "Substitution Grammar", production by production: what it allows and what it does not.

use super::{Part, parse_text};
use crate::syntax::Positions;

/// The expression as it is printed, or `code@offset` of the first error.
fn parse(inside: &str) -> String {
    let text = format!("${{{inside}}}");
    let mut findings = Vec::new();
    let parts = parse_text(&text, &Positions::Same(0), &mut findings);
    match (findings.first(), parts.as_slice()) {
        (Some(finding), _) => format!("{}@{}", finding.code, finding.span.start - 2),
        (None, [Part::Substitution(expression)]) => expression.to_string(),
        (None, parts) => format!("{} parts", parts.len()),
    }
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (inside, expected) in rows {
        assert_eq!(parse(inside), *expected, "{inside}");
    }
}

const UNEXPECTED: &str = "unexpected-in-substitution";

/// Refused at an offset.
#[track_caller]
fn refuse(rows: &[(&str, usize)]) {
    for (inside, at) in rows {
        assert_eq!(parse(inside), format!("{UNEXPECTED}@{at}"), "{inside}");
    }
}

#[test]
fn a_name_begins_with_a_letter_or_an_underscore() {
    check(&[
        ("a", "resources.a"),
        ("_", "resources._"),
        ("_9", "resources._9"),
        ("a-b", "resources.a-b"),
        ("a-", "resources.a-"),
        ("A1_-z", "resources.A1_-z"),
        ("workingDir", "resources.workingDir"),
    ]);
    refuse(&[
        ("-a", 1),
        ("9a", 1),
        ("é", 0),
        ("aé", 1),
        ("a@b", 1),
        ("a$b", 1),
        (".a", 0),
        ("@a", 0),
    ]);
}

#[test]
fn a_name_accessor_is_a_dot_or_quotes_in_brackets() {
    check(&[
        ("a.b", "resources.a.b"),
        ("a[\"b\"]", "resources.a.b"),
        ("a[\"b.c\"]", "resources.a[\"b.c\"]"),
        ("a[\"9\"]", "resources.a[\"9\"]"),
        ("a[\"-\"]", "resources.a[\"-\"]"),
        ("a.b-c_d.e", "resources.a.b-c_d.e"),
        ("resources[\"a.b\"].state", "resources[\"a.b\"].state"),
    ]);
    refuse(&[
        ("a.", 2),
        ("a..b", 2),
        ("a.9", 2),
        ("a.-b", 2),
        ("a. b", 2),
        ("a .b", 2),
        ("a[b]", 2),
        ("a['b']", 2),
        ("a[\"\"]", 2),
        ("a[\"b c\"]", 2),
        ("a[\"é\"]", 2),
        ("a[\"b\"", 5),
        ("a[ \"b\"]", 2),
        ("a[\"b\" ]", 5),
        ("a[b.c]", 2),
    ]);
}

#[test]
fn an_index_accessor_holds_a_natural_number_or_nothing() {
    check(&[
        ("a.b[]", "resources.a.b[0]"),
        ("a.b[0]", "resources.a.b[0]"),
        ("a.b[007]", "resources.a.b[7]"),
        ("a.b[1][2]", "resources.a.b[1][2]"),
        ("a.b[][]", "resources.a.b[0][0]"),
        ("a.b[1].c[\"d\"][2]", "resources.a.b[1].c.d[2]"),
    ]);
    refuse(&[
        ("a.b[-1]", 4),
        ("a.b[1.0]", 5),
        ("a.b[ ]", 4),
        ("a.b[1", 5),
        ("a.b[99999999999999999999]", 4),
        ("a.b[*]", 4),
    ]);
}

#[test]
fn references_begin_with_a_section_or_a_resource() {
    check(&[
        ("variables.a", "variables.a"),
        ("variables[\"a.b\"]", "variables[\"a.b\"]"),
        ("datasources.a.b", "datasources.a.b"),
        ("datasources.a[\"b.c\"][]", "datasources.a[\"b.c\"][0]"),
        ("children.a.b", "children.a.b"),
        ("children.a.b[0].c", "children.a.b[0].c"),
        ("resources.a", "resources.a"),
        ("resources.variables", "resources.variables"),
        ("a.state.b", "resources.a.state.b"),
        // The whole name counts.
        ("variablesOfMine", "resources.variablesOfMine"),
        ("children-of-mine.state", "resources.children-of-mine.state"),
    ]);
    for inside in [
        "variables",
        "resources",
        "datasources",
        "children",
        "variables[0]",
        "children[]",
    ] {
        assert_eq!(parse(inside), "incomplete-reference@0", "{inside}");
    }
}

#[test]
fn a_literal_is_a_boolean_a_number_or_a_string() {
    check(&[
        ("true", "true"),
        ("false", "false"),
        ("trueColor", "resources.trueColor"),
        ("false-start.state.x", "resources.false-start.state.x"),
        ("True", "resources.True"),
        ("0", "0"),
        ("-0", "-0"),
        ("007", "7"),
        ("-12", "-12"),
        ("1.5", "1.5"),
        ("-1.50", "-1.50"),
        ("00.10", "0.10"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("\"\"", "\"\""),
        ("\"it's\"", "\"it's\""),
        ("\"a\\\"b\"", "\"a\\\"b\""),
        // A backslash is one only before a quote: everything else stands for itself.
        ("\"a\\b\\\\c\\n\"", "\"a\\b\\\\c\\n\""),
        ("\"${a} } { $ 😀\n\t\"", "\"${a} } { $ 😀\n\t\""),
    ]);
    refuse(&[
        ("true.x", 4),
        ("true[0]", 4),
        ("1.", 2),
        (".5", 0),
        ("-", 1),
        ("- 1", 1),
        ("--1", 1),
        ("+1", 0),
        ("1e5", 1),
        ("1_000", 1),
        ("0x1F", 1),
        ("1.2.3", 3),
        ("'a'", 0),
        ("`a`", 0),
        ("\"a\" \"b\"", 4),
        ("\"a\"b", 3),
        ("\"a\".x", 3),
        ("[1]", 0),
        ("{}", 0),
    ]);
    assert_eq!(parse("\"a"), "unclosed-string@0");
    assert_eq!(parse("\"a\\\""), "unclosed-string@0");
}

#[test]
fn a_call_has_any_number_of_substitutions_as_arguments() {
    check(&[
        ("f()", "f()"),
        ("f( )", "f()"),
        ("f(a)", "f(resources.a)"),
        ("f(1,2)", "f(1, 2)"),
        ("f( 1 , \"x\" )", "f(1, \"x\")"),
        ("f(g(h()), true)", "f(g(h()), true)"),
        ("f(variables.a, a.b[0])", "f(variables.a, resources.a.b[0])"),
        ("_f-1()", "_f-1()"),
        // A function may be called like a section or a literal.
        ("variables(1)", "variables(1)"),
        ("true()", "true()"),
        ("f(\n\t1,\n\t2\n)", "f(1, 2)"),
    ]);
    refuse(&[
        ("f(", 2),
        ("f(1", 3),
        ("f(1,", 4),
        ("f(,)", 2),
        ("f(1,)", 4),
        ("f(1 2)", 4),
        ("f(1;2)", 3),
        ("f(a=1)", 3),
        ("f())", 3),
        ("f()()", 3),
        ("f().x", 3),
        ("f()[0]", 3),
        ("f.g()", 3),
        ("f (1)", 2),
        ("(1)", 0),
        ("f(${a})", 2),
    ]);
}

#[test]
fn nothing_stands_beside_a_substitution() {
    check(&[
        (" a ", "resources.a"),
        ("\n\ta.b\r\n", "resources.a.b"),
        (" 1 ", "1"),
    ]);
    for inside in ["", " ", "\n"] {
        assert!(parse(inside).starts_with("empty-substitution"), "{inside:?}");
    }
    refuse(&[
        ("a b", 2),
        ("a,b", 1),
        ("a + b", 2),
        ("a == b", 2),
        ("a ? b : c", 2),
        ("a || b", 2),
        ("a | trim", 2),
        ("!a", 0),
        ("#a", 0),
        ("a;", 1),
        ("AWS::Region", 3),
        ("{ a }", 0),
        ("$a", 0),
    ]);
}

#[test]
fn other_openings_are_text() {
    for text in [
        "#{a}", "{{ a }}", "$(a)", "$a", "%{a}", "@{a}", "<%= a %>", "$", "{", "}",
    ] {
        let mut findings = Vec::new();
        let parts = parse_text(text, &Positions::Same(0), &mut findings);
        assert_eq!(
            (parts, findings),
            (vec![Part::Text(text.to_owned())], vec![]),
            "{text}"
        );
    }
}
