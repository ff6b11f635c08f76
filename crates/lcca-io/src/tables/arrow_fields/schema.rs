//! The Arrow schema that a Parquet file may carry, as a message in base64 under the key `ARROW:schema`.

use super::field::{Holds, holds, words};
use super::flatbuffer::Table;

/// The columns of Arrow's schema by name. A column that cannot be part of a matrix has the word for its
/// contents. A schema that cannot be read gives no columns.
pub(crate) fn unreadable(schema: &str) -> Vec<(String, Option<&'static str>)> {
    decoded(schema).and_then(|message| columns(&message)).unwrap_or_default()
}

fn columns(message: &[u8]) -> Option<Vec<(String, Option<&'static str>)>> {
    const SCHEMA: u8 = 1;
    // Since version 0.15 four bytes of ones stand before the length of the message.
    let message = message.strip_prefix(&[0xff; 4]).unwrap_or(message);
    let message = Table::root(message.get(4..)?).filter(|message| message.u8(1) == Some(SCHEMA))?;
    let fields = message.table(2)?.list(1)?;
    let column = |index: usize| {
        let field = fields.table(index)?;
        let word = match holds(field) {
            Holds::Timestamps => Some(words::DATES),
            Holds::Other(word) => Some(word),
            _ => None,
        };
        Some((field.text(0).unwrap_or_default().to_string(), word))
    };
    (0..fields.len).map(column).collect()
}

/// Decodes a base64 text; `None` if it is not one.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded() {
        for (text, expected) in [("", ""), ("bGNjYQ==", "lcca"), ("bGNj", "lcc"), ("bGM=", "lc"), ("bA", "l")]
        {
            assert_eq!(decoded(text).unwrap(), expected.as_bytes(), "{text}");
        }
        assert_eq!(decoded("b!"), None);
        assert!(unreadable("bGNjYQ==").is_empty() && unreadable("//////////").is_empty());
    }
}
