//! The layout of a column in a batch, and its bytes as numbers.

use crate::matrix::half::half;
use crate::tables::arrow_fields::flatbuffer::Table;
use crate::tables::arrow_fields::{Kind, decimal, type_name};

/// The layout of a column in a batch, whether the column is read or not.
pub(super) struct Layout {
    /// The number of fields, children included, each of which has a length and a number of missing values.
    pub(super) nodes: usize,
    /// The number of buffers, children included, without the further buffers of views.
    pub(super) buffers: usize,
    /// The number of columns of views. Each has a number of further buffers that only the batch tells.
    pub(super) views: usize,
}

/// How deep columns may be nested. Files that go deeper are taken for broken.
const DEEPEST: usize = 64;

/// How many columns may lie in one. The limit is needed because a broken file may say that a column lies in
/// itself, many times.
const MOST_NODES: usize = 100_000;

/// The number of nodes and buffers that a field has in each batch.
pub(super) fn layout(field: Table<'_>) -> Option<Layout> {
    nested_layout(field, 0, &mut { MOST_NODES })
}

fn nested_layout(field: Table<'_>, depth: usize, left: &mut usize) -> Option<Layout> {
    *left = left.checked_sub(1)?;
    if depth > DEEPEST {
        return None;
    }
    // The batch holds the indices of a dictionary; its values and their children are in batches of their
    // own.
    if field.table(4).is_some() {
        return Some(Layout { nodes: 1, buffers: 2, views: 0 });
    }
    let (buffers, views) = match type_name(field) {
        "Null" | "RunEndEncoded" => (0, 0),
        "Struct" | "FixedSizeList" => (1, 0),
        "Binary" | "Utf8" | "LargeBinary" | "LargeUtf8" | "ListView" | "LargeListView" => (3, 0),
        "BinaryView" | "Utf8View" => (2, 1),
        // Dense unions have offsets besides the types of their rows.
        "Union" if field.table(3)?.i16(0).unwrap_or(0) == 0 => (1, 0),
        "no type" | "an unknown type" => return None,
        _ => (2, 0),
    };
    let mut layout = Layout { nodes: 1, buffers, views };
    if let Some(children) = field.list(5) {
        for index in 0..children.len {
            let child = nested_layout(children.table(index)?, depth + 1, left)?;
            layout.nodes += child.nodes;
            layout.buffers += child.buffers;
            layout.views += child.views;
        }
    }
    Some(layout)
}

/// The number of bytes that this many values take; `None` if the number overflows.
pub(super) fn bytes(kind: Kind, rows: usize) -> Option<usize> {
    match kind {
        Kind::Boolean => Some(rows.div_ceil(8)),
        Kind::Signed(width) | Kind::Unsigned(width) | Kind::Float(width) => rows.checked_mul(width),
        Kind::Decimal { bytes, .. } => rows.checked_mul(bytes),
    }
}

/// The first `rows` values of a buffer that holds as many.
pub(super) fn numbers(kind: Kind, bytes: &[u8], rows: usize) -> Vec<f64> {
    match kind {
        Kind::Boolean => (0..rows).map(|row| f64::from(u8::from(bit(bytes, row)))).collect(),
        Kind::Signed(1) => each(bytes, rows, |value| i8::from_le_bytes(value).into()),
        Kind::Signed(2) => each(bytes, rows, |value| i16::from_le_bytes(value).into()),
        Kind::Signed(4) => each(bytes, rows, |value| i32::from_le_bytes(value).into()),
        Kind::Signed(_) => each(bytes, rows, |value| i64::from_le_bytes(value) as f64),
        Kind::Unsigned(1) => each(bytes, rows, |value| u8::from_le_bytes(value).into()),
        Kind::Unsigned(2) => each(bytes, rows, |value| u16::from_le_bytes(value).into()),
        Kind::Unsigned(4) => each(bytes, rows, |value| u32::from_le_bytes(value).into()),
        Kind::Unsigned(_) => each(bytes, rows, |value| u64::from_le_bytes(value) as f64),
        Kind::Float(2) => each(bytes, rows, |value| half(u16::from_le_bytes(value))),
        Kind::Float(4) => each(bytes, rows, |value| f32::from_le_bytes(value).into()),
        Kind::Float(_) => each(bytes, rows, f64::from_le_bytes),
        Kind::Decimal { bytes: 4, scale } => {
            each(bytes, rows, |value| decimal(i32::from_le_bytes(value).into(), scale))
        }
        Kind::Decimal { bytes: 8, scale } => {
            each(bytes, rows, |value| decimal(i64::from_le_bytes(value).into(), scale))
        }
        Kind::Decimal { scale, .. } => each(bytes, rows, |value| decimal(i128::from_le_bytes(value), scale)),
    }
}

/// Writes out the first `rows` values of a buffer: whole numbers with all of their digits, single precision
/// with its own. `None` is NaN.
pub(super) fn written(kind: Kind, bytes: &[u8], rows: usize) -> Vec<Option<String>> {
    match kind {
        Kind::Boolean => (0..rows).map(|row| Some(bit(bytes, row).to_string())).collect(),
        Kind::Signed(8) => each(bytes, rows, |value| Some(i64::from_le_bytes(value).to_string())),
        Kind::Unsigned(8) => each(bytes, rows, |value| Some(u64::from_le_bytes(value).to_string())),
        Kind::Float(4) => each(bytes, rows, |value| {
            let number = f32::from_le_bytes(value);
            (!number.is_nan()).then(|| number.to_string())
        }),
        _ => {
            let numbers = numbers(kind, bytes, rows).into_iter();
            numbers.map(|number| (!number.is_nan()).then(|| number.to_string())).collect()
        }
    }
}

fn each<const WIDTH: usize, T>(bytes: &[u8], rows: usize, number: impl Fn([u8; WIDTH]) -> T) -> Vec<T> {
    bytes.as_chunks::<WIDTH>().0.iter().take(rows).map(|&value| number(value)).collect()
}

/// The bit of a row, least significant first.
pub(super) fn bit(bytes: &[u8], row: usize) -> bool {
    bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_bytes_are_numbers() {
        assert_eq!(numbers(Kind::Boolean, &[0b101, 1], 9), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(numbers(Kind::Signed(2), &[0xff, 0xff, 2, 0, 9], 2), [-1.0, 2.0]);
        assert_eq!(numbers(Kind::Unsigned(2), &[0xff, 0xff, 2, 0], 1), [65535.0]);
    }

    #[test]
    fn numbers_are_written_with_the_digits_that_they_have() {
        let id = 9_007_199_254_740_993i64;
        assert_eq!(written(Kind::Signed(8), &id.to_le_bytes(), 1), [Some(id.to_string())]);
        assert_eq!(written(Kind::Unsigned(8), &[0xff; 8], 1), [Some(u64::MAX.to_string())]);
        assert_eq!(written(Kind::Float(4), &0.1f32.to_le_bytes(), 1), [Some("0.1".to_string())]);
        assert_eq!(written(Kind::Float(8), &f64::NAN.to_le_bytes(), 1), [None]);
        assert_eq!(written(Kind::Boolean, &[1], 1), [Some("true".to_string())]);
    }
}
