//! Where the path of a reference leads: through what the author has written out, and through resource types.

use super::super::references::METADATA_FIELDS;
use super::Types;
use super::expressions::Known;
use crate::spelling::{did_you_mean, nearest, one_of};
use crate::substitution::Expression;
use crate::template::Body;
use crate::{
    Kind, Property, Resource, Root, Segment, Side, Template, Type, Value, VariableType, codes, typed,
};

/// How many values that are references themselves are followed.
pub(super) const MAX_HOPS: usize = 8;

/// A path that leads nowhere.
pub(super) struct Missing {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

type Look = Result<Known, Box<Missing>>;

impl Types<'_> {
    /// What stands at the end of a path. Names and sections have been judged before: what is wrong with those
    /// is not said again.
    pub(super) fn look(&self, root: &Root, path: &[Segment], hops: usize) -> Look {
        let anything = Ok(Type::ANY.into());
        match root {
            Root::Variable(name) => match self.blueprint.variables.get(name) {
                Some(variable) if path.is_empty() => Ok(Type::from(&variable.kind).into()),
                _ => anything,
            },
            Root::Resource(name) => match (self.blueprint.resources.get(name), path.split_first()) {
                (Some(resource), Some((Segment::Name(section), _))) => match section.as_str() {
                    "state" => self.state(root, resource, path),
                    "spec" => self.declared(root, path, (resource, &resource.spec), hops),
                    "metadata" if is_metadata(path) => {
                        self.declared(root, path, (resource, &resource.metadata), hops)
                    }
                    _ => anything,
                },
                // The primary identifier.
                (Some(_), None) => Ok(Type::STRING.into()),
                _ => anything,
            },
            Root::DataSource(name) => {
                let field = match path.first() {
                    Some(Segment::Name(field)) => field,
                    _ => return anything,
                };
                let source = self.blueprint.data_sources.get(name);
                match source.and_then(|source| source.exports.get(field)) {
                    Some(export) => exported(root, path, Type::from(export.kind)),
                    None => anything,
                }
            }
            Root::Child(name) => {
                let interface = self.blueprint.children.get(name);
                let interface = interface.and_then(|child| child.interface.as_ref());
                let kind = match (interface, path.first()) {
                    (Some(interface), Some(Segment::Name(export))) => interface.exports.get(export),
                    _ => None,
                };
                match kind {
                    Some(kind) => child_export(root, path, Type::from(*kind)),
                    None => anything,
                }
            }
        }
    }

    fn state(&self, root: &Root, resource: &Resource, path: &[Segment]) -> Look {
        let inside = path.get(1..).unwrap_or_default();
        if inside.is_empty() {
            return Ok(Type::MAP.into());
        }
        match self.property(resource, Side::State, inside) {
            Property::NotKnown | Property::FreeForm => Ok(Type::ANY.into()),
            Property::Of(kind) => Ok(kind.into()),
            Property::WriteOnly => Err(self.place(root, path, 1).write_only(resource)),
            Property::Missing { at, within, names } => {
                let place = self.place(root, path, at + 1);
                Err(place.missing_in_type(resource, within, &names))
            }
        }
    }

    /// What the author has written in a resource's `spec` or `metadata`.
    fn declared(&self, root: &Root, path: &[Segment], within: (&Resource, &Template), hops: usize) -> Look {
        let (resource, template) = within;
        let is_spec = matches!(path.first(), Some(Segment::Name(section)) if section == "spec");
        let mut here = template;
        for (at, segment) in path.iter().enumerate().skip(1) {
            let place = self.place(root, path, at);
            let next = match (&here.body, segment) {
                (Body::Whole(expression), _) => {
                    return self.through(expression, path.get(at..).unwrap_or_default(), hops);
                }
                (Body::Map(fields), Segment::Name(name)) => {
                    let other = is_spec.then(|| other_case(name));
                    let field = fields.get(name).or_else(|| fields.get(other.as_deref()?));
                    field.map(|field| &field.value)
                }
                (Body::List(items), Segment::Index(index)) => items.get(*index),
                _ => None,
            };
            match next {
                Some(next) => here = next,
                None if is_spec => return self.filled_in(place, resource, here),
                None => return Err(place.missing_in(here)),
            }
        }
        match &here.body {
            Body::Whole(expression) => Ok(self.through(expression, &[], hops).unwrap_or(Type::ANY.into())),
            body => Ok(self.literal(body)),
        }
    }

    /// What the author has left out of a specification: the service may fill it in, if the type has it.
    fn filled_in(&self, place: Place<'_>, resource: &Resource, here: &Template) -> Look {
        let inside = place.path.get(1..).unwrap_or_default();
        // JSON in a string may come back as what it holds.
        let may_be_more = match &here.body {
            Body::Map(_) => true,
            Body::String(text) => text.trim_start().starts_with(['{', '[']),
            Body::Text(_) => true,
            _ => false,
        };
        match self.property(resource, Side::Spec, inside) {
            Property::NotKnown | Property::WriteOnly if may_be_more => Ok(Type::ANY.into()),
            Property::Of(kind) if may_be_more => Ok(kind.into()),
            Property::Missing { at, within, names }
                if at + 1 == place.at && matches!(here.body, Body::Map(_)) =>
            {
                let mut names = names;
                if let (Body::Map(fields), Some(Segment::Name(name))) = (&here.body, place.path.get(place.at))
                {
                    // What the author has written is nearer than what the type has.
                    let own = place.suggest.then(|| nearest(name, fields.keys())).flatten();
                    if let Some(own) = own.filter(|own| !names.iter().any(|name| name == own)) {
                        names.insert(0, own.to_owned());
                    }
                }
                Err(place.missing_in_type(resource, within, &names))
            }
            _ => Err(place.missing_in(here)),
        }
    }

    fn place<'p>(&self, root: &'p Root, path: &'p [Segment], at: usize) -> Place<'p> {
        Place {
            root,
            path,
            at,
            suggest: self.suggest,
        }
    }

    fn property(&self, resource: &Resource, side: Side, path: &[Segment]) -> Property {
        match self.resource_types {
            Some(types) => types.property(&resource.type_name, side, path),
            None => Property::NotKnown,
        }
    }

    /// The value of a substitution that a path leads through. What is wrong inside it is said where it stands.
    fn through(&self, expression: &Expression, rest: &[Segment], hops: usize) -> Look {
        let Some(hops) = hops.checked_sub(1) else {
            return Ok(Type::ANY.into());
        };
        match expression {
            Expression::Literal(literal, _) if rest.is_empty() => Ok(literal.into()),
            Expression::Call(call) if rest.is_empty() => {
                let function = self.blueprint.functions.find(&call.name);
                Ok(function.map_or(Type::ANY, |function| function.returns).into())
            }
            Expression::Reference(reference) if rest.is_empty() => {
                let found = self.look(&reference.root, &reference.path, hops);
                Ok(found.unwrap_or(Type::ANY.into()))
            }
            Expression::Reference(reference) => {
                let path: Vec<Segment> = reference.path.iter().chain(rest).cloned().collect();
                self.look(&reference.root, &path, hops)
            }
            Expression::Literal(..) | Expression::Call(_) => Ok(Type::ANY.into()),
        }
    }

    /// What is written out. CloudFormation turns every scalar of an inline blueprint into a string, so that
    /// there a string may be more.
    pub(super) fn literal(&self, body: &Body) -> Known {
        let value: Value = match body {
            Body::Null => Kind::Null.into(),
            Body::Bool(bool) => Kind::Bool(*bool).into(),
            Body::Number(number) => Kind::Number(number.clone()).into(),
            Body::String(text) => Value::string(text.clone()),
            Body::List(_) => return Type::LIST.into(),
            Body::Map(_) => return Type::MAP.into(),
            Body::Text(_) => return Type::STRING.into(),
            Body::Whole(_) => return Type::ANY.into(),
        };
        let mut known = Known::from(value.clone());
        if self.blueprint.inline {
            for kind in [VariableType::Boolean, VariableType::Integer, VariableType::Float] {
                if typed::of_type(&kind, &value, true).is_some() {
                    known.kind = known.kind.or(Type::from(&kind));
                }
            }
        }
        known
    }
}

/// A field of a data source, or an item of it: a scalar.
fn exported(root: &Root, path: &[Segment], kind: Type) -> Look {
    match path.get(1..) {
        Some([]) => Ok(kind.into()),
        Some([Segment::Index(_)]) if kind.may_be(Type::LIST) => Ok(Type::SCALAR.into()),
        Some([segment @ Segment::Index(_)]) => Err(Place::plain(root, path).wrong_step(segment, kind)),
        _ => Ok(Type::ANY.into()),
    }
}

/// An export of a child, or something in it, of which nothing is known.
fn child_export(root: &Root, path: &[Segment], kind: Type) -> Look {
    match path.get(1) {
        None => Ok(kind.into()),
        Some(Segment::Index(_)) if kind.may_be(Type::LIST) => Ok(Type::ANY.into()),
        Some(Segment::Name(_)) if kind.may_be(Type::MAP) => Ok(Type::ANY.into()),
        Some(segment) => Err(Place::plain(root, path).wrong_step(segment, kind)),
    }
}

/// A path into metadata whose first step can be.
fn is_metadata(path: &[Segment]) -> bool {
    match path.get(1) {
        None => true,
        Some(Segment::Name(field)) => METADATA_FIELDS.contains(&field.as_str()),
        Some(Segment::Index(_)) => false,
    }
}

/// The same name with its first letter in the other case: resource types take both.
fn other_case(name: &str) -> String {
    let mut letters = name.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let first = if first.is_ascii_uppercase() {
        first.to_ascii_lowercase()
    } else {
        first.to_ascii_uppercase()
    };
    std::iter::once(first).chain(letters).collect()
}

/// A step of a path, for messages.
#[derive(Clone, Copy)]
struct Place<'p> {
    root: &'p Root,
    path: &'p [Segment],
    at: usize,
    /// Whether to look for what was meant.
    suggest: bool,
}

impl<'p> Place<'p> {
    /// The second step of a path, with no names to suggest.
    fn plain(root: &'p Root, path: &'p [Segment]) -> Self {
        Place {
            root,
            path,
            at: 1,
            suggest: false,
        }
    }

    /// `resources.queue.spec.list[0]`: everything before the step.
    fn before(&self) -> String {
        let before = self.path.iter().take(self.at);
        before.fold(self.root.to_string(), |text, segment| format!("{text}{segment}"))
    }

    fn missing(code: &'static str, message: String, help: Option<String>) -> Box<Missing> {
        Box::new(Missing { code, message, help })
    }

    /// The step leads nowhere in what the author has written out.
    fn missing_in(&self, here: &Template) -> Box<Missing> {
        let before = self.before();
        let (message, help) = match (self.path.get(self.at), &here.body) {
            (Some(Segment::Name(name)), Body::Map(_)) if self.at == 1 => {
                let message = format!("`{}` has no `{name}` in its metadata", self.root.name());
                (message, None)
            }
            (Some(Segment::Name(name)), Body::Map(fields)) => {
                let keys = || fields.keys();
                let look = || self.dotted(keys()).or_else(|| did_you_mean(name, keys()));
                let help = self.suggest.then(look).flatten();
                (format!("`{before}` has no field `{name}`"), help)
            }
            (Some(Segment::Index(index)), Body::List(items)) => {
                let count = match items.len() {
                    0 => "it is empty".to_owned(),
                    1 => "it has 1 item, number 0".to_owned(),
                    many => format!("it has {many} items, numbered from 0"),
                };
                (format!("`{before}` has no item {index}: {count}"), None)
            }
            (Some(segment), body) => return self.wrong_step(segment, shape(body)),
            (None, _) => (format!("`{before}` has no value"), None),
        };
        Place::missing(codes::UNKNOWN_FIELD, message, help)
    }

    /// The step leads nowhere as the resource's type has it.
    fn missing_in_type(&self, resource: &Resource, within: Type, names: &[String]) -> Box<Missing> {
        let near: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
        let help = (!near.is_empty()).then(|| format!("did you mean {}?", one_of(&near)));
        let is_state = matches!(self.path.first(), Some(Segment::Name(section)) if section == "state");
        let code = if is_state {
            codes::UNKNOWN_ATTRIBUTE
        } else {
            codes::UNKNOWN_PROPERTY
        };
        let (name, type_name) = (self.root.name(), &resource.type_name);
        match self.path.get(self.at) {
            Some(Segment::Name(field)) if self.at == 1 => {
                let what = if is_state { "attribute" } else { "property" };
                let message = format!("`{name}` ({type_name}) has no {what} `{field}`");
                Place::missing(code, message, help)
            }
            Some(Segment::Name(field)) if within.may_be(Type::MAP) => {
                let message = format!("`{}` has no field `{field}`", self.before());
                Place::missing(code, message, help)
            }
            Some(segment) => Box::new(Missing {
                code,
                ..*self.wrong_step(segment, within)
            }),
            None => Place::missing(code, format!("`{}` has no value", self.before()), help),
        }
    }

    /// What is given to the service and never told.
    fn write_only(&self, resource: &Resource) -> Box<Missing> {
        let inside: String = self.path.iter().skip(self.at).map(Segment::to_string).collect();
        let (name, type_name) = (self.root.name(), &resource.type_name);
        let property = inside.trim_start_matches('.');
        let message = format!("`{name}` ({type_name}) never tells its `{property}`: it is write-only");
        let help = format!("refer to what is given to it: `{}.spec{inside}`", self.root);
        Place::missing(codes::UNKNOWN_ATTRIBUTE, message, Some(help))
    }

    /// A field of what has none, or an item of it.
    fn wrong_step(&self, segment: &Segment, within: Type) -> Box<Missing> {
        let before = self.before();
        let (message, help) = match segment {
            Segment::Name(name) if within == Type::LIST => {
                let help = format!("pick one of its items: `{before}[0].{name}`");
                (
                    format!("`{before}` is a list: it has no field `{name}`"),
                    Some(help),
                )
            }
            Segment::Name(_) => (format!("`{before}` is {within}: it has no fields"), None),
            Segment::Index(_) => (format!("`{before}` is {within}: it has no items"), None),
        };
        Place::missing(codes::UNKNOWN_FIELD, message, help)
    }

    /// A key with dots in it that was written without quotes.
    fn dotted<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Option<String> {
        let rest = self.path.get(self.at..)?;
        let names: Vec<&str> = rest
            .iter()
            .map_while(|segment| match segment {
                Segment::Name(name) => Some(name.as_str()),
                Segment::Index(_) => None,
            })
            .collect();
        let dotted = names.join(".");
        let mut found = keys.filter(|key| {
            key.contains('.')
                && dotted
                    .strip_prefix(key)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        found
            .next()
            .map(|key| format!("a name with dots needs quotes: `{}[\"{key}\"]`", self.before()))
    }
}

fn shape(body: &Body) -> Type {
    match body {
        Body::Null => Type::NULL,
        Body::Bool(_) => Type::BOOLEAN,
        Body::Number(_) => Type::NUMBER,
        Body::String(_) | Body::Text(_) => Type::STRING,
        Body::List(_) => Type::LIST,
        Body::Map(_) => Type::MAP,
        Body::Whole(_) => Type::ANY,
    }
}
