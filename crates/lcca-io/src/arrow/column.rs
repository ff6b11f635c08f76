//! What a column holds, and its bytes as numbers.

use super::flatbuffer::Table;

/// The type of a column that can be read.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Boolean,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

/// How the texts of a column are stored.
#[derive(Clone, Copy)]
pub(super) enum TextLayout {
    /// Where each text ends, in 4 or 8 bytes, and all bytes.
    Offsets(usize),
    /// Short texts in place, the others in further buffers.
    Views,
}

/// What a column holds.
#[derive(Clone, Copy)]
pub(super) enum Holds {
    Numbers(Kind),
    Texts(TextLayout),
    /// Numbers of texts that batches of their own list.
    Dictionary {
        id: i64,
        numbers: Kind,
        texts: TextLayout,
    },
    /// Something else, by Arrow's name.
    Other(&'static str),
}

/// Arrow's name of points in time. They are data for nobody, but pandas names rows by them.
pub(super) const TIMESTAMP: &str = "Timestamp";

impl Holds {
    /// Whether values can be written out as names of rows.
    pub(super) fn can_be_written(self) -> bool {
        !matches!(self, Holds::Other(what) if what != TIMESTAMP)
    }
}

/// How a column, read or not, is laid out in a batch.
pub(super) struct Layout {
    /// Fields with their children, each of which has a length and a number of missing values.
    pub(super) nodes: usize,
    /// Buffers, children included, without those of views.
    pub(super) buffers: usize,
    /// Columns of views: each of them has a number of further buffers that only the batch tells.
    pub(super) views: usize,
}

/// How deep columns may be nested; files that go deeper are taken for broken ones.
const DEEPEST: usize = 64;

/// How many columns may lie in one; a broken file may say that a column lies in itself, many times.
const MOST_NODES: usize = 100_000;

/// Arrow's names of types, by their number in the metadata.
const TYPES: [&str; 27] = [
    "no type",
    "Null",
    "Int",
    "FloatingPoint",
    "Binary",
    "Utf8",
    "Bool",
    "Decimal",
    "Date",
    "Time",
    "Timestamp",
    "Interval",
    "List",
    "Struct",
    "Union",
    "FixedSizeBinary",
    "FixedSizeList",
    "Map",
    "Duration",
    "LargeBinary",
    "LargeUtf8",
    "LargeList",
    "RunEndEncoded",
    "BinaryView",
    "Utf8View",
    "ListView",
    "LargeListView",
];

fn type_name(field: Table<'_>) -> &'static str {
    TYPES.get(usize::from(field.u8(2).unwrap_or(0))).copied().unwrap_or("an unknown type")
}

/// What a field holds.
pub(super) fn holds(field: Table<'_>) -> Holds {
    let Some(dictionary) = field.table(4) else { return plain(field) };
    let id = dictionary.i64(0).unwrap_or(0);
    let numbers = dictionary.table(1).map_or(Some(Kind::Signed(4)), integer);
    match (plain(field), numbers) {
        (Holds::Texts(texts), Some(numbers)) => Holds::Dictionary { id, numbers, texts },
        _ => Holds::Other("Dictionary"),
    }
}

/// What a field holds if it is no dictionary, or what its dictionary holds.
fn plain(field: Table<'_>) -> Holds {
    let details = field.table(3);
    match type_name(field) {
        "Bool" => Holds::Numbers(Kind::Boolean),
        "Int" => details.and_then(integer).map_or(Holds::Other("Int"), Holds::Numbers),
        "FloatingPoint" => match details.and_then(|details| details.i16(0)).unwrap_or(0) {
            0 => Holds::Numbers(Kind::Float(2)),
            1 => Holds::Numbers(Kind::Float(4)),
            2 => Holds::Numbers(Kind::Float(8)),
            _ => Holds::Other("numbers of an unknown precision"),
        },
        "Utf8" => Holds::Texts(TextLayout::Offsets(4)),
        "LargeUtf8" => Holds::Texts(TextLayout::Offsets(8)),
        "Utf8View" => Holds::Texts(TextLayout::Views),
        other => Holds::Other(other),
    }
}

/// The type that describes whole numbers.
fn integer(details: Table<'_>) -> Option<Kind> {
    let signed = details.u8(1).unwrap_or(0) != 0;
    match details.i32(0).unwrap_or(0) {
        bits @ (8 | 16 | 32 | 64) if signed => Some(Kind::Signed(bits as usize / 8)),
        bits @ (8 | 16 | 32 | 64) => Some(Kind::Unsigned(bits as usize / 8)),
        _ => None,
    }
}

/// How many nodes and buffers a field has in each batch.
pub(super) fn layout(field: Table<'_>) -> Option<Layout> {
    nested_layout(field, 0, &mut { MOST_NODES })
}

fn nested_layout(field: Table<'_>, depth: usize, left: &mut usize) -> Option<Layout> {
    *left = left.checked_sub(1)?;
    if depth > DEEPEST {
        return None;
    }
    // A dictionary's indices stand in the batch; the values and their children are in batches of their own.
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

impl Kind {
    /// How many bytes so many values take, if that many can be.
    pub(super) fn bytes(self, rows: usize) -> Option<usize> {
        match self {
            Kind::Boolean => Some(rows.div_ceil(8)),
            Kind::Signed(width) | Kind::Unsigned(width) | Kind::Float(width) => rows.checked_mul(width),
        }
    }

    /// The first `rows` values of a buffer that holds as many.
    pub(super) fn numbers(self, bytes: &[u8], rows: usize) -> Vec<f64> {
        match self {
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
        }
    }
}

fn each<const WIDTH: usize>(bytes: &[u8], rows: usize, number: impl Fn([u8; WIDTH]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<WIDTH>().0.iter().take(rows).map(|&value| number(value)).collect()
}

/// The bit of a row, least significant first.
pub(super) fn bit(bytes: &[u8], row: usize) -> bool {
    bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
}

/// A number of half precision: one bit of sign, five of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        // Numbers below 2⁻¹⁴ have no leading one.
        0 => fraction / 1024.0 * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    sign * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_exact() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x3555, 0.333251953125),
            (0x0001, 5.960464477539063e-8),
            (0x0400, 6.103515625e-5),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), expected, "{bits:#x}");
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn bits_and_bytes_are_numbers() {
        assert_eq!(Kind::Boolean.numbers(&[0b101, 1], 9), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(Kind::Signed(2).numbers(&[0xff, 0xff, 2, 0, 9], 2), [-1.0, 2.0]);
        assert_eq!(Kind::Unsigned(2).numbers(&[0xff, 0xff, 2, 0], 1), [65535.0]);
    }
}
