//! Reads some columns as texts, about a thousand rows at a time. A missing value is an empty text; numbers
//! are written out.

use super::broken::guarded;
use super::column;
use super::file::ParquetFile;
use crate::error::Outcome;

const BATCH_ROWS: usize = 1024;

/// Rows of texts, column by column.
pub(crate) struct Texts {
    /// The number of the first row, from 1.
    pub(crate) first: u64,
    pub(crate) columns: [Vec<Vec<u8>>; 3],
}

/// A group of rows being read.
struct Group {
    columns: [Option<column::Reading>; 3],
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
        for (texts, column) in columns.iter_mut().zip(&mut group.columns) {
            *texts = match column {
                Some(column) => column.bytes(rows)?,
                None => vec![Vec::new(); rows],
            };
        }
        let first = self.first;
        self.first += rows as u64;
        Ok(Some(Texts { first, columns }))
    }
}

fn open_group(opened: &ParquetFile, picked: &[Option<usize>; 3], index: usize) -> Outcome<Group> {
    let mut columns = [const { None }; 3];
    for (column, pick) in columns.iter_mut().zip(picked) {
        if let Some(picked) = pick.and_then(|pick| opened.data().nth(pick)) {
            *column = Some(opened.reading(index, picked)?);
        }
    }
    Ok(Group { columns, left: opened.rows(index) })
}
