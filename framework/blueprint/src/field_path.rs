//! Paths into what is looked up outside of the blueprint.

use crate::spelling::shown;
use crate::{Segment, Value};
use std::fmt;

/// A field of something outside, by its path: `vpcId`, `metadata.name`, `subnets[].availabilityZone`,
/// `tags["aws:cloudformation:stack-name"]`.
///
/// ```
/// use formwork_blueprint::{FieldPath, Value};
///
/// let path = FieldPath::parse("subnets[].zone").expect("a path");
/// let network = serde_json::json!({"subnets": [{"zone": "eu-west-1a"}, {"zone": "eu-west-1b"}]});
/// assert_eq!(path.of(&Value::from_json(&network)), Ok(Value::string("eu-west-1a")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    text: String,
    segments: Vec<Segment>,
}

impl FieldPath {
    /// Reads a path: a name, then `.name`, `["name"]`, `[index]` or `[]`, which is `[0]`. A name ends at `.`
    /// or `[`; in quotes it may hold any character but the quote.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(text: &str) -> Result<FieldPath, String> {
        let mut segments = Vec::new();
        let mut rest = text;
        while segments.is_empty() || !rest.is_empty() {
            let (segment, after) = match (rest.strip_prefix('['), segments.is_empty()) {
                (Some(_), true) => return Err("a path starts with a name".to_owned()),
                (Some(accessor), false) => bracketed(accessor)?,
                (None, true) => named(rest)?,
                (None, false) => match rest.strip_prefix('.') {
                    Some(name) => named(name)?,
                    None => return Err(format!("expected `.` or `[` before `{}`", shown(rest))),
                },
            };
            segments.push(segment);
            rest = after;
        }
        Ok(FieldPath {
            text: text.to_owned(),
            segments,
        })
    }

    /// Its steps.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The field of a value. What lies beyond something unknown is unknown, and what lies in something secret
    /// is secret.
    ///
    /// # Errors
    /// One line that says which step leads nowhere; it never contains the value's content.
    pub fn of(&self, value: &Value) -> Result<Value, String> {
        value.at(&self.segments)
    }
}

impl fmt::Display for FieldPath {
    /// As written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A name and what follows it.
fn named(text: &str) -> Result<(Segment, &str), String> {
    let foreign = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ']' | '"' | '{' | '}' | '*');
    let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
    match name {
        "" => Err("a name is missing".to_owned()),
        name if name.contains(foreign) => Err(format!(
            "`{}` is not a name; quote names that hold other characters: `[\"...\"]`",
            shown(name)
        )),
        name => Ok((Segment::Name(name.to_owned()), rest)),
    }
}

/// What stands after `[`, and what follows its `]`.
fn bracketed(text: &str) -> Result<(Segment, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, rest) = quoted.split_once("\"]").ok_or("a quoted name ends with `\"]`")?;
        return Ok((Segment::Name(name.to_owned()), rest));
    }
    let (index, rest) = text.split_once(']').ok_or("`[` without its `]`")?;
    Ok((index_of(index)?, rest))
}

fn index_of(text: &str) -> Result<Segment, String> {
    match text {
        "" => Ok(Segment::Index(0)),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.parse() {
            Ok(index) => Ok(Segment::Index(index)),
            Err(_) => Err(format!("the index `{}` is too large", shown(digits))),
        },
        other => Err(format!(
            "`[{}]` is neither an index nor a quoted name",
            shown(other)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn path(text: &str, expected: &str) {
        let found = FieldPath::parse(text).map(|path| {
            let steps = path.segments().iter().map(|segment| match segment {
                Segment::Name(name) => format!("/{name}"),
                Segment::Index(index) => format!("#{index}"),
            });
            steps.collect::<String>()
        });
        assert_eq!(found.unwrap_or_else(|problem| problem), expected, "{text}");
    }

    #[test]
    fn paths_are_names_indexes_and_quoted_names() {
        path("vpcId", "/vpcId");
        path("metadata.name", "/metadata/name");
        path("subnets[].availabilityZone", "/subnets#0/availabilityZone");
        path("subnets[12][0]", "/subnets#12#0");
        path(r#"tags["aws:x.y"].value"#, "/tags/aws:x.y/value");
        path("tags.aws:created-by", "/tags/aws:created-by");
        path("", "a name is missing");
        path("a.", "a name is missing");
        path(".a", "a name is missing");
        path("a..b", "a name is missing");
        path("[0]", "a path starts with a name");
        path("a[0]b", "expected `.` or `[` before `b`");
        path("a[0", "`[` without its `]`");
        path("a[-1]", "`[-1]` is neither an index nor a quoted name");
        path("a[*].b", "`[*]` is neither an index nor a quoted name");
        path("a[\"b", "a quoted name ends with `\"]`");
        path(
            "a[99999999999999999999]",
            "the index `99999999999999999999` is too large",
        );
        path(
            "tag name",
            "`tag name` is not a name; quote names that hold other characters: `[\"...\"]`",
        );
    }
}
