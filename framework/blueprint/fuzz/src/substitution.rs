//! Texts with substitutions: what can be read can be written and read again.

use super::findings;
use super::scopes::Echo;
use formwork_blueprint::{Format, Source, Template, evaluate};

/// Reads a text; if it can be read, writes it and reads it again.
///
/// # Panics
/// Where a promise is broken.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(findings) => {
            let source = Source::with_format("fuzzed", text, Format::Yaml);
            return findings::hold(&findings, &source);
        }
    };
    let written = template
        .to_text()
        .unwrap_or_else(|| panic!("a text is a text: {template:?}"));
    let again = Template::parse(&written)
        .unwrap_or_else(|findings| panic!("{text:?} is written as {written:?}: {findings:#?}"));
    assert_eq!(again.to_text().as_deref(), Some(written.as_str()), "of {text:?}");
    let names = |template: &Template| -> Vec<String> {
        template
            .references()
            .iter()
            .map(|(reference, _)| reference.to_string())
            .collect()
    };
    assert_eq!(names(&template), names(&again), "{text:?} and {written:?}");
    for (reference, span) in template.references() {
        let written = text
            .get(span.start..span.end)
            .unwrap_or_else(|| panic!("{span:?} of {text:?}"));
        assert!(
            written.contains(last_name(&reference.to_string())),
            "{span:?} of {text:?}"
        );
    }
    match (evaluate(&template, &Echo), evaluate(&again, &Echo)) {
        (Ok(first), Ok(second)) => assert_eq!(first.to_json(), second.to_json(), "of {text:?}"),
        (Err(first), Err(second)) => {
            findings::hold_error(&first, text);
            assert_eq!(
                (first.code, first.message),
                (second.code, second.message),
                "of {text:?}"
            );
        }
        (first, second) => panic!("{text:?} is {first:?}, {written:?} is {second:?}"),
    }
}

/// The root's name without its section, which need not be written.
fn last_name(reference: &str) -> &str {
    let start = reference.find(['.', '[']).map_or(0, |at| at + 1);
    let rest = reference.get(start..).unwrap_or_default().trim_start_matches('"');
    rest.split(['.', '[', '"']).next().unwrap_or_default()
}
