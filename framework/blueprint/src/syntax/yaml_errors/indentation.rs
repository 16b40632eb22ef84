//! Mistakes that are told by lines: what is indented how, and which line has a key.

use super::{Mistake, QUOTES};
use crate::Diagnostic;
use crate::spelling::shown;
use crate::syntax::page::Line;

impl<'a> Mistake<'a> {
    /// The parser stands at the tab, behind it, or at the end of the line before.
    pub(super) fn tab(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let white = line.text.len() - line.text.trim_start().len();
        let leading = line.text.get(..white).unwrap_or_default().find('\t');
        let tab = match leading {
            Some(within) => line.start + within,
            None => self.at + self.page.after(self.at).find('\t').unwrap_or_default(),
        };
        let tabs = self.page.after(tab).len() - self.page.after(tab).trim_start_matches('\t').len();
        self.say(tab..tab + tabs, "a tab as indentation")
            .help("indent with spaces: YAML allows no tabs here")
    }

    /// A `:` that cannot be one of a key.
    pub(super) fn colon(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let before = self.page.lines_before(self.at).next();
        match line.pair() {
            // `a: b: c`, or `a: "b": c`
            Some(pair) if pair.value_at.start <= self.at => {
                let message = format!("the value of `{}` holds a second `: `", shown(pair.key));
                self.say(pair.value_at, message).help(QUOTES)
            }
            Some(pair) if pair.key.len() > 1_000 => {
                let message = "a key longer than 1,000 characters";
                self.say(pair.key_at.start..pair.key_at.start + 1, message)
                    .help("put text this long into a value")
            }
            Some(pair) if line.text.starts_with("---") => {
                let message = "a key on the line of `---`";
                self.say(pair.key_at, message)
                    .help("start the document on the next line")
            }
            Some(pair) => match before {
                // `a` and, on the next line, `b: 1`: the parser takes both for one text.
                Some(before)
                    if before.pair().is_none() && !before.is_item() && before.indent() >= line.indent() =>
                {
                    self.no_colon(before)
                }
                Some(before) => {
                    let message = format!(
                        "`{}` is indented into the value of the line before",
                        shown(pair.key)
                    );
                    let keys = before.pair().filter(|before| !before.value.is_empty());
                    let help = match keys {
                        Some(above) => format!(
                            "indent it like `{}`; a key has a value of its own or keys below it, not both",
                            shown(above.key)
                        ),
                        None => "indent it like the keys that it belongs to".to_owned(),
                    };
                    self.say(pair.key_at, message).help(help)
                }
                None => self.say(self.sign(), "a `:` where no key can stand").help(QUOTES),
            },
            None => self.say(self.sign(), "a `:` where no key can stand").help(QUOTES),
        }
    }

    /// A line of text where a key is expected.
    pub(super) fn no_colon(&self, line: Line<'a>) -> Diagnostic {
        let content = line.content();
        let text = self.text(content.clone());
        if let Some(item) = text
            .strip_prefix('-')
            .filter(|item| !item.starts_with(['-', ' ']))
        {
            let message = format!("a list item needs a space after its `-`: `- {}`", shown(item));
            return self.say(content, message);
        }
        // `key:value` is one word to YAML.
        let glued = text
            .split_once(':')
            .filter(|(key, _)| !key.is_empty() && !key.contains(' '));
        let finding = self.say(content, "expected `:` after the key");
        match glued {
            Some((key, value)) if !value.is_empty() => finding.help(format!(
                "write a space after it: `{}: {}`",
                shown(key),
                shown(value)
            )),
            _ => finding.help("write `key: value`, or indent the line if it continues the text before it"),
        }
    }

    /// Something else than a key at the indentation of keys, or a key at none of the indentations before it.
    pub(super) fn no_key(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let sign = self.text(self.sign());
        if sign == "&" || sign == "!" {
            let what = if sign == "&" { "anchor" } else { "tag" };
            let message = format!("a second {what} for one value");
            return self.say(self.word(), message).help("remove one of the two");
        }
        if line.is_item() && line.content().start + 2 >= self.at {
            let start = line.content().start;
            let above = self
                .page
                .lines_before(self.at)
                .find(|above| above.indent() <= line.indent());
            let finding = self.say(start..start + 1, "a list item where a key is expected");
            return match above.and_then(|above| above.pair()) {
                Some(pair) if pair.value.is_empty() => finding.help("indent the items of one list alike"),
                Some(pair) => finding.help(format!(
                    "`{}` has a value already: remove that, or the items",
                    shown(pair.key)
                )),
                None => finding.help("a list stands below a key of its own"),
            };
        }
        if self.at > line.content().start {
            let closed = self.page.before(self.at).trim_end().ends_with([']', '}']);
            let message = if closed {
                "text after the closing bracket"
            } else {
                "text after the value"
            };
            return self
                .say(self.rest_of_line(), message)
                .help("remove it, or put the whole value in quotes");
        }
        self.indentation(line)
    }

    /// A line at an indentation that no line before it has.
    pub(super) fn indentation(&self, line: Line<'a>) -> Diagnostic {
        let indent = line.indent();
        let content = line.content();
        let what = line.pair().map_or(content, |pair| pair.key_at);
        let (mut deeper, mut shallower, mut limit) = (None, None, usize::MAX);
        for above in self.page.lines_before(self.at) {
            for (column, name) in columns(&above) {
                // Only what encloses the line can be gone back to.
                if column < limit {
                    limit = column;
                    let side = if column > indent {
                        &mut deeper
                    } else {
                        &mut shallower
                    };
                    *side = Some((column, name));
                }
            }
            if shallower.is_some() {
                break;
            }
        }
        let like = |(column, name): (usize, String)| format!("{}{name}", spaces(column));
        let text = self.shown(what.clone());
        let message = match indent {
            0 => format!("`{text}` is not indented, unlike any line it could belong to"),
            _ => format!(
                "`{text}` is indented {}, unlike any line it could belong to",
                spaces(indent)
            ),
        };
        let finding = self.say(what, message);
        match (deeper, shallower) {
            (Some(deeper), Some(shallower)) => {
                finding.help(format!("indent it {} or {}", like(deeper), like(shallower)))
            }
            (Some(only), None) | (None, Some(only)) => finding.help(format!("indent it {}", like(only))),
            (None, None) => finding,
        }
    }

    /// Something else than an item at the indentation of a list's items.
    pub(super) fn no_item(&self) -> Diagnostic {
        let line = self.page.line(self.at);
        let above = self.page.lines_before(self.at).find(|above| above.is_item());
        match above {
            Some(above) if line.indent() != above.indent() => self.indentation(line),
            _ => self
                .say(self.word(), "expected `- `: the lines before are items of a list")
                .help("write `- ` before it, or indent it to the item that it belongs to"),
        }
    }
}

/// The columns of a line at which lines after it may start, the deepest first, each with what stands there.
fn columns(line: &Line<'_>) -> Vec<(usize, String)> {
    let key = line.pair().map(|pair| {
        let column = pair.key_at.start.saturating_sub(line.start);
        (column, format!(" like `{}`", shown(pair.key)))
    });
    let item = line
        .is_item()
        .then(|| (line.indent(), " like the item".to_owned()));
    let columns: Vec<_> = key.into_iter().chain(item).collect();
    if columns.is_empty() {
        vec![(line.indent(), " like the line before".to_owned())]
    } else {
        columns
    }
}

fn spaces(count: usize) -> String {
    match count {
        0 => "not at all".to_owned(),
        1 => "by 1 space".to_owned(),
        _ => format!("by {count} spaces"),
    }
}
