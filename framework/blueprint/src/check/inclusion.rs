//! Which blueprints include which, down to the bottom.

use super::check_within;
use crate::{Checker, Interface, Severity, Source, codes};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// How many levels of children a blueprint may have below it.
const MAX_LEVELS: usize = 5;

/// The way from the blueprint whose check was asked for down to one that it includes, and what has been found
/// out so far.
#[derive(Clone)]
pub(super) struct Inclusion {
    /// Names of sources, the outermost first, the one that is being checked last.
    chain: Vec<String>,
    /// What was found in a blueprint at a level: a blueprint that is included twice is checked once.
    seen: Rc<RefCell<HashMap<(String, usize), Found>>>,
}

pub(super) type Found = Result<Arc<Interface>, Trouble>;

/// Why a child cannot be used.
#[derive(Clone)]
pub(super) struct Trouble {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Inclusion {
    pub(super) fn of(source: &Source) -> Self {
        Inclusion {
            chain: vec![source.name().to_owned()],
            seen: Rc::default(),
        }
    }

    /// Checks a child of the last one in the chain, which includes it as `include`.
    pub(super) fn look(&self, include: &str, child: &Source, checker: &Checker<'_>) -> Found {
        let name = child.name();
        let path = || {
            let names = self.chain.iter().map(String::as_str).chain([name]);
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            names.join(" -> ")
        };
        if self.chain.iter().any(|above| above == name) {
            return Err(Trouble {
                code: codes::INCLUSION_CYCLE,
                message: format!("`{name}` includes itself: {}", path()),
                help: Some("remove one of these includes".to_owned()),
            });
        }
        if self.chain.len() > MAX_LEVELS {
            return Err(Trouble {
                code: codes::INCLUSION_TOO_DEEP,
                message: format!(
                    "blueprints are included through more than {MAX_LEVELS} levels: {}",
                    path()
                ),
                help: Some("include it further up".to_owned()),
            });
        }
        let key = (name.to_owned(), self.chain.len());
        if let Some(found) = self.seen.borrow().get(&key) {
            return found.clone();
        }
        let mut below = self.clone();
        below.chain.push(name.to_owned());
        let found = interface(include, child, checker, &below);
        self.seen.borrow_mut().insert(key, found.clone());
        found
    }
}

fn interface(include: &str, child: &Source, checker: &Checker<'_>, inclusion: &Inclusion) -> Found {
    let checked = check_within(child, checker, inclusion);
    if let Some(blueprint) = checked.blueprint {
        return Ok(Arc::new(blueprint.interface()));
    }
    let errors = || {
        let findings = checked.diagnostics.iter();
        findings.filter(|finding| finding.severity == Severity::Error)
    };
    // A chain that is wrong as a whole is told as a whole.
    let chain = [codes::INCLUSION_CYCLE, codes::INCLUSION_TOO_DEEP];
    if let Some(finding) = errors().find(|finding| chain.contains(&finding.code)) {
        return Err(Trouble {
            code: finding.code,
            message: finding.message.clone(),
            help: finding.help.clone(),
        });
    }
    let first = errors().next().map(|finding| match finding.code {
        // Its own advice is the advice given below.
        codes::INVALID_CHILD => format!("{}: {}", child.location(finding.span), finding.message),
        _ => finding.one_line(child),
    });
    let more = match errors().count().saturating_sub(1) {
        0 => String::new(),
        1 => ", and 1 more error".to_owned(),
        more => format!(", and {more} more errors"),
    };
    Err(Trouble {
        code: codes::INVALID_CHILD,
        message: format!(
            "the child blueprint `{include}` is not valid: {}{more}",
            first.unwrap_or_default()
        ),
        help: Some("check that blueprint by itself".to_owned()),
    })
}
