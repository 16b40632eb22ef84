//! Exports as the attributes that `Fn::GetAtt` reads.

use formwork_blueprint::Value as Exported;
use indexmap::IndexMap;
use serde_json::{Map, Value};

/// The response's `Data`, and whether it must not be echoed.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    /// One key per export; nested values also under dotted keys (`queue.arn`, `subnets.0`), because
    /// Fn::GetAtt cannot reach into an object.
    pub data: Map<String, Value>,
    /// True if any export is, or was computed from, a secret.
    pub no_echo: bool,
}

/// The attributes of a deployment's exports.
pub fn attributes(exports: &IndexMap<String, Exported>) -> Attributes {
    let mut data = Map::new();
    for (name, export) in exports {
        let value = export.to_json();
        flatten(name, &value, &mut data);
        // The export itself wins over a dotted key of another one that happens to be spelled the same.
        data.insert(name.clone(), value);
    }
    Attributes {
        data,
        no_echo: exports.values().any(Exported::has_secret),
    }
}

fn flatten(prefix: &str, value: &Value, data: &mut Map<String, Value>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, child)| (format!("{prefix}.{key}"), child))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, child)| (format!("{prefix}.{index}"), child))
            .collect(),
        _ => return,
    };
    for (path, child) in children {
        flatten(&path, child, data);
        if !data.contains_key(&path) && !matches!(child, Value::Object(_) | Value::Array(_)) {
            data.insert(path, child.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn exports(values: &[(&str, Value)]) -> IndexMap<String, Exported> {
        values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Exported::from_json(value)))
            .collect()
    }

    #[test]
    fn scalars_stay_and_nested_values_gain_dotted_keys() {
        let attributes = attributes(&exports(&[
            ("count", json!(3)),
            ("queue", json!({"arn": "a", "policy": {"max": 5}})),
            ("subnets", json!(["s-1", "s-2"])),
        ]));
        assert_eq!(
            Value::Object(attributes.data),
            json!({
                "count": 3,
                "queue.arn": "a", "queue.policy.max": 5, "queue": {"arn": "a", "policy": {"max": 5}},
                "subnets.0": "s-1", "subnets.1": "s-2", "subnets": ["s-1", "s-2"],
            })
        );
        assert!(!attributes.no_echo);
    }

    #[test]
    fn an_export_wins_over_a_dotted_key_of_another() {
        let data = attributes(&exports(&[("a.b", json!("own")), ("a", json!({"b": "dotted"}))])).data;
        assert_eq!(data["a.b"], json!("own"));
    }

    #[test]
    fn a_tainted_export_is_not_echoed() {
        let mut tainted = exports(&[("plain", json!("x"))]);
        tainted.insert(
            "nested".into(),
            Exported::from_json(&json!({"password": "p"})).into_secret(),
        );
        assert!(attributes(&tainted).no_echo);
    }
}
