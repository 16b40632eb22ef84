//! What a function's log must be: flat JSON objects, some of them CloudWatch metrics.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// CloudWatch's units.
const UNITS: [&str; 27] = [
    "Seconds",
    "Microseconds",
    "Milliseconds",
    "Bytes",
    "Kilobytes",
    "Megabytes",
    "Gigabytes",
    "Terabytes",
    "Bits",
    "Kilobits",
    "Megabits",
    "Gigabits",
    "Terabits",
    "Percent",
    "Count",
    "Bytes/Second",
    "Kilobytes/Second",
    "Megabytes/Second",
    "Gigabytes/Second",
    "Terabytes/Second",
    "Bits/Second",
    "Kilobits/Second",
    "Megabits/Second",
    "Gigabits/Second",
    "Terabits/Second",
    "Count/Second",
    "None",
];

/// A line of a log: a JSON object in which no key comes twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Line(pub Map<String, Value>);

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))
    }

    /// A field that is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Whether CloudWatch makes metrics of it.
    #[must_use]
    pub fn is_metrics(&self) -> bool {
        self.0.contains_key("_aws")
    }

    /// The value of a metric in it.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// Every rule of the embedded metric format that it breaks.
    #[must_use]
    pub fn broken_metric_rules(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let mut rule = |holds: bool, what: &str| {
            if !holds {
                broken.push(what.to_owned());
            }
        };
        let metadata = &self.0["_aws"];
        rule(
            metadata["Timestamp"].as_u64().is_some(),
            "a whole number of milliseconds",
        );
        let directives = metadata["CloudWatchMetrics"].as_array();
        rule(directives.is_some_and(|all| !all.is_empty()), "directives");
        for directive in directives.into_iter().flatten() {
            let namespace = directive["Namespace"].as_str().unwrap_or_default();
            rule(
                (1..=255).contains(&namespace.len()),
                "a namespace of 1 to 255 characters",
            );
            let sets = directive["Dimensions"].as_array();
            rule(sets.is_some_and(|sets| !sets.is_empty()), "sets of dimensions");
            for set in sets.into_iter().flatten() {
                let names: Option<Vec<&str>> = set
                    .as_array()
                    .and_then(|names| names.iter().map(Value::as_str).collect());
                rule(
                    names.as_ref().is_some_and(|names| names.len() <= 30),
                    "at most 30 names of dimensions",
                );
                for name in names.unwrap_or_default() {
                    let value = self.text(name).unwrap_or_default();
                    rule(
                        (1..=250).contains(&name.len()) && (1..=1024).contains(&value.len()),
                        "dimensions are texts in the root",
                    );
                }
            }
            let metrics = directive["Metrics"].as_array();
            rule(
                metrics.is_some_and(|metrics| (1..=100).contains(&metrics.len())),
                "1 to 100 metrics",
            );
            for metric in metrics.into_iter().flatten() {
                let name = metric["Name"].as_str().unwrap_or_default();
                rule((1..=1024).contains(&name.len()), "a name of 1 to 1024 characters");
                rule(
                    self.metric(name).is_some_and(f64::is_finite),
                    "metrics are numbers in the root",
                );
                let unit = metric["Unit"].as_str().unwrap_or_default();
                rule(UNITS.contains(&unit), "a known unit");
            }
        }
        broken
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Line;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Line, A::Error> {
                let mut fields = Map::new();
                while let Some((name, value)) = access.next_entry::<String, Value>()? {
                    if fields.contains_key(&name) {
                        return Err(serde::de::Error::custom(format!("`{name}` comes twice")));
                    }
                    fields.insert(name, value);
                }
                Ok(Line(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_without_repetitions() {
        assert!(Line::read(r#"{"a":1,"b":{}}"#).is_ok());
        for text in ["", "hello", "[1]", r#"{"a":1,"a":1}"#, "{} {}"] {
            assert!(Line::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_metric_that_cloudwatch_would_not_find_is_told() {
        let good = r#"{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[["D"],[]],
            "Metrics":[{"Name":"M","Unit":"Count"}]}]},"D":"d","M":1}"#;
        assert_eq!(
            Line::read(good).unwrap().broken_metric_rules(),
            Vec::<String>::new()
        );
        for (from, to) in [
            (r#""Timestamp":1"#, r#""Timestamp":"1""#),
            (r#""N""#, r#""""#),
            (r#"[["D"],[]]"#, "[]"),
            (r#""D":"d""#, r#""D":1"#),
            (r#""M":1"#, r#""M":"1""#),
            ("Count\"", "Pieces\""),
        ] {
            assert!(good.contains(from), "{from}");
            let line = Line::read(&good.replace(from, to)).unwrap();
            assert_eq!(line.broken_metric_rules().len(), 1, "{to}");
        }
    }
}
