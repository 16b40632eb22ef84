//! What a transform computes: values that know which parts of a text the author gave.

use serde_json::{Map, Number, Value};

/// A value while it is computed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// Nothing: a name that leads nowhere. Spreads through every operation but a question.
    Nothing,
    Null,
    Flag(bool),
    Number(Number),
    Text(Text),
    List(Vec<Item>),
    Object(Vec<(String, Item)>),
}

/// A text in runs: those of the author, and those of the schema, which may be parts of a pattern.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Text {
    pub(super) runs: Vec<Run>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) given: bool,
}

impl Text {
    pub(super) fn of(text: &str, given: bool) -> Self {
        let run = Run {
            text: text.to_owned(),
            given,
        };
        Self { runs: vec![run] }
    }

    pub(super) fn whole(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }

    pub(super) fn is_given(&self) -> bool {
        self.runs.iter().any(|run| run.given)
    }

    pub(super) fn push(&mut self, text: &str, given: bool) {
        if !text.is_empty() {
            self.runs.push(Run {
                text: text.to_owned(),
                given,
            });
        }
    }

    pub(super) fn append(&mut self, other: Text) {
        self.runs.extend(other.runs);
    }

    /// Every run changed by itself; who gave it stays.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let runs = self.runs.iter().map(|run| Run {
            text: change(&run.text),
            given: run.given,
        });
        Self { runs: runs.collect() }
    }

    /// The part from byte `start` to byte `end` of the whole.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let mut part = Self::default();
        let mut at = 0;
        for run in &self.runs {
            let (from, to) = (start.max(at), end.min(at + run.text.len()));
            if let Some(text) = (from < to).then(|| run.text.get(from - at..to - at)).flatten() {
                part.push(text, run.given);
            }
            at += run.text.len();
        }
        part
    }

    /// The text as a pattern for the whole value, if the schema's part of it is one; what the author gave
    /// stands for itself.
    pub(super) fn as_pattern(&self) -> Option<regex::Regex> {
        let special = |run: &&Run| {
            !run.given
                && run
                    .text
                    .contains(['[', '(', '*', '+', '?', '{', '^', '$', '|', '\\'])
        };
        self.runs.iter().find(special)?;
        let mut pattern = String::new();
        for run in &self.runs {
            if run.given {
                pattern.push_str(&regex::escape(&run.text));
            } else {
                push_plain(&mut pattern, &run.text);
            }
        }
        regex::Regex::new(&format!(r"\A(?s:{pattern})\z")).ok()
    }
}

/// Adds a part of a pattern. Its brackets do not nest, `[[]` is one bracket, and so is `[]]`.
fn push_plain(pattern: &mut String, part: &str) {
    let mut before = None;
    let mut inside = false;
    for character in part.chars() {
        let is_first = inside && before == Some('[');
        match character {
            '[' if inside => pattern.push_str(r"\["),
            ']' if is_first => pattern.push_str(r"\]"),
            plain => pattern.push(plain),
        }
        inside = match character {
            '[' => true,
            ']' => inside && is_first,
            _ => inside,
        };
        // A bracket that stands for itself opens nothing.
        before = Some(character).filter(|character| *character != '[' || !is_first);
    }
}

impl Item {
    pub(super) fn given(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(Text::of(text, true)),
            Value::Array(elements) => Self::List(elements.iter().map(Self::given).collect()),
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(key, member)| (key.clone(), Self::given(member)))
                    .collect(),
            ),
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Self::Nothing | Self::Null => Value::Null,
            Self::Flag(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.whole()),
            Self::List(elements) => elements.iter().map(Self::value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(key, member)| (key.clone(), member.value()))
                .collect::<Map<String, Value>>()
                .into(),
        }
    }

    /// True if it means yes where a question is asked.
    pub(super) fn is_yes(&self) -> bool {
        match self {
            Self::Nothing | Self::Null => false,
            Self::Flag(flag) => *flag,
            Self::Number(number) => number.as_f64() != Some(0.0),
            Self::Text(text) => text.runs.iter().any(|run| !run.text.is_empty()),
            Self::List(elements) => elements.iter().any(Self::is_yes),
            Self::Object(members) => !members.is_empty(),
        }
    }

    pub(super) fn member(&self, name: &str) -> Item {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map_or(Self::Nothing, |(_, member)| member.clone()),
            Self::List(elements) => {
                let mut found: Vec<Item> = elements
                    .iter()
                    .map(|element| element.member(name))
                    .filter(|item| *item != Self::Nothing)
                    .collect();
                match found.len() {
                    0 => Self::Nothing,
                    1 => found.swap_remove(0),
                    _ => Self::List(found),
                }
            }
            _ => Self::Nothing,
        }
    }
}
