//! Values of a blueprint's variables, as given on the command line.

use crate::files;
use crate::terminal::Failure;
use serde_json::{Map, Value};
use std::path::Path;

/// Values from `name=value` pairs and from files; later ones win.
pub fn read(given: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut values = Map::new();
    for text in given {
        match text.split_once('=') {
            Some((name, value)) => {
                values.insert(name.to_owned(), Value::from(value));
            }
            None => values.extend(from_file(Path::new(text))?),
        }
    }
    Ok(values)
}

fn from_file(path: &Path) -> Result<Map<String, Value>, Failure> {
    let value = files::data(path, "a map of variables' names to their values, in JSON or YAML")?;
    match value {
        Value::Object(values) => Ok(values),
        _ => Err(Failure::usage(format!(
            "the file `{}` is no map of variables",
            path.display()
        ))),
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
    fn a_missing_file_is_wrong_usage() {
        assert!(matches!(
            read(&["nowhere.yaml".into()]),
            Err(Failure::Usage { .. })
        ));
    }
}
