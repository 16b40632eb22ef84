//! The official schemas, compressed into the crate.
//!
//! `data/types.pack` holds one zstd frame per type, all made with one shared dictionary, behind an index
//! sorted by name. Looking a type up is a binary search over the index where it lies; only that type's
//! frame is unpacked. `examples/pack.rs` writes the file, `tests/bundle.rs` compares it with its source.
//!
//! ```text
//! "FWTYPES1" | count u32 | dictionary offset, length | count x (name offset, length, frame offset, length)
//!            | names | dictionary | frames                       all numbers u32, little endian
//! ```

use crate::{ResourceSchema, SchemaError};
use ruzstd::decoding::{Dictionary, FrameDecoder};
use std::cmp::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

static PACK: &[u8] = include_bytes!("../data/types.pack");

const MAGIC: &[u8] = b"FWTYPES1";
const HEADER_LEN: usize = 20;
const RECORD_LEN: usize = 16;

/// A type in the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledType {
    /// `AWS::SQS::Queue`
    pub name: &'static str,
}

/// Every bundled type, sorted by name.
pub fn bundled_types() -> impl Iterator<Item = BundledType> {
    (0..count()).filter_map(|index| name_at(index).map(|name| BundledType { name }))
}

/// Unpacks and parses one type's schema; `None` if it is not in the bundle.
///
/// # Errors
/// When the packed schema cannot be read.
pub fn load(type_name: &str) -> Result<Option<ResourceSchema>, SchemaError> {
    match load_text(type_name)? {
        Some(text) => ResourceSchema::parse(&text).map(Some),
        None => Ok(None),
    }
}

/// True if the bundle has a type of exactly this name.
pub(crate) fn contains(type_name: &str) -> bool {
    find(type_name).is_some()
}

/// The text of one bundled schema, minified but otherwise as published; `None` if it is not in the bundle.
///
/// # Errors
/// When the packed schema cannot be read.
pub fn load_text(type_name: &str) -> Result<Option<String>, SchemaError> {
    let Some(frame) = find(type_name) else {
        return Ok(None);
    };
    let broken = |what: String| SchemaError {
        type_name: type_name.to_owned(),
        message: what,
    };
    let bytes = unpack(frame).map_err(broken)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| broken("packed schema is not UTF-8".to_owned()))
}

fn unpack(frame: &[u8]) -> Result<Vec<u8>, String> {
    // Reading the dictionary costs more than unpacking a small type, so the decoder is kept.
    static DECODER: OnceLock<Mutex<Option<FrameDecoder>>> = OnceLock::new();
    let shared = DECODER.get_or_init(|| Mutex::new(None));
    let mut slot = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let mut decoder = match slot.take() {
        Some(decoder) => decoder,
        None => {
            let dictionary =
                Dictionary::decode_dict(dictionary()).map_err(|error| format!("dictionary: {error}"))?;
            let mut decoder = FrameDecoder::new();
            decoder.add_dict(dictionary).map_err(|error| error.to_string())?;
            decoder
        }
    };
    let length = usize::try_from(content_length(&mut decoder, frame)?).map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(length);
    decoder
        .decode_all_to_vec(frame, &mut bytes)
        .map_err(|error| error.to_string())?;
    // Put back only after success: a decoder that failed halfway is dropped.
    *slot = Some(decoder);
    Ok(bytes)
}

fn content_length(decoder: &mut FrameDecoder, frame: &[u8]) -> Result<u64, String> {
    decoder.reset(frame).map_err(|error| error.to_string())?;
    Ok(decoder.content_size())
}

/// How many types there are.
pub(crate) fn count() -> usize {
    if PACK.starts_with(MAGIC) {
        number(8).unwrap_or(0)
    } else {
        0
    }
}

fn dictionary() -> &'static [u8] {
    range(12).unwrap_or_default()
}

fn find(type_name: &str) -> Option<&'static [u8]> {
    let (mut low, mut high) = (0, count());
    while low < high {
        let middle = low + (high - low) / 2;
        let (name, frame) = record(middle)?;
        match name.cmp(type_name) {
            Ordering::Equal => return Some(frame),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    None
}

fn record(index: usize) -> Option<(&'static str, &'static [u8])> {
    Some((name_at(index)?, range(HEADER_LEN + index * RECORD_LEN + 8)?))
}

fn name_at(index: usize) -> Option<&'static str> {
    std::str::from_utf8(range(HEADER_LEN + index * RECORD_LEN)?).ok()
}

/// The bytes that the offset and length at `at` point to.
fn range(at: usize) -> Option<&'static [u8]> {
    let (offset, length) = (number(at)?, number(at + 4)?);
    PACK.get(offset..offset.checked_add(length)?)
}

fn number(at: usize) -> Option<usize> {
    let bytes = PACK.get(at..at + 4)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_sorted_and_whole() {
        let names: Vec<_> = bundled_types().map(|bundled| bundled.name).collect();
        assert_eq!(names.len(), 1665);
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_type_is_found_by_its_exact_name_only() {
        assert_eq!(
            load("AWS::SQS::Queue").unwrap().unwrap().type_name(),
            "AWS::SQS::Queue"
        );
        for missing in [
            "",
            "AWS::SQS::Queu",
            "AWS::SQS::Queue2",
            "ZZZ::A::B",
            "aws::sqs::queue",
        ] {
            assert!(load(missing).unwrap().is_none(), "{missing}");
        }
    }

    #[test]
    fn types_are_unpacked_beside_each_other() {
        std::thread::scope(|scope| {
            for name in [
                "AWS::SQS::Queue",
                "AWS::EC2::Instance",
                "AWS::IAM::Role",
                "AWS::SNS::Topic",
            ] {
                scope.spawn(move || {
                    for _ in 0..5 {
                        assert!(load_text(name).unwrap().unwrap().contains(&format!("\"{name}\"")));
                    }
                });
            }
        });
    }
}
