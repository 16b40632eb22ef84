use super::*;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Properties {
    name: String,
    count: u32,
    offset: Option<i64>,
    ratio: Option<f64>,
    enabled: bool,
    #[serde(default)]
    tags: Vec<Tag>,
    #[serde(default)]
    limits: BTreeMap<u16, Option<Bytes>>,
    mode: Option<Mode>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase")]
struct Tag {
    weight: u8,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Bytes(u64);

#[derive(Debug, Deserialize, PartialEq)]
enum Mode {
    Off,
    Every(u32),
    Pair(u8, bool),
    Window { from: i8, until: i8 },
}

fn read(value: Value) -> Result<Properties, DecodeErrors> {
    decode(value.as_object().unwrap())
}

fn with(name: &str, value: Value) -> Value {
    let mut properties = json!({ "Name": "n", "Count": "1", "Enabled": "true" });
    properties[name] = value;
    properties
}

#[test]
fn text_scalars_are_read_at_any_depth() {
    let read = read(json!({
        "Name": "n", "Count": "42", "Offset": "-7", "Ratio": "1.5", "Enabled": "false",
        "Tags": [{ "Weight": "3" }, { "Weight": 4 }], "Limits": { "80": "1024", "443": null },
        "Mode": { "Window": { "From": "1", "from": "-1", "until": "2" } },
    }));
    let limits = BTreeMap::from([(80, Some(Bytes(1024))), (443, None)]);
    let expected = Properties {
        name: "n".into(),
        count: 42,
        offset: Some(-7),
        ratio: Some(1.5),
        enabled: false,
        tags: vec![Tag { weight: 3 }, Tag { weight: 4 }],
        limits,
        mode: Some(Mode::Window { from: -1, until: 2 }),
    };
    assert_eq!(read.unwrap(), expected);
}

#[test]
fn every_kind_of_alternative_is_read() {
    for (sent, mode) in [
        (json!("Off"), Mode::Off),
        (json!({ "Every": "5" }), Mode::Every(5)),
        (json!({ "Pair": ["1", "true"] }), Mode::Pair(1, true)),
    ] {
        assert_eq!(read(with("Mode", sent)).unwrap().mode, Some(mode));
    }
}

#[test]
fn scalars_have_several_forms() {
    assert_eq!(read(with("Count", json!(7))).unwrap().count, 7);
    assert_eq!(read(with("Count", json!(" 7.00 "))).unwrap().count, 7);
    assert!(read(with("Enabled", json!("TRUE"))).unwrap().enabled);
    assert_eq!(read(with("Name", json!(1.10))).unwrap().name, "1.1");
    assert_eq!(read(with("Name", json!(true))).unwrap().name, "true");
    assert_eq!(read(with("Ratio", json!("3"))).unwrap().ratio, Some(3.0));
    assert_eq!(read(with("Offset", json!(null))).unwrap().offset, None);
}

#[test]
fn errors_name_path_and_expectation_but_never_the_value() {
    for (property, sent, message) in [
        (
            "Count",
            json!("hunter2"),
            "`Count`: expected a whole number, not negative, found text",
        ),
        (
            "Count",
            json!("-3"),
            "`Count`: expected a whole number, not negative, found another number",
        ),
        (
            "Count",
            json!("1.5"),
            "`Count`: expected a whole number, not negative, found another number",
        ),
        (
            "Count",
            json!([1]),
            "`Count`: expected a whole number, not negative, found a list",
        ),
        (
            "Enabled",
            json!("hunter2"),
            "`Enabled`: expected `true` or `false`, found another text",
        ),
        (
            "Enabled",
            json!(1),
            "`Enabled`: expected `true` or `false`, found a number",
        ),
        (
            "Name",
            json!({ "hunter2": 1 }),
            "`Name`: expected text, found an object",
        ),
        ("Ratio", json!("NaN"), "`Ratio`: expected a number, found text"),
        ("Tags", json!("hunter2"), "`Tags`: expected a list, found text"),
        (
            "Tags",
            json!([{ "Weight": "1" }, { "Weight": "256" }]),
            "`Tags[1].Weight`: expected an integer from 0 to 255, found another number",
        ),
        ("Tags", json!([{}]), "`Tags[0].Weight` is missing"),
        (
            "Limits",
            json!({ "80": "x" }),
            "`Limits.80`: expected a whole number, not negative, found text",
        ),
        (
            "Limits",
            json!({ "http": "1" }),
            "`Limits.http`: expected an integer from 0 to 65535, found text",
        ),
        (
            "Mode",
            json!("hunter2"),
            "`Mode`: expected `Off`, `Every`, `Pair` or `Window`, found another text",
        ),
        (
            "Mode",
            json!({ "Every": "hunter2" }),
            "`Mode.Every`: expected a whole number, not negative, found text",
        ),
        (
            "Mode",
            json!({ "a": 1, "b": 2 }),
            "`Mode`: expected an object with one key, found 2 items",
        ),
        (
            "Typo",
            json!("hunter2"),
            "`Typo`: is not a known property, expected `Name`, `Count`, `Offset`, `Ratio`, `Enabled`, `Tags`, `Limits` or `Mode`",
        ),
    ] {
        assert_eq!(
            read(with(property, sent.clone())).unwrap_err().to_string(),
            message,
            "{sent}"
        );
    }
}

#[test]
fn problems_of_several_properties_are_reported_together() {
    let error = read(json!({ "Count": "x", "Enabled": "maybe", "Typo": 1 })).unwrap_err();
    let paths: Vec<String> = error.iter().map(ToString::to_string).collect();
    assert_eq!(paths.len(), 4, "{paths:?}");
    assert!(
        paths[0].starts_with("`Count`")
            && paths[1].starts_with("`Enabled`")
            && paths[2].starts_with("`Typo`")
    );
    assert_eq!(paths[3], "`Name` is missing");
}

#[test]
fn untyped_properties_keep_what_was_sent() {
    let sent: Value =
        serde_json::from_str(r#"{"A":"42","B":1.10,"C":123456789012345678901234567890,"D":[true,null]}"#)
            .unwrap();
    let read: Map<String, Value> = decode(sent.as_object().unwrap()).unwrap();
    assert_eq!(Value::Object(read).to_string(), sent.to_string());
}

#[test]
fn a_message_of_the_authors_type_loses_the_value_it_quotes() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    struct Timed {
        at: jiff::Timestamp,
    }
    let error = decode::<Timed>(json!({ "at": "hunter2" }).as_object().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("`at`: ") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn odd_keys_are_quoted_in_paths() {
    let error = decode::<BTreeMap<String, u8>>(json!({ "a.b": "x" }).as_object().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`[\"a.b\"]`: expected an integer from 0 to 255, found text"
    );
}
