//! Evaluation: a made-up text over made-up values, some of them secret.
//!
//! What is promised of secrets is checked twice. Every secret text has a mark, which may show up nowhere.
//! And every secret has a twin with other content: whatever is shown to people must be the same for both,
//! or something of a secret has come through.

use super::findings;
use super::scopes::BeforeDeploy;
use arbitrary::{Result, Unstructured};
use formwork_blueprint::{
    EvaluationError, Format, Kind, Reference, Root, Scope, Source, Template, Value, check, evaluate,
};
use indexmap::IndexMap;
use serde_json::json;

/// Part of every secret text and of no other.
const MARK: &str = "hunter";

/// The longest text that evaluation may make.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Makes a text and two sets of values of the bytes and evaluates the text with each.
///
/// # Panics
/// Where a promise is broken.
pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok((text, world)) = text(&mut input).and_then(|text| Ok((text, World::made_of(&mut input)?))) else {
        return;
    };
    if !text.contains(MARK) {
        outside_a_blueprint(&text, &world);
        in_a_blueprint(&text, &world);
    }
}

/// Nothing is checked before: whatever is wrong must be noticed while it runs.
fn outside_a_blueprint(text: &str, world: &World) {
    let Ok(template) = Template::parse(text) else {
        return;
    };
    let evaluated = [0, 1].map(|twin| evaluate(&template, &Values { world, twin }));
    compare(text, text, evaluated);
}

/// The same text where the checker sees it, over variables.
fn in_a_blueprint(text: &str, world: &World) {
    let document = json!({
        "version": "2023-04-20",
        "variables": {
            "text": {"type": "string"},
            "integer": {"type": "integer"},
            "float": {"type": "float"},
            "boolean": {"type": "boolean"},
            "secret": {"type": "string", "secret": true},
            "json": {"type": "string", "secret": true},
        },
        "resources": {"queue": {"type": "aws/sqs/queue", "spec": {"text": "a", "list": ["a", {"b": 1}]}}},
        "metadata": {"x": text},
    });
    let source = Source::with_format("fuzzed", document.to_string(), Format::Json);
    let checked = check(&source);
    findings::hold(&checked.diagnostics, &source);
    let Some(blueprint) = checked.blueprint else {
        return;
    };
    let evaluated = [0, 1].map(|twin| {
        let given = world
            .variables
            .iter()
            .map(|(name, values)| (name.clone(), values[twin].to_json()));
        let variables = blueprint
            .bind(&given.collect())
            .unwrap_or_else(|findings| panic!("{findings:#?}"));
        evaluate(&blueprint.metadata, &BeforeDeploy { variables })
    });
    for error in evaluated.iter().filter_map(|outcome| outcome.as_ref().err()) {
        // What is wrong whatever the values are is found before there are any.
        let late = ["unknown-function", "argument-count"].contains(&error.code);
        assert!(!late, "{text:?} was found valid: {error:?}");
    }
    compare(text, source.text(), evaluated);
}

fn compare(text: &str, source: &str, evaluated: [Result<Value, EvaluationError>; 2]) {
    for outcome in &evaluated {
        match outcome {
            Ok(value) => hides_its_secrets(text, value),
            Err(error) => {
                findings::hold_error(error, source);
                assert!(
                    !format!("{error} {error:?}").contains(MARK),
                    "{text:?}: {error:?}"
                );
            }
        }
    }
    if let [Ok(first), Ok(second)] = evaluated {
        let (first, second) = (first.to_masked_json(), second.to_masked_json());
        assert_eq!(first, second, "{text:?} tells of its secrets");
    }
}

fn hides_its_secrets(text: &str, value: &Value) {
    let shown = [
        value.to_masked_json().to_string(),
        format!("{value:?}"),
        format!("{:?}", value.kind),
    ];
    assert!(
        !shown.iter().any(|shown| shown.contains(MARK)),
        "{text:?} shows {shown:?}"
    );
    assert_eq!(value.has_secret(), !value.secret_pointers().is_empty());
    assert_eq!(value.has_unknown(), !value.unknown_pointers().is_empty());
    bounded(value);
}

fn bounded(value: &Value) {
    match &value.kind {
        Kind::String(text) => assert!(text.len() <= MAX_TEXT_BYTES, "{} bytes", text.len()),
        Kind::List(items) => items.iter().for_each(bounded),
        Kind::Map(entries) => entries.values().for_each(bounded),
        _ => {}
    }
}

/// Values for everything that references can name, and for every secret a twin with other content.
struct World {
    variables: IndexMap<String, Twins>,
    /// What is deployed, by the name of its resource.
    resources: IndexMap<String, Twins>,
}

/// Two values that people must not be able to tell apart.
type Twins = [Value; 2];

/// One of the twins of each value.
struct Values<'w> {
    world: &'w World,
    twin: usize,
}

impl Scope for Values<'_> {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let of = match &reference.root {
            Root::Variable(_) => &self.world.variables,
            _ => &self.world.resources,
        };
        let twins = of
            .get(reference.root.name())
            .ok_or_else(|| "there is no such thing".to_owned())?;
        twins[self.twin].at(&reference.path)
    }
}

impl World {
    fn made_of(input: &mut Unstructured<'_>) -> Result<Self> {
        let same = |value: Value| [value.clone(), value];
        let secret = |texts: [String; 2]| texts.map(|text| Value::string(text).into_secret());
        let integer: i64 = input.arbitrary()?;
        let float = number(input)?;
        let variables = [
            ("text", same(Value::string(plain_text(input)?))),
            ("integer", same(Value::from_json(&integer.into()))),
            ("float", same(Value::from_json(&serde_json::Value::Number(float)))),
            ("boolean", same(Kind::Bool(input.arbitrary()?).into())),
            ("secret", secret([secret_text(input)?, secret_text(input)?])),
            ("json", secret([secret_json(input)?, secret_json(input)?])),
        ];
        let resources = [("queue", twins(input, 0)?), ("a.b", twins(input, 0)?)];
        Ok(World {
            variables: variables.map(|(name, twins)| (name.to_owned(), twins)).into(),
            resources: resources.map(|(name, twins)| (name.to_owned(), twins)).into(),
        })
    }
}

/// A value and its twin: alike in what is no secret, each for itself in what is.
fn twins(input: &mut Unstructured<'_>, level: usize) -> Result<Twins> {
    if input.ratio(1, 5)? {
        let secret = [secret_value(input, level)?, secret_value(input, level)?];
        return Ok(secret.map(Value::into_secret));
    }
    let deepest = if level < 3 { 7 } else { 4 };
    let kind = match input.int_in_range(0..=deepest)? {
        0 => Kind::String(plain_text(input)?),
        1 => Kind::Number(number(input)?),
        2 => Kind::Bool(input.arbitrary()?),
        3 => Kind::Null,
        4 => Kind::Unknown,
        5 => {
            let items: Vec<Twins> = many(input, |input| twins(input, level + 1))?;
            let side = |twin: usize| Kind::List(items.iter().map(|item| item[twin].clone()).collect());
            return Ok([side(0), side(1)].map(Value::from));
        }
        _ => {
            let entries = many(input, |input| {
                Ok((*input.choose(&NAMES)?, twins(input, level + 1)?))
            })?;
            let entry = |twin: usize| {
                entries
                    .iter()
                    .map(move |(name, twins)| ((*name).to_owned(), twins[twin].clone()))
            };
            return Ok([0, 1].map(|twin| Kind::Map(entry(twin).collect()).into()));
        }
    };
    let value = Value::from(kind);
    Ok([value.clone(), value])
}

/// Keys of maps, and the names that paths ask for.
const NAMES: [&str; 6] = ["state", "spec", "text", "list", "x.y", "0"];

fn secret_value(input: &mut Unstructured<'_>, level: usize) -> Result<Value> {
    let deepest = if level < 3 { 5 } else { 3 };
    Ok(match input.int_in_range(0..=deepest)? {
        0 => Value::string(secret_text(input)?),
        1 => Value::string(secret_json(input)?),
        2 => Kind::Number(number(input)?).into(),
        3 => Value::unknown(),
        4 => Kind::List(many(input, |input| secret_value(input, level + 1))?).into(),
        _ => {
            let entry = |input: &mut Unstructured<'_>| {
                let name = if input.ratio(1, 4)? {
                    secret_text(input)?
                } else {
                    (*input.choose(&NAMES)?).to_owned()
                };
                Ok((name, secret_value(input, level + 1)?))
            };
            Kind::Map(many(input, entry)?.into_iter().collect()).into()
        }
    })
}

fn secret_text(input: &mut Unstructured<'_>) -> Result<String> {
    let (before, after) = (plain_text(input)?, plain_text(input)?);
    Ok(format!("{before}{MARK}{after}"))
}

fn secret_json(input: &mut Unstructured<'_>) -> Result<String> {
    let text = secret_text(input)?;
    Ok(match input.int_in_range(0..=5)? {
        0 => json!({"text": text}).to_string(),
        1 => json!({"list": [text, 5], "0": {"x.y": text}}).to_string(),
        2 => json!([text]).to_string(),
        3 => json!({text: [null]}).to_string(),
        4 => "[".repeat(200),
        _ => format!("{{\"text\": \"{text}"),
    })
}

fn plain_text(input: &mut Unstructured<'_>) -> Result<String> {
    const TEXTS: [&str; 12] = [
        "",
        "a",
        "b",
        "a b",
        " a ",
        "aXa",
        "[1, {}]",
        "{\"text\": \"a\"}",
        "é😀",
        "a\nb",
        "-5",
        "$${a}",
    ];
    if input.ratio(3, 4)? {
        return Ok((*input.choose(&TEXTS)?).to_owned());
    }
    let length = input.int_in_range(0..=8)?;
    (0..length).map(|_| input.arbitrary::<char>()).collect()
}

fn number(input: &mut Unstructured<'_>) -> Result<serde_json::Number> {
    const NUMBERS: [&str; 8] = [
        "0",
        "1",
        "-1",
        "2",
        "1.50",
        "1e400",
        "99999999999999999999999999",
        "-0",
    ];
    let text = input.choose(&NUMBERS)?;
    Ok(serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// A text with substitutions, mostly such that can be read and mean something.
fn text(input: &mut Unstructured<'_>) -> Result<String> {
    let parts = input.int_in_range(1..=4)?;
    let mut text = String::new();
    for _ in 0..parts {
        match input.int_in_range(0..=4)? {
            0 => text.push_str(&plain_text(input)?),
            _ => text.push_str(&format!("${{{}}}", expression(input, 0)?)),
        }
    }
    Ok(text)
}

fn expression(input: &mut Unstructured<'_>, level: usize) -> Result<String> {
    const FUNCTIONS: [&str; 8] = [
        "fromjson",
        "jsondecode",
        "len",
        "substr",
        "replace",
        "trim",
        "trimprefix",
        "trimsuffix",
    ];
    let deepest = if level < 6 { 6 } else { 3 };
    Ok(match input.int_in_range(0..=deepest)? {
        0 => format!("\"{}\"", plain_text(input)?.replace('"', "\\\"")),
        1 => (*input.choose(&[
            "true",
            "false",
            "0",
            "1",
            "3",
            "-1",
            "1.50",
            "\"/text\"",
            "\"list/0\"",
        ])?)
        .to_owned(),
        2 => {
            let names = ["text", "integer", "float", "boolean", "secret", "json", "nobody"];
            format!("variables.{}", input.choose(&names)?)
        }
        3 => {
            let root = input.choose(&["queue", "resources.queue", "resources[\"a.b\"]", "nobody"])?;
            let path: Vec<String> = many(input, |input| {
                Ok(match input.int_in_range(0..=2)? {
                    0 => format!("[\"{}\"]", input.choose(&NAMES)?),
                    1 => format!(".{}", input.choose(&["state", "spec", "text", "list"])?),
                    _ => (*input.choose(&["[]", "[0]", "[1]", "[9]"])?).to_owned(),
                })
            })?;
            format!("{root}{}", path.concat())
        }
        _ => {
            let name = if input.ratio(1, 20)? {
                "upper"
            } else {
                input.choose(&FUNCTIONS)?
            };
            let arguments = many(input, |input| expression(input, level + 1))?;
            format!("{name}({})", arguments.join(", "))
        }
    })
}

/// Up to three of something.
fn many<T>(
    input: &mut Unstructured<'_>,
    make: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = input.int_in_range(0..=3)?;
    (0..count).map(|_| make(input)).collect()
}
