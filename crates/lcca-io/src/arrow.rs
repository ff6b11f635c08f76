//! Arrow files, also called Feather: columns of numbers and Booleans as a matrix, a batch of rows at a time.

use crate::Names;
use crate::assemble::{Assembled, check_shape};
use crate::delimited::dense_or_sparse;
use crate::error::{Fault, Outcome, one_line};
use crate::guard::guarded;
use crate::source;
use crate::values::Growing;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, Field};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The bytes every such file begins and ends with.
pub(crate) const MAGIC: &[u8] = b"ARROW1";

/// The names of the columns.
pub(crate) fn read_names(path: &Path) -> Outcome<Option<Names>> {
    guarded("Arrow", || Ok(Some(Names::new(columns(&open(path)?).iter().map(|(_, name)| name)))))
}

pub(crate) fn read(path: &Path) -> Outcome<Assembled> {
    guarded("Arrow", || read_all(open(path)?))
}

fn open(path: &Path) -> Outcome<FileReader<BufReader<File>>> {
    FileReader::try_new(BufReader::new(source::open(path)?), None).map_err(broken)
}

/// Places and names of the columns that are read: those in which pandas keeps the names of rows are not.
fn columns(file: &FileReader<BufReader<File>>) -> Vec<(usize, String)> {
    let schema = file.schema();
    let named = |(place, field): (usize, &std::sync::Arc<Field>)| (place, field.name().clone());
    let all = schema.fields().iter().enumerate().map(named);
    all.filter(|(_, name)| !name.starts_with("__index_level_")).collect()
}

fn read_all(file: FileReader<BufReader<File>>) -> Outcome<Assembled> {
    let columns = columns(&file);
    check_shape(1, columns.len())?;
    let (mut values, mut rows) = (Growing::new(), 0);
    for batch in file {
        let batch = batch.map_err(broken)?;
        let numbers = |(place, name): &(usize, String)| {
            column(&batch, *place, rows).map_err(|fault| fault.within(&format!("column {name:?}")))
        };
        let numbers: Vec<Vec<f64>> = columns.iter().map(numbers).collect::<Outcome<_>>()?;
        (0..batch.num_rows()).for_each(|row| numbers.iter().for_each(|column| values.push(column[row])));
        rows += batch.num_rows();
    }
    check_shape(rows, columns.len())?;
    dense_or_sparse(values, rows, columns.len())
}

/// One column of a batch that begins after `rows_before` rows.
fn column(batch: &RecordBatch, place: usize, rows_before: usize) -> Outcome<Vec<f64>> {
    let column = batch.column(place);
    if let Some(row) = (0..column.len()).find(|&row| column.is_null(row)) {
        return Err(Fault::new(format!("row {} is missing, expected a number", rows_before + row + 1)));
    }
    Ok(match column.data_type() {
        DataType::Boolean => {
            column.as_boolean().values().iter().map(|value| f64::from(u8::from(value))).collect()
        }
        DataType::Int8 => numbers::<Int8Type>(column, f64::from),
        DataType::Int16 => numbers::<Int16Type>(column, f64::from),
        DataType::Int32 => numbers::<Int32Type>(column, f64::from),
        DataType::Int64 => numbers::<Int64Type>(column, |value| value as f64),
        DataType::UInt8 => numbers::<UInt8Type>(column, f64::from),
        DataType::UInt16 => numbers::<UInt16Type>(column, f64::from),
        DataType::UInt32 => numbers::<UInt32Type>(column, f64::from),
        DataType::UInt64 => numbers::<UInt64Type>(column, |value| value as f64),
        DataType::Float16 => numbers::<Float16Type>(column, f64::from),
        DataType::Float32 => numbers::<Float32Type>(column, f64::from),
        DataType::Float64 => numbers::<Float64Type>(column, |value| value),
        other => {
            let message = format!("holds {other}, expected plain numbers or Booleans");
            return Err(Fault::new(message));
        }
    })
}

fn numbers<T: ArrowPrimitiveType>(column: &dyn Array, number: impl Fn(T::Native) -> f64) -> Vec<f64> {
    column.as_primitive::<T>().values().iter().map(|&value| number(value)).collect()
}

fn broken(error: ArrowError) -> Fault {
    Fault::new(format!("truncated, corrupt or not an Arrow file ({})", one_line(&error)))
}
