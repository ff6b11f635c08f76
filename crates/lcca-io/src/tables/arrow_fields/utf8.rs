//! Bytes as texts.

use crate::error::{Fault, Outcome};
use crate::input::text::quoted;

/// Reads a text of a column. Broken texts are refused rather than repaired, because two that are repaired
/// may become the same.
pub(crate) fn utf8(bytes: Vec<u8>) -> Outcome<String> {
    String::from_utf8(bytes).map_err(|error| {
        let found = quoted(error.as_bytes());
        Fault::new(format!("holds a text that is not UTF-8 ({found}), expected UTF-8"))
    })
}
