//! What the columns of a file hold, by its schema and by Arrow's if the file has one.

use crate::arrow_fields::{unreadable, words};
use crate::table::ColumnType;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::{ColumnDescriptor, Type};

/// The most digits of decimals that are read; those of 128 bits.
const MOST_DIGITS: i32 = 38;

/// How the values of a column are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Holds {
    /// Numbers as they are stored.
    Numbers,
    /// Whole numbers of so many bits that are stored with a sign and have none.
    Unsigned(u8),
    /// Whole numbers of which so many digits stand behind the point.
    Decimals(i32),
    /// Numbers of half precision, as two bytes.
    Halves,
    Texts,
    /// Something else, in words.
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

/// What each column of a file holds that Arrow's schema knows to be no numbers or texts, such as durations.
pub(super) fn unreadable_columns(file: &FileMetaData) -> Vec<(String, Option<&'static str>)> {
    let mut entries = file.key_value_metadata().into_iter().flatten();
    let schema = entries.find(|entry| entry.key == "ARROW:schema").and_then(|entry| entry.value.as_deref());
    schema.map(unreadable).unwrap_or_default()
}

/// What a column of several columns, or of several values per row, holds.
pub(super) fn nested(column: &Type) -> &'static str {
    let info = column.get_basic_info();
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => words::LISTS,
        (Some(LogicalType::Map), _) | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => words::MAPS,
        _ if info.has_repetition() && info.repetition() == Repetition::REPEATED => words::LISTS,
        _ => words::STRUCTURES,
    }
}

/// What a column of one value per row holds. Old writers say it in another field of the schema than new ones.
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
