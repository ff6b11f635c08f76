//! Parquet, 65,536 rows at a time: a column `name` of texts and a column of doubles per component, or columns
//! of any kind.

use super::cell::{Cell, CellKind};
use super::named_rows::NamedRows;
use crate::error::{Fault, Outcome, one_line};
use crate::safe::atomic::Output;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::iter;
use std::ops::Range;
use std::sync::Arc;

const GROUP_ROWS: usize = 1 << 16;

pub(super) fn write(out: &mut (impl Write + Send), rows: &NamedRows<'_>) -> Outcome<()> {
    let kinds = iter::once(CellKind::Text).chain(iter::repeat(CellKind::Number));
    let schema = schema(rows.header().zip(kinds)).map_err(failed)?;
    let mut writer =
        SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(failed)?;
    for start in (0..rows.rows).step_by(GROUP_ROWS) {
        let group = writer.next_row_group().map_err(failed)?;
        write_group(group, rows, start..(start + GROUP_ROWS).min(rows.rows)).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Compresses without dictionaries, which would only take space because hardly any number occurs twice.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_created_by(format!("lcca {}", env!("CARGO_PKG_VERSION")))
        .build()
}

/// One field per column.
fn schema(columns: impl Iterator<Item = (String, CellKind)>) -> Result<Type, ParquetError> {
    let fields = columns.map(|(name, kind)| {
        let (physical, logical) = match kind {
            CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            CellKind::Integer => (Physical::INT64, None),
            CellKind::Number => (Physical::DOUBLE, None),
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

/// A file that is written line after line, one group of rows at a time.
pub(super) struct Groups {
    writer: SerializedFileWriter<Output>,
    columns: Vec<Column>,
    /// The number of lines in the group that is being filled.
    lines: usize,
}

enum Column {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
}

impl Groups {
    pub(super) fn create(out: Output, columns: &[(&str, CellKind)]) -> Outcome<Self> {
        let schema = schema(columns.iter().map(|&(name, kind)| (name.to_string(), kind))).map_err(failed)?;
        let writer =
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(failed)?;
        let column = |&(_, kind): &(&str, CellKind)| match kind {
            CellKind::Text => Column::Texts(Vec::new()),
            CellKind::Integer => Column::Integers(Vec::new()),
            CellKind::Number => Column::Numbers(Vec::new()),
        };
        Ok(Groups { writer, columns: columns.iter().map(column).collect(), lines: 0 })
    }

    pub(super) fn push<'c>(&mut self, cells: impl IntoIterator<Item = Cell<'c>>) -> Outcome<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Texts(texts), Cell::Text(text)) => texts.push(ByteArray::from(text)),
                (Column::Integers(integers), Cell::Integer(integer)) => integers.push(integer),
                (Column::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
                _ => return Err(Fault::new("a cell is not of the kind of its column")),
            }
        }
        self.lines += 1;
        if self.lines == GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Outcome<()> {
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for column in &mut self.columns {
            match column {
                Column::Texts(texts) => {
                    write_column::<ByteArrayType, Output>(&mut group, &std::mem::take(texts))
                }
                Column::Integers(integers) => {
                    write_column::<Int64Type, Output>(&mut group, &std::mem::take(integers))
                }
                Column::Numbers(numbers) => {
                    write_column::<DoubleType, Output>(&mut group, &std::mem::take(numbers))
                }
            }
            .map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.lines = 0;
        Ok(())
    }

    /// Writes the last group, which may be shorter, and returns the file.
    pub(super) fn finish(mut self) -> Outcome<Output> {
        if self.lines > 0 {
            self.flush()?;
        }
        self.writer.into_inner().map_err(failed)
    }
}
