//! What other languages write in `${...}`, and slips of ours: recognised to be explained.

/// What to do about a character that the grammar does not allow where it stands.
///
/// `inside` is what stands between `${` and that character, `rest` begins with it, and `expected` is what the
/// grammar has there.
pub(super) fn advice(inside: &str, rest: &str, expected: &str) -> Option<String> {
    let found = rest.chars().next()?;
    let first = inside.trim().is_empty();
    let text = match (found, expected) {
        (':', _) => return Some(colon(inside, rest)),
        ('$', "`}`") => "close the substitution before with `}`",
        ('{', _) if first => "one brace is enough: `${variables.name}`",
        ('[', _) if first => "there are no lists in substitutions: `jsondecode(\"[1, 2]\")` makes one",
        ('.', _) if first => "a reference begins with a name",
        ('=', "`,` or `)`") => "arguments have no names, only their order counts",
        ('*', INDEX) => "one item at a time: `[0]` is the first",
        ('-', INDEX) => "items are counted from the first, which is `[0]`",
        ('\'', INDEX) => "use double quotes: `[\"name\"]`",
        ('}', INDEX) => "close it with `]`",
        ('$' | 'a'..='z' | 'A'..='Z' | '_', INDEX) => {
            "an index is a number, and a name stands in double quotes"
        }
        ('.', "`]`") => "an index is an integer",
        ('}', "`,` or `)`" | "an argument") => "close the call with `)`",
        (')', VALUE) if inside.trim_end().ends_with(',') => "remove the comma",
        (' ' | '\t' | '\n', NAME) => "a reference has no white space in it",
        ('}', NAME) => "go on with a name, or remove the dot",
        ('.', NAME) => "one dot is enough",
        ('+' | '*' | '/' | '%' | '=' | '<' | '>' | '!' | '?' | '|' | '&' | '-', _) => {
            "substitutions have no operators"
        }
        ('.' | '[', _) if inside.ends_with(')') => {
            "fields of a result are out of reach: use `fromjson(text, \"/field\")`"
        }
        ('(', _) if is_spaced_call(inside) => "no white space may stand between a function's name and `(`",
        ('(', _) => "only functions can be called, by their name",
        (_, "`}`") if found.is_ascii_alphanumeric() || matches!(found, '_' | '"') => {
            "one substitution has one value: write `${a}${b}` for two"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// A plain name and white space, before a `(`.
fn is_spaced_call(inside: &str) -> bool {
    let name = inside.trim_end();
    let name = name.rsplit(['(', ',', ' ']).next().unwrap_or(name);
    inside.ends_with(char::is_whitespace) && super::expression::is_name(name)
}

/// What the parser expects after `[, where a value begins, and after `.`.
pub(super) const INDEX: &str = "an index, a name in double quotes or `]`";
pub(super) const VALUE: &str = "a reference, a function or a literal";
pub(super) const NAME: &str = "a name after `.`";

/// `${AWS::Region}`, `${aws:username}`, `${STAGE:-dev}`, `${env:STAGE}`.
fn colon(inside: &str, rest: &str) -> String {
    let scope = inside.trim();
    if rest.starts_with(":-") || rest.starts_with(":=") {
        return "a value for when none is given is the `default` of a variable".to_owned();
    }
    if rest.starts_with("::") && scope == "AWS" {
        return "CloudFormation's pseudo parameters are not known here: declare a variable and give it the value; \
                for a literal `${` write `$${`"
            .to_owned();
    }
    if matches!(scope, "env" | "ENV") {
        return "the environment is not read: declare a variable and give it the value".to_owned();
    }
    let end = rest.find('}').unwrap_or(rest.len());
    let whole = format!("{inside}{}", rest.get(..end).unwrap_or_default());
    format!("for a literal `${{{whole}}}`, such as IAM's policy variables, write `$${{{whole}}}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_lead_to_what_there_is() {
        for (inside, rest, expected, help) in [
            ("AWS", "::Region}", "`}`", "declare a variable"),
            ("aws", ":username}/*", "`}`", "write `$${aws:username}`"),
            ("variables.stage", ":-dev}", "`}`", "`default`"),
            ("env", ":STAGE}", "`}`", "environment"),
            ("", "{ variables.a }}", VALUE, "one brace"),
            ("queue.state.list[", "*]}", INDEX, "`[0]`"),
            ("a ", "+ b}", "`}`", "no operators"),
            ("jsondecode(a)", ".b}", "`}`", "out of reach"),
            ("trim(a,", ")}", VALUE, "comma"),
            ("trim ", "(a)}", "`}`", "white space"),
            ("len(trim\t", "(a)}", "`,` or `)`", "white space"),
            ("a.b ", "(a)}", "`}`", "only functions"),
        ] {
            let found = advice(inside, rest, expected).unwrap();
            assert!(found.contains(help), "{inside}{rest}: {found}");
        }
        assert_eq!(advice("a", "\u{e9}", "`}`"), None);
    }
}
