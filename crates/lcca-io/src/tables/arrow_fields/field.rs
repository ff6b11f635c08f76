//! The types of the fields of an Arrow schema, and which of them can be read.

use super::flatbuffer::Table;

/// A type of numbers that can be read, with its width in bytes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Boolean,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    /// Whole numbers of which the last `scale` digits stand behind the point.
    Decimal {
        bytes: usize,
        scale: i32,
    },
}

/// How the texts of a column are stored.
#[derive(Clone, Copy)]
pub(crate) enum TextLayout {
    /// The end of each text, in 4 or 8 bytes, and the bytes of all texts.
    Offsets(usize),
    /// Short texts in place, the others in further buffers.
    Views,
}

/// Values that can be read.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    Numbers(Kind),
    Texts(TextLayout),
}

/// The contents of a column.
#[derive(Clone, Copy)]
pub(crate) enum Holds {
    Values(Values),
    /// Places in a list of values, which is stored in batches of its own.
    Dictionary {
        id: i64,
        places: Kind,
        values: Values,
    },
    /// Points in time. They cannot be data, but pandas names rows by them.
    Timestamps,
    /// Any other type, in words for a message.
    Other(&'static str),
}

impl Holds {
    /// Whether values can be written out as names of rows.
    pub(crate) fn can_be_written(self) -> bool {
        !matches!(self, Holds::Other(_))
    }
}

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

/// The words that messages use for columns that cannot be part of a matrix.
pub(crate) mod words {
    pub(crate) const BYTES: &str = "bytes";
    pub(crate) const DATES: &str = "dates or times";
    pub(crate) const DURATIONS: &str = "durations";
    pub(crate) const JSON: &str = "JSON";
    pub(crate) const LISTS: &str = "lists";
    pub(crate) const LONG_DECIMALS: &str = "decimals of more than 38 digits";
    pub(crate) const MAPS: &str = "maps";
    pub(crate) const NOTHING: &str = "nothing";
    pub(crate) const STRUCTURES: &str = "structures";
    pub(crate) const UNKNOWN: &str = "values of an unknown type";
    pub(crate) const UUIDS: &str = "UUIDs";
}

pub(crate) fn type_name(field: Table<'_>) -> &'static str {
    TYPES.get(usize::from(field.u8(2).unwrap_or(0))).copied().unwrap_or("an unknown type")
}

/// The contents of a field, by its description in the schema.
pub(crate) fn holds(field: Table<'_>) -> Holds {
    if let Some(word) = extension(field) {
        return Holds::Other(word);
    }
    let Some(dictionary) = field.table(4) else {
        return match plain(field) {
            Ok(values) => Holds::Values(values),
            Err(_) if type_name(field) == "Timestamp" => Holds::Timestamps,
            Err(word) => Holds::Other(word),
        };
    };
    let id = dictionary.i64(0).unwrap_or(0);
    let places = dictionary.table(1).map_or(Some(Kind::Signed(4)), integer);
    match (plain(field), places) {
        (Ok(values), Some(places)) => Holds::Dictionary { id, places, values },
        (Err(word), _) => Holds::Other(word),
        (Ok(_), None) => Holds::Other(words::UNKNOWN),
    }
}

/// The word for an extension type, whose meaning is not that of its storage. For example, pandas keeps
/// periods as whole numbers.
fn extension(field: Table<'_>) -> Option<&'static str> {
    let entries = field.list(6)?;
    let mut entries = (0..entries.len).map_while(|index| entries.table(index));
    let name = entries.find(|entry| entry.text(0) == Some("ARROW:extension:name"))?;
    match name.text(1).unwrap_or_default() {
        "arrow.bool8" => None,
        "arrow.json" => Some(words::JSON),
        "arrow.uuid" => Some(words::UUIDS),
        "pandas.interval" => Some("intervals"),
        "pandas.period" => Some("periods"),
        _ => Some("values of an extension type"),
    }
}

/// The values of a field or, if it is a dictionary, of its list; an error is the word that messages use for
/// them.
fn plain(field: Table<'_>) -> Result<Values, &'static str> {
    let details = field.table(3);
    match type_name(field) {
        "Bool" => Ok(Values::Numbers(Kind::Boolean)),
        "Int" => details.and_then(integer).map(Values::Numbers).ok_or(words::UNKNOWN),
        "FloatingPoint" => match details.and_then(|details| details.i16(0)).unwrap_or(0) {
            0 => Ok(Values::Numbers(Kind::Float(2))),
            1 => Ok(Values::Numbers(Kind::Float(4))),
            2 => Ok(Values::Numbers(Kind::Float(8))),
            _ => Err("numbers of an unknown precision"),
        },
        "Decimal" => details.and_then(decimal).map(Values::Numbers).ok_or(words::LONG_DECIMALS),
        "Utf8" => Ok(Values::Texts(TextLayout::Offsets(4))),
        "LargeUtf8" => Ok(Values::Texts(TextLayout::Offsets(8))),
        "Utf8View" => Ok(Values::Texts(TextLayout::Views)),
        other => Err(word(other)),
    }
}

fn word(type_name: &str) -> &'static str {
    match type_name {
        "Null" => words::NOTHING,
        "Binary" | "LargeBinary" | "BinaryView" | "FixedSizeBinary" => words::BYTES,
        "Date" | "Time" | "Timestamp" => words::DATES,
        "Duration" | "Interval" => words::DURATIONS,
        "List" | "LargeList" | "FixedSizeList" | "ListView" | "LargeListView" => words::LISTS,
        "Struct" => words::STRUCTURES,
        "Map" => words::MAPS,
        "Union" => "unions",
        "RunEndEncoded" => "run-end encoded values",
        _ => words::UNKNOWN,
    }
}

/// The kind of whole numbers that this part of the schema describes.
fn integer(details: Table<'_>) -> Option<Kind> {
    let signed = details.u8(1).unwrap_or(0) != 0;
    match details.i32(0).unwrap_or(0) {
        bits @ (8 | 16 | 32 | 64) if signed => Some(Kind::Signed(bits as usize / 8)),
        bits @ (8 | 16 | 32 | 64) => Some(Kind::Unsigned(bits as usize / 8)),
        _ => None,
    }
}

/// The kind of decimals that this part of the schema describes: all digits, those behind the point, bits.
fn decimal(details: Table<'_>) -> Option<Kind> {
    let scale = details.i32(1).unwrap_or(0);
    match details.i32(2).unwrap_or(128) {
        bits @ (32 | 64 | 128) => Some(Kind::Decimal { bytes: bits as usize / 8, scale }),
        _ => None,
    }
}
