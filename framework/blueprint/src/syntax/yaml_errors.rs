//! The YAML parser's errors in our words, at the place where somebody made them.
//!
//! A scanner notices a mistake where it cannot go on, which is often a line later: a quote that was never closed
//! ends at the next key. From there the lines around are looked at for what happened.

mod indentation;
mod strings;

use super::page::Page;
use super::too_deep;
use crate::spelling::shown;
use crate::{Diagnostic, Span, codes};
use granit_parser::{ErrorKind as Kind, ScanError};
use std::ops::Range;

/// The finding for an error in `text`, which stands at byte `start` of its source. `opened` is the innermost
/// bracket or brace that has been read and not been closed.
pub(super) fn syntax_error(
    error: &ScanError,
    text: &str,
    start: usize,
    opened: Option<usize>,
) -> Box<Diagnostic> {
    let at = error.marker().byte_offset().unwrap_or_default().min(text.len());
    let mistake = Mistake {
        page: Page::new(text),
        at: text.floor_char_boundary(at),
        start,
        opened,
    };
    // The parser looks ahead, and stops at a limit of its own before the loader comes to ours.
    if matches!(error.kind(), Kind::RecursionLimitExceeded) {
        return Box::new(too_deep(mistake.span(mistake.at..mistake.at)));
    }
    Box::new(mistake.explain(error.kind()))
}

const QUOTES: &str = "a value with `: ` in it needs quotes";

struct Mistake<'a> {
    page: Page<'a>,
    /// Where the parser noticed it.
    at: usize,
    start: usize,
    opened: Option<usize>,
}

impl<'a> Mistake<'a> {
    fn explain(&self, kind: &Kind) -> Diagnostic {
        match kind {
            Kind::TabNotAllowed
            | Kind::TabInBlockIndentation
            | Kind::TabInIndentation
            | Kind::TabInPlainScalar
            | Kind::TabAtBlockScalarStart => self.tab(),
            Kind::MappingValueNotAllowed => self.colon(),
            Kind::SimpleKeyExpected => self.no_colon(self.page.line(self.at)),
            Kind::ExpectedBlockMappingKey => self.no_key(),
            Kind::ExpectedBlockSequenceEntry => self.no_item(),
            Kind::BlockSequenceEntryNotAllowed => self.item_in_line(),
            Kind::BlockEntryInFlowCollection => self
                .say(self.sign(), "a list item with `-` inside brackets")
                .help("separate the items by `,`, or write the whole list with `-`, one item a line"),
            Kind::UnexpectedEofBlockMapping | Kind::UnexpectedEofBlockSequence => self.in_brackets(),
            Kind::ExpectedFlowMappingSeparator => self.in_brackets(),
            Kind::ExpectedFlowSequenceSeparator => self.in_brackets(),
            Kind::InvalidColonPlacement | Kind::UnexpectedEofImplicitFlowMapping => self.in_brackets(),
            Kind::UnclosedFlowCollection { open } => self.unclosed(self.sign(), *open),
            Kind::MismatchedFlowCollectionEnd { open, close } => self
                .say(self.sign(), format!("`{open}` is closed by `{close}`"))
                .help(format!("close it with `{}`", closing(*open))),
            Kind::MisplacedFlowCollectionEnd => {
                let sign = self.sign();
                let message = format!("a `{}` that closes nothing", self.shown(sign.clone()));
                self.say(sign, message)
                    .help("remove it, or put the text in quotes if it belongs to one")
            }
            Kind::UnclosedQuotedScalar => self.unclosed_string(self.sign()),
            Kind::InvalidQuotedScalarIndent | Kind::DocumentIndicatorInQuotedScalar => {
                match self.page.open_quote(self.at) {
                    Some(quote) => self.unclosed_string(quote),
                    None => self
                        .say(self.word(), "a quoted string goes on at a wrong indentation")
                        .help("indent it deeper than its key, or close it on the line before"),
                }
            }
            Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => {
                self.after_quote()
            }
            Kind::UnknownQuotedScalarEscape
            | Kind::InvalidQuotedScalarHexEscape
            | Kind::InvalidLowSurrogateHexEscape
            | Kind::InvalidLowSurrogate
            | Kind::MissingLowSurrogate
            | Kind::UnpairedLowSurrogate
            | Kind::InvalidUnicodeEscape => self.escape(),
            Kind::UnexpectedCharacter { character } => self.character(*character),
            Kind::UnknownAnchor => self.alias(),
            Kind::MissingAnchorOrAliasName => {
                let message = format!("`{}` without a name after it", self.shown(self.sign()));
                self.say(self.sign(), message)
                    .help("put the text in quotes if it starts with this sign")
            }
            Kind::UndeclaredTagHandle
            | Kind::UnclosedVerbatimTag
            | Kind::ExpectedTagBang
            | Kind::InvalidGlobalTagCharacter
            | Kind::InvalidTagTerminator
            | Kind::MissingTagUri
            | Kind::InvalidTagEscape
            | Kind::InvalidTagUtf8LeadingByte
            | Kind::InvalidTagUtf8TrailingByte
            | Kind::InvalidTagUtf8 => self.tag(),
            Kind::InvalidBlockScalarHeader => self.block_header(),
            Kind::ZeroBlockScalarIndent => self
                .say(self.word(), "a block's indentation is 1 to 9 spaces, not 0")
                .help("leave the number out: the first line tells it"),
            Kind::InvalidBlockScalarIndent => self.block_indentation(),
            Kind::CommentInterceptedScalar => self
                .say(self.rest_of_line(), "a comment between the lines of one text")
                .help("move the comment, or put the text in quotes if `#` belongs to it"),
            Kind::CommentNotSeparated => self
                .say(self.sign(), "a comment needs a space before its `#`")
                .help("put the text in quotes if `#` belongs to it"),
            Kind::MappingKeyNotAllowed => self
                .say(self.sign(), "a `? ` where no key can stand")
                .help("put the text in quotes if it starts with `?`"),
            Kind::MissingDocumentEndBeforeDirective => self.directive_inside(),
            Kind::UnsupportedYamlMajorVersion
            | Kind::DuplicateVersionDirective
            | Kind::InvalidDirectiveTerminator
            | Kind::InvalidDirectiveName
            | Kind::MissingDirectiveName
            | Kind::MissingYamlVersion
            | Kind::MissingYamlVersionSeparator
            | Kind::YamlVersionTooLong => self.directive(),
            Kind::ExpectedDocumentStart => self.no_document(),
            Kind::InvalidDocumentEnd => self
                .say(self.word(), "text after `...`, which ends the document")
                .help("remove the `...`, or the text"),
            Kind::BomInsideDocument => self
                .say(self.sign(), "a byte order mark inside the text")
                .help("remove it: only the start of a file may have one"),
            _ => self.parsers_own(kind),
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.start + range.start, self.start + range.end)
    }

    fn say(&self, range: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(codes::YAML_SYNTAX, self.span(range), message)
    }

    /// The character at which the parser stopped.
    fn sign(&self) -> Range<usize> {
        self.sign_at(self.at)
    }

    fn sign_at(&self, at: usize) -> Range<usize> {
        let next = self.page.after(at).chars().next();
        at..at
            + next
                .filter(|next| !matches!(next, '\n' | '\r'))
                .map_or(0, char::len_utf8)
    }

    fn word(&self) -> Range<usize> {
        self.page.word(self.at)
    }

    fn rest_of_line(&self) -> Range<usize> {
        self.page.rest_of_line(self.at)
    }

    fn text(&self, range: Range<usize>) -> &'a str {
        self.page.before(range.end).get(range.start..).unwrap_or_default()
    }

    fn shown(&self, range: Range<usize>) -> String {
        shown(self.text(range))
    }

    /// `key: - item`
    fn item_in_line(&self) -> Diagnostic {
        self.say(self.sign(), "a list item on the line of its key")
            .help("write the items below the key, each on a line of its own, or as `[a, b]`")
    }

    /// Within brackets, something that is no separator.
    fn in_brackets(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let sign = self.text(self.sign());
        if self.opened.is_none() {
            return self.character(sign.chars().next().unwrap_or_default());
        }
        if sign == "{" && self.page.before(self.at).ends_with('$') {
            let start = self.at - 1;
            let length = self
                .page
                .after(start)
                .find(['}', '\n', '\r'])
                .map_or(2, |end| end + 1);
            return self
                .say(
                    start..start + length,
                    "a substitution inside brackets needs quotes",
                )
                .help("put the whole value in double quotes: braces are YAML's here");
        }
        if sign == "," {
            return self
                .say(self.sign(), "nothing between two commas")
                .help("remove one of them, or write `null`");
        }
        let pair = line.pair().filter(|pair| pair.value_at.start > self.at);
        if let (Some(opened), Some(pair)) = (self.opened, pair) {
            let (above, bracket) = (self.page.line(opened), self.text(self.sign_at(opened)));
            if above.start < line.start {
                // A key no deeper than the line with the bracket is the next one of a map around it.
                if line.indent() <= above.indent() {
                    let open = bracket.chars().next().unwrap_or('[');
                    let label = format!("`{}` is no part of it", shown(pair.key));
                    return self
                        .unclosed(self.sign_at(opened), open)
                        .label(self.span(pair.key_at), label);
                }
                let end = self.page.end_before(pair.key_at.start);
                return self
                    .say(end..end, format!("expected `,` before `{}`", shown(pair.key)))
                    .help("separate entries in brackets by `,`");
            }
        }
        if sign == ":" {
            let value = self
                .page
                .before(self.at)
                .rfind(": ")
                .map_or(self.at, |colon| colon + 2);
            let value = if value > line.start { value } else { self.at };
            let end = self.rest_of_line().end;
            let end = self
                .text(value..end)
                .find([',', '}', ']'])
                .map_or(end, |length| value + length);
            let message = "a value in brackets that holds a second `: `";
            return self.say(value..end, message).help(QUOTES);
        }
        let end = self.page.end_before(self.at);
        let message = format!("expected `,` before `{}`", self.shown(self.word()));
        self.say(end..end, message)
            .help("separate entries in brackets by `,`; a value with `: ` or ` #` in it needs quotes")
    }

    fn unclosed(&self, place: Range<usize>, open: char) -> Diagnostic {
        self.say(place, format!("`{open}` is not closed"))
            .help(format!("close it with `{}`", closing(open)))
    }

    fn character(&self, character: char) -> Diagnostic {
        let sign = match character {
            '`' => "a backtick".to_owned(),
            '@' | '%' | ',' => format!("`{character}`"),
            _ => {
                // The parser names the start of the text that holds it.
                let at = self.at + self.page.after(self.at).find(character).unwrap_or_default();
                let message = match character.is_control() {
                    true => format!("a control character, U+{:04X}", u32::from(character)),
                    false => format!("the character U+{:04X} cannot stand here", u32::from(character)),
                };
                return self
                    .say(self.sign_at(at), message)
                    .help("remove it; in double quotes it can be written as an escape");
            }
        };
        self.say(
            self.word(),
            format!("text without quotes cannot start with {sign}"),
        )
        .help("put it in quotes")
    }

    fn alias(&self) -> Diagnostic {
        let word = self.word();
        let name = self.text(word.clone()).trim_start_matches('*');
        let message = format!("there is no anchor `{}` before this alias", shown(name));
        self.say(word, message)
            .help("define it with `&` before it is used; put text that starts with `*` in quotes")
    }

    /// A tag that is none even to YAML.
    fn tag(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let before = self.page.before(self.at + 1);
        let start = before
            .rfind('!')
            .filter(|found| *found >= line.start)
            .unwrap_or(self.at);
        let place = self.page.word(start);
        let message = format!(
            "the YAML tag `{}` is not allowed in a blueprint",
            self.shown(place.clone())
        );
        Diagnostic::error(codes::YAML_TAG, self.span(place), message)
            .help("remove the tag: a blueprint's types follow from how values are written")
    }

    fn block_header(&self) -> Diagnostic {
        let sign = self.shown(self.sign());
        let message = format!("text on the line of `{sign}`, which starts a block of lines");
        self.say(self.rest_of_line(), message).help(format!(
            "start the block on the next line, or put text that starts with `{sign}` in quotes"
        ))
    }

    fn block_indentation(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let content = line.content();
        self.say(content, "a line of a block that is indented less than the block")
            .help("indent all lines of a block alike, blank ones before the first no deeper")
    }

    fn directive(&self) -> Diagnostic {
        let line = self.page.line(self.at).content();
        let message = format!("`{}` is not understood", self.shown(line.clone()));
        self.say(line, message)
            .help("remove the line: blueprints need no directives")
    }

    fn directive_inside(&self) -> Diagnostic {
        self.say(self.rest_of_line(), "text without quotes cannot start with `%`")
            .help("put it in quotes")
    }

    fn no_document(&self) -> Diagnostic {
        let directive = self
            .page
            .lines_before(self.at)
            .find(|line| line.text.starts_with('%'));
        if let Some(line) = directive {
            return self
                .say(line.content(), "a directive needs `---` on the line after it")
                .help("remove the line: blueprints need no directives");
        }
        let line = self.page.line(self.at);
        match self.page.lines_before(self.at).next() {
            Some(_) if self.at <= line.content().start => self.indentation(line),
            _ => self
                .say(self.rest_of_line(), "text after the value")
                .help("remove it, or put the whole value in quotes"),
        }
    }

    /// What hardly anybody meets stays in the parser's words.
    fn parsers_own(&self, kind: &Kind) -> Diagnostic {
        let message = kind.to_string().to_lowercase().replace(['\n', '\r'], " ");
        self.say(self.sign(), message.replace('\'', "`"))
    }
}

fn closing(open: char) -> char {
    if open == '{' { '}' } else { ']' }
}
