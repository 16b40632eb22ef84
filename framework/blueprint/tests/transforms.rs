//! Transforms: which are applied, in which order, and where findings point afterwards.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod told;

use formwork_blueprint::{
    Checked, Checker, Diagnostic, Format, Member, Source, Span, Transformer, Tree, TreeData, codes,
};
use serde_json::json;

/// Turns resources of type `celerity/handler` into functions, and keeps their specification.
struct Handlers;

impl Transformer for Handlers {
    fn name(&self) -> &str {
        "celerity-2023-04-20"
    }

    fn transform(&self, mut document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        let resources = document
            .members_mut()
            .and_then(|sections| sections.get_mut("resources"));
        for member in resources
            .and_then(|member| member.value.members_mut())
            .into_iter()
            .flat_map(|resources| resources.values_mut())
        {
            let Some(fields) = member.value.members_mut() else {
                continue;
            };
            let Some(kind) = fields.get_mut("type") else {
                continue;
            };
            if kind.value.to_json() == json!("celerity/handler") {
                kind.value = Tree::new(&json!("aws/lambda/function"), kind.value.span);
                let description = Tree::new(&json!("made of ${variables.stag}"), member.key_span);
                let key_span = member.key_span;
                fields.insert(
                    "description".to_owned(),
                    Member {
                        key_span,
                        value: description,
                    },
                );
            }
        }
        Ok(document)
    }
}

/// Appends its letter to the text `order` in the metadata.
struct Letter(&'static str);

impl Transformer for Letter {
    fn name(&self) -> &str {
        self.0
    }

    fn transform(&self, mut document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        let span = document.span;
        let order = document
            .get("metadata")
            .and_then(|metadata| metadata.get("order"));
        let before = order.map(Tree::to_json).unwrap_or_default();
        let order = format!("{}{}", before.as_str().unwrap_or_default(), self.0);
        if let Some(sections) = document.members_mut() {
            let value = Tree::new(&json!({"order": order}), span);
            sections.insert(
                "metadata".to_owned(),
                Member {
                    key_span: span,
                    value,
                },
            );
        }
        Ok(document)
    }
}

/// Refuses everything.
struct Refusing;

impl Transformer for Refusing {
    fn name(&self) -> &str {
        "refusing"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        let span = document
            .get("resources")
            .map_or(Span::default(), |node| node.span);
        Err(vec![Diagnostic::error(
            codes::WRONG_SHAPE,
            span,
            "handlers are missing",
        )])
    }
}

/// Makes a document that is nested deeper than any that is read.
struct Deep;

impl Transformer for Deep {
    fn name(&self) -> &str {
        "deep"
    }

    fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
        let span = document.span;
        let nested = (0..200).fold(document, |inner, _| Tree {
            span,
            data: TreeData::List(vec![inner]),
        });
        Ok(nested)
    }
}

fn check(text: &str) -> (Source, Checked) {
    let source = Source::with_format("a.yaml", text, Format::Yaml);
    let checked = Checker::new()
        .transformer(&Handlers)
        .transformer(&Letter("a"))
        .transformer(&Letter("b"))
        .transformer(&Refusing)
        .transformer(&Deep)
        .check(&source);
    (source, checked)
}

#[track_caller]
fn check_told(text: &str, expected: &str) {
    let (source, checked) = check(text);
    assert_eq!(told::told(&source, &checked.diagnostics), expected);
}

#[test]
fn findings_point_at_what_the_author_wrote() {
    check_told(
        "version: 2023-04-20
transform: celerity-2023-04-20
variables: {stage: {type: string}}
resources:
  save:
    type: celerity/handler
    spec:
      name: \"it \\\"is\\\" ${variables.sgate}\"
      text: >
        folded
        and ${nobody}
",
        "> 5:3 `save` unknown-variable: there is no variable `stag` (did you mean `stage`?)
> 8:26 `variables.sgate` unknown-variable: there is no variable `sgate` (did you mean `stage`?)
> 11:15 `nobody` unknown-resource: there is no resource `nobody` (declare it under `resources`; there is `save`)
",
    );
}

#[test]
fn transforms_are_applied_in_the_order_listed() {
    let order = |transform: &str| {
        let text = format!(
            "version: 2023-04-20\ntransform: {transform}\nresources: {{q: {{type: aws/sqs/queue}}}}\n"
        );
        let (_, checked) = check(&text);
        let blueprint = checked
            .blueprint
            .unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let names: Vec<String> = blueprint
            .transforms
            .iter()
            .map(|transform| transform.name.clone())
            .collect();
        let nothing = Nothing;
        let metadata = formwork_blueprint::evaluate(&blueprint.metadata, &nothing).unwrap();
        (names.join(","), metadata.to_json()["order"].clone())
    };
    assert_eq!(order("[a, b]"), ("a,b".to_owned(), json!("ab")));
    assert_eq!(order("[b, a]"), ("b,a".to_owned(), json!("ba")));
    assert_eq!(order("b"), ("b".to_owned(), json!("b")));
    assert_eq!(order("[]"), (String::new(), json!(null)));
}

struct Nothing;

impl formwork_blueprint::Scope for Nothing {
    fn resolve(&self, _: &formwork_blueprint::Reference) -> Result<formwork_blueprint::Value, String> {
        Err("nothing is known".to_owned())
    }
}

#[test]
fn an_unknown_transform_leads_to_those_that_are_known() {
    check_told(
        "version: 2023-04-20\ntransform: [celerity-2023-04-21, sam]\nresources: {q: {type: aws/sqs/queue}}\n",
        "> 2:13 `celerity-2023-04-21` unknown-transform: unknown transform `celerity-2023-04-21` (did you mean \
         `celerity-2023-04-20`?)
> 2:34 `sam` unknown-transform: unknown transform `sam` (the transforms known are `a`, `b`, `celerity-2023-04-20`, \
         `deep` and `refusing`)
",
    );
}

#[test]
fn what_a_transform_refuses_is_all_that_is_told() {
    check_told(
        "version: 2023-04-20\ntransform: refusing\nresources: {q: {type: nothing, spce: 1}}\n",
        "> 3:12 `{q: {type: nothing, spce: 1}}` wrong-shape: handlers are missing\n",
    );
}

#[test]
fn what_a_transform_makes_is_bounded_like_what_is_read() {
    check_told(
        "version: 2023-04-20\ntransform: deep\nresources: {q: {type: aws/sqs/queue}}\n",
        "> 2:12 `deep` too-deep: the transformed blueprint is nested more than 100 levels deep\n",
    );
}

#[test]
fn a_document_that_goes_through_unchanged_is_the_same() {
    struct Same;
    impl Transformer for Same {
        fn name(&self) -> &str {
            "same"
        }
        fn transform(&self, document: Tree) -> Result<Tree, Vec<Diagnostic>> {
            Ok(document)
        }
    }
    let body = "resources:
  q:
    type: aws/sqs/queue
    metadata: {labels: {release: 1.10}, annotations: {a: 0x10}}
    spec: {a: 1.10, b: |
      ${x}
      ${variables.y}
    }
";
    let with = format!("version: 2023-04-20\ntransform: same\n{body}");
    let without = format!("version: 2023-04-20\nmetadata: {{}}    \n{body}");
    let with = Source::with_format("a.yaml", with, Format::Yaml);
    let without = Source::with_format("a.yaml", without, Format::Yaml);
    let places = |source: &Source, checked: Checked| told::told(source, &checked.diagnostics);
    let checked = Checker::new().transformer(&Same).check(&with);
    let same = places(&with, checked);
    assert!(!same.is_empty());
    assert_eq!(same, places(&without, Checker::new().check(&without)));
}
