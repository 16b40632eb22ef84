//! CloudWatch's embedded metric format: a log line from which CloudWatch makes metrics.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

const NAMESPACE: &str = "Formwork";

/// A metric's unit, as CloudWatch names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Count,
    Seconds,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Count => "Count",
            Unit::Seconds => "Seconds",
        }
    }
}

/// One line. Every metric is there by all dimensions together and, for the whole of the function, by none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line<'a> {
    pub(crate) at: Timestamp,
    /// Few values each: every combination is a metric of its own.
    pub(crate) dimensions: &'a [(&'static str, &'a str)],
    pub(crate) metrics: &'a [(&'static str, Unit, f64)],
    /// For those who search the log; no metric.
    pub(crate) properties: &'a [(&'static str, &'a str)],
}

impl Line<'_> {
    /// The line's text, without its end.
    pub(crate) fn text(&self) -> String {
        let names: Vec<&str> = self.dimensions.iter().map(|(name, _)| *name).collect();
        let directives: Vec<Value> = self
            .metrics
            .iter()
            .map(|(name, unit, _)| json!({ "Name": name, "Unit": unit.name() }))
            .collect();
        let mut root = Map::new();
        root.insert(
            "_aws".to_owned(),
            json!({
                "Timestamp": self.at.as_millisecond(),
                "CloudWatchMetrics": [{
                    "Namespace": NAMESPACE,
                    "Dimensions": [names, []],
                    "Metrics": directives,
                }],
            }),
        );
        for (name, value) in self.dimensions.iter().chain(self.properties) {
            root.insert((*name).to_owned(), (*value).into());
        }
        for (name, _, value) in self.metrics {
            root.insert((*name).to_owned(), (*value).into());
        }
        Value::Object(root).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_its_directive_names() {
        let line = Line {
            at: Timestamp::from_millisecond(1_767_225_600_123).unwrap(),
            dimensions: &[("ResourceType", "AWS::SQS::Queue"), ("Operation", "create")],
            metrics: &[("Operations", Unit::Count, 1.0), ("Seconds", Unit::Seconds, 1.5)],
            properties: &[("resource", "orders")],
        };
        assert_eq!(
            line.text(),
            concat!(
                r#"{"_aws":{"Timestamp":1767225600123,"CloudWatchMetrics":[{"Namespace":"Formwork","#,
                r#""Dimensions":[["ResourceType","Operation"],[]],"#,
                r#""Metrics":[{"Name":"Operations","Unit":"Count"},{"Name":"Seconds","Unit":"Seconds"}]}]},"#,
                r#""ResourceType":"AWS::SQS::Queue","Operation":"create","resource":"orders","#,
                r#""Operations":1.0,"Seconds":1.5}"#,
            )
        );
    }
}
