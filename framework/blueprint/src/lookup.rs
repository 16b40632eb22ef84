//! Looking a data source up among what exists: which candidate it is, and what it exports.

use crate::operators::{is_uniform, noun};
use crate::value::Kind;
use crate::{DataSource, DataSourceExport, Incomparable, Value};
use indexmap::IndexMap;

/// Which candidate a filter selects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selected<'c> {
    /// The first that matches, and whether a secret decided it.
    First(&'c Value, bool),
    /// Something that is not known yet decides it.
    NotKnown,
    /// None matches.
    Nothing {
        /// How many of the candidates do not even have the field that is compared.
        without_field: usize,
    },
}

impl DataSource {
    /// The first of the candidates that the filter matches, by the value that its `search` has. A candidate
    /// without the field matches no operator, not even one that begins with `not`: there is nothing to compare.
    ///
    /// # Errors
    /// The first candidate before the match whose field cannot be compared with the search value.
    pub fn select<'c>(
        &self,
        search: &Value,
        candidates: impl IntoIterator<Item = &'c Value>,
    ) -> Result<Selected<'c>, Incomparable> {
        let mut without_field = 0;
        let mut secret = false;
        for candidate in candidates {
            let Ok(field) = self.filter.field.of(candidate) else {
                without_field += 1;
                continue;
            };
            let answer = self.filter.operator.matches(&field, search)?;
            // Being passed over tells of a secret as well.
            secret |= answer.secret;
            match answer.kind {
                Kind::Bool(true) => return Ok(Selected::First(candidate, secret)),
                Kind::Bool(false) => {}
                _ => return Ok(Selected::NotKnown),
            }
        }
        Ok(Selected::Nothing { without_field })
    }

    /// What the data source exports once it is found, by name.
    ///
    /// # Errors
    /// The first export that is not there or of another type than declared; never its content.
    pub fn exported(&self, found: &Value) -> Result<IndexMap<String, Value>, String> {
        let exports = self.exports.iter();
        exports
            .map(|(name, export)| match export.value(found) {
                Ok(value) => Ok((name.clone(), value)),
                Err(problem) => Err(format!("the export `{name}` {problem}")),
            })
            .collect()
    }
}

impl DataSourceExport {
    /// The value in what was found.
    ///
    /// # Errors
    /// What goes on after "the export `name`": that it is not there, or of another type. Never its content.
    fn value(&self, found: &Value) -> Result<Value, String> {
        let value = self
            .field
            .of(found)
            .map_err(|problem| format!("has no value at `{}`: {problem}", self.field))?;
        if !self.kind.admits(&value) {
            let (declared, noun) = (self.kind, value.kind.noun());
            return Err(format!(
                "is declared as `{declared}`, but `{}` is {noun}",
                self.field
            ));
        }
        let Kind::List(items) = &value.kind else {
            return Ok(value);
        };
        match is_uniform(items) {
            true => Ok(value),
            false => Err(format!(
                "is an array of scalars of one type, but `{}` is {}",
                self.field,
                noun(&value)
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, check, evaluate};
    use serde_json::json;

    struct Nothing;

    impl crate::Scope for Nothing {
        fn resolve(&self, _: &crate::Reference) -> Result<Value, String> {
            Ok(Value::unknown().into_secret())
        }
    }

    fn network(filter: &str) -> (DataSource, Value) {
        let text = format!(
            "
version: 2023-04-20
variables: {{stage: {{type: string, secret: true}}}}
resources: {{queue: {{type: aws/sqs/queue}}}}
datasources:
  network:
    type: aws/vpc
    filter: {filter}
    exports:
      vpc: {{type: string, aliasFor: vpcId}}
      subnets: {{type: array}}
      metadata.name: {{type: string}}
      zone: {{type: string, aliasFor: 'details[].zone'}}
"
        );
        let checked = check(&Source::new("a.yaml", text));
        let blueprint = checked
            .blueprint
            .unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let network = blueprint.data_sources["network"].clone();
        let search = evaluate(&network.filter.search, &Nothing).unwrap();
        (network, search)
    }

    fn candidates() -> Vec<Value> {
        let network = |id: &str, stage: &str| {
            json!({
                "vpcId": id,
                "subnets": ["a", "b"],
                "tags": {"stage": stage},
                "metadata": {"name": "main"},
                "details": [{"zone": "eu-west-1a"}, {"zone": "eu-west-1b"}]
            })
        };
        [
            json!({"vpcId": "vpc-0"}),
            network("vpc-1", "dev"),
            network("vpc-2", "prod"),
            network("vpc-3", "prod"),
        ]
        .iter()
        .map(Value::from_json)
        .collect()
    }

    #[track_caller]
    fn check_selected(filter: &str, expected: &str) {
        let (network, search) = network(filter);
        let candidates = candidates();
        let found = match network.select(&search, &candidates) {
            Ok(Selected::First(candidate, secret)) => {
                let id = candidate.to_json()["vpcId"].as_str().unwrap().to_owned();
                if secret { format!("{id} by a secret") } else { id }
            }
            Ok(Selected::NotKnown) => "not known".to_owned(),
            Ok(Selected::Nothing { without_field }) => format!("nothing, {without_field} without"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{filter}");
    }

    #[test]
    fn the_first_match_wins() {
        check_selected("{field: tags.stage, operator: '=', search: prod}", "vpc-2");
        check_selected("{field: tags.stage, operator: '!=', search: prod}", "vpc-1");
        check_selected("{field: vpcId, operator: starts with, search: vpc-}", "vpc-0");
        check_selected(
            "{field: 'details[].zone', operator: in, search: [eu-west-1a]}",
            "vpc-1",
        );
        check_selected("{field: tags, operator: not has key, search: owner}", "vpc-1");
        check_selected(
            "{field: tags.stage, operator: '=', search: test}",
            "nothing, 1 without",
        );
        check_selected(
            "{field: tgas, operator: not has key, search: x}",
            "nothing, 4 without",
        );
        check_selected(
            "{field: tags.stage, operator: '=', search: \"${variables.stage}\"}",
            "not known",
        );
        check_selected(
            "{field: tags, operator: '=', search: prod}",
            "`=` compares two scalars, or two lists of scalars, of one type; the field is a map of strings, and the \
             search value is a string",
        );
    }

    #[test]
    fn a_secret_that_decides_is_told() {
        let (network, _) = network("{field: tags.stage, operator: '=', search: x}");
        let candidates = candidates();
        let search = Value::string("prod").into_secret();
        let found = network.select(&search, &candidates).unwrap();
        assert!(matches!(found, Selected::First(_, true)));
    }

    #[test]
    fn exports_are_read_and_their_types_hold() {
        let (network, _) = network("{field: vpcId, operator: '=', search: x}");
        let exported = network.exported(&candidates()[1]).unwrap();
        let exported: serde_json::Map<_, _> = exported
            .iter()
            .map(|(name, value)| (name.clone(), value.to_json()))
            .collect();
        assert_eq!(
            serde_json::Value::from(exported),
            json!({"vpc": "vpc-1", "subnets": ["a", "b"], "metadata.name": "main", "zone": "eu-west-1a"})
        );
        for (candidate, expected) in [
            (
                json!({}),
                "the export `vpc` has no value at `vpcId`: there is no `vpcId`",
            ),
            (
                json!({"vpcId": 5}),
                "the export `vpc` is declared as `string`, but `vpcId` is a number",
            ),
            (
                json!({"vpcId": "x", "subnets": "a"}),
                "the export `subnets` is declared as `array`, but `subnets` is a string",
            ),
            (
                json!({"vpcId": "x", "subnets": ["a", {"id": "b"}]}),
                "the export `subnets` is an array of scalars of one type, but `subnets` is a list that holds more than scalars",
            ),
        ] {
            let error = network.exported(&Value::from_json(&candidate)).unwrap_err();
            assert_eq!(error, expected);
        }
        // What lies in something secret is secret.
        let found = candidates().remove(1).into_secret();
        assert!(network.exported(&found).unwrap()["zone"].secret);
    }
}
