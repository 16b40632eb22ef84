//! Custom variable types: enumerations whose labels stand for values.
//!
//! The ones of AWS ship with the language, as sorted constants: nothing is parsed before it is asked for.
//! Further ones join through [`Enumerations::with`].

mod labels;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A custom variable type: labels to choose from, each with the value that it stands for.
///
/// ```
/// use formwork_blueprint::Enumeration;
///
/// let stages = Enumeration::new("acme/stage", [("development", "dev"), ("production", "prod")]);
/// assert_eq!(stages.value("production"), Some("prod"));
/// assert_eq!(stages.value("prod"), None);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Enumeration {
    name: Arc<str>,
    labels: Labels,
}

#[derive(Clone, PartialEq, Eq)]
enum Labels {
    /// INVARIANT (sorted labels): in ascending order of bytes. Every label is its own value.
    Fixed(&'static [&'static str]),
    Given(Arc<BTreeMap<String, String>>),
}

impl Enumeration {
    /// A type with these labels and values. A name is `provider/type`, such as `aws/region`.
    pub fn new<L, V>(name: &str, labels: impl IntoIterator<Item = (L, V)>) -> Self
    where
        L: Into<String>,
        V: Into<String>,
    {
        let labels = labels
            .into_iter()
            .map(|(label, value)| (label.into(), value.into()));
        Enumeration {
            name: name.into(),
            labels: Labels::Given(Arc::new(labels.collect())),
        }
    }

    /// The name of the type, as variables declare it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a label stands for.
    pub fn value(&self, label: &str) -> Option<&str> {
        match &self.labels {
            Labels::Fixed(labels) => {
                let index = labels.binary_search(&label).ok()?;
                labels.get(index).copied()
            }
            Labels::Given(labels) => labels.get(label).map(String::as_str),
        }
    }

    /// Every label, sorted.
    pub fn labels(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.labels {
            Labels::Fixed(labels) => Box::new(labels.iter().copied()),
            Labels::Given(labels) => Box::new(labels.keys().map(String::as_str)),
        }
    }
}

impl fmt::Debug for Enumeration {
    /// The name alone: some have a thousand labels.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The custom variable types that blueprints may use: those that ship with the language, and further ones.
#[derive(Debug, Clone, Default)]
pub struct Enumerations {
    further: Vec<Enumeration>,
}

impl Enumerations {
    /// Adds a type. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, enumeration: Enumeration) -> Self {
        self.further.retain(|known| known.name != enumeration.name);
        self.further.push(enumeration);
        self
    }

    /// The type of that name.
    pub fn find(&self, name: &str) -> Option<Enumeration> {
        let further = self.further.iter().find(|known| &*known.name == name);
        further.cloned().or_else(|| {
            let index = labels::TYPES
                .binary_search_by(|(known, _)| known.cmp(&name))
                .ok()?;
            labels::TYPES.get(index).map(|(name, labels)| Enumeration {
                name: (*name).into(),
                labels: Labels::Fixed(labels),
            })
        })
    }

    /// The names of all types, sorted.
    pub fn names(&self) -> Vec<&str> {
        let core = labels::TYPES.iter().map(|(name, _)| *name);
        let mut names: Vec<&str> = core.chain(self.further.iter().map(Enumeration::name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_sorted_and_complete() {
        assert!(labels::TYPES.is_sorted_by(|(left, _), (right, _)| left < right));
        for (name, labels) in labels::TYPES {
            assert!(
                !labels.is_empty() && labels.is_sorted_by(|left, right| left < right),
                "{name}"
            );
        }
        let all = Enumerations::default();
        for (name, label) in [
            ("aws/region", "eu-west-1"),
            ("aws/region", "us-gov-west-1"),
            ("aws/ec2/instanceSize", "t3.micro"),
            ("aws/ec2/instanceType", "m7g.large"),
            ("aws/lambda/runtime", "provided.al2023"),
            ("aws/lambda/architecture", "arm64"),
            ("aws/dynamodb/billingMode", "PAY_PER_REQUEST"),
            ("aws/logs/retentionInDays", "30"),
        ] {
            assert_eq!(all.find(name).unwrap().value(label), Some(label), "{name}");
        }
        let regions = all.find("aws/region").unwrap();
        for other in ["", "eu-west", "aws-global", "EU-WEST-1", "zz"] {
            assert_eq!(regions.value(other), None, "{other}");
        }
        assert!(all.find("aws/regions").is_none());
    }

    #[test]
    fn further_types_join_and_win() {
        let stages = Enumeration::new("acme/stage", [("production", "prod")]);
        let mine = Enumeration::new("aws/region", [("home", "eu-central-1")]);
        let all = Enumerations::default().with(stages).with(mine);
        assert_eq!(all.find("acme/stage").unwrap().value("production"), Some("prod"));
        assert_eq!(
            all.find("aws/region").unwrap().labels().collect::<Vec<_>>(),
            ["home"]
        );
        assert_eq!(
            all.names().iter().filter(|name| **name == "aws/region").count(),
            1
        );
        assert!(all.names().is_sorted());
    }
}
