//! Links: which resources are selected by whose labels.

use crate::spelling::did_you_mean;
use crate::{Diagnostic, Resource, Span, codes};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::sync::Arc;

/// The condition of a resource's `linkSelector`: a resource is selected that has all of these labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSelector {
    /// Labels and their values, at least one.
    pub by_label: Arc<IndexMap<String, String>>,
    /// The whole of `byLabel`.
    pub span: Span,
}

/// A resource makes use of another: it selects it by its labels.
///
/// Links stay within a blueprint, and no resource is linked to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The resource that selects.
    pub from: String,
    /// The resource that is selected.
    pub to: String,
    /// The labels that they meet in: all of the selector's.
    pub labels: Arc<IndexMap<String, String>>,
    /// The selector.
    pub span: Span,
}

/// More links than people draw; fewer than would cost a machine anything.
const MAX_LINKS: usize = 100_000;
/// Comparisons of a selector with a resource that has one of its labels.
const MAX_COMPARISONS: usize = 10_000_000;

/// All links, by the selecting resource, then by the selected one, and what is odd about the selectors.
///
/// A selector is compared with the resources that have its rarest label only, and equal selectors are
/// compared once.
pub(crate) fn links(resources: &IndexMap<String, Resource>) -> (Vec<Link>, Vec<Diagnostic>) {
    let mut labelled: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (number, resource) in resources.values().enumerate() {
        for (label, value) in &resource.labels {
            labelled.entry((label, value)).or_default().push(number);
        }
    }
    let mut matches: HashMap<Vec<(&str, &str)>, Arc<[usize]>> = HashMap::new();
    let (mut links, mut findings) = (Vec::new(), Vec::new());
    let mut comparisons = 0;
    for (number, (name, resource)) in resources.iter().enumerate() {
        let Some(selector) = &resource.link_selector else {
            continue;
        };
        let mut pairs: Vec<(&str, &str)> = selector
            .by_label
            .iter()
            .map(|(label, value)| (label.as_str(), value.as_str()))
            .collect();
        pairs.sort_unstable();
        let selected = match matches.get(&pairs) {
            Some(selected) => selected.clone(),
            None => {
                let selected: Arc<[usize]> = select(&pairs, &labelled, resources, &mut comparisons).into();
                matches.insert(pairs.clone(), selected.clone());
                selected
            }
        };
        let others = selected.iter().filter(|other| **other != number);
        let before = links.len();
        links.extend(
            others
                .take(MAX_LINKS + 1 - before.min(MAX_LINKS))
                .filter_map(|other| {
                    let (to, _) = resources.get_index(*other)?;
                    Some(Link {
                        from: name.clone(),
                        to: to.clone(),
                        labels: selector.by_label.clone(),
                        span: selector.span,
                    })
                }),
        );
        if links.len() > MAX_LINKS || comparisons > MAX_COMPARISONS {
            let message = format!("the link selectors make more than {MAX_LINKS} links");
            let finding = Diagnostic::error(codes::TOO_MANY_LINKS, selector.span, message);
            findings.push(finding.help("narrow the selectors down with further labels"));
            return (Vec::new(), findings);
        }
        if links.len() == before {
            findings.push(nothing_selected(
                name,
                selector,
                &labelled,
                selected.contains(&number),
            ));
        }
    }
    (links, findings)
}

/// The resources that have all of the labels, in order.
fn select(
    pairs: &[(&str, &str)],
    labelled: &HashMap<(&str, &str), Vec<usize>>,
    resources: &IndexMap<String, Resource>,
    comparisons: &mut usize,
) -> Vec<usize> {
    let lists: Option<Vec<&Vec<usize>>> = pairs.iter().map(|pair| labelled.get(pair)).collect();
    let rarest = lists
        .into_iter()
        .flatten()
        .min_by_key(|list| list.len())
        .map(Vec::as_slice)
        .unwrap_or_default();
    *comparisons += rarest.len() * pairs.len();
    if *comparisons > MAX_COMPARISONS {
        return Vec::new();
    }
    let has_all = |number: &&usize| {
        resources.get_index(**number).is_some_and(|(_, resource)| {
            pairs
                .iter()
                .all(|(label, value)| resource.labels.get(*label).is_some_and(|found| found == value))
        })
    };
    rarest.iter().filter(has_all).copied().collect()
}

fn nothing_selected(
    name: &str,
    selector: &LinkSelector,
    labelled: &HashMap<(&str, &str), Vec<usize>>,
    itself: bool,
) -> Diagnostic {
    let wanted: Vec<String> = selector
        .by_label
        .iter()
        .map(|(label, value)| format!("`{label}: {value}`"))
        .collect();
    let message = match itself {
        true => format!("the link selector of `{name}` selects nothing but `{name}` itself"),
        false => format!(
            "the link selector of `{name}` selects nothing: no resource has {}{}",
            wanted.join(" and "),
            if wanted.len() > 1 { " together" } else { "" }
        ),
    };
    let unknown = selector
        .by_label
        .iter()
        .find(|(label, value)| !labelled.contains_key(&(label.as_str(), value.as_str())));
    let help = unknown.and_then(|(label, value)| {
        let mut values: Vec<&str> = labelled
            .keys()
            .filter(|(known, _)| known == label)
            .map(|(_, value)| *value)
            .collect();
        values.sort_unstable();
        let mut labels: Vec<&str> = labelled.keys().map(|(label, _)| *label).collect();
        labels.sort_unstable();
        labels.dedup();
        did_you_mean(value, values).or_else(|| did_you_mean(label, labels))
    });
    Diagnostic::warning(codes::NOTHING_SELECTED, selector.span, message).help_if(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, check};

    /// Resources as `name: labels / selector`, and the links between them as `from>to`.
    #[track_caller]
    fn check_links(resources: &[(&str, &str, &str)], expected: &str) {
        let mut text = String::from("version: 2023-04-20\nresources:\n");
        for (name, labels, selector) in resources {
            text += &format!("  {name}:\n    type: aws/sqs/queue\n    metadata: {{labels: {{{labels}}}}}\n");
            if !selector.is_empty() {
                text += &format!("    linkSelector: {{byLabel: {{{selector}}}}}\n");
            }
        }
        let checked = check(&Source::new("a.yaml", text));
        let blueprint = checked
            .blueprint
            .unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let links: Vec<String> = blueprint
            .links
            .iter()
            .map(|link| format!("{}>{}", link.from, link.to))
            .collect();
        assert_eq!(links.join(" "), expected);
    }

    #[test]
    fn all_labels_must_match() {
        check_links(
            &[
                ("user", "", "app: orders, tier: data"),
                ("table", "app: orders, tier: data, more: x", ""),
                ("queue", "app: orders", ""),
                ("other", "app: users, tier: data", ""),
                ("bucket", "tier: data, app: orders", ""),
            ],
            "user>table user>bucket",
        );
    }

    #[test]
    fn nothing_is_linked_to_itself_and_the_author_s_order_stays() {
        check_links(
            &[
                ("z", "app: orders", "app: orders"),
                ("a", "app: orders", ""),
                ("m", "app: orders", "app: a"),
                ("b", "app: a", "app: orders"),
            ],
            "z>a z>m m>b b>z b>a b>m",
        );
    }

    #[test]
    fn labels_are_compared_as_they_are_written() {
        check_links(
            &[
                ("user", "", "release: 1.10"),
                ("a", "release: 1.1", ""),
                ("b", "release: '1.10'", ""),
                ("c", "Release: 1.10", ""),
            ],
            "user>b",
        );
    }

    #[test]
    fn resources_with_common_labels_are_no_work_for_selectors_with_rare_ones() {
        // A hundred million pairs share a label; only a selector's rarest label counts.
        let resources: Vec<(String, String)> = (0..10_000)
            .map(|number| (format!("r{number}"), format!("app: orders, number: n{number}")))
            .collect();
        let selectors: Vec<String> = (0..10_000)
            .map(|number| format!("app: orders, number: n{}", (number + 1) % 10_000))
            .collect();
        let rows: Vec<(&str, &str, &str)> = resources
            .iter()
            .zip(&selectors)
            .map(|((name, labels), selector)| (name.as_str(), labels.as_str(), selector.as_str()))
            .collect();
        let expected: Vec<String> = (0..10_000)
            .map(|number| format!("r{number}>r{}", (number + 1) % 10_000))
            .collect();
        check_links(&rows, &expected.join(" "));
    }

    #[test]
    fn links_are_bounded() {
        let resource = |number: usize| {
            format!(
                "  r{number}: {{type: aws/sqs/queue, metadata: {{labels: {{a: b}}}}, linkSelector: {{byLabel: {{a: b}}}}}}\n"
            )
        };
        let of = |count: usize| {
            let resources: String = (0..count).map(resource).collect();
            check(&Source::new(
                "a.yaml",
                format!("version: 2023-04-20\nresources:\n{resources}"),
            ))
        };
        let links = of(316).blueprint.expect("99,540 links").links;
        assert_eq!(links.len(), 316 * 315);
        let checked = of(317);
        assert!(checked.blueprint.is_none());
        assert_eq!(checked.diagnostics[0].code, codes::TOO_MANY_LINKS);
    }
}
