//! A plan as people read it.

use console::{Alignment, Style, measure_text_width, pad_str};
use formwork_engine::{Action, Change, Plan, PropertyChange, Sequence, Shown, Summary};

/// Longer names do not push the columns further apart.
const WIDEST_COLUMN: usize = 36;
/// Longer values are cut.
const LONGEST_VALUE: usize = 64;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What changes; of new resources only that they are made.
    Compact,
    /// What changes, and what new resources will have.
    Whole,
    /// That, and what stays as it is.
    All,
}

/// The plan in lines. Colours come and go with `coloured`.
pub fn text(plan: &Plan, detail: Detail, coloured: bool) -> String {
    let paint = Paint { coloured };
    let told: Vec<&Change> = plan
        .changes
        .iter()
        .filter(|change| detail == Detail::All || change.action != Action::Unchanged)
        .collect();
    let widest = |of: fn(&Change) -> &str| {
        let widths = told.iter().map(|change| measure_text_width(of(change)));
        widths.max().unwrap_or_default().min(WIDEST_COLUMN)
    };
    let (names, types) = (widest(|change| &change.name), widest(|change| &change.type_name));
    let verbs = told
        .iter()
        .map(|change| verb(change).len())
        .max()
        .unwrap_or_default();
    let mut lines = Vec::new();
    for change in &told {
        lines.push(paint.heading(change, verbs, names, types));
        if detail != Detail::Compact || change.action != Action::Create {
            lines.extend(paint.properties(change));
        }
        lines.extend(paint.remarks(change));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(summary(&plan.summary()));
    if told.iter().any(|change| change.action == Action::Replace) {
        let legend =
            "+/- makes the new one, re-points what refers to it, then deletes the old one; -/+ deletes first";
        lines.push(paint.dim(legend));
    }
    lines.join("\n")
}

/// `1 to create, 2 to update (1 may turn out to need nothing), 9 unchanged`
fn summary(summary: &Summary) -> String {
    let work = [
        (summary.create, "to create"),
        (summary.update, "to update"),
        (summary.replace, "to replace"),
        (summary.delete, "to delete"),
        (summary.retain, "to leave in the cloud and forget"),
    ];
    let mut parts: Vec<String> = work
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() {
        return match summary.unchanged {
            0 => "nothing to do: there are no resources".to_owned(),
            1 => "nothing to do: the resource is as the blueprint wants it".to_owned(),
            many => format!("nothing to do: all {many} resources are as the blueprint wants them"),
        };
    }
    if summary.unchanged > 0 {
        parts.push(format!("{} unchanged", summary.unchanged));
    }
    let open = match summary.uncertain {
        0 => String::new(),
        1 => " (1 depends on what is known only after deploy)".to_owned(),
        many => format!(" ({many} depend on what is known only after deploy)"),
    };
    format!("plan: {}{open}", parts.join(", "))
}

pub(super) struct Paint {
    pub(super) coloured: bool,
}

impl Paint {
    pub(super) fn style(&self, style: Style, text: &str) -> String {
        style.force_styling(self.coloured).apply_to(text).to_string()
    }

    pub(super) fn dim(&self, text: &str) -> String {
        self.style(Style::new().dim(), text)
    }

    fn heading(&self, change: &Change, verbs: usize, names: usize, types: usize) -> String {
        let (mark, style) = match (change.action, change.sequence) {
            (Action::Create, _) => ("+", Style::new().green()),
            (Action::Update, _) => ("~", Style::new().yellow()),
            (Action::Replace, Some(Sequence::DeleteFirst)) => ("-/+", Style::new().magenta()),
            (Action::Replace, _) => ("+/-", Style::new().magenta()),
            (Action::Delete, _) => ("-", Style::new().red()),
            (Action::Retain, _) => ("o", Style::new().cyan()),
            (Action::Unchanged, _) => ("=", Style::new().dim()),
        };
        let line = format!(
            "{} {}  {}  {}",
            self.style(style.clone(), &format!("{mark:>3}")),
            self.style(style, &pad(&verb(change), verbs)),
            self.style(Style::new().bold(), &pad(&change.name, names)),
            pad(&change.type_name, types),
        );
        match &change.identifier {
            Some(identifier) => format!("{line}  {}", self.dim(identifier)),
            None => line.trim_end().to_owned(),
        }
    }

    fn properties(&self, change: &Change) -> Vec<String> {
        let paths: Vec<String> = change
            .properties
            .iter()
            .map(|property| path(&property.pointer))
            .collect();
        let widths = paths.iter().map(|path| measure_text_width(path));
        let width = widths
            .filter(|width| *width <= WIDEST_COLUMN)
            .max()
            .unwrap_or_default();
        let lines = change.properties.iter().zip(&paths);
        lines
            .map(|(property, path)| self.property(change, property, path, width))
            .collect()
    }

    fn property(&self, change: &Change, property: &PropertyChange, path: &str, width: usize) -> String {
        let (mark, style, values) = match (&property.before, &property.after) {
            (None, Some(after)) => ("+", Style::new().green(), shown(after)),
            (Some(before), None) => ("-", Style::new().red(), shown(before)),
            (Some(Shown::Secret), Some(Shown::Secret)) => {
                ("~", Style::new().yellow(), "(secret, changed)".to_owned())
            }
            (Some(Shown::Hidden), Some(Shown::Hidden)) => {
                ("~", Style::new().yellow(), "(hidden, changed)".to_owned())
            }
            (Some(before), Some(after)) => (
                "~",
                Style::new().yellow(),
                format!("{} -> {}", shown(before), shown(after)),
            ),
            (None, None) => (" ", Style::new(), String::new()),
        };
        let mut line = format!("      {} {}  {values}", self.style(style, mark), pad(path, width));
        if let Some(remark) = remark(change, property) {
            line.push_str("  ");
            line.push_str(&self.dim(&format!("# {remark}")));
        }
        line
    }

    /// What is told of the resource as a whole.
    fn remarks(&self, change: &Change) -> Vec<String> {
        let whole = change
            .reasons
            .iter()
            .filter(|reason| reason.pointer.is_empty() || !is_told(change, &reason.pointer))
            .map(|reason| match reason.pointer.as_str() {
                "" => reason.message.clone(),
                pointer => format!("{}: {}", path(pointer), reason.message),
            });
        let notes = change.notes.iter().map(ToString::to_string);
        let problem = change.problem.iter().cloned();
        whole
            .chain(notes)
            .chain(problem)
            .map(|text| format!("      {}", self.dim(&format!("# {text}"))))
            .collect()
    }
}

fn verb(change: &Change) -> String {
    match change.certain {
        true => change.action.to_string(),
        false => format!("may {}", change.action),
    }
}

/// True if a property's line already has the reason at this pointer.
fn is_told(change: &Change, pointer: &str) -> bool {
    change
        .properties
        .iter()
        .any(|property| property.replaces && property.pointer.starts_with(pointer))
}

fn remark(change: &Change, property: &PropertyChange) -> Option<String> {
    if property.replaces {
        let reason = change
            .reasons
            .iter()
            .find(|reason| !reason.pointer.is_empty() && property.pointer.starts_with(&reason.pointer));
        let why = reason.map_or("replaces the resource", |reason| &reason.message);
        return Some(match change.replaces_if_refused {
            true => format!("{why}; then the resource is replaced"),
            false => why.to_owned(),
        });
    }
    property
        .drifted
        .then(|| "changed outside of the blueprint; set back".to_owned())
}

/// `Tags[0].Value` for `/Tags/0/Value`
pub(super) fn path(pointer: &str) -> String {
    let mut path = String::new();
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        let is_index = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = key
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
        if is_index {
            path.push_str(&format!("[{key}]"));
        } else if !is_plain || key.is_empty() {
            path.push_str(&format!("[{}]", serde_json::Value::from(key)));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&key);
        }
    }
    path
}

pub(super) fn shown(shown: &Shown) -> String {
    match shown {
        Shown::Value(value) => cut(&value.to_string()),
        Shown::Secret => "(secret)".to_owned(),
        Shown::Hidden => "(hidden)".to_owned(),
        Shown::AfterDeploy => "(known after deploy)".to_owned(),
    }
}

/// A value on one line.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => {
            let rest = text.chars().count() - LONGEST_VALUE;
            format!("{}… ({rest} more)", text.get(..end).unwrap_or_default())
        }
        None => text.to_owned(),
    }
}

pub(super) fn pad(text: &str, width: usize) -> String {
    pad_str(text, width, Alignment::Left, None).into_owned()
}
