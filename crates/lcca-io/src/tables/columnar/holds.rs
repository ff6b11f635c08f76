//! The types of the columns of a file, by its schema and by Arrow's if the file has one.

use crate::tables::arrow_fields::{unreadable, words};
use crate::tables::table::ColumnType;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::{ColumnDescriptor, Type};

/// The most digits of decimals that are read, which are those of 128 bits.
const MOST_DIGITS: i32 = 38;

/// How the values of a column are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Holds {
    /// Numbers as they are stored.
    Numbers,
    /// Whole numbers without a sign, of this many bits, that are stored as numbers with a sign.
    Unsigned(u8),
    /// Whole numbers of which this many digits stand behind the point.
    Decimals(i32),
    /// Numbers of half precision, as two bytes.
    Halves,
    Texts,
    /// Any other type, in words for a message.
    Other(&'static str),
}

impl Holds {
    pub(super) fn column_type(self) -> ColumnType {
        match self {
            Holds::Numbers | Holds::Unsigned(_) | Holds::Decimals(_) | Holds::Halves => ColumnType::Numbers,
            Holds::Texts => ColumnType::Texts,
            Holds::Other(what) => ColumnType::Other(what),
        }
    }
}

/// The columns by name. A column that is neither numbers nor texts by Arrow's schema, such as durations,
/// has the word for its contents.
pub(super) fn unreadable_columns(file: &FileMetaData) -> Vec<(String, Option<&'static str>)> {
    let mut entries = file.key_value_metadata().into_iter().flatten();
    let schema = entries.find(|entry| entry.key == "ARROW:schema").and_then(|entry| entry.value.as_deref());
    schema.map(unreadable).unwrap_or_default()
}

/// The word for a column that consists of several columns, or has several values per row.
pub(super) fn nested(column: &Type) -> &'static str {
    let info = column.get_basic_info();
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => words::LISTS,
        (Some(LogicalType::Map), _) | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => words::MAPS,
        _ if info.has_repetition() && info.repetition() == Repetition::REPEATED => words::LISTS,
        _ => words::STRUCTURES,
    }
}

/// The type of a column with one value per row. Old writers put it in another field of the schema than new
/// ones.
pub(super) fn flat(column: &ColumnDescriptor) -> Holds {
    match column.logical_type_ref() {
        Some(logical) => by_logical_type(column, logical),
        None => by_converted_type(column),
    }
}

fn by_logical_type(column: &ColumnDescriptor, logical: &LogicalType) -> Holds {
    match logical {
        LogicalType::Integer(int) if !int.is_signed => Holds::Unsigned(int.bit_width as u8),
        LogicalType::Integer(_) => as_stored(column),
        LogicalType::Decimal(decimal) => decimals(decimal.precision, decimal.scale),
        LogicalType::Float16 => Holds::Halves,
        LogicalType::String | LogicalType::Enum => Holds::Texts,
        LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_) => Holds::Other(words::DATES),
        LogicalType::Unknown => Holds::Other(words::NOTHING),
        LogicalType::Json => Holds::Other(words::JSON),
        LogicalType::Uuid => Holds::Other(words::UUIDS),
        LogicalType::Bson | LogicalType::Geometry(_) | LogicalType::Geography(_) => {
            Holds::Other(words::BYTES)
        }
        _ => Holds::Other(words::UNKNOWN),
    }
}

fn by_converted_type(column: &ColumnDescriptor) -> Holds {
    match column.converted_type() {
        ConvertedType::UTF8 | ConvertedType::ENUM => Holds::Texts,
        ConvertedType::UINT_8 => Holds::Unsigned(8),
        ConvertedType::UINT_16 => Holds::Unsigned(16),
        ConvertedType::UINT_32 => Holds::Unsigned(32),
        ConvertedType::UINT_64 => Holds::Unsigned(64),
        ConvertedType::DECIMAL => decimals(column.type_precision(), column.type_scale()),
        ConvertedType::DATE
        | ConvertedType::TIME_MILLIS
        | ConvertedType::TIME_MICROS
        | ConvertedType::TIMESTAMP_MILLIS
        | ConvertedType::TIMESTAMP_MICROS => Holds::Other(words::DATES),
        ConvertedType::INTERVAL => Holds::Other(words::DURATIONS),
        ConvertedType::JSON => Holds::Other(words::JSON),
        _ => as_stored(column),
    }
}

fn as_stored(column: &ColumnDescriptor) -> Holds {
    match column.physical_type() {
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE => {
            Holds::Numbers
        }
        Physical::INT96 => Holds::Other(words::DATES),
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Holds::Other(words::BYTES),
    }
}

fn decimals(digits: i32, scale: i32) -> Holds {
    if digits > MOST_DIGITS { Holds::Other(words::LONG_DECIMALS) } else { Holds::Decimals(scale) }
}
