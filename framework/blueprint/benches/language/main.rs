//! How fast the language is read: `cargo bench -p formwork-blueprint`.
//!
//! Generated documents of 10 to 10,000 resources are parsed and checked, in YAML and in JSON; beside them the
//! bare event parser reads the same YAML, and the readers alone make plain values of both. Rates are those of the
//! document's text: equal rates over four sizes mean linear time.

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

mod documents;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use formwork_blueprint::{Format, Source, Template, check, parse_value};
use serde_json::Value;

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

fn source(document: &Value, format: Format) -> Source {
    let text = match format {
        Format::Yaml => documents::yaml(document),
        Format::Json | Format::Inline => documents::json_text(document),
    };
    Source::with_format("generated", text, format)
}

fn checked(bencher: Bencher<'_, '_>, source: &Source) {
    let bencher = bencher.counter(BytesCount::of_str(source.text()));
    bencher.bench_local(|| check(black_box(source)));
}

#[divan::bench(args = SIZES, max_time = 3)]
fn yaml_parsed_and_checked(bencher: Bencher<'_, '_>, resources: usize) {
    checked(bencher, &source(&documents::blueprint(resources), Format::Yaml));
}

#[divan::bench(args = SIZES, max_time = 3)]
fn yaml_by_the_event_parser_alone(bencher: Bencher<'_, '_>, resources: usize) {
    let source = source(&documents::blueprint(resources), Format::Yaml);
    let options = granit_parser::options! { emit_comments: false };
    bencher
        .counter(BytesCount::of_str(source.text()))
        .bench_local(|| {
            let parser =
                granit_parser::Parser::new_from_str_with_options(black_box(source.text()), options.clone());
            parser.for_each(|event| drop(black_box(event.unwrap())))
        });
}

#[divan::bench(args = SIZES, max_time = 3)]
fn yaml_read_as_data(bencher: Bencher<'_, '_>, resources: usize) {
    let source = source(&documents::blueprint(resources), Format::Yaml);
    let bencher = bencher.counter(BytesCount::of_str(source.text()));
    bencher.bench_local(|| parse_value(black_box(&source)).unwrap());
}

#[divan::bench(args = SIZES, max_time = 3)]
fn json_parsed_and_checked(bencher: Bencher<'_, '_>, resources: usize) {
    checked(bencher, &source(&documents::blueprint(resources), Format::Json));
}

#[divan::bench(args = SIZES, max_time = 3)]
fn json_read_as_data(bencher: Bencher<'_, '_>, resources: usize) {
    let source = source(&documents::blueprint(resources), Format::Json);
    let bencher = bencher.counter(BytesCount::of_str(source.text()));
    bencher.bench_local(|| parse_value(black_box(&source)).unwrap());
}

/// Four edges a rung and two resources: 10,000 edges are a document of 400 kB.
#[divan::bench(args = [100, 1_000, 10_000])]
fn ladder_of_edges_checked(bencher: Bencher<'_, '_>, edges: usize) {
    checked(bencher, &source(&documents::ladder(edges), Format::Json));
}

#[divan::bench(args = [1, 10, 100, 1_000])]
fn substitutions_parsed(bencher: Bencher<'_, '_>, count: usize) {
    let text =
        "arn:aws:sqs:${variables.region}:${trim(variables.account)}:${resources.queue.state.names[0].short}-"
            .repeat(count);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench_local(|| Template::parse(black_box(&text)).unwrap());
}
