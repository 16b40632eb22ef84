//! What the language has and this version does not deploy yet: the one place to lift that.

use super::context::{Context, Fields};
use crate::syntax::{Data, Entry};
use crate::{Diagnostic, codes};

/// Sections whose shape is checked and which nothing deploys.
const SECTIONS: [&str; 3] = ["transform", "datasources", "include"];

pub(super) fn refuse_undeployable(context: &mut Context<'_>, document: Fields<'_>) {
    let sections = SECTIONS.iter().filter_map(|key| document.get(key));
    let selectors = match document.value("resources").map(|node| &node.data) {
        Some(Data::Map(resources)) => resources.as_slice(),
        _ => &[],
    };
    let selectors = selectors
        .iter()
        .filter_map(|resource| match &resource.value.data {
            Data::Map(fields) => fields.iter().find(|field| field.key.text == "linkSelector"),
            _ => None,
        });
    let found: Vec<&Entry> = sections.chain(selectors).collect();
    for entry in found {
        let message = format!(
            "`{}` is part of the language but cannot be deployed yet",
            entry.key.text
        );
        let finding = Diagnostic::error(codes::UNSUPPORTED_SECTION, entry.key.span, message);
        context.report(finding.help("remove it to deploy the rest"));
    }
}
