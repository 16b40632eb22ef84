//! What references resolve to, before and during a deployment.

use crate::deployment::{Deployment, Stage};
use crate::mask::Mask;
use crate::model::{Model, Node, small_first};
use formwork_blueprint::{Functions, Kind, Reference, Root, Segment, Template, Value, evaluate};
use formwork_schema::Attribute;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What is known of a deployed resource.
pub(crate) struct Known<'a> {
    pub(crate) identifier: Option<&'a str>,
    pub(crate) live: Option<Cow<'a, serde_json::Value>>,
    /// JSON Pointers of what is secret in `live`.
    pub(crate) hidden: Vec<&'a str>,
    /// JSON Pointers of what is not known yet in `live`.
    pub(crate) unknown: Vec<&'a str>,
    /// True if there will be more than `live` and `identifier` tell.
    pub(crate) partial: bool,
}

/// The parts of a resource that its author writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Spec,
    Metadata,
}

/// What the author has written, by resource and part, evaluated.
type Written = HashMap<(String, Section), Result<Rc<Value>, String>>;

type Look<'a> = Box<dyn Fn(&str) -> Option<Known<'a>> + 'a>;

/// Resolves references against a model and what is deployed of it. Values of resources that are not
/// deployed yet are unknown.
pub(crate) struct Scope<'a> {
    model: &'a Model,
    look: Look<'a>,
    written: RefCell<Written>,
}

impl<'a> Scope<'a> {
    /// Before anything is deployed.
    pub(crate) fn before(model: &'a Model) -> Self {
        Scope::new(model, Box::new(|_| None))
    }

    /// While a deployment runs: what is done in it is known.
    pub(crate) fn during(model: &'a Model, deployment: &'a Deployment) -> Self {
        let look = move |name: &str| {
            let resource = deployment
                .resources
                .get(name)
                .filter(|resource| resource.work.stage == Stage::Done)?;
            let hidden = resource.hidden().map(String::as_str).collect();
            Some(Known {
                identifier: resource.identifier.as_deref(),
                live: resource.live.as_ref().map(Cow::Borrowed),
                hidden,
                unknown: Vec::new(),
                partial: false,
            })
        };
        Scope::new(model, Box::new(look))
    }

    /// With another way to look resources up.
    pub(crate) fn new(model: &'a Model, look: Look<'a>) -> Self {
        Scope {
            model,
            look,
            written: RefCell::new(HashMap::new()),
        }
    }

    /// The value of what the author has written of a resource. It is evaluated once: values that refer to
    /// each other would otherwise cost twice as much with every step.
    fn written(&self, name: &str, section: Section) -> Result<Rc<Value>, String> {
        let key = (name.to_owned(), section);
        if let Some(known) = self.written.borrow().get(&key) {
            return known.clone();
        }
        // What it refers to comes first, so that a long chain of references is no deep recursion. References
        // between resources form no cycle, so this ends.
        let mut open = vec![(key.clone(), false)];
        while let Some((next, entered)) = open.pop() {
            if self.written.borrow().contains_key(&next) {
                continue;
            }
            let Some(template) = self.template(&next) else {
                continue;
            };
            if entered {
                let value = evaluate(template, self)
                    .map(Rc::new)
                    .map_err(|error| error.message);
                self.written.borrow_mut().insert(next, value);
            } else {
                open.push((next, true));
                open.extend(referred(template).map(|other| (other, false)));
            }
        }
        let known = self.written.borrow().get(&key).cloned();
        known.unwrap_or_else(|| Err(format!("there is no resource `{name}`")))
    }

    fn template(&self, (name, section): &(String, Section)) -> Option<&'a Template> {
        let resource = self.model.blueprint.resources.get(name)?;
        Some(match section {
            Section::Spec => &resource.spec,
            Section::Metadata => &resource.metadata,
        })
    }

    fn variable(&self, name: &str, path: &[Segment]) -> Result<Value, String> {
        let value = self
            .model
            .variables
            .get(name)
            .ok_or_else(|| format!("there is no variable `{name}`"))?;
        descend(value, path).ok_or_else(|| format!("variable `{name}` has no such part"))
    }

    fn resource(&self, name: &str, path: &[Segment]) -> Result<Value, String> {
        let Some((_, node)) = self.model.resource(name) else {
            // One whose type has turned out to be wrong is a problem of its own.
            let exists = self.model.blueprint.resources.contains_key(name);
            return if exists {
                Ok(Value::unknown())
            } else {
                Err(format!("there is no resource `{name}`"))
            };
        };
        let known = (self.look)(name);
        match path.split_first() {
            None => identifier(name, known.as_ref(), &self.model.mask),
            Some((Segment::Name(section), rest)) => match section.as_str() {
                "state" => self.state(name, node, known.as_ref(), rest),
                "spec" => self.spec(name, node, known.as_ref(), rest),
                "metadata" => descend(&*self.written(name, Section::Metadata)?, rest)
                    .ok_or_else(|| format!("the metadata of `{name}` has no such part")),
                other => Err(format!(
                    "`{name}` has `state`, `spec` and `metadata`, but no `{other}`"
                )),
            },
            Some((Segment::Index(_), _)) => Err(format!("`{name}` is no list")),
        }
    }

    fn state(
        &self,
        name: &str,
        node: &Node,
        known: Option<&Known<'_>>,
        path: &[Segment],
    ) -> Result<Value, String> {
        let Some(known) = known else {
            return Ok(Value::unknown());
        };
        let Some((first, rest)) = path.split_first() else {
            if known.partial {
                return Ok(Value::unknown());
            }
            return live(known, &self.model.mask).ok_or_else(|| format!("nothing is known of `{name}`"));
        };
        let Segment::Name(field) = first else {
            return Err(format!("the state of `{name}` is no list"));
        };
        match node.schema.attribute(field) {
            Ok(Attribute::Identifier) => identifier(name, Some(known), &self.model.mask),
            Ok(Attribute::Property(property)) => live_property(known, &property, &self.model.mask)
                .and_then(|live| descend(&live, rest))
                .or_else(|| known.partial.then(Value::unknown))
                .ok_or_else(|| format!("`{name}` was deployed, but its `{property}` has no such value")),
            Err(_) => Err(format!("`{name}` has no attribute `{field}`")),
        }
    }

    /// The author's own values; where there are none, what the service has filled in.
    fn spec(
        &self,
        name: &str,
        node: &Node,
        known: Option<&Known<'_>>,
        path: &[Segment],
    ) -> Result<Value, String> {
        if let Some(found) = descend(&*self.written(name, Section::Spec)?, path) {
            return Ok(found);
        }
        let Some(Segment::Name(field)) = path.first() else {
            return Err(format!("the spec of `{name}` is no list"));
        };
        match (node.schema.property_name(&[], field), known) {
            (Some(_), None) => Ok(Value::unknown()),
            (Some(property), Some(known)) => live_property(known, &property, &self.model.mask)
                .and_then(|live| descend(&live, path.get(1..).unwrap_or_default()))
                .or_else(|| known.partial.then(Value::unknown))
                .ok_or_else(|| format!("the spec of `{name}` has no value there")),
            (None, _) => Err(format!("the spec of `{name}` has no `{field}`")),
        }
    }
}

impl formwork_blueprint::Scope for Scope<'_> {
    fn resolve(&self, reference: &Reference) -> Result<Value, String> {
        match &reference.root {
            Root::Variable(name) => self.variable(name, &reference.path),
            Root::Resource(name) => self.resource(name, &reference.path),
            // Nothing looks them up yet; a deployment that would need them is refused.
            Root::DataSource(_) | Root::Child(_) => Ok(Value::unknown()),
        }
    }

    fn functions(&self) -> &Functions {
        &self.model.blueprint.functions
    }
}

/// A name that is, or holds, something secret makes an identifier that does.
fn identifier(name: &str, known: Option<&Known<'_>>, mask: &Mask) -> Result<Value, String> {
    match known {
        None => Ok(Value::unknown()),
        Some(known) => match known.identifier {
            Some(identifier) => Ok(Value {
                kind: Kind::String(identifier.to_owned()),
                secret: mask.hides(identifier),
            }),
            None if known.partial => Ok(Value::unknown()),
            None => Err(format!("`{name}` has no identifier")),
        },
    }
}

/// The live properties, tainted where they are, or equal, something secret.
fn live(known: &Known<'_>, mask: &Mask) -> Option<Value> {
    Some(marked(known, known.live.as_deref()?, "", mask))
}

/// One of them, without a look at the others.
fn live_property(known: &Known<'_>, property: &str, mask: &Mask) -> Option<Value> {
    let found = known.live.as_deref()?.get(property)?;
    let at = format!("/{}", property.replace('~', "~0").replace('/', "~1"));
    Some(marked(known, found, &at, mask))
}

/// What stands at `at` in the live properties.
fn marked(known: &Known<'_>, found: &serde_json::Value, at: &str, mask: &Mask) -> Value {
    let inside = |pointer: &&'_ str| {
        let rest = pointer.strip_prefix(at)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    };
    let mut value = Value::from_json(found);
    for pointer in known.hidden.iter().filter_map(inside) {
        taint_at(&mut value, &pointer);
    }
    taint_texts(&mut value, mask);
    for pointer in known.unknown.iter().filter_map(inside) {
        if let Some(found) = find(&mut value, &pointer) {
            found.kind = Kind::Unknown;
        }
    }
    value
}

/// Taints what stands at a JSON Pointer.
pub(crate) fn taint_at(value: &mut Value, pointer: &str) {
    if let Some(at) = find(value, pointer) {
        let found = std::mem::replace(at, Value::unknown());
        *at = found.into_secret();
    }
}

/// What stands at a JSON Pointer.
fn find<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    let mut at = value;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let next = match &mut at.kind {
            Kind::Map(members) => members.get_mut(&part),
            Kind::List(elements) => part
                .parse::<usize>()
                .ok()
                .and_then(|index| elements.get_mut(index)),
            _ => None,
        };
        at = next?;
    }
    Some(at)
}

fn taint_texts(value: &mut Value, mask: &Mask) {
    match &mut value.kind {
        Kind::String(text) if mask.hides(text) => value.secret = true,
        Kind::List(elements) => elements.iter_mut().for_each(|element| taint_texts(element, mask)),
        Kind::Map(members) => members.values_mut().for_each(|member| taint_texts(member, mask)),
        _ => {}
    }
}

/// The written parts of resources that a template refers to.
fn referred(template: &Template) -> impl Iterator<Item = (String, Section)> {
    template.references().into_iter().filter_map(|(reference, _)| {
        let Root::Resource(name) = &reference.root else {
            return None;
        };
        let section = match reference.path.first() {
            Some(Segment::Name(section)) if section == "spec" => Section::Spec,
            Some(Segment::Name(section)) if section == "metadata" => Section::Metadata,
            _ => return None,
        };
        Some((name.clone(), section))
    })
}

/// A part of a value; the author's spelling and the schema's, which differ in the first letter, both work.
fn descend(value: &Value, path: &[Segment]) -> Option<Value> {
    let mut at = value;
    let mut secret = at.secret;
    for segment in path {
        at = match (&at.kind, segment) {
            (Kind::Unknown, _) => break,
            (Kind::Map(members), Segment::Name(name)) => members.get(name).or_else(|| {
                let small = small_first(name);
                let mut members = members.iter();
                members
                    .find(|(key, _)| small_first(key) == small)
                    .map(|(_, member)| member)
            })?,
            (Kind::List(elements), Segment::Index(index)) => elements.get(*index)?,
            _ => return None,
        };
        secret |= at.secret;
    }
    Some(at.clone().tainted_if(secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name(name: &str) -> Segment {
        Segment::Name(name.into())
    }

    #[test]
    fn both_spellings_find_a_member_and_the_exact_one_wins() {
        let value =
            Value::from_json(&json!({"QueueName": "a", "queueName": "b", "TopicName": [1, {"x": 2}]}));
        assert_eq!(
            descend(&value, &[name("queueName")]),
            Some(Value::from_json(&json!("b")))
        );
        assert_eq!(
            descend(&value, &[name("topicName"), Segment::Index(1), name("X")]),
            Some(Value::from_json(&json!(2)))
        );
        assert_eq!(descend(&value, &[name("queuename")]), None);
    }

    #[test]
    fn taint_goes_down_with_the_path() {
        let value = Value::from_json(&json!({"a": {"b": "c"}})).into_secret();
        assert!(descend(&value, &[name("a"), name("b")]).is_some_and(|value| value.secret));
    }

    fn secret(text: &str) -> Value {
        Value {
            kind: Kind::String(text.into()),
            secret: true,
        }
    }

    #[test]
    fn live_values_that_hold_a_secret_are_tainted() {
        let secret = secret("hunter2");
        let known = Known {
            identifier: None,
            live: Some(Cow::Owned(
                json!({"Url": "db://hunter2@host", "Pin": 7, "Open": "x"}),
            )),
            hidden: vec!["/Pin"],
            unknown: Vec::new(),
            partial: false,
        };
        let live = live(&known, &Mask::of([&secret])).unwrap();
        assert_eq!(live.secret_pointers(), ["/Url", "/Pin"]);
        for (property, secret) in [("Url", true), ("Pin", true), ("Open", false)] {
            let found = live_property(&known, property, &Mask::of([&self::secret("hunter2")])).unwrap();
            assert_eq!(found.secret, secret, "{property}");
        }
    }
}
