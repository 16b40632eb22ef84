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

mod evaluation;
mod places;
mod references;
mod sections;
mod syntax;

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
    /// A document, or the part of one that matters, that leads to it. Empty where only a run does.
    pub example: &'static str,
}

/// Every code, grouped by what it is about.
pub const ALL: &[&[Code]] = &[
    syntax::SYNTAX,
    sections::SECTIONS,
    places::PLACES,
    references::REFERENCES,
    evaluation::EVALUATION,
];

/// The code of that name.
pub fn find(name: &str) -> Option<&'static Code> {
    ALL.iter()
        .flat_map(|group| group.iter())
        .find(|code| code.name == name)
}

/// Defines the codes of a group: a constant for each, and the list of them all.
macro_rules! codes {
    ($group:ident: $($constant:ident = $name:literal, $explanation:literal, $example:expr;)*) => {
        $(#[doc = concat!("`", $name, "`: ", $explanation)] pub const $constant: &str = $name;)*
        pub(super) const $group: &[super::Code] = &[
            $(super::Code { name: $name, explanation: $explanation, example: $example },)*
        ];
    };
}
use codes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Source, check};

    /// Examples show the part that matters: the rest is completed here.
    fn complete(example: &str) -> String {
        if example.starts_with('{') || example.contains("version") {
            return example.to_owned();
        }
        let resources = if example.contains("resources:") || example.contains("include:") {
            ""
        } else {
            "\nresources: {queue: {type: aws/sqs/queue}}"
        };
        format!("version: 2023-04-20\n{example}{resources}\n")
    }

    #[test]
    fn every_example_leads_to_its_code() {
        for code in ALL
            .iter()
            .flat_map(|group| group.iter())
            .filter(|code| !code.example.is_empty())
        {
            let format = if code.example.starts_with('{') {
                Format::Json
            } else {
                Format::Yaml
            };
            let source = Source::with_format("example", complete(code.example), format);
            let found: Vec<&str> = check(&source)
                .diagnostics
                .iter()
                .map(|finding| finding.code)
                .collect();
            assert!(
                found.contains(&code.name),
                "{} is not among {found:?} of\n{}",
                code.name,
                source.text()
            );
        }
    }

    #[test]
    fn codes_are_unique_and_read_well() {
        let mut names: Vec<&str> = ALL
            .iter()
            .flat_map(|group| group.iter())
            .map(|code| code.name)
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for code in ALL.iter().flat_map(|group| group.iter()) {
            let well = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(code.name.chars().all(well), "{}", code.name);
            assert!(
                !code.explanation.ends_with('.') && !code.explanation.contains('\n'),
                "{}",
                code.name
            );
            assert_eq!(find(code.name), Some(code));
        }
    }
}
