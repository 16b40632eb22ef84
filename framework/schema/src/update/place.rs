//! Where a walk is: in the desired document, in the live one, and in the rules of the type.

use crate::pointer::join;
use crate::rules::Rule;

/// One step on the way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment<'h> {
    Member(&'h str),
    Element(usize),
    /// An element that the other document does not have.
    Any,
    /// Behind the last element.
    End,
}

impl Segment<'_> {
    fn text(self) -> String {
        match self {
            Self::Member(key) => key.to_owned(),
            Self::Element(index) => index.to_string(),
            Self::Any => "*".to_owned(),
            Self::End => "-".to_owned(),
        }
    }
}

/// One place in both documents; they differ below an array whose elements were paired across indices. It is
/// linked to the place around it, and its paths are written out only where they are needed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'h> {
    up: Option<&'h Place<'h>>,
    desired: Segment<'h>,
    live: Segment<'h>,
    /// What applies here.
    pub(super) rule: Rule<'h>,
    /// An element of an array, where `add` would insert instead of set.
    pub(super) is_element: bool,
}

impl<'h> Place<'h> {
    pub(super) fn root(rule: Rule<'h>) -> Self {
        Self {
            up: None,
            desired: Segment::Any,
            live: Segment::Any,
            rule,
            is_element: false,
        }
    }

    pub(super) fn member(&'h self, key: &'h str) -> Self {
        Self {
            up: Some(self),
            desired: Segment::Member(key),
            live: Segment::Member(key),
            rule: self.rule.member(key),
            is_element: false,
        }
    }

    pub(super) fn element(&'h self, desired: Segment<'h>, live: Segment<'h>) -> Self {
        Self {
            up: Some(self),
            desired,
            live,
            rule: self.rule.element(),
            is_element: true,
        }
    }

    /// The segments in the desired document.
    pub(super) fn desired(&self) -> Vec<String> {
        self.path(|place| place.desired)
    }

    /// The segments in the live model.
    pub(super) fn live(&self) -> Vec<String> {
        self.path(|place| place.live)
    }

    /// The JSON Pointer in the desired document.
    pub(super) fn pointer(&self) -> String {
        join(&self.desired())
    }

    /// True if the segments in the desired document are these.
    pub(super) fn is_at(&self, segments: &[String]) -> bool {
        let mut here = Some(self).filter(|place| place.up.is_some());
        let mut rest = segments;
        while let Some(place) = here {
            let Some((last, before)) = rest.split_last() else {
                return false;
            };
            if !matches!(place.desired, Segment::Member(key) if key == last) {
                return false;
            }
            rest = before;
            here = place.up.filter(|up| up.up.is_some());
        }
        rest.is_empty()
    }

    fn path(&self, segment: impl Fn(&Place<'h>) -> Segment<'h>) -> Vec<String> {
        let mut path = Vec::new();
        let mut here = Some(self);
        while let Some(place) = here {
            if place.up.is_some() {
                path.push(segment(place).text());
            }
            here = place.up;
        }
        path.reverse();
        path
    }
}
