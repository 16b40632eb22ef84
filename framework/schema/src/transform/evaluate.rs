//! Computing a property transform.

use super::syntax::{Expr, Function, Operator};
use super::value::{Item, Text};
use crate::number::{Decimal, equal};
use fancy_regex::{Captures, Regex};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// What names and variables stand for.
pub(super) struct Context<'v> {
    /// The object whose members names are.
    pub(super) members: &'v Map<String, Value>,
    pub(super) variables: Vec<(String, Item)>,
}

impl Context<'_> {
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Item {
        match expr {
            Expr::Text(text) => Item::Text(Text::of(text, false)),
            Expr::Number(number) => Item::Number(number.clone()),
            Expr::Null => Item::Null,
            Expr::Flag(flag) => Item::Flag(*flag),
            // Only functions take patterns.
            Expr::Regex(_) => Item::Nothing,
            Expr::Name(name) => self.members.get(name).map_or(Item::Nothing, Item::given),
            Expr::Variable(name) => {
                let bound = self.variables.iter().rev().find(|(bound, _)| bound == name);
                bound.map_or(Item::Nothing, |(_, item)| item.clone())
            }
            Expr::Member(of, name) => self.evaluate(of).member(name),
            Expr::Index(of, index) => {
                let (of, index) = (self.evaluate(of), self.evaluate(index));
                element(of, &index)
            }
            Expr::Call(function, arguments) => self.call(*function, arguments),
            Expr::List(elements) => {
                let items: Vec<Item> = elements.iter().map(|element| self.evaluate(element)).collect();
                // A list that lacks a part means nothing: half of an ARN would fit every ARN.
                if items.contains(&Item::Nothing) {
                    Item::Nothing
                } else {
                    Item::List(items)
                }
            }
            Expr::Object(members) => Item::Object(
                members
                    .iter()
                    .map(|(key, member)| (self.evaluate(key), self.evaluate(member)))
                    .filter_map(|(key, member)| match key {
                        Item::Text(key) if member != Item::Nothing => Some((key.whole(), member)),
                        _ => None,
                    })
                    .collect(),
            ),
            Expr::Negated(of) => {
                let number = whole(&self.evaluate(of)).and_then(i128::checked_neg);
                number.map_or(Item::Nothing, counted)
            }
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expr::Choice(parts) => {
                let [question, yes, no] = &**parts;
                let answer = if self.evaluate(question).is_yes() { yes } else { no };
                self.evaluate(answer)
            }
            Expr::Bound(name, value) => {
                let item = self.evaluate(value);
                self.variables.push((name.clone(), item.clone()));
                item
            }
            Expr::Block(parts) => parts
                .iter()
                .map(|part| self.evaluate(part))
                .last()
                .unwrap_or(Item::Nothing),
        }
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Item {
        let left = self.evaluate(left);
        match operator {
            Operator::And => return Item::Flag(left.is_yes() && self.evaluate(right).is_yes()),
            Operator::Or => return Item::Flag(left.is_yes() || self.evaluate(right).is_yes()),
            _ => {}
        }
        let right = self.evaluate(right);
        let known = left != Item::Nothing && right != Item::Nothing;
        match operator {
            Operator::Equal => Item::Flag(known && equal(&left.value(), &right.value())),
            Operator::Unequal => Item::Flag(known && !equal(&left.value(), &right.value())),
            Operator::In => Item::Flag(match &right {
                Item::List(all) => known && all.iter().any(|one| equal(&one.value(), &left.value())),
                one => known && equal(&one.value(), &left.value()),
            }),
            Operator::Less => compared(&left, &right, Ordering::Less),
            Operator::Greater => compared(&left, &right, Ordering::Greater),
            Operator::Concatenate => match (text(&left), text(&right)) {
                (Some(mut left), Some(right)) => {
                    left.append(right);
                    Item::Text(left)
                }
                _ => Item::Nothing,
            },
            Operator::Add => calculated(&left, &right, i128::checked_add),
            Operator::Subtract => calculated(&left, &right, i128::checked_sub),
            Operator::Multiply => calculated(&left, &right, i128::checked_mul),
            Operator::And | Operator::Or => Item::Nothing,
        }
    }

    fn call(&mut self, function: Function, arguments: &[Expr]) -> Item {
        let pattern = arguments.get(1).and_then(|argument| match argument {
            Expr::Regex(regex) => Some(&**regex),
            _ => None,
        });
        let mut items = arguments.iter().map(|argument| self.evaluate(argument));
        let first = items.next().unwrap_or(Item::Nothing);
        let second = items.next().unwrap_or(Item::Nothing);
        let third = items.next().unwrap_or(Item::Nothing);
        let result = match function {
            Function::Exists => Some(Item::Flag(first != Item::Nothing)),
            Function::Count => Some(counted(match &first {
                Item::Nothing => 0,
                Item::List(elements) => i128::try_from(elements.len()).unwrap_or(i128::MAX),
                _ => 1,
            })),
            Function::Lowercase => text(&first).map(|text| Item::Text(text.map(str::to_lowercase))),
            Function::Uppercase => text(&first).map(|text| Item::Text(text.map(str::to_uppercase))),
            Function::String => text(&first).map(Item::Text),
            Function::Join => join(&first, &second),
            Function::Split => split(&first, &second, &third),
            Function::SubstringAfter => substring_after(&first, &second),
            Function::Contains => contains(&first, &second),
            Function::Lookup => match &second {
                Item::Text(key) => Some(first.member(&key.whole())),
                _ => None,
            },
            Function::Merge => merge(&first),
            Function::Match => pattern.and_then(|pattern| found(&first, pattern)),
            Function::Replace => match pattern {
                Some(pattern) => replace_pattern(&first, pattern, &third),
                None => replace_text(&first, &second, &third),
            },
        };
        result.unwrap_or(Item::Nothing)
    }
}

fn element(of: Item, index: &Item) -> Item {
    let elements = match of {
        // A text asks whether to keep the value, and every text but the empty one says yes.
        of if matches!(index, Item::Text(_)) => return if index.is_yes() { of } else { Item::Nothing },
        Item::List(elements) => elements,
        Item::Nothing => return Item::Nothing,
        // One value is a list of one.
        one => vec![one],
    };
    let at = whole(index).and_then(|index| {
        let length = i128::try_from(elements.len()).ok()?;
        usize::try_from(if index < 0 { length + index } else { index }).ok()
    });
    at.and_then(|at| elements.into_iter().nth(at))
        .unwrap_or(Item::Nothing)
}

fn text(item: &Item) -> Option<Text> {
    match item {
        Item::Text(text) => Some(text.clone()),
        Item::Number(_) | Item::Flag(_) => Some(Text::of(&item.value().to_string(), true)),
        _ => None,
    }
}

fn whole(item: &Item) -> Option<i128> {
    match item {
        Item::Number(number) => Decimal::of(number)?.whole_text()?.parse().ok(),
        _ => None,
    }
}

fn counted(number: i128) -> Item {
    i64::try_from(number).map_or(Item::Nothing, |number| Item::Number(Number::from(number)))
}

fn calculated(left: &Item, right: &Item, by: fn(i128, i128) -> Option<i128>) -> Item {
    let result = whole(left)
        .zip(whole(right))
        .and_then(|(left, right)| by(left, right));
    result.map_or(Item::Nothing, counted)
}

fn compared(left: &Item, right: &Item, wanted: Ordering) -> Item {
    match (left, right) {
        (Item::Number(left), Item::Number(right)) => match (Decimal::of(left), Decimal::of(right)) {
            (Some(left), Some(right)) => Item::Flag(left.compare(&right) == wanted),
            _ => Item::Nothing,
        },
        (Item::Text(left), Item::Text(right)) => Item::Flag(left.whole().cmp(&right.whole()) == wanted),
        _ => Item::Nothing,
    }
}

fn join(parts: &Item, separator: &Item) -> Option<Item> {
    let Item::List(parts) = parts else {
        return text(parts).map(Item::Text);
    };
    let separator = match separator {
        Item::Nothing => Text::default(),
        separator => text(separator)?,
    };
    let mut joined = Text::default();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            joined.append(separator.clone());
        }
        joined.append(text(part)?);
    }
    Some(Item::Text(joined))
}

fn split(of: &Item, separator: &Item, limit: &Item) -> Option<Item> {
    let (of, separator) = (text(of)?, text(separator)?.whole());
    if separator.is_empty() {
        return None;
    }
    let all = of.whole();
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, found) in all.match_indices(&separator) {
        parts.push(Item::Text(of.part(start, at)));
        start = at + found.len();
    }
    parts.push(Item::Text(of.part(start, all.len())));
    if let Some(limit) = whole(limit) {
        parts.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Some(Item::List(parts))
}

fn substring_after(of: &Item, mark: &Item) -> Option<Item> {
    let (of, mark) = (text(of)?, text(mark)?.whole());
    let all = of.whole();
    let start = all.find(&mark).map_or(0, |at| at + mark.len());
    Some(Item::Text(of.part(start, all.len())))
}

fn contains(of: &Item, part: &Item) -> Option<Item> {
    Some(Item::Flag(text(of)?.whole().contains(&text(part)?.whole())))
}

fn merge(of: &Item) -> Option<Item> {
    let Item::List(objects) = of else { return None };
    let mut merged: Vec<(String, Item)> = Vec::new();
    for object in objects {
        let Item::Object(members) = object else {
            return None;
        };
        for (key, member) in members {
            merged.retain(|(known, _)| known != key);
            merged.push((key.clone(), member.clone()));
        }
    }
    Some(Item::Object(merged))
}

/// The first match of a pattern, with its groups; those that did not take part are empty.
fn found(of: &Item, pattern: &Regex) -> Option<Item> {
    let of = text(of)?;
    let all = of.whole();
    let captures = pattern.captures(all.as_str()).ok()??;
    let group = |index: usize| match captures.get(index) {
        Some(group) => Item::Text(of.part(group.start(), group.end())),
        None => Item::Text(Text::default()),
    };
    Some(Item::Object(vec![
        ("match".to_owned(), group(0)),
        (
            "groups".to_owned(),
            Item::List((1..captures.len()).map(group).collect()),
        ),
    ]))
}

fn replace_text(of: &Item, part: &Item, by: &Item) -> Option<Item> {
    let (of, part, by) = (text(of)?, text(part)?.whole(), text(by)?);
    if part.is_empty() {
        return None;
    }
    let all = of.whole();
    let places = all
        .match_indices(&part)
        .map(|(at, found)| (at, at + found.len(), by.clone()));
    Some(Item::Text(with(&of, all.len(), places)))
}

fn replace_pattern(of: &Item, pattern: &Regex, by: &Item) -> Option<Item> {
    let (of, by) = (text(of)?, text(by)?);
    let all = of.whole();
    let mut places = Vec::new();
    for captures in pattern.captures_iter(all.as_str()) {
        let captures = captures.ok()?;
        let place = captures.get(0)?;
        places.push((place.start(), place.end(), filled(&by.whole(), &of, &captures)));
    }
    Some(Item::Text(with(&of, all.len(), places.into_iter())))
}

/// A replacement with `$1` for what a group found.
fn filled(by: &str, of: &Text, captures: &Captures<'_, str>) -> Text {
    let mut text = Text::default();
    let mut parts = by.split('$');
    text.push(parts.next().unwrap_or_default(), false);
    for part in parts {
        let mut rest = part.chars();
        let group = rest.next().and_then(|digit| digit.to_digit(10));
        match group.and_then(|group| usize::try_from(group).ok()) {
            Some(group) => {
                if let Some(group) = captures.get(group) {
                    text.append(of.part(group.start(), group.end()));
                }
                text.push(rest.as_str(), false);
            }
            None => {
                text.push("$", false);
                text.push(part, false);
            }
        }
    }
    text
}

/// A text of `length` bytes with other parts at the places, which are in order and apart.
fn with(of: &Text, length: usize, places: impl Iterator<Item = (usize, usize, Text)>) -> Text {
    let mut text = Text::default();
    let mut start = 0;
    for (from, to, by) in places {
        text.append(of.part(start, from));
        text.append(by);
        start = to;
    }
    text.append(of.part(start, length));
    text
}
