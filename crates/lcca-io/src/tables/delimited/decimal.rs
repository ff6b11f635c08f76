//! Detects numbers with a comma before their decimals, as in much of Europe: 1,5 for one and a half.

use crate::input::text::real;
use crate::tables::table::Sample;

/// Whether the commas of the first rows stand before decimals. They do if some number has a comma that
/// cannot separate thousands, and no number has a point.
pub(super) fn commas_are_decimal(sample: &Sample) -> bool {
    let rows = sample.rows.iter().map(|(_, row)| row);
    let fields =
        || std::iter::once(&sample.first).chain(rows.clone()).flatten().map(|field| field.trim_ascii());
    fields().any(has_decimal_comma) && !fields().any(has_point)
}

/// Whether the field is a number such as 1,5 or 0,125. A field such as 1,250 is not, because it may mean
/// more than a thousand.
fn has_decimal_comma(field: &[u8]) -> bool {
    let Some(comma) = field.iter().position(|&byte| byte == b',') else { return false };
    let (whole, decimals) = (&field[..comma], &field[comma + 1..]);
    let whole = whole.strip_prefix(b"-").or(whole.strip_prefix(b"+")).unwrap_or(whole);
    let separates_thousands = decimals.len() == 3 && (1..=3).contains(&whole.len()) && whole[0] != b'0';
    let mut text = field.to_vec();
    text[comma] = b'.';
    !separates_thousands && !field.contains(&b'.') && real(&text).is_some()
}

/// Whether the field is a number such as 1.5 or 1,234.5.
fn has_point(field: &[u8]) -> bool {
    let without_commas: Vec<u8> = field.iter().copied().filter(|&byte| byte != b',').collect();
    let point = field.iter().position(|&byte| byte == b'.');
    let after_commas = field.iter().rposition(|&byte| byte == b',') < point;
    point.is_some() && after_commas && real(&without_commas).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use csv::ByteRecord;

    fn guessed(fields: &[&str]) -> bool {
        let row = ByteRecord::from(fields.to_vec());
        commas_are_decimal(&Sample { line: 1, first: ByteRecord::from(vec!["a"]), rows: vec![(2, row)] })
    }

    #[test]
    fn commas_are_taken_as_decimal_only_if_they_cannot_be_anything_else() {
        assert!(guessed(&["1,5", "2"]));
        assert!(guessed(&["-0,125"]));
        assert!(guessed(&["1,250", "1,5"]));
        assert!(!guessed(&["1,250", "12,000"]));
        assert!(!guessed(&["1,5", "2.5"]));
        assert!(!guessed(&["1,5", "1,234.5"]));
        assert!(!guessed(&["1.5", "a,b", "1,2,3"]));
    }
}
