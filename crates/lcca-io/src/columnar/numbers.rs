//! Columns of numbers and Booleans as a matrix, one group of rows at a time.

use super::file::{ParquetFile, broken, guarded};
use crate::assemble::{Assembled, check_shape, dense_or_sparse};
use crate::error::{Fault, Outcome};
use crate::values::Growing;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::FileReader;
use parquet::schema::types::ColumnDescPtr;

/// Rows read at a time. The library makes room for as many as are requested, and a header may claim any number.
const ROWS_AT_A_TIME: usize = 1 << 16;

impl ParquetFile {
    /// All columns as a matrix.
    pub(crate) fn read(&self) -> Outcome<Assembled> {
        guarded(|| read_all(self))
    }
}

fn read_all(file: &ParquetFile) -> Outcome<Assembled> {
    let cols = file.columns.len();
    check_shape(1, cols)?;
    file.columns.iter().try_for_each(|(_, column)| check_kind(column))?;
    let (mut values, mut rows) = (Growing::new(), 0);
    for index in 0..file.groups() {
        let group = file.file.get_row_group(index).map_err(broken)?;
        let group_rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut columns = Vec::with_capacity(cols);
        for (index, column) in &file.columns {
            let reader = group.get_column_reader(*index).map_err(broken)?;
            let numbers = read_column(reader, column, group_rows);
            columns.push(numbers.map_err(|problem| problem.fault(column.name(), rows))?);
        }
        (0..group_rows).for_each(|row| columns.iter().for_each(|column| values.push(column[row])));
        rows += group_rows;
    }
    check_shape(rows, cols)?;
    dense_or_sparse(values, rows, cols)
}

fn check_kind(column: &ColumnDescPtr) -> Outcome<()> {
    let number = matches!(
        column.physical_type(),
        Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE
    );
    let plain = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_)));
    let old = matches!(
        column.converted_type(),
        ConvertedType::DECIMAL
            | ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
    );
    if !number || !plain || old {
        let message = "holds texts, dates or decimals, expected plain numbers or Booleans";
        return Err(Fault::new(message).within(&format!("column {:?}", column.name())));
    }
    Ok(())
}

/// What is wrong with a column of a group, which does not know how many rows come before it.
enum Problem {
    Broken(Fault),
    Missing(usize),
}

impl Problem {
    fn fault(self, column: &str, rows_before: usize) -> Fault {
        match self {
            Problem::Broken(fault) => fault,
            Problem::Missing(row) => {
                let message = format!("row {} is missing, expected a number", rows_before + row + 1);
                Fault::new(message).within(&format!("column {column:?}"))
            }
        }
    }
}

fn read_column(reader: ColumnReader, column: &ColumnDescPtr, rows: usize) -> Result<Vec<f64>, Problem> {
    let unsigned = matches!(column.logical_type_ref(), Some(LogicalType::Integer(int)) if !int.is_signed);
    match reader {
        ColumnReader::BoolColumnReader(reader) => {
            all(reader, column, rows, |value| f64::from(u8::from(value)))
        }
        ColumnReader::Int32ColumnReader(reader) if unsigned => {
            all(reader, column, rows, |value| f64::from(value as u32))
        }
        ColumnReader::Int32ColumnReader(reader) => all(reader, column, rows, f64::from),
        ColumnReader::Int64ColumnReader(reader) if unsigned => {
            all(reader, column, rows, |value| value as u64 as f64)
        }
        ColumnReader::Int64ColumnReader(reader) => all(reader, column, rows, |value| value as f64),
        ColumnReader::FloatColumnReader(reader) => all(reader, column, rows, f64::from),
        ColumnReader::DoubleColumnReader(reader) => all(reader, column, rows, |value| value),
        _ => Err(Problem::Broken(Fault::new("has columns that are no numbers"))),
    }
}

fn all<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescPtr,
    rows: usize,
    number: impl Fn(T::T) -> f64,
) -> Result<Vec<f64>, Problem> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let broken = |error| Problem::Broken(broken(error));
        let most = (rows - read).min(ROWS_AT_A_TIME);
        let (records, _, _) =
            reader.read_records(most, Some(&mut levels), None, &mut values).map_err(broken)?;
        if records == 0 {
            return Err(Problem::Broken(Fault::new(format!(
                "a column ends after {read} rows, expected {rows}"
            ))));
        }
        read += records;
    }
    match levels.iter().position(|&level| level < column.max_def_level()) {
        Some(row) => Err(Problem::Missing(row)),
        None if values.len() != rows => {
            Err(Problem::Broken(Fault::new(format!("a column has {} values, expected {rows}", values.len()))))
        }
        None => Ok(values.into_iter().map(number).collect()),
    }
}
