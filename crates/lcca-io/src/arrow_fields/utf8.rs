//! Bytes as texts.

use crate::error::{Fault, Outcome};
use crate::text::quoted;

/// A text of a column. Broken ones are refused rather than repaired: two that are repaired may become the
/// same.
pub(crate) fn utf8(bytes: Vec<u8>) -> Outcome<String> {
    String::from_utf8(bytes).map_err(|error| {
        let found = quoted(error.as_bytes());
        Fault::new(format!("holds a text that is not UTF-8 ({found}), expected UTF-8"))
    })
}
