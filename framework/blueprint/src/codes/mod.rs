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
    /// What to do about it, in a sentence or two.
    pub advice: &'static str,
    /// A document, or the part of one that matters, that leads to it: see [`Code::document`].
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

impl Code {
    /// The example as a whole document: with a version, with a resource if it has none, and with every
    /// `«text×n»` replaced by that text, n times.
    pub fn document(&self) -> String {
        let example = repeated(self.example);
        if example.starts_with('{') || example.contains("version") {
            return example;
        }
        let resources = if example.contains("resources:") || example.contains("include:") {
            ""
        } else {
            "\nresources: {queue: {type: aws/sqs/queue}}"
        };
        format!("version: 2023-04-20\n{example}{resources}\n")
    }
}

fn repeated(example: &str) -> String {
    let mut out = String::new();
    let mut rest = example;
    while let Some((before, (text, times), after)) = repetition(rest) {
        out.push_str(before);
        out.push_str(&text.repeat(times));
        rest = after;
    }
    out + rest
}

/// What stands before the first repetition, the repetition, and what stands after it.
fn repetition(text: &str) -> Option<(&str, (&str, usize), &str)> {
    let (before, rest) = text.split_once('«')?;
    let (inside, after) = rest.split_once('»')?;
    let (unit, times) = inside.rsplit_once('×')?;
    Some((before, (unit, times.parse().ok()?), after))
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
    use crate::{Format, Source, check};

    #[test]
    fn every_example_leads_to_its_code() {
        for code in ALL
            .iter()
            .flat_map(|group| group.iter())
            .filter(|code| !code.example.is_empty() && code.run.is_none())
        {
            let format = if code.example.starts_with('{') {
                Format::Json
            } else {
                Format::Yaml
            };
            let source = Source::with_format("example", code.document(), format);
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
