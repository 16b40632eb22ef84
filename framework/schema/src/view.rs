//! What a schema says about one place, with every `$ref` followed and every branch in sight.
//!
//! Names, coercion and the update strategy want to know what a property *may* be. So a [`View`] is the union
//! of all the schemas that may apply: the siblings of a `$ref`, its target, and the branches of `allOf`,
//! `anyOf` and `oneOf`. Validation is exact instead, and has its own walk (`check`).

use serde_json::{Map, Value};

/// A `$ref` chain or a nest of branches longer than this leads nowhere new.
const DEPTH_LIMIT: usize = 16;

/// The schemas that may apply to one place; empty where nothing is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct View<'s> {
    layers: Vec<&'s Map<String, Value>>,
    root: Option<&'s Value>,
}

impl<'s> View<'s> {
    /// The view of the whole resource.
    pub(crate) fn of(document: &'s Value) -> Self {
        let mut view = View {
            layers: Vec::new(),
            root: Some(document),
        };
        view.add(document, DEPTH_LIMIT);
        view
    }

    /// True where the schema says nothing that could guide a reader.
    pub(crate) fn is_free_form(&self) -> bool {
        !self.has("properties") && !self.has("patternProperties") && !self.has("items")
    }

    /// True if the place may be an object with declared properties.
    pub(crate) fn has_properties(&self) -> bool {
        self.has("properties")
    }

    /// True if the place may be a map: an object whose keys are the author's.
    pub(crate) fn is_map(&self) -> bool {
        self.has("patternProperties")
    }

    /// True if one of the schemas has this keyword.
    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.layers.iter().any(|layer| layer.contains_key(keyword))
    }

    /// The first value of a keyword.
    pub(crate) fn keyword(&self, keyword: &str) -> Option<&'s Value> {
        self.layers.iter().find_map(|layer| layer.get(keyword))
    }

    /// True if `type` is one of those declared, or none is.
    pub(crate) fn may_be(&self, kind: &str) -> bool {
        let mut declared = false;
        for layer in &self.layers {
            match layer.get("type") {
                Some(Value::String(one)) if one == kind => return true,
                Some(Value::Array(several)) if several.iter().any(|one| one == kind) => return true,
                Some(_) => declared = true,
                None => {}
            }
        }
        !declared
    }

    /// The types declared, in order, each once.
    pub(crate) fn types(&self) -> Vec<&'s str> {
        let mut types = Vec::new();
        let declared = self.layers.iter().filter_map(|layer| layer.get("type"));
        for one in declared.flat_map(|kind| match kind {
            Value::Array(several) => several.iter().collect(),
            one => vec![one],
        }) {
            if let Some(one) = one.as_str().filter(|one| !types.contains(one)) {
                types.push(one);
            }
        }
        types
    }

    /// Names of the declared properties, in order, each once.
    pub(crate) fn property_names(&self) -> Vec<&'s str> {
        let mut names = Vec::new();
        for name in self.maps("properties").flat_map(Map::keys) {
            if !names.contains(&name.as_str()) {
                names.push(name.as_str());
            }
        }
        names
    }

    /// The declared property of exactly this name.
    pub(crate) fn property(&self, name: &str) -> Option<View<'s>> {
        self.gather(
            self.maps("properties")
                .filter_map(|properties| properties.get(name)),
        )
    }

    /// The values of a map; all patterns at once.
    pub(crate) fn map_values(&self) -> View<'s> {
        self.gather(self.maps("patternProperties").flat_map(Map::values))
            .unwrap_or_default()
    }

    /// The elements of an array.
    pub(crate) fn items(&self) -> View<'s> {
        self.gather(self.layers.iter().filter_map(|layer| layer.get("items")))
            .unwrap_or_default()
    }

    /// The member `key`: a declared property, else a value of the map.
    pub(crate) fn member(&self, key: &str) -> View<'s> {
        self.property(key).unwrap_or_else(|| self.map_values())
    }

    /// What lies at the end of these segments of a JSON Pointer or property pointer.
    pub(crate) fn at(&self, segments: &[String]) -> View<'s> {
        segments
            .iter()
            .fold(self.clone(), |view, segment| view.step(segment))
    }

    fn step(&self, segment: &str) -> View<'s> {
        let is_element = segment == "*" || segment.bytes().all(|byte| byte.is_ascii_digit());
        if self.has("items") && is_element {
            self.items()
        } else {
            self.member(segment)
        }
    }

    /// The declared name that `name` means: the same, or the same but for the case of the capitals it
    /// starts with (`dbInstanceClass` is `DBInstanceClass`).
    pub(crate) fn name_of(&self, name: &str) -> Option<&'s str> {
        let exact = self
            .maps("properties")
            .find_map(|properties| properties.get_key_value(name));
        exact
            .map(|(declared, _)| declared)
            .or_else(|| {
                let mut names = self.maps("properties").flat_map(Map::keys);
                names.find(|declared| same_but_first_letters(declared, name))
            })
            .map(String::as_str)
    }

    fn maps(&self, keyword: &'static str) -> impl Iterator<Item = &'s Map<String, Value>> {
        self.layers
            .iter()
            .filter_map(move |layer| layer.get(keyword).and_then(Value::as_object))
    }

    fn gather(&self, schemas: impl Iterator<Item = &'s Value>) -> Option<View<'s>> {
        let mut view = View {
            layers: Vec::new(),
            root: self.root,
        };
        let mut any = false;
        for schema in schemas {
            any = true;
            view.add(schema, DEPTH_LIMIT);
        }
        any.then_some(view)
    }

    fn add(&mut self, schema: &'s Value, depth: usize) {
        let (Some(layer), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
            return;
        };
        if self.layers.iter().any(|known| std::ptr::eq(*known, layer)) {
            return;
        }
        self.layers.push(layer);
        if let Some(target) = layer
            .get("$ref")
            .and_then(|reference| resolve(self.root, reference))
        {
            self.add(target, depth);
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in layer.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                self.add(branch, depth);
            }
        }
    }
}

/// The target of a local `$ref`.
pub(crate) fn resolve<'s>(root: Option<&'s Value>, reference: &Value) -> Option<&'s Value> {
    root?.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// True if the names differ at most in the case of the capitals that `declared` starts with.
fn same_but_first_letters(declared: &str, name: &str) -> bool {
    let capitals = declared.bytes().take_while(u8::is_ascii_uppercase).count().max(1);
    declared.len() == name.len()
        && declared
            .bytes()
            .zip(name.bytes())
            .enumerate()
            .all(|(index, (a, b))| a == b || (index < capitals && a.eq_ignore_ascii_case(&b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_match_but_for_the_first_letters() {
        for (declared, name, same) in [
            ("FunctionName", "functionName", true),
            ("FunctionName", "FunctionName", true),
            ("DBInstanceClass", "dbInstanceClass", true),
            ("VpcId", "vpcId", true),
            ("VpcId", "VPCId", false),
            ("ARN", "arn", true),
            ("type", "Type", true),
            ("FunctionName", "functionname", false),
            ("FunctionName", "functionNam", false),
        ] {
            assert_eq!(same_but_first_letters(declared, name), same, "{declared} {name}");
        }
    }

    #[test]
    fn references_branches_and_cycles_are_seen_through() {
        let document = json!({
            "properties": {
                "Tree": {"$ref": "#/definitions/Node", "description": "a tree"},
                "Either": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"X": {"type": "integer"}}}]},
                "Map": {"type": "object", "patternProperties": {".*": {"type": "boolean"}}},
            },
            "definitions": {
                "Node": {"type": "object", "properties": {"Children": {"type": "array", "items": {"$ref": "#/definitions/Node"}}}},
                "Loop": {"$ref": "#/definitions/Loop"},
            },
        });
        let view = View::of(&document);
        let path = ["Tree", "Children", "*", "Children", "0"].map(str::to_owned);
        assert_eq!(view.at(&path).property_names(), ["Children"]);
        assert_eq!(view.member("Tree").keyword("description"), Some(&json!("a tree")));
        assert_eq!(view.member("Either").types(), ["string", "object"]);
        assert_eq!(
            view.at(&["Either".to_owned(), "X".to_owned()]).types(),
            ["integer"]
        );
        assert!(view.member("Map").member("any key").may_be("boolean"));
        assert!(!view.member("Map").member("any key").may_be("string"));
        assert!(view.member("Missing").is_free_form());
        assert_eq!(view.name_of("tree"), Some("Tree"));
    }
}
