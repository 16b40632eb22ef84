//! What one evaluation may cost and how large its result may grow.
//!
//! A document is bounded by the loader, but values are not: a text of a few megabytes may be handed to a
//! thousand functions, and a list that holds another one twice doubles with every step.

use super::EvaluationError;
use crate::value::{Kind, Value};
use crate::{Span, codes};

/// How many bytes of values one evaluation may read and make on its way.
const MAX_WORK_BYTES: usize = 64 * 1024 * 1024;
/// How many bytes its substitutions may put into the result.
const MAX_RESULT_BYTES: usize = 16 * 1024 * 1024;
/// How deep lists and maps may be nested in the result.
const MAX_RESULT_LEVELS: usize = 200;
/// What a value costs beside its text.
const BYTES_PER_VALUE: usize = 64;

/// What is left of the bounds.
pub(super) struct Budget {
    work_bytes: usize,
    result_bytes: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Budget {
            work_bytes: MAX_WORK_BYTES,
            result_bytes: MAX_RESULT_BYTES,
        }
    }

    /// Accounts for a value that was resolved or computed.
    pub(super) fn work(&mut self, value: &Value, span: Span) -> Result<(), EvaluationError> {
        match self.work_bytes.checked_sub(measure(value).bytes) {
            Some(left) => self.work_bytes = left,
            None => {
                let message = format!("evaluating takes more than {MAX_WORK_BYTES} bytes of values");
                return Err(exceeded(codes::TOO_MUCH_WORK, span, message));
            }
        }
        Ok(())
    }

    /// Accounts for a value that becomes part of the result, `depth` levels below its top.
    pub(super) fn result(&mut self, value: &Value, depth: usize, span: Span) -> Result<(), EvaluationError> {
        let size = measure(value);
        if depth + size.levels > MAX_RESULT_LEVELS {
            let message = format!("the value is nested more than {MAX_RESULT_LEVELS} levels deep");
            return Err(exceeded(codes::VALUE_TOO_DEEP, span, message));
        }
        match self.result_bytes.checked_sub(size.bytes) {
            Some(left) => self.result_bytes = left,
            None => {
                let message =
                    format!("the values of substitutions grow larger than {MAX_RESULT_BYTES} bytes");
                return Err(exceeded(codes::RESULT_TOO_LARGE, span, message));
            }
        }
        Ok(())
    }
}

/// A bound that was exceeded.
pub(super) fn exceeded(code: &'static str, span: Span, message: String) -> EvaluationError {
    EvaluationError {
        code,
        message,
        span,
        help: Some("refer to less, or split the blueprint up".to_owned()),
    }
}

struct Size {
    bytes: usize,
    levels: usize,
}

/// The levels of what is measured are bounded: it was made within these bounds, read from JSON or deployed.
fn measure(value: &Value) -> Size {
    let mut size = Size {
        bytes: BYTES_PER_VALUE,
        levels: 0,
    };
    let mut add = |inner: &Value, key: usize| {
        let inner = measure(inner);
        size.bytes = size.bytes.saturating_add(inner.bytes).saturating_add(key);
        size.levels = size.levels.max(inner.levels + 1);
    };
    match &value.kind {
        Kind::Unknown | Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
        Kind::String(text) => size.bytes = size.bytes.saturating_add(text.len()),
        Kind::List(items) => items.iter().for_each(|item| add(item, 0)),
        Kind::Map(entries) => entries.iter().for_each(|(key, entry)| add(entry, key.len())),
    }
    size
}
