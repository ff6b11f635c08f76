//! Tables of numbers between commas or tabs: a line a row.
//!
//! The first line names the columns where not all of its fields are numbers. The first column names the rows, and is left
//! out, where there are names of columns and it has none (R and pandas write such files), an empty one, or no number in
//! its first row. Fields may be quoted, but not span lines. A table that is mostly zeros becomes sparse.

use crate::Names;
use crate::assemble::{Assembled, check_shape, smallest};
use crate::error::{Error, Fault, Outcome, Result};
use crate::text::{quoted, real};
use crate::values::Growing;
use crate::views::{LineBatch, LineReader, in_order};
use csv::{ByteRecord, ReaderBuilder};
use lcca::matrix::{DenseRows, Matrix, SparseRows};
use std::path::Path;

/// From this share of zeros on, sparse rows take less room than dense ones.
const SPARSE_SHARE: f64 = 0.75;

/// What the first lines tell.
struct Layout {
    delimiter: u8,
    names: Option<Vec<String>>,
    row_names: bool,
    /// Fields a line, row names included.
    fields: usize,
}

struct Parsed {
    values: Growing,
    rows: usize,
}

/// The names of the columns, where the first line has them.
pub(crate) fn read_names(path: &Path, delimiter: u8) -> Outcome<Option<Names>> {
    Ok(begin(path, delimiter)?.1.names.map(Names::new))
}

pub(crate) fn read(path: &Path, delimiter: u8) -> Result<Assembled> {
    let failed = |fault: Fault| -> Error { fault.at(path) };
    let (mut reader, layout, first) = begin(path, delimiter).map_err(failed)?;
    let mut first = Some(first);
    let next = || match first.take() {
        Some(batch) => Ok(Some(batch)),
        None => reader.batch(usize::MAX).map_err(failed),
    };
    let mut all = Parsed { values: Growing::new(), rows: 0 };
    in_order(
        next,
        |batch| parse(&batch, &layout).map_err(failed),
        |more| {
            all.values.append(more.values);
            all.rows += more.rows;
            Ok(())
        },
    )?;
    dense_or_sparse(all.values, all.rows, layout.fields - usize::from(layout.row_names)).map_err(failed)
}

/// Reads the header and the first row, which together tell how the others look.
fn begin(path: &Path, delimiter: u8) -> Outcome<(LineReader, Layout, LineBatch)> {
    let mut reader = LineReader::open(path)?;
    let (header_line, header) = line(&mut reader, delimiter)?.ok_or_else(|| Fault::new("is empty"))?;
    if header.iter().all(|field| is_number(field)) {
        let layout = Layout { delimiter, names: None, row_names: false, fields: header.len() };
        return Ok((reader, layout, header_line));
    }
    let (row_line, row) =
        line(&mut reader, delimiter)?.ok_or_else(|| Fault::new("has names of columns and no rows"))?;
    let without_name = row.len() == header.len() + 1;
    let row_names =
        without_name || header[0].is_empty() || row.first().is_some_and(|field| !is_number(field));
    let names = header.into_iter().skip(usize::from(row_names && !without_name)).collect::<Vec<String>>();
    let fields = row.len() - usize::from(row_names);
    if names.len() != fields {
        let message = format!("names {} columns, the first row has {fields}", names.len());
        return Err(Fault::line(header_line.first(), message));
    }
    check_shape(1, fields)?;
    Ok((reader, Layout { delimiter, names: Some(names), row_names, fields: row.len() }, row_line))
}

fn is_number(field: &str) -> bool {
    real(field.trim().as_bytes()).is_some()
}

/// The next line that is not blank, and its fields.
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
        return Ok(Some((LineBatch::single(bytes, number), fields)));
    }
}

fn records(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(bytes)
}

fn parse(batch: &LineBatch, layout: &Layout) -> Outcome<Parsed> {
    let mut parsed = Parsed { values: Growing::new(), rows: 0 };
    let (mut records, mut record) = (records(batch.bytes(), layout.delimiter), ByteRecord::new());
    loop {
        // Bytes in memory and any number of fields: nothing can go wrong here.
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
            let value = number(field)
                .map_err(|message| Fault::line(line, format!("{}: {message}", called(column, layout))))?;
            parsed.values.push(value);
        }
        parsed.rows += 1;
    }
}

/// Which line of the batch a record is on, from 0. Its position is where the one before it ended, blank lines and what is
/// left of a line end included.
fn line_of(record: &ByteRecord, bytes: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = bytes.get(position.byte() as usize..).unwrap_or_default();
    let blank =
        rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).filter(|&&byte| byte == b'\n').count();
    position.line() - 1 + blank as u64
}

fn number(field: &[u8]) -> std::result::Result<f64, String> {
    match real(field.trim_ascii()) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(format!("{} is not a finite number", quoted(field))),
        None => Err(format!("expected a number, found {}", quoted(field))),
    }
}

fn called(column: usize, layout: &Layout) -> String {
    match layout.names.as_ref().and_then(|names| names.get(column)) {
        Some(name) => format!("column {}", quoted(name.as_bytes())),
        None => format!("column {}", column + 1),
    }
}

/// Rows of every value, one after another, in the storage that fits them.
pub(crate) fn dense_or_sparse(values: Growing, rows: usize, cols: usize) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let cells = values.len() as f64;
    let zeros = values.zeros() as f64;
    let dense = DenseRows::new(rows, cols, values.into_dense())?;
    match zeros >= SPARSE_SHARE * cells {
        false => Ok(Matrix::from(dense).into()),
        true => Ok(without_zeros(&dense)?.into()),
    }
}

/// The same numbers as sparse rows.
fn without_zeros(dense: &DenseRows) -> Outcome<Matrix> {
    let (mut ends, mut columns, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in 0..dense.rows() {
        dense.for_each(row, |column, value| {
            if value != 0.0 {
                columns.push(column as u32);
                values.push(value);
            }
        });
        ends.push(columns.len() as u64);
    }
    smallest(SparseRows::new(dense.cols(), ends.into(), columns.into(), values.into_values())?)
}
