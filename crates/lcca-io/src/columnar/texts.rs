//! Some columns as texts, about a thousand rows at a time. A missing value is an empty text; numbers are written out.

use super::broken::{broken, guarded};
use super::file::ParquetFile;
use crate::error::{Fault, Outcome};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::FileReader;

const BATCH_ROWS: usize = 1024;

/// Rows of texts, column by column.
pub(crate) struct Texts {
    /// The number of the first row, from 1.
    pub(crate) first: u64,
    pub(crate) columns: [Vec<Vec<u8>>; 3],
}

/// A group of rows being read.
struct Group {
    readers: [Option<(ColumnReader, i16)>; 3],
    left: usize,
}

/// A function that returns the next rows of three columns of the file, and `None` at the end.
pub(crate) fn texts(
    opened: ParquetFile,
    picked: [Option<usize>; 3],
) -> impl FnMut() -> Outcome<Option<Texts>> + Send {
    let mut reading = Reading { opened, picked, group: None, next: 0, first: 1 };
    move || guarded(|| reading.step())
}

/// The state of a file that is being read.
struct Reading {
    opened: ParquetFile,
    picked: [Option<usize>; 3],
    group: Option<Group>,
    /// The index of the next group.
    next: usize,
    /// The number of the next row, from 1.
    first: u64,
}

impl Reading {
    fn step(&mut self) -> Outcome<Option<Texts>> {
        while self.group.as_ref().is_none_or(|group| group.left == 0) {
            if self.next == self.opened.groups() {
                return Ok(None);
            }
            self.group = Some(open_group(&self.opened, &self.picked, self.next)?);
            self.next += 1;
        }
        let Some(group) = &mut self.group else { return Ok(None) };
        let rows = group.left.min(BATCH_ROWS);
        group.left -= rows;
        let mut columns = [const { Vec::new() }; 3];
        for (texts, reader) in columns.iter_mut().zip(&mut group.readers) {
            *texts = match reader {
                Some((reader, level)) => read(reader, *level, rows)?,
                None => vec![Vec::new(); rows],
            };
        }
        let first = self.first;
        self.first += rows as u64;
        Ok(Some(Texts { first, columns }))
    }
}

fn open_group(opened: &ParquetFile, picked: &[Option<usize>; 3], index: usize) -> Outcome<Group> {
    let group = opened.file.get_row_group(index).map_err(broken)?;
    let mut readers = [const { None }; 3];
    for (reader, pick) in readers.iter_mut().zip(picked) {
        if let Some(pick) = pick {
            let (index, column) = &opened.columns[*pick];
            *reader = Some((group.get_column_reader(*index).map_err(broken)?, column.max_def_level()));
        }
    }
    Ok(Group { readers, left: usize::try_from(group.metadata().num_rows()).unwrap_or(0) })
}

fn read(reader: &mut ColumnReader, level: i16, rows: usize) -> Outcome<Vec<Vec<u8>>> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => {
            some(reader, level, rows, |value| value.data().to_vec())
        }
        ColumnReader::BoolColumnReader(reader) => some(reader, level, rows, written),
        ColumnReader::Int32ColumnReader(reader) => some(reader, level, rows, written),
        ColumnReader::Int64ColumnReader(reader) => some(reader, level, rows, written),
        ColumnReader::FloatColumnReader(reader) => some(reader, level, rows, written),
        ColumnReader::DoubleColumnReader(reader) => some(reader, level, rows, written),
        _ => Err(Fault::new("a column holds neither texts nor numbers")),
    }
}

fn written(value: impl ToString) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn some<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    level: i16,
    rows: usize,
    text: impl Fn(T::T) -> Vec<u8>,
) -> Outcome<Vec<Vec<u8>>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, _, _) =
            reader.read_records(rows - read, Some(&mut levels), None, &mut values).map_err(broken)?;
        if records == 0 {
            return Err(Fault::new(format!("a column ends {} rows before its group", rows - read)));
        }
        read += records;
    }
    let mut values = values.into_iter();
    let mut next = || values.next().map(&text).unwrap_or_default();
    // Columns in which no value can be missing have no levels.
    if levels.is_empty() {
        return Ok((0..rows).map(|_| next()).collect());
    }
    Ok(levels.iter().map(|&present| if present == level { next() } else { Vec::new() }).collect())
}
