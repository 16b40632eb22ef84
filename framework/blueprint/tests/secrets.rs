//! What is secret stays so, whatever is computed from it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use formwork_blueprint::{Kind, Reference, Root, Scope, Span, Template, Value, evaluate};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Two secrets without a letter in common with anything else, and of different lengths.
const SECRETS: [&str; 2] = ["QXZJWVKQ", "ZZKWJXQVZQXJKWZV"];

/// The same values around another secret.
struct Values {
    secret: &'static str,
}

impl Values {
    fn secret(&self, json: &Json) -> Value {
        Value::from_json(json).into_secret()
    }
}

impl Scope for Values {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let secret = self.secret;
        let value = match &reference.root {
            Root::Variable(name) => match name.as_str() {
                "token" => self.secret(&json!(secret)),
                "pin" => self.secret(&json!(secret.len())),
                "json" => self.secret(&json!(format!(
                    r#"{{"user": "admin", "password": "{secret}", "n": [1]}}"#
                ))),
                // Secrets of which only one is JSON, or has what is asked for.
                "digits" => self.secret(&json!(if secret == SECRETS[0] { "12" } else { "1, 2" })),
                "nested" => self.secret(&json!(if secret == SECRETS[0] {
                    r#"{"a": {"n": 1}}"#
                } else {
                    r#"{"b": [{"n": 1}]}"#
                })),
                "word" => Value::string("a word"),
                "open" => Value::string(r#"{"user": "admin"}"#),
                _ => return Err("no such variable".to_owned()),
            },
            // A map and a list that are open themselves and hold secrets.
            Root::Resource(name) if name == "db" => {
                let mut state = Value::from_json(&json!({"host": "db", "list": ["a"]}));
                if let Kind::Map(fields) = &mut state.kind {
                    fields.insert("password".to_owned(), self.secret(&json!(secret)));
                    let list = vec![Value::string("b"), self.secret(&json!(secret))];
                    fields.insert("both".to_owned(), Kind::List(list).into());
                    fields.insert("all".to_owned(), self.secret(&json!({secret: [secret], "n": 1})));
                    fields.insert("later".to_owned(), Value::unknown().into_secret());
                }
                return state.at(&reference.path);
            }
            _ => Value::unknown(),
        };
        value.at(&reference.path)
    }
}

fn expression() -> impl Strategy<Value = String> {
    let references = [
        "variables.token",
        "variables.token",
        "variables.pin",
        "variables.json",
        "variables.digits",
        "variables.nested",
        "variables.word",
        "variables.open",
        "variables.none",
        "variables.token.x",
        "db",
        "db.password",
        "db.both",
        "db.both[1]",
        "db.both[7]",
        "db.all",
        "db.all.n",
        "db.all.x",
        "db.all[0]",
        "db.later",
        "db.host",
        "db.hots",
        "later.state.x",
    ];
    let literals = [
        "0",
        "1",
        "-1",
        "7",
        "12",
        "1.5",
        "true",
        "\"\"",
        "\"a\"",
        "\"user\"",
        "\"password\"",
        "\"n/0\"",
        "\"a/n\"",
        "\"a/x\"",
        "\"~\"",
        "\"[]\"",
    ];
    let leaf = prop_oneof![
        3 => prop::sample::select(references.to_vec()).prop_map(str::to_owned),
        2 => prop::sample::select(literals.to_vec()).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let of = |name: &'static str, count: std::ops::RangeInclusive<usize>| {
            prop::collection::vec(inner.clone(), count)
                .prop_map(move |arguments| format!("{name}({})", arguments.join(", ")))
        };
        prop_oneof![
            of("len", 1..=1),
            of("trim", 1..=1),
            of("jsondecode", 1..=1),
            of("fromjson", 2..=2),
            of("trimprefix", 2..=2),
            of("trimsuffix", 2..=2),
            of("substr", 2..=3),
            of("replace", 3..=3),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        expression().prop_map(|expression| format!("${{{expression}}}")),
        (expression(), expression()).prop_map(|(left, right)| format!("a ${{{left}}} b ${{{right}}}")),
    ]
}

/// Where an evaluation failed, if it did, and what may be shown of it.
fn shown(text: &str, secret: &'static str) -> (Option<(&'static str, Span)>, String) {
    let template = Template::parse(text).unwrap();
    match evaluate(&template, &Values { secret }) {
        Ok(value) => (None, format!("{} {value:?}", value.to_masked_json())),
        Err(error) => (Some((error.code, error.span)), format!("{error:?} {error}")),
    }
}

/// Any three characters of a secret in a row.
fn holds_a_part(text: &str, secret: &str) -> bool {
    let letters: Vec<char> = secret.chars().collect();
    letters
        .windows(3)
        .any(|part| text.contains(&part.iter().collect::<String>()))
}

/// Whether and where an expression fails cannot be hidden; what is said of it must be the same.
fn shows_the_same(text: &str) {
    let [(left_end, left), (right_end, right)] = SECRETS.map(|secret| shown(text, secret));
    for secret in SECRETS {
        assert!(!holds_a_part(&left, secret), "{text}: {left}");
        assert!(!holds_a_part(&right, secret), "{text}: {right}");
    }
    if left_end == right_end {
        assert_eq!(left, right, "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_secret_is_said_in_one_way() {
    for text in [
        "${substr(variables.token, 12, 0)}",
        "${substr(variables.token, 9, 10)}",
        "${substr(variables.word, variables.pin, 7)}",
        "${substr(substr(db.both[1], 12), variables.token)}",
        "${jsondecode(substr(variables.token, 12))}",
        "${jsondecode(variables.digits)}",
        "${fromjson(variables.nested, \"a/x\")}",
        "${fromjson(variables.nested, \"c/x\")}",
    ] {
        shows_the_same(text);
    }
    let (_, behind) = shown("${substr(variables.token, 7, 1)}", SECRETS[0]);
    assert!(
        behind.ends_with("`substr` failed: `start` lies behind `end`"),
        "{behind}"
    );
    let (_, outside) = shown("${substr(variables.token, 99)}", SECRETS[0]);
    assert!(
        outside.ends_with("`substr` failed: `start` and `end` do not both lie in the text"),
        "{outside}"
    );
    let (_, nowhere) = shown("${fromjson(variables.nested, \"a/x\")}", SECRETS[0]);
    assert!(
        nowhere.ends_with("`fromjson` failed: there is nothing at `a/x` in the JSON text"),
        "{nowhere}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn what_is_shown_does_not_depend_on_the_secret(text in text()) {
        shows_the_same(&text);
    }
}

#[test]
fn taint_is_not_lost_on_the_way() {
    for text in [
        "${variables.token}",
        "a ${variables.token}",
        "${len(variables.token)}",
        "${variables.pin}",
        "${substr(variables.word, variables.pin)}",
        "${replace(variables.word, \"a\", variables.token)}",
        "${trimprefix(variables.word, variables.token)}",
        "${jsondecode(variables.json)}",
        "${fromjson(variables.json, \"n/0\")}",
        "${fromjson(variables.open, trimprefix(variables.token, variables.token))}",
        "${len(jsondecode(variables.json))}",
        "${db.both[1]}",
        "${db.all.n}",
        "${trim(db.later)}",
        "${later}${variables.token}",
    ] {
        let template = Template::parse(text).unwrap();
        match evaluate(&template, &Values { secret: SECRETS[0] }) {
            Ok(value) => assert!(value.secret, "{text}"),
            Err(error) => assert!(text.contains("substr"), "{text}: {error}"),
        }
    }
    // The number of a list's items says nothing about them.
    let count = evaluate(
        &Template::parse("${len(db.both)}").unwrap(),
        &Values { secret: SECRETS[0] },
    )
    .unwrap();
    assert!(!count.secret && count.to_json() == 2);
}
