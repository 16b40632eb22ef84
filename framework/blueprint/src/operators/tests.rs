//! Every operator over every kind of field and search value.

use super::*;
use serde_json::{Value as Json, json};

/// One value of every kind that operators tell apart, by name.
fn kinds() -> Vec<(&'static str, Json)> {
    vec![
        ("null", json!(null)),
        ("string", json!("ab")),
        ("integer", json!(1)),
        ("float", serde_json::from_str("1.0").unwrap()),
        ("boolean", json!(true)),
        ("strings", json!(["ab", "c"])),
        ("integers", json!([1, 2])),
        ("floats", serde_json::from_str("[1.0, 2.5]").unwrap()),
        ("booleans", json!([true, false])),
        ("mixed", json!(["ab", 1])),
        ("nested", json!([["ab"]])),
        ("with null", json!(["ab", null])),
        ("empty", json!([])),
        ("map of strings", json!({"ab": "c", "d": "ab"})),
        ("map of integers", json!({"ab": 1})),
        ("map of floats", serde_json::from_str(r#"{"ab": 1.0}"#).unwrap()),
        ("map of booleans", json!({"ab": true})),
        ("mixed map", json!({"ab": "ab", "n": 1})),
        ("deep map", json!({"ab": {"ab": "ab"}})),
        ("empty map", json!({})),
    ]
}

/// Every combination of each operator that may be compared, with its answer. All others are errors.
type Row = (&'static str, &'static str, bool);

const COMPARABLE: &[(Operator, &[Row])] = &[
    (
        Operator::Equals,
        &[
            ("string", "string", true),
            ("integer", "integer", true),
            ("float", "float", true),
            ("boolean", "boolean", true),
            ("strings", "strings", true),
            ("strings", "empty", false),
            ("integers", "integers", true),
            ("integers", "empty", false),
            ("floats", "floats", true),
            ("floats", "empty", false),
            ("booleans", "booleans", true),
            ("booleans", "empty", false),
            ("empty", "strings", false),
            ("empty", "integers", false),
            ("empty", "floats", false),
            ("empty", "booleans", false),
            ("empty", "empty", true),
        ],
    ),
    (
        Operator::In,
        &[
            ("string", "strings", true),
            ("string", "empty", false),
            ("integer", "integers", true),
            ("integer", "empty", false),
            ("float", "floats", true),
            ("float", "empty", false),
            ("boolean", "booleans", true),
            ("boolean", "empty", false),
        ],
    ),
    (
        Operator::HasKey,
        &[
            ("map of strings", "string", true),
            ("map of integers", "string", true),
            ("map of floats", "string", true),
            ("map of booleans", "string", true),
            ("mixed map", "string", true),
            ("deep map", "string", true),
            ("empty map", "string", false),
        ],
    ),
    (
        Operator::Contains,
        &[
            ("string", "string", true),
            ("strings", "string", true),
            ("integers", "integer", true),
            ("floats", "float", true),
            ("booleans", "boolean", true),
            ("empty", "string", false),
            ("empty", "integer", false),
            ("empty", "float", false),
            ("empty", "boolean", false),
            ("map of strings", "string", true),
            ("map of integers", "integer", true),
            ("map of floats", "float", true),
            ("map of booleans", "boolean", true),
            ("empty map", "string", false),
            ("empty map", "integer", false),
            ("empty map", "float", false),
            ("empty map", "boolean", false),
        ],
    ),
    (Operator::StartsWith, &[("string", "string", true)]),
    (Operator::EndsWith, &[("string", "string", true)]),
];

fn negation(operator: Operator) -> Operator {
    Operator::ALL
        .into_iter()
        .find(|other| other.positive() == (operator, true))
        .unwrap()
}

fn compare(operator: Operator, field: &Json, search: &Json) -> Result<bool, Incomparable> {
    let answer = operator.matches(&Value::from_json(field), &Value::from_json(search))?;
    Ok(answer.to_json().as_bool().unwrap())
}

#[test]
fn every_operator_over_every_kind_of_field_and_search_value() {
    let mut compared = 0;
    for (operator, comparable) in COMPARABLE {
        for (field_name, field) in kinds() {
            for (search_name, search) in kinds() {
                let expected = comparable
                    .iter()
                    .find(|(field, search, _)| *field == field_name && *search == search_name)
                    .map(|(_, _, answer)| *answer);
                let case = format!("{field_name} {operator} {search_name}");
                let found = compare(*operator, &field, &search);
                assert_eq!(found.as_ref().ok().copied(), expected, "{case}");
                let opposite = compare(negation(*operator), &field, &search);
                assert_eq!(opposite.ok(), expected.map(|answer| !answer), "not: {case}");
                compared += 2;
            }
        }
    }
    assert_eq!(compared, 12 * 20 * 20);
}

#[test]
fn operators_are_found_by_their_exact_name() {
    for operator in Operator::ALL {
        assert_eq!(Operator::find(operator.name()), Some(operator));
    }
    assert_eq!(Operator::find("not  in"), None);
    assert_eq!(Operator::find("IN"), None);
}

#[track_caller]
fn check(operator: Operator, field: &str, search: &str, expected: bool) {
    let (field, search) = (
        serde_json::from_str(field).unwrap(),
        serde_json::from_str(search).unwrap(),
    );
    assert_eq!(compare(operator, &field, &search), Ok(expected));
    assert_eq!(compare(negation(operator), &field, &search), Ok(!expected));
}

#[test]
fn corners_of_comparison() {
    check(Operator::Equals, "\"a\"", "\"A\"", false);
    check(Operator::Equals, "1.0", "1.00", true);
    check(Operator::Equals, "1e2", "100.0", true);
    check(Operator::Equals, "9007199254740993", "9007199254740992", false);
    check(Operator::Equals, "0", "-0", true);
    check(Operator::Equals, r#"["a", "b"]"#, r#"["b", "a"]"#, false);
    check(Operator::Equals, r#"["a", "b"]"#, r#"["a"]"#, false);
    check(Operator::Equals, r#"["a"]"#, r#"["a", "b"]"#, false);
    check(Operator::In, "\"a\"", r#"["ab", "b"]"#, false);
    check(Operator::HasKey, r#"{"a.b": 1}"#, "\"a\"", false);
    check(Operator::Contains, "\"abc\"", "\"\"", true);
    check(Operator::Contains, "\"añb\"", "\"ñ\"", true);
    check(Operator::Contains, r#"{"a": "b"}"#, "\"a\"", false);
    check(Operator::Contains, r#"["abc"]"#, "\"b\"", false);
    check(Operator::StartsWith, "\"abc\"", "\"b\"", false);
    check(Operator::StartsWith, "\"\"", "\"\"", true);
    check(Operator::EndsWith, "\"abc\"", "\"bc\"", true);
    check(Operator::EndsWith, "\"bc\"", "\"abc\"", false);
}

#[test]
fn errors_name_types_and_no_content() {
    let text = |operator: Operator, field: Json, search: Json| {
        compare(operator, &field, &search).unwrap_err().to_string()
    };
    assert_eq!(
        text(
            Operator::NotEquals,
            json!(1),
            serde_json::from_str("1.0").unwrap()
        ),
        "`!=` compares two scalars, or two lists of scalars, of one type; the field is an integer, and the \
         search value is a float"
    );
    assert_eq!(
        text(Operator::Contains, json!([["hunter2"]]), json!("hunter2")),
        "`contains` compares a list or a map of scalars with a scalar of their type, or two strings; the field \
         is a list that holds more than scalars, and the search value is a string"
    );
    assert_eq!(
        text(Operator::HasKey, json!(["a", 1]), json!({})),
        "`has key` compares a map with a string; the field is a list of several types, and the search value is \
         an empty map"
    );
}

fn list(items: Vec<Value>) -> Value {
    Kind::List(items).into()
}

#[test]
fn what_is_unknown_makes_the_answer_unknown_unless_it_cannot_fit() {
    let unknown = Value::unknown;
    let text = || Value::string("a");
    let number = || Value::from_json(&json!(1));
    let open = |operator: Operator, field: Value, search: Value| {
        let found = operator
            .matches(&field, &search)
            .map(|answer| answer.has_unknown());
        found.unwrap_or_else(|error| panic!("{error}"))
    };
    for operator in Operator::ALL {
        assert!(open(operator, unknown(), unknown()), "{operator}");
    }
    for operator in [Operator::Equals, Operator::StartsWith, Operator::Contains] {
        assert!(open(operator, text(), unknown()) && open(operator, unknown(), text()));
    }
    assert!(open(Operator::In, text(), list(vec![unknown(), text()])));
    assert!(open(Operator::In, unknown(), list(vec![])));
    assert!(open(
        Operator::Contains,
        list(vec![number(), unknown()]),
        number()
    ));
    assert!(open(
        Operator::Equals,
        list(vec![unknown()]),
        list(vec![text(), text()])
    ));
    let map = Value::from(Kind::Map([("a".to_owned(), unknown())].into()));
    assert!(!open(Operator::HasKey, map.clone(), text()), "keys are known");
    assert!(open(Operator::Contains, map, text()));
    for (operator, field, search) in [
        (Operator::In, unknown(), text()),
        (Operator::In, text(), list(vec![unknown(), number()])),
        (Operator::StartsWith, number(), unknown()),
        (Operator::NotHasKey, unknown(), number()),
        (Operator::HasKey, text(), unknown()),
        (Operator::Contains, number(), unknown()),
        (Operator::Equals, Kind::Null.into(), unknown()),
    ] {
        assert!(operator.matches(&field, &search).is_err(), "{operator}");
    }
}

#[test]
fn what_is_secret_makes_the_answer_secret() {
    let secret = || Value::string("a").into_secret();
    let text = || Value::string("a");
    let answer = |operator: Operator, field: Value, search: Value| operator.matches(&field, &search).unwrap();
    assert!(answer(Operator::Equals, secret(), text()).secret);
    assert!(answer(Operator::NotEndsWith, text(), secret()).secret);
    assert!(answer(Operator::In, text(), list(vec![secret()])).secret);
    assert!(answer(Operator::Equals, secret(), Value::unknown()).secret);
    assert!(!answer(Operator::Equals, text(), text()).secret);
    let map = || Value::from(Kind::Map([("a".to_owned(), secret())].into()));
    assert!(answer(Operator::Contains, map(), text()).secret);
    assert!(
        !answer(Operator::HasKey, map(), text()).secret,
        "only the value is"
    );
    assert!(answer(Operator::HasKey, map().into_secret(), text()).secret);
}
