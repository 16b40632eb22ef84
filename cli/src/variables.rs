//! Values of a blueprint's variables, as given on the command line.

use crate::files;
use crate::terminal::Failure;
use serde_json::{Map, Value};
use std::path::Path;

const FORM: &str = "a map of variables' names to their values, in JSON or YAML";

/// Values from `name=value` pairs and from files; later ones win.
pub fn read(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut values = Map::new();
    for text in given {
        match text.split_once('=') {
            Some(("", _)) => {
                return Err(Failure::usage_with_hint(
                    format!("`{text}` names no variable"),
                    "a value is written as `NAME=VALUE`",
                ));
            }
            Some((name, value)) => {
                values.insert(name.to_owned(), Value::from(value));
            }
            None => values.extend(from_file(text)?),
        }
    }
    Ok(values)
}

fn from_file(name: &str) -> Result<Map<String, Value>, Failure> {
    let path = Path::new(name);
    if name != files::STDIN && !path.exists() {
        return Err(Failure::usage_with_hint(
            format!("there is no file `{name}`"),
            "a single value is written as `NAME=VALUE`",
        ));
    }
    match files::data(path, FORM)? {
        Value::Object(values) => Ok(values),
        Value::Null => Ok(Map::new()),
        other => Err(Failure::usage_with_hint(
            format!("the file `{name}` is {}", files::noun(&other)),
            format!("expected {FORM}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pairs_and_files_are_told_apart_and_later_ones_win() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("values.yaml");
        std::fs::write(&file, "a: 1\nb: two\n").unwrap();
        let values = read(&["a=0".into(), file.display().to_string(), "b=last=one".into()]).unwrap();
        assert_eq!(Value::Object(values), json!({"a": 1, "b": "last=one"}));
    }

    #[test]
    fn what_is_no_value_is_wrong_usage_and_says_what_would_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("values.yaml");
        let name = file.display().to_string();
        std::fs::write(&file, "").unwrap();
        assert!(read(std::slice::from_ref(&name)).unwrap().is_empty());
        std::fs::write(&file, "- a\n").unwrap();
        for (given, expected) in [
            (name.as_str(), "values.yaml` is a list"),
            ("=x", "`=x` names no variable"),
            ("stage", "there is no file `stage`"),
        ] {
            match read(&[given.to_owned()]) {
                Err(Failure::Usage { message, hint }) => {
                    assert!(message.ends_with(expected), "{message}");
                    assert!(hint.is_some());
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_missing_file_is_wrong_usage() {
        assert!(matches!(
            read(&["nowhere.yaml".into()]),
            Err(Failure::Usage { .. })
        ));
    }
}
