//! Blueprints through the public interface: check, bind, evaluate.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use formwork_blueprint::{
    ExportType, Format, Kind, Reference, Root, Scope, Segment, Source, Span, Template, Value, check, evaluate,
};
use indexmap::IndexMap;
use proptest::prelude::*;

struct Deployed {
    variables: IndexMap<String, Value>,
}

impl Scope for Deployed {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        match &reference.root {
            Root::Variable(name) => self.variables.get(name).cloned().ok_or("no value".to_owned()),
            Root::Resource(name) if name == "known" => {
                let state = serde_json::json!({"state": {"list": ["a", "b"], "map": {"k": 1}, "none": null}});
                Value::from_json(&state).at(&reference.path)
            }
            _ => Ok(Value::unknown()),
        }
    }
}

const ORDERS: &str = "\
version: 2023-04-20
variables:
  env: {type: string, default: dev}
  size: {type: integer, default: 5}
  token: {type: string, secret: true}
resources:
  queue:
    type: aws/sqs/queue
    metadata:
      labels: {release: 1.10}
    spec:
      queueName: q-${variables.env}-${variables.size}
      delay: ${variables.size}
      ratios: [1.10, 0x1F, .5]
      header: Bearer ${variables.token}
  topic:
    type: AWS::SNS::Topic
    spec:
      topicName: t-${queue.state.arn}
      literal: $${aws:username}
exports:
  arn: {type: string, field: resources.queue.state.arn}
";

#[test]
fn a_blueprint_is_checked_bound_and_evaluated() {
    let checked = check(&Source::new("orders.yaml", ORDERS));
    assert_eq!(checked.diagnostics, []);
    let blueprint = checked.blueprint.unwrap();
    assert_eq!(blueprint.resources["topic"].depends_on.resources, ["queue"]);
    assert_eq!(
        blueprint.exports["arn"].field.to_string(),
        "resources.queue.state.arn"
    );

    let given = serde_json::json!({"size": "7", "token": "hunter2"});
    let variables = blueprint.bind(given.as_object().unwrap()).unwrap();
    assert!(variables["token"].secret && !variables["size"].secret);
    let scope = Deployed { variables };

    let queue = evaluate(&blueprint.resources["queue"].spec, &scope).unwrap();
    let expected = r#"{"queueName":"q-dev-7","delay":7,"ratios":[1.10,31,0.5],"header":"Bearer hunter2"}"#;
    assert_eq!(queue.to_json().to_string(), expected);
    assert_eq!(queue.secret_pointers(), ["/header"]);
    assert_eq!(queue.to_masked_json()["header"], "*****");

    let labels = evaluate(&blueprint.resources["queue"].metadata, &scope).unwrap();
    assert_eq!(labels.to_json().to_string(), r#"{"labels":{"release":"1.10"}}"#);

    let topic = evaluate(&blueprint.resources["topic"].spec, &scope).unwrap();
    assert_eq!(topic.unknown_pointers(), ["/topicName"]);
    assert_eq!(topic.to_json()["literal"], "${aws:username}");
}

/// Evaluates a text with a few variables and prints the value, secrets masked; or the error.
fn evaluated(text: &str) -> String {
    let document = serde_json::json!({
        "version": "2023-04-20",
        "variables": {
            "s": {"type": "string", "default": "hello"},
            "n": {"type": "integer", "default": 5},
            "f": {"type": "float", "default": 1.5},
            "b": {"type": "boolean", "default": true},
            "json": {"type": "string", "default": "{\"host\": \"db\", \"ports\": [1, 2.50], \"a/b\": {\"~\": null}}"},
            "secret": {"type": "string", "default": "hunter2", "secret": true},
            "secretJson": {"type": "string", "default": "{\"password\": \"hunter2\"}", "secret": true},
        },
        "resources": {"known": {"type": "aws/sqs/queue"}, "later": {"type": "aws/sqs/queue"}},
        "metadata": {"x": text},
    });
    let source = Source::with_format("a.json", document.to_string(), Format::Json);
    let checked = check(&source);
    let Some(blueprint) = checked.blueprint else {
        return format!("refused: {}", checked.diagnostics[0].message);
    };
    let scope = Deployed {
        variables: blueprint.bind(&serde_json::Map::new()).unwrap(),
    };
    match evaluate(&blueprint.metadata, &scope) {
        Ok(value) => value.to_masked_json()["x"].to_string(),
        Err(error) => {
            assert!(!error.to_string().contains("hunter2") && !format!("{error:?}").contains("hunter2"));
            let at = &source.text()[error.span.start..error.span.end];
            format!("{}: {} at {at}", error.code, error.message)
        }
    }
}

#[test]
fn expressions_have_values() {
    for (text, expected) in [
        ("plain", r#""plain""#),
        ("${variables.n}", "5"),
        ("${variables.b}", "true"),
        ("${variables.f} ${variables.n} ${variables.b}", r#""1.5 5 true""#),
        ("${1.50}", "1.50"),
        ("\u{1f600}", "\"\u{1f600}\""),
        ("${\"$${x}\"}", r#""$${x}""#),
        ("$${variables.n}", r#""${variables.n}""#),
        ("${known.state.list}", r#"["a","b"]"#),
        ("${known.state.list[]}-${known.state.map.k}", r#""a-1""#),
        ("${later}", r#""(known after deploy)""#),
        ("arn:${later.state.x}", r#""(known after deploy)""#),
        ("${trim(later.state.x)}", r#""(known after deploy)""#),
        // functions, with the specification's examples
        ("${fromjson(variables.json, \"host\")}", r#""db""#),
        ("${fromjson(variables.json, \"/host\")}", r#""db""#),
        ("${fromjson(trim(variables.json), \"ports/1\")}", "2.50"),
        ("${fromjson(variables.json, \"a~1b/~0\")}", "null"),
        (
            "${fromjson(\"{\\\"host\\\":\\\"localhost\\\"}\", \"host\")}",
            r#""localhost""#,
        ),
        ("${len(fromjson(variables.json, \"\"))}", "3"),
        ("${jsondecode(\"[1, {}]\")}", "[1,{}]"),
        ("${len(\"größe\")}", "5"),
        ("${len(known.state.list)}", "2"),
        ("${len(known.state.map)}", "1"),
        ("${substr(variables.s, 0, 3)}", r#""hell""#),
        ("${substr(variables.s, 1)}", r#""ello""#),
        ("${substr(\"größe\", 2, 2)}", r#""ö""#),
        (
            "${replace(\"http://a/http://b\", \"http://\", \"https://\")}",
            r#""https://a/https://b""#,
        ),
        ("${trim(\" \t a b \u{a0}\")}", r#""a b""#),
        ("${trimprefix(\"http://a\", \"http://\")}", r#""a""#),
        ("${trimprefix(\"a\", \"http://\")}", r#""a""#),
        ("${trimsuffix(\"a:3000\", \":3000\")}", r#""a""#),
        // taint
        ("${variables.secret}", r#""*****""#),
        ("Bearer ${variables.secret}", r#""*****""#),
        ("${later}${variables.secret}", r#""*****""#),
        ("${len(variables.secret)}", r#""*****""#),
        ("${substr(variables.secret, 0, 0)}", r#""*****""#),
        ("${replace(variables.s, \"l\", variables.secret)}", r#""*****""#),
        ("${jsondecode(variables.secretJson)}", r#""*****""#),
        ("${fromjson(variables.secretJson, \"password\")}", r#""*****""#),
        ("${len(jsondecode(variables.secretJson))}", r#""*****""#),
    ] {
        assert_eq!(evaluated(text), expected, "{text}");
    }
}

#[test]
fn evaluation_fails_with_a_reason() {
    for (text, expected) in [
        (
            "x-${known.state.list}",
            "complex-interpolation: `resources.known.state.list` is a list, which cannot become part of a text at known.state.list",
        ),
        (
            "x-${known.state.none}",
            "complex-interpolation: `resources.known.state.none` is null, which cannot become part of a text at known.state.none",
        ),
        (
            "${known.state.lst}",
            "unresolved-reference: `resources.known.state.lst` cannot be resolved: there is no `lst` (did you mean `list`?) at known.state.lst",
        ),
        (
            "${trim(known.state.list)}",
            "argument-type: `text` of `trim` must be a string, found a list at known.state.list",
        ),
        (
            "${substr(variables.s, 5)}",
            "function-failed: `substr` failed: `start` is outside the text at 5",
        ),
        (
            "${substr(variables.s, -1)}",
            "refused: `substr` failed: `start` is negative",
        ),
        (
            "${substr(variables.s, 0, 5)}",
            "function-failed: `substr` failed: `end` is outside the text at 5",
        ),
        (
            "${substr(variables.s, 3, 2)}",
            "refused: `substr` failed: `start` lies behind `end`",
        ),
        (
            "${jsondecode(variables.s)}",
            "function-failed: `jsondecode` failed: the text is not JSON (line 1, column 1) at variables.s",
        ),
        (
            "${jsondecode(variables.secret)}",
            "function-failed: `jsondecode` failed: the text is not a JSON array or object at variables.secret",
        ),
        (
            "${len(later)}${trim(known.state.none)}",
            "argument-type: `text` of `trim` must be a string, found null at known.state.none",
        ),
        (
            "x${jsondecode(\"a\nb\")}",
            "refused: `jsondecode(\"a\\nb\")` is a list or a map, which cannot become part of a text",
        ),
        (
            "x${jsondecode(variables.s)}",
            "refused: `jsondecode(variables.s)` is a list or a map, which cannot become part of a text",
        ),
    ] {
        assert_eq!(evaluated(text), expected, "{text}");
    }
    assert!(evaluated("${jsondecode(\"5\")}").contains("expected a JSON array or object, found an integer"));
    assert!(evaluated("${replace(variables.s, \"\", \"x\")}").contains("`search` is empty"));
    assert!(
        evaluated("${fromjson(variables.json, \"nowhere\")}")
            .contains("there is no `nowhere` in the JSON text")
    );
}

#[test]
fn texts_cannot_grow_without_bound() {
    let mut text = "\"aaaaaaaaaa\"".to_owned();
    for _ in 0..8 {
        text = format!("replace({text}, \"a\", \"aaaaaaaaaa\")");
    }
    assert!(evaluated(&format!("${{{text}}}")).contains("would be longer than"));
}

const VARIABLES: &str = "\
version: 2023-04-20
variables:
  env: {type: string, allowedValues: [dev, prod]}
  size: {type: integer, allowedValues: [1, 2], default: 1}
  ratio: {type: float, default: 1}
  on: {type: boolean, default: false}
  region: {type: aws/region, default: eu-west-1}
  token: {type: string, secret: true, allowedValues: [swordfish]}
  pin: {type: integer, secret: true, default: 1234}
resources: {queue: {type: aws/sqs/queue}}
";

#[test]
fn given_values_are_completed_and_typed() {
    let blueprint = check(&Source::new("a.yaml", VARIABLES)).blueprint.unwrap();
    let given =
        serde_json::json!({"env": "dev", "size": "2", "ratio": "1.10", "on": "true", "token": "swordfish"});
    let bound = blueprint.bind(given.as_object().unwrap()).unwrap();
    let shown: Vec<String> = bound
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    let expected = [
        "env=\"dev\"",
        "size=2",
        "ratio=1.10",
        "on=true",
        "region=\"eu-west-1\"",
        "token=\"*****\"",
        "pin=\"*****\"",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn wrong_values_are_all_reported_and_secrets_are_not_shown() {
    let source = Source::new("a.yaml", VARIABLES);
    let blueprint = check(&source).blueprint.unwrap();
    let given = serde_json::json!({
        "env": "test", "size": 3, "ratio": "x", "on": 1, "region": null, "token": "hunter2", "pin": "hunter2", "evn": "dev",
    });
    let findings = blueprint.bind(given.as_object().unwrap()).unwrap_err();
    let lines: Vec<String> = findings.iter().map(|finding| finding.one_line(&source)).collect();
    let expected = [
        "a.yaml:1:1: a value is given for `evn`, which the blueprint does not declare (did you mean `env`?)",
        "a.yaml:3:3: the variable `env` must be one of its allowed values, found the string `test` (choose `dev` or `prod`)",
        "a.yaml:4:3: the variable `size` must be one of its allowed values, found the number `3` (choose `1` or `2`)",
        "a.yaml:5:3: the variable `ratio` must be a number, found the string `x`",
        "a.yaml:6:3: the variable `on` must be a boolean, found the number `1`",
        "a.yaml:7:3: the variable `region` must be a label of `aws/region`, found null",
        "a.yaml:8:3: the variable `token` must be one of its allowed values, found a string",
        "a.yaml:9:3: the variable `pin` must be an integer, found a string",
    ];
    assert_eq!(lines, expected);
    let missing = blueprint.bind(&serde_json::Map::new()).unwrap_err();
    let codes: Vec<&str> = missing.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["missing-variable-value", "missing-variable-value"]);
}

#[test]
fn labels_are_checked_when_values_are_given() {
    let source = Source::new(
        "a.yaml",
        "version: 2023-04-20
variables:
  region: {type: aws/region, allowedValues: [eu-west-1, eu-central-1]}
  size: {type: aws/ec2/instanceSize, default: t3.micro}
  hidden: {type: aws/region, secret: true}
resources: {queue: {type: aws/sqs/queue}}
",
    );
    let blueprint = check(&source).blueprint.unwrap();
    let bind = |json: serde_json::Value| {
        blueprint.bind(json.as_object().unwrap()).map_err(|findings| {
            let lines = findings.iter().map(|finding| finding.one_line(&source));
            lines.collect::<Vec<_>>().join("\n")
        })
    };
    let bound = bind(serde_json::json!({"region": "eu-west-1", "hidden": "us-east-1"})).unwrap();
    assert_eq!(bound["size"], Value::string("t3.micro"));
    assert!(bound["hidden"].secret);
    for (given, expected) in [
        (
            serde_json::json!({"region": "eu-west-l", "hidden": "hunter2"}),
            "a.yaml:3:3: the variable `region` must be a label of `aws/region`, found the string `eu-west-l` (did you mean `eu-west-1`?)\n\
             a.yaml:5:3: the variable `hidden` must be a label of `aws/region`, found a string",
        ),
        (
            serde_json::json!({"region": "us-east-1", "hidden": "us-east-1"}),
            "a.yaml:3:3: the variable `region` must be one of its allowed values, found the string `us-east-1` (choose `eu-west-1` or `eu-central-1`)",
        ),
    ] {
        assert_eq!(bind(given).unwrap_err(), expected);
    }
}

#[test]
fn inline_blueprints_take_strings_for_every_scalar() {
    let object = serde_json::json!({
        "version": "2023-04-20",
        "variables": {
            "size": {"type": "integer", "default": "5", "allowedValues": ["5", "6"]},
            "ratio": {"type": "float", "default": "3.5"},
            "on": {"type": "boolean", "default": "true", "secret": "false"},
            "token": {"type": "string", "default": "x", "secret": "true"},
        },
        "resources": {"queue": {"type": "aws/sqs/queue", "spec": {"delaySeconds": "120"}}},
    });
    let checked = check(&Source::inline("Blueprint", &object));
    assert_eq!(checked.diagnostics, []);
    let blueprint = checked.blueprint.unwrap();
    assert_eq!(
        blueprint.variables["size"].default,
        Some(Value::from_json(&serde_json::json!(5)))
    );
    assert_eq!(
        blueprint.variables["ratio"].default,
        Some(Value::from_json(&serde_json::json!(3.5)))
    );
    assert_eq!(
        blueprint.variables["on"].default,
        Some(Value::from(Kind::Bool(true)))
    );
    assert!(blueprint.variables["token"].secret && !blueprint.variables["on"].secret);
}

#[test]
fn spans_of_templates_lead_to_the_deepest_node_there_is() {
    let text = "\
version: 2023-04-20
resources:
  queue:
    type: aws/sqs/queue
    spec:
      tags:
        - {key: a, value: \"${variables.x}\"}
        - key: |
            b
      nothing:
variables: {x: {type: string}}
";
    let source = Source::new("a.yaml", text);
    let blueprint = check(&source).blueprint.unwrap();
    let spec = &blueprint.resources["queue"].spec;
    let at = |path: &[&str], key: bool| {
        let segment = |step: &&str| {
            step.parse()
                .map_or(Segment::Name((*step).to_owned()), Segment::Index)
        };
        let path: Vec<Segment> = path.iter().map(segment).collect();
        let span: Span = spec.span_at(&path, key);
        let location = source.location(span);
        let shown = source.text()[span.start..span.end]
            .lines()
            .next()
            .unwrap_or_default();
        format!("{}:{} {shown}", location.line, location.column)
    };
    assert_eq!(at(&["tags", "0", "value"], false), "7:27 \"${variables.x}\"");
    assert_eq!(at(&["tags", "0", "value"], true), "7:20 value");
    assert_eq!(
        at(&["tags", "0"], true),
        "7:11 {key: a, value: \"${variables.x}\"}"
    );
    assert_eq!(at(&["tags", "1", "key"], true), "8:11 key");
    assert_eq!(at(&["tags", "7", "key"], true), "6:7 tags");
    assert_eq!(
        at(&["tags", "0", "missing"], false),
        "7:11 {key: a, value: \"${variables.x}\"}"
    );
    assert_eq!(at(&["nothing"], true), "10:7 nothing");
    assert_eq!(at(&[], false), "6:7 tags:");
    let (reference, span) = spec.references()[0];
    assert_eq!(
        (reference.to_string().as_str(), span),
        ("variables.x", reference.span)
    );
}

#[test]
fn printing_a_blueprint_shows_no_secret() {
    let text = "\
version: 2023-04-20
variables:
  token: {type: string, secret: true, default: hunter2, allowedValues: [hunter2, hunter3]}
resources: {queue: {type: aws/sqs/queue, spec: {password: hunter2}}}
";
    let checked = check(&Source::new("a.yaml", text));
    assert!(checked.blueprint.is_some());
    assert!(!format!("{checked:?}").contains("hunter"));
}

#[test]
fn export_types_admit_their_values() {
    let value = |json: serde_json::Value| Value::from_json(&json);
    for (kind, fits, not) in [
        (ExportType::String, value("x".into()), value(5.into())),
        (ExportType::Integer, value(5.into()), value(5.5.into())),
        (ExportType::Float, value(5.into()), value("5".into())),
        (ExportType::Boolean, value(true.into()), value("true".into())),
        (
            ExportType::Array,
            value(serde_json::json!([])),
            value(serde_json::json!({})),
        ),
        (
            ExportType::Object,
            value(serde_json::json!({})),
            value(serde_json::Value::Null),
        ),
    ] {
        assert!(
            kind.admits(&fits) && kind.admits(&Value::unknown()) && !kind.admits(&not),
            "{kind}"
        );
    }
}

/// Expressions over everything that `evaluated` declares, right and wrong.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "variables.s",
        "variables.n",
        "variables.json",
        "variables.secret",
        "variables.secretJson",
        "known.state.list",
        "known.state.map.k",
        "known.state.none",
        "known.state.nowhere",
        "later.state.x",
        "later",
        "true",
        "0",
        "3",
        "-1",
        "1.5",
        "99999999999999999999999999",
        "\"\"",
        "\"/ports/0\"",
        "\"[1, {}]\"",
        "\"é😀\"",
    ]);
    let name = prop::sample::select(vec![
        "fromjson",
        "jsondecode",
        "len",
        "substr",
        "replace",
        "trim",
        "trimprefix",
        "trimsuffix",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(4, 24, 3, move |inner| {
            (name.clone(), prop::collection::vec(inner, 1..4))
                .prop_map(|(name, arguments)| format!("{name}({})", arguments.join(", ")))
        })
}

proptest! {
    /// `evaluated` itself asserts that no error shows a secret.
    #[test]
    fn evaluating_never_panics_and_never_shows_a_secret(expression in expression(), around in any::<bool>()) {
        let text = if around { format!("a ${{{expression}}} b") } else { format!("${{{expression}}}") };
        let shown = evaluated(&text);
        prop_assert!(!shown.contains("hunter"), "{text}: {shown}");
        prop_assert_eq!(evaluated(&text), shown);
    }
}

#[test]
fn a_text_outside_a_blueprint_is_read_and_its_slips_are_all_found() {
    let template = Template::parse("a-${trim(\" b \")}-$${c}").unwrap();
    let value = evaluate(&template, &Nothing).unwrap();
    assert_eq!(value.to_json(), serde_json::json!("a-b-${c}"));

    let findings = Template::parse("${} and ${trim(}").unwrap_err();
    assert!(findings.len() >= 2, "{findings:?}");
}

struct Nothing;

impl Scope for Nothing {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        Err(format!("there is no {reference}"))
    }
}
