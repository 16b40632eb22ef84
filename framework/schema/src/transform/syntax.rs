//! Reading property transforms: the part of JSONata that occurs in the official schemas.

use fancy_regex::Regex;
use serde_json::Number;
use std::iter::Peekable;
use std::str::Chars;

/// Nested deeper than this, an expression is none that a schema means.
const DEPTH_LIMIT: usize = 40;

/// One expression.
#[derive(Debug)]
pub(super) enum Expr {
    Text(String),
    Number(Number),
    Null,
    Flag(bool),
    Regex(Box<Regex>),
    /// A member of the context.
    Name(String),
    Variable(String),
    Member(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
    List(Vec<Expr>),
    Object(Vec<(Expr, Expr)>),
    Negated(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Choice(Box<[Expr; 3]>),
    Bound(String, Box<Expr>),
    Block(Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Equal,
    Unequal,
    Less,
    Greater,
    In,
    Add,
    Subtract,
    Multiply,
    Concatenate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Contains,
    Count,
    Exists,
    Join,
    Lookup,
    Lowercase,
    Match,
    Merge,
    Replace,
    Split,
    String,
    SubstringAfter,
    Uppercase,
}

impl Function {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "contains" => Self::Contains,
            "count" => Self::Count,
            "exists" => Self::Exists,
            "join" => Self::Join,
            "lookup" => Self::Lookup,
            "lowercase" => Self::Lowercase,
            "match" => Self::Match,
            "merge" => Self::Merge,
            "replace" => Self::Replace,
            "split" => Self::Split,
            "string" => Self::String,
            "substringAfter" => Self::SubstringAfter,
            "uppercase" => Self::Uppercase,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Text(String),
    Number(Number),
    Regex(String),
    Name(String),
    Variable(String),
    Symbol(&'static str),
}

/// Reads an expression, or says what in it is not known here.
pub(super) fn parse(text: &str) -> Result<Expr, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        depth: 0,
    };
    let expr = parser.expression(0)?;
    match parser.tokens.next() {
        None => Ok(expr),
        Some(token) => Err(format!("unexpected {token:?}")),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    const SYMBOLS: [&str; 24] = [
        "!=", ":=", "~>", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", ".", "&", "=", "<", ">", "+",
        "-", "*", "/", "%", "|",
    ];
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let mut characters = rest.chars();
        let token = match first {
            '"' | '\'' => {
                characters.next();
                Token::Text(quoted(&mut characters, first)?)
            }
            '0'..='9' => {
                let digits = take(&mut characters, |character| character.is_ascii_digit());
                Token::Number(digits.parse::<u64>().map_err(|error| error.to_string())?.into())
            }
            '$' => {
                characters.next();
                Token::Variable(take(&mut characters, is_name))
            }
            first if is_name(first) => Token::Name(take(&mut characters, is_name)),
            // Behind a value a slash divides.
            '/' if !tokens.last().is_some_and(ends_a_value) => {
                characters.next();
                Token::Regex(pattern(&mut characters)?)
            }
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => {
                    characters = rest.strip_prefix(symbol).unwrap_or_default().chars();
                    Token::Symbol(symbol)
                }
                None => return Err(format!("unexpected `{first}`")),
            },
        };
        tokens.push(token);
        rest = characters.as_str().trim_start();
    }
    Ok(tokens)
}

fn ends_a_value(token: &Token) -> bool {
    !matches!(token, Token::Symbol(symbol) if ![")", "]"].contains(symbol))
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn take(characters: &mut Chars<'_>, wanted: impl Fn(char) -> bool) -> String {
    let all = characters.as_str();
    let end = all.find(|character| !wanted(character)).unwrap_or(all.len());
    let (taken, rest) = all.split_at_checked(end).unwrap_or((all, ""));
    *characters = rest.chars();
    taken.to_owned()
}

fn quoted(characters: &mut Chars<'_>, quote: char) -> Result<String, String> {
    let mut text = String::new();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(escaped @ ('\\' | '/' | '"' | '\'')) => escaped,
                other => return Err(format!("unknown escape {other:?}")),
            }),
            end if end == quote => return Ok(text),
            plain => text.push(plain),
        }
    }
    Err("a text without end".to_owned())
}

fn pattern(characters: &mut Chars<'_>) -> Result<String, String> {
    let mut text = String::new();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                text.push('\\');
                text.extend(characters.next());
            }
            '/' => return Ok(text),
            plain => text.push(plain),
        }
    }
    Err("a pattern without end".to_owned())
}

struct Parser {
    tokens: Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    /// An expression of operators that bind more tightly than `least` (as JSONata ranks them).
    fn expression(&mut self, least: u8) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err("nested too deeply".to_owned());
        }
        let mut left = self.operand()?;
        while let Some((symbol, rank)) = self.operator().filter(|(_, rank)| *rank > least) {
            self.tokens.next();
            left = match symbol.as_str() {
                "." => Expr::Member(Box::new(left), self.name()?),
                "[" => {
                    let index = self.expression(0)?;
                    self.expect("]")?;
                    Expr::Index(Box::new(left), Box::new(index))
                }
                "?" => {
                    let yes = self.expression(0)?;
                    self.expect(":")?;
                    Expr::Choice(Box::new([left, yes, self.expression(0)?]))
                }
                ":=" => match left {
                    Expr::Variable(name) => Expr::Bound(name, Box::new(self.expression(rank - 1)?)),
                    _ => return Err("expected a variable before `:=`".to_owned()),
                },
                symbol => {
                    let right = Box::new(self.expression(rank)?);
                    let operator = match symbol {
                        "and" => Operator::And,
                        "or" => Operator::Or,
                        "=" => Operator::Equal,
                        "!=" => Operator::Unequal,
                        "<" => Operator::Less,
                        ">" => Operator::Greater,
                        "in" => Operator::In,
                        "+" => Operator::Add,
                        "-" => Operator::Subtract,
                        "*" => Operator::Multiply,
                        "&" => Operator::Concatenate,
                        other => return Err(format!("operator `{other}`")),
                    };
                    Expr::Binary(operator, Box::new(left), right)
                }
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&mut self) -> Option<(String, u8)> {
        let symbol = match self.tokens.peek()? {
            Token::Symbol(symbol) => (*symbol).to_owned(),
            Token::Name(name) if ["and", "or", "in"].contains(&name.as_str()) => name.clone(),
            _ => return None,
        };
        let rank = match symbol.as_str() {
            ":=" => 10,
            "?" => 20,
            "or" => 25,
            "and" => 30,
            "=" | "!=" | "<" | ">" | "in" | "~>" => 40,
            "+" | "-" | "&" => 50,
            "*" | "/" | "%" => 60,
            "." => 75,
            "[" => 80,
            _ => return None,
        };
        Some((symbol, rank))
    }

    fn operand(&mut self) -> Result<Expr, String> {
        match self.tokens.next() {
            Some(Token::Text(text)) => Ok(Expr::Text(text)),
            Some(Token::Number(number)) => Ok(Expr::Number(number)),
            Some(Token::Regex(pattern)) => Regex::new(&pattern)
                .map(|regex| Expr::Regex(Box::new(regex)))
                .map_err(|error| format!("pattern: {error}")),
            Some(Token::Name(name)) => match name.as_str() {
                "null" => Ok(Expr::Null),
                "true" => Ok(Expr::Flag(true)),
                "false" => Ok(Expr::Flag(false)),
                "function" => Err("a function of its own".to_owned()),
                _ => Ok(Expr::Name(name)),
            },
            Some(Token::Variable(name)) if self.tokens.peek() == Some(&Token::Symbol("(")) => {
                self.tokens.next();
                let arguments = self.list(",", ")")?;
                let function = Function::named(&name).ok_or_else(|| format!("function `${name}`"))?;
                Ok(Expr::Call(function, arguments))
            }
            Some(Token::Variable(name)) if name.is_empty() => Err("the context as a value, `$`".to_owned()),
            Some(Token::Variable(name)) => Ok(Expr::Variable(name)),
            Some(Token::Symbol("-")) => Ok(Expr::Negated(Box::new(self.expression(70)?))),
            Some(Token::Symbol("(")) => self.list(";", ")").map(Expr::Block),
            Some(Token::Symbol("[")) => self.list(",", "]").map(Expr::List),
            Some(Token::Symbol("{")) => self.members(),
            other => Err(format!("unexpected {other:?}")),
        }
    }

    fn members(&mut self) -> Result<Expr, String> {
        let mut members = Vec::new();
        while self.tokens.peek() != Some(&Token::Symbol("}")) {
            let key = self.expression(0)?;
            self.expect(":")?;
            members.push((key, self.expression(0)?));
            if self.tokens.peek() == Some(&Token::Symbol(",")) {
                self.tokens.next();
            }
        }
        self.tokens.next();
        Ok(Expr::Object(members))
    }

    fn list(&mut self, separator: &'static str, end: &'static str) -> Result<Vec<Expr>, String> {
        let mut list = Vec::new();
        while self.tokens.peek() != Some(&Token::Symbol(end)) {
            list.push(self.expression(0)?);
            if self.tokens.peek() == Some(&Token::Symbol(separator)) {
                self.tokens.next();
            } else if self.tokens.peek() != Some(&Token::Symbol(end)) {
                return Err(format!("expected `{separator}` or `{end}`"));
            }
        }
        self.tokens.next();
        Ok(list)
    }

    fn name(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Name(name)) => Ok(name),
            other => Err(format!("expected a name, found {other:?}")),
        }
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), String> {
        match self.tokens.next() {
            Some(Token::Symbol(found)) if found == symbol => Ok(()),
            other => Err(format!("expected `{symbol}`, found {other:?}")),
        }
    }
}
