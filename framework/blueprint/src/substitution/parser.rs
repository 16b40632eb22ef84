//! Recursive descent over the grammar of the specification ("Substitution Grammar").
//!
//! ```text
//! substitution = call | reference | literal
//! call         = name "(" [ substitution { "," substitution } ] ")"
//! reference    = name { accessor }            variables, resources, datasources and children need one
//! accessor     = "." name | "[" '"' name in quotes '"' "]" | "[" [ digits ] "]"
//! literal      = true | false | number | string
//! ```
//!
//! White space may stand around substitutions, not within references. How many accessors a reference may
//! have depends on what it refers to: that is checked with the names (`check::references`).

use super::strangers::{self, INDEX, NAME, VALUE};
use super::{Call, Expression, Literal, Reference, Root, Segment};
use crate::spelling::shown;
use crate::syntax::Positions;
use crate::{Diagnostic, codes};

/// How deep calls may be nested.
pub(crate) const MAX_CALL_DEPTH: usize = 32;
/// How long one substitution may be.
pub(crate) const MAX_EXPRESSION_BYTES: usize = 64 * 1024;

/// Where parsing stopped and why.
pub(super) struct Failure {
    pub(super) finding: Box<Diagnostic>,
    pub(super) at: usize,
    /// The text ended inside a string literal.
    pub(super) in_string: bool,
}

type Parsed<T> = Result<T, Failure>;

/// A parser over one scalar's text. Offsets are bytes of that text; spans are bytes of the source.
pub(super) struct Parser<'a> {
    text: &'a str,
    positions: &'a Positions,
    pub(super) at: usize,
    depth: usize,
}

/// Parses a text that is a reference and nothing else, as exports have.
pub(crate) fn parse_reference(text: &str, positions: &Positions) -> Result<Reference, Box<Diagnostic>> {
    let mut parser = Parser::new(text, positions, 0);
    let parsed = parser
        .substitution()
        .and_then(|expression| parser.end().map(|()| expression));
    let finding = match parsed {
        Ok(Expression::Reference(reference)) => return Ok(reference),
        Ok(Expression::Call(call)) => {
            let message = "functions are allowed inside `${...}` only";
            Diagnostic::error(codes::NOT_A_REFERENCE, call.span, message)
        }
        Ok(Expression::Literal(_, span)) => {
            let message = format!("expected a reference, found `{text}`");
            Diagnostic::error(codes::NOT_A_REFERENCE, span, message)
        }
        Err(failure) => *failure.finding,
    };
    Err(Box::new(
        finding.help("give a reference such as `resources.queue.state.arn`"),
    ))
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, positions: &'a Positions, at: usize) -> Self {
        Parser {
            text,
            positions,
            at,
            depth: 0,
        }
    }

    pub(super) fn substitution(&mut self) -> Parsed<Expression> {
        self.skip_space();
        let start = self.at;
        let expression = match self.peek() {
            Some('"') => Expression::Literal(
                Literal::String(self.string()?),
                self.positions.span(start, self.at),
            ),
            Some(first) if first == '-' || first.is_ascii_digit() => self.number()?,
            Some(first) if first.is_ascii_alphabetic() || first == '_' => self.named()?,
            Some('}') | None if self.depth > 0 => return Err(self.unexpected("an argument")),
            Some('}') | None => return Err(self.empty()),
            Some('$') => {
                let message = "a substitution inside a substitution";
                let help = "inside `${...}` references stand as they are: `${trim(variables.name)}`";
                return Err(self.failure(codes::UNEXPECTED_IN_SUBSTITUTION, message, help));
            }
            Some('\'') => {
                let message = "expected a value, found `'`";
                let help = "put text in double quotes";
                return Err(self.failure(codes::UNEXPECTED_IN_SUBSTITUTION, message, help));
            }
            Some(_) => return Err(self.unexpected(VALUE)),
        };
        self.skip_space();
        Ok(expression)
    }

    /// Nothing may follow.
    fn end(&mut self) -> Parsed<()> {
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the reference"))
        }
    }

    pub(super) fn close(&mut self) -> Parsed<()> {
        if self.eat('}') {
            Ok(())
        } else {
            Err(self.unexpected("`}`"))
        }
    }

    fn named(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let name = self.name();
        if self.peek() == Some('(') {
            return self.call(name.to_owned(), start);
        }
        if let Ok(bool) = name.parse() {
            return Ok(Expression::Literal(
                Literal::Bool(bool),
                self.positions.span(start, self.at),
            ));
        }
        let root: fn(String) -> Root = match name {
            "variables" => Root::Variable,
            "resources" => Root::Resource,
            "datasources" => Root::DataSource,
            "children" => Root::Child,
            _ => {
                let path = self.path()?;
                let span = self.positions.span(start, self.at);
                return Ok(Expression::Reference(Reference {
                    root: Root::Resource(name.to_owned()),
                    path,
                    span,
                }));
            }
        };
        match self.accessor()? {
            Some(Segment::Name(named)) => {
                let path = self.path()?;
                let span = self.positions.span(start, self.at);
                Ok(Expression::Reference(Reference {
                    root: root(named),
                    path,
                    span,
                }))
            }
            _ => {
                let span = self.positions.span(start, self.at);
                let message = format!("expected a name after `{name}`");
                let finding = Diagnostic::error(codes::INCOMPLETE_REFERENCE, span, message);
                let finding = Box::new(finding.help(format!("write `{name}.` and the name of one of them")));
                Err(Failure {
                    finding,
                    at: self.at,
                    in_string: false,
                })
            }
        }
    }

    fn call(&mut self, name: String, start: usize) -> Parsed<Expression> {
        let name_span = self.positions.span(start, self.at);
        self.depth += 1;
        if self.depth > MAX_CALL_DEPTH {
            let message = format!("function calls nested more than {MAX_CALL_DEPTH} deep");
            return Err(self.failure(codes::SUBSTITUTION_TOO_DEEP, message, "split it up"));
        }
        self.eat('(');
        let mut arguments = Vec::new();
        self.skip_space();
        if !self.eat(')') {
            loop {
                arguments.push(self.substitution()?);
                if self.eat(')') {
                    break;
                }
                if !self.eat(',') {
                    return Err(self.unexpected("`,` or `)`"));
                }
            }
        }
        self.depth -= 1;
        let span = self.positions.span(start, self.at);
        Ok(Expression::Call(Call {
            name,
            name_span,
            arguments,
            span,
        }))
    }

    fn path(&mut self) -> Parsed<Vec<Segment>> {
        let mut path = Vec::new();
        while let Some(segment) = self.accessor()? {
            path.push(segment);
        }
        Ok(path)
    }

    fn accessor(&mut self) -> Parsed<Option<Segment>> {
        if self.eat('.') {
            return match self.peek() {
                Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                    Ok(Some(Segment::Name(self.name().to_owned())))
                }
                Some(first) if first.is_ascii_digit() => {
                    let message = "expected a name after `.`, found a number";
                    Err(self.failure(
                        codes::UNEXPECTED_IN_SUBSTITUTION,
                        message,
                        "write an index as `[0]`",
                    ))
                }
                _ => Err(self.unexpected(NAME)),
            };
        }
        if !self.eat('[') {
            return Ok(None);
        }
        let segment = match self.peek() {
            Some('"') => self.quoted_name()?,
            Some(']') => Segment::Index(0),
            Some(first) if first.is_ascii_digit() => self.index()?,
            _ => return Err(self.unexpected(INDEX)),
        };
        if self.eat(']') {
            Ok(Some(segment))
        } else {
            Err(self.unexpected("`]`"))
        }
    }

    fn quoted_name(&mut self) -> Parsed<Segment> {
        let start = self.at;
        let name = self.string()?;
        if super::is_quoted_name(&name) {
            return Ok(Segment::Name(name));
        }
        self.at = start;
        let message = format!("`{}` is not a name", shown(&name));
        let help = "a name in quotes has letters, digits, `_`, `-` and `.`";
        Err(self.failure(codes::UNEXPECTED_IN_SUBSTITUTION, message, help))
    }

    fn index(&mut self) -> Parsed<Segment> {
        let start = self.at;
        let digits = self.digits();
        digits.parse().map(Segment::Index).map_err(|_| {
            self.at = start;
            let message = format!("the index `{digits}` is too large");
            self.failure(
                codes::UNEXPECTED_IN_SUBSTITUTION,
                message,
                "an index counts the items of a list from 0",
            )
        })
    }

    fn number(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let sign = if self.eat('-') { "-" } else { "" };
        let whole = self.digits();
        let mut canonical = format!("{sign}{}", without_leading_zeros(whole));
        let mut complete = !whole.is_empty();
        if complete && self.eat('.') {
            let fraction = self.digits();
            complete = !fraction.is_empty();
            canonical = format!("{canonical}.{fraction}");
        }
        match serde_json::from_str(&canonical) {
            Ok(number) if complete => Ok(Expression::Literal(
                Literal::Number(number),
                self.positions.span(start, self.at),
            )),
            _ => Err(self.unexpected("a digit")),
        }
    }

    /// A string literal: `\"` stands for a quote, every other character for itself.
    fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        self.eat('"');
        let mut text = String::new();
        while let Some(character) = self.peek() {
            if self.rest().starts_with("\\\"") {
                text.push('"');
                self.at += 2;
                continue;
            }
            self.at += character.len_utf8();
            if character == '"' {
                return Ok(text);
            }
            text.push(character);
        }
        let span = self.positions.span(start, start + 1);
        let message = "a string literal that is not closed";
        let help = match text.trim_end_matches(['}', ')', ' ']).ends_with('"') {
            // `"C:\"`: the quote that looks like the end is part of the string.
            true => "`\\\"` stands for a quote inside the string, so that a string cannot end in a backslash",
            false => "close it with `\"`",
        };
        let finding = Diagnostic::error(codes::UNCLOSED_STRING, span, message).help(help);
        Err(Failure {
            finding: Box::new(finding),
            at: self.at,
            in_string: true,
        })
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let length = rest.as_bytes().iter().take_while(|byte| part(byte)).count();
        self.take(length)
    }

    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit());
        self.take(end.unwrap_or(rest.len()))
    }

    fn take(&mut self, length: usize) -> &'a str {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        if found {
            self.at += character.len_utf8();
        }
        found
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn failure<'h>(
        &self,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<Option<&'h str>>,
    ) -> Failure {
        let width = self.peek().map_or(0, char::len_utf8);
        let span = self.positions.span(self.at, self.at + width);
        let finding = Diagnostic::error(code, span, message).help_if(help.into().map(str::to_owned));
        Failure {
            finding: Box::new(finding),
            at: self.at,
            in_string: false,
        }
    }

    fn empty(&self) -> Failure {
        let message = "expected a reference, a function or a literal, found nothing";
        self.failure(
            codes::EMPTY_SUBSTITUTION,
            message,
            "write `$${` for a literal `${`",
        )
    }

    fn unexpected(&self, expected: &str) -> Failure {
        let code = codes::UNEXPECTED_IN_SUBSTITUTION;
        let Some(found) = self.peek() else {
            return self.failure(
                code,
                format!("expected {expected}, found the end of the text"),
                None,
            );
        };
        let message = format!(
            "expected {expected}, found `{}`",
            shown(found.encode_utf8(&mut [0; 4]))
        );
        let before = self.text.get(..self.at).unwrap_or_default();
        let inside = before.rsplit_once("${").map_or(before, |(_, inside)| inside);
        let help = strangers::advice(inside, self.rest(), expected);
        self.failure(code, message, help.as_deref())
    }
}

fn without_leading_zeros(digits: &str) -> &str {
    let stripped = digits.trim_start_matches('0');
    if stripped.is_empty() && !digits.is_empty() {
        "0"
    } else {
        stripped
    }
}
