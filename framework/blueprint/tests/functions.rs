//! The core functions, each with the cases at its edges.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use formwork_blueprint::{Reference, Root, Scope, Template, Value, evaluate};
use serde_json::json;

/// Values of every type, and two that are not known yet.
struct Values;

impl Scope for Values {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        let Root::Variable(name) = &reference.root else {
            return Ok(Value::unknown());
        };
        let values = json!({
            "empty": "",
            "word": "grüße",
            "family": "a👨‍👩‍👧b",
            "space": " \t\r\n\u{a0}\u{2003}x y\u{3000} ",
            "json": r#"{"host": "db", "ports": [5432, 5433.50], "": "nameless", "a/b": 1, "m~n": 2, "0": "zero", "nested": {"list": [[1], []]}}"#,
            "broken": "{",
            "number": "5",
            "integer": 3,
            "float": 1.5,
            "boolean": true,
            "null": null,
            "list": ["a", 1, null],
            "map": {"a": 1, "b": {}},
        });
        values
            .get(name)
            .map(Value::from_json)
            .ok_or_else(|| "no such value".to_owned())
    }
}

fn evaluated(expression: &str) -> String {
    let template = Template::parse(&format!("${{{expression}}}")).unwrap();
    match evaluate(&template, &Values) {
        Ok(value) => value.to_json().to_string(),
        Err(error) => match error.help {
            Some(help) => format!("{}: {} ({help})", error.code, error.message),
            None => format!("{}: {}", error.code, error.message),
        },
    }
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    for (expression, expected) in rows {
        assert_eq!(evaluated(expression), *expected, "{expression}");
    }
}

#[test]
fn len_counts_characters_items_and_entries() {
    check(&[
        (r#"len("")"#, "0"),
        (r#"len("abc")"#, "3"),
        ("len(variables.word)", "5"),
        // Characters are Unicode's scalar values: a family is three people and two joiners.
        ("len(variables.family)", "7"),
        ("len(variables.list)", "3"),
        ("len(variables.map)", "2"),
        (r#"len(jsondecode("[]"))"#, "0"),
        (
            "len(variables.integer)",
            "argument-type: `value` of `len` must be a string, a list or a map, found an integer",
        ),
        (
            "len(variables.null)",
            "argument-type: `value` of `len` must be a string, a list or a map, found null",
        ),
        (
            "len()",
            "argument-count: `len` takes 1 argument, found 0 (it is called as `len(value)`)",
        ),
        (
            r#"len("a", "b")"#,
            "argument-count: `len` takes 1 argument, found 2 (it is called as `len(value)`)",
        ),
    ]);
}

#[test]
fn substr_includes_its_end_and_stays_inside_the_text() {
    check(&[
        (r#"substr("hello", 0, 3)"#, r#""hell""#),
        (r#"substr("hello", 0, 0)"#, r#""h""#),
        (r#"substr("hello", 4, 4)"#, r#""o""#),
        (r#"substr("hello", 0, 4)"#, r#""hello""#),
        (r#"substr("hello", 2)"#, r#""llo""#),
        (r#"substr("hello", -0, 1)"#, r#""he""#),
        (
            r#"substr("hello", 007)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text has 5 characters, counted from 0 to 4)",
        ),
        ("substr(variables.word, 2, 3)", r#""üß""#),
        ("substr(variables.family, 1, 1)", r#""👨""#),
        (
            r#"substr("hello", 5)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text has 5 characters, counted from 0 to 4)",
        ),
        (
            r#"substr("hello", 0, 5)"#,
            "function-failed: `substr` failed: `end` is outside the text (the text has 5 characters, counted from 0 to 4)",
        ),
        (
            r#"substr("h", 1)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text has 1 character, at position 0)",
        ),
        (
            r#"substr("", 0)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text is empty)",
        ),
        (
            r#"substr("hello", 3, 2)"#,
            "function-failed: `substr` failed: `start` lies behind `end` (`end` is the last character included)",
        ),
        (
            r#"substr("hello", -1)"#,
            "function-failed: `substr` failed: `start` is negative (characters are counted from 0)",
        ),
        (
            r#"substr("hello", 0, -1)"#,
            "function-failed: `substr` failed: `end` is negative (characters are counted from 0)",
        ),
        (
            r#"substr("hello", 99999999999999999999999)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text has 5 characters, counted from 0 to 4)",
        ),
        (
            r#"substr("hello", variables.float)"#,
            "argument-type: `start` of `substr` must be an integer, found a float",
        ),
        (
            r#"substr("hello", 1.0)"#,
            "argument-type: `start` of `substr` must be an integer, found a float",
        ),
        (
            r#"substr("hello", "1")"#,
            "argument-type: `start` of `substr` must be an integer, found a string",
        ),
        (
            r#"substr("hello")"#,
            "argument-count: `substr` takes 2 to 3 arguments, found 1 (it is called as `substr(text, start, [end])`)",
        ),
        // Not known yet: what can be said is said.
        ("substr(later, 1, 2)", "null"),
        (
            "substr(later, 2, 1)",
            "function-failed: `substr` failed: `start` lies behind `end` (`end` is the last character included)",
        ),
        (
            r#"substr("hello", 9, later.state.n)"#,
            "function-failed: `substr` failed: `start` is outside the text (the text has 5 characters, counted from 0 to 4)",
        ),
    ]);
}

#[test]
fn replace_replaces_every_occurrence_once() {
    check(&[
        (r#"replace("a-b-c", "-", "+")"#, r#""a+b+c""#),
        (r#"replace("aaa", "aa", "b")"#, r#""ba""#),
        (r#"replace("abc", "x", "y")"#, r#""abc""#),
        (r#"replace("abc", "b", "")"#, r#""ac""#),
        (r#"replace("a", "a", "aa")"#, r#""aa""#),
        (r#"replace("", "a", "b")"#, r#""""#),
        (r#"replace(variables.word, "ß", "ss")"#, r#""grüsse""#),
        (r#"replace("a.c", ".", "\"")"#, r#""a\"c""#),
        (
            r#"replace("abc", "", "x")"#,
            "function-failed: `replace` failed: `search` is empty",
        ),
        (
            r#"replace(later, "", "x")"#,
            "function-failed: `replace` failed: `search` is empty",
        ),
        (
            r#"replace("abc", "b", 5)"#,
            "argument-type: `replacement` of `replace` must be a string, found an integer",
        ),
    ]);
}

#[test]
fn trims_take_away_what_is_there() {
    check(&[
        ("trim(variables.space)", r#""x y""#),
        (r#"trim("")"#, r#""""#),
        (r#"trim("  ")"#, r#""""#),
        // No white space, however invisible.
        ("trim(\"\u{200b}a\u{200b}\")", "\"\u{200b}a\u{200b}\""),
        (
            "trim(variables.list)",
            "argument-type: `text` of `trim` must be a string, found a list",
        ),
        (
            "trim(variables.boolean)",
            "argument-type: `text` of `trim` must be a string, found a boolean",
        ),
        (r#"trimprefix("http://a", "http://")"#, r#""a""#),
        (r#"trimprefix("aab", "a")"#, r#""ab""#),
        (r#"trimprefix("a", "")"#, r#""a""#),
        (r#"trimprefix("a", "a")"#, r#""""#),
        (r#"trimprefix("a", "abc")"#, r#""a""#),
        (r#"trimprefix("", "a")"#, r#""""#),
        (r#"trimsuffix("db:3000", ":3000")"#, r#""db""#),
        (r#"trimsuffix("baa", "a")"#, r#""ba""#),
        (r#"trimsuffix("ü", "ü")"#, r#""""#),
        (
            r#"trimsuffix("a", 1)"#,
            "argument-type: `suffix` of `trimsuffix` must be a string, found an integer",
        ),
    ]);
}

#[test]
fn fromjson_follows_pointers_with_and_without_their_slash() {
    check(&[
        (r#"fromjson(variables.json, "host")"#, r#""db""#),
        (r#"fromjson(variables.json, "/host")"#, r#""db""#),
        (r#"fromjson(variables.json, "ports/1")"#, "5433.50"),
        (r#"fromjson(variables.json, "/nested/list/0/0")"#, "1"),
        (r#"fromjson(variables.json, "nested/list/1")"#, "[]"),
        (r#"fromjson(variables.json, "/")"#, r#""nameless""#),
        (r#"fromjson(variables.json, "a~1b")"#, "1"),
        (r#"fromjson(variables.json, "m~0n")"#, "2"),
        (r#"fromjson(variables.json, "0")"#, r#""zero""#),
        (r#"fromjson(variables.number, "")"#, "5"),
        (r#"fromjson("\"x\"", "")"#, r#""x""#),
        (r#"fromjson("null", "")"#, "null"),
        (
            r#"fromjson(variables.json, "hst")"#,
            "function-failed: `fromjson` failed: there is no `hst` in the JSON text (did you mean `host`?)",
        ),
        (
            r#"fromjson(variables.json, "ports/2")"#,
            "function-failed: `fromjson` failed: there is no item `2` in a JSON array of 2",
        ),
        (
            r#"fromjson(variables.json, "ports/01")"#,
            "function-failed: `fromjson` failed: there is no item `01` in a JSON array of 2",
        ),
        (
            r#"fromjson(variables.json, "ports/-")"#,
            "function-failed: `fromjson` failed: there is no item `-` in a JSON array of 2",
        ),
        (
            r#"fromjson(variables.json, "host/x")"#,
            "function-failed: `fromjson` failed: there is no `x` in a string of the JSON text",
        ),
        (
            r#"fromjson(variables.json, "~2")"#,
            "function-failed: `fromjson` failed: `~` in a JSON pointer must be followed by `0` or `1` (`~0` stands for `~` and `~1` for `/`)",
        ),
        (
            r#"fromjson(later, "a~")"#,
            "function-failed: `fromjson` failed: `~` in a JSON pointer must be followed by `0` or `1` (`~0` stands for `~` and `~1` for `/`)",
        ),
        (
            r#"fromjson(variables.broken, "a")"#,
            "function-failed: `fromjson` failed: the text is not JSON (line 1, column 1)",
        ),
        (
            "fromjson(variables.empty, later)",
            "function-failed: `fromjson` failed: the text is not JSON (line 1, column 0)",
        ),
        (
            r#"fromjson(variables.map, "a")"#,
            "argument-type: `json` of `fromjson` must be a string, found a map",
        ),
    ]);
}

#[test]
fn jsondecode_gives_lists_and_maps() {
    check(&[
        (
            r#"jsondecode("[1, 2.50, {\"a\": null}]")"#,
            r#"[1,2.50,{"a":null}]"#,
        ),
        (r#"jsondecode(" {} ")"#, "{}"),
        (r#"fromjson(replace("{'a': [1]}", "'", "\""), "a/0")"#, "1"),
        (
            "jsondecode(variables.number)",
            "function-failed: `jsondecode` failed: expected a JSON array or object, found an integer (read a single value with `fromjson(text, \"\")`)",
        ),
        (
            r#"jsondecode("null")"#,
            "function-failed: `jsondecode` failed: expected a JSON array or object, found null (read a single value with `fromjson(text, \"\")`)",
        ),
        (
            r#"jsondecode("[1,]")"#,
            "function-failed: `jsondecode` failed: the text is not JSON (line 1, column 4)",
        ),
        (
            r#"jsondecode("[] []")"#,
            "function-failed: `jsondecode` failed: the text is not JSON (line 1, column 4)",
        ),
    ]);
    let deep = evaluated(&format!("jsondecode(\"{}\")", "[".repeat(50_000)));
    assert!(
        deep.starts_with("function-failed: `jsondecode` failed: the text is not JSON"),
        "{deep}"
    );
}

#[test]
fn functions_that_do_not_exist_are_guessed() {
    check(&[
        (
            r#"trimm("a")"#,
            "unknown-function: there is no function `trimm` (did you mean `trim`?)",
        ),
        (
            r#"TRIM("a")"#,
            "unknown-function: there is no function `TRIM` (did you mean `trim`?)",
        ),
        (
            r#"json-decode("[]")"#,
            "unknown-function: there is no function `json-decode` (did you mean `jsondecode`?)",
        ),
        ("concat()", "unknown-function: there is no function `concat`"),
    ]);
}
