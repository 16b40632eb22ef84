//! Documents that look like blueprints. Every field is mostly what it should be.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// A field, in how many of ten it is there, and what it holds.
type Field = (&'static str, u32, BoxedStrategy<Value>);

/// A document; a good part of them are valid.
pub fn document() -> impl Strategy<Value = Value> {
    let unsupported = section(vec![
        ("datasources", 1, data_sources()),
        ("include", 1, includes()),
    ]);
    let own = section(vec![
        ("variables", 9, variables()),
        ("resources", 9, resources()),
        ("exports", 7, exports()),
        ("metadata", 3, tree().boxed()),
    ]);
    (own, unsupported, 0..40_u8).prop_map(|(own, unsupported, draw)| {
        let version = match draw {
            0 => json!("2023-04-21"),
            1 => json!(2023),
            _ => json!("2023-04-20"),
        };
        let mut document = Map::from_iter([("version".to_owned(), version)]);
        for part in [own, unsupported] {
            document.extend(part.as_object().cloned().unwrap_or_default());
        }
        if draw >= 8 {
            declare_all(&mut document);
        }
        Value::Object(document)
    })
}

/// Declares what texts refer to and the document lacks.
fn declare_all(document: &mut Map<String, Value>) {
    let wanted = [
        (
            "variables",
            json!({"type": "string", "default": "a"}),
            &["text", "size", "on"][..],
        ),
        (
            "resources",
            json!({"type": "aws/sqs/queue", "spec": {"text": "x", "list": ["a"]}}),
            RESOURCES,
        ),
    ];
    for (section, declaration, names) in wanted {
        let declared = document.entry(section).or_insert_with(|| json!({}));
        for name in names {
            if let Some(declared) = declared.as_object_mut() {
                declared.entry(*name).or_insert_with(|| declaration.clone());
            }
        }
    }
}

const RESOURCES: &[&str] = &["queue", "topic", "role", "a.b"];

/// A map with these fields; one in two hundred has a key that is not known.
fn section(fields: Vec<Field>) -> BoxedStrategy<Value> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(key, likely, value)| {
            let value = prop_oneof![likely => value.prop_map(Some), 10 - likely => Just(None)];
            (Just(key), value)
        })
        .collect();
    let slip = prop_oneof![
        1 => select(vec!["spce", "properties", "Ref", "Type", "name", "${variables.text}", ""]).prop_map(Some),
        199 => Just(None),
    ];
    (fields, slip)
        .prop_map(|(fields, slip)| {
            let known = fields
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?)));
            known
                .chain(slip.map(|key| (key.to_owned(), json!("x"))))
                .collect()
        })
        .boxed()
}

/// A map of named things; `odd` is what should not stand there.
fn named(names: &'static [&'static str], thing: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let thing = prop_oneof![100 => thing, 1 => odd()];
    let name =
        prop_oneof![100 => select(names), 1 => select(&["a b", "", "ключ"][..])].prop_map(str::to_owned);
    let things = prop::collection::vec((name, thing), 0..6).prop_map(|things| things.into_iter().collect());
    prop_oneof![100 => things, 1 => odd()].boxed()
}

fn odd() -> BoxedStrategy<Value> {
    select(vec![
        json!(null),
        json!(5),
        json!(true),
        json!([]),
        json!({}),
        json!("x"),
        json!(["${x}"]),
    ])
    .boxed()
}

/// One of the texts, now and then something else.
fn mostly(texts: &'static [&'static str]) -> BoxedStrategy<Value> {
    prop_oneof![60 => select(texts).prop_map(Value::from), 1 => odd()].boxed()
}

fn variables() -> BoxedStrategy<Value> {
    let types = mostly(&[
        "string",
        "string",
        "string",
        "integer",
        "boolean",
        "float",
        "aws/region",
    ]);
    let value = select(vec![
        json!("a"),
        json!("a"),
        json!("eu-west-1"),
        json!(5),
        json!(1.5),
        json!(true),
    ]);
    let variable = prop_oneof![
        3 => Just(json!({"type": "string", "default": "a"})),
        1 => Just(json!({"type": "integer", "default": 5, "secret": true})),
        1 => section(
            vec![
                ("type", 10, types),
                ("default", 5, value.clone().boxed()),
                ("allowedValues", 3, prop::collection::vec(value, 1..3).prop_map(Value::from).boxed()),
                ("secret", 3, any::<bool>().prop_map(Value::from).boxed()),
                ("description", 2, mostly(&["plain", "costs 5$", "${variables.text}"])),
            ]),
    ];
    named(&["text", "size", "on", "token"], variable.boxed())
}

fn resources() -> BoxedStrategy<Value> {
    let labels = section(vec![
        ("app", 7, mostly(&["orders", "bills"])),
        ("tier", 4, mostly(&["data"])),
    ]);
    let metadata = section(vec![
        ("displayName", 3, text().boxed()),
        ("labels", 4, labels.clone()),
        ("annotations", 2, section(vec![("team.name", 9, text().boxed())])),
        ("custom", 3, tree().boxed()),
    ]);
    let selector = section(vec![("byLabel", 10, labels)]);
    let types = mostly(&["aws/sqs/queue", "aws/sns/topic", "AWS::IAM::Role"]);
    let resource = (
        types,
        section(vec![
            ("description", 2, text().boxed()),
            ("metadata", 3, metadata),
            (
                "linkSelector",
                1,
                prop_oneof![1 => selector, 9 => Just(json!({"byLabel": {"app": "orders"}}))].boxed(),
            ),
            ("spec", 9, tree().boxed()),
        ]),
    );
    let resource = resource.prop_map(|(kind, mut fields)| {
        fields["type"] = kind;
        fields
    });
    named(RESOURCES, resource.boxed())
}

fn data_sources() -> BoxedStrategy<Value> {
    let operators = mostly(&[
        "=",
        "!=",
        "in",
        "not in",
        "has key",
        "contains",
        "starts with",
        "like",
    ]);
    let filter = section(vec![
        ("field", 10, mostly(&["vpcId", "tags"])),
        ("operator", 10, operators),
        ("search", 10, text().boxed()),
    ]);
    let export = section(vec![
        ("type", 10, mostly(&["string", "array", "object"])),
        ("aliasFor", 5, mostly(&["vpcId"])),
    ]);
    let fields = vec![
        ("type", 10, mostly(&["aws/vpc", "vpc"])),
        ("filter", 10, filter),
        ("exports", 7, named(&["vpc", "subnets"], export)),
        ("description", 2, text().boxed()),
    ];
    named(&["network"], section(fields))
}

fn includes() -> BoxedStrategy<Value> {
    let fields = vec![
        (
            "path",
            10,
            mostly(&[
                "core.yaml",
                "${workingDir}/core.yaml",
                "${variables.text}.yaml",
                "",
            ]),
        ),
        ("variables", 9, section(vec![("size", 5, text().boxed())])),
        ("metadata", 3, tree().boxed()),
    ];
    named(&["core"], section(fields))
}

fn exports() -> BoxedStrategy<Value> {
    let field = mostly(&[
        "resources.queue.state.arn",
        "queue",
        "topic.spec.list[0]",
        "variables.text",
        "datasources.network.vpc",
        "children.core.topic",
        "${queue}",
        "trim(queue)",
        "nobody.state.x",
    ]);
    let types = mostly(&["string", "string", "integer", "array", "map"]);
    let export = section(vec![
        ("type", 10, types),
        ("field", 10, field),
        ("description", 2, text().boxed()),
    ]);
    prop_oneof![
        2 => Just(json!({})),
        1 => Just(json!({"size": {"type": "string", "field": "queue.state.arn"}})),
        1 => named(&["arn", "size"], export),
    ]
    .boxed()
}

/// A text with or without substitutions.
fn text() -> impl Strategy<Value = Value> {
    let fine = select(
        &[
            "plain",
            "costs 5$ or $5",
            "$${literal}",
            "two\nlines",
            "é😀: #",
            "${\"${\"}",
            "${len(\"größe\")}",
            "${trim(\" a \")}-b",
        ][..],
    );
    let referring = select(
        &[
            "${variables.text}",
            "x-${variables.size}-${variables.on}",
            "${queue.state.arn}",
            "${topic}",
            "${resources[\"a.b\"].state.list[].x}",
            "${resources.queue.spec.text}",
            "${topic.metadata.displayName}",
            "${replace(variables.text, \"a\", queue.state.arn)}",
            "first\n${queue.state.url}\nlast",
            "it's \"${role.state.arn}\"",
            "${datasources.network.vpc}",
            "${children.core.topic.arn}",
        ][..],
    );
    let wrong = select(
        &[
            "${",
            "a ${variables",
            "${}",
            "${nobody.state.x}",
            "${variables.nobody}",
            "${variables.text.x}",
            "${queue.arn}",
            "${upper(\"a\")}",
            "${trim()}",
            "${trim(5)}",
            "${substr(\"abc\", \"1\")}",
            "${jsondecode(\"[]\")}-x",
            "${AWS::Region}",
            "${a b} and ${}",
            "!Ref queue",
        ][..],
    );
    prop_oneof![60 => fine, 12 => referring, 1 => wrong].prop_map(Value::from)
}

/// Any value with texts in it.
fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => text(),
        1 => select(vec![json!(null), json!(true), json!(5), json!(-1.50), json!("1.10"), json!("true"), json!("")]),
    ];
    let key = prop_oneof![
        100 => select(&["text", "list", "policyDocument", "a b", "true", "é", "Ref"][..]),
        1 => select(&["${variables.text}", "Fn::Sub", "$${x}"][..]),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            2 => prop::collection::vec((key.clone().prop_map(str::to_owned), inner), 0..3)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}
