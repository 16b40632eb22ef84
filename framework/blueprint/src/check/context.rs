//! What every part of the checker shares: the findings, and how nodes of an expected shape are read.

use super::declared::Declared;
use super::habits::{self, Hint, Hints};
use super::{Language, cloudformation, references};
use crate::diagnostic::{MAX_COLLECTED, collect};
use crate::graph::Graph;
use crate::spelling::{all_of, did_you_mean, nearest, shown};
use crate::substitution::{find_opening, is_quoted_name, unescape};
use crate::syntax::{Data, Entry, Key, Node, Positions, ScalarKind};
use crate::{Checker, Diagnostic, Format, Root, Severity, Source, Span, Template, codes, template};
use indexmap::IndexMap;
use std::cell::Cell;

pub(super) struct Context<'a> {
    pub(super) source: &'a Source,
    pub(super) language: &'a Language,
    pub(super) declared: &'a Declared,
    /// References between elements, by their numbers in [`Declared`].
    pub(super) graph: Graph,
    findings: Vec<Diagnostic>,
    /// The keys that each map lacks, told in one finding.
    missing: IndexMap<(Span, &'static str), (&'static Section, Vec<&'static str>)>,
    suggestions_left: Cell<usize>,
}

/// How many references to unknown names get a suggestion: looking for one costs as many comparisons as
/// there are names.
const MAX_SUGGESTIONS: usize = 50;

/// A kind of map whose keys are fixed.
pub(super) struct Section {
    /// With its article: `a resource`.
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static str],
    /// Advice for keys that people bring along from elsewhere.
    pub(super) hints: Hints,
    /// How one is written, for whoever wrote something else.
    pub(super) form: &'static str,
}

/// What to do about a key that is not known.
struct Advice {
    /// The key that was probably meant.
    meant: Option<&'static str>,
    text: String,
}

impl Section {
    fn advice(&self, entry: &Entry) -> Option<Advice> {
        let key = entry.key.text.as_str();
        let meant = |name: &'static str| Advice {
            meant: Some(name),
            text: format!("did you mean `{name}`?"),
        };
        match habits::find(self.hints, key) {
            Some(Hint::Is(name)) => Some(meant(name)),
            Some(Hint::Form(name, text)) => Some(Advice {
                meant: Some(name),
                text: text.to_owned(),
            }),
            Some(Hint::Instead(text)) => Some(Advice {
                meant: None,
                text: text.to_owned(),
            }),
            None if self.keys.contains(&"resources") && looks_like_resource(&entry.value) => Some(Advice {
                meant: Some("resources"),
                text: "a resource stands under `resources`".to_owned(),
            }),
            None => nearest(key, self.keys.iter().copied()).map(meant),
        }
    }
}

impl Section {
    /// The key that an unknown one was meant to be, by its spelling alone.
    pub(super) fn misspelling(&self, entry: &Entry) -> Option<&'static str> {
        let known = self.keys.contains(&&*entry.key.text) || looks_like_resource(&entry.value);
        if known {
            return None;
        }
        self.advice(entry).and_then(|advice| advice.meant)
    }
}

fn looks_like_resource(node: &Node) -> bool {
    let Data::Map(entries) = &node.data else {
        return false;
    };
    let kind = entries.iter().find(|entry| entry.key.text == "type");
    kind.and_then(|entry| entry.value.scalar())
        .is_some_and(|scalar| scalar.text.contains('/') || scalar.text.contains("::"))
}

/// The entries of a map and what to point at when one is missing.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    entries: &'n [Entry],
    pub(super) owner: Span,
    section: &'static Section,
}

impl<'n> Fields<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key.text == key)
    }

    pub(super) fn value(&self, key: &str) -> Option<&'n Node> {
        self.get(key).map(|entry| &entry.value)
    }

    /// True if an unknown key has been reported that was probably meant to be this one.
    pub(super) fn misspelt(&self, key: &str) -> bool {
        let unknown = self
            .entries
            .iter()
            .filter(|entry| !self.section.keys.contains(&entry.key.text.as_str()));
        unknown
            .filter_map(|entry| self.section.advice(entry))
            .any(|advice| advice.meant == Some(key))
    }
}

/// What template a reference or call stands in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Owner<'o> {
    /// Something that nothing can refer to.
    None,
    Resource(&'o str),
    DataSource(&'o str),
    Child(&'o str),
    /// The path of an include, where `${workingDir}` is known as well.
    ChildPath(&'o str),
}

impl Owner<'_> {
    /// Its reference root.
    pub(super) fn root(self) -> Option<Root> {
        match self {
            Owner::None => None,
            Owner::Resource(name) => Some(Root::Resource(name.to_owned())),
            Owner::DataSource(name) => Some(Root::DataSource(name.to_owned())),
            Owner::Child(name) | Owner::ChildPath(name) => Some(Root::Child(name.to_owned())),
        }
    }
}

impl<'a> Context<'a> {
    pub(super) fn new(
        source: &'a Source,
        checker: &'a Checker<'a>,
        declared: &'a Declared,
        findings: Vec<Diagnostic>,
    ) -> Self {
        Context {
            source,
            language: &checker.language,
            declared,
            graph: Graph::new(declared.elements()),
            findings,
            missing: IndexMap::new(),
            suggestions_left: Cell::new(MAX_SUGGESTIONS),
        }
    }

    /// The nearest declared name for one that is not declared, as long as that is affordable.
    pub(super) fn suggest(&self, root: &Root) -> Option<String> {
        let candidates = self.declared.candidates(root);
        self.can_suggest()
            .then(|| did_you_mean(root.name(), candidates))?
    }

    /// True as long as looking for the nearest of many names is affordable; each time counts.
    pub(super) fn can_suggest(&self) -> bool {
        let left = self.suggestions_left.get();
        self.suggestions_left.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether another error would be one too many to keep: then none is worth looking into.
    pub(super) fn is_full(&self) -> bool {
        self.findings.len() >= 2 * MAX_COLLECTED
    }

    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        for ((span, name), (section, keys)) in self.missing {
            let message = format!("{name} needs {}", all_of(&keys));
            let finding = Diagnostic::error(codes::MISSING_KEY, span, message);
            collect(
                &mut self.findings,
                finding.help(format!("as in `{}`", section.form)),
            );
        }
        self.findings
    }

    /// True if no error has been found so far.
    pub(super) fn is_sound(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }

    pub(super) fn report(&mut self, finding: Diagnostic) {
        collect(&mut self.findings, finding);
    }

    /// True where every scalar may have been turned into a string.
    pub(super) fn is_inline(&self) -> bool {
        self.source.format() == Format::Inline
    }

    /// The entries of a map; an empty one where nothing is written.
    pub(super) fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        match &node.data {
            Data::Map(entries) => Some(entries),
            Data::Scalar(scalar) if scalar.kind == ScalarKind::Null => Some(&[]),
            _ => {
                self.wrong_shape(node, what, "a map");
                None
            }
        }
    }

    pub(super) fn wrong_shape(&mut self, node: &Node, what: &str, expected: &str) {
        if let Some(finding) = cloudformation::value(node) {
            return self.report(finding);
        }
        let message = format!("{what} must be {expected}, found {}", node.noun());
        let help = slip(node, expected, self.source);
        let help = help.or_else(|| shape(node, expected).map(str::to_owned));
        self.report(Diagnostic::error(codes::WRONG_SHAPE, node.span, message).help_if(help));
    }

    fn not_its_form(&mut self, node: &Node, section: &Section) {
        let message = format!("{} must be a map, found {}", section.name, node.noun());
        let help = slip(node, "a map", self.source);
        let help = help.unwrap_or_else(|| format!("write it as in `{}`", section.form));
        self.report(Diagnostic::error(codes::WRONG_SHAPE, node.span, message).help(help));
    }

    /// The fields of a map with fixed keys; unknown ones are reported.
    pub(super) fn fields<'n>(
        &mut self,
        node: &'n Node,
        section: &'static Section,
        owner: Span,
    ) -> Option<Fields<'n>> {
        let entries = match &node.data {
            Data::Map(entries) => entries.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                self.not_its_form(node, section);
                return None;
            }
        };
        for entry in entries
            .iter()
            .filter(|entry| !section.keys.contains(&entry.key.text.as_str()))
        {
            self.unknown_key(entry, section);
        }
        Some(Fields {
            entries,
            owner,
            section,
        })
    }

    fn unknown_key(&mut self, entry: &Entry, section: &Section) {
        let key = &entry.key;
        let text = key.text.as_str();
        if find_opening(text).is_some() {
            return self.report(template::substitution_in_key(key.span, text));
        }
        if let Some(finding) = cloudformation::key(entry) {
            return self.report(finding);
        }
        let help = section
            .advice(entry)
            .map(|advice| advice.text)
            .unwrap_or_else(|| format!("it may have {}", all_of(section.keys)));
        let message = format!("unknown key `{}` in {}", shown(text), section.name);
        self.report(Diagnostic::error(codes::UNKNOWN_KEY, key.span, message).help(help));
    }

    /// A field that must be there.
    pub(super) fn required<'n>(&mut self, fields: Fields<'n>, key: &'static str) -> Option<&'n Node> {
        let found = fields.value(key);
        // Beyond what is shown of these findings, none need be remembered.
        let room = self.missing.len() < 2 * MAX_COLLECTED;
        if found.is_none() && room && !fields.misspelt(key) {
            let (_, keys) = self
                .missing
                .entry((fields.owner, fields.section.name))
                .or_insert((fields.section, Vec::new()));
            keys.push(key);
        }
        found
    }

    /// A string without substitutions; `code` is the finding if it holds one. Other scalars are taken as
    /// they are written, so that a label `1.10` stays `1.10`.
    pub(super) fn fixed_text(&mut self, node: &Node, what: &str, code: &'static str) -> Option<String> {
        let Some(scalar) = node.scalar().filter(|scalar| scalar.kind != ScalarKind::Null) else {
            self.wrong_shape(node, what, "a string");
            return None;
        };
        if self.refuse_substitutions(node, what, code) {
            return None;
        }
        Some(unescape(&scalar.text).into_owned())
    }

    /// Reports a substitution in a scalar that allows none.
    pub(super) fn refuse_substitutions(&mut self, node: &Node, what: &str, code: &'static str) -> bool {
        let Some(scalar) = node.scalar() else { return false };
        let Some(at) = find_opening(&scalar.text) else {
            return false;
        };
        let span = Positions::of(node, self.source.text()).span(at, at + 2);
        let message = format!("{what} allows no substitutions");
        self.report(
            Diagnostic::error(code, span, message).help("write the value out, or `$${` for a literal `${`"),
        );
        true
    }

    /// Reports substitutions anywhere in a tree that allows none.
    pub(super) fn refuse_all_substitutions(&mut self, node: &Node, what: &str, code: &'static str) {
        match &node.data {
            Data::Scalar(_) => {
                self.refuse_substitutions(node, what, code);
            }
            Data::List(items) => items
                .iter()
                .for_each(|item| self.refuse_all_substitutions(item, what, code)),
            Data::Map(entries) => {
                entries
                    .iter()
                    .for_each(|entry| self.refuse_all_substitutions(&entry.value, what, code));
            }
        }
    }

    /// A value that may hold substitutions at any depth.
    pub(super) fn template(&mut self, node: &Node, owner: Owner<'_>) -> Template {
        cloudformation::scan(node, &mut self.findings);
        let template = Template::build(node, self.source.text(), &mut self.findings);
        references::check(self, &template, owner);
        template
    }

    /// A template that must be a string.
    pub(super) fn text_template(&mut self, node: &Node, what: &str, owner: Owner<'_>) -> Option<Template> {
        if node.scalar().is_none_or(|scalar| scalar.kind == ScalarKind::Null) {
            self.wrong_shape(node, what, "a string");
            return None;
        }
        Some(self.template(node, owner))
    }

    /// Checks the name of an element: it must be possible to refer to it.
    pub(super) fn name(&mut self, key: &Key, what: &str) {
        if find_opening(&key.text).is_some() {
            return self.report(template::substitution_in_key(key.span, &key.text));
        }
        if is_quoted_name(&key.text) {
            return;
        }
        let message = match key.text.as_str() {
            "" => format!("{what} needs a name"),
            text => format!("`{}` is not a name for {what}", shown(text)),
        };
        let finding = Diagnostic::error(codes::INVALID_NAME, key.span, message);
        self.report(finding.help("names have letters, digits, `_`, `-` and `.`"));
    }
}

/// What the expected shape looks like.
fn shape(node: &Node, expected: &str) -> Option<&'static str> {
    match (expected, &node.data) {
        _ if node.is_null() => Some("write a value, or remove the key"),
        ("a map", Data::List(_)) => Some("a map has lines of the form `name: value`, without `-`"),
        ("a map", _) => Some("a map has lines of the form `name: value`"),
        ("a list", _) => Some("a list is written as `[a, b]`, or with a `- ` before each item"),
        ("a string", Data::List(_)) => Some("write one value, without brackets and `-`"),
        ("a string", Data::Map(_)) => Some("write one value"),
        _ => None,
    }
}

/// What to do where a value has another shape than expected because of a small slip.
fn slip(node: &Node, expected: &str, source: &Source) -> Option<String> {
    let scalar = node.scalar().filter(|scalar| scalar.kind == ScalarKind::String)?;
    let quoted = source
        .text()
        .get(node.span.start..)
        .is_some_and(|text| text.starts_with(['"', '\'']));
    let text = scalar.text.trim();
    match expected {
        "`true` or `false`" if quoted && matches!(text, "true" | "false") => {
            Some("remove the quotes".to_owned())
        }
        "a map" if !quoted => {
            let (name, rest) = text.split_once(':')?;
            let meant = is_quoted_name(name) && !rest.is_empty() && !rest.starts_with([':', '/', ' ']);
            meant.then(|| format!("put a space after `{name}:`"))
        }
        "a list" if !quoted && text.starts_with('-') => Some("put a space after each `-`".to_owned()),
        _ => None,
    }
}
