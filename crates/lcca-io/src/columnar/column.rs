//! One column of a group of rows, as numbers or as texts. What is missing is NaN or `None`.

use super::broken::broken;
use crate::error::{Fault, Outcome};
use crate::table::ColumnType;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescPtr;

/// Rows read at a time. The library makes room for as many as are requested, and a header may claim any number.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// What a column holds, by its schema.
pub(super) fn holds(column: &ColumnDescPtr) -> ColumnType {
    let logical = column.logical_type_ref();
    let old = column.converted_type();
    match (column.physical_type(), logical) {
        (_, Some(LogicalType::Decimal { .. })) => ColumnType::Other("decimals"),
        (_, Some(LogicalType::Date | LogicalType::Time { .. } | LogicalType::Timestamp { .. })) => {
            ColumnType::Other("dates or times")
        }
        _ if old == ConvertedType::DECIMAL => ColumnType::Other("decimals"),
        _ if is_old_date(old) => ColumnType::Other("dates or times"),
        (Type::INT96, _) => ColumnType::Other("dates or times"),
        (
            Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE,
            None | Some(LogicalType::Integer(_)),
        ) => ColumnType::Numbers,
        (Type::BYTE_ARRAY, None | Some(LogicalType::String | LogicalType::Enum)) => ColumnType::Texts,
        _ => ColumnType::Other("neither numbers nor texts"),
    }
}

fn is_old_date(converted: ConvertedType) -> bool {
    matches!(
        converted,
        ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
    )
}

/// The first `rows` values as numbers, of which NaN is missing.
pub(super) fn numbers(reader: ColumnReader, column: &ColumnDescPtr, rows: usize) -> Outcome<Vec<f64>> {
    let unsigned = matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed);
    let level = column.max_def_level();
    let flag = |value: bool| f64::from(u8::from(value));
    match reader {
        ColumnReader::BoolColumnReader(reader) => all(reader, level, rows, flag, f64::NAN),
        ColumnReader::Int32ColumnReader(reader) if unsigned => {
            all(reader, level, rows, |value| f64::from(value as u32), f64::NAN)
        }
        ColumnReader::Int32ColumnReader(reader) => all(reader, level, rows, f64::from, f64::NAN),
        ColumnReader::Int64ColumnReader(reader) if unsigned => {
            all(reader, level, rows, |value| value as u64 as f64, f64::NAN)
        }
        ColumnReader::Int64ColumnReader(reader) => all(reader, level, rows, |value| value as f64, f64::NAN),
        ColumnReader::FloatColumnReader(reader) => all(reader, level, rows, f64::from, f64::NAN),
        ColumnReader::DoubleColumnReader(reader) => all(reader, level, rows, |value| value, f64::NAN),
        _ => Err(Fault::new("has columns that are no numbers")),
    }
}

/// The first `rows` values as texts; numbers are written out.
pub(super) fn texts(
    reader: ColumnReader,
    column: &ColumnDescPtr,
    rows: usize,
) -> Outcome<Vec<Option<String>>> {
    let level = column.max_def_level();
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => {
            all(reader, level, rows, |value| Some(String::from_utf8_lossy(value.data()).into_owned()), None)
        }
        ColumnReader::BoolColumnReader(reader) => all(reader, level, rows, written, None),
        ColumnReader::Int32ColumnReader(reader) => all(reader, level, rows, written, None),
        ColumnReader::Int64ColumnReader(reader) => all(reader, level, rows, written, None),
        ColumnReader::FloatColumnReader(reader) => all(reader, level, rows, written, None),
        ColumnReader::DoubleColumnReader(reader) => all(reader, level, rows, written, None),
        _ => Err(Fault::new("a column holds neither texts nor numbers")),
    }
}

fn written(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

fn all<T: DataType, V: Clone>(
    mut reader: ColumnReaderImpl<T>,
    level: i16,
    rows: usize,
    convert: impl Fn(T::T) -> V,
    missing: V,
) -> Outcome<Vec<V>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let most = (rows - read).min(ROWS_AT_A_TIME);
        let (records, _, _) =
            reader.read_records(most, Some(&mut levels), None, &mut values).map_err(broken)?;
        if records == 0 {
            return Err(Fault::new(format!("a column ends after {read} rows, expected {rows}")));
        }
        read += records;
    }
    let present = levels.iter().filter(|&&found| found == level).count();
    let expected = if levels.is_empty() { rows } else { present };
    if values.len() != expected {
        return Err(Fault::new(format!("a column has {} values, expected {expected}", values.len())));
    }
    let mut values = values.into_iter();
    // Columns in which no value can be missing have no levels.
    if levels.is_empty() {
        return Ok(values.map(convert).collect());
    }
    let cell = |&found: &i16| match (found == level).then(|| values.next()).flatten() {
        Some(value) => convert(value),
        None => missing.clone(),
    };
    Ok(levels.iter().map(cell).collect())
}
