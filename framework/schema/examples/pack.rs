//! Packs the official schemas into `data/types.pack`:
//! `cargo run --release -p formwork-schema --example pack`.
//!
//! The layout is described in `src/bundle.rs`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a tool for developers: it stops at the first thing that is wrong"
)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

const DICTIONARY_LEN: usize = 112_640;
const LEVEL: i32 = 19;

fn main() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let schemas = read(&data.join("cloudformation-resource-schemas.tar.xz"));
    let samples: Vec<&[u8]> = schemas.values().map(String::as_bytes).collect();
    let dictionary = zstd::dict::from_samples(&samples, DICTIONARY_LEN).expect("a dictionary");

    let mut compressor = zstd::bulk::Compressor::with_dictionary(LEVEL, &dictionary).expect("a compressor");
    let frames: Vec<Vec<u8>> = samples
        .iter()
        .map(|text| compressor.compress(text).expect("a frame"))
        .collect();

    let pack = lay_out(schemas.keys().map(String::as_str), &dictionary, &frames);
    println!(
        "{} types, dictionary {} bytes, pack {} bytes",
        frames.len(),
        dictionary.len(),
        pack.len()
    );
    std::fs::write(data.join("types.pack"), pack).expect("the pack is written");
}

/// Minified schemas by type name.
fn read(archive: &Path) -> BTreeMap<String, String> {
    let file = std::fs::File::open(archive).expect("the archive");
    let mut archive = tar::Archive::new(lzma_rust2::XzReader::new(std::io::BufReader::new(file), true));
    let mut schemas = BTreeMap::new();
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("an entry");
        if entry
            .path()
            .expect("a path")
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("UTF-8");
            let schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let name = schema
                .get("typeName")
                .and_then(|name| name.as_str())
                .expect("a typeName");
            schemas.insert(name.to_owned(), schema.to_string());
        }
    }
    schemas
}

fn lay_out<'a>(names: impl Iterator<Item = &'a str>, dictionary: &[u8], frames: &[Vec<u8>]) -> Vec<u8> {
    let names: Vec<&str> = names.collect();
    let names_start = 20 + 16 * names.len();
    let dictionary_start = names_start + names.iter().map(|name| name.len()).sum::<usize>();

    let mut pack = b"FWTYPES1".to_vec();
    let push = |pack: &mut Vec<u8>, number: usize| {
        pack.extend(
            u32::try_from(number)
                .expect("the pack is under 4 GiB")
                .to_le_bytes(),
        );
    };
    push(&mut pack, names.len());
    push(&mut pack, dictionary_start);
    push(&mut pack, dictionary.len());
    let (mut name_at, mut frame_at) = (names_start, dictionary_start + dictionary.len());
    for (name, frame) in names.iter().zip(frames) {
        for number in [name_at, name.len(), frame_at, frame.len()] {
            push(&mut pack, number);
        }
        name_at += name.len();
        frame_at += frame.len();
    }
    names.iter().for_each(|name| pack.extend(name.as_bytes()));
    pack.extend(dictionary);
    frames.iter().for_each(|frame| pack.extend(frame));
    pack
}
