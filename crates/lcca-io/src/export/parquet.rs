//! Parquet: a column `name` of texts and a column of doubles per component, 65,536 rows at a time.

use super::named_rows::NamedRows;
use crate::atomic::Output;
use crate::error::{Fault, Outcome, one_line};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

const GROUP_ROWS: usize = 1 << 16;

pub(super) fn write(out: &mut (impl Write + Send), rows: &NamedRows<'_>) -> Outcome<()> {
    let schema = schema(rows.header(), true).map_err(failed)?;
    let mut writer =
        SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(failed)?;
    for start in (0..rows.rows).step_by(GROUP_ROWS) {
        let group = writer.next_row_group().map_err(failed)?;
        write_group(group, rows, start..(start + GROUP_ROWS).min(rows.rows)).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Hardly any number occurs twice, so a dictionary of numbers would only take space.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_created_by(format!("lcca {}", env!("CARGO_PKG_VERSION")))
        .build()
}

/// Columns of numbers, the first of names if there are any.
fn schema(header: impl Iterator<Item = String>, named: bool) -> Result<Type, ParquetError> {
    let fields = header.enumerate().map(|(index, name)| {
        let (physical, logical) = match index {
            0 if named => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            _ => (Physical::DOUBLE, None),
        };
        let field = Type::primitive_type_builder(&name, physical).with_repetition(Repetition::REQUIRED);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    Type::group_type_builder("rows").with_fields(fields).build()
}

fn write_group<W: Write + Send>(
    mut group: SerializedRowGroupWriter<'_, W>,
    rows: &NamedRows<'_>,
    span: Range<usize>,
) -> Result<(), ParquetError> {
    let names: Vec<ByteArray> =
        span.clone().map(|row| ByteArray::from(rows.name(row).into_bytes())).collect();
    write_column::<ByteArrayType, W>(&mut group, &names)?;
    for component in 0..rows.components {
        let numbers: Vec<f64> = span.clone().map(|row| rows.numbers(row)[component]).collect();
        write_column::<DoubleType, W>(&mut group, &numbers)?;
    }
    group.close()?;
    Ok(())
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// Unwraps errors of the operating system, so that a full disk stays a failure of the machine.
fn failed(error: ParquetError) -> Fault {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => Fault::Io(*error),
            Err(other) => Fault::new(one_line(&other)),
        },
        other => Fault::new(one_line(&other)),
    }
}

/// A file that is written row after row, one group of rows at a time.
pub(super) struct Groups {
    writer: SerializedFileWriter<Output>,
    names: Option<Vec<ByteArray>>,
    columns: Vec<Vec<f64>>,
}

impl Groups {
    pub(super) fn create(out: Output, columns: &[String], named: bool) -> Outcome<Self> {
        let name = named.then(|| "name".to_string());
        let schema = schema(name.into_iter().chain(columns.iter().cloned()), named).map_err(failed)?;
        let writer =
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(failed)?;
        Ok(Groups { writer, names: named.then(Vec::new), columns: vec![Vec::new(); columns.len()] })
    }

    pub(super) fn push(&mut self, name: Option<&str>, numbers: &[f64]) -> Outcome<()> {
        if let Some(names) = &mut self.names {
            names.push(ByteArray::from(name.unwrap_or_default()));
        }
        self.columns.iter_mut().zip(numbers).for_each(|(column, &number)| column.push(number));
        if self.columns.first().is_some_and(|column| column.len() == GROUP_ROWS) {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Outcome<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        if let Some(names) = &mut self.names {
            write_column::<ByteArrayType, Output>(&mut group, &std::mem::take(names)).map_err(failed)?;
        }
        for column in &mut self.columns {
            write_column::<DoubleType, Output>(&mut group, &std::mem::take(column)).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        Ok(())
    }

    /// Writes what is left, and returns the file.
    pub(super) fn finish(mut self) -> Outcome<Output> {
        if self.columns.first().is_some_and(|column| !column.is_empty()) {
            self.flush()?;
        }
        self.writer.into_inner().map_err(failed)
    }
}
