//! What the language has and this version cannot deploy: the one place to lift that.

use formwork_blueprint::{Blueprint, Span};

/// Something that keeps a valid blueprint from being deployed.
pub(super) struct Gap {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: &'static str,
}

/// Everything in a blueprint that cannot be deployed: one finding for each section and selector.
pub(super) fn gaps(blueprint: &Blueprint) -> Vec<Gap> {
    let data_sources = blueprint.data_sources.values().next().map(|first| Gap {
        span: first.span,
        message: "data sources are part of the language, but this version cannot look them up yet".to_owned(),
        help: "pass what they would find in variables",
    });
    let children = blueprint.children.values().next().map(|first| Gap {
        span: first.span,
        message: "child blueprints are part of the language, but this version cannot deploy them yet"
            .to_owned(),
        help: "deploy them by themselves, and pass their exports in variables",
    });
    // One per selector: its links stand side by side.
    let mut links: Vec<_> = blueprint.links.iter().collect();
    links.dedup_by_key(|link| &link.from);
    let links = links.into_iter().map(|link| Gap {
        span: link.span,
        message: format!(
            "`{}` is linked to `{}`, but this version cannot establish links yet",
            link.from, link.to
        ),
        help: "remove the selector, and write out what the link stands for",
    });
    data_sources.into_iter().chain(children).chain(links).collect()
}
