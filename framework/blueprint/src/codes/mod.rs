//! The registry of codes: every finding has one, with a sentence and an example.
//!
//! Codes are promises: scripts and documentation refer to them. [`ALL`] lists them in reading order.
//!
//! ```
//! use formwork_blueprint::codes;
//!
//! let code = codes::find("self-reference").expect("a registered code");
//! assert_eq!(code.explanation, "a resource refers to itself");
//! ```

mod children;
mod evaluation;
mod example;
mod places;
mod references;
mod sections;
mod syntax;

pub use children::*;
pub use evaluation::*;
pub use places::*;
pub use references::*;
pub use sections::*;
pub use syntax::*;

/// One code of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code, as scripts see it: `unknown-key`.
    pub name: &'static str,
    /// What it means, in one line.
    pub explanation: &'static str,
    /// What to do about it, in a sentence or two.
    pub advice: &'static str,
    /// A document, or the part of one that matters, that leads to it and to nothing else: see
    /// [`Code::document`].
    pub example: &'static str,
    /// What the example needs besides, if only a run leads to the code.
    pub run: Option<Run>,
}

/// What a run of an example begins with, as JSON objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The values given for variables, by name.
    pub variables: &'static str,
    /// What is deployed, by resource: `{"queue": {"state": {...}}}`.
    pub resources: &'static str,
}

/// Codes that are about the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// What they are about, as a heading.
    pub title: &'static str,
    /// The codes, in reading order.
    pub codes: &'static [Code],
}

/// Every code of the language, in reading order.
pub const ALL: &[Group] = &[
    Group {
        title: "The text",
        codes: syntax::SYNTAX,
    },
    Group {
        title: "Sections",
        codes: sections::SECTIONS,
    },
    Group {
        title: "Where substitutions may stand",
        codes: places::PLACES,
    },
    Group {
        title: "What stands in `${...}`",
        codes: references::REFERENCES,
    },
    Group {
        title: "Children",
        codes: children::CHILDREN,
    },
    Group {
        title: "Values",
        codes: evaluation::EVALUATION,
    },
];

/// The code of that name.
pub fn find(name: &str) -> Option<&'static Code> {
    all().find(|code| code.name == name)
}

/// Every code, group after group.
pub fn all() -> impl Iterator<Item = &'static Code> {
    ALL.iter().flat_map(|group| group.codes)
}

/// Defines the codes of a group: a constant for each, and the list of them all.
///
/// A row is the name, the explanation, the example and the advice; for what only a run leads to also
/// `given` with values for variables and `deployed` with resources.
macro_rules! codes {
    ($group:ident: $(
        $constant:ident = $name:literal, $explanation:literal, $example:literal
            $(, $advice:literal)? $(, given $given:literal)? $(, deployed $deployed:literal)?;
    )*) => {
        $(#[doc = concat!("`", $name, "`: ", $explanation)] pub const $constant: &str = $name;)*
        pub(super) const $group: &[super::Code] = &[
            $(super::Code {
                name: $name,
                explanation: $explanation,
                advice: concat!($($advice)?),
                example: $example,
                run: super::run(concat!($($given)?), concat!($($deployed)?)),
            },)*
        ];
    };
}
use codes;

const fn run(variables: &'static str, resources: &'static str) -> Option<Run> {
    if variables.is_empty() && resources.is_empty() {
        None
    } else {
        Some(Run { variables, resources })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_example_leads_to_its_code_and_to_no_other() {
        let mut wrong = Vec::new();
        for code in all() {
            let (source, findings) = code.findings();
            let found: BTreeSet<&str> = findings.iter().map(|finding| finding.code).collect();
            let alone = found.len() == 1 || code.name == TOO_MANY_FINDINGS;
            if !found.contains(code.name) || !alone {
                let text: String = source.text().chars().take(1_000).collect();
                wrong.push(format!("{}: found {found:?} in\n{text}", code.name));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn codes_are_unique_and_read_well() {
        let mut names: Vec<&str> = all().map(|code| code.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for code in all() {
            let well = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(code.name.chars().all(well), "{}", code.name);
            assert!(
                !code.explanation.ends_with('.') && !code.explanation.contains('\n'),
                "{}",
                code.name
            );
            assert!(code.advice.ends_with('.'), "{} has no advice", code.name);
            assert_eq!(find(code.name), Some(code));
        }
    }
}
