//! Tables of numbers between commas or tabs: one line per row.
//!
//! The first line names the columns if not all of its fields are numbers. The first column names the rows, and is left
//! out, if the columns have names and this one has none (R and pandas write such files), an empty one, or no number in
//! its first row. Fields may be quoted, but not span lines. A table that is mostly zeros becomes sparse.

use crate::assemble::{Assembled, check_shape, dense_or_sparse};
use crate::error::{Fault, Outcome};
use crate::lines::{LineBatch, LineReader};
use crate::names::Names;
use crate::parallel::in_order;
use crate::text::{quoted, real};
use crate::values::Growing;
use csv::{ByteRecord, ReaderBuilder};

/// A table whose first lines have been read.
pub(crate) struct Table {
    reader: LineReader,
    layout: Layout,
    first_row: LineBatch,
}

/// What the first lines say about all lines.
struct Layout {
    delimiter: u8,
    names: Option<Vec<String>>,
    row_names: bool,
    /// Fields per line, row names included.
    fields: usize,
}

/// The rows of one batch of lines.
struct Parsed {
    values: Growing,
    rows: usize,
}

impl Table {
    /// Reads the header and the first row, which together say how the others look.
    pub(crate) fn open(mut reader: LineReader, delimiter: u8) -> Outcome<Self> {
        let (header_line, header) = line(&mut reader, delimiter)?.ok_or_else(|| Fault::new("is empty"))?;
        if header.iter().all(|field| is_number(field)) {
            let layout = Layout { delimiter, names: None, row_names: false, fields: header.len() };
            return Ok(Table { reader, layout, first_row: header_line });
        }
        let (first_row, row) =
            line(&mut reader, delimiter)?.ok_or_else(|| Fault::new("has names of columns and no rows"))?;
        let without_name = row.len() == header.len() + 1;
        let row_names =
            without_name || header[0].is_empty() || row.first().is_some_and(|field| !is_number(field));
        let names: Vec<String> = header.into_iter().skip(usize::from(row_names && !without_name)).collect();
        let columns = row.len() - usize::from(row_names);
        if names.len() != columns {
            let message = format!("names {} columns, the first row has {columns}", names.len());
            return Err(Fault::line(header_line.first(), message));
        }
        check_shape(1, columns)?;
        let layout = Layout { delimiter, names: Some(names), row_names, fields: row.len() };
        Ok(Table { reader, layout, first_row })
    }

    /// The names of the columns, if the first line has them.
    pub(crate) fn names(&self) -> Option<Names> {
        self.layout.names.as_ref().map(Names::new)
    }

    pub(crate) fn read(self) -> Outcome<Assembled> {
        let Table { mut reader, layout, first_row } = self;
        let mut first_row = Some(first_row);
        let mut all = Parsed { values: Growing::new(), rows: 0 };
        in_order(
            || match first_row.take() {
                Some(batch) => Ok(Some(batch)),
                None => reader.batch(usize::MAX),
            },
            |batch| parse(&batch, &layout),
            |more| {
                all.values.append(more.values);
                all.rows += more.rows;
                Ok(())
            },
        )?;
        dense_or_sparse(all.values, all.rows, layout.fields - usize::from(layout.row_names))
    }
}

fn is_number(field: &str) -> bool {
    real(field.trim().as_bytes()).is_some()
}

/// The next line that is not blank, with its fields.
fn line(reader: &mut LineReader, delimiter: u8) -> Outcome<Option<(LineBatch, Vec<String>)>> {
    loop {
        let number = reader.line;
        let Some(bytes) = reader.one()? else { return Ok(None) };
        if bytes.is_empty() {
            continue;
        }
        let mut record = ByteRecord::new();
        records(&bytes, delimiter)
            .read_byte_record(&mut record)
            .map_err(|error| Fault::line(number, error.to_string()))?;
        let text =
            |field: &[u8]| String::from_utf8(field.to_vec()).map_err(|_| Fault::line(number, "is not UTF-8"));
        let fields = record.iter().map(text).collect::<Outcome<Vec<String>>>()?;
        return Ok(Some((LineBatch::new(bytes, number), fields)));
    }
}

fn records(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(bytes)
}

fn parse(batch: &LineBatch, layout: &Layout) -> Outcome<Parsed> {
    let mut parsed = Parsed { values: Growing::new(), rows: 0 };
    let (mut records, mut record) = (records(batch.bytes(), layout.delimiter), ByteRecord::new());
    loop {
        // The bytes are in memory and records may have any number of fields, so reading cannot fail.
        if !records.read_byte_record(&mut record).unwrap_or(false) {
            return Ok(parsed);
        }
        let line = batch.first() + line_of(&record, batch.bytes());
        if record.len() != layout.fields {
            let message =
                format!("has {} fields, expected {} as in the first row", record.len(), layout.fields);
            return Err(Fault::line(line, message));
        }
        for (column, field) in record.iter().skip(usize::from(layout.row_names)).enumerate() {
            let value = number(field).map_err(|message| {
                Fault::line(line, format!("{}: {message}", column_name(column, layout)))
            })?;
            parsed.values.push(value);
        }
        parsed.rows += 1;
    }
}

/// The line of the batch that a record is on, from 0. The position that the library tells is the end of the record
/// before it, so blank lines and the rest of a line end come first.
fn line_of(record: &ByteRecord, bytes: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let blank =
        rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|&&byte| byte == b'\n').count();
    position.line() - 1 + blank as u64
}

fn number(field: &[u8]) -> Result<f64, String> {
    match real(field.trim_ascii()) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(format!("{} is not a finite number", quoted(field))),
        None => Err(format!("expected a number, found {}", quoted(field))),
    }
}

fn column_name(column: usize, layout: &Layout) -> String {
    match layout.names.as_ref().and_then(|names| names.get(column)) {
        Some(name) => format!("column {}", quoted(name.as_bytes())),
        None => format!("column {}", column + 1),
    }
}
